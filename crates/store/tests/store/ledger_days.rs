//! What is renewed: test credits and the free quota every day in India, a key's cap every month.

use panji_store::ledger::{DAILY_TEST_CREDITS, Debit, EntryKind, Mode, Refusal};
use panji_testkit::{NOW_MS, on_every_engine};

use super::{
    DAY_MS, account_with, assert_clean, balance, call, charge, entries, new_account, snapshot,
    test_call,
};

/// The last millisecond of the day in India on which the tests take place.
const LAST_OF_DAY_MS: i64 = NOW_MS + DAY_MS / 2 - 1;
/// A day in the next month in India.
const NEXT_MONTH_MS: i64 = NOW_MS + 20 * DAY_MS;

#[test]
fn test_credits_are_renewed_every_indian_day_and_only_in_test_mode() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        assert_eq!(snapshot(&ledger, &account_id, Mode::Test).await.balance, DAILY_TEST_CREDITS);

        charge(&ledger, test_call(&account_id, "one", 7, NOW_MS), 0).await;
        let last = test_call(&account_id, "two", 3, LAST_OF_DAY_MS);
        assert_eq!(charge(&ledger, last, 0).await.remaining, DAILY_TEST_CREDITS - 10);
        let next = test_call(&account_id, "three", 1, LAST_OF_DAY_MS + 1);
        assert_eq!(charge(&ledger, next, 0).await.remaining, DAILY_TEST_CREDITS - 1);
        let expected = [
            (EntryKind::Grant, DAILY_TEST_CREDITS),
            (EntryKind::Charge, -7),
            (EntryKind::Charge, -3),
            (EntryKind::Expiry, 10 - DAILY_TEST_CREDITS),
            (EntryKind::Grant, DAILY_TEST_CREDITS),
            (EntryKind::Charge, -1),
        ];
        assert_eq!(entries(&ledger, &account_id, Mode::Test).await, expected);

        // Nothing is left, so nothing expires.
        let rest = test_call(&account_id, "four", DAILY_TEST_CREDITS - 1, LAST_OF_DAY_MS + 2);
        assert_eq!(charge(&ledger, rest, 0).await.remaining, 0);
        charge(&ledger, test_call(&account_id, "five", 1, LAST_OF_DAY_MS + 1 + DAY_MS), 0).await;
        let after = entries(&ledger, &account_id, Mode::Test).await;
        assert_eq!(after[7..], [(EntryKind::Grant, DAILY_TEST_CREDITS), (EntryKind::Charge, -1)]);

        let live = Debit { at_ms: NOW_MS + DAY_MS, ..call(&account_id, "six", 1) };
        let refusal = Err(Refusal::InsufficientCredits { price: 1 });
        assert_eq!(charge(&ledger, live, 0).await.charged, refusal);
        assert_eq!(entries(&ledger, &account_id, Mode::Live).await, []);
        assert_clean(&ledger).await;
    });
}

#[test]
fn live_credits_do_not_expire() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        for (day, left) in [(0, 99), (1, 98), (400, 97)] {
            let at_ms = NOW_MS + day * DAY_MS;
            let call = Debit { at_ms, ..call(&account_id, &format!("day {day}"), 1) };
            assert_eq!(charge(&ledger, call, 0).await.remaining, left);
        }
    });
}

#[test]
fn a_call_from_before_midnight_that_is_charged_after_it_counts_for_the_new_day() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let free_at = |request_id: &str, at_ms| Debit {
            quota_eligible: true,
            ..test_call(&account_id, request_id, 5, at_ms)
        };
        charge(&ledger, free_at("yesterday", NOW_MS), 2).await;
        let today = charge(&ledger, free_at("today", LAST_OF_DAY_MS + 1), 2).await;
        assert_eq!((today.quota_used, today.remaining), (1, DAILY_TEST_CREDITS));
        // It waited while another node charged the first call of the new day.
        let late = charge(&ledger, free_at("late", LAST_OF_DAY_MS), 2).await;
        assert_eq!((late.charged, late.quota_used), (Ok(0), 2));
        let after = charge(&ledger, free_at("after", LAST_OF_DAY_MS + 2), 2).await;
        assert_eq!((after.charged, after.quota_used), (Ok(5), 2));
        assert_clean(&ledger).await;

        // Both sides of midnight in one batch.
        let account_id = new_account(&ledger).await;
        let free_at = |request_id: &str, at_ms| Debit {
            quota_eligible: true,
            ..test_call(&account_id, request_id, 5, at_ms)
        };
        let batch = [free_at("before", LAST_OF_DAY_MS), free_at("after", LAST_OF_DAY_MS + 1)];
        ledger.debit_batch(&batch, &[], 2).await.unwrap();
        let snapshot = ledger.find_balance(&account_id, Mode::Test, LAST_OF_DAY_MS + 1).await;
        assert_eq!(snapshot.unwrap().unwrap().quota_used, 2);
        let behind = ledger.find_balance(&account_id, Mode::Test, LAST_OF_DAY_MS).await;
        assert_eq!(behind.unwrap().unwrap().quota_used, 2, "a clock that is behind sees the same");
        assert_clean(&ledger).await;
    });
}

