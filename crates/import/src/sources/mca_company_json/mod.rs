//! The MCA portal's own JSON: a company's master data with its directors, their roles and its
//! charges.

mod appointments;
mod charges;
mod company;
mod document;
mod people;

use panji_ids::{CompanyId, mask_pans};
use panji_store::register::{
    Company, Coverage, CoverageLevel, CoverageStatement, CoveredSection, Record,
};
use serde_json::{Map, Value};

use super::source::{DocumentParser, FormatSpec, described};
use crate::values::json_fields::Fields;
use crate::values::reason::Reason;
use company::CompanySource;
use document::{Document, SOURCE};

pub(crate) static FORMAT: FormatSpec = FormatSpec {
    name: "mca_company",
    title: "MCA portal, JSON: company, directors, charges, history",
    columns: || described(&MEMBERS),
    file: None,
    document: Some(DocumentParser {
        recognizes,
        parse: |document| {
            let results = parse_document(document.value, document.as_of, document.today);
            let results = results.into_iter();
            results.map(|result| (SOURCE, result)).collect()
        },
        quoted_in_rejects: false,
    }),
};

const MEMBERS: [(&str, &str); 4] = [
    ("companyData", "company, with its former names and numbers"),
    ("directorData", "director, appointment"),
    ("indexChargesData", "charge"),
    ("cinHistory, nameHistory", "former_cins, former_names"),
];

/// Companies nested deeper than this in wrappers are not found.
const MAX_DEPTH: usize = 4;

pub fn recognizes(document: &Value) -> bool {
    has_company(document, MAX_DEPTH)
}

fn has_company(document: &Value, depth: usize) -> bool {
    match document {
        _ if depth == 0 => false,
        Value::Array(list) => list.iter().any(|entry| has_company(entry, depth - 1)),
        Value::Object(object) => {
            is_company(object)
                || object.get("data").is_some_and(|inner| has_company(inner, depth - 1))
        }
        _ => false,
    }
}

fn is_company(object: &Map<String, Value>) -> bool {
    master_data(object).get("companyData").is_some_and(Value::is_object)
}

/// The object with `companyData`: relays nest it in `masterData`, the portal does not.
fn master_data(object: &Map<String, Value>) -> &Map<String, Value> {
    object.get("masterData").and_then(Value::as_object).unwrap_or(object)
}

/// Parses a document of one company, or a list of such. An error is a sentence that names the record
/// and says what is wrong with it; the other records are returned nevertheless.
/// Without `as_of`, a company is dated by its newest event up to `today`: the portal's own data has
/// no date.
pub fn parse_document(
    document: &Value,
    as_of: Option<&str>,
    today: &str,
) -> Vec<Result<Record, Reason>> {
    let mut results = Vec::new();
    read(document, &Dates { as_of, today }, MAX_DEPTH, &mut results);
    results
}

/// How a company of a document is dated.
struct Dates<'a> {
    /// The date of the document, if it is known.
    as_of: Option<&'a str>,
    today: &'a str,
}

fn read(
    document: &Value,
    dates: &Dates<'_>,
    depth: usize,
    results: &mut Vec<Result<Record, Reason>>,
) {
    match document {
        Value::Array(list) if depth > 0 => {
            for (index, entry) in list.iter().enumerate() {
                let before = results.len();
                read(entry, dates, depth - 1, results);
                if results.len() == before {
                    let entry = format!("entry {}", index + 1);
                    results.push(Err(Reason::fixed("it is not a company").about(&entry)));
                }
            }
        }
        Value::Object(object) if is_company(object) => read_company(object, dates, results),
        Value::Object(object) if depth > 0 => {
            if let Some(inner) = object.get("data") {
                read(inner, dates, depth - 1, results);
            }
        }
        _ => {}
    }
}

fn read_company(
    object: &Map<String, Value>,
    dates: &Dates<'_>,
    results: &mut Vec<Result<Record, Reason>>,
) {
    let source = CompanySource::new(object, master_data(object));
    let written = source.number().unwrap_or_default();
    let id = match CompanyId::parse(&written) {
        Ok(id) => id,
        Err(error) => {
            let sentence = format!("company {written:?}: its number is invalid: {error}");
            let kind = "the number of a company is invalid";
            results.push(Err(Reason::new(kind, mask_pans(&sentence))));
            return;
        }
    };
    let mut problems = Vec::new();
    let former_cins = source.former_cins(&id, &mut problems);
    let document = Document { id, former_cins };
    let mut company = source.record(&document, &mut problems);
    let (master, mut sections) = (master_data(object), Vec::new());
    let fields = Fields::new(master);
    let people = people::read(&fields.objects("directorData"), &document, &mut sections);
    let charges = charges::read(&fields.objects("indexChargesData"), &document, &mut sections);
    let newest = company.as_ref().ok().and_then(|company| newest_event(company, &sections, dates));
    let as_of = dates.as_of.map(str::to_owned).or(newest);
    if let Ok(company) = &mut company {
        let is_list = |list: Option<&Value>| list.is_some_and(Value::is_array);
        let has_history =
            ["cinHistory", "nameHistory"].iter().all(|name| is_list(object.get(*name)));
        let identity = if has_history { CoverageLevel::Full } else { CoverageLevel::Partial };
        let directors = is_list(master.get("directorData")).then_some(people);
        let charges = is_list(master.get("indexChargesData")).then_some(charges);
        company.as_of.clone_from(&as_of);
        company.coverage = coverage(company, identity, directors, charges).to_stored();
    }
    results.push(company.map(Record::PartialCompany));
    for mut section in sections {
        if let (Ok(record), Some(as_of)) = (&mut section, &as_of) {
            record.date_if_undated(as_of);
        }
        results.push(section);
    }
    results.extend(problems.into_iter().map(Err));
}

/// What the document states of the company's sections.
fn coverage(
    company: &Company,
    identity: CoverageLevel,
    directors: Option<CoverageLevel>,
    charges: Option<CoverageLevel>,
) -> Coverage {
    let dates = [&company.last_agm_on, &company.last_balance_sheet_on];
    let has_dates =
        dates.into_iter().any(Option::is_some) || company.last_annual_return_year.is_some();
    let mut coverage = Coverage::default();
    for (section, level) in [
        (CoveredSection::Company, Some(identity)),
        (CoveredSection::Directors, directors),
        (CoveredSection::Charges, charges),
        (CoveredSection::Compliance, has_dates.then_some(CoverageLevel::Partial)),
    ] {
        let as_of = company.as_of.clone();
        if let Some(level) = level {
            let source = SOURCE.to_owned();
            coverage.insert(section, CoverageStatement { coverage: level, as_of, source });
        }
    }
    coverage
}

/// The latest day in the records of a company that is not after today.
fn newest_event(
    company: &Company,
    sections: &[Result<Record, Reason>],
    dates: &Dates<'_>,
) -> Option<String> {
    let own = [&company.incorporated_on, &company.last_agm_on, &company.last_balance_sheet_on];
    let mut days: Vec<&str> = own.into_iter().flatten().map(String::as_str).collect();
    for record in sections.iter().flatten() {
        match record {
            Record::Appointment(appointment) => {
                days.push(&appointment.appointed_on);
                days.extend(appointment.ceased_on.as_deref());
            }
            Record::Charge(charge) => {
                let steps = [&charge.created_on, &charge.modified_on, &charge.satisfied_on];
                days.extend(steps.into_iter().flatten().map(String::as_str));
            }
            _ => {}
        }
    }
    let newest = days.into_iter().filter(|day| !day.is_empty() && *day <= dates.today).max();
    newest.map(str::to_owned)
}
