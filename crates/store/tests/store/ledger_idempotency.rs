//! Idempotency keys: retries get the first response byte for byte, and are never charged.

use panji_store::StoreError;
use panji_store::ledger::{
    Debit, FirstResponse, IdempotencyClaim, Ledger, Mode, Refusal, StoredResponse,
};
use panji_testkit::{NOW_MS, on_every_engine};
use tokio::task::JoinSet;

use super::{DAY_MS, account_with, assert_clean, balance, call, charge};

/// How long a first call may run before another call may take over its key.
const RUNNING_MS: i64 = 90_000;
/// JSON text that a decode and encode would change.
const DATA: &str = "{\"b\":1.50,  \"a\":\"\\u0928मूना\\n\",\"e\":1e2,\"a\":null}\n";
const HEADERS: &str = "link: </v1?page=2>; rel=\"next\"\n";

async fn claim(
    ledger: &Ledger,
    account_id: &str,
    request_id: &str,
    now_ms: i64,
) -> IdempotencyClaim {
    let owner = (account_id, Mode::Live);
    ledger.claim_idempotency_key(owner, ("key-1", false), "body", request_id, now_ms).await.unwrap()
}

fn call_with_response(account_id: &str, request_id: &str, price: i64) -> Debit {
    let response = StoredResponse {
        idempotency_key: "key-1".into(),
        data: DATA.into(),
        headers: HEADERS.into(),
    };
    Debit { response: Some(response), ..call(account_id, request_id, price) }
}

fn first_response(request_id: &str) -> IdempotencyClaim {
    IdempotencyClaim::Replay(FirstResponse {
        request_id: request_id.into(),
        credits_charged: 30,
        credits_remaining: 70,
        data: DATA.into(),
        headers: HEADERS.into(),
    })
}

#[test]
fn a_repeat_waits_for_the_first_call_and_then_gets_its_response_byte_for_byte() {
    on_every_engine(async |databases| {
        let (ledger, other_node) = (databases.ledger().await, databases.ledger().await);
        let account_id = account_with(&ledger, 100).await;
        assert_eq!(claim(&ledger, &account_id, "first", NOW_MS).await, IdempotencyClaim::First);
        for node in [&ledger, &other_node] {
            let repeat = claim(node, &account_id, "second", NOW_MS + 1).await;
            assert_eq!(repeat, IdempotencyClaim::InProgress);
        }
        let outcome = charge(&ledger, call_with_response(&account_id, "first", 30), 0).await;
        assert_eq!(outcome.charged, Ok(30));
        grant_and_spend_something(&ledger, &account_id).await;
        for node in [&ledger, &other_node] {
            let repeat = claim(node, &account_id, "third", NOW_MS + 2).await;
            assert_eq!(repeat, first_response("first"));
        }
        assert_clean(&ledger).await;
    });
}

async fn grant_and_spend_something(ledger: &Ledger, account_id: &str) {
    super::grant(ledger, account_id, 5).await;
    charge(ledger, call(account_id, "something else", 1), 0).await;
}

#[test]
fn a_key_with_another_body_is_a_mismatch_while_it_runs_and_after() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        claim(&ledger, &account_id, "first", NOW_MS).await;
        let owner = (account_id.as_str(), Mode::Live);
        let other_body = async || {
            ledger
                .claim_idempotency_key(owner, ("key-1", false), "other", "second", NOW_MS)
                .await
                .unwrap()
        };
        assert_eq!(other_body().await, IdempotencyClaim::Mismatch);
        charge(&ledger, call_with_response(&account_id, "first", 30), 0).await;
        assert_eq!(other_body().await, IdempotencyClaim::Mismatch);
        assert_eq!(claim(&ledger, &account_id, "third", NOW_MS).await, first_response("first"));
    });
}

#[test]
fn a_key_belongs_to_one_account_and_mode() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let one = account_with(&ledger, 100).await;
        let two = account_with(&ledger, 100).await;
        for owner in [(&one, Mode::Live), (&one, Mode::Test), (&two, Mode::Live)] {
            let owner = (owner.0.as_str(), owner.1);
            for key in ["key-1", "KEY-1"] {
                let claim = ledger
                    .claim_idempotency_key(owner, (key, false), "body", "first", NOW_MS)
                    .await;
                assert_eq!(claim.unwrap(), IdempotencyClaim::First, "{owner:?} {key}");
            }
        }
    });
}

