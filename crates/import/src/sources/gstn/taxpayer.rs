//! A taxpayer: the response of the taxpayer search, in the formats of the portal and of the API.

use panji_store::register::{GstRegistration, Record};
use serde_json::{Map, Value};

use super::gstin::{TAXPAYER_SOURCE, checked_gstin};
use super::places::{self, Place};
use crate::values::date::DateOrder;
use crate::values::field::json;
use crate::values::json_fields::Fields;
use crate::values::reason::Reason;
use crate::vocabulary;

/// Reads a taxpayer. `position` is the number of the entry in the document, from 1; `gstin` is from
/// the response itself or from an enclosing object.
pub fn read(
    position: usize,
    gstin: Option<&str>,
    object: &Map<String, Value>,
    as_of: Option<&str>,
    results: &mut Vec<Result<Record, Reason>>,
) {
    let mut fields = Fields::new(object);
    let written = gstin.unwrap_or_default();
    let record = read_registration(position, gstin, object, &mut fields, as_of);
    results.push(record.map(Record::Gst));
    let problems = fields.problems(&format!("taxpayer {position}, {written}"));
    results.extend(problems.into_iter().map(Err));
}

fn read_registration(
    position: usize,
    gstin: Option<&str>,
    object: &Map<String, Value>,
    fields: &mut Fields<'_>,
    as_of: Option<&str>,
) -> Result<GstRegistration, Reason> {
    let label = format!("taxpayer {position}");
    let gstin = checked_gstin(&label, gstin)?;
    let legal_name = fields
        .text(&["lgnm"])
        .ok_or_else(|| Reason::fixed("it has no legal name"))
        .map_err(|reason| reason.about(&format!("{label}, {}", gstin.masked())))?;
    let status_text = fields.text(&["sts"]);
    let taxpayer_type_text = fields.text(&["dty"]);
    let constitution_text = fields.text(&["ctb"]);
    let word = |look_up: fn(&str) -> &'static str, text: &Option<String>| {
        text.as_deref().map_or("unknown", look_up).to_owned()
    };
    let principal = object.get("pradr").and_then(places::read);
    let additional: Vec<Place> = match object.get("adadr") {
        Some(Value::Array(list)) => list.iter().filter_map(places::read).collect(),
        _ => Vec::new(),
    };
    Ok(GstRegistration {
        gstin: gstin.as_str().to_owned(),
        pan: gstin.pan().map(|pan| pan.as_str().to_owned()),
        legal_name,
        trade_name: fields.text(&["tradeNam"]),
        status: word(vocabulary::gst_status, &status_text),
        status_text,
        taxpayer_type: word(vocabulary::taxpayer_type, &taxpayer_type_text),
        taxpayer_type_text,
        constitution: word(vocabulary::constitution, &constitution_text),
        constitution_text,
        registered_on: fields.day("rgdt", DateOrder::DayFirst),
        cancelled_on: fields.day("cxdt", DateOrder::DayFirst),
        jurisdiction_centre: fields.text(&["ctj"]),
        jurisdiction_state: fields.text(&["stj"]),
        principal_place: principal.as_ref().map(json),
        additional_places: json(&additional),
        nature_of_business: json(&places::words(object.get("nba"))),
        // Whether the taxpayer must issue e-invoices; some relays use another name.
        e_invoice: fields.flag(&["einvoiceStatus", "mandatedeInvoice"]),
        as_of: as_of.map(str::to_owned),
        source: TAXPAYER_SOURCE.to_owned(),
    })
}
