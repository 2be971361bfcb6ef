//! Sends an email some days before a key expires, once.

use panji_store::{Ledger, StoreError};

use crate::accounts::mail::Mailer;
use crate::accounts::member_mail::send_to_members;
use crate::accounts::roles::Permission;
use crate::locale::dates;

/// Warns the members who can create keys about keys that expire soon.
pub async fn warn(
    ledger: &Ledger,
    mailer: &Mailer,
    public_url: &str,
    now_ms: i64,
) -> Result<(), StoreError> {
    for key in ledger.take_expiring_keys(now_ms).await? {
        let Some(account) = ledger.find_account_by_id(&key.account_id).await? else { continue };
        let name = if key.name.is_empty() { "without a name" } else { key.name.as_str() };
        let ends = key.expires_at.map(dates::minute).unwrap_or_default();
        let used = match key.last_used_at {
            Some(at) => format!("It was last used on {}.", dates::minute(at)),
            None => "It has not been used yet.".to_owned(),
        };
        let text = format!(
            "The {} key {name} ({}) of the account {} on Panji expires on {ends}. Requests with it \
             are refused after that. {used}\n\n\
             To avoid an interruption, create another key and use it in your program:\n\
             {public_url}/console/keys/new\n\n\
             We send this email once for each key.\n",
            key.mode.as_str(),
            key.hint,
            account.name,
        );
        let subject = format!("{}: a key expires on {ends}", account.name);
        let receivers = (key.account_id.as_str(), Permission::ManageKeys);
        send_to_members((ledger, mailer), receivers, &subject, &text).await?;
    }
    Ok(())
}
