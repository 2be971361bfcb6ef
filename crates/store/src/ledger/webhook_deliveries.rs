//! The deliveries of webhooks: the queue of each, and what was sent. Only `MAX_OPEN` deliveries are queued; the rest of the
//! events wait after the webhook's position and need no rows.

use super::webhook_attempts::{NewAttempt, insert_attempt};
use super::webhook_leases::WebhookLease;
use super::webhooks::{DisabledReason, Webhook, disable, lock};
use super::{EventFilter, Ledger, WatchedEvent};
use crate::engine::{Row, Transaction, Value};
use crate::error::Result;

/// Deliveries of a webhook in its queue.
pub const MAX_OPEN: i64 = 64;

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

/// The outcome of an attempt.
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
                record_outcome(&mut transaction, webhook, (seq, attempt.number), *outcome).await?;
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
    pub async fn delete_deliveries(&self, webhook: &Webhook, seqs: &[i64]) -> Result<()> {
        let mut transaction = self.engine.transaction().await?;
        for seq in seqs {
            delete_delivery(&mut transaction, webhook, *seq).await?;
        }
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

async fn record_outcome(
    transaction: &mut Transaction,
    webhook: &Webhook,
    (seq, number): (i64, i64),
    outcome: DeliveryOutcome,
) -> Result<()> {
    let at = match outcome {
        DeliveryOutcome::Delivered => return delete_delivery(transaction, webhook, seq).await,
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

async fn delete_delivery(transaction: &mut Transaction, webhook: &Webhook, seq: i64) -> Result<()> {
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
