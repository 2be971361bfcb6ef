//! Upgrades: this program opens data of every earlier schema, on both engines, without loss.
//! `versions/` contains the rows that a program of each schema wrote.

use panji_store::engine::Engine;
use panji_store::ledger::{
    AttemptPage, DisabledReason, EXPORT_SECTIONS, EntryKind, EventFilter, ExportRow,
    IdempotencyClaim, JobState, KeyKind, KeyText, MIGRATIONS as LEDGER, Mode, Role,
};
use panji_store::migrate::{Migration, migrate};
use panji_store::register::{
    CoveredSection, DocumentFilter, MIGRATIONS as REGISTER, Record, reported_periods,
};
use panji_store::{Ledger, Register};
use panji_testkit::records::{CIN, DIN, GSTIN, LEI, PAN, PARENT_LEI, company};
use panji_testkit::{Databases, NOW_MS, on_every_engine};
use sha2::{Digest, Sha256};
use tokio::task::JoinSet;

use crate::{assert_clean, call, charge};

const ACCOUNT: &str = "acc_01KEZZ0000NAMVNATRADERS001";
const EMAIL: &str = "asha@example.in";

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
fn a_ledger_of_every_earlier_schema_is_opened_without_loss() {
    for schema in 1..=LEDGER.len() {
        on_every_engine(async |databases| {
            create_old_data(&databases.engine("ledger").await, LEDGER, &LEDGER_ROWS, schema).await;
            let ledger = upgraded_ledger(&databases).await;
            check_schema_1(&ledger, schema).await;
            if schema >= 2 {
                check_schema_2(&ledger).await;
            }
            if schema >= 3 {
                check_schema_3(&ledger).await;
            }
            if schema >= 4 {
                check_schema_4(&ledger).await;
            }
            if schema >= 7 {
                assert_eq!(export(&ledger, "unresolved_charges").await.len(), 1);
            }
            if schema >= 10 {
                check_schema_10(&ledger).await;
            }
            check_request_details(&ledger, schema).await;
            if schema >= 12 {
                check_schema_12(&ledger).await;
            }
            if schema >= 19 {
                check_job_states(&ledger).await;
            }
            check_match_decisions(&ledger, schema).await;
            check_watching(&ledger, schema).await;
            check_webhooks(&ledger, schema).await;
            check_log_in_methods(&ledger, schema).await;
            check_use(&ledger, schema).await;
            let verified = ledger.verify_audit_log().await.unwrap();
            assert_eq!(verified, (u64::from(schema >= 5), Vec::new()));
        });
    }
}

#[test]
fn the_states_of_jobs_of_schema_18_get_the_names_of_the_api() {
    on_every_engine(async |databases| {
        let engine = databases.engine("ledger").await;
        create_old_data(&engine, LEDGER, &LEDGER_ROWS, 18).await;
        // The rows of schema 19 with the states as schema 18 stored them.
        let rows = LEDGER_ROWS[18]
            .replace("'awaiting_approval'", "'draft'")
            .replace("'cancelled'", "'stopped'");
        let mut transaction = engine.transaction().await.unwrap();
        transaction.run_script(&rows).await.unwrap();
        transaction.commit().await.unwrap();
        let ledger = upgraded_ledger(&databases).await;
        check_job_states(&ledger).await;
        check_schema_4(&ledger).await;
    });
}

/// The rows of one section of the account's export.
async fn export(ledger: &Ledger, name: &str) -> Vec<ExportRow> {
    let section = EXPORT_SECTIONS.iter().find(|section| section.name == name).unwrap();
    ledger.list_export_rows(ACCOUNT, section, section.start).await.unwrap()
}

