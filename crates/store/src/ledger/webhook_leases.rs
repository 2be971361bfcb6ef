//! Leases of webhooks. A node leases a webhook, not a delivery: so the deliveries of a webhook have one sender at a
//! time, which keeps the order of a subject and limits what is sent at once.

use super::webhooks::{Webhook, lock, webhook};
use super::{Ledger, MAX_OPEN};
use crate::error::Result;

/// The time of a webhook for which nothing has to be sent.
const NEVER: i64 = i64::MAX;

/// A webhook that one node works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookLease {
    pub webhook: Webhook,
    pub holder: String,
    /// The newest event of the account when the queue was last filled.
    pub seen_seq: i64,
}

impl Ledger {
    /// Leases webhooks for which something must be sent, or which have new events, those first that have waited
    /// longest.
    pub async fn lease_webhooks(
        &self,
        holder: &str,
        (now_ms, lease_ms): (i64, i64),
        limit: i64,
    ) -> Result<Vec<WebhookLease>> {
        // Usually nothing waits; then nothing is written or locked.
        let waiting = self
            .engine
            .query(
                "select account_id, id from webhooks where disabled_at is null \
                 and lease_until < $1 and (due_at <= $1 or exists (select 1 from watched_events \
                 where watched_events.account_id = webhooks.account_id \
                 and watched_events.mode = webhooks.mode and seq > seen_seq)) \
                 order by worked_at, id limit $2",
                &[now_ms.into(), limit.into()],
                |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)),
            )
            .await?;
        let mut leases = Vec::with_capacity(waiting.len());
        for (account_id, id) in &waiting {
            let mut transaction = self.engine.transaction().await?;
            let leased = transaction
                .query_opt(
                    "update webhooks set lease_holder = $1, lease_until = $2, worked_at = $3 \
                     where account_id = $4 and id = $5 and disabled_at is null and lease_until < $3 \
                     returning account_id, mode, id, url, description, watchlist_id, types, nonce, \
                     previous_nonce, previous_until, created_at, disabled_at, disabled_reason, \
                     position, seen_seq",
                    &[
                        holder.into(),
                        (now_ms + lease_ms).into(),
                        now_ms.into(),
                        account_id.into(),
                        id.into(),
                    ],
                    |row| Ok((webhook(row)?, row.get::<i64>(14)?)),
                )
                .await?;
            transaction.commit().await?;
            if let Some((webhook, seen_seq)) = leased {
                leases.push(WebhookLease { webhook, holder: holder.to_owned(), seen_seq });
            }
        }
        Ok(leases)
    }

    /// Renews a lease and reads the webhook again. False if another node holds it, or if nothing must be sent to the
    /// webhook any more.
    pub async fn renew_webhook_lease_and_reload(
        &self,
        lease: &mut WebhookLease,
        until_ms: i64,
    ) -> Result<bool> {
        let mut transaction = self.engine.transaction().await?;
        let renewed = transaction
            .query_opt(
                "update webhooks set lease_until = $1 where account_id = $2 and id = $3 \
                 and lease_holder = $4 and disabled_at is null \
                 returning account_id, mode, id, url, description, watchlist_id, types, nonce, \
                 previous_nonce, previous_until, created_at, disabled_at, disabled_reason, position",
                &[
                    until_ms.into(),
                    (&lease.webhook.account_id).into(),
                    (&lease.webhook.id).into(),
                    (&lease.holder).into(),
                ],
                webhook,
            )
            .await?;
        transaction.commit().await?;
        let Some(webhook) = renewed else { return Ok(false) };
        lease.webhook = webhook;
        Ok(true)
    }

    /// Renews a lease unless another node holds it, without reading the webhook again.
    pub async fn renew_webhook_lease(&self, lease: &WebhookLease, until_ms: i64) -> Result<()> {
        self.engine
            .execute(
                "update webhooks set lease_until = $1 where account_id = $2 and id = $3 \
                 and lease_holder = $4",
                &[
                    until_ms.into(),
                    (&lease.webhook.account_id).into(),
                    (&lease.webhook.id).into(),
                    (&lease.holder).into(),
                ],
            )
            .await?;
        Ok(())
    }

    /// Ends a lease. The webhook is due when its earliest delivery is, or at once if there are more events than
    /// are queued; not before `not_before_ms`.
    pub async fn release_webhook(&self, lease: &WebhookLease, not_before_ms: i64) -> Result<()> {
        let webhook = &lease.webhook;
        let key = [(&webhook.account_id).into(), (&webhook.id).into()];
        let mut transaction = self.engine.transaction().await?;
        let Some(holder) = lock(&mut transaction, webhook).await? else { return Ok(()) };
        if holder != lease.holder {
            return Ok(());
        }
        // Read after the row is locked, so that a replay is not missed.
        let queue = transaction
            .query_opt(
                "select (select count(*) from webhook_deliveries where account_id = $1 \
                 and webhook_id = $2), \
                 (select min(next_attempt_at) from webhook_deliveries as open \
                 where account_id = $1 and webhook_id = $2 and not exists (\
                 select 1 from webhook_deliveries as earlier where earlier.account_id = $1 \
                 and earlier.webhook_id = $2 and earlier.subject = open.subject \
                 and earlier.seq < open.seq)), \
                 position from webhooks where account_id = $1 and id = $2",
                &key,
                |row| Ok((row.get::<i64>(0)?, row.get::<Option<i64>>(1)?, row.get::<i64>(2)?)),
            )
            .await?;
        let (open, next, position) = queue.unwrap_or((0, None, 0));
        let due_at = match position < lease.seen_seq && open < MAX_OPEN {
            true => 0,
            false => next.unwrap_or(NEVER),
        };
        transaction
            .execute(
                "update webhooks set lease_holder = '', lease_until = 0, due_at = $1, \
                 seen_seq = $2 where account_id = $3 and id = $4",
                &[
                    due_at.max(not_before_ms).into(),
                    lease.seen_seq.into(),
                    (&webhook.account_id).into(),
                    (&webhook.id).into(),
                ],
            )
            .await?;
        transaction.commit().await
    }
}
