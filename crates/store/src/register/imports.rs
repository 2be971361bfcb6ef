//! The imports that brought the register's data: their sums and the first of their rejects.

use super::Register;
use crate::engine::{Row, Value};
use crate::error::Result;

/// Imports that are remembered; older ones are forgotten when a new one begins.
const MAX_REMEMBERED: i64 = 1_000;

/// Imports whose rejects are dropped at a time; each keeps 1,000 at most.
const REJECTS_DROPPED_AT_A_TIME: i64 = 10;

/// How long a file is remembered that went in.
const FILES_REMEMBERED_MS: i64 = 400 * 24 * 3_600_000;

/// One run of an import, finished or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportRun {
    /// Its id; later ones sort behind.
    pub id: String,
    /// When it began.
    pub started_at: i64,
    /// When its sums were noted last.
    pub noted_at: i64,
    /// Whether it came to its end.
    pub finished: bool,
    /// Files that were looked into.
    pub files: i64,
    /// Rows read.
    pub read: i64,
    /// Records that were not there before.
    pub new: i64,
    /// Records that are different now.
    pub changed: i64,
    /// Records that were there already.
    pub unchanged: i64,
    /// Records older than what is held.
    pub older: i64,
    /// Rows that could not be used.
    pub rejected: i64,
    /// Why, as a JSON object of reasons and counts.
    pub reasons: String,
    /// Files that could not be read, or not to their end.
    pub failed_files: i64,
    /// The first of them, with the reason.
    pub first_failure: Option<String>,
}

/// The latest import that had rows of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceImport {
    /// The source's name.
    pub source: String,
    /// Rows of this source that could not be used; not known of imports by older programs.
    pub rejected: Option<i64>,
    /// The import, with its sums over all sources.
    pub run: ImportRun,
}

/// A row that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReject {
    /// The file or stream it came from.
    pub file: String,
    /// Its line.
    pub line: i64,
    /// Why it could not be used.
    pub reason: String,
    /// The row as it was.
    pub raw: String,
}

/// A file that went in whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedFile {
    /// What its content and the way it was read come down to.
    pub fingerprint: String,
    /// When it went in.
    pub imported_at: i64,
    /// The number of the newest change when it was in.
    pub change_seq: i64,
    /// What was told of it, in the importer's own words.
    pub told: String,
}

impl Register {
    /// A file that went in before.
    pub async fn find_imported_file(&self, fingerprint: &str) -> Result<Option<ImportedFile>> {
        self.engine
            .query_opt(
                "select fingerprint, imported_at, change_seq, told from imported_files \
                 where fingerprint = $1",
                &[fingerprint.into()],
                |row| {
                    Ok(ImportedFile {
                        fingerprint: row.get(0)?,
                        imported_at: row.get(1)?,
                        change_seq: row.get(2)?,
                        told: row.get(3)?,
                    })
                },
            )
            .await
    }

    /// Remembers a file that went in, and forgets those long past.
    pub async fn store_imported_file(&self, file: &ImportedFile) -> Result<()> {
        let mut transaction = self.engine.transaction().await?;
        transaction
            .execute(
                "insert into imported_files (fingerprint, imported_at, change_seq, told) \
                 values ($1, $2, $3, $4) on conflict (fingerprint) do update set \
                 imported_at = excluded.imported_at, change_seq = excluded.change_seq, \
                 told = excluded.told",
                &[
                    (&file.fingerprint).into(),
                    file.imported_at.into(),
                    file.change_seq.into(),
                    (&file.told).into(),
                ],
            )
            .await?;
        transaction
            .execute(
                "delete from imported_files where imported_at < $1",
                &[(file.imported_at - FILES_REMEMBERED_MS).into()],
            )
            .await?;
        transaction.commit().await
    }

    /// Remembers an import that begins, and forgets those long past.
    pub async fn begin_import(&self, id: &str, now_ms: i64) -> Result<()> {
        let mut transaction = self.engine.transaction().await?;
        transaction
            .execute(
                "insert into imports (import_id, started_at, noted_at, finished, files, rows_read, \
                 records_new, records_changed, records_unchanged, records_older, rows_rejected, \
                 reasons) values ($1, $2, $2, false, 0, 0, 0, 0, 0, 0, 0, '{}')",
                &[id.into(), now_ms.into()],
            )
            .await?;
        let oldest_kept = transaction
            .query_opt(
                "select import_id from imports order by import_id desc limit 1 offset $1",
                &[(MAX_REMEMBERED - 1).into()],
                |row| row.get::<String>(0),
            )
            .await?;
        if let Some(oldest) = &oldest_kept {
            for forget in [
                "delete from imports where import_id < $1",
                "delete from import_sources where import_id < $1",
                "delete from import_rejects where import_id < $1",
            ] {
                transaction.execute(forget, &[oldest.into()]).await?;
            }
        }
        transaction.commit().await
    }

    /// Forgets the rejected rows of imports that began before an instant, of some imports at a time.
    /// Their sums and reasons stay.
    pub async fn drop_old_rejects(&self, before_ms: i64) -> Result<u64> {
        self.engine
            .execute(
                "delete from import_rejects where import_id in (select import_id from imports \
                 where started_at < $1 and exists (select 1 from import_rejects as kept \
                 where kept.import_id = imports.import_id) order by import_id limit $2)",
                &[before_ms.into(), REJECTS_DROPPED_AT_A_TIME.into()],
            )
            .await
    }

