//! Citus with two workers: the distribution of the tables, and how an existing database is sharded.
//! The other tests of register and ledger also run on Citus.

use panji_store::engine::Engine;
use panji_store::ledger::{MIGRATIONS as LEDGER, Mode};
use panji_store::migrate::migrate;
use panji_store::register::{MIGRATIONS as REGISTER, Record};
use panji_store::{Register, StoreError};
use panji_testkit::records::{CIN, company};
use panji_testkit::{Databases, NOW_MS, on_both_engines, on_citus};

use crate::{account_with, assert_clean, balance, call, charge};

/// The sharded tables and their distribution columns.
const SHARDED: [(&str, &str); 37] = [
    ("appointments", "cin"),
    ("balances", "account_id"),
    ("bulk_chunks", "account_id"),
    ("bulk_jobs", "account_id"),
    ("changes", "seq"),
    ("charges", "cin"),
    ("companies", "cin"),
    ("company_aliases", "former_cin"),
    ("company_joins", "former_cin"),
    ("company_leis", "cin"),
    ("company_pans", "cin"),
    ("credit_ratings", "cin"),
    ("directors", "din"),
    ("documents", "cin"),
    ("entries", "account_id"),
    ("epfo_establishments", "cin"),
    ("filings", "cin"),
    ("financial_years", "cin"),
    ("gst_filings", "gstin"),
    ("gst_registrations", "gstin"),
    ("idempotency", "account_id"),
    ("key_spending", "account_id"),
    ("lei_entities", "lei"),
    ("lei_parents", "lei"),
    ("match_decisions", "account_id"),
    ("match_rows", "account_id"),
    ("unresolved_charges", "account_id"),
    ("usage", "account_id"),
    ("usage_by_day", "account_id"),
    ("view_answers", "account_id"),
    ("watch_members", "account_id"),
    ("watch_states", "account_id"),
    ("watched_events", "account_id"),
    ("watchlists", "account_id"),
    ("webhook_attempts", "account_id"),
    ("webhook_deliveries", "account_id"),
    ("webhooks", "account_id"),
];

async fn workers(engine: &Engine) -> Vec<(String, i64)> {
    let sql = "select nodename, cast(nodeport as bigint) from pg_dist_node where groupid <> 0 \
               order by nodeport";
    engine.query(sql, &[], |row| Ok((row.get(0)?, row.get(1)?))).await.unwrap()
}

async fn run_for_workers(engine: &Engine, sql: &'static str, workers: &[(String, i64)]) {
    for (host, port) in workers {
        engine.query(sql, &[host.into(), (*port).into()], |_| Ok(())).await.unwrap();
    }
}

const ADD: &str = "select citus_add_node($1, cast(cast($2 as bigint) as int))";
const REMOVE: &str = "select citus_remove_node($1, cast(cast($2 as bigint) as int))";

#[test]
fn large_tables_are_sharded_by_key_and_the_others_are_registered_on_the_coordinator() {
    on_citus(async |databases| {
        let register = databases.register().await;
        databases.ledger().await;
        let distribution = register.find_sharding().await.unwrap().unwrap();
        assert_eq!(distribution.workers, 2);
        let mut tables: Vec<(&str, &str)> = distribution
            .tables
            .iter()
            .map(|spread| (spread.table.as_str(), spread.by.as_str()))
            .collect();
        tables.sort_unstable();
        assert_eq!(tables, SHARDED);
        for name in ["register", "ledger"] {
            let engine = databases.engine(name).await;
            let plain = "select cast(tablename as text) from pg_tables \
                         where schemaname = current_schema() and not exists (select 1 \
                         from pg_dist_partition where logicalrelid = cast(tablename as regclass))";
            let plain: Vec<String> = engine.query(plain, &[], |row| row.get(0)).await.unwrap();
            assert_eq!(plain, ["schema_history"]);
        }
    });
}

