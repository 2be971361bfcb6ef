//! No loss of power takes back what the ledger has acknowledged to a caller.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use panji_power_loss::{Loss, PowerLosses, Record, Recorder, install};
use panji_store::engine::Workload;
use panji_store::ledger::{
    ChargeWriter, ChargeWriterOptions, Debit, EntryKind, MAX_UNRESOLVED, Mode, RESOLVE_TIME,
    RequestDetails, Secret,
};
use panji_store::{Engine, Ledger};
use panji_testkit::NOW_MS;
use rusqlite::Connection;

use super::{
    SEED, block_on, check_each, fails_for_one, number_of_losses, restarts_of_wal, runtime,
};

const FILE: &str = "ledger.db";
const ACCOUNTS: usize = 24;
const CREDITS: i64 = 1_000;
const CALLERS: usize = 8;
const CALLS: usize = 64;
/// Calls of the first caller between two checkpoints, so that the WAL starts again several times.
const CHECKPOINT_CALLS: usize = 10;
/// A price for each call: that of the call with the same index, from 1.
const PRICES: i64 = 3;

/// What was acknowledged to a caller, and at which position of the record.
struct Acknowledged {
    at: usize,
    account_id: String,
    balance: i64,
    /// The request that was charged, with its price; none for a balance that was only read.
    charge: Option<(String, i64)>,
}

async fn open(directory: &Path) -> Ledger {
    let engine = Engine::open_sqlite(&directory.join(FILE), Workload::Ledger).unwrap();
    let secret = Secret::new(*b"a secret that only tests may use");
    Ledger::open(engine, secret, NOW_MS).await.unwrap()
}

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

/// A checkpoint while others write, as SQLite itself makes one after every thousand pages.
fn checkpoint(database: &Path) {
    let connection = Connection::open(database).unwrap();
    connection.busy_timeout(Duration::from_secs(60)).unwrap();
    connection.query_row("pragma wal_checkpoint(restart)", [], |_| Ok(())).unwrap();
}

/// Concurrent callers charge calls and read balances. Returns the record and what was acknowledged to them.
async fn record_load(directory: &Path) -> (Record, Vec<Acknowledged>) {
    install();
    let ledger = Arc::new(open(directory).await);
    let mut accounts = Vec::new();
    for index in 0..ACCOUNTS {
        let email = format!("{index}@example.in");
        let account_id = ledger.create_account(&email, "Namuna", NOW_MS).await.unwrap().id;
        let granted = ledger
            .add_entry(&account_id, Mode::Live, EntryKind::Grant, CREDITS, None, NOW_MS)
            .await;
        granted.unwrap();
        accounts.push(account_id);
    }
    let options = ChargeWriterOptions {
        queue: CALLERS,
        free_calls_per_day: 0,
        resolve_time: RESOLVE_TIME,
        max_unresolved: MAX_UNRESOLVED,
    };
    let writer = Arc::new(ChargeWriter::open(ledger.clone(), options).unwrap());
    let recorder = Arc::new(Recorder::start(directory).unwrap());
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let accounts = Arc::new(accounts);
    let mut callers = Vec::new();
    for caller in 0..CALLERS {
        let (writer, ledger) = (writer.clone(), ledger.clone());
        let (recorder, acknowledged, accounts) =
            (recorder.clone(), acknowledged.clone(), accounts.clone());
        let database = directory.join(FILE);
        callers.push(tokio::spawn(async move {
            for index in 0..CALLS {
                let account_id = accounts[(caller * 7 + index) % ACCOUNTS].clone();
                let request_id = format!("req_{caller}_{index}");
                let price = 1 + index as i64 % PRICES;
                let charged = writer.charge(call(&account_id, &request_id, price)).await.unwrap();
                assert_eq!(charged.charged, Ok(price));
                let charge = Some((request_id, price));
                let (at, balance) = (recorder.position(), charged.remaining);
                acknowledged.lock().unwrap().push(Acknowledged { at, account_id, balance, charge });
                // Of an account that others charge meanwhile.
                let account_id = accounts[(caller + index * 5) % ACCOUNTS].clone();
                let read = ledger.find_balance(&account_id, Mode::Live, NOW_MS).await.unwrap();
                let (at, balance) = (recorder.position(), read.unwrap().balance);
                acknowledged.lock().unwrap().push(Acknowledged {
                    at,
                    account_id,
                    balance,
                    charge: None,
                });
                if caller == 0 && index % CHECKPOINT_CALLS == 0 {
                    checkpoint(&database);
                }
            }
        }));
    }
    for caller in callers {
        caller.await.unwrap();
    }
    let record = Arc::into_inner(recorder).unwrap().finish();
    writer.close();
    (record, Arc::into_inner(acknowledged).unwrap().into_inner().unwrap())
}

