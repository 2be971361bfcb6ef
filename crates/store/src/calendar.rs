//! Dates in India: the day and the month of an instant in Indian Standard Time.

use jiff::{Timestamp, civil::Date, tz::Offset};

/// Indian Standard Time has no daylight saving time.
pub const IST_OFFSET_SECONDS: i32 = 5 * 3600 + 1800;

/// The calendar day in India, such as `2026-03-31`.
pub fn ist_day(at_ms: i64) -> String {
    ist_date(at_ms).to_string()
}

/// The calendar month in India, such as `2026-03`.
pub fn ist_month(at_ms: i64) -> String {
    let date = ist_date(at_ms);
    format!("{:04}-{:02}", date.year(), date.month())
}

pub fn ist_year(at_ms: i64) -> u16 {
    u16::try_from(ist_date(at_ms).year()).unwrap_or(u16::MAX)
}

/// The financial year in India, from April to March, such as `2026-27`.
pub fn ist_financial_year(at_ms: i64) -> String {
    let date = ist_date(at_ms);
    let first = if date.month() >= 4 { date.year() } else { date.year() - 1 };
    format!("{first:04}-{:02}", (first + 1).rem_euclid(100))
}

/// The start of a day in India; 0 if the text is not a date.
pub fn ist_midnight_ms(day: &str) -> i64 {
    let midnight = format!("{day}T00:00:00+05:30").parse::<Timestamp>();
    midnight.map_or(0, Timestamp::as_millisecond)
}

/// In UTC, with milliseconds.
pub fn rfc3339(at_ms: i64) -> String {
    format!("{:.3}", timestamp(at_ms))
}

/// The calendar day in UTC, for formats whose readers compare days with their own clock.
pub fn utc_day(at_ms: i64) -> String {
    Offset::UTC.to_datetime(timestamp(at_ms)).date().to_string()
}

/// Milliseconds since 1970.
#[allow(clippy::disallowed_methods, reason = "the only use of the system clock")]
pub fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

pub fn ist_offset() -> Offset {
    Offset::from_seconds(IST_OFFSET_SECONDS).expect("IST is a valid offset")
}

pub fn ist_date(at_ms: i64) -> Date {
    ist_offset().to_datetime(timestamp(at_ms)).date()
}

fn timestamp(at_ms: i64) -> Timestamp {
    Timestamp::from_millisecond(at_ms).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_indian_day_starts_at_18_30_utc() {
        // 2026-03-31T18:29:59.999Z and one millisecond later.
        let before = 1_774_981_799_999;
        assert_eq!(ist_day(before), "2026-03-31");
        assert_eq!(ist_day(before + 1), "2026-04-01");
        assert_eq!(ist_month(before + 1), "2026-04");
        assert_eq!(ist_financial_year(before), "2025-26");
        assert_eq!(ist_financial_year(before + 1), "2026-27");
        assert_eq!(rfc3339(before), "2026-03-31T18:29:59.999Z");
        assert_eq!(ist_midnight_ms("2026-04-01"), before + 1);
        assert_eq!(utc_day(before + 1), "2026-03-31");
    }
}
