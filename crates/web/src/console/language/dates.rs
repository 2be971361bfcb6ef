//! Days and times in the language of the page.

use panji_api::locale::dates;

use super::{in_hindi, key, translation};

pub use panji_api::locale::dates::{begin_ms, end_ms, instant, today};

/// As the locale abbreviates them.
const MONTHS: [&str; 12] = [
    key("Jan"),
    key("Feb"),
    key("Mar"),
    key("Apr"),
    key("May"),
    key("Jun"),
    key("Jul"),
    key("Aug"),
    key("Sep"),
    key("Oct"),
    key("Nov"),
    key("Dec"),
];

/// What follows the number in a rounded time.
const UNITS: [&str; 6] = [
    key("minute ago"),
    key("minutes ago"),
    key("hour ago"),
    key("hours ago"),
    key("day ago"),
    key("days ago"),
];

/// 31 Mar 2026, 14:05 IST.
pub fn minute(at_ms: i64) -> String {
    with_month(dates::minute(at_ms))
}

/// 31 Mar 2026, 14:05:09 IST.
pub fn second(at_ms: i64) -> String {
    with_month(dates::second(at_ms))
}

/// 31 Mar 2026.
pub fn day_of(at_ms: i64) -> String {
    with_month(dates::day_of(at_ms))
}

/// A stored day (2026-03-31) as 31 Mar 2026; any other text is returned unchanged.
pub fn day(text: &str) -> String {
    with_month(dates::day(text))
}

/// A stored day (2026-03-31) as 31 Mar.
pub fn short_day(text: &str) -> String {
    with_month(dates::short_day(text))
}

/// The time since `at_ms`, rounded: "3 hours ago". After 30 days, the date.
pub fn ago(at_ms: i64, now_ms: i64) -> String {
    let text = dates::ago(at_ms, now_ms);
    if let Some(translated) = translation(&text).filter(|_| text == key("just now")) {
        return translated.to_owned();
    }
    match text.split_once(' ') {
        Some((number, unit)) if UNITS.contains(&unit) => {
            format!("{number} {}", translation(unit).unwrap_or(unit))
        }
        _ => with_month(text),
    }
}

/// A day that was already written in English; any other text is returned unchanged.
pub fn written(text: String) -> String {
    with_month(text)
}

/// The name of the month, which is the second word, in the language of the page.
pub(super) fn with_month(text: String) -> String {
    if !in_hindi() {
        return text;
    }
    let mut words: Vec<&str> = text.split(' ').collect();
    if let Some(month) = words.get_mut(1).filter(|word| MONTHS.contains(*word)) {
        *month = translation(month).unwrap_or(month);
    }
    words.join(" ")
}
