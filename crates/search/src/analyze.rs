//! Converts company names to their normal form.

use unicode_normalization::UnicodeNormalization;

use crate::legal::{Suffix, strip_opening, strip_suffix, strip_tail};
use crate::scripts::{Script, script_of, to_devanagari};
use crate::{devanagari, loanwords, numbers, plural, short_forms};

/// The version of these rules. An index of another version is rebuilt; raise it with any change to
/// the analysis, the schema or the stored data.
pub const VERSION: u32 = 4;

/// The most words of a name; longer names are truncated.
const MAX_WORDS: usize = 24;
/// The most letters of a word; longer words are truncated.
const MAX_LETTERS: usize = 48;

/// A name in its normal form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// Its words as written, in lower case, without the legal form.
    pub plain: Vec<String>,
    /// The same words in their normal form: singular, without abbreviations, numbers as digits.
    pub words: Vec<String>,
    /// For each word, whether it was a sequence of single letters: initials are not abbreviations.
    pub initials: Vec<bool>,
    pub suffix: Option<Suffix>,
    pub script: Script,
}

impl Name {
    pub fn new(text: &str) -> Name {
        Name::of_words(split(text), script_of(text))
    }

    /// `words` are the result of [`split`].
    pub fn of_words(mut words: Vec<String>, script: Script) -> Name {
        strip_tail(&mut words);
        let suffix = strip_suffix(&mut words);
        strip_opening(&mut words);
        let without_and: Vec<String> =
            words.iter().filter(|word| *word != "and").cloned().collect();
        if !without_and.is_empty() {
            words = without_and;
        }
        numbers::join(&mut words);
        let (mut plain, initials) = join_initials(words);
        plain.truncate(MAX_WORDS);
        let words = plain.iter().map(|word| normal_word(word)).collect();
        Name { plain, words, initials, suffix, script }
    }

    /// The words as written, without spaces: names that differ only in spaces are equal.
    pub fn compact(&self) -> String {
        self.plain.concat()
    }

    /// The words in their normal form, without spaces.
    pub fn normal_compact(&self) -> String {
        self.words.concat()
    }
}

/// Whether two names are equal in their normal form, including the legal form.
pub fn is_same_name(one: &str, other: &str) -> bool {
    let (one, other) = (Name::new(one), Name::new(other));
    one.suffix == other.suffix && one.normal_compact() == other.normal_compact()
}

fn normal_word(word: &str) -> String {
    match short_forms::full_form(word) {
        Some(full) => plural::singular(full),
        None => plural::singular(word),
    }
}

/// The words of a text in lower-case Latin letters and digits, including the legal form.
pub fn split(text: &str) -> Vec<String> {
    let script = script_of(text);
    let latin = match script {
        _ if text.is_ascii() => text.to_ascii_lowercase(),
        Script::Latin => to_latin(text),
        _ => to_latin(&transliterate_indic(text)),
    };
    let cleaned = separate(latin.trim_start().strip_prefix("m/s").unwrap_or(&latin));
    let words = cleaned.split_ascii_whitespace().flat_map(split_limited).take(MAX_WORDS * 2);
    let words = words.map(|word| loanwords::english(word, script).unwrap_or(word));
    words.map(|word| numbers::digits(word).unwrap_or(word)).map(truncate).collect()
}

/// Transliterates the scripts of India to Latin letters.
fn transliterate_indic(text: &str) -> String {
    devanagari::transliterate(&to_devanagari(&text.nfc().collect::<String>()))
}

/// Splits "COMPANYLIMITED": registers lose the space before the last word.
fn split_limited(word: &str) -> impl Iterator<Item = &str> {
    let joined = word.strip_suffix("limited").filter(|before| before.len() > 2);
    let (before, limited) = match joined {
        Some(before) => (before, Some("limited")),
        None => (word, None),
    };
    std::iter::once(before).chain(limited)
}

fn truncate(word: &str) -> String {
    match word.char_indices().nth(MAX_LETTERS) {
        Some((end, _)) => word[..end].to_owned(),
        None => word.to_owned(),
    }
}

/// Removes accents and replaces wide and other forms of letters by the common ones.
fn to_latin(text: &str) -> String {
    let accent = |character: &char| ('\u{300}'..='\u{36f}').contains(character);
    text.nfkd().filter(|character| !accent(character)).flat_map(char::to_lowercase).collect()
}

/// Inserts spaces between words: at punctuation, and between letters and digits.
fn separate(text: &str) -> String {
    #[derive(PartialEq)]
    enum Last {
        Gap,
        Letter,
        Digit,
    }
    let mut cleaned = String::with_capacity(text.len() + 8);
    let mut last = Last::Gap;
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        let now = match character {
            '\'' | '’' | '`' | '\u{200c}' | '\u{200d}' => continue,
            '&' | '+' => {
                cleaned.push_str(" and ");
                last = Last::Gap;
                continue;
            }
            '(' => {
                if let Some((word, length)) = lone_letter(rest.as_str()) {
                    cleaned.push_str(word);
                    rest = rest.as_str()[length..].chars();
                }
                cleaned.push(' ');
                last = Last::Gap;
                continue;
            }
            character if character.is_numeric() => Last::Digit,
            character if character.is_alphanumeric() => Last::Letter,
            _ => Last::Gap,
        };
        let ordinal = last == Last::Digit && now == Last::Letter && {
            let ending: String = std::iter::once(character).chain(rest.clone().take(1)).collect();
            let after = rest.clone().nth(1).is_some_and(char::is_alphanumeric);
            if !after && ["st", "nd", "rd", "th"].contains(&ending.as_str()) {
                rest.next();
                true
            } else {
                false
            }
        };
        if ordinal {
            last = Last::Gap;
            cleaned.push(' ');
            continue;
        }
        if now == Last::Gap || (last != Last::Gap && last != now) {
            cleaned.push(' ');
        }
        if now != Last::Gap {
            cleaned.push(character);
        }
        last = now;
    }
    cleaned
}

