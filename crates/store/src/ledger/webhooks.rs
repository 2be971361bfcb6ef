//! Webhooks: the URLs to which events of an account are sent, and the secrets with which they are signed.

use super::people::stored_mode;
use super::{Ledger, Mode, new_id};
use crate::engine::{Row, Transaction};
use crate::error::{Result, StoreError};

/// How long the secrets from before a rotation stay valid.
pub const ROTATION_MS: i64 = 24 * 3600 * 1000;

/// Why nothing is sent to a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisabledReason {
    /// The user turned it off.
    ByUser,
    /// All attempts to deliver an event failed.
    Failing,
    /// The receiver returned 410.
    Gone,
}

impl DisabledReason {
    const ALL: [DisabledReason; 3] =
        [DisabledReason::ByUser, DisabledReason::Failing, DisabledReason::Gone];

    pub fn as_str(self) -> &'static str {
        match self {
            DisabledReason::ByUser => "by_user",
            DisabledReason::Failing => "failing",
            DisabledReason::Gone => "gone",
        }
    }

    fn from_name(word: &str) -> Result<DisabledReason> {
        DisabledReason::ALL
            .into_iter()
            .find(|reason| reason.as_str() == word)
            .ok_or_else(|| StoreError::Bug(format!("a webhook is disabled because of {word}")))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    pub account_id: String,
    pub mode: Mode,
    pub id: String,
    pub url: String,
    pub description: String,
    /// The watch list whose events are sent; none for those of all lists.
    pub watchlist_id: Option<String>,
    /// The types of events that are sent; empty for all.
    pub types: Vec<String>,
    /// What the valid secrets are derived from.
    pub nonce: String,
    /// What the secrets from before a rotation are derived from, and until when they are valid.
    pub previous: Option<(String, i64)>,
    pub created_at: i64,
    pub disabled: Option<(i64, DisabledReason)>,
    /// The number of the last event that was queued.
    pub position: i64,
}

/// The keys of a webhook: for signatures with a shared secret, and with a pair of keys.
pub struct WebhookKeys {
    pub secret: [u8; 32],
    pub seed: [u8; 32],
}

#[derive(Clone, Debug)]
pub struct NewWebhook<'a> {
    pub account_id: &'a str,
    pub mode: Mode,
    pub url: &'a str,
    pub description: &'a str,
    pub watchlist_id: Option<&'a str>,
    pub types: &'a [String],
    /// A text that was never used before.
    pub nonce: &'a str,
    /// The account's limit, in each mode.
    pub most: i64,
}

/// What a user can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookChange {
    pub url: String,
    pub description: String,
    pub watchlist_id: Option<String>,
    pub types: Vec<String>,
    pub enabled: bool,
}

impl Ledger {
    /// The keys that are derived from a nonce of a webhook. Nothing in the ledger alone reveals them.
    pub fn webhook_keys(&self, webhook_id: &str, nonce: &str) -> WebhookKeys {
        let parts = [webhook_id.as_bytes(), nonce.as_bytes()];
        WebhookKeys {
            secret: self.secret.derive(b"webhook secret", &parts),
            seed: self.secret.derive(b"webhook ed25519", &parts),
        }
    }

