//! Stored API keys: a keyed hash, and the key's permissions.

use super::{KeyKind, KeyText, Ledger, Mode, equal_in_constant_time, new_id};
use crate::engine::Row;
use crate::error::{Result, StoreError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// `key_…`
    pub id: String,
    pub account_id: String,
    pub mode: Mode,
    pub name: String,
    /// The prefix and the last four characters.
    pub hint: String,
    pub created_at: i64,
    pub expires_at: Option<i64>,
    pub revoked_at: Option<i64>,
    /// Accurate to about a minute.
    pub last_used_at: Option<i64>,
    /// From where, and for which operation; none if it is older than these fields.
    pub last_used_address: Option<String>,
    pub last_used_operation: Option<String>,
    /// CIDR ranges from which the key may be used; empty for all.
    pub allowed_addresses: Vec<String>,
    /// Operations that the key may call; empty for all.
    pub allowed_operations: Vec<String>,
    /// Credits that the key may spend in a calendar month; null for no cap.
    pub monthly_cap: Option<i64>,
}

impl Key {
    /// What the key is for, as the prefix in its hint tells.
    pub fn kind(&self) -> KeyKind {
        KeyKind::of_prefix(&self.hint).map_or(KeyKind::Api, |(kind, _)| kind)
    }

    /// Whether the key may call an operation.
    pub fn allows(&self, operation: &str) -> bool {
        let operations = &self.allowed_operations;
        operations.is_empty() || operations.iter().any(|allowed| allowed == operation)
    }
}

/// A key with the state of its account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyWithAccount {
    pub key: Key,
    pub account_suspended: bool,
}

#[derive(Clone, Debug, Default)]
pub struct NewKey {
    pub name: String,
    pub expires_at: Option<i64>,
    /// CIDR ranges from which the key may be used; empty for all.
    pub allowed_addresses: Vec<String>,
    /// Operations that the key may call; empty for all.
    pub allowed_operations: Vec<String>,
    /// Credits that the key may spend in a calendar month.
    pub monthly_cap: Option<i64>,
}

/// Revoked keys included.
const MAX_KEYS_PER_ACCOUNT: i64 = 1_000;

impl Ledger {
    pub async fn create_key(
        &self,
        account_id: &str,
        text: &KeyText,
        new: NewKey,
        now_ms: i64,
    ) -> Result<Key> {
        let count = self.list_keys(account_id).await?.len() as i64;
        if count >= MAX_KEYS_PER_ACCOUNT {
            return Err(StoreError::Conflict(format!(
                "an account can have {MAX_KEYS_PER_ACCOUNT} keys, revoked ones included"
            )));
        }
        let key = Key {
            id: new_id("key"),
            account_id: account_id.to_owned(),
            mode: text.mode(),
            name: new.name,
            hint: text.hint(),
            created_at: now_ms,
            expires_at: new.expires_at,
            revoked_at: None,
            last_used_at: None,
            last_used_address: None,
            last_used_operation: None,
            allowed_addresses: new.allowed_addresses,
            allowed_operations: new.allowed_operations,
            monthly_cap: new.monthly_cap,
        };
        self.engine
            .execute(
                "insert into api_keys (hash, id, account_id, mode, name, hint, created_at, \
                 expires_at, allowed_addresses, allowed_operations, monthly_cap) \
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
                &[
                    (&self.hash_key(text)).into(),
                    (&key.id).into(),
                    account_id.into(),
                    key.mode.as_str().into(),
                    (&key.name).into(),
                    (&key.hint).into(),
                    now_ms.into(),
                    key.expires_at.into(),
                    (&key.allowed_addresses.join(",")).into(),
                    (&key.allowed_operations.join(",")).into(),
                    key.monthly_cap.into(),
                ],
            )
            .await?;
        Ok(key)
    }

    /// The key of a ticket in a session: always the same, and as hard to guess as a random key
    /// without the secret, the session and the ticket.
    pub fn derive_key(
        &self,
        (kind, mode): (KeyKind, Mode),
        session_token: &str,
        ticket: &str,
    ) -> KeyText {
        let mut block: u64 = 0;
        KeyText::generate(kind, mode, |bytes| {
            for part in bytes.chunks_mut(32) {
                let parts = [session_token.as_bytes(), ticket.as_bytes(), &block.to_le_bytes()];
                let derived = self.secret.derive(b"new key", &parts);
                part.copy_from_slice(&derived[..part.len()]);
                block += 1;
            }
        })
    }

