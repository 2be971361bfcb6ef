//! Adding the companies of a finished job, matched, enriched or verified, to a watch list.

use axum::extract::Path;
use axum::response::Response;
use panji_api::accounts::roles::Permission;
use panji_api::api::jobs::task::{Chunk, Task};
use panji_api::api::jobs::work::Work;
use panji_api::api::watch::member_id::{MemberId, parse_member};
use panji_store::calendar::ist_year;
use panji_store::ledger::{BulkJob, JobState, MatchFilter};
use serde::Deserialize;

use super::forms::AuthenticatedForm;
use super::language::{amounts, t, t_with};
use super::load_job::{self, task_of};
use super::page_error::PageError;
use super::session::SignedIn;
use super::watch_form::{ListForm, chosen_list};
use super::watch_members::add_members;
use super::watched_lists::{ListQuery, find, to_list};

/// Finished jobs that are offered.
const MAX_JOBS: usize = 20;
/// Rows of a matching job read at a time.
const ROWS_PER_READ: i64 = 1_000;
/// Chunks of another job read at a time.
const CHUNKS_PER_READ: i64 = 10;

/// A finished job whose companies can be added.
pub struct OfferedJob {
    pub id: String,
    pub name: String,
    /// How many rows it has, in words.
    pub size: String,
}

pub async fn offered_jobs(signed_in: &SignedIn) -> Result<Vec<OfferedJob>, PageError> {
    let ledger = &signed_in.app.ledger;
    let jobs = ledger.list_bulk_jobs(signed_in.account_id(), signed_in.mode()).await?;
    let mut offered = Vec::new();
    for job in jobs.into_iter().filter(|job| job.state == JobState::Done).take(MAX_JOBS) {
        let size = match is_match(&task_of(&job)?) {
            true => match ledger.count_match_rows(&job).await?.matched {
                0 => continue,
                matched => t_with("{0} matched", &[&amounts::grouped(matched)]),
            },
            false => amounts::counted(job.row_count, "row", "rows"),
        };
        offered.push(OfferedJob { id: job.id, name: job.name, size });
    }
    Ok(offered)
}

fn is_match(task: &Task) -> bool {
    matches!(task.work, Work::Match(_))
}

#[derive(Deserialize)]
pub struct JobForm {
    #[serde(default)]
    job: String,
}

/// Adds the companies of a job that was chosen on the page of a watch list.
pub async fn add_job(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<JobForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let list = find(&signed_in, &id).await?;
    let job = find_job(&signed_in, &form.job).await?;
    add(&signed_in, &list.id, &job).await
}

/// Adds the companies of this job to the watch list that was chosen on its page, or to a new one.
pub async fn watch(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<ListForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let job = find_job(&signed_in, &id).await?;
    let list = chosen_list(&signed_in, &form, &job.name).await?;
    add(&signed_in, &list.id, &job).await
}

/// A job of the mode that is shown: companies of the sandbox do not belong on live lists.
async fn find_job(signed_in: &SignedIn, id: &str) -> Result<BulkJob, PageError> {
    let job = Some(load_job::find(signed_in, id).await?);
    let job = job.filter(|job| job.mode == signed_in.mode());
    job.ok_or_else(|| PageError::not_found(t("This job does not exist in this mode.")))
}

async fn add(signed_in: &SignedIn, list: &str, job: &BulkJob) -> Result<Response, PageError> {
    let members = match is_match(&task_of(job)?) {
        true => matched_companies(signed_in, job).await?,
        false => identified(signed_in, job).await?,
    };
    let added = add_members(signed_in, list, members).await?;
    Ok(to_list(list, &ListQuery::added(added)))
}

async fn matched_companies(
    signed_in: &SignedIn,
    job: &BulkJob,
) -> Result<Vec<MemberId>, PageError> {
    let this_year = ist_year(signed_in.context.at_ms);
    let mut members = Vec::new();
    let mut from = 0;
    loop {
        let ledger = &signed_in.app.ledger;
        let rows = ledger.list_match_rows(job, MatchFilter::All, from, ROWS_PER_READ).await?;
        let Some(last) = rows.last() else { return Ok(members) };
        from = last.number + 1;
        let cins = rows.iter().filter_map(|row| row.cin.as_deref());
        members.extend(cins.filter_map(|cin| parse_member(cin, this_year).ok()));
    }
}

/// The identifiers in a job that can be watched: all but PANs and malformed ones.
async fn identified(signed_in: &SignedIn, job: &BulkJob) -> Result<Vec<MemberId>, PageError> {
    let this_year = ist_year(signed_in.context.at_ms);
    let column = task_of(job)?.column;
    let mut members = Vec::new();
    for first in (0..job.chunks_done).step_by(CHUNKS_PER_READ as usize) {
        let key = (job.account_id.as_str(), job.id.as_str());
        let chunks = signed_in.app.ledger.list_bulk_chunks(key, first, CHUNKS_PER_READ).await?;
        for (input, _) in chunks {
            let chunk: Chunk = serde_json::from_str(&input)
                .map_err(|error| PageError::internal(format!("job {}: {error}", job.id)))?;
            let values = chunk.rows.iter().filter_map(|row| row.get(column));
            members.extend(values.filter_map(|value| parse_member(value, this_year).ok()));
        }
    }
    Ok(members)
}
