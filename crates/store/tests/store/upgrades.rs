//! Upgrades: this program opens data of every earlier schema, on both engines, without loss.
//! `versions/` contains the rows that a program of each schema wrote.

use panji_store::Ledger;
use panji_store::engine::Engine;
use panji_store::ledger::MIGRATIONS as LEDGER;
use panji_store::migrate::{Migration, migrate};
use panji_store::register::MIGRATIONS as REGISTER;
use panji_testkit::{Databases, NOW_MS, on_every_engine};
use sha2::{Digest, Sha256};
use tokio::task::JoinSet;

mod ledger;
mod register;

/// The rows that each version of the ledger added.
const LEDGER_ROWS: [&str; 19] = [
    include_str!("versions/ledger_1.sql"),
    include_str!("versions/ledger_2.sql"),
    include_str!("versions/ledger_3.sql"),
    include_str!("versions/ledger_4.sql"),
    include_str!("versions/ledger_5.sql"),
    include_str!("versions/ledger_6.sql"),
    include_str!("versions/ledger_7.sql"),
    include_str!("versions/ledger_8.sql"),
    include_str!("versions/ledger_9.sql"),
    include_str!("versions/ledger_10.sql"),
    include_str!("versions/ledger_11.sql"),
    include_str!("versions/ledger_12.sql"),
    include_str!("versions/ledger_13.sql"),
    include_str!("versions/ledger_14.sql"),
    include_str!("versions/ledger_15.sql"),
    include_str!("versions/ledger_16.sql"),
    include_str!("versions/ledger_17.sql"),
    include_str!("versions/ledger_18.sql"),
    include_str!("versions/ledger_19.sql"),
];
/// The rows that each version of the register added.
const REGISTER_ROWS: [&str; 11] = [
    include_str!("versions/register_1.sql"),
    include_str!("versions/register_2.sql"),
    include_str!("versions/register_3.sql"),
    include_str!("versions/register_4.sql"),
    include_str!("versions/register_5.sql"),
    include_str!("versions/register_6.sql"),
    include_str!("versions/register_7.sql"),
    include_str!("versions/register_8.sql"),
    include_str!("versions/register_9.sql"),
    include_str!("versions/register_10.sql"),
    include_str!("versions/register_11.sql"),
];

