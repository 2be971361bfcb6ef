//! Reading usage: the log of single requests, and sums for reports.

use super::people::stored_mode;
use super::{Ledger, Mode};
use crate::calendar::ist_midnight_ms;
use crate::error::Result;

/// Requests that one page of the log gives at most.
pub const MAX_LISTED_REQUESTS: i64 = 1_000;
/// Groups that one report sums up at most.
const MAX_GROUPS: i64 = 200_000;

/// An answered request, as it is read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Which request.
    pub request_id: String,
    /// In which mode.
    pub mode: Mode,
    /// With which key; `console` for the console's own calls.
    pub key_id: String,
    /// What was asked.
    pub operation: String,
    /// The HTTP status of the answer.
    pub status: i64,
    /// What it cost.
    pub credits: i64,
    /// Whether the free quota paid.
    pub free: bool,
    /// When.
    pub at_ms: i64,
}

/// Which requests of an account to read. Empty texts keep all.
#[derive(Clone, Debug)]
pub struct RequestFilter {
    /// The mode.
    pub mode: Mode,
    /// The first instant.
    pub from_ms: i64,
    /// The instant after the last.
    pub to_ms: i64,
    /// One operation.
    pub operation: String,
    /// One key.
    pub key_id: String,
    /// The lowest status.
    pub min_status: i64,
    /// The highest status.
    pub max_status: i64,
    /// Goes on after this request, towards older ones.
    pub before_id: String,
}

/// Calls of one day, operation, key and status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageGroup {
    /// The Indian day.
    pub day: String,
    /// What was asked.
    pub operation: String,
    /// With which key.
    pub key_id: String,
    /// The HTTP status.
    pub status: i64,
    /// How many.
    pub calls: i64,
    /// How many of them the free quota paid.
    pub free_calls: i64,
    /// What they cost together.
    pub credits: i64,
}

/// The text that all request ids from this instant on are at or after: they sort by time.
pub fn request_ids_from(at_ms: i64) -> String {
    let ms = u64::try_from(at_ms).unwrap_or(0);
    format!("req_{}", ulid::Ulid::from_parts(ms, 0))
}

impl Ledger {
    /// Requests that fit a filter, newest first.
    pub async fn list_requests(
        &self,
        account_id: &str,
        filter: &RequestFilter,
        limit: i64,
    ) -> Result<Vec<Request>> {
        let to = request_ids_from(filter.to_ms);
        let before = match filter.before_id.as_str() {
            "" => to,
            before => to.min(before.to_owned()),
        };
        self.engine
            .query(
                "select request_id, mode, key_id, operation, status, credits, free, at from usage \
                 where account_id = $1 and request_id >= $2 and request_id < $3 and mode = $4 \
                 and ($5 = '' or operation = $5) and ($6 = '' or key_id = $6) \
                 and status >= $7 and status <= $8 order by request_id desc limit $9",
                &[
                    account_id.into(),
                    (&request_ids_from(filter.from_ms)).into(),
                    (&before).into(),
                    filter.mode.as_str().into(),
                    (&filter.operation).into(),
                    (&filter.key_id).into(),
                    filter.min_status.into(),
                    filter.max_status.into(),
                    limit.min(MAX_LISTED_REQUESTS).into(),
                ],
                request,
            )
            .await
    }

    /// One request of an account.
    pub async fn find_request(
        &self,
        account_id: &str,
        request_id: &str,
    ) -> Result<Option<Request>> {
        self.engine
            .query_opt(
                "select request_id, mode, key_id, operation, status, credits, free, at from usage \
                 where account_id = $1 and request_id = $2",
                &[account_id.into(), request_id.into()],
                request,
            )
            .await
    }

    /// What an account used from one Indian day to another, both included.
    pub async fn sum_usage(
        &self,
        account_id: &str,
        mode: Mode,
        days: (&str, &str),
    ) -> Result<Vec<UsageGroup>> {
        // Request ids sort by time, so the key finds the period; a call just before midnight may
        // count for the day after, and clocks of nodes differ a little, hence the margin.
        let margin = |day: &str, ms: i64| request_ids_from(ist_midnight_ms(day) + ms);
        const HOUR_MS: i64 = 3_600_000;
        let (first, last) = days;
        self.engine
            .query(
                "select day, operation, key_id, status, count(*), \
                 cast(sum(case when free then 1 else 0 end) as bigint), \
                 cast(sum(credits) as bigint) from usage \
                 where account_id = $1 and mode = $2 and day >= $3 and day <= $4 \
                 and request_id >= $5 and request_id < $6 \
                 group by day, operation, key_id, status \
                 union all select day, operation, key_id, status, calls, free_calls, credits \
                 from usage_by_day \
                 where account_id = $1 and mode = $2 and day >= $3 and day <= $4 \
                 limit $7",
                &[
                    account_id.into(),
                    mode.as_str().into(),
                    first.into(),
                    last.into(),
                    (&margin(first, -HOUR_MS)).into(),
                    (&margin(last, 25 * HOUR_MS)).into(),
                    MAX_GROUPS.into(),
                ],
                |row| {
                    Ok(UsageGroup {
                        day: row.get(0)?,
                        operation: row.get(1)?,
                        key_id: row.get(2)?,
                        status: row.get(3)?,
                        calls: row.get(4)?,
                        free_calls: row.get(5)?,
                        credits: row.get(6)?,
                    })
                },
            )
            .await
    }
}

fn request(row: &crate::engine::Row<'_>) -> Result<Request> {
    Ok(Request {
        request_id: row.get(0)?,
        mode: stored_mode(&row.get::<String>(1)?)?,
        key_id: row.get(2)?,
        operation: row.get(3)?,
        status: row.get(4)?,
        credits: row.get(5)?,
        free: row.get(6)?,
        at_ms: row.get(7)?,
    })
}
