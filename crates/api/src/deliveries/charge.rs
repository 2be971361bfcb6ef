//! Charges events before they are sent: each once per account, however it is read.

use std::sync::Arc;

use panji_store::StoreError;
use panji_store::ledger::{Debit, DebitError, Delivery, EventDebit, RequestDetails, Webhook};

use crate::app::App;
use crate::config::operation::Operation;
use crate::http::context::generate_request_id;

/// Pays for deliveries. Returns those that may be sent, and the numbers of those that the balance does not cover:
/// these wait.
pub async fn pay(
    app: &App,
    webhook: &Webhook,
    deliveries: Vec<Delivery>,
    now_ms: i64,
) -> Result<(Vec<Delivery>, Vec<i64>), StoreError> {
    let is_unpaid = |delivery: &Delivery| {
        delivery.event.as_ref().is_some_and(|event| event.charged_at.is_none())
    };
    let unpaid: Vec<i64> =
        deliveries.iter().filter(|one| is_unpaid(one)).map(|one| one.seq).collect();
    let mut refused = Vec::new();
    if !unpaid.is_empty() && !charge(app, webhook, &unpaid, now_ms).await? {
        // The balance may cover some of them.
        for (index, seq) in unpaid.iter().enumerate() {
            if unpaid.len() == 1 || !charge(app, webhook, &[*seq], now_ms).await? {
                refused = unpaid[index..].to_vec();
                break;
            }
        }
    }
    let paid = deliveries.into_iter().filter(|one| !refused.contains(&one.seq)).collect();
    Ok((paid, refused))
}

/// Charges events together; false if the balance does not cover them.
async fn charge(
    app: &App,
    webhook: &Webhook,
    seqs: &[i64],
    now_ms: i64,
) -> Result<bool, StoreError> {
    let price_each = app.config.prices.of(Operation::ListEvents);
    let price = price_each * seqs.len() as i64;
    let debit = Debit {
        request_id: generate_request_id(),
        account_id: webhook.account_id.as_str().into(),
        mode: webhook.mode,
        // A call of a webhook is recorded with the id of the webhook in place of the id of a key.
        key_id: Arc::from(webhook.id.as_str()),
        operation: Operation::ListEvents.id(),
        price,
        events: Some(EventDebit { seqs: seqs.to_vec(), price_each }),
        list_price: 0,
        quota_eligible: false,
        max_credits: None,
        monthly_cap: None,
        at_ms: now_ms,
        key_used_from: None,
        response: None,
        details: RequestDetails {
            subject: Some(webhook.id.as_str().into()),
            ..RequestDetails::default()
        },
    };
    match app.charge_writer.charge(debit).await {
        Ok(outcome) => Ok(outcome.charged.is_ok()),
        Err(DebitError::Overloaded) => {
            Err(StoreError::Unavailable("too many debits are waiting".into()))
        }
        Err(DebitError::Store(error)) => Err(error),
    }
}
