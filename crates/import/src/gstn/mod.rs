//! The GST portal's and the GSTN API's JSON, as they come or as relays wrap them: taxpayers, the
//! GSTINs of a PAN, and filed returns.
//!
//! Two of the portal's lists give nothing that can be stored. The GSTINs of a PAN come without the
//! legal name that a registration must have. The list of composition taxpayers has a name, but as for
//! the registration it would only blot out what a taxpayer's own answer says. Every entry of both is
//! rejected with that reason, so that the operator knows which GSTINs to ask for.

mod places;
mod returns;
mod taxpayer;

use panji_ids::{Gstin, mask_pans};
use panji_store::register::Record;
use serde_json::{Map, Value};

use crate::loose::Fields;

/// The `source` of registrations.
pub const TAXPAYER_SOURCE: &str = "gstn_taxpayer";
/// The `source` of returns.
pub const RETURNS_SOURCE: &str = "gstn_returns";

/// Answers that lie deeper than this in wrappers are not looked for.
const MAX_DEPTH: usize = 6;
/// What relays and the API call the part with the answer in it.
const WRAPPERS: &[&str] = &["data", "result", "taxpayerInfo", "taxpayer", "response", "essentials"];
/// Lists of a PAN's GSTINs: the portal's, and the relays'.
const PAN_LISTS: &[&str] = &["gstinResList", "gstin_list"];

/// Tells whether a document holds an answer of the GST system.
pub fn recognises(document: &Value) -> bool {
    let mut found = false;
    visit(document, None, MAX_DEPTH, &mut |_, _| found = true);
    found
}

