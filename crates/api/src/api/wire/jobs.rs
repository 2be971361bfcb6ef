//! Jobs and their results.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{BulkEnrichResult, BulkVerifyResult, MatchResult, enums};

/// A job: a list that is processed in the background.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Job {
    /// The id of the job.
    #[schema(example = "job_01ARZ3NDEKTSV4RRFFQ69G5FAV")]
    pub id: String,
    /// The operation that is called for its rows.
    #[schema(value_type = enums::JobOperation)]
    pub operation: &'static str,
    /// Your name for the job, or the name of the uploaded file.
    pub name: String,
    /// Where the job is.
    #[schema(value_type = enums::JobStatus)]
    pub status: &'static str,
    /// Why the job is paused, waits for a retry or failed; null otherwise.
    pub reason: Option<String>,
    /// The number of rows.
    pub rows: i64,
    /// The number of rows that are processed.
    pub rows_done: i64,
    /// The most that the job can cost.
    pub highest_price: i64,
    /// The credits charged so far.
    pub credits_charged: i64,
    /// How many processed rows had which result: `valid` and `invalid` for bulkVerify, `found` and
    /// `not_found` for bulkEnrich, `match`, `review` and `none` for matchCompanies, with the decisions
    /// of people. Empty if it is not known.
    #[schema(value_type = Object)]
    pub counts: Map<String, Value>,
    /// When the job was created.
    pub created_at: String,
    /// When the job was done or cancelled; null before.
    pub ended_at: Option<String>,
}

/// One page of an account's jobs.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Jobs {
    /// The number of jobs on all pages.
    pub total: i64,
    /// The page, from 1.
    pub page: i64,
    /// The jobs, newest first.
    pub jobs: Vec<Job>,
}

/// One page of a job's results.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct JobResults {
    /// The job that has these results.
    pub job: Job,
    /// The page, from 1.
    pub page: i64,
    /// The rows in the order of the list.
    pub results: Vec<JobResultRow>,
}

/// A row of a job's list with its result.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct JobResultRow {
    /// The number of the row in the list, from 1, without the heading.
    pub row: i64,
    /// The row as it was read: the names of the columns and the texts of the cells.
    #[schema(value_type = Object)]
    pub input: Map<String, Value>,
    /// The result as the operation returns it; null while the row is not processed. Its `ref` is
    /// null, because `input` has your own columns.
    #[schema(value_type = Option<JobResult>)]
    pub result: Option<Value>,
}

/// The result of a row, as the operation of the job returns it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[allow(dead_code, clippy::large_enum_variant, reason = "a schema: the results are stored as JSON")]
pub enum JobResult {
    /// Of bulkVerify.
    Verify(BulkVerifyResult),
    /// Of bulkEnrich.
    Enrich(BulkEnrichResult),
    /// Of matchCompanies.
    Match(MatchResult),
}

/// A job with its list, for small lists. Large ones are sent as JSON lines, CSV or XLSX, with the
/// parameters in the query.
#[derive(Clone, Debug, ToSchema)]
#[allow(dead_code, reason = "a schema: the body is read in `jobs::parameters`")]
pub struct CreateJobRequest {
    /// The operation to call: `bulkVerify`, `bulkEnrich` or `matchCompanies`.
    pub operation: String,
    /// For bulkEnrich: the sections to fetch, as in bulkEnrich.
    pub fields: Option<Vec<String>>,
    /// For bulkVerify: the type of all identifiers: `cin`, `din`, `gstin` or `pan`. Without it, the
    /// type of each is its member `type`, or is detected.
    pub r#type: Option<String>,
    /// The member of the items with the identifier; `value` for bulkVerify and `cin` for bulkEnrich
    /// if left out.
    pub column: Option<String>,
    /// For bulkVerify: the member of the items with the type; `type` if left out.
    pub type_column: Option<String>,
    /// Whether the job runs at once; needs `max_credits`.
    pub auto_approve: Option<bool>,
    /// The most that the job may cost; a job that could cost more is refused.
    #[schema(minimum = 0)]
    pub max_credits: Option<i64>,
    /// Your name for the job, up to 100 characters.
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// The list: identifiers, or objects whose members are the columns.
    #[schema(min_items = 1)]
    pub items: Vec<JobItem>,
}

/// An identifier, or an object with an identifier and other members, which are returned.
#[derive(Clone, Debug, ToSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "a schema: the body is read in `jobs::json_items`")]
pub enum JobItem {
    /// An identifier.
    Identifier(String),
    /// The members of a row.
    #[schema(value_type = Object)]
    Members(Map<String, Value>),
}
