//! Tests of an upgrade that is killed at every stage: the schema is the old one or the new one, and
//! the next start finishes the work.

use std::process::Stdio;
use std::time::Duration;

use panji_store::Engine;
use panji_store::engine::{PostgresOptions, Workload};
use panji_store::migrate::migrate;
use panji_store::register::MIGRATIONS;
use panji_testkit::on_both_engines;

use crate::program::Program;

/// Enough records that the upgrade takes a while.
const COMPANIES: i64 = 60_000;
/// How much later each kill comes than the previous one.
const STEP: Duration = Duration::from_millis(6);
const MAX_KILLS: u32 = 200;

const FILL: &str = "insert into companies (cin, name, kind, status, former_names, former_cins, as_of, \
    source) with recursive numbers (number) as (select 1 union all select number + 1 from numbers \
    where number < 60000) select 'U17110MH2001PTC' || cast(number + 100000 as text), \
    'Udaharan Mills Limited', 'company', 'active', '[]', '[]', '2026-01-10', \
    'namuna ' || cast(number % 7 as text) from numbers";

async fn open(program: &Program, database_url: Option<&str>) -> Engine {
    match database_url {
        None => {
            let path = program.data_dir().join("register.db");
            Engine::open_sqlite(&path, Workload::Register).unwrap()
        }
        Some(url) => {
            let options = PostgresOptions { url: url.to_owned(), schema: "panji_register" };
            Engine::open_postgres(options).await.unwrap()
        }
    }
}

async fn schema(engine: &Engine) -> i64 {
    let newest = "select max(number) from schema_history";
    engine.query_opt(newest, &[], |row| row.get(0)).await.unwrap().unwrap()
}

#[test]
fn an_upgrade_killed_at_any_stage_is_complete_or_not_done() {
    on_both_engines(async |databases| {
        let url = databases.database_url();
        let program = Program::new(&databases.directory().join("data"), url);
        std::fs::create_dir(program.data_dir()).unwrap();
        let engine = open(&program, url).await;
        migrate(&engine, &MIGRATIONS[..1], 0).await.unwrap();
        engine.execute(FILL, &[]).await.unwrap();
        let mut kills = 0;
        while schema(&engine).await == 1 {
            kills += 1;
            assert!(kills < MAX_KILLS, "the upgrade never finished");
            let mut running = program.command(&["status"]);
            let mut running = running.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(STEP * kills);
            running.kill().unwrap();
            running.wait().unwrap();
        }
        assert!(kills > 1, "no kill came before the end");
        let status = program.json(&["status"]);
        let record_counts = status["record_counts"].as_array().unwrap();
        assert_eq!(record_counts.len(), 7, "{record_counts:?}");
        let records = record_counts.iter().map(|count| count["records"].as_i64().unwrap());
        assert_eq!(records.sum::<i64>(), COMPANIES, "{record_counts:?}");
        assert_eq!(schema(&engine).await, MIGRATIONS.len() as i64);
    });
}
