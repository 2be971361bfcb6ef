//! Usage is summed up by day: the charges move to the entries, and no balance changes.

use panji_store::ledger::{Debit, EntryKind, Mode, UsageRow};
use panji_testkit::{Databases, NOW_MS, on_every_engine};
use tokio::task::JoinSet;

use super::ledger_audit::{QUOTA, busy_account, failed_call, tamper};
use super::{DAY_MS, account_with, assert_clean, balance, call, charge, entries, snapshot};

/// The rolled-up calls, free calls and credits of an account.
async fn rolled_up(databases: &Databases, account_id: &str) -> (i64, i64, i64) {
    databases
        .engine("ledger")
        .await
        .query_opt(
            "select cast(coalesce(sum(calls), 0) as bigint), \
             cast(coalesce(sum(free_calls), 0) as bigint), \
             cast(coalesce(sum(credits), 0) as bigint) from usage_by_day where account_id = $1",
            &[account_id.into()],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .await
        .unwrap()
        .unwrap()
}

#[test]
fn rolling_up_usage_changes_no_balance_and_the_audit_stays_clean() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = busy_account(&ledger).await;
        let failed = [failed_call(&account_id, "i"), failed_call(&account_id, "j")];
        ledger.debit_batch(&[], &failed, QUOTA).await.unwrap();
        let before = (
            balance(&ledger, &account_id).await,
            snapshot(&ledger, &account_id, Mode::Test).await,
            entries(&ledger, &account_id, Mode::Live).await,
            entries(&ledger, &account_id, Mode::Test).await,
        );
        // On the 15th there were the calls a to g and two failed ones, on the 16th only h.
        assert_eq!(ledger.roll_up_usage("2026-01-15").await.unwrap(), 0);
        assert_eq!(ledger.roll_up_usage("2026-01-16").await.unwrap(), 9);
        assert_eq!(rolled_up(&databases, &account_id).await, (9, 3, 5 + 7 + 1 + 5));
        assert_eq!(ledger.find_usage(&account_id, "a").await.unwrap(), None);
        assert_eq!(ledger.find_usage(&account_id, "h").await.unwrap(), Some(0));
        assert_eq!(ledger.roll_up_usage("2026-01-16").await.unwrap(), 0);
        assert_clean(&ledger).await;

        // Late rows of a rolled-up day are added to its sums; today's quota can still be audited.
        ledger.debit_batch(&[], &[failed_call(&account_id, "k")], QUOTA).await.unwrap();
        assert_eq!(ledger.roll_up_usage("2026-01-17").await.unwrap(), 2);
        assert_eq!(rolled_up(&databases, &account_id).await, (11, 4, 18));
        assert_clean(&ledger).await;
        let after = (
            balance(&ledger, &account_id).await,
            snapshot(&ledger, &account_id, Mode::Test).await,
            entries(&ledger, &account_id, Mode::Live).await,
            entries(&ledger, &account_id, Mode::Test).await,
        );
        assert_eq!(after, before);
    });
}

#[test]
fn entries_are_listed_by_number_whatever_the_order_of_their_requests() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 1_000).await;
        // On the first day from z to a, on the second in the order of a hash; in between a grant.
        for letter in ('a'..='z').rev() {
            charge(&ledger, call(&account_id, &letter.to_string(), 1), 0).await;
        }
        let grant = EntryKind::Grant;
        ledger.add_entry(&account_id, Mode::Live, grant, 7, Some("more"), NOW_MS).await.unwrap();
        for number in 0..300 {
            let request_id = format!("m{:03}", number * 7 % 300);
            let at_ms = NOW_MS + DAY_MS;
            charge(&ledger, Debit { at_ms, ..call(&account_id, &request_id, 2) }, 0).await;
        }
        for rolled_up in [0, 26, 300] {
            let day = if rolled_up == 26 { "2026-01-16" } else { "2026-01-17" };
            if rolled_up > 0 {
                assert_eq!(ledger.roll_up_usage(day).await.unwrap(), rolled_up);
            }
            let entries = ledger.list_entries(&account_id, Mode::Live, 10_000).await.unwrap();
            let numbers: Vec<i64> = entries.iter().map(|entry| entry.seq).collect();
            assert_eq!(numbers, (1..=328).rev().collect::<Vec<_>>());
            let newest = ledger.list_entries(&account_id, Mode::Live, 5).await.unwrap();
            assert_eq!(newest, entries[..5]);
            assert_clean(&ledger).await;
        }
    });
}

