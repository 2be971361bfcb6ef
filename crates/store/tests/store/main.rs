//! The store on every engine: the behavior of the register and the ledger.
#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that goes wrong")]

mod citus;
mod engine;
mod ledger_audit;
mod ledger_audit_log;
mod ledger_bulk;
mod ledger_charge_writer;
mod ledger_clock;
mod ledger_confirmation;
mod ledger_credits;
mod ledger_days;
mod ledger_erasure;
mod ledger_idempotency;
mod ledger_keys;
mod ledger_log_in_methods;
mod ledger_matching;
mod ledger_orders;
mod ledger_payment_refunds;
mod ledger_people;
mod ledger_random_events;
mod ledger_refunds;
mod ledger_requests;
mod ledger_roll_up;
mod ledger_watch;
mod ledger_watch_charges;
mod ledger_webhook_attempts;
mod ledger_webhooks;
mod register;
mod register_counts;
mod register_events;
mod register_leis;
mod register_lists;
mod register_lookups;
mod register_numbers;
mod register_partial;
mod register_periods;
mod upgrades;

use panji_store::Ledger;
use panji_store::ledger::{
    BalanceSnapshot, Debit, DebitOutcome, Entry, EntryKind, Mode, RequestDetails,
};
use panji_testkit::NOW_MS;

const DAY_MS: i64 = 24 * 3600 * 1000;

/// A new account without credits.
async fn new_account(ledger: &Ledger) -> String {
    let email = format!("{}@example.in", ulid::Ulid::generate());
    ledger.create_account(&email, "Namuna Traders", NOW_MS).await.unwrap().id
}

/// A new account with live credits.
async fn account_with(ledger: &Ledger, credits: i64) -> String {
    let account_id = new_account(ledger).await;
    grant(ledger, &account_id, credits).await;
    account_id
}

async fn grant(ledger: &Ledger, account_id: &str, credits: i64) -> Entry {
    ledger
        .add_entry(account_id, Mode::Live, EntryKind::Grant, credits, None, NOW_MS)
        .await
        .unwrap()
        .into_entry()
}

/// A live call with a price, not eligible for the free quota.
fn call(account_id: &str, request_id: &str, price: i64) -> Debit {
    Debit {
        request_id: request_id.into(),
        account_id: account_id.into(),
        mode: Mode::Live,
        key_id: "key_namuna".into(),
        operation: "get_company",
        price,
        events: None,
        list_price: price,
        quota_eligible: false,
        max_credits: None,
        monthly_cap: None,
        at_ms: NOW_MS,
        key_used_from: None,
        response: None,
        details: RequestDetails::default(),
    }
}

fn test_call(account_id: &str, request_id: &str, price: i64, at_ms: i64) -> Debit {
    Debit { mode: Mode::Test, at_ms, ..call(account_id, request_id, price) }
}

/// Charges one call in its own batch.
async fn charge(ledger: &Ledger, call: Debit, quota_limit: i64) -> DebitOutcome {
    ledger.debit_batch(&[call], &[], quota_limit).await.unwrap()[0]
}

async fn snapshot(ledger: &Ledger, account_id: &str, mode: Mode) -> BalanceSnapshot {
    ledger.find_balance(account_id, mode, NOW_MS).await.unwrap().unwrap()
}

async fn balance(ledger: &Ledger, account_id: &str) -> i64 {
    snapshot(ledger, account_id, Mode::Live).await.balance
}

/// All entries, oldest first, as kind and amount.
async fn entries(ledger: &Ledger, account_id: &str, mode: Mode) -> Vec<(EntryKind, i64)> {
    let mut entries = ledger.list_entries(account_id, mode, i64::MAX).await.unwrap();
    entries.reverse();
    entries.iter().map(|entry| (entry.kind, entry.amount)).collect()
}

async fn assert_clean(ledger: &Ledger) {
    assert_eq!(ledger.audit().await.unwrap().differences, []);
}