#[test]
fn exactly_one_of_many_concurrent_calls_is_the_first() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        let mut claiming = JoinSet::new();
        for node in 0..2 {
            let ledger = std::sync::Arc::new(databases.ledger().await);
            for number in 0..16 {
                let (ledger, account_id) = (ledger.clone(), account_id.clone());
                claiming.spawn(async move {
                    claim(&ledger, &account_id, &format!("{node}-{number}"), NOW_MS).await
                });
            }
        }
        let claims = claiming.join_all().await;
        let count = |wanted| claims.iter().filter(|claim| **claim == wanted).count();
        assert_eq!(count(IdempotencyClaim::First), 1);
        assert_eq!(count(IdempotencyClaim::InProgress), 31);
    });
}

#[test]
fn a_failed_first_call_releases_its_key() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        let owner = (account_id.as_str(), Mode::Live);
        claim(&ledger, &account_id, "first", NOW_MS).await;
        // Only the call that owns the key can release it.
        ledger.release_idempotency_key(owner, "key-1", "second").await.unwrap();
        let still_claimed = claim(&ledger, &account_id, "second", NOW_MS).await;
        assert_eq!(still_claimed, IdempotencyClaim::InProgress);
        ledger.release_idempotency_key(owner, "key-1", "first").await.unwrap();
        let free = claim(&ledger, &account_id, "third", NOW_MS).await;
        assert_eq!(free, IdempotencyClaim::First);
        // A stored response is not deleted.
        charge(&ledger, call_with_response(&account_id, "third", 30), 0).await;
        ledger.release_idempotency_key(owner, "key-1", "third").await.unwrap();
        assert_eq!(claim(&ledger, &account_id, "fourth", NOW_MS).await, first_response("third"));
    });
}

#[test]
fn a_refused_charge_stores_no_response() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 10).await;
        claim(&ledger, &account_id, "first", NOW_MS).await;
        let outcome = charge(&ledger, call_with_response(&account_id, "first", 30), 0).await;
        assert_eq!(outcome.charged, Err(Refusal::InsufficientCredits { price: 30 }));
        let repeat = claim(&ledger, &account_id, "second", NOW_MS).await;
        assert_eq!(repeat, IdempotencyClaim::InProgress);
    });
}

#[test]
fn the_key_of_an_unfinished_call_is_taken_over_and_the_call_can_no_longer_be_charged() {
    on_every_engine(async |databases| {
        let (ledger, other_node) = (databases.ledger().await, databases.ledger().await);
        let account_id = account_with(&ledger, 100).await;
        claim(&ledger, &account_id, "first", NOW_MS).await;
        let at_the_limit = claim(&other_node, &account_id, "second", NOW_MS + RUNNING_MS).await;
        assert_eq!(at_the_limit, IdempotencyClaim::InProgress);
        let after_the_limit =
            claim(&other_node, &account_id, "second", NOW_MS + RUNNING_MS + 1).await;
        assert_eq!(after_the_limit, IdempotencyClaim::First);

        let late = [call_with_response(&account_id, "first", 30)];
        let late = ledger.debit_batch(&late, &[], 0).await;
        assert!(matches!(late, Err(StoreError::Conflict(_))), "{late:?}");
        assert_eq!(balance(&ledger, &account_id).await, 100);
        charge(&other_node, call_with_response(&account_id, "second", 30), 0).await;
        assert_eq!(claim(&ledger, &account_id, "third", NOW_MS).await, first_response("second"));
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_response_is_stored_for_twenty_four_hours() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        claim(&ledger, &account_id, "first", NOW_MS).await;
        charge(&ledger, call_with_response(&account_id, "first", 30), 0).await;
        assert_eq!(ledger.delete_expired_responses(NOW_MS + DAY_MS).await.unwrap(), 0);
        let last = claim(&ledger, &account_id, "second", NOW_MS + DAY_MS).await;
        assert_eq!(last, first_response("first"));
        let after_the_limit = claim(&ledger, &account_id, "second", NOW_MS + DAY_MS + 1).await;
        assert_eq!(after_the_limit, IdempotencyClaim::First);
        let repeat = claim(&ledger, &account_id, "third", NOW_MS + DAY_MS + 2).await;
        assert_eq!(repeat, IdempotencyClaim::InProgress, "the old response has expired");
        assert_eq!(ledger.delete_expired_responses(NOW_MS + 3 * DAY_MS).await.unwrap(), 1);
    });
}
