//! Loading files into a register, batch by batch.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use jiff::civil::Date;
use panji_ids::mask_pans;
use panji_store::register::Record;
use panji_store::{Register, StoreError};

use crate::batches::Batches;
use crate::date::DateOrder;
use crate::format::{Content, Format, detect};
use crate::mca_master::{self, Release, Settings};
use crate::report::{Observer, Reject, Report};
use crate::run::Run;
use crate::source::{
    Meter, PlainFile, STANDARD_INPUT, Source, StandardInput, ZipMember, members, open_zip, walk,
};
use crate::xbrl::Symbols;
use crate::{json, known, panji, xbrl};

/// How much of a file is looked at to tell its format.
const HEAD_BYTES: u64 = 1 << 20;
const BUFFER_BYTES: usize = 1 << 20;
/// How much of a rejected row is kept for the report.
const MAX_RAW_CHARACTERS: usize = 2_000;
/// How long the reason may be: readers quote what they stumbled over.
const MAX_REASON_CHARACTERS: usize = 1_000;

/// Why a file, or the whole import, stopped. What was committed before stays, and running it again
/// goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The source could not be read on.
    #[error("{0}")]
    Source(#[from] io::Error),
    /// The file cannot be taken as it is; the sentence says why.
    #[error("{0}")]
    Refused(String),
    /// The register could not take it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How files are imported.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The format; none tells it from the content.
    pub format: Option<Format>,
    /// The date of data that carries none of its own.
    pub as_of: Option<Date>,
    /// Which companies the symbols of an exchange stand for.
    pub symbols: Symbols,
    /// Read files again that are known to have gone in before.
    pub recheck: bool,
    /// Only tell what would be done.
    pub dry_run: bool,
}

/// Takes files into a register, one after the other.
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
    /// None in a dry run, of which nothing is remembered.
    run: Option<Run>,
    file: String,
    /// The sizes of the files before this one, and how much of this one is read.
    bytes_before: u64,
    meter: Meter,
}

