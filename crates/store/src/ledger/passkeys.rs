//! Passkeys: public keys with which a person can log in.

use super::Ledger;
use crate::error::{Result, StoreError};

/// Passkeys of one person.
pub const MAX_PASSKEYS: i64 = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passkey {
    /// The credential's id, chosen by the authenticator, in base64url.
    pub id: String,
    /// In the form in which the server's verification reads it.
    pub public_key: String,
    /// The authenticator's count of signatures; always 0 if it does not count.
    pub sign_count: i64,
    pub name: String,
    pub created_at: i64,
    pub last_used_at: Option<i64>,
}

impl Ledger {
    /// Adds a passkey. False if the person has too many.
    pub async fn add_passkey(&self, person_id: &str, passkey: &Passkey) -> Result<bool> {
        if self.list_passkeys(person_id).await?.len() as i64 >= MAX_PASSKEYS {
            return Ok(false);
        }
        let inserted = self
            .engine
            .execute(
                "insert into passkeys (person_id, id, public_key, sign_count, name, created_at) \
                 values ($1, $2, $3, $4, $5, $6)",
                &[
                    person_id.into(),
                    (&passkey.id).into(),
                    (&passkey.public_key).into(),
                    passkey.sign_count.into(),
                    (&passkey.name).into(),
                    passkey.created_at.into(),
                ],
            )
            .await;
        match inserted {
            Err(StoreError::Conflict(_)) => {
                Err(StoreError::Conflict("this passkey is already stored".to_owned()))
            }
            other => other.map(|_| true),
        }
    }

    /// The passkeys of a person, oldest first.
    pub async fn list_passkeys(&self, person_id: &str) -> Result<Vec<Passkey>> {
        self.engine
            .query(
                "select id, public_key, sign_count, name, created_at, last_used_at \
                 from passkeys where person_id = $1 order by created_at, id limit $2",
                &[person_id.into(), MAX_PASSKEYS.into()],
                |row| {
                    Ok(Passkey {
                        id: row.get(0)?,
                        public_key: row.get(1)?,
                        sign_count: row.get(2)?,
                        name: row.get(3)?,
                        created_at: row.get(4)?,
                        last_used_at: row.get(5)?,
                    })
                },
            )
            .await
    }

    /// Records a use of a passkey. False if its count is not above the stored one, which is a sign of a
    /// copy; an authenticator that does not count always sends 0.
    pub async fn use_passkey(
        &self,
        person_id: &str,
        id: &str,
        sign_count: i64,
        now_ms: i64,
    ) -> Result<bool> {
        let used = self
            .engine
            .execute(
                "update passkeys set sign_count = $1, last_used_at = $2 \
                 where person_id = $3 and id = $4 \
                 and (sign_count < $1 or (sign_count = 0 and $1 = 0))",
                &[sign_count.into(), now_ms.into(), person_id.into(), id.into()],
            )
            .await?;
        Ok(used > 0)
    }

    /// Removes a passkey. False if there is none with this id.
    pub async fn remove_passkey(&self, person_id: &str, id: &str) -> Result<bool> {
        let removed = self
            .engine
            .execute(
                "delete from passkeys where person_id = $1 and id = $2",
                &[person_id.into(), id.into()],
            )
            .await?;
        Ok(removed > 0)
    }
}
