//! What became of the rows of a job: counts, reasons, the first results, and the failures as a file or
//! as a new job.

use std::collections::BTreeMap;

use axum::extract::Path;
use axum::response::Response;
use panji_api::accounts::roles::Permission;
use panji_api::api::jobs::create::UPLOAD_MS;
use panji_api::api::jobs::results::Results;
use panji_api::api::jobs::task::{Task, is_failure};
use panji_api::api::jobs::work::Work;
use panji_store::ledger::{BulkJob, JobState};
use serde_json::Value;

use super::enrich_matched::{NewJob, create_from_rows};
use super::forms::{AuthenticatedForm, Empty};
use super::labels;
use super::language::t;
use super::load_job::{find, task_of};
use super::page_error::PageError;
use super::session::SignedIn;

/// Results on the page.
const MAX_LINES: usize = 50;
/// Rows whose reasons are counted, so that a page of a long job is fast too.
const MAX_ROWS_READ: usize = 5_000;

pub struct Outcome {
    /// Label and number of rows.
    pub counts: Vec<(String, i64)>,
    pub failures: i64,
    /// Why rows failed, most frequent first.
    pub reasons: Vec<(&'static str, i64)>,
    pub rows_read: i64,
    /// Whether the job has more rows than were read.
    pub truncated: bool,
    pub headings: Vec<String>,
    /// The first results, each after whether it is a failure.
    pub lines: Vec<(bool, Vec<String>)>,
}

impl Outcome {
    /// None before the job is approved, and while it runs.
    pub async fn read(
        signed_in: &SignedIn,
        job: &BulkJob,
        task: &Task,
    ) -> Result<Option<Outcome>, PageError> {
        let has_outcome = [JobState::Done, JobState::Cancelled, JobState::Paused, JobState::Failed];
        if job.rows_done == 0 || !has_outcome.contains(&job.state) {
            return Ok(None);
        }
        let counted: Value = serde_json::from_str(&job.counts).unwrap_or_default();
        let count = |word: &&str| counted[*word].as_i64().unwrap_or(0);
        let words = task.operation().count_words();
        let mut outcome = Outcome {
            counts: words.iter().map(|word| (label(task, word), count(word))).collect(),
            failures: words.iter().filter(|word| is_failure(word)).map(count).sum(),
            reasons: Vec::new(),
            rows_read: 0,
            truncated: false,
            headings: task.headings(),
            lines: Vec::new(),
        };
        outcome.read_rows(Results::new(signed_in.app.clone(), job.clone())?, task).await?;
        outcome.truncated = outcome.rows_read < job.rows_done;
        Ok(Some(outcome))
    }

    async fn read_rows(&mut self, mut results: Results, task: &Task) -> Result<(), PageError> {
        let mut reasons: BTreeMap<&'static str, i64> = BTreeMap::new();
        'chunks: while self.rows_read < MAX_ROWS_READ as i64
            && let Some(rows) = results.next_results().await?
        {
            for (row, result) in rows {
                // The rows after it were not processed either.
                let Some(result) = result else { break 'chunks };
                self.rows_read += 1;
                let failed = task.failed(&result);
                if failed {
                    *reasons.entry(reason(&task.work, &result)).or_default() += 1;
                }
                if self.lines.len() < MAX_LINES {
                    self.lines.push((failed, results.line((row, Some(result)))));
                }
            }
        }
        self.set_reasons(reasons);
        Ok(())
    }

    fn set_reasons(&mut self, reasons: BTreeMap<&'static str, i64>) {
        self.reasons = reasons.into_iter().collect();
        self.reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    }
}

/// The label of a count.
fn label(task: &Task, word: &str) -> String {
    match (&task.work, word) {
        (Work::Match(_), "match") => t("Matched").to_owned(),
        (Work::Match(_), "review") => t("Needs review").to_owned(),
        (Work::Match(_), "none") => t("No company").to_owned(),
        _ => labels::label(word),
    }
}

/// Why a row failed.
fn reason(work: &Work, result: &Value) -> &'static str {
    match work {
        Work::Match(_) => t("no company with this name was found"),
        Work::Enrich(_) if result["cin"].is_null() => t("the number is malformed"),
        Work::Enrich(_) => t("not in the register"),
        Work::Verify(_) => {
            let verdict = &result["result"];
            if verdict.is_null() {
                t("the type of the value is unknown")
            } else if verdict["format_valid"] == false {
                t("malformed")
            } else if verdict["check_digit_valid"] == false {
                t("the check digit is wrong")
            } else {
                t("well-formed, but not in the register")
            }
        }
    }
}

/// The failures with their results, as a file.
pub async fn failures_csv(
    signed_in: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let job = find(&signed_in, &id).await?;
    Ok(Results::failures(signed_in.app.clone(), job)?.csv_download())
}

/// Creates a job from the failures; its price is accepted on the next page.
pub async fn run_again(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    signed_in.context.extend_deadline_ms(UPLOAD_MS);
    let job = find(&signed_in, &id).await?;
    let task = task_of(&job)?;
    let mut results = Results::failures(signed_in.app.clone(), job.clone())?;
    let mut rows = Vec::new();
    while let Some(failed) = results.next_results().await? {
        rows.extend(failed.into_iter().map(|(row, _)| row));
    }
    if rows.is_empty() {
        return Err(PageError::conflict(t("No row of this job failed.")));
    }
    let new_job = NewJob {
        column: task.column + 1,
        names: task.list_headings(),
        rows,
        work: task.work.clone(),
        name: format!("{}, failures", job.name),
    };
    create_from_rows(&signed_in, &job, new_job, "job.retry").await
}
