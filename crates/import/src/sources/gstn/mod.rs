//! JSON of the GST portal and the GSTN API, plain or wrapped by relays: taxpayers, the GSTINs of a
//! PAN, and filed returns.
//!
//! Two lists of the portal cannot be stored. The GSTINs of a PAN do not have the legal name that a
//! registration must have. The list of composition taxpayers has a name, but as a registration it
//! would overwrite the data of the taxpayer's own record. Every entry of both is rejected
//! with that reason, so that the operator knows which GSTINs to request.

mod gstin;
mod places;
mod returns;
mod taxpayer;

use panji_store::register::Record;
use serde_json::{Map, Value};

use super::source::{DocumentParser, FormatSpec, SourcedRecord, described};
use crate::values::json_fields::Fields;
use crate::values::reason::Reason;
use gstin::{RETURNS_SOURCE, TAXPAYER_SOURCE, redact};

pub(crate) static FORMAT: FormatSpec = FormatSpec {
    name: "gstn",
    title: "GST network, JSON: taxpayer, GSTINs of a PAN, return filings",
    columns: || described(&MEMBERS),
    file: None,
    document: Some(DocumentParser {
        recognizes,
        parse: |document| parse_document(document.value, document.as_of),
        quoted_in_rejects: false,
    }),
};

const MEMBERS: [(&str, &str); 4] = [
    ("gstin, lgnm, tradeNam, sts, dty, ctb, rgdt, cxdt, ctj, stj", "gst"),
    ("pradr, adadr, nba", "places and nature of business of gst"),
    ("gstinResList", "nothing where it has no legal name: each GSTIN is reported as a reject"),
    ("EFiledlist", "gst_filing"),
];

/// Responses nested deeper than this in wrappers are not found.
const MAX_DEPTH: usize = 6;
/// The members in which relays and the API put the response.
const WRAPPERS: &[&str] = &["data", "result", "taxpayerInfo", "taxpayer", "response", "essentials"];
/// Lists of a PAN's GSTINs: the portal's, and the relays'.
const PAN_LISTS: &[&str] = &["gstinResList", "gstin_list"];

/// Whether a document has a response of the GST system.
pub fn recognizes(document: &Value) -> bool {
    let mut found = false;
    visit(document, None, MAX_DEPTH, &mut |_, _| found = true);
    found
}

/// Parses a document. An error is a sentence that names the record and says what is wrong with it;
/// the other records are returned nevertheless.
pub fn parse_document(document: &Value, as_of: Option<&str>) -> Vec<SourcedRecord> {
    let mut results = Vec::new();
    let entries = document.as_array().map_or(std::slice::from_ref(document), Vec::as_slice);
    for (index, entry) in entries.iter().enumerate() {
        let position = index + 1;
        let mut found = false;
        visit(entry, None, MAX_DEPTH, &mut |gstin, response| {
            found = true;
            let source = match response {
                Response::Returns(_) => RETURNS_SOURCE,
                _ => TAXPAYER_SOURCE,
            };
            let mut read = Vec::new();
            read_response(position, gstin, response, as_of, &mut read);
            results.extend(read.into_iter().map(|record| (source, record)));
        });
        // For instance, a relay's failed request among successful ones.
        if !found {
            let reason = format!("entry {position}: it has no response of the GST system");
            results.push((TAXPAYER_SOURCE, Err(reason.into())));
        }
    }
    results
}

fn read_response(
    position: usize,
    gstin: Option<&str>,
    response: Response<'_>,
    as_of: Option<&str>,
    results: &mut Vec<Result<Record, Reason>>,
) {
    match response {
        Response::Taxpayer(object) => taxpayer::read(position, gstin, object, as_of, results),
        Response::Returns(list) => returns::read(gstin, &list, as_of, results),
        Response::PanList(list) => read_pan_list(list, as_of, results),
        Response::CompositionEntry(entry) => results.push(Err(composition_entry(position, entry))),
        Response::Goods => results.push(Err(Reason::from(format!(
            "entry {position}: a list of goods and services without a GSTIN, which cannot be \
             stored"
        )))),
    }
}

