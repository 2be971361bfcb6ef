//! The sandbox: a register of invented records, embedded in the program.

use panji_import::panji;
use panji_store::register::Record;

use super::error::SandboxError;

/// The files, in Panji's own import format.
const FILES: [(&str, &str); 13] = [
    ("companies.jsonl", include_str!("../../sandbox/companies.jsonl")),
    ("directors.jsonl", include_str!("../../sandbox/directors.jsonl")),
    ("appointments.jsonl", include_str!("../../sandbox/appointments.jsonl")),
    ("charges.jsonl", include_str!("../../sandbox/charges.jsonl")),
    ("financial_years.jsonl", include_str!("../../sandbox/financial_years.jsonl")),
    ("filings.jsonl", include_str!("../../sandbox/filings.jsonl")),
    ("documents.jsonl", include_str!("../../sandbox/documents.jsonl")),
    ("ratings.jsonl", include_str!("../../sandbox/ratings.jsonl")),
    ("epfo.jsonl", include_str!("../../sandbox/epfo.jsonl")),
    ("gst.jsonl", include_str!("../../sandbox/gst.jsonl")),
    ("gst_filings.jsonl", include_str!("../../sandbox/gst_filings.jsonl")),
    ("pans.jsonl", include_str!("../../sandbox/pans.jsonl")),
    ("leis.jsonl", include_str!("../../sandbox/leis.jsonl")),
];

/// The company in the examples for a first call.
pub const DEMO_CIN: &str = "L17111MH1994PLC990011";

/// The day of the newest data of the sandbox, for which it is judged.
pub const DATA_DAY: &str = "2026-06-30";

/// All records of the sandbox. A malformed line is a build error.
pub fn records() -> Result<Vec<Record>, SandboxError> {
    let mut records = Vec::new();
    for (file, text) in FILES {
        for (index, line) in text.lines().enumerate() {
            let record = panji::parse_line(line).map_err(|cause| SandboxError {
                file,
                line: index + 1,
                cause,
            })?;
            records.push(record);
        }
    }
    Ok(records)
}
