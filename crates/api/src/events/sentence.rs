//! Events in words, for people.

use std::fmt;

use serde_json::Value;

use crate::api::wire::event_fields::{self, Form};
use crate::api::wire::{Event, EventChange};
use crate::locale::{amounts, dates};

/// The longest value that is shown, in characters.
const MAX_VALUE: usize = 120;

/// An event in words.
pub struct Sentence {
    /// What happened, without a full stop.
    pub text: String,
    /// What has changed: the field, the value before and the value after.
    pub changes: Vec<ChangeInWords>,
}

pub struct ChangeInWords {
    pub field: String,
    /// Empty where there was no value.
    pub from: String,
    /// Empty where there is none.
    pub to: String,
}

/// `status: active → dormant`; without a value before, `due on: 30 Aug 2026`.
impl fmt::Display for ChangeInWords {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChangeInWords { field, from, to } = self;
        match (from.is_empty(), to.is_empty()) {
            (true, _) => write!(out, "{field}: {to}"),
            (false, true) => write!(out, "{field}: {from} → none"),
            (false, false) => write!(out, "{field}: {from} → {to}"),
        }
    }
}

impl Sentence {
    pub fn of(event: &Event) -> Sentence {
        let subject = event.subject.name.as_deref().unwrap_or(&event.subject.id);
        let record = event.record.as_ref();
        let kind = record.map_or(event.subject.kind.as_str(), |record| &record.kind);
        let record = record.map_or("", |record| record.name.as_deref().unwrap_or(&record.id));
        let text = match event.event_type.as_str() {
            "rating.changed" => rating(event, subject),
            _ => None,
        };
        let shown = event.changes.iter().filter(|change| !is_repeated(event, change, record));
        Sentence {
            text: text.unwrap_or_else(|| what_happened(&event.event_type, subject, record)),
            changes: shown.map(|change| in_words(kind, change)).collect(),
        }
    }
}

/// A rating, if the event has all of it.
fn rating(event: &Event, subject: &str) -> Option<String> {
    let value = |field: &str| {
        let change = event.changes.iter().find(|change| change.field == field)?;
        change.to.as_str()
    };
    let (agency, instrument) = (value("agency")?, value("instrument")?);
    Some(format!("{agency} rated {subject} {} ({instrument})", value("rating")?))
}

/// Whether a change repeats the sentence, or another change in the words of the source.
fn is_repeated(event: &Event, change: &EventChange, record: &str) -> bool {
    let is_there = |field: &str| event.changes.iter().any(|other| other.field == field);
    let code = change.field.strip_suffix("_text");
    let in_sentence = change.from.is_null() && change.to == record;
    let of_rating = matches!(change.field.as_str(), "agency" | "instrument" | "rating");
    code.is_some_and(is_there)
        || in_sentence
        || of_rating && event.event_type == "rating.changed" && rating(event, "").is_some()
}

fn what_happened(event_type: &str, subject: &str, record: &str) -> String {
    match event_type {
        "company.added" => format!("{subject} was added to the register"),
        "company.status_changed" => format!("The status of {subject} changed"),
        "company.name_changed" => format!("{subject} changed its name"),
        "company.number_changed" => format!("{subject} has a new number"),
        "company.office_changed" => format!("{subject} moved its registered office"),
        "company.capital_changed" => format!("The capital of {subject} changed"),
        "company.updated" => format!("The record of {subject} changed"),
        "director.appointed" => format!("{record} was appointed at {subject}"),
        "director.ceased" => format!("{record} ceased to be a director of {subject}"),
        "director.status_changed" => format!("The status of the director {subject} changed"),
        "director.updated" => format!("The record of the director {subject} changed"),
        "charge.created" => format!("{subject} created a charge in favor of {record}"),
        "charge.modified" => format!("A charge of {subject} in favor of {record} was modified"),
        "charge.satisfied" => format!("A charge of {subject} in favor of {record} was satisfied"),
        "financials.added" => format!("Accounts of {subject} were added ({record})"),
        "filing.added" => format!("{subject} filed {record}"),
        "filing.overdue" => format!("{subject} is overdue with {record}"),
        "document.added" => format!("A document of {subject} was added ({record})"),
        "rating.changed" => format!("A credit rating of {subject} changed ({record})"),
        "gst.added" => format!("The GST registration of {subject} was added"),
        "gst.status_changed" => format!("The status of the GST registration of {subject} changed"),
        "gst.updated" => format!("The GST registration of {subject} changed"),
        "gst.return_filed" => format!("{subject} filed a GST return ({record})"),
        other => format!("{subject}: {other}"),
    }
}

/// A change of a record of this kind.
fn in_words(kind: &str, change: &EventChange) -> ChangeInWords {
    let words = |value: &Value| value_in_words(kind, &change.field, value);
    ChangeInWords { field: label(&change.field), from: words(&change.from), to: words(&change.to) }
}