async fn check_schema_1(ledger: &Ledger, schema: usize) {
    let account = ledger.find_account(EMAIL).await.unwrap().unwrap();
    assert_eq!((account.id.as_str(), account.suspended_at), (ACCOUNT, None));
    assert_eq!(account.operator_since.is_some(), schema >= 2);
    let other = ledger.find_account("ravi@example.in").await.unwrap().unwrap();
    assert_eq!(other.suspended_at, Some(NOW_MS - 1_000));
    let text = KeyText::generate(KeyKind::Api, Mode::Live, |bytes| bytes.fill(7));
    let known = ledger.find_key(&ledger.hash_key(&text)).await.unwrap().unwrap();
    assert_eq!(known.key.allowed_addresses, ["203.0.113.0/24", "2001:db8::/32"]);
    assert_eq!(known.key.allowed_operations, ["getCompany", "getDirector"]);
    assert_eq!((known.key.monthly_cap, known.account_suspended), (Some(5_000), false));
    let live = ledger.find_balance(ACCOUNT, Mode::Live, NOW_MS).await.unwrap().unwrap();
    let expected = match schema {
        ..3 => 87,
        3..18 => 587,
        18.. => 580,
    };
    assert_eq!(live.balance, expected);
    assert_eq!(live.quota_used, 1);
    let test = ledger.find_balance(ACCOUNT, Mode::Test, NOW_MS).await.unwrap().unwrap();
    assert_eq!(test.balance, 10_000);
    let mut entries = ledger.list_entries(ACCOUNT, Mode::Live, 10).await.unwrap();
    entries.retain(|entry| entry.seq < 4);
    let entries: Vec<_> = entries.iter().map(|entry| (entry.kind, entry.amount)).collect();
    assert_eq!(
        entries,
        [(EntryKind::Charge, -3), (EntryKind::Charge, -10), (EntryKind::Grant, 100)]
    );
    let request_id = "req_01KEZZ0000NAMVNAREQVEST001";
    assert_eq!(ledger.find_usage(ACCOUNT, request_id).await.unwrap(), Some(10));
    let claim = ledger
        .claim_idempotency_key(
            (ACCOUNT, Mode::Live),
            ("order-17", false),
            "f00d",
            "req_new",
            NOW_MS,
        )
        .await
        .unwrap();
    let IdempotencyClaim::Replay(response) = claim else { panic!("{claim:?}") };
    assert_eq!((response.credits_charged, response.data.as_str()), (3, "{\"total\":3}"));
}

async fn check_schema_2(ledger: &Ledger) {
    let session = ledger.find_session("a cookie of the tests", NOW_MS).await.unwrap().unwrap();
    assert_eq!((session.person.email.as_str(), session.role), (EMAIL, Role::Owner));
    assert_eq!((session.account.id.as_str(), session.mode), (ACCOUNT, Mode::Live));
    assert_eq!(session.method, None);
    let invited = ledger.list_invitations(ACCOUNT, NOW_MS).await.unwrap();
    assert_eq!(invited.len(), 1);
    assert_eq!((invited[0].email.as_str(), invited[0].role), ("meena@example.in", Role::Developer));
}

async fn check_schema_3(ledger: &Ledger) {
    let order = ledger.find_order("order_namuna_1").await.unwrap().unwrap();
    assert_eq!((order.credits, order.total, order.paid_at.is_some()), (500, 59_000, true));
    assert_eq!(order.buyer.unwrap().name, "Namuna Traders");
    let invoice = ledger.find_invoice(ACCOUNT, "order_namuna_1").await.unwrap().unwrap();
    assert_eq!(invoice.number, "PNJ/2526/0000001");
    assert_eq!(ledger.find_warn_below(ACCOUNT).await.unwrap(), 50);
    let details = ledger.find_billing_details(ACCOUNT).await.unwrap().unwrap();
    assert_eq!(details.address, "4 Udaharan Road");
}

async fn check_schema_4(ledger: &Ledger) {
    let jobs = ledger.list_bulk_jobs(ACCOUNT, Mode::Live).await.unwrap();
    let states: Vec<_> = jobs.iter().map(|job| (job.name.as_str(), job.state)).collect();
    assert_eq!(states, [("more.csv", JobState::Paused), ("dins.csv", JobState::Done)]);
    ledger.delete_expired_responses(NOW_MS + 10 * crate::DAY_MS).await.unwrap();
    let claim = ledger
        .claim_idempotency_key(
            (ACCOUNT, Mode::Live),
            ("job_01KEZZ0000NAMVNAJOB0000002/0", true),
            "beef",
            "req_new",
            NOW_MS + 10 * crate::DAY_MS,
        )
        .await
        .unwrap();
    assert!(
        matches!(claim, IdempotencyClaim::Replay(_)),
        "a job's response does not expire: {claim:?}"
    );
}

