//! The reason for rejecting a row: a sentence about this row, and the kind of error for counting.

use std::borrow::Cow;
use std::fmt;

use panji_ids::{IdError, IdErrorKind};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Equal for all rows with this error.
    pub kind: Cow<'static, str>,
    pub text: String,
}

impl Reason {
    pub fn new(kind: impl Into<Cow<'static, str>>, text: impl Into<String>) -> Reason {
        Reason { kind: kind.into(), text: text.into() }
    }

    /// A sentence that is equal for all rows.
    pub fn fixed(text: impl Into<String>) -> Reason {
        let text = text.into();
        Reason { kind: text.clone().into(), text }
    }

    pub fn of_id(field: &str, error: &IdError) -> Reason {
        let fault = match error.kind {
            IdErrorKind::Empty => "it is empty",
            IdErrorKind::Length => "it has too few or too many characters",
            IdErrorKind::Character => "a character is not allowed at its position",
            IdErrorKind::Year => "the year in it is not possible",
            IdErrorKind::State => "there is no such state code",
            IdErrorKind::CheckDigit => "the check character does not fit the others",
            IdErrorKind::Reserved => "it is a number that is not assigned to anyone",
            IdErrorKind::OtherIdentifier => "it is an identifier of another kind",
            _ => "it does not have the form of an identifier",
        };
        Reason::new(format!("{field}: {fault}"), format!("{field}: {error}"))
    }

    /// Puts the name of the record before the sentence.
    pub fn about(self, record: &str) -> Reason {
        Reason { kind: self.kind, text: format!("{record}: {}", self.text) }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Derives the kind from the sentence by removing the parts that differ between rows.
impl From<String> for Reason {
    fn from(text: String) -> Reason {
        Reason { kind: kind_of(&text).into(), text }
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Reason {
        text.to_owned().into()
    }
}

impl From<Reason> for String {
    fn from(reason: Reason) -> String {
        reason.text
    }
}

/// Removes the parts of a sentence that differ between rows: values in quotation marks, numbers,
/// identifiers, the character found. Names of forms (`GSTR-1`) and the expected form (`such as
/// 2023-24`) stay.
fn kind_of(text: &str) -> String {
    let text = text.split(", found").next().unwrap_or(text);
    let text = without_quoted(text);
    // The text before the colon names a field or, if it contains a variable part, one record.
    let text = match text.split_once(": ") {
        Some((record, problem)) if record.split(' ').any(differs) => problem,
        _ => &text,
    };
    let mut before = ["", ""];
    let mut words = Vec::new();
    let mut following = text.split(' ').skip(1);
    for word in text.split(' ') {
        // A limit such as `64 MiB` is equal for all rows.
        let is_bound = following.next().is_some_and(|unit| unit.starts_with("MiB"));
        let is_fixed = is_bound || before == ["such", "as"] || !differs(word);
        words.push(if is_fixed { word.to_owned() } else { blanked(word) });
        before = [before[1], word];
    }
    words.join(" ")
}

/// Replaces each value in quotation marks by an ellipsis.
fn without_quoted(text: &str) -> String {
    let (mut plain, mut quoted) = (String::new(), false);
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if quoted => drop(characters.next()),
            '"' if quoted => quoted = false,
            '"' => {
                quoted = true;
                plain.push('…');
            }
            _ if quoted => {}
            _ => plain.push(character),
        }
    }
    plain
}

/// Whether a word has digits and is not the name of a form or an encoding, such as `GSTR-3B` or
/// `UTF-8`.
fn differs(word: &str) -> bool {
    let word = word.trim_matches(|character: char| character.is_ascii_punctuation());
    let is_name = word.split_once('-').is_some_and(|(letters, number)| {
        let digits = number.trim_end_matches(|character: char| character.is_ascii_uppercase());
        letters.len() >= 2
            && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
            && number.len() - digits.len() <= 1
            && matches!(digits.len(), 1 | 2)
            && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    word.contains(|character: char| character.is_ascii_digit()) && !is_name
}

/// Replaces a word by an ellipsis, without its punctuation.
fn blanked(word: &str) -> String {
    let is_mark = |character: char| character.is_ascii_punctuation();
    let start = word.len() - word.trim_start_matches(is_mark).len();
    let end = word.trim_end_matches(is_mark).len();
    format!("{}…{}", &word[..start], &word[end.max(start)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_parts_of_reasons_are_removed_and_names_of_forms_stay() {
        for (reason, group) in [
            (
                "cin: character 17 must be a digit, found O: a zero was probably meant",
                "cin: character … must be a digit",
            ),
            (
                "\"2023-2\" is not a financial year such as 2023-24",
                "… is not a financial year such as 2023-24",
            ),
            (
                "Income is given twice for one period, as 1040 and 1050 rupees",
                "Income is given twice for one period, as … and … rupees",
            ),
            ("director 3 of U1: a placeholder", "a placeholder"),
            (
                "return 2 of 27ZZZCU0000Z1ZN: GSTR-1 for 2023-04 is in the list more than once",
                "GSTR-1 for … is in the list more than once",
            ),
            (
                "return 7 of 27ZZZCU0000Z1ZN: GSTR-3B for 2023-05 is in the list more than once",
                "GSTR-3B for … is in the list more than once",
            ),
            ("company AAB-1234: it has no name", "it has no name"),
            ("the text is neither UTF-8 nor UTF-16", "the text is neither UTF-8 nor UTF-16"),
            ("the XML ends too early (at byte 812)", "the XML ends too early (at byte …)"),
            ("\"a \\\" 7\" is not a date", "… is not a date"),
            ("name is empty", "name is empty"),
        ] {
            assert_eq!(kind_of(reason), group, "{reason}");
        }
    }
}
