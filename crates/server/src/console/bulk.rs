//! Bulk: the list of jobs, and the form that makes a new one from a file or pasted text.

use askama::Template;
use axum::extract::Multipart;
use axum::extract::multipart::Field;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::StoreError;
use panji_store::calendar::{ist_year, now_ms};
use panji_store::ledger::{BulkJob, JobState, NewBulkJob};
use tokio::task::JoinError;

use super::forms::verify_csrf_token;
use super::frame::{Frame, Tab, respond, respond_unaccepted};
use super::problem::Problem;
use super::session::SignedIn;
use crate::accounts::roles::Permission;
use crate::api::wire::IdentifierType;
use crate::jobs::columns::{COLUMNS, Column};
use crate::jobs::list::{self, ListError};
use crate::jobs::task::{Task, Work};
use crate::locale::{amounts, dates};

/// How long an upload may take.
const UPLOAD_MS: u64 = 5 * 60_000;
/// Bytes of an ordinary field.
const MAX_FIELD_BYTES: usize = 1_000;
/// Characters of a file's name.
const MAX_NAME: usize = 100;
/// The two kinds of work, as the form names them.
const VERIFY: &str = "verify";
const ENRICH: &str = "enrich";
/// The columns that are ticked at first.
const FIRST_COLUMNS: [&str; 4] =
    ["company.name", "company.status", "company.incorporated_on", "company.state"];

#[derive(Template)]
#[template(path = "bulk.html")]
struct BulkPage {
    frame: Frame,
    may_call: bool,
    jobs: Vec<ShownJob>,
    form: Upload,
    error: Option<FieldError>,
    sections: Vec<Section>,
    max_rows: i64,
    max_megabytes: usize,
    keep_days: u32,
}

