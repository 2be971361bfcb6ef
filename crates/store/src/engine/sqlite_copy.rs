//! A copy of a SQLite file as it is at one moment, made while others write to it.

use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::Workload;
use super::sqlite::{connect, damage_of, failure};
use crate::error::{Result, StoreError};

/// Pages that are copied between two looks at the progress.
const PAGES_PER_STEP: i32 = 2_048;

/// Copies a file and proves the copy. `progress` is told the pages copied, and all of them.
pub fn copy_sqlite(
    from: &Path,
    to: &Path,
    workload: Workload,
    mut progress: impl FnMut(u64, u64),
) -> Result<()> {
    let named = |path: &Path| {
        let name = path.display().to_string();
        move |error: rusqlite::Error| match failure(error) {
            StoreError::Unavailable(reason) => StoreError::Unavailable(format!("{name}: {reason}")),
            other => other,
        }
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let source = connect(from, workload, flags).map_err(named(from))?;
    // The read that stays open holds the moment: what others commit meanwhile goes to the log and
    // is not in the copy. Without it every foreign commit would begin the copy anew.
    source.execute_batch("begin; select count(*) from sqlite_schema").map_err(named(from))?;
    let create = flags | OpenFlags::SQLITE_OPEN_CREATE;
    let mut copy = connect(to, workload, create).map_err(named(to))?;
    copy.pragma_update(None, "synchronous", "full").map_err(named(to))?;
    {
        let backup = Backup::new(&source, &mut copy).map_err(named(to))?;
        loop {
            let step = backup.step(PAGES_PER_STEP).map_err(|error| {
                let at_fault = if panji_checksum_vfs::is_damage(&error) { from } else { to };
                named(at_fault)(error)
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
    let verdict = quick_check(&copy).map_err(named(to))?;
    if let Some(damage) = verdict {
        let reason = format!("{} is damaged: {damage}", from.display());
        return Err(StoreError::Unavailable(reason));
    }
    copy.close().map_err(|(_, error)| named(to)(error))
}

/// What is wrong with a file's structure; none if it is sound.
pub fn quick_check(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let verdict: String = connection.query_row("pragma quick_check(1)", [], |row| row.get(0))?;
    let damaged = panji_checksum_vfs::take_damaged_page().map(damage_of);
    Ok((verdict != "ok").then(|| damaged.unwrap_or(verdict)))
}
