//! The MCA portal's own JSON: a company's master data with its directors, their roles and its
//! charges.

mod charges;
mod company;
mod document;
mod people;
mod seats;

use panji_ids::{CompanyId, mask_pans};
use panji_store::register::Record;
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
        recognises,
        parse: |document| {
            let results = parse_document(document.value, document.as_of).into_iter();
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

pub fn recognises(document: &Value) -> bool {
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

/// Parses a document of one company, or a list of such. An error is a sentence that names the
/// record and says what is wrong with it; the other records are returned nevertheless.
pub fn parse_document(document: &Value, as_of: Option<&str>) -> Vec<Result<Record, Reason>> {
    let mut results = Vec::new();
    read(document, as_of, MAX_DEPTH, &mut results);
    results
}

fn read(
    document: &Value,
    as_of: Option<&str>,
    depth: usize,
    results: &mut Vec<Result<Record, Reason>>,
) {
    match document {
        Value::Array(list) if depth > 0 => {
            for (index, entry) in list.iter().enumerate() {
                let before = results.len();
                read(entry, as_of, depth - 1, results);
                if results.len() == before {
                    let entry = format!("entry {}", index + 1);
                    results.push(Err(Reason::fixed("it is not a company").about(&entry)));
                }
            }
        }
        Value::Object(object) if is_company(object) => read_company(object, as_of, results),
        Value::Object(object) if depth > 0 => {
            if let Some(inner) = object.get("data") {
                read(inner, as_of, depth - 1, results);
            }
        }
        _ => {}
    }
}

fn read_company(
    object: &Map<String, Value>,
    as_of: Option<&str>,
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
    let document = Document { id, former_cins, as_of };
    results.push(source.record(&document, &mut problems).map(Record::Company));
    let master = Fields::new(master_data(object));
    people::read(&master.objects("directorData"), &document, results);
    charges::read(&master.objects("indexChargesData"), &document, results);
    results.extend(problems.into_iter().map(Err));
}
