//! `panji match`: matches the names of a list with companies, for the operator: nothing is charged.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use axum::body::Bytes;
use panji_api::api::body::parse;
use panji_api::api::jobs::MatchWork;
use panji_api::api::jobs::formats::Source;
use panji_api::api::jobs::list::Mapping;
use panji_api::api::jobs::results::{csv_part, write_workbook};
use panji_api::api::jobs::task::{Chunk, Task};
use panji_api::api::jobs::work::Work;
use panji_api::api::matching::{DEFAULT_LIMIT, match_all};
use panji_api::api::wire::MatchRequest;
use panji_api::app::{Dataset, director_index_dir, index_dir};
use panji_api::config::Config;
use panji_api::databases::{IfAbsent, open_register_with_replica, require_data_dir};
use panji_graph::{Builder, Graph};
use panji_search::{IndexKind, Search};
use panji_store::calendar::{ist_year, now_ms};
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tokio::runtime::Handle;

use super::error::{CommandError, MatchError};
use super::output::{Progress, counted, note, print_part};
use super::values::ValueError;

/// The most rows of a list: a spreadsheet cannot have more.
const MAX_ROWS: usize = 1_000_000;
/// The largest file. It is read into memory.
const MAX_FILE_BYTES: u64 = 1 << 30;

#[derive(clap::Args)]
pub struct MatchArguments {
    /// The list: CSV, XLSX or JSON lines, recognized by its content; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The column of a field, by its heading or its number from 1, as state=Province; without a field,
    /// the column of the names; may be repeated. Usual headings are found without it
    #[arg(long, value_name = "[FIELD=]COLUMN", value_parser = parse_column)]
    column: Vec<(String, String)>,
    /// Write the result to this file, as its name ends: .csv, .xlsx or .jsonl; CSV on standard output
    /// if left out
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A field and its column.
fn parse_column(text: &str) -> Result<(String, String), ValueError> {
    let (field, column) = match text.split_once('=') {
        Some((field, column)) => (field.trim(), column.trim()),
        None => ("name", text.trim()),
    };
    let names: Vec<&str> = MatchWork::field_names().collect();
    match names.contains(&field) && !column.is_empty() {
        true => Ok((field.to_owned(), column.to_owned())),
        false => {
            let names = names.iter().map(|name| format!("{name}=COLUMN")).collect::<Vec<_>>();
            Err(ValueError::OneOf { names: names.join(", ") })
        }
    }
}

#[derive(Clone, Copy)]
enum Format {
    Csv,
    Xlsx,
    JsonLines,
}

impl Format {
    fn of(path: &Path) -> Result<Format, MatchError> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("csv") => Ok(Format::Csv),
            Some("xlsx") => Ok(Format::Xlsx),
            Some("jsonl" | "ndjson") => Ok(Format::JsonLines),
            _ => Err(MatchError::Ending { path: path.to_owned() }),
        }
    }
}

pub async fn run(config: &Config, arguments: MatchArguments) -> Result<ExitCode, CommandError> {
    let format = arguments.out.as_deref().map_or(Ok(Format::Csv), Format::of)?;
    let dataset = open_dataset(config).await?;
    let source = Source::of_any_file(read(&arguments.file)?);
    let mut mapping = Mapping::default();
    for (field, column) in arguments.column {
        match field.as_str() {
            "name" => mapping.column = column,
            _ => mapping.fields.push((field, column)),
        }
    }
    let work = Work::Match(MatchWork::default());
    let (task, list) = Task::read(source, &mapping, work, (config, MAX_ROWS))
        .map_err(|cause| MatchError::List { path: arguments.file.clone(), cause })?;
    let this_year = ist_year(now_ms());
    let total = list.rows.len();
    let chunks = task.chunks(list, this_year).into_iter();
    let progress = Progress::new();
    let matching =
        Matching { dataset, task, chunks, this_year, total, done: 0, counts: [0; 3], progress };
    let runtime = Handle::current();
    let written = tokio::task::spawn_blocking(move || match &arguments.out {
        Some(path) => matching.write_file(path, format, &runtime),
        None => matching.print(&runtime),
    });
    written.await.map_err(|error| CommandError::Threads(std::io::Error::other(error)))??;
    Ok(ExitCode::SUCCESS)
}

/// Opens the register and its index, which a running service may have open, too.
async fn open_dataset(config: &Config) -> Result<Dataset, CommandError> {
    let register = open_register_with_replica(config, IfAbsent::Refuse).await?;
    require_data_dir(config)?;
    let search = Search::open(IndexKind::Companies, &index_dir(config))?;
    let newest = register.newest_change().await?;
    match search.indexed_change() {
        None => return Err(MatchError::NoIndex.into()),
        Some(indexed) if indexed < newest => note(&format!(
            "the search index lacks {} of the register; 'panji reindex' adds what is missing",
            counted(newest - indexed, "change", "changes")
        )),
        Some(_) => {}
    }
    let directors = Search::open(IndexKind::Directors, &director_index_dir(config))?;
    let (search, directors) = (Arc::new(search), Arc::new(directors));
    // Matching asks no question about networks.
    let graph = Arc::new(Graph::in_memory(Builder::default()));
    Ok(Dataset { register: Arc::new(register), search, directors, graph })
}

