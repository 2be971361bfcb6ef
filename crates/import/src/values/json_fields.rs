//! Reads fields of JSON objects leniently: blanks in all spellings, dates, amounts and counts.

use panji_ids::mask_pans;
use serde_json::{Map, Value};

use super::date::{DateOrder, Day, read_day};
use super::reason::Reason;
use super::rupees::{Paise, read_amount};

/// The spellings of an empty field. The dot is used in forms that require a name.
const BLANKS: &[&str] = &["", "-", "--", ".", "na", "n/a", "n.a.", "null"];

/// A value that is not what its field must contain.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{written:?} is not {expected}")]
pub(crate) struct InvalidField {
    written: String,
    expected: &'static str,
}

/// A text or a number as text, with single spaces and without control characters (PostgreSQL
/// cannot store NUL); none if it is blank.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => clean(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The same as [`text`], for a string.
pub(crate) fn clean(text: &str) -> Option<String> {
    let words = text.split(|character: char| character.is_whitespace() || character.is_control());
    let single_spaced = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let is_blank = BLANKS.iter().any(|blank| single_spaced.eq_ignore_ascii_case(blank));
    (!is_blank).then_some(single_spaced)
}

/// A day in its stored form, without the time of day. Two-digit years are an error: their century
/// is unknown.
pub(crate) fn day(text: &str, order: DateOrder) -> Result<Option<String>, InvalidField> {
    let Some(cleaned) = clean(text) else { return Ok(None) };
    let year_is_short = cleaned.rsplit(['/', '-', '.']).next().is_some_and(|year| year.len() < 4)
        && cleaned.split(['/', '-', '.']).next().is_some_and(|year| year.len() < 4);
    match read_day(&cleaned, order, None) {
        Day::On(date) if !year_is_short => Ok(Some(date.to_string())),
        Day::Unknown => Ok(None),
        _ => Err(InvalidField { written: cleaned, expected: "a date" }),
    }
}

/// An amount of rupees in paise, with or without grouping commas, a currency sign, or an exponent.
pub(crate) fn paise(value: &Value) -> Result<Option<i64>, InvalidField> {
    let Some(written) = text(value) else { return Ok(None) };
    let amount = read_amount(written.trim_start_matches("Rs.").trim());
    let amount = amount.map(|Paise(paise)| Some(paise));
    amount.ok_or(InvalidField { written, expected: "an amount" })
}

/// A PIN code: six digits that do not begin with a zero.
pub(crate) fn pincode(text: &str) -> Option<String> {
    let six_digits = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    (six_digits && !text.starts_with('0')).then(|| text.to_owned())
}

