//! Daily limits: counted in the ledger, so that they apply across all nodes and after a restart.

use super::Ledger;
use crate::calendar::ist_day;
use crate::error::Result;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DailyLimit {
    /// Sign-ups from one client address.
    SignUps,
    /// Emails to one email address that other people can cause.
    Mails,
    /// Free suggestions and previews of the reconciliation service, of one account and mode.
    Suggestions,
    /// Uses of one challenge for a passkey.
    Challenges,
}

impl DailyLimit {
    fn as_str(self) -> &'static str {
        match self {
            DailyLimit::SignUps => "sign_ups",
            DailyLimit::Mails => "mails",
            DailyLimit::Suggestions => "suggestions",
            DailyLimit::Challenges => "challenges",
        }
    }
}

impl Ledger {
    /// Adds one to the count of a subject for the current day in India. False if the limit is
    /// reached.
    pub async fn count_today(
        &self,
        what: DailyLimit,
        subject: &str,
        limit: i64,
        now_ms: i64,
    ) -> Result<bool> {
        let subject = self.secret.token(b"daily", subject);
        let counted = self
            .engine
            .execute(
                "insert into daily_counts (day, what, subject, times) values ($1, $2, $3, 1) \
                 on conflict (day, what, subject) do update set times = daily_counts.times + 1 \
                 where daily_counts.times < $4",
                &[(&ist_day(now_ms)).into(), what.as_str().into(), (&subject).into(), limit.into()],
            )
            .await?;
        Ok(counted > 0)
    }

    pub async fn delete_expired_counts(&self, now_ms: i64) -> Result<u64> {
        self.engine
            .execute("delete from daily_counts where day < $1", &[(&ist_day(now_ms)).into()])
            .await
    }
}
