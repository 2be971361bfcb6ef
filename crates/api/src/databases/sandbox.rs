//! The sandbox: a register of fictitious records, embedded in the program.

use std::collections::HashSet;

use panji_import::panji;
use panji_store::calendar::ist_midnight_ms;
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

/// The day of the newest data of the sandbox, for which its findings are checked.
pub const DATA_DAY: &str = "2026-06-30";
/// Earlier versions of some records.
const HISTORY: (&str, &str) = ("history.jsonl", include_str!("../../sandbox/history.jsonl"));
/// The days on which the sandbox's two imports seem to have happened: what differs is an event.
const FIRST_DAY: &str = "2026-04-01";
const SECOND_DAY: &str = "2026-07-01";

/// The imports of the sandbox, with the instant of each. A malformed line is a build error.
pub fn imports() -> Result<[(i64, Vec<Record>); 2], SandboxError> {
    let mut records = Vec::new();
    for (file, text) in FILES {
        records.extend(parse(file, text)?);
    }
    let earlier = parse(HISTORY.0, HISTORY.1)?;
    let replaced: HashSet<(&str, String)> =
        earlier.iter().map(|record| (record.resource(), record.key_text())).collect();
    let is_first = |record: &&Record| {
        !replaced.contains(&(record.resource(), record.key_text()))
            && record.happened_on().is_none_or(|day| day < FIRST_DAY)
    };
    let mut first: Vec<Record> = records.iter().filter(is_first).cloned().collect();
    first.extend(earlier);
    Ok([(ist_midnight_ms(FIRST_DAY), first), (ist_midnight_ms(SECOND_DAY), records)])
}

fn parse(file: &'static str, text: &str) -> Result<Vec<Record>, SandboxError> {
    let parse = |(index, line): (usize, &str)| {
        panji::parse_line(line).map_err(|cause| SandboxError { file, line: index + 1, cause })
    };
    text.lines().enumerate().map(parse).collect()
}
