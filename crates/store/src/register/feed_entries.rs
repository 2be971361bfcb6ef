//! The entries of the change feed: what each kind of change stores, and their numbers.

use std::collections::HashSet;
use std::sync::OnceLock;

use serde_json::Map;

use super::Company;
use super::event_types::{self, Fields, Part};
use crate::engine::{BulkStatements, Transaction, Value};
use crate::error::{Result, StoreError};
use crate::table::{Table, column_json};

/// An entry of the change feed without its number.
pub(super) struct FeedEntry {
    resource: &'static str,
    key: String,
    /// The changed columns; empty for a new record.
    fields: String,
    source: String,
    event_type: Option<&'static str>,
    /// Without one, the entry is not part of a history.
    subject: Option<String>,
    related: Option<String>,
    old_values: Option<String>,
    new_values: Option<String>,
    as_of: Option<String>,
}

impl FeedEntry {
    /// An entry for those who follow the feed, which is no event.
    pub(super) fn without_event<T: Table>(
        resource: &'static str,
        record: &T,
        fields: String,
    ) -> FeedEntry {
        FeedEntry {
            resource,
            key: record.key_text(),
            fields,
            source: record.source().to_owned(),
            event_type: None,
            subject: None,
            related: None,
            old_values: None,
            new_values: None,
            as_of: record.as_of().map(str::to_owned),
        }
    }

    fn of_subject<T: Table>(resource: &'static str, record: &T, fields: String) -> FeedEntry {
        let has_subject = event_types::has_subject(resource);
        // The second column of an appointment is the director.
        let related = match (resource, record.values().get(1)) {
            ("appointment", Some(Value::Text(din))) => Some((*din).to_owned()),
            _ => None,
        };
        FeedEntry {
            subject: has_subject.then(|| record.owner().to_owned()),
            related,
            ..FeedEntry::without_event(resource, record, fields)
        }
    }

    pub(super) fn of_new<T: Table>(resource: &'static str, record: &T) -> FeedEntry {
        let fields = Fields::new(T::COLUMNS, record.values());
        let event_type = event_types::of_new(resource, &fields);
        let new_values = event_type.map(|_| values_json::<T>(record, &T::COLUMNS[1..], true));
        let entry = FeedEntry::of_subject(resource, record, String::new());
        FeedEntry { event_type, new_values, ..entry }
    }

