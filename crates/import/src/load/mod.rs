//! Loads files into a register: pulls parsed rows from the sources and stores them in batches.

mod finish;
mod rows;

use std::collections::HashSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use jiff::civil::Date;
use panji_store::calendar::ist_date;
use panji_store::register::Record;
use panji_store::{Register, StoreError};
use zip::ZipArchive;

use crate::batches::Batches;
use crate::format::{self, Format};
use crate::import_cache::{self, CacheKey, FeedPosition};
use crate::input::files::{
    PlainFile, STANDARD_INPUT, StandardInput, ZipMember, members, open_zip, walk,
};
use crate::input::guard::Budget;
use crate::input::meter::Meter;
use crate::input::opened::{Input, Opened};
use crate::input::workbook::{SheetInput, Workbook, ZipContent, inspect_zip};
use crate::leis::KnownLeis;
use crate::listed::ListedCompanies;
use crate::report::{Observer, Reject, Report};
use crate::run::Run;
use crate::sources::filing_list::FilingList;
use crate::sources::source::{ReadOptions, SourceError};
use crate::sources::symbols::Symbols;
use crate::values::date::DateOrder;

/// Why a file, or the whole import, stopped. Committed batches stay, and another run of the import
/// continues from there.
#[derive(Debug, thiserror::Error)]
enum ImportError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The result of reading an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The input was read, completely or partly.
    Read,
    /// One of several sheets, empty or not a list. It is reported if another sheet was read.
    Skipped,
}

