//! The normal form of a company's name.

/// The legal form that a name ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suffix {
    /// Private limited, one-person companies included.
    PrivateLimited,
    /// Limited.
    Limited,
    /// Limited liability partnership.
    Llp,
}

/// A name in its normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its words, in lower case, without the legal form.
    pub words: Vec<String>,
    /// The legal form, where the name has one.
    pub suffix: Option<Suffix>,
}

/// Words of a name that are kept; a longer text is cut here.
const MAX_WORDS: usize = 24;

impl Name {
    /// Brings a text into the normal form.
    pub fn new(text: &str) -> Name {
        let mut words = join_initials(split(text));
        words.truncate(MAX_WORDS);
        let whole = words.clone();
        let suffix = strip_suffix(&mut words);
        if words.first().is_some_and(|word| word == "the") && words.len() > 1 {
            words.remove(0);
        }
        if words.is_empty() {
            // A name of nothing but legal words is looked for by them.
            return Name { words: whole, suffix: None };
        }
        Name { words, suffix }
    }

    /// The words in one text.
    pub fn joined(&self) -> String {
        self.words.join(" ")
    }

    /// The words without spaces, for names whose spaces were lost or gained.
    pub fn compact(&self) -> String {
        self.words.concat()
    }
}

fn split(text: &str) -> Vec<String> {
    let mut cleaned = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\'' | '’' => {}
            character if character.is_alphanumeric() => cleaned.extend(character.to_lowercase()),
            _ => cleaned.push(' '),
        }
    }
    let words = cleaned.split_whitespace();
    words.filter(|word| *word != "and").map(str::to_owned).collect()
}

/// "k v q pump" and "kvq pump" are one name: single letters in a row make one word.
fn join_initials(words: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    let mut in_initials = false;
    for word in words {
        let initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
        match joined.last_mut() {
            Some(last) if initial && in_initials => last.push_str(&word),
            _ => joined.push(word),
        }
        in_initials = initial;
    }
    joined
}

fn strip_suffix(words: &mut Vec<String>) -> Option<Suffix> {
    let mut suffix = None;
    while let Some(last) = words.last() {
        let found = match last.as_str() {
            "llp" => Suffix::Llp,
            "limited" | "ltd" => Suffix::Limited,
            "private" | "pvt" | "p" | "opc" => Suffix::PrivateLimited,
            "partnership" if ends_with(words, &["limited", "liability", "partnership"]) => {
                words.truncate(words.len() - 2);
                Suffix::Llp
            }
            _ => break,
        };
        // "private limited" is read from its end: the word before "limited" decides.
        if matches!((suffix, found), (None, _) | (Some(Suffix::Limited), Suffix::PrivateLimited)) {
            suffix = Some(found);
        }
        words.pop();
    }
    suffix
}

fn ends_with(words: &[String], end: &[&str]) -> bool {
    words.len() >= end.len()
        && words[words.len() - end.len()..].iter().zip(end).all(|(word, end)| word == end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, words: &str, suffix: Option<Suffix>) {
        let name = Name::new(text);
        assert_eq!((name.joined().as_str(), name.suffix), (words, suffix), "{text}");
    }

    #[test]
    fn legal_forms_are_told_in_every_spelling() {
        let private = Some(Suffix::PrivateLimited);
        check("Kalpanik Mills Private Limited", "kalpanik mills", private);
        check("KALPANIK MILLS PVT. LTD.", "kalpanik mills", private);
        check("Kalpanik Mills (P) Ltd", "kalpanik mills", private);
        check("Zuv (OPC) Private Limited", "zuv", private);
        check("Kalpanik Industries Limited", "kalpanik industries", Some(Suffix::Limited));
        check("Laxmi Chaya Traders LLP", "laxmi chaya traders", Some(Suffix::Llp));
        check("Chaya Limited Liability Partnership", "chaya", Some(Suffix::Llp));
        check("Private Limited", "private limited", None);
    }

    #[test]
    fn initials_dots_and_ampersands_do_not_matter() {
        check("K.V.Q. Pump Works", "kvq pump works", None);
        check("K V Q Pump Works", "kvq pump works", None);
        check("KVQ Pump Works", "kvq pump works", None);
        check("Dhaga & Sui Garments", "dhaga sui garments", None);
        check("Dhaga and Sui Garments", "dhaga sui garments", None);
        check("The Namuna's Store", "namunas store", None);
        check(",,, ;;; ", "", None);
    }
}
