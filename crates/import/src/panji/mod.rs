//! Panji's own format: one JSON object per line, one line per record, described in `docs/data.md`.

mod company;
mod compliance;
pub(crate) mod field;
mod fields;
mod financials;
mod gst;
mod people;

use std::io::BufRead;

use panji_store::register::Record;
use serde::Deserialize;

use crate::lines::{LineEnd, MAX_LINE_BYTES, read_line};
use crate::load::{ImportError, Importer};
use crate::report::Observer;
use company::{CompanyLine, PanLine};
use compliance::{DocumentLine, EpfoLine, FilingLine, RatingLine};
use fields::field_names;
use financials::{ChargeLine, FinancialYearLine};
use gst::{GstFilingLine, GstLine};
use people::{AppointmentLine, DirectorLine};

/// The name under which records of this format are served as `source`.
pub const SOURCE: &str = "panji";

/// Loads every line of a stream.
pub(crate) async fn load<O: Observer>(
    importer: &mut Importer<'_, O>,
    mut source: impl BufRead,
) -> Result<(), ImportError> {
    let mut bytes = Vec::new();
    for line in 1.. {
        let end = read_line(&mut source, &mut bytes)?;
        if end == LineEnd::OfFile {
            break;
        }
        let text = String::from_utf8_lossy(&bytes);
        if text.trim().is_empty() {
            continue;
        }
        let parsed = match end {
            LineEnd::Cut => Err(format!("the line is longer than {MAX_LINE_BYTES} bytes")),
            _ => parse_line(&text),
        };
        importer.take(line, &text, Some(SOURCE), parsed).await?;
    }
    Ok(())
}

/// Reads one line. The error is a sentence that says what to mend.
pub fn parse_line(line: &str) -> Result<Record, String> {
    // PostgreSQL cannot hold it in text, and no name or address has one.
    if line.contains('\0') || line.contains("\\u0000") {
        return Err("the record has a NUL character: take it out".to_owned());
    }
    let parsed: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    parsed.into_record()
}

/// The kinds of line with their fields.
pub fn kinds() -> [(&'static str, &'static [&'static str]); 12] {
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
}

impl Line {
    fn into_record(self) -> Result<Record, String> {
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
        })
    }
}