/// How files are imported.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// None detects the format from the content.
    pub format: Option<Format>,
    /// The date of data that has none of its own.
    pub as_of: Option<Date>,
    /// The order of day and month in dates with slashes; none detects it in each file.
    pub dates: Option<DateOrder>,
    /// The companies of the symbols of an exchange.
    pub symbols: Symbols,
    /// When results were filed with an exchange.
    pub filings: FilingList,
    /// Read also the files that were imported before.
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
    /// The counts of the files before this one.
    total_report: Report,
    /// The counts of this file, and its first rejects.
    file_report: Report,
    rejects: Vec<Reject>,
    /// The sheets of this spreadsheet that are not lists.
    skipped: Vec<String>,
    batches: Batches,
    companies: ListedCompanies,
    leis: KnownLeis,
    /// Former numbers that the register has joined to others, and their rows, which are stored last.
    joined: HashSet<String>,
    joined_rows: Vec<Record>,
    /// Whether rows of this file depend on what else is imported: then it is read again.
    depends_on_other_files: bool,
    /// None in a dry run, which is not recorded.
    run: Option<Run>,
    file: String,
    /// The sizes of the files before this one, and the bytes read of this one.
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
        let decisions = register.list_join_decisions().await?.into_iter();
        let joined = decisions.filter(|decision| decision.is_same);
        let joined = joined.map(|decision| decision.former_cin).collect();
        Ok(Importer {
            register,
            options,
            observer,
            now_ms,
            total_report: Report::default(),
            file_report: Report::default(),
            rejects: Vec::new(),
            skipped: Vec::new(),
            batches,
            companies,
            leis: KnownLeis::default(),
            joined,
            joined_rows: Vec::new(),
            depends_on_other_files: false,
            run,
            file: String::new(),
            bytes_before: 0,
            meter: Meter::default(),
        })
    }

    /// Imports a file, all files in a directory or a zip archive, or standard input (`-`). A file
    /// that cannot be imported is recorded in the report, and the import continues; only an error
    /// of the register ends the import.
    pub async fn import_path(&mut self, path: &Path) -> Result<(), StoreError> {
        if path.as_os_str() == STANDARD_INPUT {
            return self.import_input(&mut StandardInput).await.map(drop);
        }
        let files = match walk(path) {
            Ok(files) => files,
            Err(error) => {
                self.add_failure(&path.display().to_string(), &error.to_string());
                return self.end_file().await;
            }
        };
        for file in files {
            match open_zip(&file) {
                Ok(Some((archive, budget))) => self.import_zip(&file, archive, &budget).await?,
                Ok(None) => drop(self.import_input(&mut PlainFile(&file)).await?),
                Err(error) => {
                    self.add_failure(&file.display().to_string(), &error.to_string());
                    self.end_file().await?;
                }
            }
        }
        Ok(())
    }

    /// Imports a spreadsheet, or the files of an archive.
    async fn import_zip(
        &mut self,
        file: &Path,
        archive: ZipArchive<File>,
        budget: &Budget,
    ) -> Result<(), StoreError> {
        let name = &file.display().to_string();
        match inspect_zip(archive, budget) {
            Ok(ZipContent::Workbook(workbook)) => self.import_workbook(name, workbook).await,
            Ok(ZipContent::Archive(mut archive)) => {
                for index in members(&archive) {
                    let archive = &mut archive;
                    let mut member = ZipMember { archive_name: name, archive, index, budget };
                    self.import_input(&mut member).await?;
                }
                Ok(())
            }
            Err(error) => {
                self.add_failure(name, &error.to_string());
                self.end_file().await
            }
        }
    }

    /// Imports all sheets of a spreadsheet. Sheets that are not lists are failures only if no sheet
    /// is a list.
    async fn import_workbook(
        &mut self,
        workbook_name: &str,
        mut workbook: Workbook,
    ) -> Result<(), StoreError> {
        let mut was_read = false;
        for index in 0..workbook.sheet_count() {
            let workbook = &mut workbook;
            let mut sheet = SheetInput { workbook_name, workbook, index };
            was_read |= self.import_input(&mut sheet).await? == Outcome::Read;
        }
        let skipped = std::mem::take(&mut self.skipped);
        if was_read {
            self.total_report.skipped_sheets.extend(skipped);
        } else if skipped.is_empty() {
            self.add_failure(workbook_name, "all its sheets are empty");
        } else {
            self.file_report.failures.extend(skipped);
        }
        self.end_file().await
    }

    async fn import_input(&mut self, input: &mut dyn Input) -> Result<Outcome, StoreError> {
        self.file = input.name();
        // The error of a file that cannot be read is reported by `load`.
        let key = self.cache_key(input);
        if let Some(key) = key.as_ref().filter(|_| !self.options.recheck)
            && let Some((report, rejects)) =
                import_cache::lookup(&self.register, key, &self.file).await?
        {
            self.file_report = report;
            for reject in rejects {
                self.add_reject(reject);
            }
            self.bytes_before += input.bytes().unwrap_or_default();
            self.end_file().await?;
            return Ok(Outcome::Read);
        }
        let before = FeedPosition::of(&self.register).await?;
        self.file_report.files = 1;
        self.depends_on_other_files = false;
        let loaded = self.load(input).await;
        // Rows read before an error are valid.
        self.flush().await?;
        let stored = self.batches.wait().await?;
        self.count(&stored).await?;
        self.bytes_before += input.bytes().unwrap_or_else(|| self.meter.bytes());
        self.meter.reset();
        match loaded {
            Ok(()) => {}
            Err(ImportError::Store(error)) => return Err(error),
            Err(ImportError::Source(SourceError::Empty)) if input.is_part_of_many() => {
                return Ok(Outcome::Skipped);
            }
            Err(ImportError::Source(SourceError::UnknownFormat(what)))
                if input.is_part_of_many() =>
            {
                self.skipped.push(format!("{}: {what}", input.name()));
                return Ok(Outcome::Skipped);
            }
            Err(ImportError::Source(error)) => {
                let sentence = failure_sentence(&error, self.file_report.read);
                self.add_failure(&input.name(), &sentence);
            }
        }
        if let Some(key) = key.filter(|_| !self.options.dry_run && !self.depends_on_other_files) {
            let (report, rejects) = (&self.file_report, &self.rejects);
            import_cache::store(&self.register, key, report, rejects, before, self.now_ms).await?;
        }
        self.end_file().await?;
        Ok(Outcome::Read)
    }

    fn cache_key(&self, input: &mut dyn Input) -> Option<CacheKey> {
        import_cache::key_of(input, self.options).unwrap_or(None)
    }

    async fn load(&mut self, input: &mut dyn Input) -> Result<(), ImportError> {
        let Options { format, as_of, dates, filings, .. } = self.options;
        let (today, file_name) = (ist_date(self.now_ms), self.file.clone());
        let options =
            ReadOptions { as_of: *as_of, dates: *dates, today, file_name: &file_name, filings };
        let opened = Opened::new(input, &self.meter).map_err(SourceError::Io)?;
        for row in format::open(opened, *format, options)? {
            self.add_row(row?).await?;
        }
        Ok(())
    }

    fn add_failure(&mut self, file: &str, sentence: &str) {
        self.file_report.failures.push(format!("{file}: {sentence}"));
    }

    async fn flush(&mut self) -> Result<(), StoreError> {
        let stored = self.batches.start_storing().await?;
        self.count(&stored).await
    }

    async fn count(&mut self, stored: &Report) -> Result<(), StoreError> {
        self.file_report.add(stored);
        self.report_progress().await
    }

    async fn end_file(&mut self) -> Result<(), StoreError> {
        self.total_report.add(&std::mem::take(&mut self.file_report));
        self.rejects.clear();
        self.report_progress().await
    }

    async fn report_progress(&mut self) -> Result<(), StoreError> {
        let mut so_far = self.total_report.clone();
        so_far.add(&self.file_report);
        if let Some(run) = &mut self.run {
            run.save(&self.register, &so_far, false).await?;
        }
        self.observer.bytes_read(self.bytes_before + self.meter.bytes());
        self.observer.progress(&self.file, &so_far);
        Ok(())
    }
}

/// Why a file was not imported, or only partly.
fn failure_sentence(error: &SourceError, rows: u64) -> String {
    let SourceError::Io(cause) = error else { return error.to_string() };
    let what = match cause.kind() {
        ErrorKind::UnexpectedEof => {
            "it ends too early, perhaps because the download was incomplete".to_owned()
        }
        ErrorKind::InvalidData | ErrorKind::InvalidInput => {
            format!("its compressed data is damaged ({cause})")
        }
        _ => cause.to_string(),
    };
    match rows {
        0 => what,
        rows => format!("{what}; the {rows} rows before that were read"),
    }
}
