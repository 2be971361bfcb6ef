//! Panji's own format: one JSON object per line, one line per record, described in
//! `docs/import-format.md`.

mod company;
mod compliance;
mod field_names;
mod financials;
mod gst;
mod lei;
mod people;
mod source;

use std::io::{self, BufRead};

use panji_store::register::Record;
use serde::Deserialize;
use serde_json::Value;

use super::source::{DocumentParser, FileReader, FormatSpec, ParsedRow, SourceError};
use crate::input::lines::{LineEnd, line_too_long, read_line};
use crate::values::json_sentence::json_reason;
use crate::values::reason::Reason;
use company::{CompanyLine, PanLine};
use compliance::{DocumentLine, EpfoLine, FilingLine, RatingLine};
use field_names::field_names;
use financials::{ChargeLine, FinancialYearLine};
use gst::{GstFilingLine, GstLine};
use lei::{LeiEntityLine, LeiLine, LeiParentLine};
use people::{AppointmentLine, DirectorLine};
pub use source::SOURCE;

/// Lines that are searched for a record.
const LINES_INSPECTED: usize = 20;

pub(crate) static FORMAT: FormatSpec = FormatSpec {
    name: SOURCE,
    title: "Panji's own format, JSON, one record per line",
    columns: || kinds().map(|(kind, fields)| (kind, fields.join(", "))).to_vec(),
    file: Some(FileReader {
        recognizes,
        open: |opened, _| Ok(Box::new(Lines::new(opened.into_reader()?))),
    }),
    document: Some(DocumentParser {
        recognizes: is_record,
        parse: |document| vec![(SOURCE, parse_line(document.text))],
        quoted_in_rejects: true,
    }),
};

fn recognizes(head: &[u8]) -> bool {
    let lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let is_record_line =
        |line: &[u8]| serde_json::from_slice(line).is_ok_and(|value| is_record(&value));
    lines.take(LINES_INSPECTED).any(is_record_line)
}

fn is_record(document: &Value) -> bool {
    document.get("record").is_some()
}

/// The lines of a file, parsed.
struct Lines<R> {
    source: R,
    bytes: Vec<u8>,
    line: u64,
}

impl<R: BufRead> Lines<R> {
    fn new(source: R) -> Lines<R> {
        Lines { source, bytes: Vec::new(), line: 0 }
    }

    fn next_row(&mut self) -> io::Result<Option<ParsedRow>> {
        loop {
            let end = read_line(&mut self.source, &mut self.bytes)?;
            if end == LineEnd::EndOfFile {
                return Ok(None);
            }
            self.line += 1;
            let text = String::from_utf8_lossy(&self.bytes);
            if text.trim().is_empty() {
                continue;
            }
            let parsed = match end {
                LineEnd::Truncated => Err(Reason::fixed(line_too_long())),
                _ => parse_line(&text),
            };
            return Ok(Some(ParsedRow::new(self.line, &text, Some(SOURCE), parsed)));
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<ParsedRow, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().map_err(SourceError::Io).transpose()
    }
}

/// Parses one line. The error is a sentence that says what to correct.
pub fn parse_line(line: &str) -> Result<Record, Reason> {
    // PostgreSQL cannot store it in text, and no name or address has one.
    if line.contains('\0') || line.contains("\\u0000") {
        return Err(Reason::fixed("the record has a NUL character: remove it"));
    }
    let parsed: Line = serde_json::from_str(line).map_err(|error| json_reason(&error))?;
    parsed.into_record()
}

/// The kinds of line with their fields.
pub fn kinds() -> [(&'static str, &'static [&'static str]); 15] {
    [
        ("company", field_names::<CompanyLine>()),
        ("pan", field_names::<PanLine>()),
        ("director", field_names::<DirectorLine>()),
        ("appointment", field_names::<AppointmentLine>()),
        ("charge", field_names::<ChargeLine>()),
        ("financial_year", field_names::<FinancialYearLine>()),
        ("filing", field_names::<FilingLine>()),
        ("document", field_names::<DocumentLine>()),
        ("rating", field_names::<RatingLine>()),
        ("epfo", field_names::<EpfoLine>()),
        ("gst", field_names::<GstLine>()),
        ("gst_filing", field_names::<GstFilingLine>()),
        ("lei", field_names::<LeiLine>()),
        ("lei_parent", field_names::<LeiParentLine>()),
        ("lei_entity", field_names::<LeiEntityLine>()),
    ]
}

#[derive(Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "a line lives for one call only")]
enum Line {
    Company(CompanyLine),
    Director(DirectorLine),
    Appointment(AppointmentLine),
    Charge(ChargeLine),
    FinancialYear(FinancialYearLine),
    Filing(FilingLine),
    Document(DocumentLine),
    Rating(RatingLine),
    Epfo(EpfoLine),
    Gst(GstLine),
    GstFiling(GstFilingLine),
    Pan(PanLine),
    Lei(LeiLine),
    LeiParent(LeiParentLine),
    LeiEntity(LeiEntityLine),
}

impl Line {
    fn into_record(self) -> Result<Record, Reason> {
        Ok(match self {
            Line::Company(line) if line.partial => Record::PartialCompany(line.into_record()?),
            Line::Company(line) => Record::Company(line.into_record()?),
            Line::Director(line) => Record::Director(line.into_record()?),
            Line::Appointment(line) => Record::Appointment(line.into_record()?),
            Line::Charge(line) => Record::Charge(line.into_record()?),
            Line::FinancialYear(line) => Record::FinancialYear(line.into_record()?),
            Line::Filing(line) => Record::Filing(line.into_record()?),
            Line::Document(line) => Record::Document(line.into_record()?),
            Line::Rating(line) => Record::Rating(line.into_record()?),
            Line::Epfo(line) => Record::Epfo(line.into_record()?),
            Line::Gst(line) => Record::Gst(line.into_record()?),
            Line::GstFiling(line) => Record::GstFiling(line.into_record()?),
            Line::Pan(line) => Record::Pan(line.into_record()?),
            Line::Lei(line) => Record::Lei(line.into_record()?),
            Line::LeiParent(line) => Record::LeiParent(line.into_record()?),
            Line::LeiEntity(line) => Record::LeiEntity(line.into_record()?),
        })
    }
}
