//! Reading usage: the log of single requests, and sums for reports.

use super::people::stored_mode;
use super::{Ledger, Mode};
use crate::calendar::ist_midnight_ms;
use crate::error::Result;

/// Page size of the request log.
pub const MAX_REQUESTS_PER_PAGE: i64 = 1_000;
/// The most groups in one report.
const MAX_GROUPS: i64 = 200_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub request_id: String,
    pub mode: Mode,
    /// `console` for calls made by the console.
    pub key_id: String,
    pub operation: String,
    pub status: i64,
    pub credits: i64,
    /// Whether the free quota was used.
    pub free: bool,
    pub at_ms: i64,
    /// What was asked for, redacted; none if the request names nothing or is older than this field.
    pub subject: Option<String>,
    /// None for a success, and for a failure that is older than this field.
    pub error_code: Option<String>,
    /// None for a request that is older than this field.
    pub duration_us: Option<i64>,
    /// The method and the address that was called, redacted; none if it was not called over HTTP.
    pub target: Option<String>,
    /// Why it failed, redacted.
    pub error_message: Option<String>,
    /// Who made the call in the console.
    pub person_id: Option<String>,
}

/// Which requests of an account to read. An empty text matches all.
#[derive(Clone, Debug)]
pub struct RequestFilter {
    pub mode: Mode,
    /// Inclusive.
    pub from_ms: i64,
    /// Exclusive.
    pub to_ms: i64,
    pub operation: String,
    pub key_id: String,
    /// Inclusive.
    pub min_status: i64,
    /// Inclusive.
    pub max_status: i64,
    pub error_code: String,
    /// Part of the subject or of the error message; upper and lower case are the same.
    pub text: String,
    pub min_credits: i64,
    pub min_duration_us: i64,
    /// Cursor: only requests older than this one.
    pub before_id: String,
    /// Only requests newer than this one.
    pub after_id: String,
}

impl RequestFilter {
    /// Matches all requests of a mode; the caller sets the period.
    pub fn all(mode: Mode) -> RequestFilter {
        RequestFilter {
            mode,
            from_ms: 0,
            to_ms: 0,
            operation: String::new(),
            key_id: String::new(),
            min_status: 0,
            max_status: 999,
            error_code: String::new(),
            text: String::new(),
            min_credits: 0,
            min_duration_us: 0,
            before_id: String::new(),
            after_id: String::new(),
        }
    }

    /// The text as a pattern of `like`; empty for all.
    fn pattern(&self) -> String {
        if self.text.is_empty() {
            return String::new();
        }
        let mut pattern = String::from("%");
        for character in self.text.to_lowercase().chars() {
            if matches!(character, '%' | '_' | '!') {
                pattern.push('!');
            }
            pattern.push(character);
        }
        pattern + "%"
    }
}

/// Calls of one day, operation, key and status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageGroup {
    /// The day in India.
    pub day: String,
    pub operation: String,
    pub key_id: String,
    pub status: i64,
    /// Who made the calls in the console; none for other calls, and where it is not known.
    pub person_id: Option<String>,
    pub calls: i64,
    /// Calls that the free quota paid.
    pub free_calls: i64,
    pub credits: i64,
}

/// The lower bound of the request ids created at or after an instant: ids sort by time.
pub fn request_ids_from(at_ms: i64) -> String {
    let ms = u64::try_from(at_ms).unwrap_or(0);
    format!("req_{}", ulid::Ulid::from_parts(ms, 0))
}

/// Selects requests of an account.
macro_rules! select_requests {
    ($end:literal) => {
        concat!(
            "select request_id, mode, key_id, operation, status, credits, free, at, subject, ",
            "error_code, duration_us, target, error_message, person_id from usage ",
            "where account_id = $1 and ",
            $end
        )
    };
}

impl Ledger {
    /// Matching requests, newest first.
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
        let from = request_ids_from(filter.from_ms).max(filter.after_id.clone());
        self.engine
            .query(
                select_requests!(
                    "request_id >= $2 and request_id < $3 and request_id <> $4 and mode = $5 \
                     and ($6 = '' or operation = $6) and ($7 = '' or key_id = $7) \
                     and status >= $8 and status <= $9 \
                     and ($10 = '' or error_code = $10) \
                     and ($11 = '' or lower(subject) like $11 escape '!' \
                     or lower(error_message) like $11 escape '!') \
                     and credits >= $12 and coalesce(duration_us, 0) >= $13 \
                     order by request_id desc limit $14"
                ),
                &[
                    account_id.into(),
                    (&from).into(),
                    (&before).into(),
                    (&filter.after_id).into(),
                    filter.mode.as_str().into(),
                    (&filter.operation).into(),
                    (&filter.key_id).into(),
                    filter.min_status.into(),
                    filter.max_status.into(),
                    (&filter.error_code).into(),
                    (&filter.pattern()).into(),
                    filter.min_credits.into(),
                    filter.min_duration_us.into(),
                    limit.min(MAX_REQUESTS_PER_PAGE).into(),
                ],
                request,
            )
            .await
    }

    pub async fn find_request(
        &self,
        account_id: &str,
        request_id: &str,
    ) -> Result<Option<Request>> {
        self.engine
            .query_opt(
                select_requests!("request_id = $2"),
                &[account_id.into(), request_id.into()],
                request,
            )
            .await
    }

    /// Usage of an account between two days in India, both included.
    pub async fn sum_usage(
        &self,
        account_id: &str,
        mode: Mode,
        days: (&str, &str),
    ) -> Result<Vec<UsageGroup>> {
        // Request ids sort by time, so the primary key selects the period. A call just before
        // midnight may count for the next day, and the clocks of nodes differ; hence the margin.
        let margin = |day: &str, ms: i64| request_ids_from(ist_midnight_ms(day) + ms);
        const HOUR_MS: i64 = 3_600_000;
        let (first, last) = days;
        self.engine
            .query(
                "select day, operation, key_id, status, person_id, count(*), \
                 cast(sum(case when free then 1 else 0 end) as bigint), \
                 cast(sum(credits) as bigint) from usage \
                 where account_id = $1 and mode = $2 and day >= $3 and day <= $4 \
                 and request_id >= $5 and request_id < $6 \
                 group by day, operation, key_id, status, person_id \
                 union all select day, operation, key_id, status, cast(null as text), calls, \
                 free_calls, credits from usage_by_day \
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
                        person_id: row.get(4)?,
                        calls: row.get(5)?,
                        free_calls: row.get(6)?,
                        credits: row.get(7)?,
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
        subject: row.get(8)?,
        error_code: row.get(9)?,
        duration_us: row.get(10)?,
        target: row.get(11)?,
        error_message: row.get(12)?,
        person_id: row.get(13)?,
    })
}