fn read(path: &Path) -> Result<Bytes, MatchError> {
    let failed = |cause| MatchError::File { path: path.to_owned(), cause };
    let mut bytes = Vec::new();
    let limit = MAX_FILE_BYTES + 1;
    let length = match path == Path::new("-") {
        true => std::io::stdin().lock().take(limit).read_to_end(&mut bytes),
        false => std::fs::File::open(path).map_err(failed)?.take(limit).read_to_end(&mut bytes),
    };
    match length.map_err(failed)? as u64 > MAX_FILE_BYTES {
        true => Err(MatchError::TooLarge { path: path.to_owned(), max_bytes: MAX_FILE_BYTES }),
        false => Ok(bytes.into()),
    }
}

/// A row of the list with its result.
struct Row {
    cells: Vec<String>,
    result: Value,
}

/// The list while it is matched.
struct Matching {
    dataset: Dataset,
    task: Task,
    chunks: std::vec::IntoIter<Chunk>,
    this_year: u16,
    total: usize,
    done: usize,
    /// The rows with the decision match, review and none.
    counts: [usize; 3],
    progress: Progress,
}

impl Matching {
    /// Matches the next rows; none at the end.
    async fn next(&mut self) -> Result<Option<Vec<Row>>, MatchError> {
        let Some(chunk) = self.chunks.next() else { return Ok(None) };
        let (first, last) = (self.done + 1, self.done + chunk.rows.len());
        let failed = |sentence: String| MatchError::Rows { first, last, sentence };
        let body = self.task.body(&chunk).unwrap_or_default().to_string();
        let request: MatchRequest =
            parse(body.as_bytes()).map_err(|error| failed(error.message))?;
        let limit = usize::from(DEFAULT_LIMIT);
        let matched = match_all(&self.dataset, request.items, limit, self.this_year).await;
        let matched = matched.map_err(|error| failed(error.cause.unwrap_or(error.message)))?;
        for (count, more) in
            self.counts.iter_mut().zip([matched.matched, matched.review, matched.none])
        {
            *count += more;
        }
        self.done = last;
        let what = format!("{last} of {}", counted(self.total as i64, "row", "rows"));
        self.progress.show(last as u64, Some(self.total as u64), &what);
        let row = |(cells, result)| {
            let result = serde_json::to_value(result).map_err(|error| failed(error.to_string()))?;
            Ok(Row { cells, result })
        };
        chunk.rows.into_iter().zip(matched.results).map(row).collect::<Result<_, _>>().map(Some)
    }

    /// The next rows as cells.
    fn next_cells(&mut self, runtime: &Handle) -> Result<Option<Vec<Vec<String>>>, MatchError> {
        let Some(rows) = runtime.block_on(self.next())? else { return Ok(None) };
        let cells = |row: Row| {
            let results = self.task.operation().cells(&row.result);
            row.cells.into_iter().chain(results).collect()
        };
        Ok(Some(rows.into_iter().map(cells).collect()))
    }

    fn print(mut self, runtime: &Handle) -> Result<(), MatchError> {
        let failed = |error: std::io::Error| MatchError::Output {
            path: "standard output".into(),
            sentence: error.to_string(),
        };
        let print = |rows: Vec<Vec<String>>| -> Result<(), MatchError> {
            let part = csv_part(rows.into_iter()).map_err(failed)?;
            print_part(&String::from_utf8_lossy(&part));
            Ok(())
        };
        print(vec![self.task.headings()])?;
        while let Some(rows) = self.next_cells(runtime)? {
            print(rows)?;
        }
        self.finish();
        Ok(())
    }

    /// Writes a file that is complete or absent.
    fn write_file(
        mut self,
        path: &Path,
        format: Format,
        runtime: &Handle,
    ) -> Result<(), MatchError> {
        let failed = |error: std::io::Error| MatchError::Output {
            path: path.to_owned(),
            sentence: error.to_string(),
        };
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let mut file =
            NamedTempFile::new_in(directory.unwrap_or(Path::new("."))).map_err(failed)?;
        match format {
            Format::Csv => {
                let heading = csv_part(std::iter::once(self.task.headings())).map_err(failed)?;
                file.write_all(&heading).map_err(failed)?;
                while let Some(rows) = self.next_cells(runtime)? {
                    let part = csv_part(rows.into_iter()).map_err(failed)?;
                    file.write_all(&part).map_err(failed)?;
                }
            }
            Format::Xlsx => {
                let task = self.task.clone();
                write_workbook(&task, file.as_file_mut(), || self.next_cells(runtime))?;
            }
            Format::JsonLines => {
                let names = self.task.input_names();
                let mut number = 0;
                while let Some(rows) = runtime.block_on(self.next())? {
                    for row in rows {
                        number += 1;
                        let input = self.task.input(&names, &row.cells);
                        let line = json!({ "row": number, "input": input, "result": row.result });
                        writeln!(file, "{line}").map_err(failed)?;
                    }
                }
            }
        }
        set_readable(&file).map_err(failed)?;
        file.persist(path).map_err(|error| failed(error.error))?;
        self.finish();
        Ok(())
    }

    fn finish(&mut self) {
        self.progress.finish();
        let [matched, review, none] = self.counts;
        let rows = counted(self.total as i64, "row", "rows");
        note(&format!("{rows}: {matched} match, {review} review, {none} none"));
    }
}

/// Gives a temporary file the permissions that a new file would have, as far as its owner and group go.
fn set_readable(file: &NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o640))
}
