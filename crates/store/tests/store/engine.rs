//! The engine: values, transactions, errors, migrations.

use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use panji_store::engine::{EngineKind, PostgresOptions, Row, Workload};
use panji_store::ledger::{MIGRATIONS as LEDGER, Secret};
use panji_store::{Engine, Ledger, Register, StoreError};
use panji_testkit::{Databases, NOW_MS, on_every_engine};
use tokio::task::JoinSet;

const CREATE: &str = "create table things (id bigint primary key, word text, number bigint check \
                      (number > -10), flag boolean)";
const INSERT: &str = "insert into things (id, word, number, flag) values ($1, $2, $3, $4)";
const TIME_LIMIT: &str = "select current_setting('statement_timeout')";

async fn engine_with_things(databases: &Databases) -> Engine {
    let engine = databases.engine("scratch").await;
    let mut transaction = engine.transaction().await.unwrap();
    transaction.run_script(CREATE).await.unwrap();
    transaction.commit().await.unwrap();
    engine
}

async fn count_things(engine: &Engine) -> i64 {
    engine.query_opt("select count(*) from things", &[], |row| row.get(0)).await.unwrap().unwrap()
}

#[test]
fn values_are_read_unchanged() {
    on_every_engine(async |databases| {
        type Thing = (i64, Option<String>, Option<i64>, Option<bool>);
        let things: [Thing; 4] = [
            (i64::MIN, None, None, None),
            (0, Some(String::new()), Some(0), Some(false)),
            (1, Some("नमूना 'quoted' \"twice\" $1 ?1 \\".into()), Some(-9), Some(true)),
            (i64::MAX, Some("x".repeat(100_000)), Some(i64::MAX), Some(true)),
        ];
        let engine = engine_with_things(&databases).await;
        for (id, word, number, flag) in &things {
            let values = [(*id).into(), word.as_ref().into(), (*number).into(), (*flag).into()];
            assert_eq!(engine.execute(INSERT, &values).await.unwrap(), 1);
        }
        let read: Vec<Thing> = engine
            .query("select id, word, number, flag from things order by id", &[], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .await
            .unwrap();
        assert_eq!(read, things);
    });
}

#[test]
fn a_repeated_parameter_has_one_value() {
    on_every_engine(async |databases| {
        let engine = engine_with_things(&databases).await;
        let insert = "insert into things (id, number, word) values ($1, $1, $2)";
        engine.execute(insert, &[7.into(), "seven".into()]).await.unwrap();
        let word: Option<String> = engine
            .query_opt(
                "select word from things where number = $1 and word = $2 and id = $1",
                &[7.into(), "seven".into()],
                |row| row.get(0),
            )
            .await
            .unwrap();
        assert_eq!(word.as_deref(), Some("seven"));
    });
}

#[test]
fn a_query_with_several_sets_of_parameters_runs_once_for_each_in_order() {
    on_every_engine(async |databases| {
        let engine = engine_with_things(&databases).await;
        engine.execute(INSERT, &[1.into(), "one".into(), 0.into(), true.into()]).await.unwrap();
        let mut transaction = engine.transaction().await.unwrap();
        let add = "update things set number = number * 2 + $1 where id = $2 returning number";
        let sets = [(1, 1), (2, 1), (3, 404), (4, 1)]
            .map(|(number, id)| vec![i64::from(number).into(), i64::from(id).into()]);
        let numbers = transaction.query_each(add, &sets, |row| row.get::<i64>(0)).await.unwrap();
        assert_eq!(numbers, [vec![1], vec![4], vec![], vec![12]]);
        transaction.commit().await.unwrap();
    });
}

#[test]
fn a_dropped_transaction_is_rolled_back() {
    on_every_engine(async |databases| {
        let engine = engine_with_things(&databases).await;
        let mut transaction = engine.transaction().await.unwrap();
        let rows: Vec<_> =
            (0..5).map(|id| vec![id.into(), "x".into(), 1.into(), true.into()]).collect();
        transaction.execute_each(INSERT, &rows).await.unwrap();
        drop(transaction);
        assert_eq!(count_things(&engine).await, 0);
        // The lock is released too, and the connection can be used again.
        engine.execute(INSERT, &rows[0]).await.unwrap();
        assert_eq!(count_things(&engine).await, 1);
    });
}

#[test]
fn a_transaction_is_visible_to_others_after_its_commit() {
    on_every_engine(async |databases| {
        let engine = engine_with_things(&databases).await;
        let other = databases.engine("scratch").await;
        let mut transaction = engine.transaction().await.unwrap();
        transaction.execute(INSERT, &[1.into(), "x".into(), 1.into(), true.into()]).await.unwrap();
        assert_eq!(count_things(&engine).await, 0);
        assert_eq!(count_things(&other).await, 0);
        transaction.commit().await.unwrap();
        assert_eq!(count_things(&engine).await, 1);
        assert_eq!(count_things(&other).await, 1);
    });
}

/// The time limit of statements in a transaction.
async fn time_limit(engine: &Engine) -> Option<String> {
    let mut transaction = engine.transaction().await.unwrap();
    let read = transaction.query_opt(TIME_LIMIT, &[], |row| row.get(0)).await.unwrap();
    transaction.commit().await.unwrap();
    read
}

#[test]
fn a_scan_has_no_time_limit_and_leaves_the_limit_of_others_as_it_was() {
    on_every_engine(async |databases| {
        let engine = databases.engine("scratch").await;
        if engine.kind() == EngineKind::Sqlite {
            return;
        }
        assert_eq!(time_limit(&engine).await.as_deref(), Some("1min"));
        let connections = engine.pool_use();
        let mut limits: Vec<String> = Vec::new();
        let mut note = |row: &Row<'_>| {
            limits.push(row.get(0)?);
            Ok(())
        };
        engine.scan(TIME_LIMIT, &mut note).await.unwrap();
        assert_eq!(limits, ["0"]);
        // The next transaction uses the same connection.
        assert_eq!(time_limit(&engine).await.as_deref(), Some("1min"));
        assert_eq!(engine.pool_use(), connections);
        // After a scan that stops early its connection is closed.
        let stop = || Err(StoreError::Bug("enough".to_owned()));
        let stopped = engine.scan(TIME_LIMIT, &mut |_| stop()).await;
        assert!(matches!(stopped, Err(StoreError::Bug(_))));
        assert_eq!(engine.pool_use().idle, 0);
        assert_eq!(time_limit(&engine).await.as_deref(), Some("1min"));
    });
}

