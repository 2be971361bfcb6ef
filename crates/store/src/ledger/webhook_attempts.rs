//! What was sent to webhooks, and how the receivers responded.

use super::webhooks::{Webhook, lock};
use super::{Ledger, new_id};
use crate::engine::{Row, Transaction, Value};
use crate::error::Result;

/// Attempts deleted in one statement, so that charges do not wait.
const DELETE_BATCH: i64 = 1_000;
/// Waiting deliveries that are counted.
const MAX_COUNTED: i64 = 100_000;

/// An attempt that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAttempt {
    /// None for a test.
    pub seq: Option<i64>,
    pub event_id: String,
    pub event_type: String,
    pub subject: Option<String>,
    /// From 1.
    pub number: i64,
    /// When it began.
    pub at: i64,
    /// The HTTP status; none without a response.
    pub status: Option<i64>,
    /// Why it failed; none if it was accepted.
    pub error: Option<String>,
    pub duration_ms: i64,
}

/// A stored attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub id: String,
    pub attempt: NewAttempt,
}

/// Which attempts are listed, newest first.
#[derive(Clone, Copy, Debug)]
pub struct AttemptPage<'a> {
    /// Only those before the attempt with this id.
    pub before: Option<&'a str>,
    pub limit: i64,
}

impl Ledger {
    /// Stores the result of a test.
    pub async fn record_webhook_test(
        &self,
        webhook: &Webhook,
        test: &NewAttempt,
    ) -> Result<Attempt> {
        let mut transaction = self.engine.transaction().await?;
        let id = match lock(&mut transaction, webhook).await? {
            Some(_) => insert_attempt(&mut transaction, webhook, test).await?,
            // It was deleted meanwhile: nothing is kept.
            None => new_id("wa"),
        };
        transaction.commit().await?;
        Ok(Attempt { id, attempt: test.clone() })
    }

    pub async fn list_webhook_attempts(
        &self,
        webhook: &Webhook,
        page: AttemptPage<'_>,
    ) -> Result<Vec<Attempt>> {
        self.engine
            .query(
                "select id, seq, event_id, event_type, subject, number, at, status, error, \
                 duration_ms from webhook_attempts where account_id = $1 and webhook_id = $2 \
                 and (cast($3 as text) = '' or id < $3) order by id desc limit $4",
                &[
                    (&webhook.account_id).into(),
                    (&webhook.id).into(),
                    page.before.unwrap_or("").into(),
                    page.limit.into(),
                ],
                stored_attempt,
            )
            .await
    }

    /// The deliveries of all webhooks that wait for an attempt; more than `MAX_COUNTED` are not counted.
    pub async fn count_waiting_deliveries(&self) -> Result<i64> {
        let found = self
            .engine
            .query_opt(
                "select count(*) from (select seq from webhook_deliveries limit $1) as waiting",
                &[MAX_COUNTED.into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        Ok(found.unwrap_or(0))
    }

    /// Deletes attempts before a time.
    pub async fn delete_expired_webhook_attempts(&self, before_ms: i64) -> Result<u64> {
        let old = self
            .engine
            .query(
                "select account_id, webhook_id, id from webhook_attempts where at < $1 \
                 order by at limit $2",
                &[before_ms.into(), DELETE_BATCH.into()],
                |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?, row.get::<String>(2)?)),
            )
            .await?;
        let rows: Vec<Vec<Value<'_>>> = old
            .iter()
            .map(|(account_id, webhook_id, id)| {
                vec![account_id.into(), webhook_id.into(), id.into()]
            })
            .collect();
        let mut transaction = self.engine.transaction().await?;
        transaction
            .execute_each(
                "delete from webhook_attempts \
                 where account_id = $1 and webhook_id = $2 and id = $3",
                &rows,
            )
            .await?;
        transaction.commit().await?;
        Ok(old.len() as u64)
    }
}

pub(super) async fn insert_attempt(
    transaction: &mut Transaction,
    webhook: &Webhook,
    attempt: &NewAttempt,
) -> Result<String> {
    let id = new_id("wa");
    transaction
        .execute(
            "insert into webhook_attempts (account_id, webhook_id, id, seq, event_id, event_type, \
             subject, number, at, status, error, duration_ms) \
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            &[
                (&webhook.account_id).into(),
                (&webhook.id).into(),
                (&id).into(),
                attempt.seq.into(),
                (&attempt.event_id).into(),
                (&attempt.event_type).into(),
                attempt.subject.as_deref().into(),
                attempt.number.into(),
                attempt.at.into(),
                attempt.status.into(),
                attempt.error.as_deref().into(),
                attempt.duration_ms.into(),
            ],
        )
        .await?;
    Ok(id)
}

fn stored_attempt(row: &Row<'_>) -> Result<Attempt> {
    Ok(Attempt {
        id: row.get(0)?,
        attempt: NewAttempt {
            seq: row.get(1)?,
            event_id: row.get(2)?,
            event_type: row.get(3)?,
            subject: row.get(4)?,
            number: row.get(5)?,
            at: row.get(6)?,
            status: row.get(7)?,
            error: row.get(8)?,
            duration_ms: row.get(9)?,
        },
    })
}