    /// The entries of a changed record. During the first import of its source they are no events, but
    /// still part of the history.
    pub(super) fn of_change<T: Table>(
        resource: &'static str,
        changed: &[&'static str],
        old: &T,
        new: &T,
        is_event: bool,
    ) -> Vec<FeedEntry> {
        let old_fields = Fields::new(T::COLUMNS, old.values());
        let new_fields = Fields::new(T::COLUMNS, new.values());
        let parts = match is_event {
            true => event_types::of_change(resource, changed, &old_fields, &new_fields),
            false => vec![Part { event_type: None, columns: changed.to_vec() }],
        };
        let entry = |part: Part| {
            let shown: Vec<&'static str> =
                part.columns.iter().chain(event_types::naming_columns(resource)).copied().collect();
            FeedEntry {
                event_type: part.event_type,
                old_values: Some(values_json::<T>(old, &part.columns, false)),
                new_values: part.event_type.map(|_| values_json::<T>(new, &shown, false)),
                ..FeedEntry::of_subject(resource, new, part.columns.join(","))
            }
        };
        parts.into_iter().map(entry).collect()
    }

    /// The entry of a record that is now stored under another number. It has old values only for a company:
    /// the history of a section moves with its records.
    pub(super) fn of_removal<T: Table>(resource: &'static str, record: &T) -> FeedEntry {
        let fields = T::COLUMNS[0].to_owned();
        if T::NAME != Company::NAME {
            return FeedEntry::without_event(resource, record, fields);
        }
        let old_values = Some(values_json::<T>(record, T::COLUMNS, true));
        FeedEntry { old_values, ..FeedEntry::of_subject(resource, record, fields) }
    }

    /// Makes the entry of a company an event of its new number, or adds one.
    pub(super) fn add_new_number(entries: &mut Vec<FeedEntry>, former: &Company, cin: &str) {
        let is_new = |entry: &&mut FeedEntry| {
            entry.fields.is_empty() && entry.subject.as_deref() == Some(cin) && entry.key == cin
        };
        let numbers = |number: &str| Some(serde_json::json!({ "cin": number }).to_string());
        if let Some(entry) = entries.iter_mut().rev().find(is_new) {
            entry.event_type = Some(event_types::NUMBER_CHANGED);
            entry.related = Some(former.cin.clone());
            (entry.old_values, entry.new_values) = (numbers(&former.cin), numbers(cin));
            return;
        }
        entries.push(FeedEntry {
            key: cin.to_owned(),
            event_type: Some(event_types::NUMBER_CHANGED),
            subject: Some(cin.to_owned()),
            related: Some(former.cin.clone()),
            old_values: numbers(&former.cin),
            new_values: numbers(cin),
            ..FeedEntry::without_event("company", former, "former_cins".to_owned())
        });
    }
}

/// Columns of a record as a JSON object.
fn values_json<T: Table>(record: &T, columns: &[&str], skip_null: bool) -> String {
    let values = Fields::new(T::COLUMNS, record.values());
    let mut object = Map::new();
    for column in columns {
        let value = values.get(column);
        if !(skip_null && value == Value::Null) {
            object.insert((*column).to_owned(), column_json(value));
        }
    }
    serde_json::Value::Object(object).to_string()
}

/// The kinds of records of each source whose first import has ended.
#[derive(Default)]
pub(super) struct EventSources(HashSet<(String, String)>);

impl EventSources {
    pub(super) async fn load(transaction: &mut Transaction) -> Result<EventSources> {
        let list = "select resource, source from event_sources";
        let rows = transaction.query(list, &[], |row| Ok((row.get(0)?, row.get(1)?))).await?;
        Ok(EventSources(rows.into_iter().collect()))
    }

    pub(super) fn has(&self, resource: &str, source: &str) -> bool {
        // A few pairs; most batches have one kind of record.
        self.0.iter().any(|(known, from)| known == resource && from == source)
    }
}

/// Numbers the entries from the head. Its row stays locked until the commit, so that a reader of
/// the feed never sees a number before a lower one.
pub(super) async fn append(
    transaction: &mut Transaction,
    entries: &[FeedEntry],
    now_ms: i64,
) -> Result<()> {
    static STATEMENTS: OnceLock<BulkStatements> = OnceLock::new();
    const COLUMNS: [&str; 12] = [
        "seq",
        "resource",
        "record_key",
        "fields",
        "changed_at",
        "source",
        "event_type",
        "subject",
        "related",
        "old_values",
        "new_values",
        "as_of",
    ];
    let count = entries.len() as i64;
    let head = transaction
        .query_opt(
            "update change_head set seq = seq + $1 where id = 1 returning seq",
            &[count.into()],
            |row| row.get::<i64>(0),
        )
        .await?
        .ok_or_else(|| StoreError::Bug("the change feed has no head".into()))?;
    let rows: Vec<[Value<'_>; 12]> = entries
        .iter()
        .zip(head - count + 1..)
        .map(|(entry, seq)| {
            [
                seq.into(),
                entry.resource.into(),
                (&entry.key).into(),
                (&entry.fields).into(),
                now_ms.into(),
                (&entry.source).into(),
                entry.event_type.into(),
                entry.subject.as_ref().into(),
                entry.related.as_ref().into(),
                entry.old_values.as_ref().into(),
                entry.new_values.as_ref().into(),
                entry.as_of.as_ref().into(),
            ]
        })
        .collect();
    let statements = STATEMENTS.get_or_init(|| BulkStatements::new("changes", &COLUMNS, 1));
    let rows: Vec<&[Value<'_>]> = rows.iter().map(<[Value<'_>; 12]>::as_slice).collect();
    transaction.insert_many(statements, &rows).await
}
