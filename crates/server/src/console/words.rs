//! Labels for the API's enumerations and numbers.

use super::language;

/// Abbreviations in the values of the enumerations, which are written in capitals.
const ABBREVIATIONS: [&str; 8] = ["aop", "ceo", "cfo", "cirp", "lei", "llp", "sez", "un"];

/// The label of an enumeration value: `under_strike_off` becomes "Under strike off" and
/// `converted_to_llp` "Converted to LLP".
pub fn label(value: &str) -> String {
    let mut words: Vec<String> = value
        .split('_')
        .map(|word| match ABBREVIATIONS.contains(&word) {
            true => word.to_uppercase(),
            false => word.to_owned(),
        })
        .collect();
    let mut first = words[0].chars();
    if let Some(initial) = first.next() {
        words[0] = initial.to_uppercase().chain(first).collect();
    }
    language::word(words.join(" "))
}

/// A word of the register or of the API as it is, in the language of the page.
pub fn word(text: &str) -> String {
    language::word(text.to_owned())
}

/// The CSS class for a company's or a director's status.
pub fn status_class(status: &str) -> &'static str {
    match status {
        "active" | "approved" => "good",
        "dormant"
        | "inactive"
        | "under_strike_off"
        | "not_available_for_efiling"
        | "deactivated" => "warn",
        "unknown" | "other" | "amalgamated" | "converted_to_llp" | "converted_to_company" => {
            "muted"
        }
        _ => "bad",
    }
}

/// For example "2.0 MB".
pub fn file_size(bytes: i64) -> String {
    let kilobytes = bytes as f64 / 1_000.0;
    if kilobytes >= 1_000.0 {
        format!("{:.1} MB", kilobytes / 1_000.0)
    } else {
        format!("{:.0} kB", kilobytes.max(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enumerations_have_labels() {
        assert_eq!(label("under_strike_off"), "Under strike off");
        assert_eq!(label(""), "");
        assert_eq!(label("llp"), "LLP");
        assert_eq!(label("converted_to_llp"), "Converted to LLP");
        assert_eq!(label("under_cirp"), "Under CIRP");
        assert_eq!(status_class("active"), "good");
        assert_eq!(status_class("struck_off"), "bad");
        assert_eq!(file_size(1_985_559), "2.0 MB");
        assert_eq!(file_size(12), "1 kB");
    }
}
