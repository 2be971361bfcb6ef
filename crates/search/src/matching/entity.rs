//! What a text seems to name: a company, a firm, a person, a public body.

use crate::analyze::split;
use crate::legal::Suffix;
use crate::matching::text::ReadName;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entity {
    Company,
    Llp,
    PartnershipFirm,
    Proprietorship,
    Person,
    Huf,
    Trust,
    Society,
    Government,
    Unknown,
}

impl Entity {
    pub const ALL: [Entity; 10] = [
        Entity::Company,
        Entity::Llp,
        Entity::PartnershipFirm,
        Entity::Proprietorship,
        Entity::Person,
        Entity::Huf,
        Entity::Trust,
        Entity::Society,
        Entity::Government,
        Entity::Unknown,
    ];

    /// The word in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Entity::Company => "company",
            Entity::Llp => "llp",
            Entity::PartnershipFirm => "partnership_firm",
            Entity::Proprietorship => "proprietorship",
            Entity::Person => "person",
            Entity::Huf => "huf",
            Entity::Trust => "trust",
            Entity::Society => "society",
            Entity::Government => "government",
            Entity::Unknown => "unknown",
        }
    }

    /// Whether the register of companies does not have such a body.
    pub fn is_no_company(self) -> bool {
        !matches!(self, Entity::Company | Entity::Llp | Entity::Unknown)
    }
}

/// Sequences of words and what they indicate, the most certain first.
const SIGNS: &[(&str, Entity)] = &[
    ("huf", Entity::Huf),
    ("h u f", Entity::Huf),
    ("karta", Entity::Huf),
    ("hindu undivided family", Entity::Huf),
    ("nagar nigam", Entity::Government),
    ("nagar palika", Entity::Government),
    ("nagar parishad", Entity::Government),
    ("gram panchayat", Entity::Government),
    ("zilla parishad", Entity::Government),
    ("municipal corporation", Entity::Government),
    ("municipal council", Entity::Government),
    ("municipality", Entity::Government),
    ("government of", Entity::Government),
    ("govt of", Entity::Government),
    ("govt", Entity::Government),
    ("ministry of", Entity::Government),
    ("department of", Entity::Government),
    ("dept of", Entity::Government),
    ("directorate", Entity::Government),
    ("collector", Entity::Government),
    ("commissioner", Entity::Government),
    ("collectorate", Entity::Government),
    ("tehsildar", Entity::Government),
    ("executive engineer", Entity::Government),
    ("prop", Entity::Proprietorship),
    ("proprietor", Entity::Proprietorship),
    ("proprietorship", Entity::Proprietorship),
    ("proprietress", Entity::Proprietorship),
    ("trust", Entity::Trust),
    ("trustees", Entity::Trust),
    ("nyas", Entity::Trust),
    ("wakf", Entity::Trust),
    ("waqf", Entity::Trust),
    ("society", Entity::Society),
    ("societies", Entity::Society),
    ("samiti", Entity::Society),
    ("samity", Entity::Society),
    ("sangh", Entity::Society),
    ("sangha", Entity::Society),
    ("mandal", Entity::Society),
    ("mandali", Entity::Society),
    ("sanstha", Entity::Society),
    ("sansthan", Entity::Society),
    ("and sons", Entity::PartnershipFirm),
    ("and son", Entity::PartnershipFirm),
    ("and brothers", Entity::PartnershipFirm),
    ("and bros", Entity::PartnershipFirm),
    ("brothers", Entity::PartnershipFirm),
    ("bros", Entity::PartnershipFirm),
    ("and co", Entity::PartnershipFirm),
    ("and company", Entity::PartnershipFirm),
    ("and associates", Entity::PartnershipFirm),
    ("partnership firm", Entity::PartnershipFirm),
];

/// Words before a person's name.
const TITLES: [&str; 13] = [
    "mr", "mrs", "miss", "smt", "shrimati", "kumari", "kum", "late", "dr", "adv", "master", "er",
    "mohd",
];
/// Between a person's name and a relative's.
const RELATIONS: [&str; 4] = ["s/o", "d/o", "w/o", "h/o"];

/// The legal form decides first: "Namuna Trust Private Limited" is a company.
pub fn entity(text: &str, read: &ReadName) -> Entity {
    match read.form {
        Some(Suffix::Llp) => return Entity::Llp,
        Some(_) => return Entity::Company,
        None => {}
    }
    let lower = text.to_lowercase();
    if RELATIONS.iter().any(|relation| has_words(&lower, relation)) {
        return Entity::Person;
    }
    let words = split(text);
    if words.is_empty() {
        return Entity::Unknown;
    }
    let spaced = format!(" {} ", words.join(" "));
    let found = SIGNS.iter().find(|(sign, _)| spaced.contains(&format!(" {sign} ")));
    if let Some((_, entity)) = found {
        return *entity;
    }
    if words.len() > 1 && TITLES.contains(&words[0].as_str()) {
        return Entity::Person;
    }
    Entity::Unknown
}

/// Whether a text has this sequence between spaces or ends.
fn has_words(text: &str, sequence: &str) -> bool {
    text.match_indices(sequence).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + sequence.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::text::read;

    #[test]
    fn the_words_tell_what_is_named() {
        let cases = [
            ("Namuna Mills Private Limited", Entity::Company),
            ("Namuna Trust Pvt Ltd", Entity::Company),
            ("Namuna Advisors LLP", Entity::Llp),
            ("Chaya Namuna HUF", Entity::Huf),
            ("Chaya Namuna (Karta)", Entity::Huf),
            ("Namuna Charitable Trust", Entity::Trust),
            ("Namuna Krishi Samiti", Entity::Society),
            ("Namuna Co-op Housing Society", Entity::Society),
            ("Nagar Nigam Namunapur", Entity::Government),
            ("Govt. of Namuna Pradesh", Entity::Government),
            ("Smt. Chaya Namuna", Entity::Person),
            ("Namuna Kumar S/O Chaya Kumar", Entity::Person),
            ("Namuna & Sons", Entity::PartnershipFirm),
            ("Namuna Bros", Entity::PartnershipFirm),
            ("Namuna Traders Prop. Chaya Namuna", Entity::Proprietorship),
            ("Namuna Traders", Entity::Unknown),
            ("S O Namuna Traders", Entity::Unknown),
            ("", Entity::Unknown),
        ];
        for (text, expected) in cases {
            assert_eq!(entity(text, &read(text)), expected, "{text}");
        }
    }

    #[test]
    fn each_kind_has_its_own_word() {
        let mut words: Vec<&str> = Entity::ALL.iter().map(|entity| entity.as_str()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Entity::ALL.len());
    }
}