/// A record or why there is none, with the source it is of.
pub type SourcedRecord = (&'static str, Result<Record, String>);

/// Reads a document. An error is a sentence that names the record and says what is wrong with it;
/// the records around it are there nevertheless.
pub fn parse_document(document: &Value, as_of: Option<&str>) -> Vec<SourcedRecord> {
    let mut results = Vec::new();
    let entries = document.as_array().map_or(std::slice::from_ref(document), Vec::as_slice);
    for (index, entry) in entries.iter().enumerate() {
        let place = index + 1;
        let mut found = false;
        visit(entry, None, MAX_DEPTH, &mut |gstin, answer| {
            found = true;
            let source = match answer {
                Answer::Returns(_) => RETURNS_SOURCE,
                _ => TAXPAYER_SOURCE,
            };
            let mut read = Vec::new();
            read_answer(place, gstin, answer, as_of, &mut read);
            results.extend(read.into_iter().map(|record| (source, record)));
        });
        // A relay's failed question among answered ones, for instance.
        if !found {
            let reason = format!("entry {place}: it holds no answer of the GST system");
            results.push((TAXPAYER_SOURCE, Err(reason)));
        }
    }
    results
}

fn read_answer(
    place: usize,
    gstin: Option<&str>,
    answer: Answer<'_>,
    as_of: Option<&str>,
    results: &mut Vec<Result<Record, String>>,
) {
    match answer {
        Answer::Taxpayer(object) => taxpayer::read(place, gstin, object, as_of, results),
        Answer::Returns(list) => returns::read(gstin, &list, as_of, results),
        Answer::OfPan(list) => read_pan_list(list, as_of, results),
        Answer::OfComposition(entry) => results.push(Err(composition_entry(place, entry))),
        Answer::Goods => results.push(Err(format!(
            "entry {place}: a list of goods and services that names no GSTIN, which the register \
             has no place for"
        ))),
    }
}

/// An answer of the GST system.
enum Answer<'a> {
    Taxpayer(&'a Map<String, Value>),
    Returns(Vec<&'a Value>),
    OfPan(&'a [Value]),
    OfComposition(&'a Map<String, Value>),
    Goods,
}

/// Calls `found` for each answer in a document, with the GSTIN that is written around it.
fn visit<'a>(
    document: &'a Value,
    around: Option<&'a str>,
    depth: usize,
    found: &mut impl FnMut(Option<&'a str>, Answer<'a>),
) {
    if depth == 0 {
        return;
    }
    match document {
        Value::Array(list) => {
            for entry in list {
                visit(entry, around, depth - 1, found);
            }
        }
        Value::Object(object) => visit_object(object, around, depth, found),
        _ => {}
    }
}

fn visit_object<'a>(
    object: &'a Map<String, Value>,
    around: Option<&'a str>,
    depth: usize,
    found: &mut impl FnMut(Option<&'a str>, Answer<'a>),
) {
    let has = |name: &str| object.contains_key(name);
    let gstin = object.get("gstin").and_then(Value::as_str).or(around);
    let before_wrappers = if has("lgnm") || (has("gstin") && (has("pradr") || has("sts"))) {
        Some(Answer::Taxpayer(object))
    } else if has("gstin") && has("lnm") && (has("indt") || has("oudt")) {
        Some(Answer::OfComposition(object))
    } else if !has("gstin") && (has("bzgddtls") || has("bzsdtls")) {
        Some(Answer::Goods)
    } else {
        None
    };
    if let Some(answer) = before_wrappers {
        found(gstin, answer);
    }
    if let Some(list) = object.get("EFiledlist").and_then(Value::as_array) {
        found(gstin, Answer::Returns(list.iter().collect()));
    }
    // The portal's own page has a list for each kind of return.
    if let Some(lists) = object.get("filingStatus").and_then(Value::as_array) {
        let flat = |list: &'a Value| list.as_array().map_or(vec![list], |l| l.iter().collect());
        found(gstin, Answer::Returns(lists.iter().flat_map(flat).collect()));
    }
    for name in PAN_LISTS {
        if let Some(list) = object.get(*name).and_then(Value::as_array) {
            found(gstin, Answer::OfPan(list));
        }
    }
    for (name, inner) in object {
        if WRAPPERS.contains(&name.as_str()) {
            visit(inner, gstin, depth - 1, found);
        } else if looks_like_gstin(name) {
            visit(inner, Some(name), depth - 1, found);
        }
    }
}

/// Whether a name is meant as a GSTIN, right or wrong: a wrong one is to be rejected, not passed over.
fn looks_like_gstin(name: &str) -> bool {
    name.len() == 15
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && name.bytes().take(2).all(|byte| byte.is_ascii_digit())
}

/// A GSTIN with all checks passed; the error is a sentence with the digits of its PAN hidden.
fn checked_gstin(place: &str, written: Option<&str>) -> Result<Gstin, String> {
    let written = written.ok_or_else(|| format!("{place}: it names no GSTIN"))?;
    Gstin::parse(written).map_err(|error| hide(&format!("{place}: GSTIN {written}: {error}")))
}

fn hide(sentence: &str) -> String {
    mask_pans(sentence).into_owned()
}

fn read_pan_list(list: &[Value], as_of: Option<&str>, results: &mut Vec<Result<Record, String>>) {
    for (index, entry) in list.iter().enumerate() {
        let place = index + 1;
        let Some(entry) = entry.as_object() else {
            results.push(Err(format!("entry {place} of the PAN's GSTINs: it is no object")));
            continue;
        };
        // A relay that adds the name makes the entry a small taxpayer's answer.
        if Fields::new(entry).text(&["lgnm"]).is_some() {
            let gstin = entry.get("gstin").and_then(Value::as_str);
            taxpayer::read(place, gstin, entry, as_of, results);
            continue;
        }
        let written = Fields::new(entry).text(&["gstin"]).unwrap_or_default();
        results.push(Err(hide(&format!(
            "entry {place} of the PAN's GSTINs, {written}: the list gives no legal name, which a \
             registration must have; import the taxpayer's own answer"
        ))));
    }
}

fn composition_entry(place: usize, entry: &Map<String, Value>) -> String {
    let written = Fields::new(entry).text(&["gstin"]).unwrap_or_default();
    hide(&format!(
        "entry {place}, {written}: the list of composition taxpayers only says when they joined and \
         left the scheme; import the taxpayer's own answer"
    ))
}
