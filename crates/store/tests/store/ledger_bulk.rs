//! Bulk jobs: leased by one node at a time, each chunk written once.

use panji_store::StoreError;
use panji_store::ledger::{
    BulkLease, FinishedChunk, IdempotencyClaim, JobState, Ledger, Mode, NewBulkJob, StoredResponse,
};
use panji_testkit::{NOW_MS, on_every_engine};
use tokio::task::JoinSet;

use super::{DAY_MS, account_with, assert_clean, balance, call, new_account};

const LEASE_MS: i64 = 10_000;

async fn new_job(ledger: &Ledger, account_id: &str, chunks: usize) -> String {
    let new = NewBulkJob {
        account_id,
        mode: Mode::Live,
        task: "{}",
        name: "list.csv",
        highest_price: 10 * chunks as i64,
        row_count: 10 * chunks as i64,
        most_open: 3,
        key_id: "",
        request_key: "",
        runs_from_ms: None,
    };
    let chunks: Vec<String> = (0..chunks).map(|number| format!("rows of {number}")).collect();
    ledger.create_bulk_job(&new, &chunks, NOW_MS).await.unwrap()
}

async fn running_job(ledger: &Ledger, account_id: &str, chunks: usize) -> String {
    let id = new_job(ledger, account_id, chunks).await;
    assert!(ledger.start_bulk_job(account_id, &id, "").await.unwrap());
    id
}

async fn lease_job(ledger: &Ledger, holder: &str, now_ms: i64) -> Option<BulkLease> {
    ledger.lease_bulk_job(holder, now_ms, LEASE_MS).await.unwrap()
}

async fn finish(ledger: &Ledger, lease: &BulkLease, number: i64) -> bool {
    let chunk = FinishedChunk {
        number,
        rows: 10,
        credits: 7,
        output: "results",
        counts: &[],
        match_rows: &[],
    };
    ledger.finish_bulk_chunk(lease, &chunk, NOW_MS).await.unwrap()
}

#[test]
fn an_approved_job_is_done_chunk_by_chunk() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let id = new_job(&ledger, &account_id, 120).await;
        let find = async || ledger.find_bulk_job(&account_id, &id).await.unwrap().unwrap();
        assert_eq!(find().await.state, JobState::AwaitingApproval);
        assert_eq!(lease_job(&ledger, "node", NOW_MS).await, None, "the price is not accepted yet");
        assert!(ledger.start_bulk_job(&account_id, &id, "").await.unwrap());
        assert!(!ledger.start_bulk_job(&account_id, &id, "").await.unwrap());
        let lease = lease_job(&ledger, "node", NOW_MS).await.unwrap();
        for number in 0..120 {
            assert!(finish(&ledger, &lease, number).await);
            assert!(!finish(&ledger, &lease, number).await, "a chunk is written once");
        }
        let job = find().await;
        assert_eq!((job.state, job.rows_done, job.credits), (JobState::Done, 1_200, 840));
        assert_eq!(job.ended_at, Some(NOW_MS));
        assert_eq!(lease_job(&ledger, "node", NOW_MS + DAY_MS).await, None);
        let chunks = ledger.list_bulk_chunks((&account_id, &id), 118, 10).await.unwrap();
        assert_eq!(chunks[1], ("rows of 119".to_owned(), Some("results".to_owned())));
        assert_eq!(chunks.len(), 2);
        let other_account = new_account(&ledger).await;
        assert_eq!(ledger.find_bulk_job(&other_account, &id).await.unwrap(), None);
        assert_eq!(ledger.list_bulk_chunks((&other_account, &id), 0, 10).await.unwrap(), []);
    });
}

