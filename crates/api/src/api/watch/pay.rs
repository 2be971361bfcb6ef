//! Paying for events: how many of them the caller can pay for, and the charge. An account pays for
//! an event once, however it is read.

use std::sync::Arc;

use panji_store::ledger::{
    BalanceSnapshot, Debit, EventDebit, Mode, Refusal, RequestDetails, Terms, WatchedEvent,
};

use crate::app::App;
use crate::config::operation::Operation;
use crate::http::context::generate_request_id;
use crate::http::error::ApiError;

/// How often a charge is tried again when other calls spend from the same balance meanwhile.
pub const MAX_TRIES: usize = 3;

/// Who pays for events.
#[derive(Clone, Debug)]
pub struct EventPayer {
    pub account_id: Arc<str>,
    pub mode: Mode,
    /// The key, or the name of what reads without one, under which the charge is recorded.
    pub key_id: Arc<str>,
    /// The key's limit for a calendar month.
    pub monthly_cap: Option<i64>,
    /// What may still be spent.
    pub max_credits: Option<i64>,
}

/// How many of some events, from the first on, were paid for or had been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paid {
    pub events: usize,
    /// What was charged now.
    pub credits: i64,
    /// Why no more were paid for; none if all were.
    pub refusal: Option<Refusal>,
}

/// What the payer can spend now, and why nothing can be spent if that is so.
pub struct Budget {
    credits: i64,
    refusal: Option<Refusal>,
    price_each: i64,
}

impl Budget {
    /// `spent` is what the key has spent this month, if it has a cap.
    pub fn new(
        snapshot: BalanceSnapshot,
        spent: Option<i64>,
        max_credits: Option<i64>,
        monthly_cap: Option<i64>,
        price_each: i64,
    ) -> Budget {
        let terms =
            Terms { list_price: price_each, quota_eligible: false, max_credits, monthly_cap };
        let left_of_cap = monthly_cap.map(|cap| cap - spent.unwrap_or(0));
        let limits = [Some(snapshot.balance), max_credits, left_of_cap];
        Budget {
            credits: limits.into_iter().flatten().min().unwrap_or(0).max(0),
            refusal: terms.refusal(snapshot, spent, 0),
            price_each,
        }
    }

    /// Why not even one event can be paid for.
    pub fn refusal(&self) -> Option<Refusal> {
        self.refusal
    }

    /// How many of the events, from the first on, can be paid for or have been.
    pub fn covers(&self, events: &[WatchedEvent]) -> usize {
        let mut left = self.credits;
        let affordable = |event: &&WatchedEvent| {
            if event.charged_at.is_none() {
                left -= self.price_each;
            }
            event.charged_at.is_some() || (self.refusal.is_none() && left >= 0)
        };
        events.iter().take_while(affordable).count()
    }
}

/// Pays for as many of the events, from the first on, as the payer can pay for.
pub async fn pay_leading(
    app: &App,
    payer: &EventPayer,
    events: &[WatchedEvent],
    now_ms: i64,
) -> Result<Paid, ApiError> {
    let price_each = app.config.prices.of(Operation::ListEvents);
    for _ in 0..MAX_TRIES {
        let budget = find_payer_budget(app, payer, price_each, now_ms).await?;
        let covered = budget.covers(events);
        let refusal = match covered == events.len() {
            true => None,
            false => budget.refusal().or(Some(Refusal::InsufficientCredits { price: price_each })),
        };
        let due: Vec<i64> = events[..covered]
            .iter()
            .filter(|event| event.charged_at.is_none())
            .map(|event| event.seq)
            .collect();
        if due.is_empty() {
            return Ok(Paid { events: covered, credits: 0, refusal });
        }
        let charge = EventDebit { seqs: due, price_each };
        let outcome = app.charge_writer.charge(debit(payer, charge, now_ms)).await?;
        if let Ok(credits) = outcome.charged {
            app.metrics.count_credits(Some(Operation::ListEvents), payer.mode, credits);
            return Ok(Paid { events: covered, credits, refusal });
        }
        // Other calls have spent from the balance meanwhile: only the rest can be spent.
    }
    let refusal = Some(Refusal::InsufficientCredits { price: price_each });
    Ok(Paid { events: 0, credits: 0, refusal })
}

/// What the account and the key of a payer can still pay for events.
async fn find_payer_budget(
    app: &App,
    payer: &EventPayer,
    price_each: i64,
    now_ms: i64,
) -> Result<Budget, ApiError> {
    let snapshot = app.ledger.find_balance(&payer.account_id, payer.mode, now_ms).await?;
    let snapshot = snapshot.ok_or_else(|| ApiError::internal("the account has no balance"))?;
    let spent = match payer.monthly_cap {
        Some(_) => Some(app.ledger.find_spent(&payer.account_id, &payer.key_id, now_ms).await?),
        None => None,
    };
    Ok(Budget::new(snapshot, spent, payer.max_credits, payer.monthly_cap, price_each))
}

fn debit(payer: &EventPayer, charge: EventDebit, now_ms: i64) -> Debit {
    Debit {
        request_id: generate_request_id(),
        account_id: payer.account_id.clone(),
        mode: payer.mode,
        key_id: payer.key_id.clone(),
        operation: Operation::ListEvents.id(),
        price: charge.highest_price(),
        events: Some(charge),
        list_price: 0,
        quota_eligible: false,
        max_credits: payer.max_credits,
        monthly_cap: payer.monthly_cap,
        at_ms: now_ms,
        key_used_from: None,
        response: None,
        details: RequestDetails::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(seq: i64, charged: bool) -> WatchedEvent {
        WatchedEvent {
            seq,
            event_id: format!("evt_{seq}"),
            event_type: "filing.added".to_owned(),
            subject: "F99101".to_owned(),
            related: None,
            payload: "{}".to_owned(),
            recorded_at: 0,
            charged_at: charged.then_some(1),
        }
    }

    fn covers(balance: i64, max: Option<i64>, cap: Option<(i64, i64)>, paid: &[bool]) -> usize {
        let snapshot = BalanceSnapshot { balance, quota_used: 0 };
        let spent = cap.map(|(_, spent)| spent);
        let budget = Budget::new(snapshot, spent, max, cap.map(|(cap, _)| cap), 2);
        let events: Vec<WatchedEvent> =
            (0..).zip(paid).map(|(seq, paid)| event(seq, *paid)).collect();
        budget.covers(&events)
    }

    #[test]
    fn events_are_covered_in_order_and_paid_ones_cost_nothing() {
        assert_eq!(covers(100, None, None, &[false, false, true]), 3);
        assert_eq!(covers(3, None, None, &[true, false, true, false]), 3);
        assert_eq!(covers(1, None, None, &[true, true, false, true]), 2);
        assert_eq!(covers(0, None, None, &[true, true]), 2);
        assert_eq!(covers(100, Some(5), None, &[false, false, false]), 2);
        assert_eq!(covers(100, Some(0), None, &[true, false]), 1);
        assert_eq!(covers(100, None, Some((10, 8)), &[false, false]), 1);
        assert_eq!(covers(100, None, Some((10, 12)), &[false]), 0);
    }
}
