//! Views: the API responses that a console page displays, stored so that reloading the page is free.

use super::{Ledger, Mode};
use crate::engine::Row;
use crate::error::Result;

/// How long a response is stored.
const RESPONSE_MS: i64 = 24 * 3600 * 1000;
/// How long an error response is stored. Errors cost nothing.
const ERROR_MS: i64 = 10 * 60 * 1000;
/// After this time a call that never ended (its node was killed) no longer blocks others. It is
/// longer than the longest request.
const RUNNING_MS: i64 = 90 * 1000;
/// Responses stored per account and mode; the oldest are deleted first.
const MAX_RESPONSES: i64 = 500;
/// Rows deleted in one statement, so that charges do not wait.
const DELETE_BATCH: i64 = 1_000;

/// Identifies a view within an account and mode.
#[derive(Clone, Copy, Debug)]
pub struct ViewKey<'a> {
    pub account_id: &'a str,
    pub mode: Mode,
    /// What the page displays; any text.
    pub subject: &'a str,
}

/// A call that a part of a view needs.
#[derive(Clone, Copy, Debug)]
pub struct ViewPart<'a> {
    /// Name within the view.
    pub part: &'a str,
    pub operation: &'a str,
    /// The requested path.
    pub path: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewResponse {
    /// Name within the view.
    pub part: String,
    pub operation: String,
    /// The requested path.
    pub path: String,
    pub status: u16,
    /// The whole response, as JSON text.
    pub body: String,
    pub expires_at: i64,
}

impl Ledger {
    pub async fn list_view_responses(
        &self,
        view: ViewKey<'_>,
        now_ms: i64,
    ) -> Result<Vec<ViewResponse>> {
        self.engine
            .query(
                "select part, operation, path, status, body, expires_at from view_answers \
                 where account_id = $1 and mode = $2 and view_hash = $3 and expires_at > $4 \
                 and status is not null and body is not null order by part",
                &[
                    view.account_id.into(),
                    view.mode.as_str().into(),
                    (&self.hash_view(view)).into(),
                    now_ms.into(),
                ],
                response,
            )
            .await
    }

    /// Claims a part, so that this caller requests it. False if a valid response is stored or another
    /// caller is requesting it now: it would be paid for twice.
    pub async fn claim_view_part(
        &self,
        view: ViewKey<'_>,
        part: ViewPart<'_>,
        now_ms: i64,
    ) -> Result<bool> {
        let claimed = self
            .engine
            .execute(
                "insert into view_answers (account_id, mode, view_hash, part, operation, path, \
                 asked_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8) \
                 on conflict (account_id, mode, view_hash, part) do update set \
                 operation = excluded.operation, path = excluded.path, \
                 asked_at = excluded.asked_at, expires_at = excluded.expires_at, \
                 status = null, body = null \
                 where view_answers.expires_at <= $7 or view_answers.status >= 400 \
                 or (view_answers.status is null and view_answers.asked_at < $9)",
                &[
                    view.account_id.into(),
                    view.mode.as_str().into(),
                    (&self.hash_view(view)).into(),
                    part.part.into(),
                    part.operation.into(),
                    part.path.into(),
                    now_ms.into(),
                    (now_ms + RESPONSE_MS).into(),
                    (now_ms - RUNNING_MS).into(),
                ],
            )
            .await?;
        Ok(claimed > 0)
    }

    /// Stores the responses to claimed parts, given as part, status and body. Returns the time until
    /// which successful ones are stored.
    pub async fn store_view_responses(
        &self,
        view: ViewKey<'_>,
        responses: &[(&str, u16, &str)],
        now_ms: i64,
    ) -> Result<i64> {
        let mut transaction = self.engine.transaction().await?;
        let hash = self.hash_view(view);
        for (part, status, body) in responses {
            let lifetime_ms = if *status >= 400 { ERROR_MS } else { RESPONSE_MS };
            transaction
                .execute(
                    "update view_answers set status = $1, body = $2, expires_at = $3 \
                     where account_id = $4 and mode = $5 and view_hash = $6 and part = $7",
                    &[
                        i64::from(*status).into(),
                        (*body).into(),
                        (now_ms + lifetime_ms).into(),
                        view.account_id.into(),
                        view.mode.as_str().into(),
                        (&hash).into(),
                        (*part).into(),
                    ],
                )
                .await?;
        }
        let oldest: Option<i64> = transaction
            .query_opt(
                "select asked_at from view_answers where account_id = $1 and mode = $2 \
                 order by asked_at desc limit 1 offset $3",
                &[view.account_id.into(), view.mode.as_str().into(), MAX_RESPONSES.into()],
                |row| row.get(0),
            )
            .await?;
        if let Some(oldest) = oldest {
            transaction
                .execute(
                    "delete from view_answers \
                     where account_id = $1 and mode = $2 and asked_at <= $3",
                    &[view.account_id.into(), view.mode.as_str().into(), oldest.into()],
                )
                .await?;
        }
        transaction.commit().await?;
        Ok(now_ms + RESPONSE_MS)
    }

    /// Deletes expired responses, a limited number at a time.
    pub async fn delete_expired_view_responses(&self, now_ms: i64) -> Result<u64> {
        let last: Option<i64> = self
            .engine
            .query_opt(
                "select max(expires_at) from (select expires_at from view_answers \
                 where expires_at <= $1 order by expires_at limit $2) as oldest",
                &[now_ms.into(), DELETE_BATCH.into()],
                |row| row.get::<Option<i64>>(0),
            )
            .await?
            .flatten();
        let Some(last) = last else { return Ok(0) };
        self.engine.execute("delete from view_answers where expires_at <= $1", &[last.into()]).await
    }

    fn hash_view(&self, view: ViewKey<'_>) -> String {
        self.secret.token(b"view", view.subject)
    }
}

fn response(row: &Row<'_>) -> Result<ViewResponse> {
    Ok(ViewResponse {
        part: row.get(0)?,
        operation: row.get(1)?,
        path: row.get(2)?,
        status: u16::try_from(row.get::<i64>(3)?).unwrap_or(500),
        body: row.get(4)?,
        expires_at: row.get(5)?,
    })
}
