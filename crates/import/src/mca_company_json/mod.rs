//! The MCA portal's own JSON: a company's master data with its directors, their roles and its charges.

mod charges;
mod company;
mod people;
mod seats;

use panji_ids::{CompanyId, mask_pans};
use panji_store::register::Record;
use serde_json::{Map, Value};

use crate::loose::{self, Fields};

/// The name under which records of this format are served as `source`.
pub const SOURCE: &str = "mca_company_json";

/// Answers that lie deeper than this in wrappers are not looked for.
const MAX_DEPTH: usize = 4;

/// Tells whether a document holds companies of the portal.
pub fn recognises(document: &Value) -> bool {
    holds_company(document, MAX_DEPTH)
}

fn holds_company(document: &Value, depth: usize) -> bool {
    match document {
        _ if depth == 0 => false,
        Value::Array(list) => list.iter().any(|entry| holds_company(entry, depth - 1)),
        Value::Object(object) => {
            is_company(object)
                || object.get("data").is_some_and(|inner| holds_company(inner, depth - 1))
        }
        _ => false,
    }
}

fn is_company(object: &Map<String, Value>) -> bool {
    master_data(object).get("companyData").is_some_and(Value::is_object)
}

/// The part that holds `companyData`: relays put the identity around it, the portal does not.
fn master_data(object: &Map<String, Value>) -> &Map<String, Value> {
    object.get("masterData").and_then(Value::as_object).unwrap_or(object)
}

/// Reads a document of one company, or a list of such. An error is a sentence that names the record
/// and says what is wrong with it; the records around it are there nevertheless.
pub fn parse_document(document: &Value, as_of: Option<&str>) -> Vec<Result<Record, String>> {
    let mut results = Vec::new();
    read(document, as_of, MAX_DEPTH, &mut results);
    results
}

fn read(
    document: &Value,
    as_of: Option<&str>,
    depth: usize,
    results: &mut Vec<Result<Record, String>>,
) {
    match document {
        Value::Array(list) if depth > 0 => {
            for (index, entry) in list.iter().enumerate() {
                let before = results.len();
                read(entry, as_of, depth - 1, results);
                if results.len() == before {
                    results.push(Err(format!("entry {}: it is no company", index + 1)));
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

/// What all records of one document share.
struct Document<'a> {
    /// The company's present number.
    id: CompanyId,
    /// The numbers it had before.
    former_cins: Vec<String>,
    as_of: Option<&'a str>,
}

impl Document<'_> {
    /// The number a seat belongs to: one under a former number is in the present company.
    fn present_cin(&self, cin: &str) -> String {
        let former = self.former_cins.iter().any(|former| former == cin);
        if former { self.id.as_str().to_owned() } else { cin.to_owned() }
    }
}

fn read_company(
    object: &Map<String, Value>,
    as_of: Option<&str>,
    results: &mut Vec<Result<Record, String>>,
) {
    let source = company::CompanySource::new(object, master_data(object));
    let written = source.number().unwrap_or_default();
    let id = match CompanyId::parse(&written) {
        Ok(id) => id,
        Err(error) => {
            let sentence = format!("company {written:?}: its number cannot be used: {error}");
            results.push(Err(mask_pans(&sentence).into_owned()));
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

/// Parts of an address in one line.
fn join_address(parts: &[Option<&Value>]) -> Option<String> {
    let mut line = String::new();
    for part in parts.iter().filter_map(|part| part.and_then(loose::text)) {
        let part = part.trim_matches([',', ' ']);
        if part.is_empty() {
            continue;
        }
        if !line.is_empty() && !is_cut_within_a_word(&line, part) {
            line.push_str(", ");
        }
        line.push_str(part);
    }
    (!line.is_empty()).then_some(line)
}

/// The portal's first line takes some 95 characters and is cut wherever that falls, so that the
/// second one goes on in the middle of a word.
fn is_cut_within_a_word(line: &str, next: &str) -> bool {
    const FULL_LINE: usize = 85;
    line.chars().count() >= FULL_LINE
        && line.ends_with(char::is_alphabetic)
        && next.starts_with(char::is_lowercase)
}