#[test]
fn related_rows_are_on_one_worker() {
    on_citus(async |databases| {
        databases.register().await;
        databases.ledger().await;
        let engine = databases.engine("register").await;
        let groups = "select replace(column_to_column_name(logicalrelid, partkey), 'former_', '') \
                      as owner, count(distinct colocationid), count(*) from pg_dist_partition \
                      where partmethod = 'h' group by owner order by owner";
        let groups: Vec<(String, i64, i64)> = engine
            .query(groups, &[], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .await
            .unwrap();
        let groups: Vec<(&str, i64, i64)> = groups
            .iter()
            .map(|(owner, places, tables)| (owner.as_str(), *places, *tables))
            .collect();
        let each_in_one =
            [("account_id", 1, 8), ("cin", 1, 10), ("din", 1, 1), ("gstin", 1, 2), ("seq", 1, 1)];
        assert_eq!(groups, each_in_one);
    });
}

#[test]
fn a_database_that_gets_workers_later_is_sharded_with_all_its_rows() {
    on_citus(async |databases| {
        let bare = databases.engine("register").await;
        let workers = workers(&bare).await;
        run_for_workers(&bare, REMOVE, &workers).await;
        let account_id = fill(&databases).await;
        let before = databases.register().await.find_sharding().await.unwrap().unwrap();
        assert_eq!((before.workers, before.tables.len()), (0, 0));

        run_for_workers(&bare, ADD, &workers).await;
        // Twice: the second start finds everything done.
        for _ in 0..2 {
            let (register, ledger) = (databases.register().await, databases.ledger().await);
            let after = register.find_sharding().await.unwrap().unwrap();
            assert_eq!((after.workers, after.tables.len()), (2, SHARDED.len()));
            assert_eq!(register.find_company(CIN).await.unwrap().unwrap().cin, CIN);
            assert_eq!(register.list_changes(0, 10).await.unwrap().len(), 1);
            assert!(register.size_bytes().await.unwrap() > 0);
            assert_eq!(balance(&ledger, &account_id).await, 90);
            assert_clean(&ledger).await;
        }
        let ledger = databases.ledger().await;
        let outcome = charge(&ledger, call(&account_id, "req_spread", 10), 0).await;
        assert_eq!((outcome.charged, outcome.remaining), (Ok(10), 80));
        // The original tables are empty afterwards.
        let left =
            "select cast(sum(pg_relation_size(logicalrelid)) as bigint) from pg_dist_partition";
        let left: Option<i64> = bare.query_opt(left, &[], |row| row.get(0)).await.unwrap();
        assert_eq!(left, Some(0));
    });
}

/// A company, and an account that has made a call.
async fn fill(databases: &Databases) -> String {
    let batch = [Record::Company(company(CIN, "Namuna Textiles Private Limited"))];
    databases.register().await.store_batch(&batch, NOW_MS).await.unwrap();
    let ledger = databases.ledger().await;
    let account_id = account_with(&ledger, 100).await;
    charge(&ledger, call(&account_id, "req_plain", 10), 0).await.charged.unwrap();
    account_id
}

#[test]
fn workers_without_a_registered_coordinator_are_an_error_with_advice() {
    on_citus(async |databases| {
        let bare = databases.engine("register").await;
        let coordinator = "select nodename, cast(nodeport as bigint) from pg_dist_node \
                           where groupid = 0";
        let coordinator: Vec<(String, i64)> =
            bare.query(coordinator, &[], |row| Ok((row.get(0)?, row.get(1)?))).await.unwrap();
        run_for_workers(&bare, REMOVE, &coordinator).await;
        let error = Register::open(databases.engine("register").await, NOW_MS).await.err().unwrap();
        let StoreError::Unavailable(reason) = error else { panic!("{error:?}") };
        assert!(reason.contains("citus_set_coordinator_host"), "{reason}");
    });
}

#[test]
fn an_upgrade_of_a_sharded_database_shards_the_new_tables() {
    on_citus(async |databases| {
        let engine = databases.engine("ledger").await;
        migrate(&engine, &LEDGER[..3], NOW_MS).await.unwrap();
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        assert_eq!(ledger.list_bulk_jobs(&account_id, Mode::Live).await.unwrap(), []);
        let register = databases.engine("register").await;
        migrate(&register, &REGISTER[..1], NOW_MS).await.unwrap();
        let register = databases.register().await;
        let tables = register.find_sharding().await.unwrap().unwrap().tables;
        assert_eq!(tables.len(), SHARDED.len());
    });
}

#[test]
fn other_engines_have_no_sharding() {
    on_both_engines(async |databases| {
        assert_eq!(databases.register().await.find_sharding().await.unwrap(), None);
    });
}