#[test]
fn a_duplicate_key_and_a_broken_check_are_conflicts() {
    on_every_engine(async |databases| {
        let engine = engine_with_things(&databases).await;
        engine.execute(INSERT, &[1.into(), "x".into(), 1.into(), true.into()]).await.unwrap();
        for (id, number) in [(1, 1), (2, -10)] {
            let values = [id.into(), "y".into(), number.into(), true.into()];
            let error = engine.execute(INSERT, &values).await.unwrap_err();
            assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
        }
        assert_eq!(count_things(&engine).await, 1);
    });
}

#[test]
fn wrong_sql_and_a_wrong_column_type_are_bugs() {
    on_every_engine(async |databases| {
        let engine = engine_with_things(&databases).await;
        engine.execute(INSERT, &[1.into(), "x".into(), 1.into(), true.into()]).await.unwrap();
        for sql in ["select nothing from nowhere", "select word from things"] {
            let error = engine.query(sql, &[], |row| row.get::<i64>(0)).await.unwrap_err();
            assert!(matches!(error, StoreError::Bug(_)), "{sql}: {error:?}");
        }
        assert_eq!(count_things(&engine).await, 1, "the engine still responds");
    });
}

async fn postgres_error(url: &str) -> String {
    let options = PostgresOptions { url: url.to_owned(), schema: "scratch" };
    // Ten times the connect timeout: only that there is a limit matters here.
    let opening = tokio::time::timeout(Duration::from_secs(60), Engine::open_postgres(options));
    match opening.await.expect("an opening that fails does so by itself") {
        Err(StoreError::Unavailable(reason)) => reason,
        Err(other) => panic!("{url}: {other:?}"),
        Ok(_) => panic!("{url} was opened"),
    }
}

#[test]
fn a_postgres_that_cannot_be_used_is_unavailable() {
    on_every_engine(async |databases| {
        let Some(url) = databases.database_url() else { return };
        // A listener that accepts connections and never responds, and one that is closed.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let silent_port = silent.local_addr().unwrap().port();
        let closed = TcpListener::bind("127.0.0.1:0").unwrap();
        let closed_port = closed.local_addr().unwrap().port();
        drop(closed);

        let silent =
            postgres_error(&format!("postgres://postgres@127.0.0.1:{silent_port}/x")).await;
        assert!(silent.contains("did not respond in time"), "{silent}");
        let closed =
            postgres_error(&format!("postgres://postgres@127.0.0.1:{closed_port}/x")).await;
        assert!(closed.contains("could not be reached"), "{closed}");
        let missing = postgres_error(&url.replace('?', "_that_is_missing?")).await;
        assert!(missing.contains("does not exist"), "{missing}");
        let invalid = postgres_error("no address at all").await;
        assert!(invalid.contains("is invalid"), "{invalid}");
    });
}

