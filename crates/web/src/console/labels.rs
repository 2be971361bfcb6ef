//! Labels for the API's enumerations and numbers.

use panji_api::events::sentence::ChangeInWords;
use panji_store::ledger::EntryKind;

use super::language::{self, dates, in_hindi, t, translation};

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
    words[0] = capitalized(&words[0]);
    language::translated(words.join(" "))
}

/// A text of the register or of the API, in the language of the page if it is in the catalog.
pub fn translated(text: &str) -> String {
    language::translated(text.to_owned())
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let initial = letters.next();
    initial.into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The kind of a transaction.
pub fn entry_kind(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Purchase => t("purchase"),
        EntryKind::Grant => t("grant"),
        EntryKind::Charge => t("charge|of credits"),
        EntryKind::Refund => t("refund"),
        EntryKind::Adjustment => t("adjustment"),
        EntryKind::Expiry => t("expiry"),
    }
}

/// A change of an event in the language of the page: the field and the values, as far as they are
/// words or days.
pub fn change(change: &ChangeInWords) -> String {
    if !in_hindi() {
        return change.to_string();
    }
    let field = translation(&change.field).unwrap_or(&change.field);
    // Words of an enumeration have labels; others are days, or the same in every language.
    let value = |text: &str| {
        let translated = translation(&capitalized(text)).or_else(|| translation(text));
        translated.map_or_else(|| dates::written(text.to_owned()), str::to_owned)
    };
    let to = if change.to.is_empty() { "none" } else { &change.to };
    let (from, to) = (value(&change.from), value(to));
    if from.is_empty() { format!("{field}: {to}") } else { format!("{field}: {from} → {to}") }
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

    #[tokio::test]
    async fn changes_of_events_are_written_in_the_language_of_the_page() {
        let of = |field: &str, from: &str, to: &str| {
            change(&ChangeInWords { field: field.into(), from: from.into(), to: to.into() })
        };
        assert_eq!(of("status", "active", ""), "status: active → none");
        let request =
            language::Request { language: language::Language::Hindi, path: String::new() };
        let texts = async {
            [
                of("status", "active", "Namuna"),
                of("due on", "", "20 Apr 2026"),
                of("email", "a@b", ""),
            ]
        };
        let expected = ["स्थिति: सक्रिय → Namuna", "देय तारीख़: 20 अप्रैल 2026", "ईमेल: a@b → कोई नहीं"];
        assert_eq!(language::in_language(request, texts).await, expected);
    }
}
