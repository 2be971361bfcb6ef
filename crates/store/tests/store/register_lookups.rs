//! Lookups at the same time: each returns the records of its own key, however they are sent.

use std::time::Duration;

use futures_util::future::join_all;
use panji_store::Engine;
use panji_store::engine::EngineKind;
use panji_store::register::{Record, Register};
use panji_testkit::records::{self, CIN};
use panji_testkit::{NOW_MS, on_both_engines, on_every_engine};
use tokio::time::timeout;

const COMPANIES: usize = 40;
/// More keys than companies: some are unknown.
const KEYS: usize = 60;
const LOOKUPS: usize = 600;
/// Times that combined lookups are repeated.
const ROUNDS: usize = 100;

fn cin(number: usize) -> String {
    format!("U17110MH2001PTC99{:04}", number % KEYS)
}

async fn store_companies(register: &Register) {
    let company =
        |number| Record::Company(records::company(&cin(number), &format!("Namuna {number}")));
    let companies: Vec<Record> = (0..COMPANIES).map(company).collect();
    register.store_batch(&companies, NOW_MS).await.unwrap();
}

/// The name of the company with each of many numbers, looked up at the same time.
async fn check_names(register: &Register) {
    let names = (0..LOOKUPS).map(async |number| {
        let found = register.find_company(&cin(number)).await.unwrap();
        found.map(|company| company.name)
    });
    for (number, name) in join_all(names).await.into_iter().enumerate() {
        let number = number % KEYS;
        assert_eq!(name, (number < COMPANIES).then(|| format!("Namuna {number}")));
    }
}

#[test]
fn lookups_at_the_same_time_return_the_records_of_their_own_keys() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        store_companies(&register).await;
        check_names(&register).await;
        // Several rows for a key, and keys without any.
        register.store_batch(&records::one_of_each(), NOW_MS).await.unwrap();
        let alone = register.list_charges(CIN).await.unwrap();
        assert!(!alone.is_empty());
        let lists = (0..LOOKUPS).map(async |number| {
            let key = if number % 2 == 0 { CIN.to_owned() } else { cin(number) };
            register.list_charges(&key).await.unwrap()
        });
        for (number, charges) in join_all(lists).await.into_iter().enumerate() {
            assert_eq!(charges, if number % 2 == 0 { alone.clone() } else { Vec::new() });
        }
        // Many keys in one call have their rows in the order of the keys.
        let keys: Vec<String> = (0..LOOKUPS).map(cin).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let found = register.find_companies(&keys).await.unwrap();
        for (number, (key, found)) in keys.iter().zip(found).enumerate() {
            let known = number % KEYS < COMPANIES;
            assert_eq!(found.map(|company| company.cin), known.then(|| (*key).to_owned()));
        }
    });
}

/// How often statements with this text ran on the shared connections: with the plan that the server keeps,
/// and with a plan for the values.
async fn count_runs(engine: &Engine, sql: &'static str) -> (i64, i64) {
    let counts = engine.query_each(sql, |row| Ok((row.get(0)?, row.get(1)?))).await.unwrap();
    counts.into_iter().fold((0, 0), |sum, each: (i64, i64)| (sum.0 + each.0, sum.1 + each.1))
}

/// So many that an index is used. Analyzed, so that the server does not do it later: plans would change.
const MANY_WORDS: &str = "with recursive numbers (number) as \
    (select 1 union all select number + 1 from numbers where number < 2000) \
    insert into words (key, word) select cast(number as text), 'another' from numbers; \
    analyze words";

macro_rules! count_runs_of {
    ($condition:literal) => {
        concat!(
            "select coalesce(sum(generic_plans), 0)::bigint, coalesce(sum(custom_plans), 0)::bigint \
             from pg_prepared_statements where statement like '%word from words%' \
             and statement not like '%pg_prepared%' and statement ",
            $condition,
            " '%unnest%'"
        )
    };
}

#[test]
fn lookups_at_the_same_time_are_combined_into_queries_that_are_planned_once() {
    on_both_engines(async |databases| {
        let mut engine = databases.engine("scratch").await;
        engine.combine_lookups();
        let mut transaction = engine.transaction().await.unwrap();
        let create = "create table words (key text primary key, word text not null)";
        transaction.run_script(create).await.unwrap();
        for number in 0..COMPANIES {
            let (key, word) = (cin(number), format!("word {number}"));
            let insert = "insert into words (key, word) values ($1, $2)";
            transaction.execute(insert, &[(&key).into(), (&word).into()]).await.unwrap();
        }
        transaction.run_script(MANY_WORDS).await.unwrap();
        transaction.commit().await.unwrap();
        for round in 0..ROUNDS {
            // Half of them exist. For few keys a new plan seems to cost less than the one for any keys.
            let lookups = if round < ROUNDS / 2 { 8 } else { 40 };
            let found = join_all((0..lookups).map(async |number| {
                let key = cin(COMPANIES - lookups / 2 + number);
                let find = "select word from words where key = $1";
                engine.look_up(find, &[(&key).into()], |row| row.get::<String>(0)).await.unwrap()
            }));
            for (number, words) in found.await.into_iter().enumerate() {
                let number = COMPANIES - lookups / 2 + number;
                let known = number < COMPANIES;
                assert_eq!(words, Vec::from_iter(known.then(|| format!("word {number}"))));
            }
        }
        if engine.kind() == EngineKind::Postgres {
            let (kept, planned) = count_runs(&engine, count_runs_of!("like")).await;
            let (alone, alone_planned) = count_runs(&engine, count_runs_of!("not like")).await;
            assert!(kept + planned > 0, "no lookups were combined");
            let keys = (ROUNDS / 2 * (40 + 8)) as i64;
            assert!(alone + alone_planned < keys / 2, "{} of {keys} alone", alone + alone_planned);
            // The server tries five plans for the values on each connection.
            assert!(planned <= 5 * 4, "{planned} queries were planned, {kept} were not");
        }
    });
}

#[test]
fn lookups_that_are_abandoned_keep_no_others_waiting() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        store_companies(&register).await;
        for _ in 0..20 {
            let abandoned = (0..LOOKUPS).map(async |number| {
                let cin = cin(number);
                timeout(Duration::ZERO, register.find_company(&cin)).await.is_ok()
            });
            join_all(abandoned).await;
        }
        check_names(&register).await;
    });
}

#[test]
fn a_key_that_the_engine_refuses_fails_alone() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        store_companies(&register).await;
        let found = join_all((0..LOOKUPS).map(async |number| {
            // PostgreSQL has no text with this character.
            let key = if number % 7 == 3 { "\0".to_owned() } else { cin(number) };
            (key.clone(), register.find_company(&key).await)
        }));
        for (number, (key, found)) in found.await.into_iter().enumerate() {
            if key == "\0" {
                assert!(!matches!(found, Ok(Some(_))));
                continue;
            }
            assert_eq!(found.unwrap().is_some(), number % KEYS < COMPANIES, "{key}");
        }
    });
}