#[test]
fn a_file_that_cannot_be_a_database_is_unavailable_and_in_the_error() {
    on_every_engine(async |databases| {
        if databases.kind() == EngineKind::Postgres {
            return;
        }
        let directory = databases.directory().to_owned();
        let text = directory.join("letter.db");
        std::fs::write(&text, "Dear reader, this is not a database. ".repeat(200)).unwrap();
        // In /proc nobody can create a file, not even root.
        let unwritable = Path::new("/proc/self/ledger.db").to_owned();
        let without_parent = directory.join("missing/ledger.db");
        for path in [directory, text, unwritable, without_parent] {
            match Engine::open_sqlite(&path, Workload::Ledger) {
                Err(StoreError::Unavailable(reason)) => {
                    assert!(reason.contains(path.to_str().unwrap()), "{reason}");
                }
                Err(other) => panic!("{}: {other:?}", path.display()),
                Ok(_) => panic!("{} was opened", path.display()),
            }
        }
    });
}

async fn history(engine: &Engine) -> Vec<(i64, i64)> {
    engine
        .query("select number, applied_at from schema_history order by number", &[], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .await
        .unwrap()
}

#[test]
fn a_current_schema_is_not_changed() {
    on_every_engine(async |databases| {
        databases.register().await;
        databases.ledger().await;
        let histories = async || {
            let mut histories = Vec::new();
            for name in ["register", "ledger"] {
                histories.push(history(&databases.engine(name).await).await);
            }
            histories
        };
        let before = histories().await;
        for history in &before {
            assert!(!history.is_empty());
            assert!(history.iter().all(|(_, applied_at)| *applied_at == NOW_MS));
        }

        let later = NOW_MS + 1_000;
        Register::open(databases.engine("register").await, later).await.unwrap();
        Ledger::open(databases.engine("ledger").await, databases.secret(), later).await.unwrap();
        assert_eq!(histories().await, before);
    });
}

#[test]
fn data_of_a_newer_version_is_an_error_with_advice() {
    on_every_engine(async |databases| {
        databases.register().await;
        databases.ledger().await;
        for name in ["register", "ledger"] {
            let insert = "insert into schema_history (number, applied_at) values (99, $1)";
            databases.engine(name).await.execute(insert, &[NOW_MS.into()]).await.unwrap();
        }
        let engine = databases.engine("register").await;
        let register = Register::open(engine, NOW_MS).await.err().unwrap();
        let engine = databases.engine("ledger").await;
        let ledger = Ledger::open(engine, databases.secret(), NOW_MS).await.err().unwrap();
        for error in [register, ledger] {
            let StoreError::Unavailable(reason) = error else { panic!("{error:?}") };
            assert!(reason.contains("newer version of this program (schema 99"), "{reason}");
            assert!(reason.contains("restore a backup"), "{reason}");
        }
    });
}

#[test]
fn a_ledger_is_not_opened_with_another_secret() {
    on_every_engine(async |databases| {
        databases.ledger().await;
        let engine = databases.engine("ledger").await;
        let error = Ledger::open(engine, Secret::new([7; 32]), NOW_MS).await.err().unwrap();
        let StoreError::Unavailable(reason) = error else { panic!("{error:?}") };
        assert!(reason.contains("another secret"), "{reason}");
    });
}

#[test]
fn nodes_that_start_concurrently_on_an_empty_database_all_succeed() {
    on_every_engine(async |databases| {
        let mut starting = JoinSet::new();
        for _ in 0..8 {
            let databases = databases.clone();
            starting.spawn(async move {
                databases.register().await.ping().await.unwrap();
                databases.ledger().await.ping().await.unwrap();
            });
        }
        while let Some(started) = starting.join_next().await {
            started.unwrap();
        }
        let each_once: Vec<_> = LEDGER.iter().map(|migration| (migration.number, NOW_MS)).collect();
        assert_eq!(history(&databases.engine("ledger").await).await, each_once);
    });
}

#[test]
fn writers_on_several_handles_wait_for_each_other() {
    on_every_engine(async |databases| {
        let engine = engine_with_things(&databases).await;
        engine.execute(INSERT, &[1.into(), "sum".into(), 0.into(), true.into()]).await.unwrap();
        let mut writing = JoinSet::new();
        for _ in 0..4 {
            let engine = databases.engine("scratch").await;
            writing.spawn(async move {
                for _ in 0..25 {
                    let add = "update things set number = number + $1 where id = 1";
                    engine.execute(add, &[1.into()]).await.unwrap();
                }
            });
        }
        writing.join_all().await;
        let sum: Option<i64> =
            engine.query_opt("select number from things", &[], |row| row.get(0)).await.unwrap();
        assert_eq!(sum, Some(100));
    });
}
