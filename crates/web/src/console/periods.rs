//! The period of a report.

use super::language::{dates, t};
use jiff::ToSpan;
use jiff::civil::Date;

const MAX_DAYS: i64 = 400;

/// A period of whole Indian days, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    pub first: Date,
    pub last: Date,
}

/// What is wrong with the first day of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PeriodError {
    #[error("{}", t("The start date is in the future."))]
    InFuture,
    #[error("{}", t("The start date is after the end date."))]
    AfterEnd,
}

impl Period {
    /// Parses a period; the error says what is wrong with its first day. The default is the last 30
    /// days. If the period is too long, it is shortened to its last days.
    pub fn read(from: &str, to: &str, now_ms: i64) -> Result<Period, PeriodError> {
        let today = dates::today(now_ms);
        let last = to.parse::<Date>().unwrap_or(today).min(today);
        let default = last.saturating_sub(29.days());
        let earliest = last.saturating_sub((MAX_DAYS - 1).days());
        let first = from.parse::<Date>().unwrap_or(default).max(earliest);
        match first {
            first if first > today => Err(PeriodError::InFuture),
            first if first > last => Err(PeriodError::AfterEnd),
            first => Ok(Period { first, last }),
        }
    }

    pub fn days(self) -> Vec<Date> {
        self.first.series(1.day()).take_while(|day| *day <= self.last).collect()
    }

    pub fn start_ms(self) -> i64 {
        dates::begin_ms(self.first)
    }

    /// The first instant after the period.
    pub fn end_ms(self) -> i64 {
        dates::end_ms(self.last) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noon in India on 15 January 2026.
    const NOW_MS: i64 = 1_768_458_600_000;

    #[test]
    fn a_period_is_read_within_the_limits() {
        let read = |from, to| {
            let period = Period::read(from, to, NOW_MS).expect("a period");
            (period.first.to_string(), period.last.to_string(), period.days().len())
        };
        let is = |first: &str, last: &str, days| (first.to_owned(), last.to_owned(), days);
        assert_eq!(read("", ""), is("2025-12-17", "2026-01-15", 30));
        assert_eq!(read("2026-01-01", "2026-01-10"), is("2026-01-01", "2026-01-10", 10));
        assert_eq!(read("1990-01-01", "nonsense"), is("2024-12-12", "2026-01-15", 400));
        assert_eq!(read("", "2999-01-01").1, "2026-01-15");
        let refused = |from, to| Period::read(from, to, NOW_MS).expect_err("refused");
        assert_eq!(refused("2026-01-11", "2026-01-10"), PeriodError::AfterEnd);
        assert_eq!(refused("2026-01-16", ""), PeriodError::InFuture);
    }
}
