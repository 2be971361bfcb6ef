//! The bulk page: the list of jobs, and the form that creates one from a file or pasted text.

use askama::Template;
use axum::extract::Multipart;
use axum::extract::multipart::Field;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::api::jobs::columns::{COLUMNS, Column};
use panji_api::api::jobs::create::{CreateError, JobRequest, UPLOAD_MS, create};
use panji_api::api::jobs::formats::Source;
use panji_api::api::jobs::list::Mapping;
use panji_api::api::jobs::task::Task;
use panji_api::api::jobs::work::Work;
use panji_api::api::jobs::{EnrichWork, MatchWork, VerifyWork};
use panji_api::api::wire::IdentifierType;
use panji_store::StoreError;
use panji_store::ledger::{BulkJob, JobState};

use super::bulk_templates;
use super::forms::verify_csrf_token;
use super::language::{amounts, dates, filters, t, t_with};
use super::layout::{Layout, Tab, respond, respond_with_errors};
use super::page_error::PageError;
use super::session::SignedIn;

/// The limit of all fields except the file and the pasted text.
const MAX_FIELD_BYTES: usize = 1_000;
/// Of a file's name, in characters.
const MAX_NAME: usize = 100;
/// The form values of the actions.
const VERIFY: &str = "verify";
const MATCH: &str = "match";
const ENRICH: &str = "enrich";
/// The columns that are selected by default.
pub const DEFAULT_COLUMNS: [&str; 4] =
    ["company.name", "company.status", "company.incorporated_on", "company.state"];

#[derive(Template)]
#[template(path = "bulk.html")]
struct BulkPage {
    layout: Layout,
    may_call: bool,
    jobs: Vec<JobSummary>,
    form: Upload,
    error: Option<FieldError>,
    sections: Vec<Section>,
    max_rows: i64,
    max_megabytes: usize,
    keep_days: u32,
}

