//! `panji import`: source files into the live register.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use jiff::civil::Date;
use panji_import::xbrl::{Symbols, SymbolsError};
use panji_import::{Format, Importer, Observer, Options, Reject, Report};
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::engine::Workload;

use super::log::log_command;
use super::output::{Progress, complain, print};
use crate::config::Config;
use crate::deeds::written;
use crate::state::{open_ledger, open_register, store_sentence};

#[derive(Args)]
pub struct ImportArguments {
    /// Files, directories (walked), .gz and .zip archives; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The format of all of them, instead of telling it from the content; see `panji sources`
    #[arg(long, value_name = "NAME", value_parser = parse_format)]
    format: Option<Format>,
    /// The date of data that carries none of its own, as 2026-03-31
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    as_of: Option<Date>,
    /// A CSV with the columns symbol and cin: the companies of results filings (XBRL)
    #[arg(long, value_name = "FILE")]
    symbols: Option<PathBuf>,
    /// Read files again that went in before, even where nothing has changed since
    #[arg(long)]
    recheck: bool,
    /// Tell what would be done, and change nothing in the register
    #[arg(long)]
    dry_run: bool,
    /// Where rows that cannot be used are written [default: import-rejects.jsonl in the data directory]
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
}

fn parse_format(name: &str) -> Result<Format, String> {
    Format::from_name(name).ok_or_else(|| format!("one of {}", Format::names()))
}

fn parse_date(text: &str) -> Result<Date, String> {
    text.parse().map_err(|_| "a date like 2026-03-31".to_owned())
}

pub async fn run(config: &Config, arguments: &ImportArguments) -> Result<ExitCode, String> {
    let symbols = arguments.symbols.as_deref().map_or_else(|| Ok(Symbols::default()), symbols)?;
    let register = open_register(config, Workload::Import).await?;
    let rejects_path =
        arguments.rejects.clone().unwrap_or_else(|| config.data_dir.join("import-rejects.jsonl"));
    let mut output = Output {
        rejects: Rejects { path: rejects_path, file: None, failure: None },
        progress: Progress::new(),
    };
    let options = Options {
        format: arguments.format,
        as_of: arguments.as_of,
        symbols,
        recheck: arguments.recheck,
        dry_run: arguments.dry_run,
    };
    let id = ulid::Ulid::generate().to_string();
    let sentence = |error: StoreError| store_sentence(&error);
    let mut importer =
        Importer::begin(Arc::new(register), &options, &mut output, id.clone(), now_ms())
            .await
            .map_err(sentence)?;
    for path in &arguments.files {
        importer.import_path(path).await.map_err(sentence)?;
    }
    let report = importer.finish().await.map_err(sentence)?;
    output.progress.finish();
    output.rejects.finish();
    if !arguments.dry_run {
        log_import(config, &id, arguments, &report).await;
    }
    if let Some(error) = output.rejects.failure {
        return Err(format!("{}: {error}", output.rejects.path.display()));
    }
    summarise(&report, &output.rejects.path, arguments.dry_run);
    verdict(&report)
}

fn symbols(path: &Path) -> Result<Symbols, String> {
    let file = File::open(path).map_err(SymbolsError::Io);
    let read = file.and_then(|file| Symbols::read(BufReader::new(file)));
    read.map_err(|error| format!("{}: {error}", path.display()))
}

/// Notes the import in the audit log. The register may be fed where the ledger cannot be opened.
async fn log_import(config: &Config, id: &str, arguments: &ImportArguments, report: &Report) {
    let ledger = match open_ledger(config).await {
        Ok(ledger) => ledger,
        Err(reason) => return complain(&format!("the import is not in the audit log: {reason}")),
    };
    let first = arguments.files.first().map(|path| written(&path.display().to_string()));
    let details = serde_json::json!({
        "files": arguments.files.len(), "first": first, "read": report.read, "new": report.new,
        "changed": report.changed, "rejected": report.rejected,
    });
    log_command(&ledger, "import", None, id, &details).await;
}

/// Exit status 0 unless a file, or every row, could not be used.
fn verdict(report: &Report) -> Result<ExitCode, String> {
    let left_out: u64 = report.left_out.values().sum();
    match report.failures.as_slice() {
        [] if report.rejected > 0 && report.rejected + left_out == report.read => {
            Err("none of the rows could be used: see the rejects".to_owned())
        }
        [] => Ok(ExitCode::SUCCESS),
        [only] => Err(only.clone()),
        [first, ..] => Err(format!(
            "{} files could not be imported; the first: {first}",
            report.failures.len()
        )),
    }
}

/// Rejected rows go to their file, the progress to standard error.
struct Output {
    rejects: Rejects,
    progress: Progress,
}

impl Observer for Output {
    fn reject(&mut self, reject: Reject) {
        self.rejects.write(&reject);
    }

    fn progress(&mut self, file: &str, report: &Report) {
        self.progress.show(&format!("{file}: {} rows read", report.read));
    }
}

/// The file of rejected rows, made when the first one comes.
struct Rejects {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    failure: Option<std::io::Error>,
}

impl Rejects {
    fn write(&mut self, reject: &Reject) {
        let line = serde_json::json!({
            "file": reject.file, "line": reject.line, "reason": reject.reason, "raw": reject.raw,
        });
        let written = match &mut self.file {
            Some(file) => writeln!(file, "{line}"),
            None => File::create(&self.path).and_then(|file| {
                let mut file = BufWriter::new(file);
                writeln!(file, "{line}")?;
                self.file = Some(file);
                Ok(())
            }),
        };
        if let Err(error) = written {
            self.failure.get_or_insert(error);
        }
    }

    fn finish(&mut self) {
        if let Some(Err(error)) = self.file.as_mut().map(BufWriter::flush) {
            self.failure.get_or_insert(error);
        }
    }
}

fn summarise(report: &Report, rejects: &Path, dry_run: bool) {
    print(&format!(
        "read {}, new {}, changed {}, unchanged {}, older {}, rejected {}",
        report.read, report.new, report.changed, report.unchanged, report.older, report.rejected
    ));
    for (resource, count) in &report.by_resource {
        print(&format!("  {resource}: {count}"));
    }
    for (reason, count) in &report.by_reason {
        print(&format!("  rejected {count}: {reason}"));
    }
    for (reason, count) in &report.left_out {
        print(&format!("  left out {count}: {reason}"));
    }
    for (column, count) in &report.unread_cells {
        print(&format!("  cells left out because they could not be read, {column}: {count}"));
    }
    if report.failures.len() > 1 {
        for failure in &report.failures {
            print(&format!("Not imported, or not to its end: {failure}"));
        }
    }
    if report.known_files > 0 {
        print(&format!(
            "Files that went in before, with nothing changed since, not read again: {} of {}",
            report.known_files, report.files
        ));
    }
    if report.rejected > 0 {
        print(&format!("The rejected rows, each with its reason: {}", rejects.display()));
    }
    if dry_run {
        print("This was a dry run: nothing was changed.");
    }
}