#[test]
fn one_of_many_nodes_leases_a_job_and_another_after_the_lease_expired() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        running_job(&ledger, &account_id, 2).await;
        let mut leasing = JoinSet::new();
        for number in 0..8 {
            let node = databases.ledger().await;
            leasing.spawn(async move { lease_job(&node, &format!("node {number}"), NOW_MS).await });
        }
        let mut leases: Vec<BulkLease> = leasing.join_all().await.into_iter().flatten().collect();
        assert_eq!(leases.len(), 1);
        let first = leases.remove(0);
        assert_eq!(lease_job(&ledger, "another", NOW_MS + LEASE_MS).await, None);
        assert!(ledger.renew_bulk_lease(&first, NOW_MS + 2 * LEASE_MS).await.unwrap());
        assert_eq!(lease_job(&ledger, "another", NOW_MS + LEASE_MS + 1).await, None);
        let second = lease_job(&ledger, "another", NOW_MS + 2 * LEASE_MS + 1).await.unwrap();
        assert!(!ledger.renew_bulk_lease(&first, NOW_MS + DAY_MS).await.unwrap());
        assert!(!finish(&ledger, &first, 0).await, "the first has lost it");
        assert!(finish(&ledger, &second, 0).await);
        assert!(finish(&ledger, &second, 1).await);
    });
}

#[test]
fn the_job_that_waited_longest_is_next() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let long = running_job(&ledger, &account_id, 9).await;
        let lease = lease_job(&ledger, "node", NOW_MS).await.unwrap();
        assert_eq!(lease.job.id, long);
        let short = running_job(&ledger, &account_id, 1).await;
        ledger.release_bulk_lease(&lease, None, "", 0).await.unwrap();
        let next = lease_job(&ledger, "node", NOW_MS + 1).await.unwrap();
        assert_eq!(next.job.id, short);
        ledger.release_bulk_lease(&next, Some(JobState::Paused), "no credits", 0).await.unwrap();
        assert_eq!(lease_job(&ledger, "node", NOW_MS + 2).await.unwrap().job.id, long);
        let paused = ledger.find_bulk_job(&account_id, &short).await.unwrap().unwrap();
        assert_eq!((paused.state, paused.note.as_str()), (JobState::Paused, "no credits"));
        assert!(ledger.start_bulk_job(&account_id, &short, "").await.unwrap());
    });
}

#[test]
fn a_cancelled_job_keeps_its_paid_results_and_is_not_leased_again() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let id = running_job(&ledger, &account_id, 3).await;
        let lease = lease_job(&ledger, "node", NOW_MS).await.unwrap();
        assert!(ledger.cancel_bulk_job(&account_id, &id, NOW_MS).await.unwrap());
        assert!(!ledger.renew_bulk_lease(&lease, NOW_MS + DAY_MS).await.unwrap());
        assert!(finish(&ledger, &lease, 0).await);
        let job = ledger.find_bulk_job(&account_id, &id).await.unwrap().unwrap();
        assert_eq!((job.state, job.rows_done, job.credits), (JobState::Cancelled, 10, 7));
        assert_eq!(lease_job(&ledger, "node", NOW_MS + DAY_MS).await, None);
        assert!(!ledger.start_bulk_job(&account_id, &id, "").await.unwrap());
    });
}

#[test]
fn the_number_of_open_jobs_per_account_is_limited() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let first = new_job(&ledger, &account_id, 1).await;
        running_job(&ledger, &account_id, 1).await;
        new_job(&ledger, &account_id, 1).await;
        let new = NewBulkJob {
            account_id: &account_id,
            mode: Mode::Test,
            task: "{}",
            name: "",
            highest_price: 0,
            row_count: 1,
            most_open: 3,
            key_id: "",
            request_key: "",
            runs_from_ms: None,
        };
        let refused = ledger.create_bulk_job(&new, &["a".into()], NOW_MS).await;
        assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
        assert!(ledger.cancel_bulk_job(&account_id, &first, NOW_MS).await.unwrap());
        ledger.create_bulk_job(&new, &["a".into()], NOW_MS).await.unwrap();
    });
}

/// Charges the next chunk like a node, but does not write its results.
async fn charge_chunk(
    ledger: &Ledger,
    lease: &BulkLease,
    request_id: &str,
    now_ms: i64,
) -> IdempotencyClaim {
    let job = &lease.job;
    let owner = (job.account_id.as_str(), job.mode);
    let key = Ledger::chunk_key(&job.id, job.chunks_done);
    let claim = ledger
        .claim_idempotency_key(owner, (&key, true), "body", request_id, now_ms)
        .await
        .unwrap();
    if claim == IdempotencyClaim::First {
        let response =
            StoredResponse { idempotency_key: key, data: "{}".into(), headers: String::new() };
        let charge = panji_store::ledger::Debit {
            response: Some(response),
            at_ms: now_ms,
            ..call(&job.account_id, request_id, 7)
        };
        ledger.debit_batch(&[charge], &[], 0).await.unwrap();
    }
    claim
}

