//! The audit: no findings on an active ledger, and every changed row is found.

use panji_store::ledger::{Debit, Difference, EntryKind, Ledger, Mode, RequestDetails, UsageRow};
use panji_testkit::{Databases, NOW_MS, on_every_engine};
use tokio::task::JoinSet;

use super::{DAY_MS, account_with, assert_clean, call, charge};

pub const QUOTA: i64 = 2;

/// An account with a grant (1), charges (2, 3, 5), a refund (4) and a free call in live mode, and
/// test credits of two days in test mode.
pub async fn busy_account(ledger: &Ledger) -> String {
    let account_id = account_with(ledger, 100).await;
    for (request_id, price) in [("a", 5), ("b", 7)] {
        charge(ledger, call(&account_id, request_id, price), QUOTA).await;
    }
    ledger
        .add_entry(&account_id, Mode::Live, EntryKind::Refund, 7, Some("b"), NOW_MS)
        .await
        .unwrap();
    charge(ledger, call(&account_id, "c", 1), QUOTA).await;
    let free = |request_id: &str, mode, at_ms| Debit {
        quota_eligible: true,
        mode,
        at_ms,
        ..call(&account_id, request_id, 5)
    };
    charge(ledger, free("d", Mode::Live, NOW_MS), QUOTA).await;
    for (request_id, day) in [("e", 0), ("f", 0), ("g", 0), ("h", 1)] {
        charge(ledger, free(request_id, Mode::Test, NOW_MS + day * DAY_MS), QUOTA).await;
    }
    account_id
}

pub fn failed_call(account_id: &str, request_id: &str) -> UsageRow {
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

/// Runs statements directly on the database; `ID` is replaced by the account id.
pub async fn tamper(databases: &Databases, account_id: &str, script: &str) {
    let engine = databases.engine("ledger").await;
    let mut transaction = engine.transaction().await.unwrap();
    transaction.run_script(&script.replace("ID", &format!("'{account_id}'"))).await.unwrap();
    transaction.commit().await.unwrap();
}

#[test]
fn an_audit_of_an_active_ledger_finds_nothing() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        for _ in 0..3 {
            busy_account(&ledger).await;
        }
        let audit = ledger.audit().await.unwrap();
        assert_eq!(audit.differences, []);
        // In live mode 5 entries each; in test mode 2 grants, 1 expiry and 1 charge.
        assert_eq!((audit.accounts, audit.entries), (3, 3 * (5 + 4)));
    });
}

#[test]
fn an_audit_during_calls_finds_nothing() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 1_000).await;
        let mut calling = JoinSet::new();
        for node in 0..2 {
            let (ledger, account_id) = (databases.ledger().await, account_id.clone());
            calling.spawn(async move {
                for number in 0..60 {
                    let call = call(&account_id, &format!("{node}-{number}"), 1);
                    charge(&ledger, Debit { quota_eligible: number % 2 == 0, ..call }, 50).await;
                }
            });
        }
        while !calling.is_empty() {
            assert_clean(&ledger).await;
            while calling.try_join_next().is_some_and(|joined| joined.is_ok()) {}
        }
        assert_eq!(ledger.find_usage(&account_id, "1-59").await.unwrap(), Some(1));
        assert_clean(&ledger).await;
    });
}

/// A change to an account, and the expected finding: mode, entry, part of the message.
type Case = (&'static str, Mode, Option<i64>, &'static str);

