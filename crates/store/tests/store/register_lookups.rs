//! Lookups at the same time: each returns the records of its own key, however they are sent.

use std::time::Duration;

use futures_util::future::join_all;
use panji_store::register::{Record, Register};
use panji_testkit::records::{self, CIN};
use panji_testkit::{NOW_MS, on_every_engine};
use tokio::time::timeout;

const COMPANIES: usize = 40;
/// More keys than companies: some are unknown.
const KEYS: usize = 60;
const LOOKUPS: usize = 600;

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
