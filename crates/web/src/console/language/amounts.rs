//! Amounts in the language of the page. Digits and their grouping are the same in both.

use panji_api::locale::amounts;

use super::t;

pub use panji_api::locale::amounts::{grouped, percent, rupees, rupees_and_paise};

/// A large amount of rupees, abbreviated: ₹12.35 crore, ₹4.20 lakh.
pub fn short_rupees(amount: f64) -> String {
    let text = amounts::short_rupees(amount);
    match text.rsplit_once(' ') {
        Some((number, "crore")) => format!("{number} {}", t("crore")),
        Some((number, "lakh")) => format!("{number} {}", t("lakh")),
        _ => text,
    }
}

/// A count with its noun: 1 call, 2 calls.
pub fn counted(number: i64, one: &'static str, many: &'static str) -> String {
    amounts::counted(number, t(one), t(many))
}