    /// Notes how far an import is: its sums, the sources it had rows of with how many of each could not
    /// be used, and rejects that were not noted yet, numbered from `rejects_before` on.
    pub async fn record_import<'s>(
        &self,
        run: &ImportRun,
        sources: impl IntoIterator<Item = (&'s str, i64)>,
        rejects: &[StoredReject],
        rejects_before: i64,
    ) -> Result<()> {
        let mut transaction = self.engine.transaction().await?;
        transaction
            .execute(
                "update imports set noted_at = $1, finished = $2, files = $3, rows_read = $4, \
                 records_new = $5, records_changed = $6, records_unchanged = $7, \
                 records_older = $8, rows_rejected = $9, reasons = $10, failed_files = $11, \
                 first_failure = $12 where import_id = $13",
                &[
                    run.noted_at.into(),
                    run.finished.into(),
                    run.files.into(),
                    run.read.into(),
                    run.new.into(),
                    run.changed.into(),
                    run.unchanged.into(),
                    run.older.into(),
                    run.rejected.into(),
                    (&run.reasons).into(),
                    run.failed_files.into(),
                    run.first_failure.as_deref().into(),
                    (&run.id).into(),
                ],
            )
            .await?;
        let sources: Vec<Vec<Value<'_>>> = sources
            .into_iter()
            .map(|(source, rejected)| vec![source.into(), (&run.id).into(), rejected.into()])
            .collect();
        transaction
            .execute_each(
                "insert into import_sources (source, import_id, rows_rejected) \
                 values ($1, $2, $3) on conflict (source, import_id) do update set \
                 rows_rejected = excluded.rows_rejected",
                &sources,
            )
            .await?;
        let rejects: Vec<Vec<Value<'_>>> = rejects
            .iter()
            .zip(rejects_before + 1..)
            .map(|(reject, number)| {
                vec![
                    (&run.id).into(),
                    number.into(),
                    (&reject.file).into(),
                    reject.line.into(),
                    (&reject.reason).into(),
                    (&reject.raw).into(),
                ]
            })
            .collect();
        transaction
            .execute_each(
                "insert into import_rejects (import_id, number, file, line, reason, raw) \
                 values ($1, $2, $3, $4, $5, $6)",
                &rejects,
            )
            .await?;
        transaction.commit().await
    }

    /// The latest imports, newest first.
    pub async fn list_imports(&self, limit: i64) -> Result<Vec<ImportRun>> {
        self.engine
            .query(
                "select import_id, started_at, noted_at, finished, files, rows_read, records_new, \
                 records_changed, records_unchanged, records_older, rows_rejected, reasons, \
                 failed_files, first_failure from imports order by import_id desc limit $1",
                &[limit.into()],
                run_of,
            )
            .await
    }

    /// One import.
    pub async fn find_import(&self, import_id: &str) -> Result<Option<ImportRun>> {
        self.engine
            .query_opt(
                "select import_id, started_at, noted_at, finished, files, rows_read, records_new, \
                 records_changed, records_unchanged, records_older, rows_rejected, reasons, \
                 failed_files, first_failure from imports where import_id = $1",
                &[import_id.into()],
                run_of,
            )
            .await
    }

    /// The latest import that had rows of each source.
    pub async fn list_latest_imports(&self) -> Result<Vec<SourceImport>> {
        self.engine
            .query(
                "select imports.import_id, started_at, noted_at, finished, files, rows_read, \
                 records_new, records_changed, records_unchanged, records_older, \
                 imports.rows_rejected, reasons, failed_files, first_failure, latest.source, \
                 noted.rows_rejected from imports join (select source, \
                 max(import_id) as import_id from import_sources group by source) as latest \
                 on latest.import_id = imports.import_id join import_sources as noted \
                 on noted.source = latest.source and noted.import_id = latest.import_id \
                 order by latest.source",
                &[],
                |row| {
                    Ok(SourceImport {
                        source: row.get(14)?,
                        rejected: row.get(15)?,
                        run: run_of(row)?,
                    })
                },
            )
            .await
    }

    /// The rejects of an import that were kept, in their order.
    pub async fn list_rejects(&self, import_id: &str, limit: i64) -> Result<Vec<StoredReject>> {
        self.engine
            .query(
                "select file, line, reason, raw from import_rejects where import_id = $1 \
                 order by number limit $2",
                &[import_id.into(), limit.into()],
                |row| {
                    Ok(StoredReject {
                        file: row.get(0)?,
                        line: row.get(1)?,
                        reason: row.get(2)?,
                        raw: row.get(3)?,
                    })
                },
            )
            .await
    }
}

fn run_of(row: &Row<'_>) -> Result<ImportRun> {
    Ok(ImportRun {
        id: row.get(0)?,
        started_at: row.get(1)?,
        noted_at: row.get(2)?,
        finished: row.get(3)?,
        files: row.get(4)?,
        read: row.get(5)?,
        new: row.get(6)?,
        changed: row.get(7)?,
        unchanged: row.get(8)?,
        older: row.get(9)?,
        rejected: row.get(10)?,
        reasons: row.get(11)?,
        failed_files: row.get(12)?,
        first_failure: row.get(13)?,
    })
}
