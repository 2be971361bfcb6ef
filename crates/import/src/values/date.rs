//! Dates in the formats of the sources.

use jiff::Timestamp;
use jiff::civil::Date;
use panji_store::calendar::ist_day;

/// In a file with one order, at most one date in this many has the other order by mistake.
const MISTAKES_ARE_ONE_IN: u64 = 100;

/// Which of the first two numbers of a date like `8/9/2020` is the day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateOrder {
    /// `18/8/2020`, as India writes it.
    #[default]
    DayFirst,
    /// `8/18/2020`, as a spreadsheet set to the United States writes it.
    MonthFirst,
}

/// Counts the dates of a file by their order.
#[derive(Clone, Copy, Debug, Default)]
pub struct DateVotes {
    day_first: u64,
    month_first: u64,
    ambiguous: u64,
}

impl DateVotes {
    /// Counts a date with slashes.
    pub fn count(&mut self, text: &str) {
        match SlashDate::of(text) {
            Some(SlashDate::DayFirst) => self.day_first += 1,
            Some(SlashDate::MonthFirst) => self.month_first += 1,
            Some(SlashDate::Ambiguous) => self.ambiguous += 1,
            None => {}
        }
    }

    /// The order of the dates; none if some dates are ambiguous and the others have both orders, or
    /// if there are no others.
    pub fn order(self) -> Option<DateOrder> {
        let (more, fewer, order) = match self.day_first >= self.month_first {
            true => (self.day_first, self.month_first, DateOrder::DayFirst),
            false => (self.month_first, self.day_first, DateOrder::MonthFirst),
        };
        let is_clear = more > 0 && fewer * MISTAKES_ARE_ONE_IN <= more;
        (is_clear || self.ambiguous == 0).then_some(order)
    }
}

/// The order of a date with slashes: a number above 12 is not a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlashDate {
    DayFirst,
    MonthFirst,
    Ambiguous,
}

impl SlashDate {
    /// None for a text that is not a date with slashes, or that is the same date in both orders.
    fn of(text: &str) -> Option<SlashDate> {
        let mut numbers = text.split('/').map(|part| part.trim().parse::<u32>());
        let (Some(Ok(first)), Some(Ok(second))) = (numbers.next(), numbers.next()) else {
            return None;
        };
        match (first > 12, second > 12) {
            (true, false) => Some(SlashDate::DayFirst),
            (false, true) => Some(SlashDate::MonthFirst),
            (false, false) if first != second => Some(SlashDate::Ambiguous),
            _ => None,
        }
    }
}

/// Whether a date is a different valid date in the other order.
pub fn is_ambiguous(text: &str) -> bool {
    SlashDate::of(text) == Some(SlashDate::Ambiguous)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Day {
    On(Date),
    /// The placeholder for an unknown date, 1 January 1800.
    Unknown,
    Unreadable,
}

/// Reads a day: `2020-08-18`, `20200818`, `18-08-2020`, `18-08-20`, `18-Aug-2020`, `18.08.2020`,
/// and with slashes in the file's order; a time of day after it is ignored. The century of a
/// two-digit year is the one that brings it nearest to `near`, else 1950 to 2049.
pub fn read_day(text: &str, order: DateOrder, near: Option<u16>) -> Day {
    let text = text.trim();
    let text = text.split_once([' ', 'T']).map_or(text, |(day, _)| day);
    match parse(text, order, near) {
        Some(date) if date.year() <= 1800 => Day::Unknown,
        Some(date) => Day::On(date),
        None => Day::Unreadable,
    }
}

/// The day in India of an instant, as `2025-03-21T18:30:00Z`, which is midnight there. A day without a time
/// is that day.
pub fn day_in_india(text: &str) -> Option<Date> {
    match text.trim().parse::<Timestamp>() {
        Ok(instant) => ist_day(instant.as_millisecond()).parse().ok(),
        Err(_) => text.trim().parse().ok().filter(|_| !text.contains(['T', ' '])),
    }
}

fn parse(text: &str, order: DateOrder, near: Option<u16>) -> Option<Date> {
    if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return day(text[..4].parse().ok()?, text[4..6].parse().ok()?, text[6..].parse().ok()?);
    }
    let separator = ['-', '/', '.'].into_iter().find(|separator| text.contains(*separator))?;
    let mut parts = text.split(separator);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    let numeric = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.next().is_some() || !numeric(first) || !numeric(third) {
        return None;
    }
    if first.len() == 4 {
        return day(first.parse().ok()?, month(second)?, third.parse().ok()?);
    }
    let year = match third.len() {
        4 => third.parse().ok()?,
        2 => with_century(third.parse().ok()?, near),
        _ => return None,
    };
    let (first, second): (i8, i8) = (first.parse().ok()?, month(second)?);
    let month_first = match separator {
        // A date that cannot be in the file's order is in the other.
        '/' if first > 12 => false,
        '/' if second > 12 => true,
        '/' => order == DateOrder::MonthFirst,
        _ => false,
    };
    if month_first { day(year, first, second) } else { day(year, second, first) }
}

