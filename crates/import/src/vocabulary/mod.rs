//! Maps the words of the sources to the values of enumerations.
//!
//! Each table maps the spellings in real files to one lower-case word. Texts are compared without
//! regard to case and punctuation. A text that is not in the table is `other`.

mod companies;
mod compliance;
mod directors;
mod gst;
mod leis;

pub use companies::{
    company_categories, company_category, company_class, company_classes, company_status,
    company_statuses, company_sub_categories, company_sub_category,
};
pub use compliance::{
    establishment_status, establishment_statuses, rating_action, rating_actions, rating_outlook,
    rating_outlooks,
};
pub use directors::{designation, designations, director_status, director_statuses};
pub use gst::{
    constitution, constitutions, gst_status, gst_statuses, return_status, return_statuses,
    taxpayer_type, taxpayer_types,
};
pub use leis::{
    lei_entity_status, lei_entity_statuses, lei_exception, lei_exceptions, lei_registration_status,
    lei_registration_statuses,
};

/// The word for a text that is not in the table.
pub const OTHER: &str = "other";

/// The word for a missing value in a required field.
pub(crate) const UNKNOWN: &str = "unknown";

type Table = &'static [(&'static str, &'static [&'static str])];

/// The words of a table, and the words for other texts.
fn words(table: Table, more: &[&'static str]) -> Vec<&'static str> {
    table.iter().map(|(word, _)| *word).chain(more.iter().copied()).collect()
}

fn look_up(table: Table, text: &str) -> &'static str {
    let simple = simplify(text);
    let known = table
        .iter()
        .find(|(word, spellings)| is_word(word, &simple) || spellings.contains(&simple.as_str()));
    known.map_or(OTHER, |(word, _)| word)
}

/// Whether a text equals a word with spaces instead of underscores.
fn is_word(word: &str, simple: &str) -> bool {
    let spaced = |byte| if byte == b'_' { b' ' } else { byte };
    word.len() == simple.len() && word.bytes().map(spaced).eq(simple.bytes())
}

/// Lower case, letters and digits only, single spaces.
fn simplify(text: &str) -> String {
    let mut simple = String::with_capacity(text.len());
    let mut at_gap = false;
    for character in text.chars() {
        if !character.is_alphanumeric() {
            at_gap = true;
            continue;
        }
        if at_gap && !simple.is_empty() {
            simple.push(' ');
        }
        at_gap = false;
        simple.extend(character.to_lowercase());
    }
    simple
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_real_files_are_recognized() {
        assert_eq!(company_status("Strike Off-AwaitingPublication"), "under_strike_off");
        assert_eq!(company_status("ACTIVE"), "active");
        assert_eq!(company_status("Dissolved under section 59(8)"), "liquidated");
        assert_eq!(company_class("Private(One Person Company)"), "one_person");
        assert_eq!(company_category("Company Limted by Shares"), "limited_by_shares");
        assert_eq!(company_sub_category("Subcidery of Foreing Company"), "foreign_subsidiary");
        assert_eq!(director_status("Deactivated due to non-filing of DIR-3 KYC"), "deactivated");
        assert_eq!(designation("Whole-time Director"), "whole_time_director");
        assert_eq!(constitution("Society/Club/Trust/AOP"), "society_club_trust_aop");
        assert_eq!(rating_outlook("Rating Watch Developing"), "watch_developing");
        assert_eq!(rating_action("Re-affirmed"), "reaffirmed");
        assert_eq!(establishment_status("LIVE ESTABLISHMENT"), "live");
    }

    #[test]
    fn an_unknown_text_is_other() {
        assert_eq!(company_status("Gone Fishing"), OTHER);
        assert_eq!(designation(""), OTHER);
    }
}
