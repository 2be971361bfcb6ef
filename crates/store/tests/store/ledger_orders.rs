//! Orders: paid once, added once, invoiced with numbers without gaps.

use std::collections::BTreeSet;

use panji_store::StoreError;
use panji_store::ledger::{
    BillingDetails, EntryKind, Ledger, Mode, NewInvoice, Order, Payment, Settlement,
};
use panji_testkit::{NOW_MS, on_every_engine};
use tokio::task::JoinSet;

use super::{assert_clean, balance, entries, new_account};

pub fn order(account_id: &str, id: &str, credits: i64) -> Order {
    Order {
        id: id.to_owned(),
        account_id: account_id.to_owned(),
        provider: "razorpay".to_owned(),
        credits,
        total: credits * 118,
        buyer: Some(buyer()),
        created_at: NOW_MS,
        paid_at: None,
        payment_id: None,
    }
}

fn buyer() -> BillingDetails {
    BillingDetails {
        name: "நமூனா வணிகர்கள்".to_owned(),
        address: "4 उदाहरण मार्ग".to_owned(),
        state_code: "33".to_owned(),
        gstin: String::new(),
    }
}

pub fn invoice(order: &Order, buyer: &BillingDetails) -> NewInvoice {
    let content = format!("for {} of {}", buyer.name, order.id);
    NewInvoice { series: "PNJ".to_owned(), content }
}

/// Reports a payment, by an event or by the buyer's return.
async fn report(
    ledger: &Ledger,
    order_id: &str,
    amount: i64,
    event_id: Option<&str>,
) -> Settlement {
    let payment = Payment { order_id, payment_id: "pay_1", amount, event_id };
    ledger.settle_payment(payment, invoice, NOW_MS).await.unwrap()
}

fn is_settled(settlement: &Settlement) -> bool {
    matches!(settlement, Settlement::Settled(_))
}

#[test]
fn a_payment_reported_by_callback_and_events_in_any_order_adds_the_credits_once() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let reported: [&[Option<&str>]; 4] = [
            &[None, Some("evt_1"), Some("evt_1"), Some("evt_2")],
            &[Some("evt_3"), None, Some("evt_4"), None],
            &[Some("evt_5"), Some("evt_5"), Some("evt_6"), None],
            &[None, None],
        ];
        for (number, events) in reported.iter().enumerate() {
            let id = format!("order_{number}");
            ledger.create_order(&order(&account_id, &id, 500)).await.unwrap();
            let mut settlements = Vec::new();
            for event in *events {
                settlements.push(report(&ledger, &id, 59_000, *event).await);
            }
            assert!(is_settled(&settlements[0]), "{settlements:?}");
            assert_eq!(settlements.iter().filter(|one| is_settled(one)).count(), 1);
            let paid = ledger.find_order(&id).await.unwrap().unwrap();
            assert_eq!(paid.paid_at, Some(NOW_MS));
            assert_eq!(paid.payment_id.as_deref(), Some("pay_1"));
        }
        assert_eq!(report(&ledger, "order_0", 59_000, Some("evt_1")).await, Settlement::Repeated);
        assert_eq!(balance(&ledger, &account_id).await, 2_000);
        let made = entries(&ledger, &account_id, Mode::Live).await;
        assert_eq!(made, [(EntryKind::Purchase, 500); 4]);
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_callback_and_a_webhook_at_the_same_time_on_many_nodes_add_the_credits_once() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        ledger.create_order(&order(&account_id, "order_1", 500)).await.unwrap();
        let mut reporting = JoinSet::new();
        for number in 0..12 {
            let node = databases.ledger().await;
            reporting.spawn(async move {
                // Callbacks, one event reported several times, and separate events.
                let event = match number % 3 {
                    0 => None,
                    1 => Some("evt_shared".to_owned()),
                    _ => Some(format!("evt_{number}")),
                };
                report(&node, "order_1", 59_000, event.as_deref()).await
            });
        }
        let settlements = reporting.join_all().await;
        assert_eq!(settlements.iter().filter(|one| is_settled(one)).count(), 1, "{settlements:?}");
        assert_eq!(balance(&ledger, &account_id).await, 500);
        assert_eq!(ledger.list_invoices(&account_id).await.unwrap().len(), 1);
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_wrong_amount_and_an_unknown_order_add_nothing() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let new = order(&account_id, "order_1", 500);
        ledger.create_order(&new).await.unwrap();
        for amount in [50_000, 0, 58_999, 59_001, -59_000] {
            let reported = report(&ledger, "order_1", amount, None).await;
            assert_eq!(reported, Settlement::WrongAmount(new.clone()));
        }
        let elsewhere = report(&ledger, "order_elsewhere", 59_000, Some("evt_9")).await;
        assert_eq!(elsewhere, Settlement::Unknown);
        assert_eq!(balance(&ledger, &account_id).await, 0);
        assert_eq!(ledger.list_invoices(&account_id).await.unwrap(), []);
        assert!(is_settled(&report(&ledger, "order_1", 59_000, None).await));
    });
}