#[test]
fn the_free_quota_is_shared_by_operations_and_renewed_at_indian_midnight() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        let free = |request_id: &str, operation, at_ms| Debit {
            quota_eligible: true,
            operation,
            at_ms,
            ..call(&account_id, request_id, 5)
        };
        let steps = [
            (free("1", "get_company", NOW_MS), 0, 1),
            (call(&account_id, "2", 5), 5, 1),
            (free("3", "search_companies", NOW_MS), 0, 2),
            (free("4", "get_company", LAST_OF_DAY_MS), 0, 3),
            (free("5", "get_company", LAST_OF_DAY_MS), 5, 3),
            (free("6", "search_companies", LAST_OF_DAY_MS + 1), 0, 1),
        ];
        for (call, charged, quota_used) in steps {
            let outcome = charge(&ledger, call.clone(), 3).await;
            assert_eq!(
                (outcome.charged, outcome.quota_used),
                (Ok(charged), quota_used),
                "{call:?}"
            );
        }
        assert_eq!(balance(&ledger, &account_id).await, 90);
        // Test mode has its own quota.
        let test = Debit { mode: Mode::Test, ..free("7", "get_company", LAST_OF_DAY_MS + 1) };
        assert_eq!(charge(&ledger, test, 3).await.quota_used, 1);
        // A call that costs nothing anyway does not use the quota.
        let nothing = Debit { price: 0, ..free("8", "get_company", LAST_OF_DAY_MS + 1) };
        assert_eq!(charge(&ledger, nothing, 3).await.quota_used, 1);
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_key_spends_no_more_than_its_cap_in_an_indian_month() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        let capped = |request_id: &str, key_id: &str, at_ms| Debit {
            monthly_cap: Some(10),
            key_id: key_id.into(),
            at_ms,
            ..call(&account_id, request_id, 4)
        };
        let batch: Vec<Debit> =
            ["1", "2", "3"].map(|id| capped(id, "key_a", NOW_MS)).into_iter().collect();
        let outcomes = ledger.debit_batch(&batch, &[], 0).await.unwrap();
        let refusal = Err(Refusal::SpendCapReached { cap: 10, spent: 8 });
        let charged: Vec<_> = outcomes.iter().map(|outcome| outcome.charged).collect();
        assert_eq!(charged, [Ok(4), Ok(4), refusal]);
        assert_eq!(charge(&ledger, capped("4", "key_a", NOW_MS), 0).await.charged, refusal);
        // A call without a price is never refused because of the cap; a call with a price is, even
        // if it delivers nothing.
        let nothing = Debit { price: 0, ..capped("5", "key_a", NOW_MS) };
        assert_eq!(charge(&ledger, nothing.clone(), 0).await.charged, refusal);
        let without_price = Debit { list_price: 0, ..nothing };
        assert_eq!(charge(&ledger, without_price, 0).await.charged, Ok(0));
        assert_eq!(charge(&ledger, capped("6", "key_b", NOW_MS), 0).await.charged, Ok(4));
        assert_eq!(charge(&ledger, capped("7", "key_a", NEXT_MONTH_MS), 0).await.charged, Ok(4));
        assert_eq!(charge(&ledger, capped("8", "key_a", NEXT_MONTH_MS), 0).await.charged, Ok(4));
        let refused = charge(&ledger, capped("9", "key_a", NEXT_MONTH_MS), 0).await.charged;
        assert_eq!(refused, refusal);
        assert_clean(&ledger).await;
    });
}
