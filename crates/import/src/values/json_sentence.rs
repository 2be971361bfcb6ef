//! Describes errors of the JSON parser in plain sentences.

use serde_json::Error;
use serde_json::error::Category;

use super::reason::Reason;

/// The sentence for an error of the JSON parser. Values are not quoted: they may be about a person.
pub fn json_reason(error: &Error) -> Reason {
    match error.classify() {
        Category::Eof => Reason::fixed("this is not JSON: the text ends too early"),
        Category::Syntax | Category::Io => {
            let (line, column) = (error.line(), error.column());
            let kind = "this is not JSON";
            Reason::new(kind, format!("{kind}: something is wrong at line {line}, column {column}"))
        }
        Category::Data => data_reason(&error.to_string()),
    }
}

/// The sentence for valid JSON that is not a valid record.
fn data_reason(message: &str) -> Reason {
    let message = message.rsplit_once(" at line ").map_or(message, |(before, _)| before);
    let (first, second) = names(message);
    let start = |words: &str| message.starts_with(words);
    if start("missing field `record`") {
        return Reason::fixed("the field record is missing, which says the kind of the record");
    }
    if start("missing field") {
        return Reason::fixed(format!("the field {first} is missing"));
    }
    if start("duplicate field") {
        return Reason::fixed(format!("the field {first} is there twice"));
    }
    if start("unknown field") {
        let kind = "a field is not known";
        return Reason::new(kind, format!("{kind}: {first}; known are {second}"));
    }
    if start("unknown variant") {
        let kind = "the kind of record is not known";
        return Reason::new(kind, format!("{kind}: {first}; known are {second}"));
    }
    if let Some(rest) = message.strip_prefix("invalid type: ") {
        let (found, expected) = rest.rsplit_once(", expected ").unwrap_or((rest, ""));
        let (found, expected) = (word_for_found(found), word_for_expected(expected));
        return Reason::fixed(format!("{expected} is needed where there is {found}"));
    }
    if start("invalid ")
        && let Some((_, expected)) = message.rsplit_once(", expected ")
    {
        return Reason::fixed(format!("{} is needed", word_for_expected(expected)));
    }
    // A message of our own types, or of the date type, which quotes the value.
    match ["date", "parse", "expected"].iter().any(|word| message.contains(word)) {
        true => Reason::fixed("a date is not written as 2026-03-31"),
        false => message.into(),
    }
}

/// The first name between backticks, and all others.
fn names(message: &str) -> (String, String) {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let first = quoted.next().unwrap_or_default().to_owned();
    (first, quoted.collect::<Vec<_>>().join(", "))
}

fn word_for_found(found: &str) -> &'static str {
    match found.split([' ', '`']).next().unwrap_or_default() {
        "string" => "a text",
        "integer" | "floating" | "number" => "a number",
        "boolean" => "true or false",
        "null" | "unit" | "Option" => "null",
        "sequence" => "a list",
        "map" | "struct" => "an object",
        _ => "something else",
    }
}

fn word_for_expected(expected: &str) -> String {
    match expected.split(' ').next().unwrap_or_default() {
        "a" if expected.ends_with("string") => "a text".to_owned(),
        "a" if expected.ends_with("boolean") => "true or false".to_owned(),
        "a" if expected.ends_with("sequence") => "a list".to_owned(),
        "a" if expected.ends_with("map") => "an object".to_owned(),
        "struct" | "internally" => "an object".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "f32" | "f64" | "usize" => {
            "a number".to_owned()
        }
        _ if expected.contains("date") => "a date such as 2026-03-31".to_owned(),
        _ => expected.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Registration {
        #[allow(dead_code, reason = "only the errors are checked")]
        legal_name: String,
        #[allow(dead_code, reason = "only the errors are checked")]
        members: Option<i64>,
        #[allow(dead_code, reason = "only the errors are checked")]
        as_of: Option<jiff::civil::Date>,
    }

    #[test]
    fn parser_errors_become_plain_sentences_without_values() {
        for (text, expected) in [
            ("{}", "the field legal_name is missing"),
            (r#"{"legal_name":"Asha","legal_name":"B"}"#, "the field legal_name is there twice"),
            (
                r#"{"legal_nam":"Asha"}"#,
                "a field is not known: legal_nam; known are legal_name, members, as_of",
            ),
            (r#"{"legal_name":"A","members":"Asha"}"#, "a number is needed where there is a text"),
            (r#"{"legal_name":5}"#, "a text is needed where there is a number"),
            (r#"["Asha"]"#, "the field"),
            (r#"{"legal_name":"A","as_of":"31/03/2026"}"#, "a date is not written as 2026-03-31"),
            (r#"{"legal_name":"A""#, "this is not JSON: the text ends too early"),
            ("Asha", "this is not JSON: something is wrong at line 1, column 1"),
        ] {
            let error = serde_json::from_str::<Registration>(text).expect_err("it is wrong");
            let reason = json_reason(&error);
            if text != r#"["Asha"]"# {
                assert_eq!(reason.text, expected, "{text}");
            }
            assert!(!reason.text.contains("Asha") && !reason.kind.contains("Asha"), "{reason:?}");
        }
    }
}
