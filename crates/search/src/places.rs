//! Words of places, which people write after a company's name.

use crate::analyze::split;
use crate::stored_company::StoredCompany;

/// The fewest letters of a word of a place.
const MIN_LETTERS: usize = 3;
/// Digits of a PIN code.
const PIN_CODE: usize = 6;

/// Words of addresses and offices.
const ADDRESS_WORDS: &[&str] = &[
    "block",
    "branch",
    "building",
    "bldg",
    "cross",
    "dist",
    "district",
    "east",
    "flat",
    "floor",
    "gate",
    "head",
    "ho",
    "house",
    "industrial",
    "lane",
    "main",
    "marg",
    "nagar",
    "near",
    "no",
    "north",
    "office",
    "opp",
    "opposite",
    "phase",
    "pin",
    "plot",
    "po",
    "post",
    "regd",
    "registered",
    "road",
    "rd",
    "sector",
    "shop",
    "south",
    "st",
    "street",
    "tal",
    "taluk",
    "taluka",
    "tower",
    "unit",
    "village",
    "ward",
    "west",
    "zone",
];

/// The words of a company's city and state.
pub fn words(stored: &StoredCompany) -> Vec<String> {
    words_of(stored.city.as_deref(), stored.state.as_deref())
}

/// The words of a city and a state.
pub fn words_of(city: Option<&str>, state: Option<&str>) -> Vec<String> {
    let mut words = Vec::new();
    for text in [city, state].into_iter().flatten() {
        words.extend(split(text).into_iter().filter(|word| word.len() >= MIN_LETTERS));
    }
    words
}

/// Whether a word is a word of addresses in general, or a PIN code.
pub fn is_address_word(word: &str) -> bool {
    let number = word.bytes().all(|byte| byte.is_ascii_digit());
    number && word.len() == PIN_CODE || ADDRESS_WORDS.contains(&word)
}

/// The share of these words that are in the company's city, state or PIN code, from 0 to 1.
pub fn agreement(words: &[String], stored: &StoredCompany) -> f64 {
    if words.is_empty() {
        return 0.0;
    }
    let own = self::words(stored);
    let agrees = |word: &&String| own.contains(word) || stored.pincode.as_ref() == Some(word);
    words.iter().filter(agrees).count() as f64 / words.len() as f64
}