/// The fields of an object. A field that cannot be read is left out and recorded as a problem, so
/// the rest of the record can be used.
pub(crate) struct Fields<'a> {
    object: &'a Map<String, Value>,
    problems: Vec<Reason>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(object: &'a Map<String, Value>) -> Fields<'a> {
        Fields { object, problems: Vec::new() }
    }

    /// The first of these fields that is not blank.
    pub(crate) fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.object.get(*name).and_then(text))
    }

    pub(crate) fn day(&mut self, name: &str, slashes: DateOrder) -> Option<String> {
        let written = self.text(&[name])?;
        let read = day(&written, slashes);
        self.value_or_problem(name, read)
    }

    pub(crate) fn paise(&mut self, name: &str) -> Option<i64> {
        let read = paise(self.object.get(name)?);
        self.value_or_problem(name, read)
    }

    pub(crate) fn count(&mut self, name: &str) -> Option<i64> {
        let written = self.text(&[name])?;
        let read = written.replace(',', "").parse().ok().filter(|count: &i64| *count >= 0);
        let read = read.map(Some).ok_or(InvalidField { written, expected: "a count" });
        self.value_or_problem(name, read)
    }

    /// `Y` or `Yes`, `N` or `No`; none for anything else.
    pub(crate) fn flag(&self, names: &[&str]) -> Option<bool> {
        names.iter().find_map(|name| match self.object.get(*name)? {
            Value::Bool(flag) => Some(*flag),
            value => match text(value)?.to_ascii_lowercase().as_str() {
                "y" | "yes" | "true" => Some(true),
                "n" | "no" | "false" => Some(false),
                _ => None,
            },
        })
    }

    /// The objects of a list; a single object counts as a list of one.
    pub(crate) fn objects(&self, name: &str) -> Vec<&'a Map<String, Value>> {
        match self.object.get(name) {
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_object).collect(),
            Some(Value::Object(object)) => vec![object],
            _ => Vec::new(),
        }
    }

    /// Records a field that was left out.
    pub(crate) fn add_problem(&mut self, problem: impl Into<Reason>) {
        self.problems.push(problem.into());
    }

    /// A sentence for each field that was left out, with the name of the record.
    pub(crate) fn problems(self, record: &str) -> Vec<Reason> {
        let outcome = "it was left out and the rest used";
        let sentence = |problem: Reason| {
            let text = format!("{record}: {}; {outcome}", problem.text);
            Reason::new(format!("{}; {outcome}", problem.kind), mask_pans(&text))
        };
        self.problems.into_iter().map(sentence).collect()
    }

    fn value_or_problem<T>(
        &mut self,
        name: &str,
        read: Result<Option<T>, InvalidField>,
    ) -> Option<T> {
        match read {
            Ok(value) => value,
            Err(problem) => {
                let kind = format!("{name} is not {}", problem.expected);
                self.add_problem(Reason::new(kind, format!("{name}: {problem}")));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json as value;

    fn read(text: &str, slashes: DateOrder) -> Option<String> {
        day(text, slashes).expect("a date or a blank")
    }

    #[test]
    fn a_date_is_read_in_the_order_of_its_file() {
        use DateOrder::{DayFirst, MonthFirst};
        assert_eq!(read("04/01/2024 20:52:34", MonthFirst).as_deref(), Some("2024-04-01"));
        assert_eq!(read("04/01/2024", DayFirst).as_deref(), Some("2024-01-04"));
        assert_eq!(read("26/09/2024", MonthFirst).as_deref(), Some("2024-09-26"));
        assert_eq!(read("05-12-2023", MonthFirst).as_deref(), Some("2023-12-05"));
        assert_eq!(read("2025-06-27T08:06:51.969Z", DayFirst).as_deref(), Some("2025-06-27"));
    }

    #[test]
    fn blanks_and_the_placeholder_date_are_none_and_nonsense_is_an_error() {
        for blank in ["", " - ", "NA", "01/01/1800", "1800-01-01"] {
            assert_eq!(read(blank, DateOrder::DayFirst), None, "{blank}");
        }
        for wrong in ["31/02/2024", "2024", "01/02/24", "+1/02/2024", "1-2-3-2024"] {
            assert!(day(wrong, DateOrder::DayFirst).is_err(), "{wrong}");
        }
    }

    #[test]
    fn amounts_are_read_in_every_spelling() {
        let expected = [
            (value!("330000000"), Some(33_000_000_000)),
            (value!(2290113145_i64), Some(229_011_314_500)),
            (value!("1,00,000.50"), Some(10_000_050)),
            (value!("2.73E+11"), Some(27_300_000_000_000)),
            (value!("0"), Some(0)),
            (value!("00.5"), Some(50)),
            (value!("Rs. 12"), Some(1_200)),
            (value!("-"), None),
            (value!(null), None),
        ];
        for (written, amount) in expected {
            assert_eq!(paise(&written), Ok(amount), "{written}");
        }
        for wrong in ["twelve", "-5", "1e300"] {
            assert!(paise(&value!(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn control_characters_are_removed_from_texts() {
        assert_eq!(clean(" Namuna   Tech\u{0} Nagar ").as_deref(), Some("Namuna Tech Nagar"));
        assert_eq!(clean("."), None);
    }
}
