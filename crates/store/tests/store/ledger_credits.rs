//! Credits: grants and charges, also by many callers and nodes at the same time.

use std::sync::Arc;

use panji_store::StoreError;
use panji_store::engine::EngineKind;
use panji_store::ledger::{
    ChargeWriter, ChargeWriterOptions, CreditOutcome, DAILY_TEST_CREDITS, Debit, EntryKind,
    MAX_UNRESOLVED, Mode, NewKey, RESOLVE_TIME, Refusal,
};
use panji_testkit::{NOW_MS, on_every_engine};
use tokio::task::JoinSet;

use super::{
    account_with, assert_clean, balance, call, charge, entries, grant, new_account, test_call,
};

#[test]
fn every_entry_carries_the_balance_after_it() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let steps = [
            (EntryKind::Purchase, 500, 500),
            (EntryKind::Grant, 50, 550),
            (EntryKind::Adjustment, -150, 400),
            (EntryKind::Refund, 25, 425),
            (EntryKind::Adjustment, -425, 0),
        ];
        for (number, (kind, amount, after)) in (1..).zip(steps) {
            let entry = ledger
                .add_entry(&account_id, Mode::Live, kind, amount, None, NOW_MS + number)
                .await
                .unwrap()
                .into_entry();
            assert_eq!((entry.seq, entry.kind, entry.at), (number, kind, NOW_MS + number));
            assert_eq!((entry.amount, entry.balance_after), (amount, after));
            assert_eq!(balance(&ledger, &account_id).await, after);
        }
        let newest = ledger.list_entries(&account_id, Mode::Live, 2).await.unwrap();
        assert_eq!(newest.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [5, 4]);
        let all = ledger.list_entries(&account_id, Mode::Live, 10).await.unwrap();
        assert_eq!(all.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [5, 4, 3, 2, 1]);
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_repeated_reference_counts_once_per_kind() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let add = async |kind, amount| {
            ledger
                .add_entry(&account_id, Mode::Live, kind, amount, Some("pay_1"), NOW_MS)
                .await
                .unwrap()
        };
        // All at one instant: the outcome shows that it is a repeat, not the time.
        let first = add(EntryKind::Purchase, 100).await;
        let CreditOutcome::Added(entry) = first else { panic!("{first:?}") };
        let repeated = CreditOutcome::AlreadyAdded(entry);
        assert_eq!(add(EntryKind::Purchase, 100).await, repeated);
        assert_eq!(add(EntryKind::Purchase, 999).await, repeated);
        assert_eq!(balance(&ledger, &account_id).await, 100);
        add(EntryKind::Refund, 10).await;
        assert_eq!(balance(&ledger, &account_id).await, 110);
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_reference_added_concurrently_on_many_nodes_counts_once() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let mut adding = JoinSet::new();
        for _ in 0..8 {
            let (node, account_id) = (databases.ledger().await, account_id.clone());
            adding.spawn(async move {
                let kind = EntryKind::Purchase;
                node.add_entry(&account_id, Mode::Live, kind, 100, Some("pay_1"), NOW_MS).await
            });
        }
        let outcomes = adding.join_all().await.into_iter().map(Result::unwrap);
        let (first, repeats): (Vec<_>, Vec<_>) =
            outcomes.partition(|outcome| matches!(outcome, CreditOutcome::Added(_)));
        assert_eq!((first.len(), repeats.len()), (1, 7));
        for outcome in first.into_iter().chain(repeats) {
            assert_eq!(outcome.into_entry().seq, 1);
        }
        assert_eq!(balance(&ledger, &account_id).await, 100);
    });
}

#[test]
fn more_credits_than_the_balance_cannot_be_taken() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 10).await;
        for amount in [-11, 0, i64::MAX, i64::MIN + 1, 1_000_000_000_001] {
            let refused = ledger
                .add_entry(&account_id, Mode::Live, EntryKind::Adjustment, amount, None, NOW_MS)
                .await;
            assert!(matches!(refused, Err(StoreError::Conflict(_))), "{amount}: {refused:?}");
        }
        assert_eq!(entries(&ledger, &account_id, Mode::Live).await, [(EntryKind::Grant, 10)]);
        assert_eq!(balance(&ledger, &account_id).await, 10);
    });
}