/// The digests of the scripts as they were released.
const LEDGER_SCRIPTS: [&str; 19] = [
    "ee4e7e1fe2c029e04bcfc720074a61c0091ef36fd2cbee9c7e1faa515f580f1e",
    "078308f85f5f64d5f17f97a96139af14f33109d9a58cc8b6c3491b79b1fe5b61",
    "e052846d05d9515b676ab248d20d4c386f95a64f8e5f6ebfee7048e810a55125",
    "3d83ee6683cb9ee2cf64b6ba50e35a4ee146c62d443b6a6ac10646ac45248b41",
    "2beda8572cbed29283beec4de0aed933158bf8e7f15e179b6bd2af34d76d4be4",
    "850183690e73b2b302892e2fc85a17a04eb5ca367521f6f1f6bf5e241c4a7043",
    "2661af57eea266c606e6fb82af3bd371dec5a18bb096749d516f61c6aec6e5ca",
    "e9de5d037b517cdbc85a99063e60d409f91eaf2b78aba2c51f0a0d910bceb94a",
    "3b318517386f4e9c7c45d76f3cedb89db979ad57f754f3782f6d542a7796be24",
    "9226731ca5ba32f5c5b87f6f3094a663ee8b1e3f0278c96971a1c4033c3a71f4",
    "81345d96981800427291b7bc86350b2923bb71c68eb4d2ae4d92871278375e73",
    "4937fbd73fa4cc73d792bd5cad18dea06b9dbee4cd19960c48173c6f1c15f055",
    "4ccd2ceb93c52c4bea27f74eff4cc5c3c870bb7da57d0739a77add72080b25a1",
    "02325c860a0cc34d7e88cd319ccb41e59a5d7aed53387e31b1b49a9d89ac295b",
    "e3db70a56e4287baf644dc4e29780f8d54da40fe7b966696f1b74a30a95f879f",
    "a56989b62e88850aa8dbaeceed0fbbfc73fc889b0c0e8c59baba2c02c88fb98b",
    "30d7fadef2190fe95e8dff9bf05e13a1ce878dd6a34c1a19882cf078780ab79c",
    "5e3f309cfff024ab79c10408a5598ff5d06b1baa0e8b79e6b97ef0c9caa6d5cd",
    "2e4bd604f29bc9191514626714dedbf30f14639d56643d3d5a77a126e5d56224",
];
const REGISTER_SCRIPTS: [&str; 11] = [
    "9567b53a89e5c4ccf17a5bfbc328c03dbb90656522034a13e0ab6f2eb48e120a",
    "34d0fe229126bc24862d6ec6f1fd299905de336d0492ed2cbd8d246c4cb6e84a",
    "a448d87e035657c797fb46a95c040b5eeac6bd5cf3ba6a12ed23ff99205d3b9a",
    "c08e5c7fa48f14a583946506df54bf07422c42d49cfa798b9af46e449fe8fa51",
    "5822d388877f5e19ada3d4e0a609e45294f795e47940fa33553b0ec10e21a7cb",
    "502d22c35709b5f5d18bf76c7ef20e4ac389336273c3de39d9f4e939b453e4a9",
    "b668289e962a51ae8eff91424935ff049581a40e3d33b3c5c2864cc956154e73",
    "df7f8d8cca83f67378ecef715895149e0c21e9750a6ac8cfdb489808146c24ff",
    "6b5cf68bc8b1688f86d9d62a1628b6a86e5909848a69dd5f4486d5c49d813b9d",
    "e58a1b426654af515f7f56b06b2bbbbf5a20ffa9eb611c770b1f663f8f71cd02",
    "1e09c072194c0c6b6b72cb28d9ddfeaee21c8610b45c2de1b90c915518b1ba92",
];

/// Creates the data of an earlier schema: each version's script, then the rows of that version.
async fn create_old_data(engine: &Engine, migrations: &[Migration], rows: &[&str], schema: usize) {
    for version in 1..=schema {
        migrate(engine, &migrations[..version], NOW_MS).await.unwrap();
        let mut transaction = engine.transaction().await.unwrap();
        transaction.run_script(rows[version - 1]).await.unwrap();
        transaction.commit().await.unwrap();
    }
}

async fn upgraded_ledger(databases: &Databases) -> Ledger {
    let engine = databases.engine("ledger").await;
    Ledger::open(engine, databases.secret(), NOW_MS + 1_000).await.unwrap()
}

#[test]
fn a_released_migration_is_never_changed() {
    for (migrations, released) in [(LEDGER, &LEDGER_SCRIPTS[..]), (REGISTER, &REGISTER_SCRIPTS)] {
        assert_eq!(
            migrations.len(),
            released.len(),
            "a new migration needs its digest and what its version writes in versions/"
        );
        for (migration, released) in migrations.iter().zip(released) {
            let digest = Sha256::digest(migration.script.as_bytes());
            let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(&digest, released, "migration {}", migration.number);
        }
    }
}

#[test]
fn nodes_that_upgrade_concurrently_migrate_once() {
    on_every_engine(async |databases| {
        create_old_data(&databases.engine("ledger").await, LEDGER, &LEDGER_ROWS, 1).await;
        let mut starting = JoinSet::new();
        for _ in 0..6 {
            let databases = databases.clone();
            starting.spawn(async move { upgraded_ledger(&databases).await.ping().await.unwrap() });
        }
        while let Some(started) = starting.join_next().await {
            started.unwrap();
        }
        let engine = databases.engine("ledger").await;
        let history = "select number from schema_history order by number";
        let numbers: Vec<i64> = engine.query(history, &[], |row| row.get(0)).await.unwrap();
        assert_eq!(numbers, LEDGER.iter().map(|migration| migration.number).collect::<Vec<_>>());
        ledger::check_use(&upgraded_ledger(&databases).await, 1).await;
    });
}
