//! Views: the answers that a page of the console is made of, kept so that reloading it is free.

use super::{Ledger, Mode};
use crate::engine::Row;
use crate::error::Result;

/// How long an answer is kept.
const KEPT_MS: i64 = 24 * 3600 * 1000;
/// How long an answer is kept that tells of an error, which cost nothing.
const FAILED_MS: i64 = 10 * 60 * 1000;
/// After this a call that never ended (its node was killed) no longer keeps others from asking. It is
/// longer than any request may take.
const RUNNING_MS: i64 = 90 * 1000;
/// Answers that are kept for one account and mode; the oldest go first.
const MAX_KEPT: i64 = 500;
/// Answers that are dropped at a time, so that charges do not wait.
const DROPPED_AT_A_TIME: i64 = 1_000;

/// What a page shows, and to whom.
#[derive(Clone, Copy, Debug)]
pub struct ViewKey<'a> {
    /// Whose members may see it.
    pub account_id: &'a str,
    /// Of which mode.
    pub mode: Mode,
    /// What it shows; any text.
    pub subject: &'a str,
}

/// A call that a part of a view needs.
#[derive(Clone, Copy, Debug)]
pub struct ViewPart<'a> {
    /// The part's name within the view.
    pub part: &'a str,
    /// The operation's id.
    pub operation: &'a str,
    /// The path that is asked for.
    pub path: &'a str,
}

/// A kept answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewAnswer {
    /// The part's name within the view.
    pub part: String,
    /// The operation's id.
    pub operation: String,
    /// The path that was asked for.
    pub path: String,
    /// The HTTP status.
    pub status: u16,
    /// The whole answer, as JSON text.
    pub body: String,
    /// Until when it is kept.
    pub expires_at: i64,
}

impl Ledger {
    /// The answers that are kept for a view.
    pub async fn list_view_answers(
        &self,
        view: ViewKey<'_>,
        now_ms: i64,
    ) -> Result<Vec<ViewAnswer>> {
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
                answer,
            )
            .await
    }

    /// Takes it upon the caller to ask for a part. False if a good answer is kept, or if somebody else
    /// is asking at this moment: it would be paid for twice.
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
                    (now_ms + KEPT_MS).into(),
                    (now_ms - RUNNING_MS).into(),
                ],
            )
            .await?;
        Ok(claimed > 0)
    }

    /// Keeps answers to the parts that were claimed, each by its part, status and body. Gives the time
    /// until which good ones are kept.
    pub async fn keep_view_answers(
        &self,
        view: ViewKey<'_>,
        answers: &[(&str, u16, &str)],
        now_ms: i64,
    ) -> Result<i64> {
        let mut transaction = self.engine.transaction().await?;
        let hash = self.hash_view(view);
        for (part, status, body) in answers {
            let kept_ms = if *status >= 400 { FAILED_MS } else { KEPT_MS };
            transaction
                .execute(
                    "update view_answers set status = $1, body = $2, expires_at = $3 \
                     where account_id = $4 and mode = $5 and view_hash = $6 and part = $7",
                    &[
                        i64::from(*status).into(),
                        (*body).into(),
                        (now_ms + kept_ms).into(),
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
                &[view.account_id.into(), view.mode.as_str().into(), MAX_KEPT.into()],
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
        Ok(now_ms + KEPT_MS)
    }

    /// Drops answers past their time, some at a time.
    pub async fn drop_old_view_answers(&self, now_ms: i64) -> Result<u64> {
        let last: Option<i64> = self
            .engine
            .query_opt(
                "select max(expires_at) from (select expires_at from view_answers \
                 where expires_at <= $1 order by expires_at limit $2) as oldest",
                &[now_ms.into(), DROPPED_AT_A_TIME.into()],
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

fn answer(row: &Row<'_>) -> Result<ViewAnswer> {
    Ok(ViewAnswer {
        part: row.get(0)?,
        operation: row.get(1)?,
        path: row.get(2)?,
        status: u16::try_from(row.get::<i64>(3)?).unwrap_or(500),
        body: row.get(4)?,
        expires_at: row.get(5)?,
    })
}