/// What is wrong with an upload: the field, and a sentence.
type FieldError = (&'static str, String);

/// Why an upload did not become a job.
enum UploadError {
    /// The form is shown again.
    Field(FieldError),
    Problem(Problem),
}

/// Why a list could not be cut into the chunks of a job.
#[derive(Debug, thiserror::Error)]
enum CutError {
    #[error(transparent)]
    List(#[from] ListError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl From<FieldError> for UploadError {
    fn from(error: FieldError) -> Self {
        UploadError::Field(error)
    }
}

impl From<StoreError> for UploadError {
    fn from(error: StoreError) -> Self {
        UploadError::Problem(error.into())
    }
}

impl BulkPage {
    /// Whether a column is the first one, to which the summary of errors leads.
    fn is_first_column(&self, id: &str) -> bool {
        COLUMNS.first().is_some_and(|column| column.id == id)
    }

    /// What is wrong with a field.
    fn error_of(&self, field: &str) -> Option<&str> {
        let error = self.error.as_ref().filter(|(wrong, _)| *wrong == field);
        error.map(|(_, sentence)| sentence.as_str())
    }
}

/// A section of columns that are paid for together.
struct Section {
    title: &'static str,
    price: i64,
    columns: Vec<(&'static Column, bool)>,
}

/// A job as pages show it.
pub struct ShownJob {
    /// Our name for it.
    pub id: String,
    /// The file's name.
    pub name: String,
    /// What it does.
    pub what: &'static str,
    /// Where it stands, in a word.
    pub state: &'static str,
    /// The stylesheet's class for that.
    pub class: &'static str,
    /// Rows that are done, of how many.
    pub rows: String,
    /// What it has cost.
    pub credits: String,
    /// When it was made.
    pub created: String,
}

/// What was sent.
#[derive(Default)]
pub struct Upload {
    work: String,
    kind: String,
    column: String,
    text: String,
    file_name: String,
    file: Vec<u8>,
    columns: Vec<String>,
}

/// Shows the page.
pub async fn show(signed_in: SignedIn) -> Result<Response, Problem> {
    let columns = FIRST_COLUMNS.map(str::to_owned).to_vec();
    let form = Upload { columns, work: VERIFY.to_owned(), ..Upload::default() };
    Ok(respond(&page(&signed_in, form, None).await?))
}

async fn page(
    signed_in: &SignedIn,
    form: Upload,
    error: Option<FieldError>,
) -> Result<BulkPage, Problem> {
    let app = &signed_in.app;
    let jobs = app.ledger.list_bulk_jobs(signed_in.account_id(), signed_in.mode()).await?;
    let settings = &app.config.bulk_jobs;
    Ok(BulkPage {
        frame: signed_in.frame(Tab::Bulk, "Bulk"),
        may_call: signed_in.may(Permission::MakeCalls),
        jobs: jobs.iter().map(shown_job).collect(),
        sections: sections(signed_in, &form.columns),
        form,
        error,
        max_rows: settings.rows.get() as i64,
        max_megabytes: settings.file_bytes.get() / (1024 * 1024),
        keep_days: settings.keep_days.get(),
    })
}

fn sections(signed_in: &SignedIn, ticked: &[String]) -> Vec<Section> {
    let titles = [
        ("company", "Company"),
        ("pan", "PAN"),
        ("capital", "Capital"),
        ("directors", "Directors"),
        ("charges", "Charges"),
        ("financials", "Financials"),
        ("compliance", "Compliance"),
        ("documents", "Documents"),
    ];
    let section = |(name, title): (&str, &'static str)| Section {
        title,
        price: crate::api::enrich::section_price(&signed_in.app.config.prices, name),
        columns: COLUMNS
            .iter()
            .filter(|column| column.section() == name)
            .map(|column| (column, ticked.iter().any(|id| id == column.id)))
            .collect(),
    };
    titles.into_iter().map(section).collect()
}

/// A job as pages show it.
pub fn shown_job(job: &BulkJob) -> ShownJob {
    let (state, class) = match job.state {
        JobState::Loading => ("loading", "is-plain"),
        JobState::Draft => ("not started", "is-test"),
        JobState::Running => ("running", "is-plain"),
        JobState::Paused => ("paused", "is-test"),
        JobState::Done => ("done", "is-good"),
        JobState::Stopped => ("stopped", "is-plain"),
        JobState::Failed => ("failed", "is-bad"),
    };
    let what = match serde_json::from_str::<Task>(&job.task).map(|task| task.work) {
        Ok(Work::Enrich { .. }) => "Enrich",
        _ => "Verify",
    };
    ShownJob {
        id: job.id.clone(),
        name: job.name.clone(),
        what,
        state,
        class,
        rows: format!("{} of {}", amounts::grouped(job.rows_done), amounts::grouped(job.row_count)),
        credits: amounts::grouped(job.credits),
        created: dates::minute(job.created_at),
    }
}

/// Reads a list, tells its price, and keeps it as a draft that somebody has to agree to.
pub async fn upload(signed_in: SignedIn, multipart: Multipart) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    signed_in.context.grant_time_ms(UPLOAD_MS);
    let mut form = read_form(&signed_in, multipart).await?;
    match make_job(&signed_in, &mut form).await {
        Ok(id) => Ok(Redirect::to(&format!("/console/bulk/{id}")).into_response()),
        Err(UploadError::Field(error)) => {
            Ok(respond_unaccepted(&page(&signed_in, form, Some(error)).await?))
        }
        Err(UploadError::Problem(problem)) => Err(problem),
    }
}

async fn make_job(signed_in: &SignedIn, form: &mut Upload) -> Result<String, UploadError> {
    let app = signed_in.app.clone();
    let settings = app.config.bulk_jobs;
    let text = match form.file.is_empty() {
        true => form.text.clone(),
        false => match panji_import::decode(&form.file) {
            (_, true) => {
                let error =
                    "This is not a text file. Save it as CSV in your spreadsheet program first.";
                return Err(("file", error.to_owned()).into());
            }
            (text, false) => text,
        },
    };
    let wanted = form.column.clone();
    let work = read_work(form)?;
    let this_year = ist_year(now_ms());
    // A large list takes a while, during which others are served.
    let cut = tokio::task::spawn_blocking({
        let app = app.clone();
        move || -> Result<_, CutError> {
            let list = list::read(&text, &wanted, settings.rows.get())?;
            let width = list.rows.first().map_or(0, Vec::len);
            let task = Task { header: list.header.clone(), width, column: list.column, work };
            let (rows, price) =
                (list.rows.len(), task.highest_price(&list.rows, &app.config, this_year));
            let chunks = task.chunks(list, &app.config, this_year);
            let chunks: Result<Vec<String>, _> = chunks.iter().map(serde_json::to_string).collect();
            Ok((serde_json::to_string(&task)?, rows, price, chunks?))
        }
    });
    let internal = |error: JoinError| UploadError::Problem(Problem::internal(error.to_string()));
    let (task, row_count, highest_price, chunks) =
        cut.await.map_err(internal)?.map_err(|error| match error {
            CutError::List(ListError::NoColumn { .. }) => ("column", error.to_string()),
            _ => (form.list_field(), error.to_string()),
        })?;
    let new = NewBulkJob {
        account_id: signed_in.account_id(),
        mode: signed_in.mode(),
        task: &task,
        name: if form.file.is_empty() { "pasted list" } else { &form.file_name },
        highest_price,
        row_count: row_count as i64,
        most_open: i64::from(settings.open_per_account.get()),
    };
    match app.ledger.create_bulk_job(&new, &chunks, now_ms()).await {
        Err(StoreError::Conflict(reason)) => {
            Err((form.list_field(), format!("The list was not accepted: {reason}.")).into())
        }
        other => Ok(other?),
    }
}

impl Upload {
    fn enriches(&self) -> bool {
        self.work == ENRICH
    }

    fn verifies(&self) -> bool {
        self.work == VERIFY
    }

    /// The field that the list came from.
    fn list_field(&self) -> &'static str {
        if self.file.is_empty() && !self.text.is_empty() { "text" } else { "file" }
    }
}

fn read_work(form: &Upload) -> Result<Work, FieldError> {
    if form.verifies() {
        let kind = match form.kind.as_str() {
            "" => None,
            "cin" => Some(IdentifierType::Cin),
            "din" => Some(IdentifierType::Din),
            "gstin" => Some(IdentifierType::Gstin),
            "pan" => Some(IdentifierType::Pan),
            _ => return Err(("kind", "Choose a type from the list.".to_owned())),
        };
        return Ok(Work::Verify { kind });
    }
    if !form.enriches() {
        return Err(("work", "Choose an action.".to_owned()));
    }
    // In our order, whatever order they were sent in.
    let chosen = COLUMNS.iter().filter(|column| form.columns.iter().any(|id| id == column.id));
    let columns: Vec<String> = chosen.map(|column| column.id.to_owned()).collect();
    if columns.is_empty() {
        return Err(("columns", "Select at least one column to add.".to_owned()));
    }
    Ok(Work::Enrich { columns })
}

/// Reads the form part by part, each within its bound. The first part verify_csrf_token that the form is ours.
async fn read_form(signed_in: &SignedIn, mut multipart: Multipart) -> Result<Upload, Problem> {
    let unread =
        |error: axum::extract::multipart::MultipartError| Problem::bad_form(error.body_text());
    let max_bytes = signed_in.app.config.bulk_jobs.file_bytes.get();
    let mut form = Upload::default();
    let mut proven = false;
    while let Some(field) = multipart.next_field().await.map_err(unread)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "form_token" {
            proven = verify_csrf_token(signed_in, &read_text(field, MAX_FIELD_BYTES).await?);
            continue;
        }
        if !proven {
            return Err(Problem::foreign_form());
        }
        match name.as_str() {
            "work" => form.work = read_text(field, MAX_FIELD_BYTES).await?,
            "kind" => form.kind = read_text(field, MAX_FIELD_BYTES).await?,
            "column" => form.column = read_text(field, MAX_FIELD_BYTES).await?,
            "columns" if form.columns.len() < COLUMNS.len() => {
                form.columns.push(read_text(field, MAX_FIELD_BYTES).await?);
            }
            "text" => form.text = read_text(field, max_bytes).await?,
            "file" => {
                let file_name = field.file_name().unwrap_or_default();
                let shown = |character: &char| !character.is_control();
                form.file_name = file_name.chars().filter(shown).take(MAX_NAME).collect();
                form.file = read_bytes(field, max_bytes).await?;
            }
            _ => {}
        }
    }
    if proven { Ok(form) } else { Err(Problem::foreign_form()) }
}

async fn read_text(field: Field<'_>, max_bytes: usize) -> Result<String, Problem> {
    let bytes = read_bytes(field, max_bytes).await?;
    Ok(panji_import::decode(&bytes).0)
}

async fn read_bytes(mut field: Field<'_>, max_bytes: usize) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    while let Some(part) =
        field.chunk().await.map_err(|error| Problem::bad_form(error.body_text()))?
    {
        if bytes.len() + part.len() > max_bytes {
            return Err(Problem::too_large(max_bytes));
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}
