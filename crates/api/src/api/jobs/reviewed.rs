//! The results of a matching job with what is decided for its rows now.

use panji_store::ledger::{BulkJob, MatchFilter, MatchRow};
use panji_store::{Ledger, StoreError};
use serde_json::Value;

use super::task::Task;
use super::work::Work;
use crate::api::person_decision::{Decided, apply};

/// Sets the decisions in the results of successive rows; the first has this number. Results of
/// other operations stay as they are.
pub async fn set_decisions(
    ledger: &Ledger,
    (job, task): (&BulkJob, &Task),
    first_row: i64,
    results: &mut [Value],
) -> Result<(), StoreError> {
    if !matches!(task.work, Work::Match(_)) {
        return Ok(());
    }
    let limit = results.len() as i64;
    let rows = ledger.list_match_rows(job, MatchFilter::All, first_row, limit).await?;
    for row in rows {
        let place = usize::try_from(row.number - first_row).ok();
        if let Some(result) = place.and_then(|place| results.get_mut(place)) {
            set_decision(result, &row);
        }
    }
    Ok(())
}

/// Sets the decision of a row in its result.
pub fn set_decision(result: &mut Value, row: &MatchRow) {
    let decided = row.decided_at.map(|at_ms| Decided { cin: row.cin.as_deref(), at_ms });
    apply(result, decided);
}
