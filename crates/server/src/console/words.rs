//! Labels for the API's enumerations and numbers.

/// The label of an enumeration value: `under_strike_off` becomes "Under strike off".
pub fn label(word: &str) -> String {
    let spaced = word.replace('_', " ");
    let mut characters = spaced.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => spaced,
    }
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
        assert_eq!(status_class("active"), "good");
        assert_eq!(status_class("struck_off"), "bad");
        assert_eq!(file_size(1_985_559), "2.0 MB");
        assert_eq!(file_size(12), "1 kB");
    }
}
