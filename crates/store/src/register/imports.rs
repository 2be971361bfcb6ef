//! The imports into the register: their counts and their first rejects.

use super::Register;
use crate::engine::{Row, Value};
use crate::error::Result;

/// The most stored imports; older ones are deleted when a new one begins.
const MAX_STORED_IMPORTS: i64 = 1_000;

/// The number of imports whose rejects are deleted in one statement; each has at most 1,000.
const IMPORTS_PER_DELETE: i64 = 10;

/// How long the record of an imported file is stored.
const FILE_RETENTION_MS: i64 = 400 * 24 * 3_600_000;

/// One run of an import, finished or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportRun {
    /// Ids sort by time.
    pub id: String,
    pub started_at: i64,
    /// When its counts were last saved.
    pub updated_at: i64,
    pub finished: bool,
    pub files: i64,
    pub read: i64,
    /// Records added to the register.
    pub new: i64,
    /// Records updated in the register.
    pub changed: i64,
    /// Records that were already in the register with the same values.
    pub unchanged: i64,
    /// Records older than those in the register.
    pub older: i64,
    /// Rows that could not be used.
    pub rejected: i64,
    /// The reasons of rejected rows with their counts, as a JSON object.
    pub reasons: String,
    /// Files that could not be read completely.
    pub failed_files: i64,
    /// The first failed file, with the reason.
    pub first_failure: Option<String>,
}

/// The latest import that had rows of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceImport {
    pub source: String,
    /// Rejected rows of this source; `None` for imports by older programs.
    pub rejected: Option<i64>,
    /// The import, with its counts over all sources.
    pub run: ImportRun,
}

/// A row that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReject {
    pub file: String,
    pub line: i64,
    pub reason: String,
    /// The row, unchanged.
    pub raw: String,
}

/// A file that was imported completely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedFile {
    /// A digest of its content and of the import options.
    pub fingerprint: String,
    pub imported_at: i64,
    /// The number of the newest change after its import.
    pub change_seq: i64,
    /// The report of the import, as JSON; stored in the column `told`.
    pub report: String,
}

impl Register {
    /// `None` if no file with this fingerprint was imported.
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
                        report: row.get(3)?,
                    })
                },
            )
            .await
    }

    /// Records an imported file, and deletes old records.
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
                    (&file.report).into(),
                ],
            )
            .await?;
        transaction
            .execute(
                "delete from imported_files where imported_at < $1",
                &[(file.imported_at - FILE_RETENTION_MS).into()],
            )
            .await?;
        transaction.commit().await
    }

    /// Records a new import, and deletes old ones.
    pub async fn begin_import(&self, id: &str, now_ms: i64) -> Result<()> {
        let mut transaction = self.engine.transaction().await?;
        transaction
            .execute(
                "insert into imports (import_id, started_at, updated_at, finished, files, rows_read, \
                 records_new, records_changed, records_unchanged, records_older, rows_rejected, \
                 reasons) values ($1, $2, $2, false, 0, 0, 0, 0, 0, 0, 0, '{}')",
                &[id.into(), now_ms.into()],
            )
            .await?;
        let oldest_stored = transaction
            .query_opt(
                "select import_id from imports order by import_id desc limit 1 offset $1",
                &[(MAX_STORED_IMPORTS - 1).into()],
                |row| row.get::<String>(0),
            )
            .await?;
        if let Some(oldest) = &oldest_stored {
            for statement in [
                "delete from imports where import_id < $1",
                "delete from import_sources where import_id < $1",
                "delete from import_rejects where import_id < $1",
            ] {
                transaction.execute(statement, &[oldest.into()]).await?;
            }
        }
        transaction.commit().await
    }

    /// Deletes the rejects of imports that began before an instant, of a limited number of imports
    /// at a time. Their counts and reasons stay.
    pub async fn delete_expired_rejects(&self, before_ms: i64) -> Result<u64> {
        self.engine
            .execute(
                "delete from import_rejects where import_id in (select import_id from imports \
                 where started_at < $1 and exists (select 1 from import_rejects as kept \
                 where kept.import_id = imports.import_id) order by import_id limit $2)",
                &[before_ms.into(), IMPORTS_PER_DELETE.into()],
            )
            .await
    }

    /// Saves the progress of an import: its counts, its sources with the number of rejected rows of
    /// each, and rejects that are not stored yet, numbered from `rejects_before` on.
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
                "update imports set updated_at = $1, finished = $2, files = $3, rows_read = $4, \
                 records_new = $5, records_changed = $6, records_unchanged = $7, \
                 records_older = $8, rows_rejected = $9, reasons = $10, failed_files = $11, \
                 first_failure = $12 where import_id = $13",
                &[
                    run.updated_at.into(),
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
                "select import_id, started_at, updated_at, finished, files, rows_read, records_new, \
                 records_changed, records_unchanged, records_older, rows_rejected, reasons, \
                 failed_files, first_failure from imports order by import_id desc limit $1",
                &[limit.into()],
                run_of,
            )
            .await
    }

    pub async fn find_import(&self, import_id: &str) -> Result<Option<ImportRun>> {
        self.engine
            .query_opt(
                "select import_id, started_at, updated_at, finished, files, rows_read, records_new, \
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
                "select imports.import_id, started_at, updated_at, finished, files, rows_read, \
                 records_new, records_changed, records_unchanged, records_older, \
                 imports.rows_rejected, reasons, failed_files, first_failure, latest.source, \
                 import_sources.rows_rejected from imports join (select source, \
                 max(import_id) as import_id from import_sources group by source) as latest \
                 on latest.import_id = imports.import_id join import_sources \
                 on import_sources.source = latest.source \
                 and import_sources.import_id = latest.import_id \
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

    /// The stored rejects of an import, in order.
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
        updated_at: row.get(2)?,
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
