//! Loads files into a register: pulls parsed rows from the sources and stores them in batches.

use std::path::Path;
use std::sync::Arc;

use jiff::civil::Date;
use panji_ids::mask_pans;
use panji_store::register::Record;
use panji_store::{Register, StoreError};

use crate::batches::Batches;
use crate::format::{self, Format};
use crate::import_cache::{self, CacheKey};
use crate::input::files::{
    PlainFile, STANDARD_INPUT, StandardInput, ZipMember, members, open_zip, walk,
};
use crate::input::meter::Meter;
use crate::input::opened::{Input, Opened};
use crate::listed::{ListedCompanies, Waiting, unknown_company};
use crate::report::{Observer, Reject, Report};
use crate::run::Run;
use crate::sources::filing_list::FilingList;
use crate::sources::source::{ListedYear, ParsedRow, ReadOptions, RowOutcome, SourceError};
use crate::sources::symbols::Symbols;
use crate::sources::xbrl;
use crate::values::date::DateOrder;

/// How much of a rejected row is kept for the report.
const MAX_RAW_CHARACTERS: usize = 2_000;
/// The longest reason: parsers quote the text that they failed on.
const MAX_REASON_CHARACTERS: usize = 1_000;
/// The kind's name of figures in the sums.
const FINANCIAL_YEAR: &str = "financial_year";

/// Why a file, or the whole import, stopped. What was committed before stays, and running the import
/// again continues from there.
#[derive(Debug, thiserror::Error)]
enum ImportError {
    #[error(transparent)]
    Source(SourceError),
    #[error(
        "the content is of no format that is known ({}); `panji sources` shows their columns",
        Format::names()
    )]
    UnknownFormat,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<SourceError> for ImportError {
    fn from(error: SourceError) -> ImportError {
        match error {
            SourceError::UnknownFormat => ImportError::UnknownFormat,
            error => ImportError::Source(error),
        }
    }
}

/// How files are imported.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// None detects the format from the content.
    pub format: Option<Format>,
    /// The date of data that has none of its own.
    pub as_of: Option<Date>,
    /// The order of day and month in dates with slashes; none lets each file show its own.
    pub dates: Option<DateOrder>,
    /// The companies that the symbols of an exchange stand for.
    pub symbols: Symbols,
    /// When results were filed with an exchange.
    pub filings: FilingList,
    /// Read files again that were imported before.
    pub recheck: bool,
    /// Change nothing, only report what would change.
    pub dry_run: bool,
}

/// Imports files into a register, one after the other.
pub struct Importer<'a, O> {
    register: Arc<Register>,
    options: &'a Options,
    observer: &'a mut O,
    now_ms: i64,
    /// The sums of the files before this one.
    report: Report,
    /// The sums of this file, and the first of its rejects.
    current: Report,
    rejects: Vec<Reject>,
    batches: Batches,
    companies: ListedCompanies,
    /// Whether figures of this file wait for their company to be known.
    has_waiting: bool,
    /// None in a dry run, which is not recorded.
    run: Option<Run>,
    file: String,
    /// The sizes of the files before this one, and how much of this one is read.
    bytes_before: u64,
    meter: Meter,
}