fn day(year: i16, month: i8, day: i8) -> Option<Date> {
    Date::new(year, month, day).ok()
}

/// A month as a number, or by the first three letters of its name.
fn month(text: &str) -> Option<i8> {
    const NAMES: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let start = text.get(..3)?.to_ascii_lowercase();
    NAMES.iter().zip(1..).find(|(name, _)| **name == start).map(|(_, number)| number)
}

fn with_century(year: i16, near: Option<u16>) -> i16 {
    match near {
        Some(near) => [1800, 1900, 2000]
            .map(|century| century + year)
            .into_iter()
            .min_by_key(|full| full.abs_diff(near as i16))
            .unwrap_or(year),
        None if year < 50 => 2000 + year,
        None => 1900 + year,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_a_day_in_india() {
        for (text, day) in [
            ("2025-03-21T18:30:00Z", Some("2025-03-22")),
            ("2025-03-21T18:29:59Z", Some("2025-03-21")),
            ("2025-03-22T00:00:00+05:30", Some("2025-03-22")),
            ("2024-12-31T20:00:00.000Z", Some("2025-01-01")),
            ("2025-03-21", Some("2025-03-21")),
            ("2025-03-21T18:30:00", None),
            ("soon", None),
        ] {
            assert_eq!(day_in_india(text).map(|day| day.to_string()).as_deref(), day, "{text}");
        }
    }

    fn check(text: &str, order: DateOrder, near: Option<u16>, expected: &str) {
        let read = match read_day(text, order, near) {
            Day::On(date) => date.to_string(),
            other => format!("{other:?}"),
        };
        assert_eq!(read, expected, "{text}");
    }

    #[test]
    fn days_are_read_in_all_spellings_of_the_sources() {
        use DateOrder::{DayFirst, MonthFirst};
        check("2020-08-18", DayFirst, None, "2020-08-18");
        check("2016-12-20 00:00:00", DayFirst, None, "2016-12-20");
        check("20200331", DayFirst, None, "2020-03-31");
        check("18-08-2020", MonthFirst, None, "2020-08-18");
        check("24.08.2016", DayFirst, None, "2016-08-24");
        check("18-Aug-2020", DayFirst, None, "2020-08-18");
        check("8/9/2020", MonthFirst, None, "2020-08-09");
        check("8/9/2020", DayFirst, None, "2020-09-08");
        check("18/8/2020", MonthFirst, None, "2020-08-18");
        check("20-11-87", DayFirst, Some(1987), "1987-11-20");
        check("25-11-01", DayFirst, Some(1901), "1901-11-25");
        check("01-04-00", DayFirst, Some(1999), "2000-04-01");
        check("31-03-99", DayFirst, None, "1999-03-31");
        check("1800-01-01", DayFirst, None, "Unknown");
        check("31-02-2020", DayFirst, None, "Unreadable");
        check("soon", DayFirst, None, "Unreadable");
    }

    #[test]
    fn a_number_above_twelve_shows_the_order() {
        let mut votes = DateVotes::default();
        for text in ["2/2/2020", "2020-01-21", "1-2-2020", "soon"] {
            votes.count(text);
        }
        assert_eq!(votes.order(), Some(DateOrder::DayFirst));
        votes.count("1/2/2020");
        assert_eq!(votes.order(), None);
        votes.count("1/20/2020");
        assert_eq!(votes.order(), Some(DateOrder::MonthFirst));
        votes.count("20/1/2020");
        assert_eq!(votes.order(), None, "a file of both orders shows none");
        for _ in 0..100 {
            votes.count("21/1/2020");
        }
        assert_eq!(votes.order(), Some(DateOrder::DayFirst), "one in a hundred is a mistake");
    }

    #[test]
    fn a_date_is_ambiguous_if_both_numbers_can_be_the_month() {
        for text in ["8/9/2020", "08/09/20", "12/1/2020 00:00"] {
            assert!(is_ambiguous(text), "{text}");
        }
        for text in ["8/8/2020", "8/19/2020", "19/8/2020", "08-09-2020", "2020-08-09", ""] {
            assert!(!is_ambiguous(text), "{text}");
        }
    }
}
