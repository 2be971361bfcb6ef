//! `panji import`: source files into the live register.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use jiff::civil::Date;
use panji_api::accounts::audit_log::truncate_input;
use panji_api::config::Config;
use panji_api::databases::backup::REGISTER;
use panji_api::databases::{IfAbsent, REGISTER_DATABASE, open_ledger, open_register};
use panji_import::xbrl::{FilingList, FilingListError, Symbols, SymbolsError};
use panji_import::{
    DateOrder, Format, Importer, Observer, Options, Reject, Report, STANDARD_INPUT, bytes_of,
};
use panji_store::calendar::now_ms;
use panji_store::engine::Workload;
use panji_store::{Engine, Register};
use tempfile::TempDir;

use super::company::print_possible_duplicates;
use super::error::{CommandError, ImportError, MissingFile};
use super::log::log_command;
use super::output::{Progress, counted, print, print_error};
use super::rejects::{self, Rejects};
use super::values::ValueError;

/// Possible duplicates that are listed after an import.
const MAX_DUPLICATES_SHOWN: usize = 20;

#[derive(Args)]
pub struct ImportArguments {
    /// Files, directories (walked), .gz and .zip archives; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The format of all files, instead of detecting it; see `panji sources`
    #[arg(long, value_name = "NAME", value_parser = parse_format)]
    format: Option<Format>,
    /// The date of records without a date, for example 2026-03-31
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    as_of: Option<Date>,
    /// The order of day and month in dates with slashes, where a file does not show it: dmy or mdy
    #[arg(long, value_name = "ORDER", value_parser = parse_order)]
    dates: Option<DateOrder>,
    /// A CSV with the columns symbol and cin: the companies of results filings (XBRL)
    #[arg(long, value_name = "FILE")]
    symbols: Option<PathBuf>,
    /// An exchange's list of results filings (JSON), with the time of each filing; may be repeated
    #[arg(long, value_name = "FILE")]
    filings: Vec<PathBuf>,
    /// Read files again that were imported before, even if they have not changed
    #[arg(long)]
    recheck: bool,
    /// Show what would be done, and change nothing in the register
    #[arg(long)]
    dry_run: bool,
    /// Where rows that cannot be used are written [default: a file of each import in import-rejects in
    /// the data directory]
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
}

fn parse_format(name: &str) -> Result<Format, ValueError> {
    Format::from_name(name).ok_or_else(|| ValueError::OneOf { names: Format::names() })
}

fn parse_date(text: &str) -> Result<Date, ValueError> {
    text.parse().map_err(|_| ValueError::Expected("a date such as 2026-03-31"))
}

fn parse_order(text: &str) -> Result<DateOrder, ValueError> {
    match text {
        "dmy" => Ok(DateOrder::DayFirst),
        "mdy" => Ok(DateOrder::MonthFirst),
        _ => Err(ValueError::Expected("dmy (day/month/year) or mdy (month/day/year)")),
    }
}

pub async fn run(config: &Config, arguments: &ImportArguments) -> Result<ExitCode, CommandError> {
    check_there(&arguments.files)?;
    let symbols = arguments.symbols.as_deref().map_or_else(|| Ok(Symbols::default()), symbols)?;
    let filings = filings(&arguments.filings)?;
    let (register, _scratch) = open(config, arguments.dry_run).await?;
    let id = ulid::Ulid::generate().to_string();
    let mut output = Output {
        rejects: Rejects::new(rejects_path(config, arguments, &id)),
        progress: Progress::new(),
        bytes: 0,
        all_bytes: bytes_of(&arguments.files),
    };
    let options = Options {
        format: arguments.format,
        as_of: arguments.as_of,
        dates: arguments.dates,
        symbols,
        filings,
        recheck: arguments.recheck,
        dry_run: arguments.dry_run,
    };
    let mut importer =
        Importer::begin(Arc::new(register), &options, &mut output, id.clone(), now_ms()).await?;
    for path in &arguments.files {
        importer.import_path(path).await?;
    }
    let report = importer.finish().await?;
    output.progress.finish();
    if !arguments.dry_run {
        log_import(config, &id, arguments, &report).await;
    }
    output.rejects.finish()?;
    summarize(&report, &output.rejects, arguments.dry_run);
    Ok(verdict(&report)?)
}

/// A mistyped name is reported before hours are spent on the others.
fn check_there(files: &[PathBuf]) -> Result<(), ImportError> {
    let named = files.iter().filter(|path| path.as_os_str() != STANDARD_INPUT);
    let missing: Vec<MissingFile> = named
        .filter_map(|path| {
            let cause = std::fs::metadata(path).err()?;
            Some(MissingFile { path: path.clone(), cause })
        })
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(ImportError::Missing(missing)) }
}

/// The register. A dry run where there is none compares with an empty one that is gone afterwards.
async fn open(config: &Config, dry_run: bool) -> Result<(Register, Option<TempDir>), CommandError> {
    if !dry_run || REGISTER_DATABASE.exists(config).await? {
        let register = open_register(config, Workload::Import, IfAbsent::Create).await?;
        return Ok((register, None));
    }
    let scratch = tempfile::tempdir().map_err(ImportError::Scratch)?;
    let path = scratch.path().join(REGISTER);
    let engine = Engine::open_sqlite(&path, Workload::Import)?;
    let register = Register::open(engine, now_ms()).await?;
    Ok((register, Some(scratch)))
}

/// The file for rejected rows; none without `--rejects` and without a data directory.
fn rejects_path(config: &Config, arguments: &ImportArguments, import_id: &str) -> Option<PathBuf> {
    if arguments.rejects.is_some() {
        return arguments.rejects.clone();
    }
    let days = u64::from(config.import_rejects.keep_days.get());
    rejects::remove_old(&config.data_dir, Duration::from_secs(days * 24 * 3_600));
    config.data_dir.is_dir().then(|| rejects::usual_path(&config.data_dir, import_id))
}