/// A single letter in brackets is an abbreviation: "(I)" for India, "(P)" for Private.
fn lone_letter(rest: &str) -> Option<(&'static str, usize)> {
    let inside = rest.split(')').next()?;
    let length = inside.len() + 1;
    match inside.trim().trim_end_matches('.') {
        "i" if length <= rest.len() => Some((" india", length)),
        "p" if length <= rest.len() => Some((" pvt", length)),
        _ => None,
    }
}

/// Joins consecutive single letters: "k v q pump" and "kvq pump" are the same name. Also returns
/// which words are such initials.
fn join_initials(words: Vec<String>) -> (Vec<String>, Vec<bool>) {
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    let mut initials = Vec::with_capacity(words.len());
    let mut in_initials = false;
    for word in words {
        let initial = word.len() == 1 && word.as_bytes()[0].is_ascii_lowercase();
        match joined.last_mut() {
            Some(last) if initial && in_initials => last.push_str(&word),
            _ => {
                joined.push(word);
                initials.push(initial);
            }
        }
        in_initials = initial;
    }
    (joined, initials)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, words: &str, suffix: Option<Suffix>) {
        let name = Name::new(text);
        assert_eq!((name.plain.join(" ").as_str(), name.suffix), (words, suffix), "{text}");
    }

    #[test]
    fn legal_forms_are_recognized_in_every_spelling() {
        let private = Some(Suffix::PrivateLimited);
        for suffix in [
            "Private Limited",
            "PVT. LTD.",
            "Pvt Ltd",
            "(P) Ltd",
            "P Ltd",
            "P. Ltd.",
            "(P.) Limited",
            "Pvt. Limited",
            "Pte Ltd",
            "(OPC) Private Limited",
            "OPC Pvt Ltd",
            "pvt",
            "(Private) Ltd",
            "(Pvt) Ltd.",
            "प्राइवेट लिमिटेड",
            "PRIVATELIMITED",
        ] {
            check(&format!("Kalpanik Mills {suffix}"), "kalpanik mills", private);
        }
        for suffix in ["LLP", "L.L.P.", "Limited Liability Partnership", "(LLP)"] {
            check(&format!("Laxmi Chaya {suffix}"), "laxmi chaya", Some(Suffix::Llp));
        }
        let limited = Some(Suffix::Limited);
        check("Kalpanik Industries Limited", "kalpanik industries", limited);
        check("Chaya Producer Company Ltd", "chaya producer company", limited);
        check("Chaya Nidhi Limited", "chaya nidhi", limited);
        check("Chaya Unlimited", "chaya", Some(Suffix::Unlimited));
        check("Private Limited", "private limited", None);
        check("Vitamin P", "vitamin p", None);
    }

    #[test]
    fn initials_dots_and_ampersands_do_not_matter() {
        check("K.V.Q. Pump Works", "kvq pump works", None);
        check("K V Q Pump Works", "kvq pump works", None);
        check("KVQ Pump Works", "kvq pump works", None);
        check("Dhaga & Sui Garments", "dhaga sui garments", None);
        check("Dhaga and Sui Garments", "dhaga sui garments", None);
        check("The Namuna's Store", "namunas store", None);
        check("M/s Namuna (I) Ltd", "namuna india", Some(Suffix::Limited));
        check("Café Ｎamuna", "cafe namuna", None);
        check(",,, ;;; ", "", None);
        check("And", "and", None);
    }

    #[test]
    fn remarks_of_the_registry_are_removed() {
        check("Namuna Ltd (In Liquidation)", "namuna", Some(Suffix::Limited));
        check("Namuna Ltd (formerly Chaya Ltd)", "namuna", Some(Suffix::Limited));
    }

    #[test]
    fn number_words_become_digits() {
        for text in ["Twenty First Namuna", "21st Namuna", "21 Namuna", "Twenty-one Namuna"] {
            check(text, "21 namuna", None);
        }
        check("One97 Chaya", "1 97 chaya", None);
        check("3rd Eye", "3 eye", None);
        check("Four Square", "4 square", None);
        for text in ["Twenty Four Seven", "24 Seven", "Twenty-Four 7", "24-7"] {
            check(text, "24 7", None);
        }
        check("Two Hundred Namuna", "200 namuna", None);
        check("One Hundred Namuna", "100 namuna", None);
    }

    #[test]
    fn words_have_a_normal_form() {
        let normal = |text: &str| Name::new(text).words.join(" ");
        assert_eq!(normal("Namuna Intl Inds"), normal("Namuna International Industries"));
        assert_eq!(normal("Chaya Engg & Co"), normal("Chaya Engineering Company"));
        assert_eq!(normal("Chaya Export"), normal("Chaya Exports"));
    }

    #[test]
    fn any_text_is_accepted() {
        for text in ["", "(", "(i", "१२", "é(", "9th", "9thx", "🦀", "((((", "\u{fffd}x80"] {
            let _ = Name::new(text);
        }
    }
}
