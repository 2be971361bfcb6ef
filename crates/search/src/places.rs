//! Where a company is: the words that people write behind its name.

use crate::analyze::split;
use crate::stored_company::StoredCompany;

/// The shortest word of a place.
const MIN_LETTERS: usize = 3;
/// Digits of a PIN code.
const PIN_CODE: usize = 6;

/// Words of addresses, and of what a firm calls its offices.
const OF_ADDRESSES: &[&str] = &[
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
    let mut words = Vec::new();
    for text in [&stored.city, &stored.state].into_iter().flatten() {
        words.extend(split(text).into_iter().filter(|word| word.len() >= MIN_LETTERS));
    }
    words
}

/// Whether a word belongs to an address, whoever's.
pub fn is_of_addresses(word: &str) -> bool {
    let number = word.bytes().all(|byte| byte.is_ascii_digit());
    number && word.len() == PIN_CODE || OF_ADDRESSES.contains(&word)
}

/// How many of some words are of a company's own city, state or PIN code, from 0 to 1.
pub fn agreement(words: &[String], stored: &StoredCompany) -> f64 {
    if words.is_empty() {
        return 0.0;
    }
    let own = self::words(stored);
    let agrees = |word: &&String| own.contains(word) || stored.pincode.as_ref() == Some(word);
    words.iter().filter(agrees).count() as f64 / words.len() as f64
}
