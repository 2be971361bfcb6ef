//! Words of places, which people write after a company's name.

use panji_ids::cin_state_codes;
use panji_places::{City, places};

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

/// The words of a company's city and state, and the city's other names.
pub fn words(stored: &StoredCompany) -> Vec<String> {
    words_of(stored.city.as_deref(), stored.state.as_deref())
}

/// The words of a city and a state.
pub fn words_of(city: Option<&str>, state: Option<&str>) -> Vec<String> {
    let mut words = Vec::new();
    for text in [city, state].into_iter().flatten() {
        words.extend(split(text).into_iter().filter(|word| word.len() >= MIN_LETTERS));
    }
    if let Some(city) = city {
        add_other_names(state, city, &mut words);
    }
    words
}

/// Adds the current name of a city, and its other names of one word. The words of longer ones, such as
/// "Greater Bombay", are no sign of a place.
fn add_other_names(state: Option<&str>, city: &str, words: &mut Vec<String>) {
    for known in cities(state, city) {
        let is_word = |name: &&str| name.bytes().all(|byte| byte.is_ascii_alphabetic());
        let others = known.other_names.iter().copied().filter(is_word);
        // The table is ASCII, so its words need no further analysis.
        for word in known.name.split_ascii_whitespace().chain(others) {
            let word = word.to_ascii_lowercase();
            if word.len() >= MIN_LETTERS && !words.contains(&word) {
                words.push(word);
            }
        }
    }
}

/// The cities with this name in a state, or, if it has none, in all of India.
fn cities(state: Option<&str>, city: &str) -> Vec<&'static City> {
    let codes = cin_state_codes().filter(|(_, name)| Some(*name) == state).map(|(code, _)| code);
    places().cities_named(&codes.collect::<Vec<_>>(), city)
}

/// The keys under which a company's city is indexed: its current name, or, if the table of places does not
/// have it, what the source wrote. A name that several cities have gives several keys.
pub fn city_keys(state: Option<&str>, city: &str) -> Vec<String> {
    let mut keys: Vec<String> = cities(state, city).iter().map(|city| key(city.name)).collect();
    if keys.is_empty() {
        keys.push(key(city));
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The keys of a city that is looked for by any of its names.
pub fn wanted_city_keys(state: Option<&str>, city: &str) -> Vec<String> {
    let mut keys = city_keys(state, city);
    let written = key(city);
    if !keys.contains(&written) {
        keys.push(written);
    }
    keys
}

/// The letters and digits of a name.
fn key(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
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