async fn check_schema_10(ledger: &Ledger) {
    let account = ledger.find_account("leela@example.in").await.unwrap().unwrap();
    let test = ledger.find_balance(&account.id, Mode::Test, NOW_MS).await.unwrap().unwrap();
    assert_eq!(test.balance, 9_990, "the test credits of this day are not renewed");
    let entries = ledger.list_entries(&account.id, Mode::Test, 10).await.unwrap();
    assert_eq!(entries.last().unwrap().reference.as_ref(), "test:2026-01-15:0");
}

/// What an older program did not store about a request is unknown.
async fn check_request_details(ledger: &Ledger, schema: usize) {
    let old = ledger.find_request(ACCOUNT, "req_01KEZZ0000NAMVNAREQVEST001").await.unwrap();
    let old = old.unwrap();
    assert_eq!((old.subject, old.error_code, old.duration_us), (None, None, None));
    let new = ledger.find_request(ACCOUNT, "req_01KEZZ0000NAMVNAREQVEST005").await.unwrap();
    assert_eq!(new.is_some(), schema >= 11);
    if let Some(new) = new {
        assert_eq!(new.subject.as_deref(), Some("99999404"));
        assert_eq!(new.error_code.as_deref(), Some("director_not_found"));
        assert_eq!(new.duration_us, Some(812));
        assert_eq!((new.target, new.error_message, new.person_id), (None, None, None));
    }
    let newest = ledger.find_request(ACCOUNT, "req_01KEZZ0000NAMVNAREQVEST006").await.unwrap();
    assert_eq!(newest.is_some(), schema >= 16);
    if let Some(newest) = newest {
        assert_eq!(newest.target.as_deref(), Some("GET /v1/directors/99999404"));
        assert_eq!(newest.person_id.as_deref(), Some("per_01KEZZ0000NAMVNAPERSON0001"));
    }
    let hours = ledger.list_health(0).await.unwrap();
    assert_eq!(hours.len(), usize::from(schema >= 16));
}

async fn check_schema_12(ledger: &Ledger) {
    let account = ledger.find_account("leela@example.in").await.unwrap().unwrap();
    let jobs = ledger.list_bulk_jobs(&account.id, Mode::Test).await.unwrap();
    assert_eq!(jobs.len(), 1);
    assert_eq!(jobs[0].key_id, "key_01KEZZ0000NAMVNAKEY0000003");
    assert_eq!(jobs[0].counts, "{\"valid\":2}");
}

async fn check_job_states(ledger: &Ledger) {
    let jobs = ledger.list_bulk_jobs(ACCOUNT, Mode::Test).await.unwrap();
    let states: Vec<_> = jobs.iter().map(|job| (job.name.as_str(), job.state)).collect();
    let expected =
        [("discarded.csv", JobState::Cancelled), ("new.csv", JobState::AwaitingApproval)];
    assert_eq!(states, expected);
}

/// A job of an older program has no decisions about its rows.
async fn check_match_decisions(ledger: &Ledger, schema: usize) {
    let account = ledger.find_account("leela@example.in").await.unwrap();
    let Some(account) = account else { return };
    let kept = ledger.list_match_decisions((&account.id, Mode::Test), 0, 10).await.unwrap();
    assert_eq!(kept.len(), if schema >= 13 { 1 } else { 0 });
    for job in ledger.list_bulk_jobs(&account.id, Mode::Test).await.unwrap() {
        let counts = ledger.count_match_rows(&job).await.unwrap();
        assert_eq!((counts.matched, counts.by_person), if schema >= 13 { (1, 1) } else { (0, 0) });
    }
}

async fn check_watching(ledger: &Ledger, schema: usize) {
    let owner = ("acc_01KEZZ0000NAMVNATRADERS003", Mode::Live);
    let lists = ledger.list_watchlists(owner).await.unwrap();
    assert_eq!(lists.len(), usize::from(schema >= 14));
    let filter = EventFilter::default();
    let events = ledger.list_watched_events(owner, 0, filter, 10).await.unwrap().events;
    assert_eq!(events.len(), usize::from(schema >= 14));
    for list in lists {
        assert_eq!((list.name.as_str(), list.members), ("Borrowers", 1));
        let members = ledger.list_watch_members(owner, &list.id, "", 10).await.unwrap();
        assert_eq!((members.len(), members[0].member.as_str()), (1, CIN));
        let filter = EventFilter { watchlist: Some(&list.id), types: &[] };
        let of_list = ledger.list_watched_events(owner, 0, filter, 10).await.unwrap().events;
        assert_eq!((of_list.len(), of_list[0].charged_at), (1, Some(1_768_458_595_000)));
    }
}

