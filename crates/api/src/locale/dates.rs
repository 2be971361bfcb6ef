//! Formats days and times in Indian time.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};
use panji_store::calendar::{ist_midnight_ms, ist_offset};

fn to_ist(at_ms: i64) -> Zoned {
    let instant = Timestamp::from_millisecond(at_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    instant.to_zoned(TimeZone::fixed(ist_offset()))
}

/// 31 Mar 2026, 14:05 IST.
pub fn minute(at_ms: i64) -> String {
    to_ist(at_ms).strftime("%-d %b %Y, %H:%M IST").to_string()
}

/// 31 Mar 2026, 14:05:09 IST.
pub fn second(at_ms: i64) -> String {
    to_ist(at_ms).strftime("%-d %b %Y, %H:%M:%S IST").to_string()
}

/// 31 Mar 2026.
pub fn day_of(at_ms: i64) -> String {
    to_ist(at_ms).strftime("%-d %b %Y").to_string()
}

/// A stored day (2026-03-31) as 31 Mar 2026; any other text is returned unchanged.
pub fn day(text: &str) -> String {
    text.parse::<Date>()
        .map_or_else(|_| text.to_owned(), |date| date.strftime("%-d %b %Y").to_string())
}

/// A stored day (2026-03-31) as 31 Mar.
pub fn short_day(text: &str) -> String {
    text.parse::<Date>()
        .map_or_else(|_| text.to_owned(), |date| date.strftime("%-d %b").to_string())
}

pub fn today(now_ms: i64) -> Date {
    to_ist(now_ms).date()
}

/// The milliseconds of an instant such as 2026-03-31T08:30:00.000Z.
pub fn instant(text: &str) -> Option<i64> {
    Some(text.parse::<Timestamp>().ok()?.as_millisecond())
}

/// The first millisecond of a day in India.
pub fn begin_ms(date: Date) -> i64 {
    ist_midnight_ms(&date.to_string())
}

/// The last millisecond of a day in India, for "until that day".
pub fn end_ms(date: Date) -> i64 {
    begin_ms(date.saturating_add(1.day())) - 1
}

/// The time since `at_ms`, rounded: "3 hours ago". After 30 days, the date.
pub fn ago(at_ms: i64, now_ms: i64) -> String {
    let minutes = (now_ms - at_ms) / 60_000;
    let count = |number: i64, unit: &str| {
        format!("{number} {unit}{} ago", if number == 1 { "" } else { "s" })
    };
    match minutes {
        ..1 => "just now".to_owned(),
        1..60 => count(minutes, "minute"),
        60..1_440 => count(minutes / 60, "hour"),
        1_440..43_200 => count(minutes / 1_440, "day"),
        _ => day_of(at_ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_indian_time() {
        // 2026-03-31T18:29:59Z.
        let at_ms = 1_774_981_799_000;
        assert_eq!(second(at_ms), "31 Mar 2026, 23:59:59 IST");
        assert_eq!(minute(at_ms + 1_000), "1 Apr 2026, 00:00 IST");
        assert_eq!(day_of(at_ms), "31 Mar 2026");
        let date = "2026-03-31".parse().expect("a day");
        assert_eq!(end_ms(date), at_ms + 999);
        assert_eq!(begin_ms(date), at_ms + 1_000 - 24 * 3_600_000);
    }

    #[test]
    fn a_text_that_is_not_a_day_is_unchanged() {
        assert_eq!(day("2026-03-01"), "1 Mar 2026");
        assert_eq!(short_day("2026-03-01"), "1 Mar");
        assert_eq!(day("unknown"), "unknown");
    }

    #[test]
    fn past_times_are_rounded() {
        let now = 1_774_981_799_000;
        assert_eq!(ago(now - 20_000, now), "just now");
        assert_eq!(ago(now - 60_000, now), "1 minute ago");
        assert_eq!(ago(now - 3 * 3_600_000, now), "3 hours ago");
        assert_eq!(ago(now - 40 * 86_400_000, now), "19 Feb 2026");
    }
}
