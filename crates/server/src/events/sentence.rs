//! Events in words, for people.

use serde_json::Value;

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

impl Sentence {
    pub fn of(event: &Event) -> Sentence {
        let subject = event.subject.name.as_deref().unwrap_or(&event.subject.id);
        let record = event.record.as_ref();
        let record = record.map_or("", |record| record.name.as_deref().unwrap_or(&record.id));
        Sentence {
            text: what_happened(&event.event_type, subject, record),
            changes: event.changes.iter().map(in_words).collect(),
        }
    }
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
        "charge.created" => format!("{subject} created a charge in favour of {record}"),
        "charge.modified" => format!("A charge of {subject} in favour of {record} was modified"),
        "charge.satisfied" => format!("A charge of {subject} in favour of {record} was satisfied"),
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

fn in_words(change: &EventChange) -> ChangeInWords {
    let field = change.field.replace(['.', '_'], " ");
    let words = |value: &Value| value_in_words(&change.field, value);
    ChangeInWords { field, from: words(&change.from), to: words(&change.to) }
}

fn value_in_words(field: &str, value: &Value) -> String {
    let is_money = field.starts_with("capital.") && field != "capital.members" || field == "amount";
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
        Value::String(text) if field.ends_with("_on") => dates::day(text),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.chars().count() > MAX_VALUE {
        true => text.chars().take(MAX_VALUE).chain(['…']).collect(),
        false => text,
    }
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
        assert_eq!(sentence.text, "Namuna Limited created a charge in favour of Udhaar Bank");
        let changes: Vec<(&str, &str, &str)> = sentence
            .changes
            .iter()
            .map(|change| (change.field.as_str(), change.from.as_str(), change.to.as_str()))
            .collect();
        assert_eq!(changes[0].0, "amount");
        assert!(changes[0].2.contains("25,00,000"), "{changes:?}");
        assert_eq!((changes[1].0, changes[1].1), ("created on", ""));
    }
}
