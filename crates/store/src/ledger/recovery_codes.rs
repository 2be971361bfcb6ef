//! Recovery codes: each replaces a code of the second factor once.

use super::Ledger;
use crate::error::Result;

impl Ledger {
    /// Stores a person's recovery codes; earlier ones stop working.
    pub async fn set_recovery_codes(&self, person_id: &str, codes: &[String]) -> Result<()> {
        let mut transaction = self.engine.transaction().await?;
        transaction
            .execute("delete from recovery_codes where person_id = $1", &[person_id.into()])
            .await?;
        for code in codes {
            transaction
                .execute(
                    "insert into recovery_codes (person_id, hash) values ($1, $2)",
                    &[person_id.into(), (&self.hash_recovery_code(person_id, code)).into()],
                )
                .await?;
        }
        transaction.commit().await
    }

    /// Marks a recovery code as used. False if it is unknown or was used before.
    pub async fn use_recovery_code(
        &self,
        person_id: &str,
        code: &str,
        now_ms: i64,
    ) -> Result<bool> {
        let used = self
            .engine
            .execute(
                "update recovery_codes set used_at = $1 \
                 where person_id = $2 and hash = $3 and used_at is null",
                &[
                    now_ms.into(),
                    person_id.into(),
                    (&self.hash_recovery_code(person_id, code)).into(),
                ],
            )
            .await?;
        Ok(used > 0)
    }

    /// Number of unused recovery codes of a person.
    pub async fn count_recovery_codes(&self, person_id: &str) -> Result<i64> {
        let left = self
            .engine
            .query_opt(
                "select count(*) from recovery_codes where person_id = $1 and used_at is null",
                &[person_id.into()],
                |row| row.get(0),
            )
            .await?;
        Ok(left.unwrap_or(0))
    }

    fn hash_recovery_code(&self, person_id: &str, code: &str) -> String {
        self.secret.token(b"recovery", &format!("{person_id} {code}"))
    }
}