async fn check_webhooks(ledger: &Ledger, schema: usize) {
    let webhooks = ledger.list_webhooks((ACCOUNT, Mode::Live), 10).await.unwrap();
    assert_eq!(webhooks.len(), usize::from(schema >= 15));
    for webhook in webhooks {
        assert_eq!(webhook.types, ["company.status_changed"]);
        assert_eq!(webhook.disabled, Some((1_768_458_599_000, DisabledReason::Failing)));
        let page = AttemptPage { before: None, limit: 10 };
        let attempts = ledger.list_webhook_attempts(&webhook, page).await.unwrap();
        assert_eq!((attempts.len(), attempts[0].attempt.status), (1, Some(500)));
    }
}

/// The upgraded ledger works like a new one.
async fn check_log_in_methods(ledger: &Ledger, schema: usize) {
    let person = "per_01KEZZ0000NAMVNAPERSON0001";
    let found = ledger.find_sso_person(ACCOUNT, "https://id.example.in", "asha-1").await.unwrap();
    assert_eq!(found.as_deref(), (schema >= 17).then_some(person));
    let passkeys = ledger.list_passkeys(person).await.unwrap();
    let counts: Vec<i64> = passkeys.iter().map(|passkey| passkey.sign_count).collect();
    assert_eq!(counts, if schema >= 17 { vec![7] } else { vec![] });
}

async fn check_use(ledger: &Ledger, schema: usize) {
    assert_clean(ledger).await;
    let snapshot = ledger.find_balance(ACCOUNT, Mode::Live, NOW_MS).await.unwrap().unwrap();
    let before = snapshot.balance;
    assert!(snapshot.has_free_quota(), "an older account keeps its free calls");
    let account = ledger.find_account(EMAIL).await.unwrap().unwrap();
    assert!(account.confirmed_at.is_some(), "an account from before counts as confirmed");
    let outcome = charge(ledger, call(ACCOUNT, "req_after_the_upgrade", 7), 100).await;
    assert_eq!((outcome.charged, outcome.remaining), (Ok(7), before - 7));
    let person = ledger.find_or_create_person(EMAIL, NOW_MS).await.unwrap().unwrap();
    assert_eq!(person.password_hash.is_some(), schema >= 2);
    if schema < 3 {
        assert_eq!(ledger.find_warn_below(ACCOUNT).await.unwrap(), 100);
    }
    assert_clean(ledger).await;
}

#[test]
fn a_register_of_every_earlier_schema_is_opened_without_loss() {
    for schema in 1..=REGISTER.len() {
        on_every_engine(async |databases| {
            create_old_data(&databases.engine("register").await, REGISTER, &REGISTER_ROWS, schema)
                .await;
            let engine = databases.engine("register").await;
            let register = Register::open(engine, NOW_MS + 1_000).await.unwrap();
            check_sections(&register).await;
            let counts = register.list_record_counts().await.unwrap();
            let records = 12 + i64::from(schema >= 4) + if schema >= 7 { 3 } else { 0 };
            assert_eq!(counts.iter().map(|count| count.records).sum::<i64>(), records);
            check_lei(&register, schema).await;
            assert!(counts.iter().all(|count| count.newest_as_of.as_deref() == Some("2026-01-10")));
            let imports = register.list_imports(10).await.unwrap();
            let recorded = (schema - 1).min(2);
            assert_eq!(imports.len(), recorded);
            let updated: Vec<i64> = imports.iter().rev().map(|import| import.updated_at).collect();
            let newest = if schema >= 11 { 1_768_458_602_000 } else { 1_768_458_601_000 };
            assert_eq!(updated, [1_768_458_599_000, newest][..recorded]);
            let failed: i64 = imports.iter().map(|import| import.failed_files).sum();
            assert_eq!(failed, i64::from(schema >= 5));
            let latest = register.list_latest_imports().await.unwrap();
            let rejected: Vec<(&str, Option<i64>)> =
                latest.iter().map(|latest| (latest.source.as_str(), latest.rejected)).collect();
            let expected = [("panji", None), ("xbrl", Some(3))];
            assert_eq!(rejected, expected[..recorded], "unknown for older imports");
            check_periods(&register, schema).await;
            // Schema 6 lets files be read again, for the coverage that they state.
            assert_eq!(register.find_imported_file("cafe").await.unwrap(), None);
            let known = register.find_imported_file("beef").await.unwrap();
            assert_eq!(known.is_some(), schema >= 6);
            let coverage = register.find_company(CIN).await.unwrap().unwrap().coverage();
            assert_eq!(coverage.get(CoveredSection::Charges).is_some(), schema >= 6);
            // Newer data replaces the old.
            let mut newer = company(CIN, "Udaharan Garments Private Limited");
            newer.as_of = Some("2026-02-01".into());
            let batch = [Record::Company(newer)];
            register.store_batch(&batch, NOW_MS + 2_000).await.unwrap();
            assert_eq!(register.newest_change().await.unwrap(), if schema >= 10 { 3 } else { 2 });
        });
    }
}

