//! The audit log on both engines: numbered, sealed, and deleted when it expires.

use std::sync::Arc;

use panji_store::ledger::AuditEvent;
use panji_testkit::{NOW_MS, on_every_engine};

fn event(subject: &str) -> AuditEvent {
    AuditEvent {
        actor: "cli:1000@node".to_owned(),
        action: "key.create",
        account_id: Some("acc_1".to_owned()),
        subject: subject.to_owned(),
        details: "{\"mode\":\"live\"}".to_owned(),
    }
}

#[test]
fn concurrent_events_are_numbered_without_gaps_and_verify() {
    on_every_engine(async |databases| {
        let nodes = [Arc::new(databases.ledger().await), Arc::new(databases.ledger().await)];
        let tasks: Vec<_> = (0..40)
            .map(|number| {
                let ledger = nodes[number % 2].clone();
                tokio::spawn(async move {
                    ledger.log_audit_event(&event(&format!("key_{number}")), NOW_MS).await
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        let lines = nodes[0].list_audit_events(0, 1_000).await.unwrap();
        let numbers: Vec<i64> = lines.iter().map(|line| line.seq).collect();
        assert_eq!(numbers, (1..=40).collect::<Vec<_>>());
        assert_eq!(nodes[0].newest_audit_seq().await.unwrap(), 40);
        assert_eq!(nodes[0].verify_audit_log().await.unwrap(), (40, Vec::new()));
        assert_eq!(nodes[0].list_audit_events(38, 1).await.unwrap()[0].seq, 39);
    });
}

#[test]
fn changed_added_and_missing_events_are_reported() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let engine = databases.engine("ledger").await;
        for number in 1..=6 {
            ledger
                .log_audit_event(&event(&format!("key_{number}")), NOW_MS + number)
                .await
                .unwrap();
        }
        engine
            .execute("update audit_log set actor = 'cli:0@node' where seq = 2", &[])
            .await
            .unwrap();
        engine.execute("update audit_log set account_id = null where seq = 3", &[]).await.unwrap();
        engine.execute("delete from audit_log where seq = 5", &[]).await.unwrap();
        engine
            .execute(
                "insert into audit_log (seq, at, actor, action, account_id, subject, details, seal) \
                 select 7, at, actor, action, account_id, subject, details, seal from audit_log \
                 where seq = 6",
                &[],
            )
            .await
            .unwrap();
        let (_, wrong) = ledger.verify_audit_log().await.unwrap();
        assert_eq!(
            wrong,
            [
                "event 2: it was changed or added",
                "event 3: it was changed or added",
                "events 5 to 5 are missing",
                "event 7: it was changed or added",
            ]
        );
        engine.execute("delete from audit_log where seq >= 6", &[]).await.unwrap();
        let (_, wrong) = ledger.verify_audit_log().await.unwrap();
        assert!(wrong.contains(&"events end at 4, 6 were written".to_owned()), "{wrong:?}");
    });
}

#[test]
fn expired_events_are_deleted_from_the_start_and_the_rest_still_verifies() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        for at in [1, 2, 3, 4] {
            ledger.log_audit_event(&event("key"), at).await.unwrap();
        }
        assert_eq!(ledger.delete_expired_audit_events(3).await.unwrap(), 2);
        let left: Vec<i64> =
            ledger.list_audit_events(0, 10).await.unwrap().iter().map(|line| line.seq).collect();
        assert_eq!(left, [3, 4]);
        assert_eq!(ledger.verify_audit_log().await.unwrap(), (2, Vec::new()));
        assert_eq!(ledger.delete_expired_audit_events(100).await.unwrap(), 2);
        assert_eq!(ledger.verify_audit_log().await.unwrap(), (0, Vec::new()));
        assert_eq!(
            ledger.log_audit_event(&event("key"), 5).await.unwrap(),
            5,
            "the numbers continue"
        );
        let too_long = AuditEvent { details: "a".repeat(5_000), ..event("key") };
        assert!(ledger.log_audit_event(&too_long, 6).await.is_err());
    });
}

#[test]
fn old_events_are_deleted_in_batches() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let engine = databases.engine("ledger").await;
        engine
            .execute(
                "with recursive numbers (number) as (select 1 union all \
                 select number + 1 from numbers where number < 10500) \
                 insert into audit_log (seq, at, actor, action, subject, details, seal) \
                 select number, 1, 'cli', 'import', 'old', '{}', '' from numbers",
                &[],
            )
            .await
            .unwrap();
        engine.execute("update audit_log_head set seq = 10500", &[]).await.unwrap();
        ledger.log_audit_event(&event("new"), 5).await.unwrap();
        let mut dropped = Vec::new();
        for _ in 0..3 {
            dropped.push(ledger.delete_expired_audit_events(5).await.unwrap());
        }
        assert_eq!(dropped, [10_000, 500, 0]);
        assert_eq!(ledger.verify_audit_log().await.unwrap(), (1, Vec::new()));
    });
}
