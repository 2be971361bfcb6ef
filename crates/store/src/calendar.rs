//! Indian dates: the day and the month that an instant falls on in Indian Standard Time.

use jiff::{Timestamp, tz::Offset};

/// Indian Standard Time is five and a half hours ahead of UTC, all year round.
const IST_OFFSET_SECONDS: i32 = 5 * 3600 + 1800;

/// The calendar day in India at this instant, as `2026-03-31`.
pub fn ist_day(at_ms: i64) -> String {
    ist_date(at_ms).to_string()
}

/// The calendar month in India at this instant, as `2026-03`.
pub fn ist_month(at_ms: i64) -> String {
    let date = ist_date(at_ms);
    format!("{:04}-{:02}", date.year(), date.month())
}

/// The calendar year in India at this instant.
pub fn ist_year(at_ms: i64) -> u16 {
    u16::try_from(ist_date(at_ms).year()).unwrap_or(u16::MAX)
}

/// The financial year in India at this instant, from April to March, as `2026-27`.
pub fn ist_financial_year(at_ms: i64) -> String {
    let date = ist_date(at_ms);
    let first = if date.month() >= 4 { date.year() } else { date.year() - 1 };
    format!("{first:04}-{:02}", (first + 1).rem_euclid(100))
}

/// The instant at which a day begins in India; 1970 where the text is no day.
pub fn ist_midnight_ms(day: &str) -> i64 {
    let midnight = format!("{day}T00:00:00+05:30").parse::<Timestamp>();
    midnight.map_or(0, Timestamp::as_millisecond)
}

/// An instant in RFC 3339, in UTC, to the millisecond.
pub fn rfc3339(at_ms: i64) -> String {
    format!("{:.3}", timestamp(at_ms))
}

/// The present instant in milliseconds since 1970. The one place where the store's callers take it from.
#[allow(clippy::disallowed_methods, reason = "the one place that asks the clock")]
pub fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

fn ist_date(at_ms: i64) -> jiff::civil::Date {
    let offset = Offset::from_seconds(IST_OFFSET_SECONDS).expect("IST is a valid offset");
    offset.to_datetime(timestamp(at_ms)).date()
}

fn timestamp(at_ms: i64) -> Timestamp {
    Timestamp::from_millisecond(at_ms).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_half_past_six_in_the_evening_utc() {
        // 2026-03-31T18:29:59.999Z and one millisecond later.
        let before = 1_774_981_799_999;
        assert_eq!(ist_day(before), "2026-03-31");
        assert_eq!(ist_day(before + 1), "2026-04-01");
        assert_eq!(ist_month(before + 1), "2026-04");
        assert_eq!(ist_financial_year(before), "2025-26");
        assert_eq!(ist_financial_year(before + 1), "2026-27");
        assert_eq!(rfc3339(before), "2026-03-31T18:29:59.999Z");
        assert_eq!(ist_midnight_ms("2026-04-01"), before + 1);
    }
}
