//! The charge writer: its queue is bounded, it writes everything before it closes, and one failing
//! charge affects no other.

use std::sync::Arc;
use std::time::Duration;

use panji_store::StoreError;
use panji_store::engine::{EngineKind, Transaction};
use panji_store::ledger::{
    ChargeWriter, ChargeWriterOptions, DebitError, DebitOutcome, EntryKind, Ledger, MAX_UNRESOLVED,
    Mode, RESOLVE_TIME, RequestDetails, UsageRow,
};
use panji_testkit::{Databases, NOW_MS, on_both_engines, on_every_engine};
use tokio::task::JoinHandle;

use super::{account_with, assert_clean, balance, call, charge, entries};

async fn open_writer(databases: &Databases, queue: usize) -> (Arc<Ledger>, Arc<ChargeWriter>) {
    open_writer_with_resolve_time(databases, queue, RESOLVE_TIME).await
}

async fn open_writer_with_resolve_time(
    databases: &Databases,
    queue: usize,
    resolve_time: Duration,
) -> (Arc<Ledger>, Arc<ChargeWriter>) {
    let ledger = Arc::new(databases.ledger().await);
    let max_unresolved = MAX_UNRESOLVED;
    let options =
        ChargeWriterOptions { queue, free_calls_per_day: 0, resolve_time, max_unresolved };
    let writer = ChargeWriter::open(ledger.clone(), options).unwrap();
    (ledger, Arc::new(writer))
}

/// Locks every balance, so that a writer can charge nothing until this is dropped.
async fn lock_balances(databases: &Databases) -> Transaction {
    let engine = databases.engine("ledger").await;
    let mut transaction = engine.transaction().await.unwrap();
    transaction.run_script("update balances set seq = seq").await.unwrap();
    transaction
}

type Waiting = JoinHandle<Result<DebitOutcome, DebitError>>;

/// Submits a charge and returns once it is in the queue.
async fn submit(writer: &Arc<ChargeWriter>, account_id: &str, request_id: &str) -> Waiting {
    try_submit(writer, account_id, request_id).await.expect("the queue has room")
}

/// The same, or the writer's error.
async fn try_submit(
    writer: &Arc<ChargeWriter>,
    account_id: &str,
    request_id: &str,
) -> Result<Waiting, DebitError> {
    let (writer, call) = (writer.clone(), call(account_id, request_id, 1));
    let (submitted, queued) = tokio::sync::oneshot::channel();
    let waiting = tokio::spawn(async move {
        let charging = writer.charge(call);
        tokio::pin!(charging);
        // The first poll adds it to the queue, or fails.
        let mut submitted = Some(submitted);
        std::future::poll_fn(move |context| {
            let polled = charging.as_mut().poll(context);
            if let Some(submitted) = submitted.take() {
                let _ = submitted.send(polled.is_pending());
            }
            polled
        })
        .await
    });
    if queued.await.unwrap() {
        return Ok(waiting);
    }
    Err(waiting.await.unwrap().expect_err("nothing is charged while the balances are locked"))
}

fn failed_call(account_id: &str, request_id: &str) -> UsageRow {
    UsageRow {
        account_id: account_id.into(),
        request_id: request_id.into(),
        mode: Mode::Live,
        key_id: "key_namuna".into(),
        operation: "get_company",
        status: 404,
        credits: 0,
        free: false,
        at_ms: NOW_MS,
        error_code: Some("company_not_found"),
        details: RequestDetails::default(),
    }
}

