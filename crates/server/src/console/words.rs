//! The API's words for people: `under_strike_off` as "Under strike off".

/// A word of an enumeration as a person reads it.
pub fn plain(word: &str) -> String {
    let spaced = word.replace('_', " ");
    let mut characters = spaced.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => spaced,
    }
}

/// The stylesheet's class for a company's or a director's status.
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

/// A number of bytes as a person reads it.
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
    fn words_are_for_people() {
        assert_eq!(plain("under_strike_off"), "Under strike off");
        assert_eq!(plain(""), "");
        assert_eq!(status_class("active"), "good");
        assert_eq!(status_class("struck_off"), "bad");
        assert_eq!(file_size(1_985_559), "2.0 MB");
        assert_eq!(file_size(12), "1 kB");
    }
}