    /// The key with this hash, with its account.
    pub async fn find_key(&self, hash: &str) -> Result<Option<KeyWithAccount>> {
        self.engine
            .query_opt(
                "select api_keys.id, account_id, mode, api_keys.name, hint, api_keys.created_at, \
                 expires_at, revoked_at, last_used_at, allowed_addresses, allowed_operations, \
                 monthly_cap, last_used_address, last_used_operation, suspended_at, hash \
                 from api_keys join accounts on accounts.id = account_id where hash = $1",
                &[hash.into()],
                |row| {
                    let suspended_at: Option<i64> = row.get(14)?;
                    let stored: String = row.get(15)?;
                    let known = KeyWithAccount {
                        key: key(row)?,
                        account_suspended: suspended_at.is_some(),
                    };
                    Ok((known, stored))
                },
            )
            .await
            // The timing of a lookup by keyed hash discloses nothing about the key. The final
            // comparison takes constant time.
            .map(|found| {
                found
                    .filter(|(_, stored)| equal_in_constant_time(stored, hash))
                    .map(|(known, _)| known)
            })
    }

    /// All keys of an account, oldest first.
    pub async fn list_keys(&self, account_id: &str) -> Result<Vec<Key>> {
        self.engine
            .query(
                "select id, account_id, mode, name, hint, created_at, expires_at, revoked_at, \
                 last_used_at, allowed_addresses, allowed_operations, monthly_cap, \
                 last_used_address, last_used_operation \
                 from api_keys where account_id = $1 order by created_at, id limit $2",
                &[account_id.into(), MAX_KEYS_PER_ACCOUNT.into()],
                key,
            )
            .await
    }

    pub async fn find_key_by_id(&self, key_id: &str) -> Result<Option<Key>> {
        self.engine
            .query_opt(
                "select id, account_id, mode, name, hint, created_at, expires_at, revoked_at, \
                 last_used_at, allowed_addresses, allowed_operations, monthly_cap, \
                 last_used_address, last_used_operation \
                 from api_keys where id = $1",
                &[key_id.into()],
                key,
            )
            .await
    }

    /// Revokes a key permanently. False if there was no active key.
    pub async fn revoke_key(&self, key_id: &str, now_ms: i64) -> Result<bool> {
        let changed = self
            .engine
            .execute(
                "update api_keys set revoked_at = $1 where id = $2 and revoked_at is null",
                &[now_ms.into(), key_id.into()],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Creates a key with the same settings as another, which stops working at `old_ends_at`.
    pub async fn roll_key(
        &self,
        old: &Key,
        text: &KeyText,
        old_ends_at: i64,
        now_ms: i64,
    ) -> Result<Key> {
        let new = NewKey {
            name: old.name.clone(),
            expires_at: old.expires_at,
            allowed_addresses: old.allowed_addresses.clone(),
            allowed_operations: old.allowed_operations.clone(),
            monthly_cap: old.monthly_cap,
        };
        let key = self.create_key(&old.account_id, text, new, now_ms).await?;
        // The new key takes over the spending of the month, so that rolling does not reset the cap.
        self.engine
            .execute(
                "insert into key_spending (account_id, key_id, month, spent) \
                 select account_id, $1, month, spent from key_spending \
                 where account_id = $2 and key_id = $3",
                &[(&key.id).into(), (&old.account_id).into(), (&old.id).into()],
            )
            .await?;
        self.engine
            .execute(
                "update api_keys set expires_at = $1, expiry_warned_at = $2 \
                 where id = $3 and (expires_at is null or expires_at > $1)",
                // The person who rolls a key knows that the old one expires.
                &[old_ends_at.into(), now_ms.into(), (&old.id).into()],
            )
            .await?;
        Ok(key)
    }
}

fn key(row: &Row<'_>) -> Result<Key> {
    let mode: String = row.get(2)?;
    Ok(Key {
        id: row.get(0)?,
        account_id: row.get(1)?,
        mode: Mode::from_name(&mode)
            .ok_or_else(|| StoreError::Bug(format!("a key has the mode {mode}")))?,
        name: row.get(3)?,
        hint: row.get(4)?,
        created_at: row.get(5)?,
        expires_at: row.get(6)?,
        revoked_at: row.get(7)?,
        last_used_at: row.get(8)?,
        allowed_addresses: list(&row.get::<String>(9)?),
        allowed_operations: list(&row.get::<String>(10)?),
        monthly_cap: row.get(11)?,
        last_used_address: row.get(12)?,
        last_used_operation: row.get(13)?,
    })
}

fn list(joined: &str) -> Vec<String> {
    joined.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
