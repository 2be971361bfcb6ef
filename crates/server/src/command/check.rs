//! `panji check`: checks identifiers offline, one or many.

use std::io::{BufRead, BufWriter, Read, Write};
use std::process::ExitCode;

use clap::Args;
use panji_ids::{CompanyId, IdError, Identifier, IdentifierKind, Lei};
use panji_store::calendar::{ist_year, now_ms};
use serde::Serialize;

use super::error::CommandError;
use super::values::ValueError;

/// The longest line of standard input.
const MAX_LINE_BYTES: u64 = 4_096;
const BUFFER_BYTES: usize = 1 << 20;

#[derive(Args)]
pub struct CheckArguments {
    /// CIN, LLPIN, FCRN, DIN, GSTIN, PAN or LEI; `-` reads one per line from standard input
    #[arg(required = true, value_name = "VALUE")]
    values: Vec<String>,
    /// The type of the values; by default it is detected
    #[arg(long, value_name = "cin|din|gstin|pan|lei", value_parser = parse_kind)]
    r#type: Option<Kind>,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

/// What a value is checked as.
#[derive(Clone, Copy)]
enum Kind {
    OfIndia(IdentifierKind),
    Lei,
}

impl Kind {
    fn of(value: &str) -> Option<Kind> {
        let lei = || Lei::resembles(value).then_some(Kind::Lei);
        Identifier::classify(value).map(Kind::OfIndia).or_else(lei)
    }

    fn name(self) -> &'static str {
        match self {
            Kind::OfIndia(kind) => kind.name(),
            Kind::Lei => "lei",
        }
    }
}

fn parse_kind(text: &str) -> Result<Kind, ValueError> {
    let of_india = IdentifierKind::from_name(text).map(Kind::OfIndia);
    let kind = of_india.or_else(|| (text == Kind::Lei.name()).then_some(Kind::Lei));
    kind.ok_or(ValueError::Expected("one of cin, din, gstin, pan, lei"))
}

#[derive(Serialize)]
struct Line<'a> {
    value: &'a str,
    r#type: Option<&'static str>,
    valid: bool,
    canonical: Option<&'a str>,
    reason: Option<String>,
}

/// Exit status 0 if all are valid, else 1.
pub fn run(arguments: &CheckArguments) -> Result<ExitCode, CommandError> {
    let checker =
        Checker { kind: arguments.r#type, json: arguments.json, this_year: ist_year(now_ms()) };
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, std::io::stdout().lock());
    let mut all_valid = true;
    for value in &arguments.values {
        let written = if value == "-" {
            checker.check_input(&mut out)
        } else {
            checker.check(value, &mut out)
        };
        match written {
            Ok(valid) => all_valid &= valid,
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                return Ok(ExitCode::SUCCESS);
            }
            Err(error) => return Err(CommandError::Output(error)),
        }
    }
    out.flush().map_err(CommandError::Output)?;
    Ok(if all_valid { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

struct Checker {
    kind: Option<Kind>,
    json: bool,
    this_year: u16,
}

impl Checker {
    fn check_input(&self, out: &mut impl Write) -> std::io::Result<bool> {
        let stdin = std::io::stdin().lock();
        let mut input = std::io::BufReader::with_capacity(BUFFER_BYTES, stdin);
        let mut bytes = Vec::new();
        let mut all_valid = true;
        loop {
            bytes.clear();
            if input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)? == 0 {
                return Ok(all_valid);
            }
            let line = String::from_utf8_lossy(&bytes);
            let value = line.trim_end_matches(['\n', '\r']);
            if !value.trim().is_empty() {
                all_valid &= self.check(value, out)?;
            }
        }
    }

    /// The canonical text of a value, or what is wrong with it.
    fn verdict(&self, kind: Option<Kind>, value: &str) -> Result<String, IdError> {
        match kind {
            Some(Kind::Lei) => Lei::parse(value).map(|lei| lei.as_str().to_owned()),
            Some(Kind::OfIndia(IdentifierKind::Cin)) => {
                CompanyId::parse_in_year(value, self.this_year).map(|id| id.as_str().to_owned())
            }
            Some(Kind::OfIndia(kind)) => {
                Identifier::parse_as(kind, value).map(|id| id.as_str().to_owned())
            }
            None => Identifier::parse(value).map(|id| id.as_str().to_owned()),
        }
    }

    fn check(&self, value: &str, out: &mut impl Write) -> std::io::Result<bool> {
        let kind = self.kind.or_else(|| Kind::of(value));
        let verdict = self.verdict(kind, value);
        let kind = kind.map(Kind::name);
        if self.json {
            let line = Line {
                value,
                r#type: kind,
                valid: verdict.is_ok(),
                canonical: verdict.as_deref().ok(),
                reason: verdict.as_ref().err().map(ToString::to_string),
            };
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")?;
        } else {
            let kind = kind.unwrap_or("unknown");
            match &verdict {
                Ok(canonical) => writeln!(out, "valid\t{kind}\t{canonical}")?,
                Err(error) => {
                    let echoed: String = value.trim().chars().take(64).collect();
                    writeln!(out, "invalid\t{kind}\t{echoed}\t{error}")?;
                }
            }
        }
        Ok(verdict.is_ok())
    }
}
