//! Sends an email each time a balance falls below its threshold.

use panji_store::{Ledger, StoreError};

use crate::accounts::mail::Mailer;
use crate::accounts::member_mail::send_to_members;
use crate::accounts::roles::Permission;
use crate::locale::amounts;

/// Warns the members who can buy credits for accounts with a low balance.
pub async fn warn(
    ledger: &Ledger,
    mailer: &Mailer,
    public_url: &str,
    now_ms: i64,
) -> Result<(), StoreError> {
    for low in ledger.take_low_balances(now_ms).await? {
        let Some(account) = ledger.find_account_by_id(&low.account_id).await? else { continue };
        let text = format!(
            "The account {} on Panji has {} left, which is below your alert threshold of {}.\n\n\
             Live requests are refused when no credits are left. Buy credits:\n{}/console/credits\n\n\
             We send this email once each time the balance falls below the threshold, which you can \
             change on the same page.\n",
            account.name,
            amounts::counted(low.balance, "credit", "credits"),
            amounts::grouped(low.warn_below),
            public_url
        );
        let subject = format!("{}: low credit balance", account.name);
        let receivers = (low.account_id.as_str(), Permission::Buy);
        send_to_members((ledger, mailer), receivers, &subject, &text).await?;
    }
    Ok(())
}
