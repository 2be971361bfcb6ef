//! A cache of imported files: a file with known content is skipped, unless a record of one of its
//! types has changed since.

use std::io::{self, Read};

use panji_store::register::ImportedFile;
use panji_store::{Register, StoreError};
use ring::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};

use crate::format::Format;
use crate::input::meter::Meter;
use crate::input::opened::Input;
use crate::load::Options;
use crate::report::{Reject, Report};
use crate::sources::gleif::publication_day;
use crate::sources::xbrl::FilingTime;

/// The most rejects that are cached with a file; a file with more is not cached.
const MAX_CACHED_REJECTS: usize = 1_000;
/// Another release may read the same bytes differently, or report them differently. The number is
/// raised for such a change within a release.
const READER_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " reader 6");

/// The result of importing a file.
#[derive(Serialize, Deserialize)]
struct CachedReport {
    report: Report,
    rejects: Vec<Reject>,
}

/// A digest of a file and of everything that decides how it is read.
pub struct CacheKey(String);

/// The change feed before a file was imported.
#[derive(Clone, Copy)]
pub struct FeedPosition {
    /// The number of the newest change.
    seq: i64,
    /// The entries that this process has written.
    written: i64,
}

impl FeedPosition {
    pub async fn of(register: &Register) -> Result<FeedPosition, StoreError> {
        Ok(FeedPosition {
            seq: register.newest_change().await?,
            written: register.entries_written(),
        })
    }
}

/// None for an input that can be read only once.
pub fn key_of(input: &mut dyn Input, options: &Options) -> io::Result<Option<CacheKey>> {
    let Options { format, as_of, dates, symbols, filings, .. } = options;
    if !input.can_reopen() {
        return Ok(None);
    }
    let mut hash = Context::new(&SHA256);
    let format = format.map(Format::name);
    hash.update(format!("{READER_VERSION}|{format:?}|{as_of:?}|{dates:?}|").as_bytes());
    for (symbol, cin) in symbols.sorted() {
        hash.update(format!("{symbol}={cin}|").as_bytes());
    }
    // The name of a results filing may contain the time of filing.
    let name = input.name();
    hash.update(
        format!("{:?}|{:?}|", FilingTime::of_name(&name), publication_day(&name)).as_bytes(),
    );
    hash.update(filings.digest());
    let mut reader = input.open(&Meter::default())?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer)? {
            0 => break,
            length => hash.update(&buffer[..length]),
        }
    }
    let digest = hash.finish();
    Ok(Some(CacheKey(digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect())))
}

/// The report of the file with this key, if it is cached and still valid.
pub async fn lookup(
    register: &Register,
    CacheKey(key): &CacheKey,
    name: &str,
) -> Result<Option<(Report, Vec<Reject>)>, StoreError> {
    let Some(file) = register.find_imported_file(key).await? else { return Ok(None) };
    let Ok(CachedReport { mut report, mut rejects }) = serde_json::from_str(&file.report) else {
        return Ok(None);
    };
    for resource in report.by_resource.keys() {
        if register.has_changed_since(file.change_seq, resource).await? {
            return Ok(None);
        }
    }
    report.unchanged += report.new + report.changed;
    (report.new, report.changed) = (0, 0);
    (report.files, report.known_files) = (1, 1);
    for reject in &mut rejects {
        name.clone_into(&mut reject.file);
    }
    Ok(Some((report, rejects)))
}

/// Caches the report of a file that was imported completely, unless another process wrote to the
/// register at the same time.
pub async fn store(
    register: &Register,
    CacheKey(fingerprint): CacheKey,
    report: &Report,
    rejects: &[Reject],
    before: FeedPosition,
    now_ms: i64,
) -> Result<(), StoreError> {
    let change_seq = register.newest_change().await?;
    let written = register.entries_written() - before.written;
    let is_only_writer = change_seq - before.seq == written;
    if !is_only_writer || !report.failures.is_empty() || rejects.len() as u64 != report.rejected {
        return Ok(());
    }
    let cached = CachedReport { report: report.clone(), rejects: rejects.to_vec() };
    let report = serde_json::to_string(&cached)
        .map_err(|error| StoreError::Bug(format!("a report cannot be serialized: {error}")))?;
    let file = ImportedFile { fingerprint, imported_at: now_ms, change_seq, report };
    register.store_imported_file(&file).await
}

/// Whether one more reject can be cached.
pub fn has_room(rejects: &[Reject]) -> bool {
    rejects.len() < MAX_CACHED_REJECTS
}