fn label(field: &str) -> String {
    match field {
        "din" | "cin" | "pan" | "lei" | "gstin" => field.to_ascii_uppercase(),
        _ => field.replace(['.', '_'], " ").replace("pincode", "PIN code"),
    }
}

fn value_in_words(kind: &str, field: &str, value: &Value) -> String {
    let is_money = matches!(field, "capital.authorised" | "capital.paid_up")
        || event_fields::public(kind, field).is_some_and(|(_, form)| form == Form::Money);
    let is_day = field.ends_with("_on") || field.ends_with("_date");
    let text = match value {
        Value::Null => String::new(),
        Value::Bool(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(rupees), _) if is_money => amounts::rupees(rupees),
            (None, Some(rupees)) if is_money => {
                amounts::rupees_and_paise((rupees * 100.0).round() as i64)
            }
            (Some(whole), _) => amounts::grouped(whole),
            _ => number.to_string(),
        },
        Value::String(text) if is_day => dates::day(text),
        Value::String(text) if is_word(text) => text.replace('_', " "),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.chars().count() > MAX_VALUE {
        true => text.chars().take(MAX_VALUE).chain(['…']).collect(),
        false => text,
    }
}

/// Whether a text is a word of an enumeration, such as `under_liquidation`.
fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_reads_like_a_sentence() {
        let event: Event = serde_json::from_value(json!({
            "id": "evt_1", "seq": 1, "type": "charge.created",
            "subject": { "kind": "company", "id": "F99101", "name": "Namuna Limited" },
            "record": { "kind": "charge", "id": "990099001", "name": "Udhaar Bank" },
            "changes": [
                { "field": "amount", "from": null, "to": 2_500_000 },
                { "field": "created_on", "from": null, "to": "2026-04-20" },
            ],
            "as_of": "2026-06-30", "source": "test", "recorded_at": "2026-07-01T00:00:00.000Z",
        }))
        .expect("an event");
        let sentence = Sentence::of(&event);
        assert_eq!(sentence.text, "Namuna Limited created a charge in favor of Udhaar Bank");
        let changes: Vec<(&str, &str, &str)> = sentence
            .changes
            .iter()
            .map(|change| (change.field.as_str(), change.from.as_str(), change.to.as_str()))
            .collect();
        assert_eq!(changes[0].0, "amount");
        assert!(changes[0].2.contains("25,00,000"), "{changes:?}");
        assert_eq!((changes[1].0, changes[1].1), ("created on", ""));
        assert_eq!(sentence.changes[1].to_string(), "created on: 20 Apr 2026");
    }

    fn event(event_type: &str, record: Value, changes: Value) -> Event {
        serde_json::from_value(json!({
            "id": "evt_1", "seq": 1, "type": event_type,
            "subject": { "kind": "company", "id": "F99101", "name": "Namuna Limited" },
            "record": record, "changes": changes,
            "as_of": "2026-06-30", "source": "test", "recorded_at": "2026-07-01T00:00:00.000Z",
        }))
        .expect("an event")
    }

    fn lines(event: &Event) -> Vec<String> {
        let sentence = Sentence::of(event);
        let changes = sentence.changes.iter().map(ToString::to_string);
        std::iter::once(sentence.text).chain(changes).collect()
    }

    #[test]
    fn nothing_is_said_twice_and_values_are_written_for_people() {
        let status = json!([
            { "field": "status", "from": "active", "to": "under_liquidation" },
            { "field": "status_text", "from": "Active", "to": "Under Liquidation" },
            { "field": "email", "from": "info@namuna.example", "to": null },
        ]);
        assert_eq!(
            lines(&event("company.status_changed", Value::Null, status)),
            [
                "The status of Namuna Limited changed",
                "status: active → under liquidation",
                "email: info@namuna.example → none",
            ]
        );
        let accounts = json!([
            { "field": "to_date", "from": null, "to": "2025-03-31" },
            { "field": "financial_year", "from": null, "to": "2024-25" },
            { "field": "revenue", "from": null, "to": 150_000_000 },
        ]);
        let year = json!({ "kind": "financial_year", "id": "2025-03-31 year", "name": "2024-25" });
        assert_eq!(
            lines(&event("financials.added", year, accounts)),
            [
                "Accounts of Namuna Limited were added (2024-25)",
                "to date: 31 Mar 2025",
                "revenue: ₹15,00,00,000",
            ]
        );
        let rated = json!([
            { "field": "agency", "from": null, "to": "Namuna Ratings" },
            { "field": "instrument", "from": null, "to": "Term loan" },
            { "field": "rated_on", "from": null, "to": "2026-09-01" },
            { "field": "rating", "from": null, "to": "BB" },
        ]);
        let rating = json!({ "kind": "rating", "id": "Namuna Ratings Term loan", "name": null });
        assert_eq!(
            lines(&event("rating.changed", rating, rated)),
            ["Namuna Ratings rated Namuna Limited BB (Term loan)", "rated on: 1 Sep 2026"]
        );
    }
}