/// The field with an error, and the message.
type FieldError = (&'static str, String);

/// Why an upload did not become a job.
enum UploadError {
    /// The form is shown again.
    Field(FieldError),
    Page(PageError),
}

impl From<FieldError> for UploadError {
    fn from(error: FieldError) -> Self {
        UploadError::Field(error)
    }
}

impl From<StoreError> for UploadError {
    fn from(error: StoreError) -> Self {
        UploadError::Page(error.into())
    }
}

impl BulkPage {
    /// The summary of errors links to the first column.
    fn is_first_column(&self, id: &str) -> bool {
        COLUMNS.first().is_some_and(|column| column.id == id)
    }

    fn error_of(&self, field: &str) -> Option<&str> {
        let error = self.error.as_ref().filter(|(wrong, _)| *wrong == field);
        error.map(|(_, sentence)| sentence.as_str())
    }
}

/// A group of columns with one price.
struct Section {
    title: &'static str,
    price: i64,
    columns: Vec<(&'static Column, bool)>,
}

/// The fields of a job that pages display.
pub struct JobSummary {
    pub id: String,
    /// The file's name.
    pub name: String,
    pub action: &'static str,
    pub state: &'static str,
    /// The CSS class of the state.
    pub class: &'static str,
    /// For example "5 of 20".
    pub rows: String,
    /// Charged so far.
    pub credits: String,
    pub created: String,
}

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

pub async fn show(signed_in: SignedIn) -> Result<Response, PageError> {
    let columns = DEFAULT_COLUMNS.map(str::to_owned).to_vec();
    let form = Upload { columns, work: VERIFY.to_owned(), ..Upload::default() };
    Ok(respond(&page(&signed_in, form, None).await?))
}

async fn page(
    signed_in: &SignedIn,
    form: Upload,
    error: Option<FieldError>,
) -> Result<BulkPage, PageError> {
    let app = &signed_in.app;
    let jobs = app.ledger.list_bulk_jobs(signed_in.account_id(), signed_in.mode()).await?;
    let settings = &app.config.bulk_jobs;
    Ok(BulkPage {
        layout: signed_in.layout(Tab::Bulk, t("Bulk")),
        may_call: signed_in.may(Permission::MakeCalls),
        jobs: jobs.iter().map(job_summary).collect(),
        sections: sections(signed_in, &form.columns),
        form,
        error,
        max_rows: settings.rows.get() as i64,
        max_megabytes: settings.file_bytes.get() / (1024 * 1024),
        keep_days: settings.keep_days.get(),
    })
}

fn sections(signed_in: &SignedIn, selected: &[String]) -> Vec<Section> {
    let titles = [
        ("company", t("Company")),
        ("pan", "PAN"),
        ("capital", t("Capital")),
        ("directors", t("Directors")),
        ("charges", t("Charges")),
        ("financials", t("Financials")),
        ("compliance", t("Compliance")),
        ("documents", t("Documents")),
    ];
    let section = |(name, title): (&str, &'static str)| Section {
        title,
        price: panji_api::api::enrich::section_price(&signed_in.app.config.prices, name),
        columns: COLUMNS
            .iter()
            .filter(|column| column.section() == name)
            .map(|column| (column, selected.iter().any(|id| id == column.id)))
            .collect(),
    };
    titles.into_iter().map(section).collect()
}

pub fn job_summary(job: &BulkJob) -> JobSummary {
    let (state, class) = match job.state {
        JobState::Loading => (t("loading"), "is-plain"),
        JobState::AwaitingApproval => (t("awaiting approval"), "is-test"),
        JobState::Running => (t("running"), "is-plain"),
        JobState::Paused => (t("paused"), "is-test"),
        JobState::Done => (t("done"), "is-good"),
        JobState::Cancelled => (t("cancelled"), "is-plain"),
        JobState::Failed => (t("failed"), "is-bad"),
    };
    let action = match serde_json::from_str::<Task>(&job.task).map(|task| task.work) {
        Ok(Work::Enrich(_)) => t("Enrich"),
        Ok(Work::Match(_)) => t("Match"),
        _ => t("Verify"),
    };
    JobSummary {
        id: job.id.clone(),
        name: job.name.clone(),
        action,
        state,
        class,
        rows: t_with(
            "{0} of {1}",
            &[&amounts::grouped(job.rows_done), &amounts::grouped(job.row_count)],
        ),
        credits: amounts::grouped(job.credits),
        created: dates::minute(job.created_at),
    }
}

/// Creates a job from a list, with its price. The user approves it on the next page.
pub async fn upload(signed_in: SignedIn, multipart: Multipart) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    signed_in.context.extend_deadline_ms(UPLOAD_MS);
    let mut form = read_form(&signed_in, multipart).await?;
    match create_job(&signed_in, &mut form).await {
        Ok(id) => Ok(Redirect::to(&format!("/console/bulk/{id}")).into_response()),
        Err(UploadError::Field(error)) => {
            Ok(respond_with_errors(&page(&signed_in, form, Some(error)).await?))
        }
        Err(UploadError::Page(error)) => Err(error),
    }
}

async fn create_job(signed_in: &SignedIn, form: &mut Upload) -> Result<String, UploadError> {
    let (source, name) = match form.file.is_empty() {
        true => (Source::Text(form.text.clone()), "pasted list".to_owned()),
        false => (Source::of_file(form.file.clone().into()), form.file_name.clone()),
    };
    let request = JobRequest {
        source,
        mapping: Mapping { column: form.column.clone(), ..Mapping::default() },
        work: read_work(form)?,
        name,
        key_id: String::new(),
        request_key: String::new(),
        auto_approve: false,
        max_credits: None,
    };
    let owner = (signed_in.account_id(), signed_in.mode());
    match create(&signed_in.app, owner, request).await {
        Ok(job) => Ok(job.id),
        Err(CreateError::Store(error)) => Err(error.into()),
        Err(CreateError::Internal(cause)) => Err(UploadError::Page(PageError::internal(cause))),
        Err(CreateError::List(error)) if error.is_about_columns() => {
            Err(("column", error.to_string()).into())
        }
        Err(error) => Err((form.list_field(), error.to_string()).into()),
    }
}

impl Upload {
    fn enriches(&self) -> bool {
        self.work == ENRICH
    }

    fn verifies(&self) -> bool {
        self.work == VERIFY
    }

    fn matches(&self) -> bool {
        self.work == MATCH
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
            _ => return Err(("kind", t("Choose a type from the list.").to_owned())),
        };
        return Ok(Work::Verify(VerifyWork { kind, type_column: None }));
    }
    if form.matches() {
        return Ok(Work::Match(MatchWork::default()));
    }
    if !form.enriches() {
        return Err(("work", t("Choose an action.").to_owned()));
    }
    // In the order of `COLUMNS`, not of the form.
    let selected = COLUMNS.iter().filter(|column| form.columns.iter().any(|id| id == column.id));
    let columns: Vec<String> = selected.map(|column| column.id.to_owned()).collect();
    if columns.is_empty() {
        return Err(("columns", t("Select at least one column to add.").to_owned()));
    }
    Ok(Work::Enrich(EnrichWork { columns, fields: Vec::new() }))
}

/// Reads the form part by part, each within its limit. The first part must be the CSRF token.
async fn read_form(signed_in: &SignedIn, mut multipart: Multipart) -> Result<Upload, PageError> {
    let invalid =
        |error: axum::extract::multipart::MultipartError| PageError::bad_form(error.body_text());
    let max_bytes = signed_in.app.config.bulk_jobs.file_bytes.get();
    let mut form = Upload::default();
    let mut verified = false;
    while let Some(field) = multipart.next_field().await.map_err(invalid)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "form_token" {
            verified = verify_csrf_token(signed_in, &read_text(field, MAX_FIELD_BYTES).await?);
            continue;
        }
        if !verified {
            return Err(PageError::csrf_failed());
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
                let printable = |character: &char| !character.is_control();
                form.file_name = file_name.chars().filter(printable).take(MAX_NAME).collect();
                form.file = read_bytes(field, max_bytes).await?;
            }
            _ => {}
        }
    }
    if verified { Ok(form) } else { Err(PageError::csrf_failed()) }
}

async fn read_text(field: Field<'_>, max_bytes: usize) -> Result<String, PageError> {
    let bytes = read_bytes(field, max_bytes).await?;
    Ok(panji_import::decode(&bytes).0)
}

async fn read_bytes(mut field: Field<'_>, max_bytes: usize) -> Result<Vec<u8>, PageError> {
    let mut bytes = Vec::new();
    while let Some(part) =
        field.chunk().await.map_err(|error| PageError::bad_form(error.body_text()))?
    {
        if bytes.len() + part.len() > max_bytes {
            return Err(PageError::too_large(max_bytes));
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}
