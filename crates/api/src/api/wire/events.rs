//! Events: what an import changed, with the values before and after.

use panji_store::calendar::rfc3339;
use panji_store::register;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::Rupees;
use super::enums;
use super::event_fields::{self, Form};

/// A change of the register that an import made.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Event {
    /// The id; the same however and whenever the event is read.
    #[schema(example = "evt_01KWCZ1Y00F3T0M5S3QXW9V6BT")]
    pub id: String,
    /// The number in the register's feed of changes: without gaps there, and rising.
    pub seq: i64,
    /// What has changed.
    #[serde(rename = "type")]
    #[schema(value_type = enums::EventType)]
    pub event_type: String,
    /// What the event is about.
    pub subject: EventSubject,
    /// The record of the subject that has changed, such as a charge; null if it is the subject itself.
    pub record: Option<EventRecord>,
    /// The changed fields.
    pub changes: Vec<EventChange>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
    /// When the import was made.
    pub recorded_at: String,
}

/// A company, director or GST registration.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct EventSubject {
    /// The kind of the subject.
    #[schema(value_type = enums::EventSubjectKind)]
    pub kind: String,
    /// The CIN, LLPIN, FCRN, DIN or GSTIN.
    #[schema(example = "L17111MH1994PLC990011")]
    pub id: String,
    /// The name; null if it is not known.
    pub name: Option<String>,
}

/// A record that belongs to a subject.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct EventRecord {
    /// The kind of the record.
    #[schema(value_type = enums::EventRecordKind)]
    pub kind: String,
    /// Its number or key: a DIN, a charge id, a financial year, a file name.
    pub id: String,
    /// The name of the person or lender, or the form; null if it has none.
    pub name: Option<String>,
}

/// A field with its values before and after.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct EventChange {
    /// The field, as in the responses of the other operations.
    #[schema(example = "capital.authorised")]
    pub field: String,
    /// The value before; null if there was none.
    pub from: Value,
    /// The value after; null if there is none.
    pub to: Value,
}

/// The history of a company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CompanyEvents {
    /// The company's CIN, LLPIN or FCRN.
    pub cin: String,
    /// Newest first.
    pub events: Vec<Event>,
    /// The value of `before` for the next page; null on the last page.
    pub next_before: Option<i64>,
    /// Since when changes of this company are recorded; null if they are not yet.
    pub recorded_since: Option<String>,
}

impl Event {
    /// The public form of a stored event, with the name of its subject.
    pub fn new(event: &register::Event, name: Option<String>) -> Event {
        let (old, new) = (object(&event.old_values), object(&event.new_values));
        let kind = event_fields::subject_kind(&event.resource);
        Event {
            id: event_id(event),
            seq: event.seq,
            event_type: event.event_type.clone(),
            subject: EventSubject { kind: kind.to_owned(), id: event.subject.clone(), name },
            record: record_of(event, &new),
            changes: changes(&event.resource, event.old_values.is_some(), &old, &new),
            as_of: event.as_of.clone(),
            source: event.source.clone(),
            recorded_at: rfc3339(event.recorded_at),
        }
    }
}

fn object(text: &Option<String>) -> Map<String, Value> {
    text.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// An id that sorts by time and is worked out from the event, so that every node gives the same.
fn event_id(event: &register::Event) -> String {
    let register::Event { seq, event_type, record_key, recorded_at, .. } = event;
    let digest = Sha256::digest(format!("{seq}|{event_type}|{record_key}|{recorded_at}"));
    let chance = digest[..16].try_into().map_or(0, u128::from_be_bytes);
    let at_ms = u64::try_from(*recorded_at).unwrap_or(0);
    format!("evt_{}", ulid::Ulid::from_parts(at_ms, chance))
}

fn changes(
    resource: &str,
    is_change: bool,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
) -> Vec<EventChange> {
    let columns = if is_change { old } else { new };
    let shown = columns.keys().filter_map(|column| {
        let (field, form) = event_fields::public(resource, column)?;
        let value = |values: &Map<String, Value>| public_value(values.get(column), form);
        let from = if is_change { value(old) } else { Value::Null };
        Some(EventChange { field: field.to_owned(), from, to: value(new) })
    });
    shown.filter(|change| change.from != change.to).collect()
}

fn public_value(value: Option<&Value>, form: Form) -> Value {
    match (form, value) {
        (Form::Money, Some(Value::Number(paise))) => {
            let rupees = paise.as_i64().map(Rupees);
            serde_json::to_value(rupees).unwrap_or(Value::Null)
        }
        (Form::Json, Some(Value::String(text))) => {
            serde_json::from_str(text).unwrap_or(Value::Null)
        }
        // A date that the source does not state is stored as an empty text in a key.
        (_, Some(Value::String(text))) if text.is_empty() => Value::Null,
        (_, value) => value.cloned().unwrap_or(Value::Null),
    }
}

fn record_of(event: &register::Event, new: &Map<String, Value>) -> Option<EventRecord> {
    if matches!(event.resource.as_str(), "company" | "director" | "gst") {
        return None;
    }
    let rest = event.record_key.strip_prefix(event.subject.as_str()).unwrap_or("");
    let parts: Vec<&str> = rest.split('|').filter(|part| !part.is_empty()).collect();
    let text = |column: &str| new.get(column).and_then(Value::as_str).map(str::to_owned);
    let id = match event.resource.as_str() {
        "appointment" | "charge" | "epfo" | "lei" => {
            parts.first().copied().unwrap_or("").to_owned()
        }
        "document" => parts.last().copied().unwrap_or("").to_owned(),
        "pan" => text("pan").unwrap_or_default(),
        _ => parts.join(" "),
    };
    let name = match event.resource.as_str() {
        "charge" => text("lender"),
        "filing" | "document" => text("form_type"),
        "financial_year" => text("financial_year"),
        "lei" => text("legal_name"),
        _ => text("name"),
    };
    Some(EventRecord { kind: event.resource.clone(), id, name })
}