#[test]
fn a_call_costs_no_more_than_its_caller_allows() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        let capped = |request_id: &str, max, quota_eligible| Debit {
            max_credits: Some(max),
            quota_eligible,
            ..call(&account_id, request_id, 5)
        };
        let refusal = Err(Refusal::MaxCreditsExceeded { price: 5 });
        assert_eq!(charge(&ledger, capped("1", 4, false), 0).await.charged, refusal);
        assert_eq!(charge(&ledger, capped("2", 5, false), 0).await.charged, Ok(5));
        // The free quota pays, so the caller does not.
        assert_eq!(charge(&ledger, capped("3", 0, true), 1).await.charged, Ok(0));
        assert_eq!(charge(&ledger, capped("4", 0, true), 1).await.charged, refusal);
        assert_eq!(balance(&ledger, &account_id).await, 95);
    });
}

#[test]
fn a_free_operation_is_recorded_without_an_entry() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let outcome = charge(&ledger, call(&account_id, "free", 0), 0).await;
        assert_eq!((outcome.charged, outcome.remaining), (Ok(0), 0));
        assert_eq!(ledger.find_usage(&account_id, "free").await.unwrap(), Some(0));
        assert_eq!(entries(&ledger, &account_id, Mode::Live).await, []);
    });
}

#[test]
fn a_batch_across_accounts_returns_its_verdicts_in_order() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let rich = account_with(&ledger, 100).await;
        let poor = account_with(&ledger, 5).await;
        let batch = [
            call(&poor, "1", 3),
            call(&rich, "2", 40),
            call(&poor, "3", 3),
            test_call(&poor, "4", 3, NOW_MS),
            call(&rich, "5", 40),
            call(&poor, "6", 2),
            call(&rich, "7", 40),
        ];
        let outcomes = ledger.debit_batch(&batch, &[], 0).await.unwrap();
        let seen: Vec<_> = outcomes.iter().map(|it| (it.charged, it.remaining)).collect();
        let refused = |price| Err(Refusal::InsufficientCredits { price });
        let expected = [
            (Ok(3), 2),
            (Ok(40), 60),
            (refused(3), 2),
            (Ok(3), DAILY_TEST_CREDITS - 3),
            (Ok(40), 20),
            (Ok(2), 0),
            (refused(40), 20),
        ];
        assert_eq!(seen, expected);
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_charge_above_the_balance_changes_nothing() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 4).await;
        let outcome = charge(&ledger, call(&account_id, "too much", 5), 0).await;
        assert_eq!(outcome.charged, Err(Refusal::InsufficientCredits { price: 5 }));
        assert_eq!(outcome.remaining, 4);
        assert_eq!(ledger.find_usage(&account_id, "too much").await.unwrap(), None);
        assert_eq!(entries(&ledger, &account_id, Mode::Live).await, [(EntryKind::Grant, 4)]);
        // The same request can be paid for once the account has credits.
        grant(&ledger, &account_id, 1).await;
        assert_eq!(charge(&ledger, call(&account_id, "too much", 5), 0).await.charged, Ok(5));
    });
}

