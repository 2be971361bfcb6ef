//! Words for credit ratings and provident-fund establishments.

use super::{OTHER, Table, look_up, words};

pub fn rating_outlook(text: &str) -> &'static str {
    look_up(RATING_OUTLOOK, text)
}

/// All words that the outlook of a credit rating can be.
pub fn rating_outlooks() -> Vec<&'static str> {
    words(RATING_OUTLOOK, &[OTHER])
}

/// The action of an agency on a credit rating.
pub fn rating_action(text: &str) -> &'static str {
    look_up(RATING_ACTION, text)
}

/// All words for the action of an agency on a credit rating.
pub fn rating_actions() -> Vec<&'static str> {
    words(RATING_ACTION, &[OTHER])
}

/// The working status of a provident-fund establishment.
pub fn establishment_status(text: &str) -> &'static str {
    look_up(ESTABLISHMENT_STATUS, text)
}

/// All words that the status of a provident-fund establishment can be.
pub fn establishment_statuses() -> Vec<&'static str> {
    words(ESTABLISHMENT_STATUS, &[OTHER])
}

const RATING_OUTLOOK: Table = &[
    ("stable", &[]),
    ("positive", &[]),
    ("negative", &[]),
    (
        "watch_positive",
        &["rating watch positive", "rating watch with positive implications", "positive watch"],
    ),
    (
        "watch_negative",
        &["rating watch negative", "rating watch with negative implications", "negative watch"],
    ),
    ("watch_developing", &["rating watch developing", "rating watch with developing implications"]),
];

const RATING_ACTION: Table = &[
    ("assigned", &[]),
    ("reaffirmed", &["re affirmed"]),
    ("upgraded", &["upgrade"]),
    ("downgraded", &["downgrade"]),
    ("withdrawn", &[]),
    ("suspended", &[]),
];

const ESTABLISHMENT_STATUS: Table =
    &[("live", &["live establishment"]), ("closed", &["closed establishment"])];