    /// Creates a webhook for the events from now on. A conflict if the account has too many.
    pub async fn create_webhook(&self, new: &NewWebhook<'_>, now_ms: i64) -> Result<Webhook> {
        let id = new_id("we");
        let owner = (new.account_id, new.mode);
        let newest = self.newest_watched_event(owner).await?;
        let mut transaction = self.engine.transaction().await?;
        // With the account locked, two concurrent calls cannot both pass the limit.
        transaction
            .execute("update accounts set name = name where id = $1", &[new.account_id.into()])
            .await?;
        let count = transaction
            .query_opt(
                "select count(*) from webhooks where account_id = $1 and mode = $2",
                &[new.account_id.into(), new.mode.as_str().into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        if count.unwrap_or(0) >= new.most {
            return Err(StoreError::Conflict(format!(
                "an account can have {} webhooks in each mode: delete one that is not needed",
                new.most
            )));
        }
        transaction
            .execute(
                "insert into webhooks (account_id, mode, id, url, description, watchlist_id, types, \
                 nonce, created_at, position, seen_seq, due_at, worked_at, lease_holder, \
                 lease_until) \
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, 0, 0, '', 0)",
                &[
                    new.account_id.into(),
                    new.mode.as_str().into(),
                    (&id).into(),
                    new.url.into(),
                    new.description.into(),
                    new.watchlist_id.into(),
                    (&new.types.join(" ")).into(),
                    new.nonce.into(),
                    now_ms.into(),
                    newest.into(),
                ],
            )
            .await?;
        transaction.commit().await?;
        let created = self.find_webhook(owner, &id).await?;
        created.ok_or_else(|| StoreError::Bug(format!("the webhook {id} is gone")))
    }

    /// The webhooks of an account in a mode, oldest first.
    pub async fn list_webhooks(
        &self,
        (account_id, mode): (&str, Mode),
        limit: i64,
    ) -> Result<Vec<Webhook>> {
        self.engine
            .query(
                "select account_id, mode, id, url, description, watchlist_id, types, nonce, \
                 previous_nonce, previous_until, created_at, disabled_at, disabled_reason, \
                 position from webhooks where account_id = $1 and mode = $2 order by id limit $3",
                &[account_id.into(), mode.as_str().into(), limit.into()],
                webhook,
            )
            .await
    }

    pub async fn find_webhook(
        &self,
        (account_id, mode): (&str, Mode),
        id: &str,
    ) -> Result<Option<Webhook>> {
        self.engine
            .query_opt(
                "select account_id, mode, id, url, description, watchlist_id, types, nonce, \
                 previous_nonce, previous_until, created_at, disabled_at, disabled_reason, \
                 position from webhooks where account_id = $1 and mode = $2 and id = $3",
                &[account_id.into(), mode.as_str().into(), id.into()],
                webhook,
            )
            .await
    }

    /// Changes a webhook. If it becomes enabled, its open deliveries get all their attempts again and are due
    /// at once. False if it does not exist.
    pub async fn update_webhook(
        &self,
        webhook: &Webhook,
        change: &WebhookChange,
        now_ms: i64,
    ) -> Result<bool> {
        let mut transaction = self.engine.transaction().await?;
        let changed = transaction
            .execute(
                "update webhooks set url = $1, description = $2, watchlist_id = $3, types = $4, \
                 due_at = 0 where account_id = $5 and id = $6",
                &[
                    (&change.url).into(),
                    (&change.description).into(),
                    change.watchlist_id.as_deref().into(),
                    (&change.types.join(" ")).into(),
                    (&webhook.account_id).into(),
                    (&webhook.id).into(),
                ],
            )
            .await?;
        match change.enabled {
            true => enable(&mut transaction, webhook).await?,
            false => {
                disable(&mut transaction, webhook, DisabledReason::ByUser, now_ms).await?;
            }
        }
        transaction.commit().await?;
        Ok(changed > 0)
    }

    /// Gives a webhook new secrets. Those from before stay valid until `ROTATION_MS` from now; older ones do
    /// not. False if it does not exist.
    pub async fn rotate_webhook(
        &self,
        webhook: &Webhook,
        nonce: &str,
        now_ms: i64,
    ) -> Result<bool> {
        let changed = self
            .engine
            .execute(
                "update webhooks set previous_nonce = nonce, previous_until = $1, nonce = $2 \
                 where account_id = $3 and id = $4",
                &[
                    (now_ms + ROTATION_MS).into(),
                    nonce.into(),
                    (&webhook.account_id).into(),
                    (&webhook.id).into(),
                ],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Deletes a webhook with its deliveries and attempts. False if it does not exist.
    pub async fn delete_webhook(&self, webhook: &Webhook) -> Result<bool> {
        let mut transaction = self.engine.transaction().await?;
        let key = [(&webhook.account_id).into(), (&webhook.id).into()];
        let deleted = transaction
            .execute("delete from webhooks where account_id = $1 and id = $2", &key)
            .await?;
        for statement in [
            "delete from webhook_deliveries where account_id = $1 and webhook_id = $2",
            "delete from webhook_attempts where account_id = $1 and webhook_id = $2",
        ] {
            transaction.execute(statement, &key).await?;
        }
        transaction.commit().await?;
        Ok(deleted > 0)
    }
}

async fn enable(transaction: &mut Transaction, webhook: &Webhook) -> Result<()> {
    let key = [(&webhook.account_id).into(), (&webhook.id).into()];
    let enabled = transaction
        .execute(
            "update webhooks set disabled_at = null, disabled_reason = null \
             where account_id = $1 and id = $2 and disabled_at is not null",
            &key,
        )
        .await?;
    if enabled > 0 {
        transaction
            .execute(
                "update webhook_deliveries set attempts = 0, next_attempt_at = 0 \
                 where account_id = $1 and webhook_id = $2",
                &key,
            )
            .await?;
    }
    Ok(())
}

/// Disables a webhook; false if it is disabled already.
pub(super) async fn disable(
    transaction: &mut Transaction,
    webhook: &Webhook,
    reason: DisabledReason,
    now_ms: i64,
) -> Result<bool> {
    let disabled = transaction
        .execute(
            "update webhooks set disabled_at = $1, disabled_reason = $2 \
             where account_id = $3 and id = $4 and disabled_at is null",
            &[
                now_ms.into(),
                reason.as_str().into(),
                (&webhook.account_id).into(),
                (&webhook.id).into(),
            ],
        )
        .await?;
    Ok(disabled > 0)
}

pub(super) fn webhook(row: &Row<'_>) -> Result<Webhook> {
    let previous: (Option<String>, Option<i64>) = (row.get(8)?, row.get(9)?);
    let disabled: (Option<i64>, Option<String>) = (row.get(11)?, row.get(12)?);
    let disabled = match disabled {
        (Some(at), Some(reason)) => Some((at, DisabledReason::from_name(&reason)?)),
        _ => None,
    };
    Ok(Webhook {
        account_id: row.get(0)?,
        mode: stored_mode(&row.get::<String>(1)?)?,
        id: row.get(2)?,
        url: row.get(3)?,
        description: row.get(4)?,
        watchlist_id: row.get(5)?,
        types: row.get::<String>(6)?.split_whitespace().map(str::to_owned).collect(),
        nonce: row.get(7)?,
        previous: previous.0.zip(previous.1),
        created_at: row.get(10)?,
        disabled,
        position: row.get(13)?,
    })
}

/// Locks a webhook and returns who holds its lease; none if it was deleted.
pub(super) async fn lock(
    transaction: &mut Transaction,
    webhook: &Webhook,
) -> Result<Option<String>> {
    transaction
        .query_opt(
            "update webhooks set lease_holder = lease_holder where account_id = $1 and id = $2 \
             returning lease_holder",
            &[(&webhook.account_id).into(), (&webhook.id).into()],
            |row| row.get(0),
        )
        .await
}
