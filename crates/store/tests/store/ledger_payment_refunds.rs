//! Refunds of payments: credits are deducted once, never below 0, and the rest is owed.

use panji_store::ledger::{
    EntryKind, Ledger, Mode, NewPaymentRefund, Payment, PaymentRefundOutcome, Settlement,
};
use panji_testkit::{NOW_MS, on_every_engine};
use tokio::task::JoinSet;

use super::ledger_orders::{invoice, order};
use super::{assert_clean, balance, call, charge, entries, new_account};

/// Creates an order and reports its payment, whose id is `pay_` and the order's id. A credit costs
/// 118 paise.
async fn buy(ledger: &Ledger, account_id: &str, id: &str, credits: i64) {
    ledger.create_order(&order(account_id, id, credits)).await.unwrap();
    pay(ledger, id, credits).await;
}

async fn pay(ledger: &Ledger, order_id: &str, credits: i64) {
    let payment_id = format!("pay_{order_id}");
    let amount = credits * 118;
    let payment = Payment { order_id, payment_id: &payment_id, amount, event_id: None };
    let settled = ledger.settle_payment(payment, invoice, NOW_MS).await.unwrap();
    assert!(matches!(settled, Settlement::Settled(_)), "{settled:?}");
}

async fn refund(ledger: &Ledger, id: &str, order_id: &str, amount: i64) -> PaymentRefundOutcome {
    let payment_id = format!("pay_{order_id}");
    let refund = NewPaymentRefund { id, order_id, payment_id: &payment_id, amount };
    ledger.deduct_refunded_credits(refund, NOW_MS).await.unwrap()
}

/// Credits to deduct, and those deducted at once.
fn counts(outcome: &PaymentRefundOutcome) -> (i64, i64) {
    match outcome {
        PaymentRefundOutcome::Deducted(refund) => (refund.credits, refund.deducted),
        other => panic!("{other:?}"),
    }
}

async fn owed(ledger: &Ledger, account_id: &str) -> i64 {
    ledger.find_owed(account_id).await.unwrap()
}

#[test]
fn the_credits_of_a_refunded_payment_are_taken_back_once() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        buy(&ledger, &account_id, "order_1", 500).await;
        assert_eq!(counts(&refund(&ledger, "rfnd_1", "order_1", 59_000).await), (500, 500));
        let again = refund(&ledger, "rfnd_1", "order_1", 59_000).await;
        assert_eq!(again, PaymentRefundOutcome::Repeated);
        assert_eq!(balance(&ledger, &account_id).await, 0);
        assert_eq!(owed(&ledger, &account_id).await, 0);
        let added = entries(&ledger, &account_id, Mode::Live).await;
        assert_eq!(added, [(EntryKind::Purchase, 500), (EntryKind::Refund, -500)]);
        let listed = ledger.list_payment_refunds(&account_id).await.unwrap();
        let listed: Vec<_> = listed.iter().map(|one| (one.id.as_str(), one.amount)).collect();
        assert_eq!(listed, [("rfnd_1", 59_000)]);
        // No refund takes back more than was bought.
        assert_eq!(counts(&refund(&ledger, "rfnd_2", "order_1", 59_000).await), (0, 0));
        assert_eq!(
            refund(&ledger, "rfnd_3", "elsewhere", 100).await,
            PaymentRefundOutcome::Unknown
        );
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_partial_refund_takes_back_a_part_of_the_credits_and_a_full_refund_all() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        buy(&ledger, &account_id, "order_1", 500).await;
        let mut taken = Vec::new();
        for (id, amount) in [("a", 100), ("b", 29_500), ("c", 117), ("d", 1), ("e", 29_282)] {
            taken.push(counts(&refund(&ledger, id, "order_1", amount).await).0);
        }
        // Rounded down over all refunds so far: 0.8, 250.8, 251.8, 251.9 and 500 credits.
        assert_eq!(taken, [0, 250, 1, 0, 249]);
        assert_eq!(balance(&ledger, &account_id).await, 0);
        assert_clean(&ledger).await;
    });
}