#[test]
fn a_full_queue_rejects_at_once_and_the_queued_calls_are_charged() {
    on_every_engine(async |databases| {
        let (ledger, writer) = open_writer(&databases, 2).await;
        let account_id = account_with(&ledger, 100).await;
        let locked = lock_balances(&databases).await;
        // A batch of at most two is being written and two more fill the queue.
        let mut waiting = Vec::new();
        let refused = loop {
            match try_submit(&writer, &account_id, &waiting.len().to_string()).await {
                Ok(next) => waiting.push(next),
                Err(refusal) => break refusal,
            }
        };
        assert!(matches!(refused, DebitError::Overloaded), "{refused:?}");
        drop(locked);
        let accepted = waiting.len() as i64;
        assert!((2..=4).contains(&accepted), "{accepted}");
        for charge in waiting {
            assert_eq!(charge.await.unwrap().unwrap().charged, Ok(1));
        }
        assert_eq!(balance(&ledger, &account_id).await, 100 - accepted);
        writer.close();
        assert_clean(&ledger).await;
    });
}

#[test]
fn closing_a_writer_writes_the_queue_and_rejects_new_charges() {
    on_every_engine(async |databases| {
        let (ledger, writer) = open_writer(&databases, 100).await;
        let account_id = account_with(&ledger, 100).await;
        let locked = lock_balances(&databases).await;
        let mut waiting = Vec::new();
        for number in 0..20 {
            waiting.push(submit(&writer, &account_id, &number.to_string()).await);
        }
        writer.record_failed_call(failed_call(&account_id, "failed"));
        let closing = tokio::task::spawn_blocking({
            let writer = writer.clone();
            move || writer.close()
        });
        drop(locked);
        closing.await.unwrap();
        for charge in waiting {
            assert_eq!(charge.await.unwrap().unwrap().charged, Ok(1));
        }
        assert_eq!(ledger.find_usage(&account_id, "failed").await.unwrap(), Some(0));
        let refused = writer.charge(call(&account_id, "late", 1)).await;
        let closed = matches!(refused, Err(DebitError::Store(StoreError::Unavailable(_))));
        assert!(closed, "{refused:?}");
        writer.close();
        assert_eq!(balance(&ledger, &account_id).await, 80);
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_failed_call_is_recorded_and_costs_nothing() {
    on_every_engine(async |databases| {
        let (ledger, writer) = open_writer(&databases, 10).await;
        let account_id = account_with(&ledger, 100).await;
        writer.record_failed_call(failed_call(&account_id, "failed"));
        writer.close();
        assert_eq!(ledger.find_usage(&account_id, "failed").await.unwrap(), Some(0));
        assert_eq!(balance(&ledger, &account_id).await, 100);
        assert_clean(&ledger).await;
    });
}

#[test]
fn one_failing_charge_or_record_affects_no_other_of_its_batch() {
    on_every_engine(async |databases| {
        let (ledger, writer) = open_writer(&databases, 100).await;
        let account_id = account_with(&ledger, 100).await;
        charge(&ledger, call(&account_id, "known", 1), 0).await;
        // Locked until all of them wait, so that they form as few batches as possible.
        let locked = lock_balances(&databases).await;
        let opening = submit(&writer, &account_id, "opening").await;
        let known = submit(&writer, &account_id, "known").await;
        let good = submit(&writer, &account_id, "good").await;
        writer.record_failed_call(failed_call(&account_id, "recorded"));
        drop(locked);
        assert_eq!(opening.await.unwrap().unwrap().charged, Ok(1));
        assert_eq!(good.await.unwrap().unwrap().charged, Ok(1));
        let known = known.await.unwrap();
        let twice = matches!(known, Err(DebitError::Store(StoreError::Conflict(_))));
        assert!(twice, "{known:?}");

        // A failed call that is already recorded, together with one charge.
        let locked = lock_balances(&databases).await;
        let opening = submit(&writer, &account_id, "opening again").await;
        let beside = submit(&writer, &account_id, "beside").await;
        writer.record_failed_call(failed_call(&account_id, "known"));
        drop(locked);
        assert_eq!(opening.await.unwrap().unwrap().charged, Ok(1));
        assert_eq!(beside.await.unwrap().unwrap().charged, Ok(1));
        writer.close();
        assert_eq!(ledger.find_usage(&account_id, "recorded").await.unwrap(), Some(0));
        assert_eq!(ledger.find_usage(&account_id, "known").await.unwrap(), Some(1));
        assert_eq!(balance(&ledger, &account_id).await, 95);
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_connection_that_breaks_during_a_charge_charges_nothing_and_the_writer_continues() {
    // On Citus the connection to a worker waits for the lock.
    on_both_engines(async |databases| {
        // SQLite has no connection that could break.
        if databases.kind() == EngineKind::Sqlite {
            return;
        }
        let (ledger, writer) = open_writer(&databases, 10).await;
        let account_id = account_with(&ledger, 100).await;
        let locked = lock_balances(&databases).await;
        let broken = submit(&writer, &account_id, "broken").await;
        let observer = databases.engine("onlooker").await;
        loop {
            let ended: Vec<bool> = observer
                .query(
                    "select pg_terminate_backend(pid) from pg_stat_activity \
                     where datname = current_database() and wait_event_type = 'Lock'",
                    &[],
                    |row| row.get(0),
                )
                .await
                .unwrap();
            if !ended.is_empty() {
                break;
            }
        }
        let broken = broken.await.unwrap();
        let unavailable = matches!(broken, Err(DebitError::Store(StoreError::Unavailable(_))));
        assert!(unavailable, "{broken:?}");
        drop(locked);
        assert_eq!(writer.charge(call(&account_id, "next", 1)).await.unwrap().charged, Ok(1));
        writer.close();
        assert_eq!(ledger.find_usage(&account_id, "broken").await.unwrap(), None);
        assert_eq!(balance(&ledger, &account_id).await, 99);
        assert_clean(&ledger).await;
    });
}

/// Makes the commit of one request wait for a lock held by the test, as a commit waits for a
/// replica: it keeps its own locks and is visible to nobody.
pub const HIDE_COMMIT: &str = "
    create function hide() returns trigger language plpgsql as $$
    begin
        if new.request_id = 'hidden' then perform pg_advisory_xact_lock_shared(71860002); end if;
        return null;
    end $$;
    create constraint trigger hiding after insert on usage deferrable initially deferred
    for each row execute function hide();
";

#[test]
fn a_commit_that_becomes_visible_late_is_refunded_if_its_caller_got_an_error() {
    on_both_engines(async |databases| {
        // A commit of SQLite does not wait.
        if databases.kind() == EngineKind::Sqlite {
            return;
        }
        let (ledger, writer) = open_writer_with_resolve_time(&databases, 10, Duration::ZERO).await;
        let account_id = account_with(&ledger, 100).await;
        let other_id = account_with(&ledger, 100).await;
        let engine = databases.engine("ledger").await;
        let mut setup = engine.transaction().await.unwrap();
        setup.run_script(HIDE_COMMIT).await.unwrap();
        setup.commit().await.unwrap();
        let mut locked = engine.transaction().await.unwrap();
        locked.run_script("select pg_advisory_xact_lock(71860002)").await.unwrap();
        let outcome = writer.charge(call(&account_id, "hidden", 10)).await;
        let unavailable = matches!(outcome, Err(DebitError::Store(StoreError::Unavailable(_))));
        assert!(unavailable, "{outcome:?}");
        // Once this is decided, the writer has checked the other one and has not found it.
        assert_eq!(writer.charge(call(&other_id, "next", 1)).await.unwrap().charged, Ok(1));
        assert_eq!(ledger.find_usage(&account_id, "hidden").await.unwrap(), None);
        drop(locked);
        let expected = [(EntryKind::Grant, 100), (EntryKind::Charge, -10), (EntryKind::Refund, 10)];
        let refunded = async {
            while entries(&ledger, &account_id, Mode::Live).await != expected {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(600), refunded).await;
        assert!(waited.is_ok(), "{:?}", entries(&ledger, &account_id, Mode::Live).await);
        writer.close();
        assert_eq!(ledger.list_missing_refunds().await.unwrap(), [], "nothing is left to decide");
        assert_clean(&ledger).await;
    });
}