#[test]
fn an_order_with_an_unreadable_buyer_is_refused_until_it_is_corrected() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let engine = databases.engine("ledger").await;
        let account_id = new_account(&ledger).await;
        ledger.create_order(&order(&account_id, "order_1", 500)).await.unwrap();
        assert_eq!(ledger.find_order("order_1").await.unwrap().unwrap().buyer, Some(buyer()));
        let set = async |text: &str| {
            let sql = "update orders set buyer = $1 where id = 'order_1'";
            engine.execute(sql, &[text.into()]).await.unwrap();
        };
        let payment =
            Payment { order_id: "order_1", payment_id: "p", amount: 59_000, event_id: Some("e") };
        for unreadable in [
            "",
            "not JSON",
            "null",
            "[]",
            r#"{"name":"Namuna Traders"}"#,
            r#"{"name":7,"address":"","state_code":"27","gstin":""}"#,
            r#"{"name":" ","address":"","state_code":"27","gstin":""}"#,
            // What an erased account leaves; an unpaid order is never in this state.
            "{}",
        ] {
            set(unreadable).await;
            let refused = ledger.settle_payment(payment, invoice, NOW_MS).await;
            assert!(matches!(refused, Err(StoreError::Bug(_))), "{unreadable}: {refused:?}");
            assert_eq!(balance(&ledger, &account_id).await, 0);
            assert_eq!(ledger.list_invoices(&account_id).await.unwrap(), []);
        }
        set(r#"{"name":"Namuna Traders","address":"","state_code":"27","gstin":""}"#).await;
        let settled = ledger.settle_payment(payment, invoice, NOW_MS).await.unwrap();
        assert!(is_settled(&settled), "the event is accepted when it is repeated: {settled:?}");
        let issued = ledger.list_invoices(&account_id).await.unwrap();
        assert_eq!(issued[0].number, "PNJ/2526/0000001", "no number was skipped");
        assert_eq!(issued[0].content, "for Namuna Traders of order_1");
        assert_clean(&ledger).await;
    });
}