impl<'a, O: Observer> Importer<'a, O> {
    /// Begins an import that the register records under this id.
    pub async fn begin(
        register: Arc<Register>,
        options: &'a Options,
        observer: &'a mut O,
        id: String,
        now_ms: i64,
    ) -> Result<Importer<'a, O>, StoreError> {
        let run = match options.dry_run {
            true => None,
            false => Some(Run::begin(&register, id, now_ms).await?),
        };
        let batches = Batches::new(register.clone(), now_ms, options.dry_run);
        let companies = ListedCompanies::new(register.list_symbols().await?);
        Ok(Importer {
            register,
            options,
            observer,
            now_ms,
            report: Report::default(),
            current: Report::default(),
            rejects: Vec::new(),
            batches,
            companies,
            has_waiting: false,
            run,
            file: String::new(),
            bytes_before: 0,
            meter: Meter::default(),
        })
    }

    /// Ends the import and returns its sums.
    pub async fn finish(mut self) -> Result<Report, StoreError> {
        self.end_waiting().await?;
        if !self.options.dry_run {
            let learnt = self.companies.learnt();
            if !learnt.is_empty() {
                self.register.learn_symbols(&learnt).await?;
            }
            self.count_missing_companies().await?;
        }
        if let Some(run) = &mut self.run {
            run.save(&self.register, &self.report, true).await?;
        }
        Ok(self.report)
    }

    /// Stores the figures whose company a later filing told, and rejects the others.
    async fn end_waiting(&mut self) -> Result<(), StoreError> {
        for (waiting, cin) in self.companies.take_found(&self.options.symbols) {
            self.file = waiting.file;
            self.add_listed(*waiting.listed, cin, 0);
            if self.batches.is_full() {
                self.flush().await?;
            }
        }
        for Waiting { file, line, listed } in self.companies.take_waiting() {
            self.file = file;
            self.reject_listed(line, &listed);
        }
        self.flush().await?;
        let stored = self.batches.wait().await?;
        self.count(&stored).await?;
        self.end_file().await
    }

    /// Figures of companies that are not held are kept, and served once the company comes.
    async fn count_missing_companies(&mut self) -> Result<(), StoreError> {
        if self.report.by_resource.contains_key(FINANCIAL_YEAR) {
            let (periods, companies) = self.register.count_periods_without_company().await?;
            self.report.periods_without_company = periods as u64;
            self.report.companies_missing = companies as u64;
        }
        Ok(())
    }

    fn add_listed(&mut self, listed: ListedYear, cin: String, bytes: usize) {
        let mut year = listed.year;
        year.cin = cin;
        self.add_record(Record::FinancialYear(year), bytes);
    }

    fn reject_listed(&mut self, line: u64, listed: &ListedYear) {
        let reason = unknown_company(listed);
        self.reject(line, Some(xbrl::SOURCE), &reason, &listed.raw);
    }

    /// Imports a file, all files in a directory or a zip archive, or standard input (`-`). A file
    /// that cannot be imported is noted in the report and the next one is imported; only a failing
    /// register ends the import.
    pub async fn import_path(&mut self, path: &Path) -> Result<(), StoreError> {
        if path.as_os_str() == STANDARD_INPUT {
            return self.import_input(&mut StandardInput).await;
        }
        let files = match walk(path) {
            Ok(files) => files,
            Err(error) => {
                self.add_failure(&path.display().to_string(), &error);
                return self.end_file().await;
            }
        };
        for file in files {
            match open_zip(&file) {
                Ok(Some(mut archive)) => {
                    let archive_name = &file.display().to_string();
                    for index in members(&archive) {
                        let archive = &mut archive;
                        let mut member = ZipMember { archive_name, archive, index };
                        self.import_input(&mut member).await?;
                    }
                }
                Ok(None) => self.import_input(&mut PlainFile(&file)).await?,
                Err(error) => {
                    self.add_failure(&file.display().to_string(), &error);
                    self.end_file().await?;
                }
            }
        }
        Ok(())
    }

    async fn import_input(&mut self, input: &mut dyn Input) -> Result<(), StoreError> {
        self.file = input.name();
        // A file that cannot be read gives its error when it is loaded.
        let key = self.cache_key(input);
        if let Some(key) = key.as_ref().filter(|_| !self.options.recheck)
            && let Some((report, rejects)) =
                import_cache::lookup(&self.register, key, &self.file).await?
        {
            self.current = report;
            for reject in rejects {
                self.add_reject(reject);
            }
            self.bytes_before += input.bytes().unwrap_or_default();
            return self.end_file().await;
        }
        let seq_before = self.register.newest_change().await?;
        self.current.files = 1;
        self.has_waiting = false;
        let loaded = self.load(input).await;
        // What was read before an error is valid.
        self.flush().await?;
        let stored = self.batches.wait().await?;
        self.count(&stored).await?;
        self.bytes_before += input.bytes().unwrap_or_else(|| self.meter.bytes());
        self.meter.reset();
        match loaded {
            Ok(()) => {}
            Err(ImportError::Store(error)) => return Err(error),
            Err(error) => self.add_failure(&input.name(), &error),
        }
        if let Some(key) = key.filter(|_| !self.options.dry_run && !self.has_waiting) {
            let (report, rejects) = (&self.current, &self.rejects);
            import_cache::store(&self.register, key, report, rejects, seq_before, self.now_ms)
                .await?;
        }
        self.end_file().await
    }

    fn cache_key(&self, input: &mut dyn Input) -> Option<CacheKey> {
        import_cache::key_of(input, self.options).unwrap_or(None)
    }

    async fn load(&mut self, input: &mut dyn Input) -> Result<(), ImportError> {
        let Options { format, as_of, dates, filings, .. } = self.options;
        let (today, file_name) = (self.today(), self.file.clone());
        let options =
            ReadOptions { as_of: *as_of, dates: *dates, today, file_name: &file_name, filings };
        let opened = Opened::new(input, &self.meter).map_err(SourceError::Io)?;
        for row in format::open(opened, *format, options)? {
            self.add_row(row?).await?;
        }
        Ok(())
    }

    fn today(&self) -> Date {
        let instant = jiff::Timestamp::from_millisecond(self.now_ms).unwrap_or_default();
        instant.to_zoned(jiff::tz::TimeZone::UTC).date()
    }

    async fn add_row(&mut self, row: ParsedRow) -> Result<(), StoreError> {
        self.current.read += 1;
        match row.outcome {
            RowOutcome::Record { record, unread_columns, doubts } => {
                for doubt in doubts {
                    self.current.count_doubt(doubt);
                }
                for column in unread_columns {
                    self.current.count_unread_cell(column);
                }
                self.add_record(record, row.bytes);
            }
            RowOutcome::Listed(listed) => self.find_company(row.line, listed, row.bytes),
            RowOutcome::LeftOut(reason) => self.current.count_left_out(reason),
            RowOutcome::Reject { source, reason, raw } => {
                self.reject(row.line, source, &reason, &raw);
            }
        }
        if self.batches.is_full() { self.flush().await } else { Ok(()) }
    }

    fn find_company(&mut self, line: u64, listed: Box<ListedYear>, bytes: usize) {
        if let Some(cin) = self.companies.find(&listed, &self.options.symbols) {
            return self.add_listed(*listed, cin, bytes);
        }
        self.has_waiting = true;
        let waiting = Waiting { file: self.file.clone(), line, listed };
        if let Some(refused) = self.companies.wait(waiting) {
            self.reject_listed(line, &refused.listed);
        }
    }

    fn reject(&mut self, line: u64, source: Option<&'static str>, reason: &str, raw: &str) {
        let reason = redact(reason);
        self.current.count_reject(source, &reason);
        let raw = raw.trim_end().chars().take(MAX_RAW_CHARACTERS).collect();
        self.add_reject(Reject { file: self.file.clone(), line, reason, raw });
    }

    fn add_record(&mut self, mut record: Record, bytes: usize) {
        if let Some(as_of) = self.options.as_of {
            record.date_if_undated(&as_of.to_string());
        }
        self.batches.add(record, bytes);
    }

    fn add_reject(&mut self, reject: Reject) {
        if let Some(run) = &mut self.run {
            run.add_reject(&reject);
        }
        if import_cache::has_room(&self.rejects) {
            self.rejects.push(reject.clone());
        }
        self.current.keep_example(&reject);
        self.observer.reject(reject);
    }

    fn add_failure(&mut self, file: &str, error: &dyn std::error::Error) {
        self.current.failures.push(format!("{file}: {error}"));
    }

    async fn flush(&mut self) -> Result<(), StoreError> {
        let stored = self.batches.start_storing().await?;
        self.count(&stored).await
    }

    async fn count(&mut self, stored: &Report) -> Result<(), StoreError> {
        self.current.add(stored);
        self.report_progress().await
    }

    async fn end_file(&mut self) -> Result<(), StoreError> {
        self.report.add(&std::mem::take(&mut self.current));
        self.rejects.clear();
        self.report_progress().await
    }

    async fn report_progress(&mut self) -> Result<(), StoreError> {
        let mut so_far = self.report.clone();
        so_far.add(&self.current);
        if let Some(run) = &mut self.run {
            run.save(&self.register, &so_far, false).await?;
        }
        self.observer.bytes_read(self.bytes_before + self.meter.bytes());
        self.observer.progress(&self.file, &so_far);
        Ok(())
    }
}

/// A reason of bounded length that anyone may read, whatever it quotes.
fn redact(reason: &str) -> String {
    let bounded: String = reason.chars().take(MAX_REASON_CHARACTERS).collect();
    mask_pans(&bounded).into_owned()
}
