//! The deliveries of webhooks: leases, the queue of each, and what was sent.
//!
//! A node leases a webhook, not a delivery: so the deliveries of a webhook have one sender at a time, which keeps the
//! order of a subject and limits what is sent at once. Only `MAX_OPEN` deliveries are queued; the rest of the
//! events wait behind the webhook's position and need no rows.

use super::webhook_attempts::{NewAttempt, insert_attempt};
use super::webhooks::{DisabledReason, Webhook, disable, lock, webhook};
use super::{EventFilter, Ledger, WatchedEvent};
use crate::engine::{Row, Transaction, Value};
use crate::error::Result;

/// Deliveries of a webhook in its queue.
pub const MAX_OPEN: i64 = 64;
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

/// A delivery that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub seq: i64,
    pub subject: String,
    /// Attempts so far.
    pub attempts: i64,
    /// None if the event was deleted because of its age.
    pub event: Option<WatchedEvent>,
}

/// What follows from an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The receiver accepted it.
    Delivered,
    /// It is tried again at this time.
    Retry(i64),
    /// Nothing more is sent to the webhook.
    Disable(DisabledReason),
}

impl Ledger {
    /// Leases webhooks for which something must be sent, or which have new events, those first that have waited
    /// longest.
    pub async fn claim_webhooks(
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
            let claimed = transaction
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
            if let Some((webhook, seen_seq)) = claimed {
                leases.push(WebhookLease { webhook, holder: holder.to_owned(), seen_seq });
            }
        }
        Ok(leases)
    }

    /// Extends a lease and reads the webhook again. False if another node holds it, or if nothing must be sent to the
    /// webhook any more.
    pub async fn renew_webhook_lease(
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

    /// Extends a lease that is still held, without reading the webhook again.
    pub async fn extend_webhook_lease(&self, lease: &WebhookLease, until_ms: i64) -> Result<()> {
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

    /// Moves events of the account into the queue of a leased webhook, as many as there is room for.
    pub async fn fill_webhook_queue(&self, lease: &mut WebhookLease) -> Result<()> {
        let webhook = &lease.webhook;
        let owner = (webhook.account_id.as_str(), webhook.mode);
        lease.seen_seq = lease.seen_seq.max(self.newest_watched_event(owner).await?);
        let room = MAX_OPEN - self.count_open_deliveries(webhook).await?;
        if room <= 0 || webhook.position >= lease.seen_seq {
            return Ok(());
        }
        let types: Vec<&str> = webhook.types.iter().map(String::as_str).collect();
        let filter = EventFilter { watchlist: webhook.watchlist_id.as_deref(), types: &types };
        let page = self.list_watched_events(owner, webhook.position, filter, room).await?;
        let mut transaction = self.engine.transaction().await?;
        // A replay may have moved the position meanwhile; then this is left to the next time.
        let moved = transaction
            .execute(
                "update webhooks set position = $1 where account_id = $2 and id = $3 \
                 and lease_holder = $4 and position = $5",
                &[
                    page.scanned_to.into(),
                    (&webhook.account_id).into(),
                    (&webhook.id).into(),
                    (&lease.holder).into(),
                    webhook.position.into(),
                ],
            )
            .await?;
        if moved > 0 {
            let events = page.events.iter().map(|event| (event.seq, event.subject.as_str()));
            insert_deliveries(&mut transaction, webhook, events).await?;
        }
        transaction.commit().await?;
        if moved > 0 {
            lease.webhook.position = page.scanned_to;
        }
        Ok(())
    }

    async fn count_open_deliveries(&self, webhook: &Webhook) -> Result<i64> {
        let open = self
            .engine
            .query_opt(
                "select count(*) from webhook_deliveries where account_id = $1 and webhook_id = $2",
                &[(&webhook.account_id).into(), (&webhook.id).into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        Ok(open.unwrap_or(0))
    }

    /// The deliveries of a webhook that are due: of each subject only the earliest that is open.
    pub async fn list_due_deliveries(
        &self,
        webhook: &Webhook,
        now_ms: i64,
        limit: i64,
    ) -> Result<Vec<Delivery>> {
        self.engine
            .query(
                "select open.seq, open.subject, open.attempts, events.event_id, events.type, \
                 events.related, events.payload, events.recorded_at, events.charged_at \
                 from webhook_deliveries as open left join watched_events as events \
                 on events.account_id = open.account_id and events.mode = $1 \
                 and events.seq = open.seq \
                 where open.account_id = $2 and open.webhook_id = $3 \
                 and open.next_attempt_at <= $4 and not exists (\
                 select 1 from webhook_deliveries as earlier \
                 where earlier.account_id = $2 and earlier.webhook_id = $3 \
                 and earlier.subject = open.subject and earlier.seq < open.seq) \
                 order by open.seq limit $5",
                &[
                    webhook.mode.as_str().into(),
                    (&webhook.account_id).into(),
                    (&webhook.id).into(),
                    now_ms.into(),
                    limit.into(),
                ],
                delivery,
            )
            .await
    }

    /// Stores the results of attempts. Deliveries change only if the lease is still held. Returns the reason if
    /// the webhook was disabled by this.
    pub async fn record_webhook_attempts(
        &self,
        lease: &WebhookLease,
        attempts: &[(NewAttempt, DeliveryOutcome)],
        now_ms: i64,
    ) -> Result<Option<DisabledReason>> {
        let webhook = &lease.webhook;
        let mut transaction = self.engine.transaction().await?;
        let Some(holder) = lock(&mut transaction, webhook).await? else { return Ok(None) };
        for (attempt, _) in attempts {
            insert_attempt(&mut transaction, webhook, attempt).await?;
        }
        let mut disabled = None;
        if holder == lease.holder {
            for (attempt, outcome) in attempts {
                let Some(seq) = attempt.seq else { continue };
                settle(&mut transaction, webhook, (seq, attempt.number), *outcome).await?;
                if let DeliveryOutcome::Disable(reason) = outcome
                    && disable(&mut transaction, webhook, *reason, now_ms).await?
                {
                    disabled = Some(*reason);
                }
            }
        }
        transaction.commit().await?;
        Ok(disabled)
    }

    /// Lets deliveries wait without an attempt, because they cannot be paid for.
    pub async fn postpone_deliveries(
        &self,
        webhook: &Webhook,
        seqs: &[i64],
        until_ms: i64,
    ) -> Result<()> {
        let mut transaction = self.engine.transaction().await?;
        let rows: Vec<Vec<Value<'_>>> = seqs
            .iter()
            .map(|seq| {
                let key = [(&webhook.account_id).into(), (&webhook.id).into(), (*seq).into()];
                std::iter::once(until_ms.into()).chain(key).collect()
            })
            .collect();
        transaction
            .execute_each(
                "update webhook_deliveries set next_attempt_at = $1 \
                 where account_id = $2 and webhook_id = $3 and seq = $4",
                &rows,
            )
            .await?;
        transaction.commit().await
    }

    /// Deletes deliveries whose events were deleted because of their age.
    pub async fn drop_deliveries(&self, webhook: &Webhook, seqs: &[i64]) -> Result<()> {
        let mut transaction = self.engine.transaction().await?;
        for seq in seqs {
            drop_delivery(&mut transaction, webhook, *seq).await?;
        }
        transaction.commit().await
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

    /// Queues an event again. False if the webhook does not exist any more.
    pub async fn replay_event(&self, webhook: &Webhook, event: &WatchedEvent) -> Result<bool> {
        let mut transaction = self.engine.transaction().await?;
        if lock(&mut transaction, webhook).await?.is_none() {
            return Ok(false);
        }
        let event = [(event.seq, event.subject.as_str())];
        insert_deliveries(&mut transaction, webhook, event.into_iter()).await?;
        make_due(&mut transaction, webhook, i64::MAX).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Sends all events from this number on again. False if the webhook does not exist any more.
    pub async fn replay_from(&self, webhook: &Webhook, from_seq: i64) -> Result<bool> {
        let mut transaction = self.engine.transaction().await?;
        if lock(&mut transaction, webhook).await?.is_none() {
            return Ok(false);
        }
        make_due(&mut transaction, webhook, from_seq - 1).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

async fn insert_deliveries(
    transaction: &mut Transaction,
    webhook: &Webhook,
    events: impl Iterator<Item = (i64, &str)>,
) -> Result<()> {
    let rows: Vec<Vec<Value<'_>>> = events
        .map(|(seq, subject)| {
            vec![(&webhook.account_id).into(), (&webhook.id).into(), seq.into(), subject.into()]
        })
        .collect();
    transaction
        .execute_each(
            "insert into webhook_deliveries (account_id, webhook_id, seq, subject, attempts, \
             next_attempt_at) values ($1, $2, $3, $4, 0, 0) \
             on conflict (account_id, webhook_id, seq) do nothing",
            &rows,
        )
        .await
}

/// Makes a webhook due at once; its position is at most this one then.
async fn make_due(transaction: &mut Transaction, webhook: &Webhook, position: i64) -> Result<()> {
    transaction
        .execute(
            "update webhooks set due_at = 0, \
             position = case when position < $1 then position else $1 end \
             where account_id = $2 and id = $3",
            &[position.into(), (&webhook.account_id).into(), (&webhook.id).into()],
        )
        .await?;
    Ok(())
}

async fn settle(
    transaction: &mut Transaction,
    webhook: &Webhook,
    (seq, number): (i64, i64),
    outcome: DeliveryOutcome,
) -> Result<()> {
    let at = match outcome {
        DeliveryOutcome::Delivered => return drop_delivery(transaction, webhook, seq).await,
        DeliveryOutcome::Retry(at) => at,
        // It stays, so that it is sent first when the webhook is enabled again.
        DeliveryOutcome::Disable(_) => 0,
    };
    transaction
        .execute(
            "update webhook_deliveries set attempts = $1, next_attempt_at = $2 \
             where account_id = $3 and webhook_id = $4 and seq = $5",
            &[
                number.into(),
                at.into(),
                (&webhook.account_id).into(),
                (&webhook.id).into(),
                seq.into(),
            ],
        )
        .await?;
    Ok(())
}

async fn drop_delivery(transaction: &mut Transaction, webhook: &Webhook, seq: i64) -> Result<()> {
    transaction
        .execute(
            "delete from webhook_deliveries \
             where account_id = $1 and webhook_id = $2 and seq = $3",
            &[(&webhook.account_id).into(), (&webhook.id).into(), seq.into()],
        )
        .await?;
    Ok(())
}

fn delivery(row: &Row<'_>) -> Result<Delivery> {
    let (seq, subject): (i64, String) = (row.get(0)?, row.get(1)?);
    let event = match row.get::<Option<String>>(3)? {
        None => None,
        Some(event_id) => Some(WatchedEvent {
            seq,
            event_id,
            event_type: row.get(4)?,
            subject: subject.clone(),
            related: row.get(5)?,
            payload: row.get(6)?,
            recorded_at: row.get(7)?,
            charged_at: row.get(8)?,
        }),
    };
    Ok(Delivery { seq, subject, attempts: row.get(2)?, event })
}