#[test]
fn invoice_numbers_have_no_gaps_with_concurrent_payments() {
    on_every_engine(async |databases| {
        const BUYERS: usize = 6;
        const ORDERS: usize = 8;
        let ledger = databases.ledger().await;
        let mut paying = JoinSet::new();
        let mut accounts = Vec::new();
        for buyer in 0..BUYERS {
            let account_id = new_account(&ledger).await;
            accounts.push(account_id.clone());
            let node = databases.ledger().await;
            paying.spawn(async move {
                for number in 0..ORDERS {
                    let id = format!("order_{buyer}_{number}");
                    node.create_order(&order(&account_id, &id, 100)).await.unwrap();
                    // Some are reported twice, and some with a wrong amount first.
                    report(&node, &id, 1, None).await;
                    report(&node, &id, 11_800, None).await;
                    report(&node, &id, 11_800, Some(&format!("evt_{id}"))).await;
                }
            });
        }
        paying.join_all().await;
        let mut numbers = BTreeSet::new();
        for account_id in &accounts {
            let invoices = ledger.list_invoices(account_id).await.unwrap();
            assert_eq!(invoices.len(), ORDERS);
            numbers.extend(invoices.into_iter().map(|invoice| invoice.number));
        }
        let expected: BTreeSet<String> =
            (1..=BUYERS * ORDERS).map(|number| format!("PNJ/2526/{number:07}")).collect();
        assert_eq!(numbers, expected);
        assert!(numbers.iter().all(|number| number.len() <= 16));
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_new_financial_year_and_another_series_start_at_one() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        // 2026-03-31T18:29:59.999Z is the last instant of 2025-26 in India.
        let last_of_year_ms = 1_774_981_799_999;
        let reported = [
            ("order_1", "PNJ", last_of_year_ms),
            ("order_2", "PNJ", last_of_year_ms + 1),
            ("order_3", "TST", last_of_year_ms + 1),
            ("order_4", "PNJ", last_of_year_ms + 2),
        ];
        for (order_id, series, at_ms) in reported {
            ledger.create_order(&order(&account_id, order_id, 1)).await.unwrap();
            let payment = Payment { order_id, payment_id: "pay", amount: 118, event_id: None };
            let content = |_: &Order, _: &BillingDetails| NewInvoice {
                series: series.into(),
                content: "{}".into(),
            };
            assert!(is_settled(&ledger.settle_payment(payment, content, at_ms).await.unwrap()));
        }
        let number = async |order_id| {
            ledger.find_invoice(&account_id, order_id).await.unwrap().unwrap().number
        };
        assert_eq!(number("order_1").await, "PNJ/2526/0000001");
        assert_eq!(number("order_2").await, "PNJ/2627/0000001");
        assert_eq!(number("order_3").await, "TST/2627/0000001");
        assert_eq!(number("order_4").await, "PNJ/2627/0000002");
        let other_account = new_account(&ledger).await;
        assert_eq!(ledger.find_invoice(&other_account, "order_1").await.unwrap(), None);
    });
}

#[test]
fn an_account_is_warned_once_each_time_it_falls_below_its_threshold() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let warned = async || {
            let low = ledger.take_low_balances(NOW_MS).await.unwrap();
            low.into_iter()
                .map(|low| (low.account_id == account_id, low.balance))
                .collect::<Vec<_>>()
        };
        let add = async |amount| {
            let kind = if amount > 0 { EntryKind::Grant } else { EntryKind::Adjustment };
            ledger.add_entry(&account_id, Mode::Live, kind, amount, None, NOW_MS).await.unwrap();
        };
        assert_eq!(warned().await, [], "an account that never had credits");
        add(150).await;
        assert_eq!(warned().await, []);
        add(-60).await;
        assert_eq!(warned().await, [(true, 90)]);
        add(-10).await;
        assert_eq!(warned().await, [], "still low");
        ledger.create_order(&order(&account_id, "order_1", 500)).await.unwrap();
        report(&ledger, "order_1", 59_000, None).await;
        add(-550).await;
        assert_eq!(warned().await, [(true, 30)], "a purchase in between");
        add(200).await;
        assert_eq!(warned().await, []);
        add(-200).await;
        assert_eq!(warned().await, [(true, 30)]);
        ledger.set_warn_below(&account_id, 0).await.unwrap();
        add(-30).await;
        assert_eq!(warned().await, [], "switched off");
    });
}

#[test]
fn only_one_of_many_nodes_warns() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        super::account_with(&ledger, 10).await;
        let mut checking = JoinSet::new();
        for _ in 0..8 {
            let node = databases.ledger().await;
            checking.spawn(async move { node.take_low_balances(NOW_MS).await.unwrap().len() });
        }
        assert_eq!(checking.join_all().await.iter().sum::<usize>(), 1);
    });
}