/// A response of the GST system.
enum Response<'a> {
    Taxpayer(&'a Map<String, Value>),
    Returns(Vec<&'a Value>),
    PanList(&'a [Value]),
    CompositionEntry(&'a Map<String, Value>),
    Goods,
}

/// Calls `found` for each response in a document, with the GSTIN of the nearest enclosing object.
fn visit<'a>(
    document: &'a Value,
    outer_gstin: Option<&'a str>,
    depth: usize,
    found: &mut impl FnMut(Option<&'a str>, Response<'a>),
) {
    if depth == 0 {
        return;
    }
    match document {
        Value::Array(list) => {
            for entry in list {
                visit(entry, outer_gstin, depth - 1, found);
            }
        }
        Value::Object(object) => visit_object(object, outer_gstin, depth, found),
        _ => {}
    }
}

fn visit_object<'a>(
    object: &'a Map<String, Value>,
    outer_gstin: Option<&'a str>,
    depth: usize,
    found: &mut impl FnMut(Option<&'a str>, Response<'a>),
) {
    let has = |name: &str| object.contains_key(name);
    let gstin = object.get("gstin").and_then(Value::as_str).or(outer_gstin);
    let before_wrappers = if has("lgnm") || (has("gstin") && (has("pradr") || has("sts"))) {
        Some(Response::Taxpayer(object))
    } else if has("gstin") && has("lnm") && (has("indt") || has("oudt")) {
        Some(Response::CompositionEntry(object))
    } else if !has("gstin") && (has("bzgddtls") || has("bzsdtls")) {
        Some(Response::Goods)
    } else {
        None
    };
    if let Some(response) = before_wrappers {
        found(gstin, response);
    }
    if let Some(list) = object.get("EFiledlist").and_then(Value::as_array) {
        found(gstin, Response::Returns(list.iter().collect()));
    }
    // The portal's own page has a list for each kind of return.
    if let Some(lists) = object.get("filingStatus").and_then(Value::as_array) {
        let flat = |list: &'a Value| list.as_array().map_or(vec![list], |l| l.iter().collect());
        found(gstin, Response::Returns(lists.iter().flat_map(flat).collect()));
    }
    for name in PAN_LISTS {
        if let Some(list) = object.get(*name).and_then(Value::as_array) {
            found(gstin, Response::PanList(list));
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

/// Whether a name has the shape of a GSTIN: an invalid GSTIN is rejected, not skipped.
fn looks_like_gstin(name: &str) -> bool {
    name.len() == 15
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && name.bytes().take(2).all(|byte| byte.is_ascii_digit())
}

fn read_pan_list(list: &[Value], as_of: Option<&str>, results: &mut Vec<Result<Record, Reason>>) {
    for (index, entry) in list.iter().enumerate() {
        let position = index + 1;
        let Some(entry) = entry.as_object() else {
            let reason = format!("entry {position} of the PAN's GSTINs: it is not an object");
            results.push(Err(reason.into()));
            continue;
        };
        // Some relays add the legal name; such an entry is read as a taxpayer.
        if Fields::new(entry).text(&["lgnm"]).is_some() {
            let gstin = entry.get("gstin").and_then(Value::as_str);
            taxpayer::read(position, gstin, entry, as_of, results);
            continue;
        }
        let written = Fields::new(entry).text(&["gstin"]).unwrap_or_default();
        let reason = Reason::fixed(
            "the list gives no legal name, which a registration must have; import the \
             response about the taxpayer",
        );
        let entry = redact(&format!("entry {position} of the PAN's GSTINs, {written}"));
        results.push(Err(reason.about(&entry)));
    }
}

fn composition_entry(position: usize, entry: &Map<String, Value>) -> Reason {
    let written = Fields::new(entry).text(&["gstin"]).unwrap_or_default();
    let reason = Reason::fixed(
        "the list of composition taxpayers only says when they joined and left the scheme; import the \
         response about the taxpayer",
    );
    reason.about(&redact(&format!("entry {position}, {written}")))
}