async fn check_lei(register: &Register, schema: usize) {
    let lei = register.find_company_lei(CIN).await.unwrap();
    assert_eq!(lei.map(|lei| lei.lei), (schema >= 7).then(|| LEI.to_owned()));
    let parents = register.list_lei_parents(LEI).await.unwrap();
    assert_eq!(parents.len(), usize::from(schema >= 7));
    let parent = register.find_lei_holder(PARENT_LEI).await.unwrap();
    assert_eq!(parent.is_some(), schema >= 7);
    let decisions = register.list_join_decisions().await.unwrap();
    assert_eq!(decisions.len(), usize::from(schema >= 8));
    let name_text = register.find_company(CIN).await.unwrap().unwrap().name_text;
    assert_eq!(name_text.is_some(), schema >= 9);
    let events = register.list_subject_events(&[CIN], i64::MAX, 10).await.unwrap();
    assert_eq!(events.len(), usize::from(schema >= 10));
}

async fn check_periods(register: &Register, schema: usize) {
    let rows = register.list_financial_years(CIN).await.unwrap();
    let year = rows.last().unwrap();
    assert!(year.is_year() && year.filing.is_empty(), "{year:?}");
    assert_eq!((year.flags.as_ref(), year.exceptional_items), (None, None));
    assert_eq!(rows.len(), if schema >= 4 { 2 } else { 1 });
    assert_eq!(reported_periods(&rows).len(), rows.len());
    let symbols = register.list_symbols().await.unwrap();
    assert_eq!(symbols.len(), usize::from(schema >= 4));
}

async fn check_sections(register: &Register) {
    let company = register.find_company("U17110GJ2001PTC990501").await.unwrap().unwrap();
    assert_eq!((company.cin.as_str(), company.paid_up_capital), (CIN, Some(50_000_050)));
    assert!(company.former_names.contains("Namuna Textiles"));
    assert_eq!(register.find_company_pan(CIN).await.unwrap().unwrap().pan, PAN);
    assert_eq!(register.find_director(DIN).await.unwrap().unwrap().name, "Namuna Udaharan");
    assert_eq!(register.list_appointments(CIN).await.unwrap().len(), 1);
    assert_eq!(register.list_directorships(DIN).await.unwrap().len(), 1);
    assert_eq!(register.list_charges(CIN).await.unwrap()[0].amount, Some(25_000_000));
    let years = register.list_financial_years(CIN).await.unwrap();
    assert_eq!(years.last().unwrap().profit, Some(-1_250));
    assert_eq!(register.list_filings(CIN).await.unwrap().len(), 1);
    assert_eq!(register.list_credit_ratings(CIN).await.unwrap().len(), 1);
    assert_eq!(register.list_epfo_establishments(CIN).await.unwrap().len(), 1);
    assert_eq!(register.count_documents(CIN, &DocumentFilter::All).await.unwrap(), 1);
    assert_eq!(register.find_gst_registration(GSTIN).await.unwrap().unwrap().e_invoice, Some(true));
    assert_eq!(register.list_gst_filings(GSTIN).await.unwrap().len(), 1);
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
        check_use(&upgraded_ledger(&databases).await, 1).await;
    });
}
