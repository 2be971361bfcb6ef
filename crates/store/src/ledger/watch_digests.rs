//! Email digests of an account's live events: how often, and what was sent last.

use super::watchlists::lock_state;
use super::{Ledger, Mode};
use crate::engine::Row;
use crate::error::Result;

/// Accounts whose digests are looked at in one step.
const PAGE: i64 = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestFrequency {
    Off,
    Daily,
    Weekly,
}

impl DigestFrequency {
    pub const ALL: [DigestFrequency; 3] =
        [DigestFrequency::Off, DigestFrequency::Daily, DigestFrequency::Weekly];

    pub fn as_str(self) -> &'static str {
        match self {
            DigestFrequency::Off => "off",
            DigestFrequency::Daily => "daily",
            DigestFrequency::Weekly => "weekly",
        }
    }

    pub fn from_word(word: &str) -> Option<DigestFrequency> {
        DigestFrequency::ALL.into_iter().find(|frequency| frequency.as_str() == word)
    }
}

/// The digest of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    pub account_id: String,
    pub frequency: DigestFrequency,
    /// The period of the last one, such as a day; empty if none was sent.
    pub period: String,
    /// The number of the last event that was in one.
    pub seq: i64,
}

impl Ledger {
    pub async fn find_digest_frequency(&self, account_id: &str) -> Result<DigestFrequency> {
        let found = self
            .engine
            .query_opt(
                "select digest from watch_states where account_id = $1 and mode = 'live'",
                &[account_id.into()],
                |row| row.get::<String>(0),
            )
            .await?;
        let frequency = found.and_then(|word| DigestFrequency::from_word(&word));
        Ok(frequency.unwrap_or(DigestFrequency::Off))
    }

    /// Sets how often a digest is sent. A digest that is switched on begins with the next event and
    /// the next period.
    pub async fn set_digest_frequency(
        &self,
        account_id: &str,
        frequency: DigestFrequency,
        period: &str,
    ) -> Result<()> {
        let mut transaction = self.engine.transaction().await?;
        lock_state(&mut transaction, (account_id, Mode::Live)).await?;
        transaction
            .execute(
                "update watch_states set digest_seq = case when digest = 'off' then coalesce( \
                 (select max(seq) from watched_events where watched_events.account_id = $1 \
                 and watched_events.mode = 'live'), 0) else digest_seq end, \
                 digest_period = $2, digest = $3 where account_id = $1 and mode = 'live'",
                &[account_id.into(), period.into(), frequency.as_str().into()],
            )
            .await?;
        transaction.commit().await
    }

    /// The digests of a frequency that were not sent for this period yet, sorted by account.
    pub async fn list_due_digests(
        &self,
        frequency: DigestFrequency,
        period: &str,
        after_account: &str,
    ) -> Result<Vec<Digest>> {
        self.engine
            .query(
                "select account_id, digest, digest_period, digest_seq from watch_states \
                 where digest = $1 and account_id > $2 and mode = 'live' \
                 and digest_period <> $3 order by account_id limit $4",
                &[frequency.as_str().into(), after_account.into(), period.into(), PAGE.into()],
                digest,
            )
            .await
    }

    /// Claims the digest of a period, so that one node sends it. False if it was claimed already.
    pub async fn claim_digest(&self, digest: &Digest, period: &str) -> Result<bool> {
        let claimed = self
            .engine
            .execute(
                "update watch_states set digest_period = $1 \
                 where account_id = $2 and mode = 'live' and digest_period = $3 and digest = $4",
                &[
                    period.into(),
                    (&digest.account_id).into(),
                    (&digest.period).into(),
                    digest.frequency.as_str().into(),
                ],
            )
            .await?;
        Ok(claimed > 0)
    }

    /// Records up to which event a digest was sent.
    pub async fn finish_digest(&self, account_id: &str, seq: i64) -> Result<()> {
        self.engine
            .execute(
                "update watch_states set digest_seq = $1 \
                 where account_id = $2 and mode = 'live' and digest_seq < $1",
                &[seq.into(), account_id.into()],
            )
            .await?;
        Ok(())
    }
}

fn digest(row: &Row<'_>) -> Result<Digest> {
    let frequency: String = row.get(1)?;
    Ok(Digest {
        account_id: row.get(0)?,
        frequency: DigestFrequency::from_word(&frequency).unwrap_or(DigestFrequency::Off),
        period: row.get(2)?,
        seq: row.get(3)?,
    })
}