/// What the ledger has after a loss of power.
struct Found {
    /// Price and balance afterwards, by request.
    charges: BTreeMap<String, (i64, i64)>,
    usage: BTreeMap<String, i64>,
    balances: BTreeMap<String, i64>,
}

fn read(path: &Path) -> Found {
    let connection = Connection::open(path).unwrap();
    let intact: String =
        connection.query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(intact, "ok");
    let rows = |sql: &str| -> Vec<(String, i64, i64)> {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
        rows.unwrap().map(Result::unwrap).collect()
    };
    let entries =
        rows("select request_id, credits, balance_after from usage where entry_seq is not null");
    let usage = rows("select request_id, credits, 0 from usage");
    let balances = rows("select account_id, balance, 0 from balances where mode = 'live'");
    let found = Found {
        charges: entries.iter().map(|(id, price, after)| (id.clone(), (*price, *after))).collect(),
        usage: usage.iter().map(|(id, price, _)| (id.clone(), *price)).collect(),
        balances: balances.into_iter().map(|(id, balance, _)| (id, balance)).collect(),
    };
    assert_eq!(found.charges.len(), entries.len(), "a request is charged once");
    assert_eq!(found.usage.len(), usage.len(), "a request is recorded once");
    found
}

/// Opens the ledger after a loss of power. Everything that was acknowledged before is there, and the ledger
/// agrees with itself.
fn check(loss: &Loss, directory: &Path, acknowledged: &[Acknowledged]) {
    let audit = block_on(async { open(directory).await.audit().await });
    assert_eq!(audit.unwrap().differences, []);
    let found = read(&directory.join(FILE));
    for acknowledged in acknowledged.iter().filter(|acknowledged| acknowledged.at <= loss.at) {
        // Nobody buys credits meanwhile, so a balance that is higher than one that was acknowledged has
        // lost a charge.
        assert!(
            found.balances[&acknowledged.account_id] <= acknowledged.balance,
            "a balance was taken back"
        );
        if let Some((request_id, price)) = &acknowledged.charge {
            let charge = found.charges.get(request_id);
            assert_eq!(charge, Some(&(*price, acknowledged.balance)), "the charge of {request_id}");
            assert_eq!(found.usage.get(request_id), Some(price), "the usage of {request_id}");
        }
    }
    let sums: BTreeMap<&String, i64> =
        found.charges.iter().map(|(id, (price, _))| (id, *price)).collect();
    assert!(found.usage.iter().eq(sums.iter().map(|(id, price)| (*id, price))));
    let spent: i64 = sums.values().sum();
    assert_eq!(found.balances.values().sum::<i64>(), ACCOUNTS as i64 * CREDITS - spent);
}

#[test]
fn a_charge_that_was_acknowledged_survives_every_loss_of_power() {
    let directory = tempfile::tempdir().unwrap();
    let (record, acknowledged) = runtime().block_on(record_load(directory.path()));
    assert_eq!(acknowledged.len(), 2 * CALLERS * CALLS);
    let restarts = restarts_of_wal(&record);
    assert!(restarts >= 3, "only {restarts} checkpoints were finished");
    let losses = PowerLosses::new(&record, number_of_losses(), SEED);
    check_each(losses, |loss, directory| check(loss, directory, &acknowledged));
    // The test can fail: without syncs, acknowledged charges are lost.
    let losses = PowerLosses::new(&record, number_of_losses(), SEED).ignoring_syncs();
    assert!(fails_for_one(losses, |loss, directory| check(loss, directory, &acknowledged)));
}
