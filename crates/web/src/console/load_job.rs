//! Reading a job of the account.

use panji_api::api::jobs::task::Task;
use panji_store::ledger::BulkJob;

use super::language::t;
use super::page_error::PageError;
use super::session::SignedIn;

pub async fn find(signed_in: &SignedIn, id: &str) -> Result<BulkJob, PageError> {
    let job = signed_in.app.ledger.find_bulk_job(signed_in.account_id(), id).await?;
    job.ok_or_else(|| PageError::not_found(t("This job does not exist.")))
}

/// The task of a job.
pub fn task_of(job: &BulkJob) -> Result<Task, PageError> {
    serde_json::from_str(&job.task)
        .map_err(|error| PageError::internal(format!("job {}: {error}", job.id)))
}
