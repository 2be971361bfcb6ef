//! Golden queries: realistic queries for companies of a register, and the right results.

mod formats;
pub mod key;
mod known;
mod loanwords;
mod misheard_names;
pub mod perturb;
pub mod random;
mod register;
pub mod score;
mod scripts;
pub mod spellings;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed expectation is a failed test")]
mod tests;

use std::collections::HashSet;

use crate::companies::Company;
use key::NormalizedName;
use known::Known;
use random::Random;
pub use register::Judge;

/// A kind of query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slice {
    /// The registered name.
    Exact,
    /// The legal form in another spelling.
    Suffix,
    /// One typing mistake.
    OneTypo,
    /// Two typing mistakes.
    TwoTypos,
    /// An abbreviated word.
    Abbreviation,
    /// A word in another spelling.
    Transliteration,
    /// The words in another order.
    WordOrder,
    /// Initials with or without dots and spaces.
    Initials,
    /// A former name.
    FormerName,
    /// The beginning of the name.
    Prefix,
    /// A common word replaced by another; only one company has all the other words.
    WrongWord,
    /// The city, a branch or the address after the name.
    Place,
    /// An abbreviation in the name written in full.
    Expansion,
    /// Two typing mistakes in one word.
    TwoInWord,
    /// Misheard, with another spelling.
    Misheard,
    /// In Devanagari.
    Devanagari,
    /// In one of eight other scripts.
    OtherScript,
    /// A current or former number in another format.
    Number,
}

impl Slice {
    /// All slices, each with its name and the required success rate.
    pub const ALL: [(Slice, &'static str, f64); 18] = [
        (Slice::Exact, "exact", 0.98),
        (Slice::Suffix, "suffix variant", 0.98),
        (Slice::OneTypo, "one typo", 0.95),
        (Slice::TwoTypos, "two typos", 0.85),
        (Slice::Abbreviation, "abbreviation", 0.95),
        (Slice::Transliteration, "transliteration", 0.90),
        (Slice::WordOrder, "word order", 0.95),
        (Slice::Initials, "initials", 0.90),
        (Slice::FormerName, "former name", 0.95),
        (Slice::Prefix, "prefix", 0.90),
        (Slice::WrongWord, "one wrong common word", 0.95),
        (Slice::Place, "city or address after the name", 0.97),
        (Slice::Expansion, "expanded abbreviation", 0.95),
        (Slice::TwoInWord, "two mistakes in one word", 0.95),
        (Slice::Misheard, "misheard", 0.95),
        (Slice::Devanagari, "Devanagari", 0.85),
        (Slice::OtherScript, "other scripts", 0.60),
        (Slice::Number, "CIN in any format", 0.99),
    ];
}

/// A golden query.
#[derive(Clone, Debug)]
pub struct Golden {
    pub slice: Slice,
    /// The typed text.
    pub text: String,
    /// The intended name.
    pub intended: String,
    /// The indexes of the companies that are right results.
    pub acceptable: HashSet<u32>,
}

/// The most companies that are tried for a slice.
const TRIES: usize = 400_000;

/// Creates this many queries of each slice, always the same ones.
pub fn make(companies: &[Company], per_slice: usize, seed: u64) -> Vec<Golden> {
    let mut queries = Vec::new();
    let known = Known::new(companies);
    for (number, (slice, _, _)) in Slice::ALL.iter().enumerate() {
        let mut random = Random::new(seed + number as u64);
        let mut used = HashSet::new();
        for _ in 0..TRIES {
            if used.len() == per_slice {
                break;
            }
            let index = random.below(companies.len());
            let company = &companies[index];
            if let Some((text, intended)) = query(*slice, company, &known, &mut random)
                && used.insert(text.clone())
            {
                // A number belongs to one company; for names the judge finds all companies.
                let own = (*slice == Slice::Number).then_some(index as u32);
                let acceptable = own.into_iter().collect();
                queries.push(Golden { slice: *slice, text, intended, acceptable });
            }
        }
    }
    Judge::new(companies).fill(&mut queries);
    queries
}

/// Names that no company has: the beginning of one company's name with the end of another's,
/// including the legal form.
pub fn absent(companies: &[Company], count: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let judge = Judge::new(companies);
    let mut names = HashSet::new();
    for _ in 0..TRIES {
        if names.len() == count {
            break;
        }
        let mut half = |end: bool| {
            let name = &companies[random.below(companies.len())].name;
            let words: Vec<&str> = name.split_whitespace().collect();
            // The legal form usually has two words.
            let middle = words.len().saturating_sub(2).div_ceil(2).min(words.len());
            if end { words[middle..].join(" ") } else { words[..middle].join(" ") }
        };
        let name = format!("{} {}", half(false), half(true));
        if NormalizedName::new(&name).words.len() > 1 && !judge.has_name(&name) {
            names.insert(name);
        }
    }
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort();
    names
}

/// A query for a company, and the intended name.
fn query(
    slice: Slice,
    company: &Company,
    known: &Known,
    random: &mut Random,
) -> Option<(String, String)> {
    let name = company.name.trim();
    let letters = NormalizedName::new(name).key().len();
    let text = match slice {
        Slice::Exact => Some(name.to_owned()),
        Slice::Suffix => perturb::suffix(name, random),
        Slice::OneTypo if letters >= 6 => perturb::typo(&perturb::core(name), random),
        Slice::TwoTypos if letters >= 10 => {
            let once = perturb::typo(&perturb::core(name), random)?;
            perturb::typo(&once, random)
        }
        Slice::OneTypo | Slice::TwoTypos => None,
        Slice::Abbreviation => perturb::abbreviation(name, random),
        Slice::Transliteration => perturb::spelling(name, random),
        Slice::WordOrder => perturb::order(name, random),
        Slice::Initials => perturb::initials(name, random),
        Slice::FormerName => {
            let former = company.former_names.first()?;
            return Some((perturb::core(former), former.clone()));
        }
        Slice::Prefix => perturb::beginning(name, random),
        Slice::WrongWord => known.wrong_word(name, random),
        Slice::Place => formats::place(company, random),
        Slice::Expansion => formats::expansion(name, random),
        Slice::TwoInWord => perturb::two_in_word(name, random),
        Slice::Misheard if letters >= 8 => misheard_names::misheard(name, random),
        Slice::Misheard => None,
        Slice::Devanagari => scripts::devanagari(name, random),
        Slice::OtherScript => scripts::other(name, random),
        Slice::Number => formats::number(company, random),
    };
    Some((text?, name.to_owned()))
}
