//! What a program reads in a ledger of an earlier schema.

use panji_store::Ledger;
use panji_store::ledger::{
    AttemptPage, DisabledReason, EXPORT_SECTIONS, EntryKind, EventFilter, ExportRow,
    IdempotencyClaim, JobState, KeyKind, KeyText, MIGRATIONS as LEDGER, Mode, Role,
};
use panji_testkit::records::CIN;
use panji_testkit::{NOW_MS, on_every_engine};

use super::{LEDGER_ROWS, create_old_data, upgraded_ledger};
use crate::{assert_clean, call, charge};

const ACCOUNT: &str = "acc_01KEZZ0000NAMVNATRADERS001";
const EMAIL: &str = "asha@example.in";

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

pub async fn check_use(ledger: &Ledger, schema: usize) {
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