#[test]
fn a_chunk_repeated_after_a_crash_is_charged_once_at_any_time() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        running_job(&ledger, &account_id, 1).await;
        let killed = lease_job(&ledger, "killed", NOW_MS).await.unwrap();
        assert_eq!(charge_chunk(&ledger, &killed, "req_1", NOW_MS).await, IdempotencyClaim::First);
        // The node is killed here and restarts after ten days; old rows are deleted meanwhile.
        let late_ms = NOW_MS + 10 * DAY_MS;
        ledger.delete_expired_responses(late_ms).await.unwrap();
        let lease = lease_job(&ledger, "risen", late_ms).await.unwrap();
        let claim = charge_chunk(&ledger, &lease, "req_2", late_ms).await;
        let IdempotencyClaim::Replay(first) = claim else { panic!("{claim:?}") };
        assert_eq!((first.request_id.as_str(), first.credits_charged), ("req_1", 7));
        assert!(finish(&ledger, &lease, 0).await);
        assert_eq!(balance(&ledger, &account_id).await, 93);
        // The response was deleted with the chunk's results.
        let key = Ledger::chunk_key(&lease.job.id, 0);
        let owner = (account_id.as_str(), Mode::Live);
        let free = ledger.claim_idempotency_key(owner, (&key, false), "x", "req_3", late_ms).await;
        assert_eq!(free.unwrap(), IdempotencyClaim::First);
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_claim_of_a_killed_node_does_not_block_the_next_node() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        running_job(&ledger, &account_id, 1).await;
        let killed = lease_job(&ledger, "killed", NOW_MS).await.unwrap();
        let owner = (account_id.as_str(), Mode::Live);
        let key = Ledger::chunk_key(&killed.job.id, 0);
        let claim =
            ledger.claim_idempotency_key(owner, (&key, true), "body", "req_1", NOW_MS).await;
        assert_eq!(claim.unwrap(), IdempotencyClaim::First);
        let soon_ms = NOW_MS + LEASE_MS + 1;
        let lease = lease_job(&ledger, "next", soon_ms).await.unwrap();
        assert_eq!(charge_chunk(&ledger, &lease, "req_2", soon_ms).await, IdempotencyClaim::First);
        // If the first node still runs, its charge is rejected, so that only the second is charged.
        let response =
            StoredResponse { idempotency_key: key, data: "{}".into(), headers: String::new() };
        let late = panji_store::ledger::Debit {
            response: Some(response),
            ..call(&account_id, "req_1", 7)
        };
        assert!(ledger.debit_batch(&[late], &[], 0).await.is_err());
        assert!(finish(&ledger, &lease, 0).await);
        assert_eq!(balance(&ledger, &account_id).await, 93);
        assert_clean(&ledger).await;
    });
}

#[test]
fn old_jobs_are_deleted_with_their_rows_and_held_responses() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        let unapproved = new_job(&ledger, &account_id, 1).await;
        let cancelled = running_job(&ledger, &account_id, 1).await;
        let lease = lease_job(&ledger, "node", NOW_MS).await.unwrap();
        charge_chunk(&ledger, &lease, "req_1", NOW_MS).await;
        ledger.cancel_bulk_job(&account_id, &cancelled, NOW_MS).await.unwrap();
        let next_day_ms = NOW_MS + DAY_MS + 1;
        assert_eq!(
            ledger.delete_expired_bulk_jobs(NOW_MS, next_day_ms).await.unwrap(),
            1,
            "the unapproved job"
        );
        assert_eq!(ledger.find_bulk_job(&account_id, &unapproved).await.unwrap(), None);
        assert_eq!(ledger.list_bulk_chunks((&account_id, &unapproved), 0, 9).await.unwrap(), []);
        assert_eq!(
            ledger.delete_expired_responses(next_day_ms).await.unwrap(),
            0,
            "the job is there"
        );
        assert_eq!(ledger.delete_expired_bulk_jobs(NOW_MS + 1, next_day_ms).await.unwrap(), 1);
        assert_eq!(ledger.delete_expired_responses(next_day_ms).await.unwrap(), 1);
    });
}