#[test]
fn a_request_is_charged_once_at_any_price() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        for (price, left) in [(5, 95), (0, 95)] {
            let first = call(&account_id, &format!("once {price}"), price);
            charge(&ledger, first.clone(), 0).await;
            let again = ledger.debit_batch(std::slice::from_ref(&first), &[], 0).await;
            assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");
            let other = call(&account_id, &format!("beside {price}"), 1);
            let beside = ledger.debit_batch(&[other.clone(), first], &[], 0).await;
            assert!(matches!(beside, Err(StoreError::Conflict(_))), "{beside:?}");
            let twice = ledger.debit_batch(&[other.clone(), other.clone()], &[], 0).await;
            assert!(matches!(twice, Err(StoreError::Conflict(_))), "{twice:?}");
            assert_eq!(ledger.find_usage(&account_id, &other.request_id).await.unwrap(), None);
            assert_eq!(balance(&ledger, &account_id).await, left);
        }
        assert_eq!(entries(&ledger, &account_id, Mode::Live).await.len(), 2);
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_charge_updates_the_last_use_of_its_key() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        let text = super::ledger_keys::key_text(Mode::Live);
        let key = ledger.create_key(&account_id, &text, NewKey::default(), NOW_MS).await.unwrap();
        let with_key = |request_id: &str, from: Option<&str>| Debit {
            key_id: key.id.as_str().into(),
            key_used_from: from.map(str::to_owned),
            at_ms: NOW_MS + 5,
            ..call(&account_id, request_id, 1)
        };
        charge(&ledger, with_key("1", None), 0).await;
        let untouched = ledger.find_key_by_id(&key.id).await.unwrap().unwrap();
        assert_eq!(untouched.last_used_at, None);
        charge(&ledger, with_key("2", Some("203.0.113.7")), 0).await;
        let touched = ledger.find_key_by_id(&key.id).await.unwrap().unwrap();
        assert_eq!(touched.last_used_at, Some(NOW_MS + 5));
        assert_eq!(touched.last_used_address.as_deref(), Some("203.0.113.7"));
        let operation = call(&account_id, "", 0).operation;
        assert_eq!(touched.last_used_operation.as_deref(), Some(operation));
    });
}

#[test]
fn sixty_four_callers_on_several_nodes_spend_a_balance_exactly() {
    on_every_engine(async |databases| {
        const CALLERS: usize = 64;
        const CALLS_EACH: usize = 20;
        let nodes = if databases.kind() == EngineKind::Postgres { 3 } else { 1 };
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 1_000).await;
        let mut writers = Vec::new();
        for _ in 0..nodes {
            let node = Arc::new(databases.ledger().await);
            let options = ChargeWriterOptions {
                queue: CALLERS,
                free_calls_per_day: 0,
                resolve_time: RESOLVE_TIME,
                max_unresolved: MAX_UNRESOLVED,
            };
            writers.push(Arc::new(ChargeWriter::open(node, options).unwrap()));
        }
        let mut callers = JoinSet::new();
        for caller in 0..CALLERS {
            let (writer, account_id) = (writers[caller % nodes].clone(), account_id.clone());
            callers.spawn(async move {
                let (mut paid, mut refused) = (0, 0);
                for number in 0..CALLS_EACH {
                    let call = call(&account_id, &format!("{caller}-{number}"), 1);
                    match writer.charge(call).await.unwrap().charged {
                        Ok(1) => paid += 1,
                        Err(Refusal::InsufficientCredits { price: 1 }) => refused += 1,
                        other => panic!("{other:?}"),
                    }
                }
                (paid, refused)
            });
        }
        let (mut paid, mut refused) = (0, 0);
        for (paid_here, refused_here) in callers.join_all().await {
            paid += paid_here;
            refused += refused_here;
        }
        assert_eq!((paid, refused), (1_000, CALLERS * CALLS_EACH - 1_000));
        for writer in &writers {
            writer.close();
        }
        assert_eq!(balance(&ledger, &account_id).await, 0);
        assert_eq!(entries(&ledger, &account_id, Mode::Live).await.len(), 1_001);
        assert_clean(&ledger).await;
    });
}

#[test]
fn nodes_that_charge_the_same_accounts_in_opposite_orders_do_not_deadlock() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let one = account_with(&ledger, 1_000).await;
        let two = account_with(&ledger, 1_000).await;
        let mut nodes = JoinSet::new();
        for node in 0..2 {
            let ledger = databases.ledger().await;
            let accounts =
                if node == 0 { [one.clone(), two.clone()] } else { [two.clone(), one.clone()] };
            nodes.spawn(async move {
                for round in 0..40 {
                    let batch =
                        accounts.each_ref().map(|id| call(id, &format!("{node}-{round}"), 1));
                    ledger.debit_batch(&batch, &[], 0).await.unwrap();
                }
            });
        }
        nodes.join_all().await;
        assert_eq!((balance(&ledger, &one).await, balance(&ledger, &two).await), (920, 920));
        assert_clean(&ledger).await;
    });
}
