//! Paying for events: once per account and event, however many read them at the same time.

use std::sync::Arc;

use panji_store::ledger::{
    ChargeWriter, ChargeWriterOptions, Debit, EntryKind, EventDebit, EventFilter, Ledger, Mode,
    ReadEvents, Refusal,
};
use panji_testkit::records::CIN;
use panji_testkit::{NOW_MS, on_every_engine};
use tokio::task::JoinSet;

use super::ledger_watch::{event, store};
use super::{account_with, assert_clean, balance, call, charge, entries};

fn reading(account_id: &str, request_id: &str, seqs: &[i64]) -> Debit {
    let events = Some(EventDebit { seqs: seqs.to_vec(), price_each: 2 });
    Debit { events, ..call(account_id, request_id, 0) }
}

async fn unpaid_seqs(ledger: &Ledger, owner: (&str, Mode)) -> Vec<i64> {
    let page = ledger.list_watched_events(owner, 0, EventFilter::default(), 100).await.unwrap();
    let unpaid = page.events.iter().filter(|event| event.charged_at.is_none());
    unpaid.map(|event| event.seq).collect()
}

#[test]
fn an_event_is_paid_for_once() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let (account, other) = (account_with(&ledger, 100).await, account_with(&ledger, 100).await);
        for (account, first) in [(&account, 1), (&other, 11)] {
            let events: Vec<_> =
                (first..first + 4).map(|seq| event(seq, "filing.added", CIN)).collect();
            store(&ledger, account, &events).await;
        }
        let owner = (account.as_str(), Mode::Live);
        assert_eq!(unpaid_seqs(&ledger, owner).await, [1, 2, 3, 4]);
        let first = charge(&ledger, reading(&account, "req_1", &[1, 2]), 0).await;
        assert_eq!((first.charged, first.remaining), (Ok(4), 96));
        let second = charge(&ledger, reading(&account, "req_2", &[1, 2, 3]), 0).await;
        assert_eq!((second.charged, second.remaining), (Ok(2), 94));
        let third = charge(&ledger, reading(&account, "req_3", &[3, 2, 1]), 0).await;
        assert_eq!((third.charged, third.remaining), (Ok(0), 94));
        let nobody = charge(&ledger, reading(&account, "req_4", &[11, 12]), 0).await;
        assert_eq!(nobody.charged, Ok(0), "the events of another account are none of its own");
        assert_eq!(balance(&ledger, &other).await, 100);
        assert_eq!(unpaid_seqs(&ledger, owner).await, [4]);
        let page = ReadEvents { before: 3, limit: 10 };
        let read = ledger.list_read_events(owner, EventFilter::default(), page).await.unwrap();
        assert_eq!(read.iter().map(|event| event.seq).collect::<Vec<_>>(), [2, 1]);
        assert!(read.iter().all(|event| event.charged_at == Some(NOW_MS)));
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_charge_that_is_not_covered_pays_for_none_of_its_events() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = account_with(&ledger, 5).await;
        let events: Vec<_> = (1..=4).map(|seq| event(seq, "filing.added", CIN)).collect();
        store(&ledger, &account, &events).await;
        let owner = (account.as_str(), Mode::Live);
        let all = [1, 2, 3, 4];
        let refused = charge(&ledger, reading(&account, "req_1", &all), 0).await;
        assert_eq!(refused.charged, Err(Refusal::InsufficientCredits { price: 8 }));
        let limited = Debit { max_credits: Some(3), ..reading(&account, "req_2", &[1, 2]) };
        let refused = charge(&ledger, limited, 0).await;
        assert_eq!(refused.charged, Err(Refusal::MaxCreditsExceeded { price: 4 }));
        let capped = Debit { monthly_cap: Some(3), ..reading(&account, "req_3", &[1, 2]) };
        let refused = charge(&ledger, capped.clone(), 0).await;
        assert_eq!(refused.charged, Err(Refusal::SpendCapReached { cap: 3, spent: 0 }));
        assert_eq!(unpaid_seqs(&ledger, owner).await, all);
        let one = Debit { request_id: "req_4".into(), ..reading(&account, "", &[1]) };
        let one = Debit { monthly_cap: Some(3), ..one };
        assert_eq!(charge(&ledger, one, 0).await.charged, Ok(2));
        let refused = charge(&ledger, Debit { request_id: "req_5".into(), ..capped }, 0).await;
        assert_eq!(refused.charged, Err(Refusal::SpendCapReached { cap: 3, spent: 2 }));
        assert_eq!(balance(&ledger, &account).await, 3);
        assert_clean(&ledger).await;
    });
}

#[test]
fn readers_at_the_same_time_on_several_nodes_pay_once() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = account_with(&ledger, 1_000).await;
        let events: Vec<_> = (1..=60).map(|seq| event(seq, "filing.added", CIN)).collect();
        store(&ledger, &account, &events).await;
        let options = ChargeWriterOptions {
            queue: 100,
            free_calls_per_day: 0,
            resolve_time: std::time::Duration::from_secs(1),
            max_unresolved: 10,
        };
        let mut readers = JoinSet::new();
        let mut writers = Vec::new();
        for node in 0..3 {
            let node_ledger = Arc::new(databases.ledger().await);
            let writer = Arc::new(ChargeWriter::open(node_ledger, options).unwrap());
            writers.push(writer.clone());
            for reader in 0..8_i64 {
                let (writer, account) = (writer.clone(), account.clone());
                readers.spawn(async move {
                    let mut paid = 0;
                    for page in 0..10_i64 {
                        let first = (page * 6 + reader * 7) % 55 + 1;
                        let seqs: Vec<i64> = (first..first + 6).collect();
                        let request_id = format!("req_{node}_{reader}_{page}");
                        let debit = reading(&account, &request_id, &seqs);
                        paid += writer.charge(debit).await.unwrap().charged.unwrap();
                    }
                    paid
                });
            }
        }
        let paid: i64 = readers.join_all().await.into_iter().sum();
        assert_eq!(paid, 120, "60 events of 2 credits");
        assert_eq!(balance(&ledger, &account).await, 880);
        let charges = entries(&ledger, &account, Mode::Live).await;
        let charges = charges.iter().filter(|(kind, _)| *kind == EntryKind::Charge);
        assert_eq!(charges.map(|(_, amount)| amount).sum::<i64>(), -120);
        for writer in writers {
            writer.close();
        }
        assert_clean(&ledger).await;
    });
}
