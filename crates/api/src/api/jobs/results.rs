//! The results of a job as a file: CSV, streamed, or XLSX, written with bounded memory.
//!
//! The result of a row is stored as the bulk operation returned it; older versions stored the cells.

use std::io::{Read, Seek, Write};
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use panji_store::StoreError;
use panji_store::ledger::BulkJob;
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{AcquireError, Semaphore};
use tokio::task::JoinError;

use super::reviewed::set_decisions;
use super::task::{Chunk, Task};
use crate::app::App;
use crate::locale::csv::escape_csv_formula;

const CHUNKS_PER_READ: i64 = 10;
/// Spreadsheets written at the same time; each uses a whole processor core.
static WRITERS: Semaphore = Semaphore::const_new(2);
/// The characters that a cell of a spreadsheet can contain.
const MAX_CELL: usize = 32_767;
const PART_BYTES: usize = 64 * 1024;
const CSV: &str = "text/csv; charset=utf-8";
/// The time limit to write the largest spreadsheet.
pub const SPREADSHEET_MS: u64 = 5 * 60_000;
/// The media type of XLSX.
pub const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// Why a file of results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Workbook(#[from] XlsxError),
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error(transparent)]
    Closed(#[from] AcquireError),
    #[error(transparent)]
    Task(#[from] JoinError),
}

/// A reader of a job's results in order.
pub struct Results {
    app: Arc<App>,
    job: BulkJob,
    task: Task,
    next_chunk: i64,
    next_row: i64,
    failures_only: bool,
}

/// A row of the list, and its result; none if it was not processed.
pub type RowResult = (Vec<String>, Option<Value>);

impl Results {
    pub fn new(app: Arc<App>, job: BulkJob) -> Result<Results, StoreError> {
        let task = serde_json::from_str(&job.task)
            .map_err(|error| StoreError::Bug(format!("job {}: {error}", job.id)))?;
        Ok(Results { app, job, task, next_chunk: 0, next_row: 0, failures_only: false })
    }

    /// Only the rows that were processed without success.
    pub fn failures(app: Arc<App>, job: BulkJob) -> Result<Results, StoreError> {
        Ok(Results { failures_only: true, ..Results::new(app, job)? })
    }

    /// The next rows with their results; none at the end.
    pub async fn next_results(&mut self) -> Result<Option<Vec<RowResult>>, StoreError> {
        let job = (self.job.account_id.as_str(), self.job.id.as_str());
        let ledger = &self.app.ledger;
        let stored = ledger.list_bulk_chunks(job, self.next_chunk, CHUNKS_PER_READ).await?;
        if stored.is_empty() {
            return Ok(None);
        }
        self.next_chunk += stored.len() as i64;
        let bug = |error: serde_json::Error| StoreError::Bug(error.to_string());
        let mut rows = Vec::new();
        for (input, output) in stored {
            let chunk: Chunk = serde_json::from_str(&input).map_err(bug)?;
            let mut results: Vec<Value> =
                serde_json::from_str(output.as_deref().unwrap_or("[]")).map_err(bug)?;
            set_decisions(ledger, (&self.job, &self.task), self.next_row, &mut results).await?;
            self.next_row += chunk.rows.len() as i64;
            let mut results = results.into_iter();
            rows.extend(chunk.rows.into_iter().map(|row| (row, results.next())));
        }
        if self.failures_only {
            rows.retain(|(_, result)| result.as_ref().is_some_and(|it| self.task.failed(it)));
        }
        Ok(Some(rows))
    }

    /// The next rows with the cells of their results; none at the end. Rows that were not processed
    /// have no results.
    async fn next(&mut self) -> Result<Option<Vec<Vec<String>>>, StoreError> {
        let Some(rows) = self.next_results().await? else { return Ok(None) };
        Ok(Some(rows.into_iter().map(|row| self.line(row)).collect()))
    }

    /// A row with the cells of its result.
    pub fn line(&self, (mut row, result): RowResult) -> Vec<String> {
        row.extend(result.map(|result| self.cells(&result)).unwrap_or_default());
        row
    }

    fn cells(&self, result: &Value) -> Vec<String> {
        match result {
            Value::Array(cells) => {
                cells.iter().map(|cell| cell.as_str().unwrap_or_default().to_owned()).collect()
            }
            Value::Null => Vec::new(),
            result => self.task.operation().cells(result),
        }
    }

    fn part(&self) -> &'static str {
        if self.failures_only { "failures" } else { "results" }
    }

    /// The file as a download.
    pub fn csv_download(self) -> Response {
        let headers = download(CSV, &file_name(&self.job, self.part(), "csv"));
        let body = Body::from_stream(stream::try_unfold(self, Results::next_csv));
        (headers, body).into_response()
    }

    /// The file as a download.
    pub async fn xlsx_download(self) -> Result<Response, ResultsError> {
        let headers = download(XLSX, &file_name(&self.job, self.part(), "xlsx"));
        let file = self.xlsx().await?;
        let length = [(header::CONTENT_LENGTH, file.metadata()?.len().to_string())];
        let body = Body::from_stream(stream::try_unfold(file, next_part));
        Ok((length, headers, body).into_response())
    }

    /// The next part of a CSV file; the first starts with the heading.
    async fn next_csv(mut self) -> Result<Option<(Vec<u8>, Results)>, std::io::Error> {
        let heading = (self.next_chunk == 0).then(|| self.task.headings());
        let Some(rows) = self.next().await.map_err(std::io::Error::other)? else { return Ok(None) };
        let bytes = csv_part(heading.into_iter().chain(rows))?;
        Ok(Some((bytes, self)))
    }

    /// An XLSX file, in a temporary file that is deleted when its handle is closed.
    async fn xlsx(self) -> Result<std::fs::File, ResultsError> {
        let _permit = WRITERS.acquire().await?;
        let runtime = Handle::current();
        let written = tokio::task::spawn_blocking(move || self.write_xlsx(&runtime));
        written.await?
    }

    fn write_xlsx(mut self, runtime: &Handle) -> Result<std::fs::File, ResultsError> {
        let task = self.task.clone();
        let mut file = tempfile::tempfile()?;
        let next = || runtime.block_on(self.next()).map_err(ResultsError::from);
        write_workbook(&task, &mut file, next)?;
        file.rewind()?;
        Ok(file)
    }
}

