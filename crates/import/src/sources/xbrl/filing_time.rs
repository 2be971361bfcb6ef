//! The time of a filing, from the exchange's list of filings or from the name of the file.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use panji_store::calendar::ist_offset;

/// The exchanges accept XBRL filings since 2011; a number with another year is not a time.
const YEARS: std::ops::RangeInclusive<i16> = 2011..=2099;

/// When a filing was made, if the file says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilingTime {
    /// The day, in India.
    pub on: Option<Date>,
    /// The instant in UTC, if more than the day is certain.
    pub at: Option<String>,
    /// The exchange's number of the filing; it increases with time.
    pub number: Option<i64>,
}

impl FilingTime {
    /// The time in the name of a file. Download programs write the listed time first
    /// (`23Apr2019_1811_…`). The exchange writes the upload time last
    /// (`…_98455_22042019125125_WEB.xml`) with a 12-hour clock, so only the day is certain.
    pub fn of_name(name: &str) -> FilingTime {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let stem = name.split('.').next().unwrap_or(name);
        let parts: Vec<&str> = stem.split('_').collect();
        let stamp = parts.iter().position(|part| stamp(part).is_some());
        let number = stamp.and_then(|at| parts[..at].iter().rev().find_map(|part| number(part)));
        let listed = parts.windows(2).find_map(|pair| listed_time(pair[0], pair[1]));
        if let Some(time) = listed {
            return FilingTime { number, ..FilingTime::at(time) };
        }
        let Some(time) = stamp.and_then(|at| self::stamp(parts[at])) else {
            return FilingTime::default();
        };
        // The hours 1 to 12 can be in the morning or in the afternoon.
        let is_certain = !(1..=12).contains(&time.hour());
        let at = FilingTime::at(time).at.filter(|_| is_certain);
        FilingTime { on: Some(time.date()), at, number }
    }

    /// Parses the time of the exchange's list: `16-Jan-2025 19:42:10`, or without the seconds.
    pub fn of_list(text: &str) -> Option<FilingTime> {
        let text = text.trim();
        let formats = ["%d-%b-%Y %H:%M:%S", "%d-%b-%Y %H:%M"];
        let time = formats.iter().find_map(|format| DateTime::strptime(format, text).ok())?;
        YEARS.contains(&time.year()).then(|| FilingTime::at(time))
    }

    fn at(time: DateTime) -> FilingTime {
        // The exchanges write Indian time.
        let instant = time.to_zoned(TimeZone::fixed(ist_offset())).ok();
        let at = instant.map(|instant| instant.timestamp().to_string());
        FilingTime { on: Some(time.date()), at, number: None }
    }
}

/// `23Apr2019` and `1811`.
fn listed_time(day: &str, minute: &str) -> Option<DateTime> {
    if day.len() != 9 || minute.len() != 4 {
        return None;
    }
    let time = DateTime::strptime("%d%b%Y %H%M", format!("{day} {minute}")).ok()?;
    YEARS.contains(&time.year()).then_some(time)
}

/// `22042019125125`.
fn stamp(part: &str) -> Option<DateTime> {
    if part.len() != 14 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let formats = ["%d%m%Y%H%M%S", "%Y%m%d%H%M%S"];
    let mut times = formats.iter().filter_map(|format| DateTime::strptime(format, part).ok());
    times.find(|time| YEARS.contains(&time.year()))
}

fn number(part: &str) -> Option<i64> {
    let is_number =
        (4..=10).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| part.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_gives_the_time_or_only_the_day() {
        let of = |name: &str| {
            let FilingTime { on, at, number } = FilingTime::of_name(name);
            (on.map(|day| day.to_string()).unwrap_or_default(), at.unwrap_or_default(), number)
        };
        let listed = of("all/23Apr2019_1811_BANKING_43594_98455_22042019125125_WEB.xml.gz");
        assert_eq!(listed, ("2019-04-23".into(), "2019-04-23T12:41:00Z".into(), Some(98_455)));
        let day_only = of("INDAS_104588_1099928_19042024112523.xml");
        assert_eq!(day_only, ("2024-04-19".into(), String::new(), Some(1_099_928)));
        let evening = of("INTEGRATED_FILING_INDAS_89061_01052025190844_WEB.xml");
        assert_eq!(evening, ("2025-05-01".into(), "2025-05-01T13:38:44Z".into(), Some(89_061)));
        for nothing in
            ["a.xml", "-", "results_2024.xml", "INDAS_1_99999999999999.xml", "é_1811.xml"]
        {
            assert_eq!(FilingTime::of_name(nothing), FilingTime::default(), "{nothing}");
        }
    }

    #[test]
    fn times_of_the_exchanges_list_are_indian_time() {
        let time = FilingTime::of_list(" 16-Jan-2025 19:42:10 ").expect("it is there");
        assert_eq!(time.at.as_deref(), Some("2025-01-16T14:12:10Z"));
        let at_night = FilingTime::of_list("24-May-2021 01:32").expect("it is there");
        assert_eq!(at_night.at.as_deref(), Some("2021-05-23T20:02:00Z"));
        assert_eq!(at_night.on.expect("it is there").to_string(), "2021-05-24");
        for nothing in ["-", "", "16-01-2025", "16-Jan-1925 19:42"] {
            assert_eq!(FilingTime::of_list(nothing), None, "{nothing}");
        }
    }
}