const CASES: &[Case] = &[
    (
        "update usage set credits = 8 where account_id = ID and request_id = 'b'",
        Mode::Live,
        Some(3),
        "its seal does not match",
    ),
    (
        "update usage set balance_after = 9 where account_id = ID and request_id = 'b'",
        Mode::Live,
        Some(3),
        "the balance after it is 9, but 95 and -7 make 88",
    ),
    (
        "update entries set reference = 'x' where account_id = ID and mode = 'live' and seq = 1",
        Mode::Live,
        Some(1),
        "its seal does not match",
    ),
    (
        "update entries set at = at + 1 where account_id = ID and mode = 'test' and seq = 4",
        Mode::Test,
        Some(4),
        "its seal does not match",
    ),
    (
        // A whole balance rewritten with consistent sums.
        "update entries set amount = amount + 50 where account_id = ID and mode = 'live' and \
         seq = 1; update entries set balance_after = balance_after + 50 where account_id = ID and \
         mode = 'live'; update usage set balance_after = balance_after + 50 where \
         account_id = ID and mode = 'live'; update balances set balance = balance + 50 where account_id = ID and \
         mode = 'live'",
        Mode::Live,
        Some(1),
        "its seal does not match",
    ),
    (
        "delete from usage where account_id = ID and request_id = 'b'",
        Mode::Live,
        Some(4),
        "entries 3 to 3 are missing",
    ),
    (
        "delete from entries where account_id = ID and mode = 'live' and seq = 4",
        Mode::Live,
        Some(5),
        "entries 4 to 4 are missing",
    ),
    (
        "delete from usage where account_id = ID and request_id = 'c'",
        Mode::Live,
        None,
        "entries end at 4, the balance row says 5",
    ),
    (
        // The last charge taken out of its request, and the balance corrected.
        "update usage set entry_seq = null, balance_after = null, seal = null \
         where account_id = ID and request_id = 'c'; update balances set balance = balance + 1, seq = 4 where account_id = ID and mode = 'live'",
        Mode::Live,
        None,
        "c cost 1 but has no entry",
    ),
    (
        "insert into entries (account_id, mode, seq, kind, amount, balance_after, at, reference, \
         seal) values (ID, 'live', 6, 'grant', 50, 144, 0, 'forged', 'forged')",
        Mode::Live,
        Some(6),
        "was added",
    ),
    (
        "insert into entries (account_id, mode, seq, kind, amount, balance_after, at, reference, \
         seal) values (ID, 'live', 3, 'grant', 50, 138, 0, 'forged', 'forged')",
        Mode::Live,
        Some(3),
        "its number was used before",
    ),
    (
        "update usage set entry_seq = 6 where account_id = ID and request_id = 'c'; \
         update balances set seq = 4, balance = 95 where account_id = ID and mode = 'live'",
        Mode::Live,
        Some(6),
        "was added",
    ),
    (
        "insert into entries (account_id, mode, seq, kind, amount, balance_after, at, reference, \
         seal) values (ID, 'live', 6, 'grant', 50, 144, 0, 'forged', 'forged'); \
         update balances set balance = 144, seq = 6 where account_id = ID and mode = 'live'",
        Mode::Live,
        Some(6),
        "its seal does not match",
    ),
    (
        "update balances set balance = balance + 1 where account_id = ID and mode = 'live'",
        Mode::Live,
        None,
        "the entries sum up to 94, the balance is 95",
    ),
    (
        "update balances set quota_used = 0 where account_id = ID and mode = 'live'",
        Mode::Live,
        None,
        "1 free calls are recorded for 2026-01-15, the quota says 0",
    ),
    (
        "update balances set quota_used = 2 where account_id = ID and mode = 'test'",
        Mode::Test,
        None,
        "1 free calls are recorded for 2026-01-16, the quota says 2",
    ),
    (
        "update usage set request_id = 'x' where account_id = ID and request_id = 'a'",
        Mode::Live,
        Some(2),
        "its seal does not match",
    ),
    (
        // As if the request had been charged twice.
        "update usage set entry_seq = 5 where account_id = ID and request_id = 'a'",
        Mode::Live,
        Some(5),
        "its number was used before",
    ),
    (
        "insert into entries select account_id, mode, entry_seq, 'charge', -credits, \
         balance_after, at, request_id, seal from usage where account_id = ID and request_id = 'a'",
        Mode::Live,
        None,
        "a is stored twice, as a request and as an entry",
    ),
    (
        // A number and a seal, but of another charge: found once, and nothing is read twice.
        "update usage set entry_seq = null where account_id = ID and request_id = 'c'",
        Mode::Live,
        Some(0),
        "its number was used before",
    ),
    (
        "delete from balances where account_id = ID and mode = 'live'",
        Mode::Live,
        None,
        "the account has no balance row",
    ),
];

#[test]
fn every_direct_change_to_the_database_is_reported() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let untouched = busy_account(&ledger).await;
        let mut accounts = Vec::new();
        for (script, ..) in CASES {
            let account_id = busy_account(&ledger).await;
            tamper(&databases, &account_id, script).await;
            accounts.push(account_id);
        }
        let differences = ledger.audit().await.unwrap().differences;
        for (account_id, (script, mode, seq, words)) in accounts.iter().zip(CASES) {
            let here: Vec<&Difference> =
                differences.iter().filter(|found| found.account_id == *account_id).collect();
            let reported = here.iter().any(|found| {
                found.mode == *mode && found.seq == *seq && found.what.contains(words)
            });
            assert!(reported, "after \"{script}\" the audit reports {here:#?}");
            assert!(here.iter().all(|found| found.mode == *mode), "{here:#?}");
        }
        assert!(differences.iter().all(|found| found.account_id != untouched));
    });
}

#[test]
fn the_seal_of_one_account_does_not_match_another() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let one = busy_account(&ledger).await;
        let two = busy_account(&ledger).await;
        // The two entries differ only in the account.
        let engine = databases.engine("ledger").await;
        let find = "select seal from usage where account_id = $1 and request_id = 'a'";
        let seal: Option<String> =
            engine.query_opt(find, &[(&one).into()], |row| row.get(0)).await.unwrap();
        let script = format!(
            "update usage set seal = '{}' where account_id = ID and request_id = 'a'",
            seal.unwrap()
        );
        tamper(&databases, &two, &script).await;
        let differences = ledger.audit().await.unwrap().differences;
        assert_eq!(differences.len(), 1);
        assert_eq!((&differences[0].account_id, differences[0].seq), (&two, Some(2)));
    });
}
