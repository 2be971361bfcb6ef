//! A snapshot copy of a SQLite file, made while others write to it.

use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::Workload;
use super::sqlite::{connect, damage_of, failure};
use crate::error::{Result, StoreError};

/// Pages copied between two progress reports.
const PAGES_PER_STEP: i32 = 2_048;

/// Copies a file and checks the copy. `progress` gets the number of copied pages and of all pages.
pub fn copy_sqlite(
    from: &Path,
    to: &Path,
    workload: Workload,
    mut progress: impl FnMut(u64, u64),
) -> Result<()> {
    let with_file_name = |path: &Path| {
        let name = path.display().to_string();
        move |error: rusqlite::Error| match failure(error) {
            StoreError::Unavailable(reason) => StoreError::Unavailable(format!("{name}: {reason}")),
            other => other,
        }
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let source = connect(from, workload, flags, None).map_err(with_file_name(from))?;
    // The open read transaction keeps the snapshot: later commits stay in the WAL and are not
    // copied. Without it, every commit of another process would restart the copy.
    source
        .execute_batch("begin; select count(*) from sqlite_schema")
        .map_err(with_file_name(from))?;
    let create = flags | OpenFlags::SQLITE_OPEN_CREATE;
    let mut copy = connect(to, workload, create, Some(&source)).map_err(with_file_name(to))?;
    copy.pragma_update(None, "synchronous", "full").map_err(with_file_name(to))?;
    {
        let backup = Backup::new(&source, &mut copy).map_err(with_file_name(to))?;
        loop {
            let step = backup.step(PAGES_PER_STEP).map_err(|error| {
                let at_fault = if panji_checksum_vfs::is_damage(&error) { from } else { to };
                with_file_name(at_fault)(error)
            })?;
            let pages = backup.progress();
            let (all, left) = (pages.pagecount.unsigned_abs(), pages.remaining.unsigned_abs());
            progress(u64::from(all.saturating_sub(left)), u64::from(all));
            match step {
                StepResult::Done => break,
                StepResult::More => {}
                _ => {
                    return Err(StoreError::Unavailable(format!(
                        "{}: it is locked",
                        from.display()
                    )));
                }
            }
        }
    }
    drop(source);
    let verdict = quick_check(&copy).map_err(with_file_name(to))?;
    if let Some(damage) = verdict {
        let reason = format!("{} is damaged: {damage}", from.display());
        return Err(StoreError::Unavailable(reason));
    }
    copy.close().map_err(|(_, error)| with_file_name(to)(error))
}

/// Damage to a file's structure; `None` if there is none.
pub fn quick_check(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let verdict: String = connection.query_row("pragma quick_check(1)", [], |row| row.get(0))?;
    let damaged = panji_checksum_vfs::take_damaged_page().map(damage_of);
    Ok((verdict != "ok").then(|| damaged.unwrap_or(verdict)))
}
