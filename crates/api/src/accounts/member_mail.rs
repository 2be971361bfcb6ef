//! Email to the members of an account who may do something about it.

use panji_store::{Ledger, StoreError};

use crate::accounts::mail::Mailer;
use crate::accounts::roles::{Permission, may};

/// Sends an email to each member with a permission.
pub async fn send_to_members(
    (ledger, mailer): (&Ledger, &Mailer),
    (account_id, permission): (&str, Permission),
    subject: &str,
    text: &str,
) -> Result<(), StoreError> {
    for member in ledger.list_members(account_id).await? {
        if may(member.role, permission) {
            mailer.send(&member.email, subject, text);
        }
    }
    Ok(())
}
