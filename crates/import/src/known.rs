//! Files that went in before: known again by their content, and passed over while nothing that they
//! brought has changed since.

use std::io::{self, Read};

use panji_store::register::ImportedFile;
use panji_store::{Register, StoreError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::load::Options;
use crate::report::{Reject, Report};
use crate::source::{Meter, Source};

/// Rejects that are kept with a file, to be told again; a file with more is read again instead.
const MAX_TOLD_AGAIN: usize = 1_000;
/// Another release may read the same bytes differently, or tell something else of them.
const READER: &str = concat!(env!("CARGO_PKG_VERSION"), " rejects by source");

/// What a file gave when it went in.
#[derive(Serialize, Deserialize)]
struct Told {
    report: Report,
    rejects: Vec<Reject>,
}

/// The fingerprint of a file and of what decides how it is read. None for what can be read once.
pub fn fingerprint(source: &mut dyn Source, options: &Options) -> io::Result<Option<String>> {
    if !source.can_reopen() {
        return Ok(None);
    }
    let mut hash = Sha256::new();
    let format = options.format.map(|format| format.name());
    let settings = format!("{READER}|{format:?}|{:?}|", options.as_of);
    hash.update(settings.as_bytes());
    for (symbol, cin) in options.symbols.sorted() {
        hash.update(format!("{symbol}={cin}|").as_bytes());
    }
    let mut reader = source.open(&Meter::default())?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer)? {
            0 => break,
            length => hash.update(&buffer[..length]),
        }
    }
    Ok(Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// What the file with this fingerprint would give now, if that can be told without reading it.
pub async fn recall(
    register: &Register,
    fingerprint: &str,
    name: &str,
) -> Result<Option<(Report, Vec<Reject>)>, StoreError> {
    let Some(file) = register.find_imported_file(fingerprint).await? else { return Ok(None) };
    let Ok(Told { mut report, mut rejects }) = serde_json::from_str(&file.told) else {
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

/// Remembers a file that went in whole, unless it changed while others wrote, too.
pub async fn remember(
    register: &Register,
    fingerprint: String,
    report: &Report,
    rejects: &[Reject],
    seq_before: i64,
    now_ms: i64,
) -> Result<(), StoreError> {
    let change_seq = register.newest_change().await?;
    let alone = (change_seq - seq_before) as u64 == report.new + report.changed;
    if !alone || !report.failures.is_empty() || rejects.len() as u64 != report.rejected {
        return Ok(());
    }
    let told = Told { report: report.clone(), rejects: rejects.to_vec() };
    let told = serde_json::to_string(&told)
        .map_err(|error| StoreError::Bug(format!("a report cannot be written: {error}")))?;
    let file = ImportedFile { fingerprint, imported_at: now_ms, change_seq, told };
    register.remember_imported_file(&file).await
}

/// Whether one more reject is worth keeping.
pub fn keeps_more(rejects: &[Reject]) -> bool {
    rejects.len() < MAX_TOLD_AGAIN
}