impl<'a, O: Observer> Importer<'a, O> {
    /// Begins an import that the register remembers under this id.
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
        Ok(Importer {
            register,
            options,
            observer,
            now_ms,
            report: Report::default(),
            current: Report::default(),
            rejects: Vec::new(),
            batches,
            run,
            file: String::new(),
            bytes_before: 0,
            meter: Meter::default(),
        })
    }

    /// Ends the import and gives its sums.
    pub async fn finish(mut self) -> Result<Report, StoreError> {
        if let Some(run) = &mut self.run {
            run.note(&self.register, &self.report, true).await?;
        }
        Ok(self.report)
    }

    /// Imports a file, all files in a directory or a zip archive, or standard input (`-`). A file
    /// that cannot be imported is noted in the report and does not keep the next from going in;
    /// only a failing register ends it.
    pub async fn import_path(&mut self, path: &Path) -> Result<(), StoreError> {
        if path.as_os_str() == STANDARD_INPUT {
            return self.import_source(&mut StandardInput).await;
        }
        let files = match walk(path) {
            Ok(files) => files,
            Err(error) => {
                self.fail(&path.display().to_string(), &error.into())?;
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
                        self.import_source(&mut member).await?;
                    }
                }
                Ok(None) => self.import_source(&mut PlainFile(&file)).await?,
                Err(error) => {
                    self.fail(&file.display().to_string(), &error.into())?;
                    self.end_file().await?;
                }
            }
        }
        Ok(())
    }

    async fn import_source(&mut self, source: &mut dyn Source) -> Result<(), StoreError> {
        self.file = source.name();
        // A file that cannot be read says so when it is loaded.
        let fingerprint = known::fingerprint(source, self.options).unwrap_or(None);
        if let Some(fingerprint) = fingerprint.as_ref().filter(|_| !self.options.recheck)
            && let Some((report, rejects)) =
                known::recall(&self.register, fingerprint, &self.file).await?
        {
            self.current = report;
            for reject in rejects {
                self.note_reject(reject);
            }
            self.bytes_before += source.bytes().unwrap_or_default();
            return self.end_file().await;
        }
        let seq_before = self.register.newest_change().await?;
        self.current.files = 1;
        let loaded = self.load(source).await;
        // What was read before a file broke off is good.
        self.flush().await?;
        let stored = self.batches.settle().await?;
        self.count(&stored).await?;
        self.bytes_before += source.bytes().unwrap_or_else(|| self.meter.bytes());
        self.meter.reset();
        match loaded {
            Ok(()) => {}
            Err(ImportError::Store(error)) => return Err(error),
            Err(error) => self.fail(&source.name(), &error)?,
        }
        if let Some(fingerprint) = fingerprint.filter(|_| !self.options.dry_run) {
            let (report, rejects) = (&self.current, &self.rejects);
            known::remember(&self.register, fingerprint, report, rejects, seq_before, self.now_ms)
                .await?;
        }
        self.end_file().await
    }

    async fn end_file(&mut self) -> Result<(), StoreError> {
        self.report.add(&std::mem::take(&mut self.current));
        self.rejects.clear();
        self.tell_progress().await
    }

    fn fail(&mut self, file: &str, error: &ImportError) -> Result<(), StoreError> {
        self.current.failures.push(format!("{file}: {error}"));
        Ok(())
    }

    async fn load(&mut self, source: &mut dyn Source) -> Result<(), ImportError> {
        let once = !source.can_reopen();
        let mut reader = source.open(&self.meter)?;
        let mut head = Vec::new();
        reader.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        let content = match self.options.format {
            Some(Format::McaCompany | Format::Gstn) => Content::Json,
            Some(format) => Content::Of(format),
            None => detect(&head),
        };
        match content {
            Content::Empty => Ok(()),
            Content::Of(Format::Panji) => panji::load(self, rejoin(head, reader)).await,
            Content::Of(Format::McaMaster(release)) if once => {
                let settings = self.settings(&head, release, None)?;
                self.load_master(rejoin(head, reader), &settings).await
            }
            Content::Of(Format::McaMaster(release)) => {
                drop(reader);
                let settings = self.settings(&head, release, Some(&mut *source))?;
                self.meter.reset();
                let meter = self.meter.clone();
                let whole = BufReader::with_capacity(BUFFER_BYTES, source.open(&meter)?);
                self.load_master(whole, &settings).await
            }
            Content::Of(Format::McaCompany | Format::Gstn) | Content::Json => {
                json::load(self, rejoin(head, reader)).await
            }
            Content::Of(Format::Xbrl) => xbrl::load(self, rejoin(head, reader)).await,
            Content::Symbols => Err(ImportError::Refused(
                "a list of symbols holds no records: give it as --symbols".to_owned(),
            )),
            Content::Archive => Err(ImportError::Refused(
                "an archive inside another one, or a .zip on standard input: unpack it first"
                    .to_owned(),
            )),
            Content::Unknown => Err(unknown_format()),
        }
    }

    async fn load_master(
        &mut self,
        source: impl BufRead,
        settings: &Settings,
    ) -> Result<(), ImportError> {
        let mut rows = mca_master::Reader::new(source);
        while let Some(row) = rows.next(settings)? {
            let outcome = row.outcome.map(|(record, unread)| {
                for column in unread {
                    self.current.count_unread_cell(column);
                }
                record
            });
            self.take(row.line, &row.raw, Some(settings.source), outcome).await?;
        }
        Ok(())
    }

    /// What must be known before the first row is read. A file that can be opened again is read
    /// through once more where its beginning does not tell enough.
    fn settings(
        &self,
        head: &[u8],
        release: Release,
        again: Option<&mut dyn Source>,
    ) -> Result<Settings, ImportError> {
        let mut survey = mca_master::survey(head, self.today())?.ok_or_else(unknown_format)?;
        // A file with registrations after the release's day is not of that release after all.
        let newest = survey.newest.map(|date| date.to_string()).unwrap_or_default();
        let release_day = release.day().filter(|day| newest.as_str() <= *day);
        let given = self.as_of_text().or_else(|| release_day.map(str::to_owned));
        let mut seen_whole = (head.len() as u64) < HEAD_BYTES;
        let enough = seen_whole || (given.is_some() && survey.order.is_some());
        if let Some(source) = again.filter(|_| !enough) {
            let read_again = source.open(&Meter::default())?;
            let whole = BufReader::with_capacity(BUFFER_BYTES, read_again);
            survey = mca_master::survey(whole, self.today())?.unwrap_or(survey);
            seen_whole = true;
        }
        let newest = survey.newest.filter(|_| seen_whole).map(|date| date.to_string());
        let as_of = given.or(newest);
        if as_of.is_none() && survey.rows > 0 {
            return Err(ImportError::Refused(
                "the date of its data cannot be told from the source: say --as-of DATE".to_owned(),
            ));
        }
        let order = survey.order.unwrap_or(DateOrder::DayFirst);
        Ok(Settings { as_of, order, source: release.source() })
    }

    fn today(&self) -> Date {
        let instant = jiff::Timestamp::from_millisecond(self.now_ms).unwrap_or_default();
        instant.to_zoned(jiff::tz::TimeZone::UTC).date()
    }

    /// The date that was given for data that carries none.
    pub(crate) fn as_of_text(&self) -> Option<String> {
        self.options.as_of.map(|date| date.to_string())
    }

    /// The format that was asked for.
    pub(crate) fn asked_format(&self) -> Option<Format> {
        self.options.format
    }

    /// Which companies the symbols of an exchange stand for.
    pub(crate) fn symbols(&self) -> &Symbols {
        &self.options.symbols
    }

    /// Notes a row that is in order and holds nothing for the register.
    pub(crate) fn leave_out(&mut self, reason: &'static str) {
        self.current.read += 1;
        self.current.count_left_out(reason);
    }

    /// Takes in one record of a source, or notes why there is none.
    pub(crate) async fn take(
        &mut self,
        line: u64,
        raw: &str,
        source: Option<&'static str>,
        parsed: Result<Record, String>,
    ) -> Result<(), StoreError> {
        self.current.read += 1;
        match parsed {
            Ok(mut record) => {
                if let Some(as_of) = self.as_of_text() {
                    record.date_if_undated(&as_of);
                }
                self.batches.add(record, raw.len());
            }
            Err(reason) => {
                let reason = readable(&reason);
                self.current.count_reject(source, &reason);
                let raw = raw.trim_end().chars().take(MAX_RAW_CHARACTERS).collect();
                self.note_reject(Reject { file: self.file.clone(), line, reason, raw });
            }
        }
        if self.batches.is_full() { self.flush().await } else { Ok(()) }
    }

    async fn flush(&mut self) -> Result<(), StoreError> {
        let stored = self.batches.hand_over().await?;
        self.count(&stored).await
    }

    async fn count(&mut self, stored: &Report) -> Result<(), StoreError> {
        self.current.add(stored);
        self.tell_progress().await
    }

    async fn tell_progress(&mut self) -> Result<(), StoreError> {
        let mut so_far = self.report.clone();
        so_far.add(&self.current);
        if let Some(run) = &mut self.run {
            run.note(&self.register, &so_far, false).await?;
        }
        self.observer.bytes_read(self.bytes_before + self.meter.bytes());
        self.observer.progress(&self.file, &so_far);
        Ok(())
    }

    fn note_reject(&mut self, reject: Reject) {
        if let Some(run) = &mut self.run {
            run.see_reject(&reject);
        }
        if known::keeps_more(&self.rejects) {
            self.rejects.push(reject.clone());
        }
        self.current.keep_example(&reject);
        self.observer.reject(reject);
    }
}

/// A reason that anyone may read, whatever it quotes.
fn readable(reason: &str) -> String {
    let bounded: String = reason.chars().take(MAX_REASON_CHARACTERS).collect();
    mask_pans(&bounded).into_owned()
}

/// The error for content that no reader knows.
pub(crate) fn unknown_format() -> ImportError {
    ImportError::Refused(format!(
        "the content is of no format that is known ({}); `panji sources` shows their columns",
        Format::names()
    ))
}

/// The whole stream again, after its head was looked at.
fn rejoin<'a>(head: Vec<u8>, rest: Box<dyn Read + 'a>) -> impl BufRead + 'a {
    BufReader::with_capacity(BUFFER_BYTES, Cursor::new(head).chain(rest))
}
