//! The responses of GLEIF's interface as JSON: one record or a list of them as `data`, or records alone.

use std::collections::VecDeque;
use std::io::BufRead;

use serde_json::Value;

use super::SOURCE;
use super::statements::{Holder, Relationship, ReportingException};
use crate::input::opened::Opened;
use crate::sources::json_documents::{DocumentStream, Located};
use crate::sources::source::{ParsedRow, ParsedRows, RowOutcome, SourceError};
use crate::values::json_fields;

const HOLDER: &str = "lei-records";
const RELATIONSHIP: &str = "relationship-records";
const EXCEPTION: &str = "reporting-exceptions";

/// What else the interface returns.
const OTHER_KIND: &str = "a record of GLEIF that is about no holder, relationship or exception";

/// Whether a JSON text has a record of GLEIF.
pub(super) fn recognizes(head: &[u8]) -> bool {
    if !matches!(head.first(), Some(b'{' | b'[')) {
        return false;
    }
    let text = String::from_utf8_lossy(head);
    [HOLDER, RELATIONSHIP, EXCEPTION].iter().any(|kind| {
        let quoted = format!("\"{kind}\"");
        text.match_indices(&quoted).any(|(at, _)| {
            let before = text[..at].trim_end();
            before.strip_suffix(':').is_some_and(|before| before.trim_end().ends_with("\"type\""))
        })
    })
}

pub(super) fn open(opened: Opened<'_>) -> Result<ParsedRows<'_>, SourceError> {
    let stream = DocumentStream::new(opened.into_reader()?)?;
    Ok(Box::new(ApiRows { stream, line: 0, rows: VecDeque::new(), has_rows: false }))
}

struct ApiRows<R> {
    stream: DocumentStream<R>,
    line: u64,
    /// Rows of the last document that are not pulled yet.
    rows: VecDeque<ParsedRow>,
    has_rows: bool,
}

impl<R: BufRead> Iterator for ApiRows<R> {
    type Item = Result<ParsedRow, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.rows.pop_front() {
                self.has_rows = true;
                return Some(Ok(row));
            }
            match self.stream.next_document() {
                Err(error) => return Some(Err(error.into())),
                Ok(None) => return None,
                Ok(Some(Located { line, content: Ok(document) })) => {
                    self.line = line;
                    self.add(document);
                }
                Ok(Some(Located { line, content: Err(invalid) })) if self.has_rows => {
                    let row = ParsedRow::new(line, &invalid.raw, Some(SOURCE), Err(invalid.reason));
                    self.rows.push_back(row);
                }
                Ok(Some(Located { content: Err(invalid), .. })) => {
                    return Some(Err(SourceError::InvalidJson(invalid.reason.text)));
                }
            }
        }
    }
}

impl<R> ApiRows<R> {
    /// Adds the rows of a record, of a list of them, or of a response with either as `data`.
    fn add(&mut self, mut document: Value) {
        let content = match document.get_mut("data") {
            Some(data) => data.take(),
            None => document,
        };
        let records = match content {
            Value::Array(records) => records,
            record => vec![record],
        };
        for record in records {
            let (line, bytes) = (self.line, record.to_string().len());
            self.rows.push_back(ParsedRow { line, bytes, outcome: outcome(&record) });
        }
    }
}

fn outcome(record: &Value) -> RowOutcome {
    let text = |pointer: &str| record.pointer(pointer).and_then(json_fields::text);
    let required = |pointer: &str| text(pointer).unwrap_or_default();
    match record.get("type").and_then(Value::as_str) {
        Some(HOLDER) => Holder {
            lei: required("/attributes/lei"),
            name: text("/attributes/entity/legalName/name"),
            country: text("/attributes/entity/legalAddress/country"),
            registered_at: text("/attributes/entity/registeredAt/id"),
            registered_as: text("/attributes/entity/registeredAs"),
            entity_status: text("/attributes/entity/status"),
            registration_status: text("/attributes/registration/status"),
            registered: text("/attributes/registration/initialRegistrationDate"),
            updated: text("/attributes/registration/lastUpdateDate"),
            next_renewal: text("/attributes/registration/nextRenewalDate"),
        }
        .into_outcome(),
        Some(RELATIONSHIP) => Relationship {
            start: required("/attributes/relationship/startNode/id"),
            end: required("/attributes/relationship/endNode/id"),
            kind: required("/attributes/relationship/type"),
            status: text("/attributes/relationship/status"),
            registration_status: text("/attributes/registration/status"),
            updated: text("/attributes/registration/lastUpdateDate"),
        }
        .into_outcome(),
        Some(EXCEPTION) => ReportingException {
            lei: required("/attributes/lei"),
            category: required("/attributes/category"),
            reason: text("/attributes/reason"),
            as_of: text("/attributes/validFrom"),
        }
        .into_outcome(None),
        _ => RowOutcome::Skipped(OTHER_KIND),
    }
}