/// Rows as CSV. No cell is read as a formula.
pub fn csv_part(rows: impl Iterator<Item = Vec<String>>) -> Result<Vec<u8>, std::io::Error> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in rows {
        writer.write_record(row.iter().map(|cell| escape_csv_formula(cell)))?;
    }
    writer.into_inner().map_err(|error| std::io::Error::other(error.to_string()))
}

/// Writes the rows with their results as XLSX, with bounded memory. `next` returns some rows, or none
/// at the end.
pub fn write_workbook<E: From<XlsxError>>(
    task: &Task,
    file: &mut (impl Write + Seek + Send),
    mut next: impl FnMut() -> Result<Option<Vec<Vec<String>>>, E>,
) -> Result<(), E> {
    let mut workbook = Workbook::new();
    let numeric = task.numeric();
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    let bold = Format::new().set_bold();
    for (column, heading) in (0..).zip(task.headings()) {
        sheet.write_string_with_format(0, column, heading, &bold)?;
    }
    let mut line = 1;
    while let Some(rows) = next()? {
        for row in rows {
            write_row(sheet, line, &row, &numeric)?;
            line += 1;
        }
    }
    workbook.save_to_writer(file)?;
    Ok(())
}

/// Text cells are written as strings, so that none is read as a formula.
fn write_row(
    sheet: &mut Worksheet,
    line: u32,
    row: &[String],
    numeric: &[bool],
) -> Result<(), XlsxError> {
    for ((column, cell), numeric) in (0..).zip(row).zip(numeric) {
        match cell.parse::<f64>() {
            Ok(number) if *numeric => sheet.write_number(line, column, number)?,
            _ if cell.is_empty() => continue,
            _ => {
                sheet.write_string(line, column, cell.chars().take(MAX_CELL).collect::<String>())?
            }
        };
    }
    Ok(())
}

async fn next_part(
    mut file: std::fs::File,
) -> Result<Option<(Vec<u8>, std::fs::File)>, std::io::Error> {
    // Does not block: the file was just written and is in the page cache.
    let mut part = vec![0; PART_BYTES];
    let length = file.read(&mut part)?;
    part.truncate(length);
    Ok((length > 0).then_some((part, file)))
}

fn download(kind: &str, name: &str) -> [(HeaderName, String); 3] {
    [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
    ]
}

/// The name of the uploaded file without its extension; unsafe characters become `_`.
fn file_name(job: &BulkJob, part: &str, extension: &str) -> String {
    let stem = job.name.rsplit_once('.').map_or(job.name.as_str(), |(stem, _)| stem);
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let stem: String = stem.chars().map(safe).collect();
    format!("{stem}-{part}.{extension}")
}