#[test]
fn a_charge_by_a_node_with_a_wrong_clock_is_found_among_very_many() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 1_000_000).await;
        // Request ids begin with the time: this one comes after all others.
        charge(&ledger, call(&account_id, "z", 1), 0).await;
        for batch in 0..11 {
            let calls: Vec<Debit> = (0..5_000)
                .map(|number| call(&account_id, &format!("m{batch:02}{number:04}"), 1))
                .collect();
            ledger.debit_batch(&calls, &[], 0).await.unwrap();
        }
        // And this one before all others, though it is the newest.
        charge(&ledger, call(&account_id, "a", 1), 0).await;
        assert_clean(&ledger).await;
        let newest = ledger.list_entries(&account_id, Mode::Live, 2).await.unwrap();
        let references: Vec<&str> = newest.iter().map(|entry| &*entry.reference).collect();
        assert_eq!(references, ["a", "m104999"]);
    });
}

#[test]
fn a_damaged_account_does_not_stop_the_roll_up_of_others() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let mut accounts = Vec::new();
        for _ in 0..3 {
            accounts.push(busy_account(&ledger).await);
        }
        accounts.sort();
        let script = "update usage set entry_seq = 1 where account_id = ID and request_id = 'a'";
        tamper(&databases, &accounts[0], script).await;
        assert!(ledger.roll_up_usage("2026-01-17").await.is_err());
        assert_eq!(ledger.find_usage(&accounts[0], "a").await.unwrap(), Some(5));
        for account_id in &accounts[1..] {
            assert_eq!(ledger.find_usage(account_id, "a").await.unwrap(), None);
        }
    });
}

#[test]
fn an_audit_during_a_roll_up_finds_nothing() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100_000).await;
        for day in 0..8 {
            let calls: Vec<Debit> = (0..500)
                .map(|number| Debit {
                    at_ms: NOW_MS + day * DAY_MS,
                    ..call(&account_id, &format!("{day}-{:03}", number * 7 % 500), 1)
                })
                .collect();
            ledger.debit_batch(&calls, &[], 0).await.unwrap();
        }
        let node = databases.ledger().await;
        let rolling = tokio::spawn(async move { node.roll_up_usage("2026-01-23").await.unwrap() });
        while !rolling.is_finished() {
            assert_clean(&ledger).await;
            let entries = ledger.list_entries(&account_id, Mode::Live, 10_000).await.unwrap();
            assert_eq!(entries.len(), 4_001);
        }
        assert_eq!(rolling.await.unwrap(), 8 * 500);
        assert_clean(&ledger).await;
    });
}

#[test]
fn nodes_that_roll_up_concurrently_count_each_call_once() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        let rows: Vec<UsageRow> =
            (0..5_000).map(|number| failed_call(&account_id, &number.to_string())).collect();
        ledger.debit_batch(&[], &rows, 0).await.unwrap();
        let mut rolling = JoinSet::new();
        for node in [databases.ledger().await, databases.ledger().await, databases.ledger().await] {
            rolling.spawn(async move { node.roll_up_usage("2026-01-16").await.unwrap() });
        }
        assert_eq!(rolling.join_all().await.iter().sum::<u64>(), 5_000);
        assert_eq!(rolled_up(&databases, &account_id).await, (5_000, 0, 0));
        assert_clean(&ledger).await;
    });
}
