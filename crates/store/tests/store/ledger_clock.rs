//! The wall clock is set forward or back while the ledger is in use: charging continues, and when
//! the clock is correct again, so are the quota, test credits, sessions and idempotency keys.

use panji_store::Ledger;
use panji_store::ledger::{
    DAILY_TEST_CREDITS, Debit, IdempotencyClaim, LogInMethod, Mode, NewSession,
};
use panji_testkit::{NOW_MS, on_every_engine};

use crate::{DAY_MS, account_with, assert_clean, call, charge};

const HOUR_MS: i64 = 3600 * 1000;
const QUOTA: i64 = 2;

fn random() -> u128 {
    ulid::Ulid::generate().random()
}

/// A free call in a mode at an instant; its id has the same time.
fn free_call(account_id: &str, mode: Mode, at_ms: i64) -> Debit {
    let request_id = format!("req_{}", ulid::Ulid::from_parts(at_ms as u64, random()));
    Debit { mode, quota_eligible: true, at_ms, ..call(account_id, &request_id, 1) }
}

/// The prices of three calls at an instant, one after the other.
async fn three_calls(ledger: &Ledger, account_id: &str, mode: Mode, at_ms: i64) -> Vec<i64> {
    let mut costs = Vec::new();
    for _ in 0..3 {
        let outcome = charge(ledger, free_call(account_id, mode, at_ms), QUOTA).await;
        costs.push(outcome.charged.unwrap());
    }
    costs
}

#[test]
fn a_temporarily_wrong_clock_uses_no_quota_of_later_days() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 1_000).await;
        for mode in Mode::ALL {
            let three = async |at_ms| three_calls(&ledger, &account_id, mode, at_ms).await;
            assert_eq!(three(NOW_MS).await, [0, 0, 1]);
            // A year ahead, an hour back, and correct again: every call is charged on some day.
            assert_eq!(three(NOW_MS + 365 * DAY_MS).await, [0, 0, 1]);
            assert_eq!(three(NOW_MS - HOUR_MS).await, [1, 1, 1], "today's quota is used up");
            assert_eq!(three(NOW_MS + HOUR_MS).await, [1, 1, 1]);
            assert_eq!(three(NOW_MS + DAY_MS).await, [0, 0, 1], "a new day has a new quota");
            assert_eq!(three(NOW_MS + 365 * DAY_MS).await, [1, 1, 1], "that day had its quota");
            assert_eq!(three(NOW_MS + 366 * DAY_MS).await, [0, 0, 1]);
            assert_clean(&ledger).await;
        }
    });
}

#[test]
fn a_clock_set_back_by_a_day_gives_no_second_quota_or_test_credits() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 1_000).await;
        let three = async |at_ms| three_calls(&ledger, &account_id, Mode::Test, at_ms).await;
        assert_eq!(three(NOW_MS + DAY_MS).await, [0, 0, 1]);
        assert_eq!(three(NOW_MS).await, [1, 1, 1]);
        assert_eq!(three(NOW_MS + DAY_MS).await, [1, 1, 1]);
        let snapshot = ledger.find_balance(&account_id, Mode::Test, NOW_MS + DAY_MS).await;
        assert_eq!(snapshot.unwrap().unwrap().balance, DAILY_TEST_CREDITS - 7);
        assert_clean(&ledger).await;
    });
}

#[test]
fn test_credits_are_renewed_on_a_day_that_a_wrong_clock_used_before() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 1).await;
        let spend = async |at_ms| {
            let request_id = format!("req_{}", ulid::Ulid::generate());
            let call = Debit { mode: Mode::Test, at_ms, ..call(&account_id, &request_id, 100) };
            charge(&ledger, call, 0).await.remaining
        };
        assert_eq!(spend(NOW_MS).await, DAILY_TEST_CREDITS - 100);
        assert_eq!(spend(NOW_MS + 5 * DAY_MS).await, DAILY_TEST_CREDITS - 100);
        assert_eq!(
            spend(NOW_MS).await,
            DAILY_TEST_CREDITS - 200,
            "set right: no new credits today"
        );
        assert_eq!(spend(NOW_MS + 4 * DAY_MS).await, DAILY_TEST_CREDITS - 100);
        assert_eq!(spend(NOW_MS + 5 * DAY_MS).await, DAILY_TEST_CREDITS - 100);
        assert_clean(&ledger).await;
    });
}

#[test]
fn sessions_and_first_responses_stay_valid_when_the_clock_is_set_back() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let (person, account) = ledger
            .sign_up("asha@example.in", ("Namuna Udaharan", "Namuna Traders"), "hash", true, NOW_MS)
            .await
            .unwrap();
        let new = NewSession {
            person_id: &person.id,
            account_id: &account.id,
            address: "192.0.2.1",
            agent: "Namuna Browser",
            method: LogInMethod::Password,
            now_ms: NOW_MS,
            expires_at: NOW_MS + DAY_MS,
        };
        ledger.create_session("a cookie", new).await.unwrap();
        let claim = async |request_id: &str, at_ms| {
            let owner = (account.id.as_str(), Mode::Live);
            ledger.claim_idempotency_key(owner, ("mine", false), "body", request_id, at_ms).await
        };
        assert_eq!(claim("req_1", NOW_MS).await.unwrap(), IdempotencyClaim::First);
        for at_ms in [NOW_MS - HOUR_MS, NOW_MS - 30 * DAY_MS, NOW_MS] {
            assert!(ledger.find_session("a cookie", at_ms).await.unwrap().is_some());
            // It does not run twice, with any clock.
            let again = claim("req_2", at_ms).await.unwrap();
            assert_eq!(again, IdempotencyClaim::InProgress, "{at_ms}");
        }
        assert!(ledger.find_session("a cookie", NOW_MS + DAY_MS).await.unwrap().is_none());
    });
}
