//! The sandbox: an invented register built into the program, and values that make errors happen.

use panji_import::panji;
use panji_store::register::Record;

use crate::error::{ApiError, ErrorCode};

/// The sandbox's files, in the own import format.
const FILES: [(&str, &str); 12] = [
    ("companies.jsonl", include_str!("../sandbox/companies.jsonl")),
    ("directors.jsonl", include_str!("../sandbox/directors.jsonl")),
    ("appointments.jsonl", include_str!("../sandbox/appointments.jsonl")),
    ("charges.jsonl", include_str!("../sandbox/charges.jsonl")),
    ("financial_years.jsonl", include_str!("../sandbox/financial_years.jsonl")),
    ("filings.jsonl", include_str!("../sandbox/filings.jsonl")),
    ("documents.jsonl", include_str!("../sandbox/documents.jsonl")),
    ("ratings.jsonl", include_str!("../sandbox/ratings.jsonl")),
    ("epfo.jsonl", include_str!("../sandbox/epfo.jsonl")),
    ("gst.jsonl", include_str!("../sandbox/gst.jsonl")),
    ("gst_filings.jsonl", include_str!("../sandbox/gst_filings.jsonl")),
    ("pans.jsonl", include_str!("../sandbox/pans.jsonl")),
];

/// A company for the first call.
pub const DEMO_CIN: &str = "L17111MH1994PLC990011";
/// How long the slow company takes to answer.
pub const SLOW_ANSWER_MS: u64 = 10_000;

/// All records of the sandbox. A line that cannot be read is a fault of the build.
pub fn records() -> Result<Vec<Record>, String> {
    let mut records = Vec::new();
    for (file, text) in FILES {
        for (index, line) in text.lines().enumerate() {
            let record = panji::parse_line(line)
                .map_err(|reason| format!("sandbox/{file}, line {}: {reason}", index + 1))?;
            records.push(record);
        }
    }
    Ok(records)
}

/// What a rehearsal value makes happen.
#[derive(Debug)]
pub enum Rehearsal {
    /// The call fails.
    Fail(ApiError),
    /// The call takes its time.
    Wait,
}

/// The CINs that rehearse something, and what happens, for people.
pub const REHEARSALS: [(&str, &str); 6] = [
    ("U99999XX2000PTC000402", "402 insufficient_credits"),
    ("U99999XX2000PTC000404", "404 company_not_found; verifyCin answers 200 with found false"),
    ("U99999XX2000PTC000429", "429 rate_limited, with Retry-After"),
    ("U99999XX2000PTC000500", "500 internal_error"),
    ("U99999XX2000PTC000503", "503 unavailable, with Retry-After"),
    ("U99999XX2000PTC000010", "a good answer after 10 seconds"),
];

/// What a CIN rehearses, if anything.
pub fn rehearsal(cin: &str) -> Option<Rehearsal> {
    let fail = |code, message: &str| Some(Rehearsal::Fail(ApiError::new(code, message)));
    match cin.strip_prefix("U99999XX2000PTC")? {
        "000402" => fail(
            ErrorCode::InsufficientCredits,
            "Rehearsal: this CIN always answers that the balance does not cover the call.",
        ),
        "000404" => fail(
            ErrorCode::CompanyNotFound,
            "Rehearsal: this CIN always answers that no such company is held.",
        ),
        "000429" => fail(
            ErrorCode::RateLimited,
            "Rehearsal: this CIN always answers that there were too many requests.",
        ),
        "000500" => {
            fail(ErrorCode::InternalError, "Rehearsal: this CIN always answers with a fault.")
        }
        "000503" => fail(
            ErrorCode::Unavailable,
            "Rehearsal: this CIN always answers that the service is unavailable.",
        ),
        "000010" => Some(Rehearsal::Wait),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cin_that_people_are_told_of_rehearses_something() {
        for (cin, what) in REHEARSALS {
            match rehearsal(cin).expect(cin) {
                Rehearsal::Fail(error) => {
                    let told = format!("{} {}", error.code.status().as_u16(), error.code.as_str());
                    assert!(what.starts_with(&told), "{cin}: {what}");
                }
                Rehearsal::Wait => assert!(what.contains("10 seconds"), "{cin}: {what}"),
            }
        }
    }
}
