//! Idempotency keys: the first response to a request is stored and returned to retries.

use super::{Debit, DebitOutcome, Ledger, Mode};
use crate::engine::Transaction;
use crate::error::{Result, StoreError};

/// How long a first response is returned to retries.
const REPLAY_MS: i64 = 24 * 3600 * 1000;
/// After this time a first call that never finished (its node was killed) loses its key. It is
/// longer than the longest request.
const RUNNING_MS: i64 = 90 * 1000;

/// A response to store, committed together with its debit.
#[derive(Clone, Debug)]
pub struct StoredResponse {
    pub idempotency_key: String,
    /// The `data` of the response, as JSON text.
    pub data: String,
    /// The headers of the response, one "name: value" per line.
    pub headers: String,
}

/// A stored first response; the whole response can be rebuilt from it byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstResponse {
    pub request_id: String,
    pub credits_charged: i64,
    /// The balance after the first request.
    pub credits_remaining: i64,
    /// The `data` of the response, as JSON text.
    pub data: String,
    /// The headers of the response, one "name: value" per line.
    pub headers: String,
}

/// The result of claiming an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdempotencyClaim {
    /// The key is new: this call is the first and owns the key.
    First,
    Replay(FirstResponse),
    InProgress,
    /// The key was used for another request.
    Mismatch,
}

impl Ledger {
    /// Claims an idempotency key for a request, or returns what is stored under it. With `owned_by_job`,
    /// the response does not expire; the caller deletes it.
    pub async fn claim_idempotency_key(
        &self,
        (account_id, mode): (&str, Mode),
        (idempotency_key, owned_by_job): (&str, bool),
        fingerprint: &str,
        request_id: &str,
        now_ms: i64,
    ) -> Result<IdempotencyClaim> {
        let claimed = self
            .engine
            .execute(
                "insert into idempotency (account_id, mode, idempotency_key, fingerprint, \
                 request_id, started_at, held) values ($1, $2, $3, $4, $5, $6, $7) \
                 on conflict (account_id, mode, idempotency_key) do update set \
                 fingerprint = excluded.fingerprint, request_id = excluded.request_id, \
                 started_at = excluded.started_at, held = excluded.held, \
                 credits_charged = null, credits_remaining = null, data = null, headers = '' \
                 where (idempotency.started_at < $8 and idempotency.held = false) \
                 or (idempotency.data is null and idempotency.started_at < $9)",
                &[
                    account_id.into(),
                    mode.as_str().into(),
                    idempotency_key.into(),
                    fingerprint.into(),
                    request_id.into(),
                    now_ms.into(),
                    owned_by_job.into(),
                    (now_ms - REPLAY_MS).into(),
                    (now_ms - RUNNING_MS).into(),
                ],
            )
            .await?;
        if claimed > 0 {
            return Ok(IdempotencyClaim::First);
        }
        let found = self.find_first_response((account_id, mode), idempotency_key).await?;
        let Some((known_fingerprint, response)) = found else {
            // Released between the two statements: the first call has just failed.
            return Ok(IdempotencyClaim::InProgress);
        };
        Ok(match response {
            _ if known_fingerprint != fingerprint => IdempotencyClaim::Mismatch,
            Some(response) => IdempotencyClaim::Replay(response),
            None => IdempotencyClaim::InProgress,
        })
    }

    async fn find_first_response(
        &self,
        (account_id, mode): (&str, Mode),
        idempotency_key: &str,
    ) -> Result<Option<(String, Option<FirstResponse>)>> {
        self.engine
            .query_opt(
                "select fingerprint, request_id, credits_charged, credits_remaining, data, \
                 headers from idempotency where account_id = $1 and mode = $2 and idempotency_key = $3",
                &[account_id.into(), mode.as_str().into(), idempotency_key.into()],
                |row| {
                    let parts =
                        (row.get::<Option<i64>>(2)?, row.get::<Option<i64>>(3)?, row.get(4)?);
                    let response = match parts {
                        (Some(credits_charged), Some(credits_remaining), Some(data)) => {
                            let request_id = row.get(1)?;
                            Some(FirstResponse {
                                request_id,
                                credits_charged,
                                credits_remaining,
                                data,
                                headers: row.get(5)?,
                            })
                        }
                        _ => None,
                    };
                    Ok((row.get(0)?, response))
                },
            )
            .await
    }

    /// Releases a key after its first call failed, so that the next call can be the first.
    pub async fn release_idempotency_key(
        &self,
        (account_id, mode): (&str, Mode),
        idempotency_key: &str,
        request_id: &str,
    ) -> Result<()> {
        self.engine
            .execute(
                "delete from idempotency where account_id = $1 and mode = $2 \
                 and idempotency_key = $3 and request_id = $4 and data is null",
                &[
                    account_id.into(),
                    mode.as_str().into(),
                    idempotency_key.into(),
                    request_id.into(),
                ],
            )
            .await?;
        Ok(())
    }

    /// Deletes expired first responses. A response that a job owns expires when its job no longer
    /// exists.
    pub async fn delete_expired_responses(&self, now_ms: i64) -> Result<u64> {
        self.engine
            .execute(
                "delete from idempotency where started_at < $1 and (held = false or not exists \
                 (select 1 from bulk_jobs where bulk_jobs.account_id = idempotency.account_id \
                 and idempotency.idempotency_key > bulk_jobs.id || '/' \
                 and idempotency.idempotency_key < bulk_jobs.id || '0'))",
                &[(now_ms - REPLAY_MS).into()],
            )
            .await
    }
}

/// Stores the response of the call that owns the key. If the call lost its key meanwhile (it ran too
/// long), the debit is rejected, so that only the new owner is charged.
pub(super) async fn store_response(
    transaction: &mut Transaction,
    debit: &Debit,
    response: &StoredResponse,
    outcome: &DebitOutcome,
) -> Result<()> {
    let updated = transaction
        .execute(
            "update idempotency set credits_charged = $1, credits_remaining = $2, data = $3, \
             headers = $4 where account_id = $5 and mode = $6 and idempotency_key = $7 \
             and request_id = $8",
            &[
                outcome.charged.unwrap_or(0).into(),
                outcome.remaining.into(),
                (&response.data).into(),
                (&response.headers).into(),
                (&debit.account_id).into(),
                debit.mode.as_str().into(),
                (&response.idempotency_key).into(),
                (&debit.request_id).into(),
            ],
        )
        .await?;
    if updated == 0 {
        return Err(StoreError::Conflict("the idempotency key was taken over".into()));
    }
    Ok(())
}