fn symbols(path: &Path) -> Result<Symbols, ImportError> {
    let file = File::open(path).map_err(SymbolsError::Io);
    let read = file.and_then(|file| Symbols::read(BufReader::new(file)));
    read.map_err(|cause| ImportError::Symbols { path: path.to_owned(), cause })
}

fn filings(paths: &[PathBuf]) -> Result<FilingList, ImportError> {
    let mut list = FilingList::default();
    for path in paths {
        let file = File::open(path).map_err(FilingListError::Io);
        let added = file.and_then(|file| list.add(BufReader::new(file)));
        added.map_err(|cause| ImportError::Filings { path: path.clone(), cause })?;
    }
    Ok(list)
}

/// Records the import in the audit log. An import also works where the ledger cannot be opened.
async fn log_import(config: &Config, id: &str, arguments: &ImportArguments, report: &Report) {
    let ledger = match open_ledger(config, IfAbsent::Create).await {
        Ok(ledger) => ledger,
        Err(error) => {
            return print_error(&format!("the import is not in the audit log: {error}"));
        }
    };
    let first = arguments.files.first().map(|path| truncate_input(&path.display().to_string()));
    let details = serde_json::json!({
        "files": arguments.files.len(), "first": first, "read": report.read, "new": report.new,
        "changed": report.changed, "rejected": report.rejected,
    });
    log_command(&ledger, "import", None, id, &details).await;
}

/// Exit status 0 unless a file, or every row, could not be used.
fn verdict(report: &Report) -> Result<ExitCode, ImportError> {
    let skipped: u64 = report.skipped.values().sum();
    match report.failures.as_slice() {
        [] if report.rejected > 0 && report.rejected + skipped == report.read => {
            Err(ImportError::AllRejected)
        }
        [] => Ok(ExitCode::SUCCESS),
        [only] => Err(ImportError::File { sentence: only.clone() }),
        [first, ..] => {
            let count = report.failures.len();
            Err(ImportError::Files { count, first: first.clone() })
        }
    }
}

/// Rejected rows go to their file, the progress to standard error.
struct Output {
    rejects: Rejects,
    progress: Progress,
    /// The bytes read, and the size of all files, if it is known.
    bytes: u64,
    all_bytes: Option<u64>,
}

impl Observer for Output {
    fn reject(&mut self, reject: Reject) {
        self.rejects.write(&reject);
    }

    fn progress(&mut self, file: &str, report: &Report) {
        let rows = format!("{} read, {file}", counted(report.read as i64, "row", "rows"));
        self.progress.show(self.bytes, self.all_bytes, &rows);
    }

    fn bytes_read(&mut self, bytes: u64) {
        self.bytes = bytes;
    }

    fn comparing_companies(&mut self) {
        self.progress.show(self.bytes, self.all_bytes, "comparing numbers and names of companies");
    }
}

fn summarize(report: &Report, rejects: &Rejects, dry_run: bool) {
    // Where nothing could be read, the error says all there is to say.
    if report.read > 0 || report.failures.is_empty() {
        print_sums(report);
    }
    if report.failures.len() > 1 {
        for failure in &report.failures {
            print(&format!("Not imported, or not completely: {failure}"));
        }
    }
    if report.known_files > 0 {
        print(&format!(
            "Files already imported and unchanged, skipped: {} of {}",
            report.known_files, report.files
        ));
    }
    if report.periods_without_company > 0 {
        print(&format!(
            "Periods with figures of companies that are not in the register: {}, of {}. \
             They are stored, and served once the company is imported.",
            report.periods_without_company,
            counted(report.companies_missing as i64, "company", "companies")
        ));
    }
    if report.joined > 0 {
        print(&format!(
            "Numbers joined to another number of the same company: {}. See them with: panji company \
             duplicates",
            report.joined
        ));
    }
    print_possible_duplicates(report.possible_duplicates.iter(), MAX_DUPLICATES_SHOWN);
    for sheet in &report.skipped_sheets {
        print(&format!("Skipped sheet (another sheet was imported): {sheet}"));
    }
    if report.rejected > 0 {
        print(&rejects.sentence());
    }
    if dry_run {
        print("This was a dry run: nothing was changed.");
    }
}

fn print_sums(report: &Report) {
    print(&format!(
        "read {}, new {}, changed {}, unchanged {}, older {}, rejected {}",
        report.read, report.new, report.changed, report.unchanged, report.older, report.rejected
    ));
    for (resource, count) in &report.by_resource {
        print(&format!("  {resource}: {count}"));
    }
    for (reason, count) in &report.by_reason {
        print(&format!("  rejected {count}: {reason}"));
        let example = report.examples.get(reason).filter(|example| example.reason != *reason);
        if let Some(Reject { file, line, reason, .. }) = example {
            print(&format!("    for example {file}, line {line}: {reason}"));
        }
    }
    for (reason, count) in &report.skipped {
        print(&format!("  skipped {count}: {reason}"));
    }
    for (ambiguity, count) in &report.ambiguities {
        print(&format!("  warning, {count}: {ambiguity}"));
    }
    if !report.unused_columns.is_empty() {
        let columns: Vec<&str> = report.unused_columns.keys().map(String::as_str).collect();
        print(&format!("  columns that the register does not store: {}", columns.join(", ")));
    }
    for (column, count) in &report.unreadable_cells {
        print(&format!("  cells skipped because they could not be read, {column}: {count}"));
    }
}
