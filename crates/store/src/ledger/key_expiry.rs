//! Keys that expire soon: their owners are notified once.

use super::{Key, Ledger};
use crate::error::Result;

/// How long before its end a key is reported.
const WARNING_MS: i64 = 7 * 24 * 3_600_000;
/// Keys reported in one round.
const MAX_WARNINGS: i64 = 100;

impl Ledger {
    /// The active keys that expire soon, each of them once. A key that was created for a
    /// shorter time is not reported: its creator knows.
    pub async fn take_expiring_keys(&self, now_ms: i64) -> Result<Vec<Key>> {
        let ids: Vec<String> = self
            .engine
            .query(
                "select id from api_keys where expires_at > $1 and expires_at <= $2 \
                 and revoked_at is null and expiry_warned_at is null \
                 and expires_at - created_at > $3 order by expires_at limit $4",
                &[
                    now_ms.into(),
                    (now_ms + WARNING_MS).into(),
                    WARNING_MS.into(),
                    MAX_WARNINGS.into(),
                ],
                |row| row.get(0),
            )
            .await?;
        let mut taken = Vec::new();
        for id in ids {
            // Another node may have taken it in the meantime.
            let marked = self
                .engine
                .execute(
                    "update api_keys set expiry_warned_at = $1 \
                     where id = $2 and expiry_warned_at is null and revoked_at is null",
                    &[now_ms.into(), (&id).into()],
                )
                .await?;
            if marked > 0 {
                taken.extend(self.find_key_by_id(&id).await?);
            }
        }
        Ok(taken)
    }
}
