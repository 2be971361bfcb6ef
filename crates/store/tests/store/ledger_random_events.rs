//! Credits: after any events in any order, a balance is the sum of its entries and not negative.

use panji_store::StoreError;
use panji_store::ledger::{Debit, EntryKind, Ledger, Mode};
use panji_testkit::{NOW_MS, on_every_engine};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::{DAY_MS, call, new_account};

#[derive(Clone, Debug)]
enum Event {
    Grant { amount: i64, reference: u8 },
    Refund { amount: i64, reference: u8 },
    Take { amount: i64 },
    Debit { request: u8, price: i64, free: bool, day: i64 },
    Batch { requests: Vec<(u8, i64)>, test: bool, day: i64 },
}

fn event() -> impl Strategy<Value = Event> {
    let charged = (0..60u8, 0..40i64);
    prop_oneof![
        (1..200i64, 0..6u8).prop_map(|(amount, reference)| Event::Grant { amount, reference }),
        (1..50i64, 0..6u8).prop_map(|(amount, reference)| Event::Refund { amount, reference }),
        (1..300i64).prop_map(|amount| Event::Take { amount }),
        (0..60u8, 0..80i64, any::<bool>(), 0..3i64)
            .prop_map(|(request, price, free, day)| Event::Debit { request, price, free, day }),
        (prop::collection::vec(charged, 1..6), any::<bool>(), 0..3i64)
            .prop_map(|(requests, test, day)| Event::Batch { requests, test, day }),
    ]
}

/// Applies an event. A conflict is a valid outcome: a repeated request, an empty balance.
async fn apply(ledger: &Ledger, account_id: &str, event: Event) {
    let add = async |kind, amount, reference: Option<u8>| {
        let reference = reference.map(|number| number.to_string());
        let mode = Mode::Live;
        let added = ledger.add_entry(account_id, mode, kind, amount, reference.as_deref(), NOW_MS);
        added.await.map(drop)
    };
    let outcome = match event {
        Event::Grant { amount, reference } => add(EntryKind::Grant, amount, Some(reference)).await,
        Event::Refund { amount, reference } => {
            add(EntryKind::Refund, amount, Some(reference)).await
        }
        Event::Take { amount } => add(EntryKind::Adjustment, -amount, None).await,
        Event::Debit { request, price, free, day } => {
            let at_ms = NOW_MS + day * DAY_MS;
            let call = call(account_id, &request.to_string(), price);
            let call = Debit { quota_eligible: free, at_ms, ..call };
            ledger.debit_batch(&[call], &[], 2).await.map(drop)
        }
        Event::Batch { requests, test, day } => {
            let mode = if test { Mode::Test } else { Mode::Live };
            let at_ms = NOW_MS + day * DAY_MS;
            let calls: Vec<Debit> = requests
                .iter()
                .map(|(request, price)| call(account_id, &request.to_string(), *price))
                .map(|call| Debit { mode, at_ms, quota_eligible: test, ..call })
                .collect();
            ledger.debit_batch(&calls, &[], 2).await.map(drop)
        }
    };
    assert!(matches!(outcome, Ok(()) | Err(StoreError::Conflict(_))), "{outcome:?}");
}

#[test]
fn after_any_events_a_balance_is_the_sum_of_its_entries_and_not_negative() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let config = ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() };
        let runtime = tokio::runtime::Handle::current();
        let apply_all = async |events: Vec<Event>| {
            let account_id = new_account(&ledger).await;
            for event in events {
                apply(&ledger, &account_id, event).await;
                for mode in Mode::ALL {
                    let entries = ledger.list_entries(&account_id, mode, 1_000).await.unwrap();
                    let sum: i64 = entries.iter().map(|entry| entry.amount).sum();
                    prop_assert_eq!(entries.first().map_or(0, |newest| newest.balance_after), sum);
                    prop_assert!(entries.iter().all(|entry| entry.balance_after >= 0));
                }
            }
            let mut differences = ledger.audit().await.unwrap().differences;
            differences.retain(|found| found.account_id == account_id);
            prop_assert_eq!(differences, []);
            Ok(())
        };
        let outcome = tokio::task::block_in_place(|| {
            let events = prop::collection::vec(event(), 1..30);
            TestRunner::new(config).run(&events, |events| runtime.block_on(apply_all(events)))
        });
        outcome.unwrap();
    });
}
