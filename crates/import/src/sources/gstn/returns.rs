//! Filed returns: the `EFiledlist` of the return tracker, and the portal page's own list.

use std::collections::HashMap;

use panji_store::register::{GstFiling, Record};
use serde_json::{Map, Value};

use super::gstin::{RETURNS_SOURCE, checked_gstin, redact};
use crate::values::date::DateOrder;
use crate::values::field::financial_year_of_month;
use crate::values::json_fields::Fields;
use crate::values::reason::Reason;
use crate::vocabulary;

/// Plausible years of returns: the tax began in 2017.
const YEARS: std::ops::Range<i16> = 2017..2200;

/// Reads the returns of one taxpayer. If the list has a return more than once, the one filed last
/// counts.
pub fn read(
    gstin: Option<&str>,
    list: &[&Value],
    as_of: Option<&str>,
    results: &mut Vec<Result<Record, Reason>>,
) {
    let label = format!("a list of {} returns", list.len());
    let gstin = match checked_gstin(&label, gstin) {
        Ok(gstin) => gstin,
        Err(sentence) => {
            results.push(Err(sentence));
            return;
        }
    };
    let mut filings: Vec<GstFiling> = Vec::with_capacity(list.len());
    let mut by_key: HashMap<(String, String), usize> = HashMap::new();
    let mut problems = Vec::new();
    for (index, entry) in list.iter().enumerate() {
        let label = format!("return {} of {}", index + 1, gstin.masked());
        let Some(entry) = entry.as_object() else {
            problems.push(Reason::fixed("a return is not an object").about(&label));
            continue;
        };
        let mut fields = Fields::new(entry);
        match read_filing(gstin.as_str(), entry, &mut fields, as_of) {
            Ok(filing) => {
                let key = (filing.period.clone(), filing.return_type.clone());
                match by_key.get(&key) {
                    Some(&index) => {
                        let fault = "is in the list more than once; the one filed last counts";
                        let text = format!("{label}: {} for {} {fault}", key.1, key.0);
                        problems.push(Reason::new(format!("a return {fault}"), text));
                        if filing.filed_on > filings[index].filed_on {
                            filings[index] = filing;
                        }
                    }
                    None => {
                        by_key.insert(key, filings.len());
                        filings.push(filing);
                    }
                }
            }
            Err(Reason { kind, text }) => {
                problems.push(Reason::new(kind, redact(&format!("{label}: {text}"))));
            }
        }
        problems.extend(fields.problems(&label));
    }
    results.extend(filings.into_iter().map(Record::GstFiling).map(Ok));
    results.extend(problems.into_iter().map(Err));
}

fn read_filing(
    gstin: &str,
    entry: &Map<String, Value>,
    fields: &mut Fields<'_>,
    as_of: Option<&str>,
) -> Result<GstFiling, Reason> {
    let (year, month) = match fields.text(&["ret_prd"]) {
        Some(written) => {
            let wrong = || {
                let kind = "a period is not written as 112023";
                Reason::new(kind, format!("{written:?} is not a period such as 112023"))
            };
            period(&written).ok_or_else(wrong)?
        }
        None => named_period(fields)?,
    };
    let return_type = fields.text(&["rtntype"]).ok_or("it has no return type")?;
    let filed_on = fields.day("dof", DateOrder::DayFirst);
    Ok(GstFiling {
        gstin: gstin.to_owned(),
        period: format!("{year:04}-{month:02}"),
        return_type: canonical_return_type(&return_type),
        financial_year: financial_year_of_month(year, month),
        mode: fields.text(&["mof"]).map(|mode| mode.to_lowercase()),
        arn: fields.text(&["arn"]),
        status: status(entry, fields, filed_on.is_some()).to_owned(),
        filed_on,
        as_of: as_of.map(str::to_owned),
        source: RETURNS_SOURCE.to_owned(),
    })
}

/// A return that is marked as not valid was filed incompletely (usually without the tax): its
/// status is neither filed nor not filed. Many real lists have no such mark.
fn status(entry: &Map<String, Value>, fields: &Fields<'_>, has_day: bool) -> &'static str {
    if entry.contains_key("valid") && fields.flag(&["valid"]) == Some(false) {
        return vocabulary::OTHER;
    }
    match fields.text(&["status"]) {
        Some(text) => vocabulary::return_status(&text),
        None if has_day => "filed",
        None => vocabulary::OTHER,
    }
}

/// Year and month of `112023`; a JSON number has no leading zero.
fn period(written: &str) -> Option<(i16, i8)> {
    let digits = format!("{written:0>6}");
    if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (month, year) = (digits[..2].parse().ok()?, digits[2..].parse().ok()?);
    let plausible = (1..=12).contains(&month) && YEARS.contains(&year);
    plausible.then_some((year, month))
}

/// Year and month for the portal's form `December` of `2021-2022`. A whole year is identified by
/// its last month, as in the tracker.
fn named_period(fields: &Fields<'_>) -> Result<(i16, i8), Reason> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let (Some(years), Some(name)) = (fields.text(&["fy"]), fields.text(&["taxp"])) else {
        return Err("it has no period".into());
    };
    let first_year = years.split('-').next().and_then(|first| first.trim().parse::<i16>().ok());
    let first_year = first_year.filter(|year| YEARS.contains(year));
    // Of a quarter, as in `Oct-Dec`, the last month counts.
    let last = name.rsplit('-').next().unwrap_or_default().trim().to_ascii_lowercase();
    let month = if last == "annual" {
        Some(3)
    } else {
        let known = MONTHS.iter().zip(1i8..).find(|(month, _)| last.starts_with(**month));
        known.map(|(_, number)| number)
    };
    let (Some(first_year), Some(month)) = (first_year, month) else {
        return Err(format!("{name:?} of {years:?} is not a period").into());
    };
    Ok((if month >= 4 { first_year } else { first_year + 1 }, month))
}

/// `GSTR-3B` from `GSTR3B`, `gstr 3b` or `GSTR-3B`: a hyphen between the letters and the number.
fn canonical_return_type(written: &str) -> String {
    let bare: String = written
        .chars()
        .filter(|character| !matches!(character, ' ' | '-' | '_'))
        .flat_map(char::to_uppercase)
        .collect();
    match bare.find(|character: char| character.is_ascii_digit()) {
        Some(number) if number > 0 => format!("{}-{}", &bare[..number], &bare[number..]),
        _ => bare,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_have_one_spelling() {
        let spellings = [
            ("GSTR3B", "GSTR-3B"),
            ("GSTR-3B", "GSTR-3B"),
            ("gstr 9c", "GSTR-9C"),
            ("CMP08", "CMP-08"),
            ("IFF", "IFF"),
            ("GSTR1/IFF", "GSTR-1/IFF"),
        ];
        for (written, expected) in spellings {
            assert_eq!(canonical_return_type(written), expected);
        }
    }

    #[test]
    fn periods_are_months_since_the_tax_began() {
        assert_eq!(period("112023"), Some((2023, 11)));
        assert_eq!(period("32018"), Some((2018, 3)));
        for wrong in ["132023", "002023", "112016", "11-2023", "1120233", "é2023"] {
            assert_eq!(period(wrong), None, "{wrong}");
        }
    }
}