#[test]
fn credits_above_the_balance_are_owed_and_taken_from_the_next_purchases() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        buy(&ledger, &account_id, "order_1", 500).await;
        charge(&ledger, call(&account_id, "req_1", 380), 0).await;
        assert_eq!(counts(&refund(&ledger, "rfnd_1", "order_1", 59_000).await), (500, 120));
        assert_eq!(balance(&ledger, &account_id).await, 0);
        assert_eq!(owed(&ledger, &account_id).await, 380);
        assert_clean(&ledger).await;
        // Credits granted by the operator can be spent.
        super::grant(&ledger, &account_id, 50).await;
        assert_eq!(balance(&ledger, &account_id).await, 50);
        buy(&ledger, &account_id, "order_2", 100).await;
        assert_eq!(balance(&ledger, &account_id).await, 50);
        assert_eq!(owed(&ledger, &account_id).await, 280);
        buy(&ledger, &account_id, "order_3", 500).await;
        assert_eq!(balance(&ledger, &account_id).await, 270);
        assert_eq!(owed(&ledger, &account_id).await, 0);
        let added = entries(&ledger, &account_id, Mode::Live).await;
        assert_eq!(
            added[3..],
            [
                (EntryKind::Grant, 50),
                (EntryKind::Purchase, 100),
                (EntryKind::Refund, -100),
                (EntryKind::Purchase, 500),
                (EntryKind::Refund, -280),
            ]
        );
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_refund_of_a_payment_that_bought_nothing_takes_nothing() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        buy(&ledger, &account_id, "order_1", 500).await;
        let second = NewPaymentRefund {
            id: "rfnd_1",
            order_id: "order_1",
            payment_id: "pay_2",
            amount: 59_000,
        };
        let outcome = ledger.deduct_refunded_credits(second, NOW_MS).await.unwrap();
        assert_eq!(outcome, PaymentRefundOutcome::BoughtNothing);
        assert_eq!(balance(&ledger, &account_id).await, 500);
        assert_eq!(ledger.list_payment_refunds(&account_id).await.unwrap(), []);
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_refund_reported_before_its_payment_is_applied_with_the_payment() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        ledger.create_order(&order(&account_id, "order_1", 500)).await.unwrap();
        let early = refund(&ledger, "rfnd_1", "order_1", 29_500).await;
        assert_eq!(early, PaymentRefundOutcome::BoughtNothing);
        assert_eq!(
            refund(&ledger, "rfnd_1", "order_1", 29_500).await,
            PaymentRefundOutcome::Repeated
        );
        pay(&ledger, "order_1", 500).await;
        assert_eq!(balance(&ledger, &account_id).await, 250);
        assert_eq!(counts(&refund(&ledger, "rfnd_2", "order_1", 29_500).await), (250, 250));
        assert_eq!(ledger.list_payment_refunds(&account_id).await.unwrap().len(), 2);
        assert_clean(&ledger).await;
    });
}

#[test]
fn the_ledger_is_correct_after_concurrent_refunds_purchases_and_charges() {
    on_every_engine(async |databases| {
        const ORDERS: i64 = 6;
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        for number in 0..ORDERS {
            buy(&ledger, &account_id, &format!("order_{number}"), 100).await;
        }
        let mut working = JoinSet::new();
        for number in 0..ORDERS {
            let (node, account_id) = (databases.ledger().await, account_id.clone());
            working.spawn(async move {
                let (order_id, refund_id) = (format!("order_{number}"), format!("rfnd_{number}"));
                charge(&node, call(&account_id, &format!("req_{number}"), 60), 0).await;
                for _ in 0..2 {
                    refund(&node, &refund_id, &order_id, 11_800).await;
                }
                buy(&node, &account_id, &format!("more_{number}"), 10).await;
            });
        }
        working.join_all().await;
        let added = entries(&ledger, &account_id, Mode::Live).await;
        let sum = |kind| added.iter().filter(|(of, _)| *of == kind).map(|(_, n)| *n).sum::<i64>();
        assert_eq!(sum(EntryKind::Purchase), ORDERS * 110);
        let owed = owed(&ledger, &account_id).await;
        assert_eq!(owed - sum(EntryKind::Refund), ORDERS * 100, "all refunds are deducted or owed");
        assert_clean(&ledger).await;
    });
}

#[test]
fn the_audit_reports_owed_credits_that_do_not_match_the_refunds() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let engine = databases.engine("ledger").await;
        let account_id = new_account(&ledger).await;
        buy(&ledger, &account_id, "order_1", 500).await;
        charge(&ledger, call(&account_id, "req_1", 380), 0).await;
        refund(&ledger, "rfnd_1", "order_1", 59_000).await;
        assert_clean(&ledger).await;
        let set_owed = async |owed: i64| {
            let sql = "update balances set owed = $1 where account_id = $2 and mode = 'live'";
            engine.execute(sql, &[owed.into(), (&account_id).into()]).await.unwrap();
        };
        for wrong in [379, 381, 0, -120] {
            set_owed(wrong).await;
            let differences = ledger.audit().await.unwrap().differences;
            assert_eq!(differences.len(), 1, "{wrong}: {differences:?}");
            assert!(differences[0].what.contains("reverse 500 credits"), "{differences:?}");
        }
        set_owed(380).await;
        assert_clean(&ledger).await;
        let sql = "update payment_refunds set credits = 400 where id = 'rfnd_1'";
        engine.execute(sql, &[]).await.unwrap();
        assert_eq!(ledger.audit().await.unwrap().differences.len(), 1);
    });
}
