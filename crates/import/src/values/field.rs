//! Validates single fields and converts them to their stored form: identifiers, dates, amounts,
//! years.

use jiff::civil::Date;
use panji_ids::{CompanyId, Din, Lei};
use serde::Serialize;

use super::reason::Reason;
use super::rupees::Paise;

pub fn company_id(text: &str) -> Result<CompanyId, Reason> {
    CompanyId::parse(text).map_err(|error| Reason::of_id("cin", &error))
}

/// The canonical text of a CIN, LLPIN or FCRN.
pub fn canonical_cin(text: &str) -> Result<String, Reason> {
    company_id(text).map(|id| id.as_str().to_owned())
}

/// The canonical text of a DIN.
pub fn canonical_din(text: &str) -> Result<String, Reason> {
    Din::parse(text)
        .map(|din| din.as_str().to_owned())
        .map_err(|error| Reason::of_id("din", &error))
}

/// The canonical text of an LEI in a field.
pub fn canonical_lei(field: &str, text: &str) -> Result<String, Reason> {
    Lei::parse(text)
        .map(|lei| lei.as_str().to_owned())
        .map_err(|error| Reason::of_id(field, &error))
}

pub fn required(field: &str, text: String) -> Result<String, Reason> {
    if text.trim().is_empty() { Err(Reason::fixed(format!("{field} is empty"))) } else { Ok(text) }
}

/// The word of the vocabulary for a source's text, or `missing` if there is none.
pub fn word(look_up: fn(&str) -> &'static str, text: Option<&str>, missing: &str) -> String {
    text.map_or(missing, look_up).to_owned()
}

pub fn date(date: Option<Date>) -> Option<String> {
    date.map(|date| date.to_string())
}

pub fn paise(amount: Option<Paise>) -> Option<i64> {
    amount.map(|Paise(paise)| paise)
}

/// A list or object stored as JSON text.
pub fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("lists of texts can always be written as JSON")
}

/// The Indian financial year (April to March) that a day falls in.
pub fn financial_year_of(day: Date) -> String {
    financial_year_of_month(day.year(), day.month())
}

/// The Indian financial year that a month falls in.
pub fn financial_year_of_month(year: i16, month: i8) -> String {
    let first = if month >= 4 { year } else { year - 1 };
    format!("{first:04}-{:02}", (first + 1) % 100)
}

/// A financial year, as `2023-24`.
pub fn financial_year(text: &str) -> Result<String, Reason> {
    let number = |part: &str| -> Option<u32> {
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let well_formed = text.split_once('-').is_some_and(|(first, second)| {
        first.len() == 4
            && second.len() == 2
            && number(first).map(|first| (first + 1) % 100) == number(second)
            && number(first).is_some()
    });
    if well_formed {
        Ok(text.to_owned())
    } else {
        let kind = "a financial year is not written as 2023-24";
        Err(Reason::new(kind, format!("{text:?} is not a financial year such as 2023-24")))
    }
}

/// A month, as `2026-02`.
pub fn month(text: &str) -> Result<String, Reason> {
    let well_formed = text.len() == 7 && format!("{text}-01").parse::<Date>().is_ok();
    if well_formed {
        Ok(text.to_owned())
    } else {
        let kind = "a month is not written as 2026-02";
        Err(Reason::new(kind, format!("{text:?} is not a month such as 2026-02")))
    }
}
