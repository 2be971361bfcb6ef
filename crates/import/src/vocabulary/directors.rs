//! Words for the status of a DIN and for designations.

use super::{OTHER, Table, UNKNOWN, look_up, simplify, words};

/// The status of a DIN.
pub fn director_status(text: &str) -> &'static str {
    let known = look_up(DIRECTOR_STATUS, text);
    // Long forms have the reason after the word: "Deactivated due to non-filing of …".
    let simple = simplify(text);
    let by_first_word = |&(word, _): &(&'static str, _)| simple.starts_with(word);
    match known {
        OTHER => DIRECTOR_STATUS.iter().find(|entry| by_first_word(entry)).map_or(OTHER, |e| e.0),
        known => known,
    }
}

/// All words that the status of a DIN can be.
pub fn director_statuses() -> Vec<&'static str> {
    words(DIRECTOR_STATUS, &[UNKNOWN, OTHER])
}

pub fn designation(text: &str) -> &'static str {
    look_up(DESIGNATION, text)
}

/// All words that a designation can be.
pub fn designations() -> Vec<&'static str> {
    words(DESIGNATION, &[OTHER])
}

const DIRECTOR_STATUS: Table = &[
    ("approved", &["active"]),
    ("provisional", &[]),
    ("rejected", &[]),
    ("lapsed", &[]),
    ("disabled", &[]),
    ("deactivated", &[]),
    ("inactive", &[]),
    ("surrendered", &[]),
    ("disqualified", &[]),
];

const DESIGNATION: Table = &[
    ("director", &[]),
    ("managing_director", &["md"]),
    ("whole_time_director", &["wholetime director", "whole time director", "wtd"]),
    ("nominee_director", &["nominee"]),
    ("alternate_director", &[]),
    ("additional_director", &[]),
    (
        "casual_vacancy_director",
        &["director appointed in casual vacancy", "director in casual vacancy"],
    ),
    ("manager", &[]),
    ("ceo", &["chief executive officer", "ceo kmp"]),
    ("cfo", &["chief financial officer", "cfo kmp"]),
    ("company_secretary", &["secretary"]),
    ("designated_partner", &[]),
    ("partner", &[]),
    (
        "body_corporate_nominee",
        &["body corporate dp nominee", "nominee of body corporate dp", "body corporate nominee"],
    ),
    ("authorised_representative", &["authorized representative"]),
];
