//! Notifies the members of an account that a webhook was disabled.

use panji_store::StoreError;
use panji_store::ledger::{DisabledReason, Webhook};

use crate::accounts::member_mail::send_to_members;
use crate::accounts::roles::Permission;
use crate::app::App;
use crate::webhooks::schedule::MAX_ATTEMPTS;

/// Sends an email to the members who manage keys.
pub async fn notify_members(
    app: &App,
    webhook: &Webhook,
    reason: DisabledReason,
) -> Result<(), StoreError> {
    tracing::info!(webhook = webhook.id, reason = reason.as_str(), "a webhook was disabled");
    let Some(account) = app.ledger.find_account_by_id(&webhook.account_id).await? else {
        return Ok(());
    };
    let why = match reason {
        DisabledReason::Gone => {
            "Your server returned 410, which asks us to send nothing more.".to_owned()
        }
        DisabledReason::Failing | DisabledReason::ByUser => {
            format!("All {MAX_ATTEMPTS} attempts to deliver an event failed.")
        }
    };
    let text = format!(
        "The webhook {} of the account {} on Panji was disabled.\n\n{why}\n\n\
         URL: {}\n\n\
         No event is lost: when you enable the webhook again, it receives all events since then \
         that are still stored. The attempts and the reasons for their failure:\n{}/console/webhooks/{}\n",
        webhook.id, account.name, webhook.url, app.public_url, webhook.id,
    );
    let subject = format!("{}: a webhook was disabled", account.name);
    let receivers = (webhook.account_id.as_str(), Permission::ManageKeys);
    send_to_members((&app.ledger, &app.mailer), receivers, &subject, &text).await
}
