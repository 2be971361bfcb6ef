//! Tests of the operator's pages, which only owners of a marked account can open.

use panji_store::ledger::{EntryKind, Mode, NewPaymentRefund};
use panji_store::register::{ImportRun, Record, StoredReject};

use super::browser::Browser;
use crate::ask::get;
use crate::server::{Server, serve};

async fn account_id(server: &Server, email: &str) -> String {
    server.app.ledger.find_account(email).await.unwrap().unwrap().id
}

/// A browser of the operator.
async fn operator(server: &Server) -> Browser<'_> {
    let browser = Browser::signed_up(server, "operator@firm.example").await;
    let id = account_id(server, "operator@firm.example").await;
    server.app.ledger.set_operator(&id, Some(1)).await.unwrap();
    browser
}

#[test]
fn other_users_get_404_for_the_operators_pages() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let page = browser.open("/console").await;
        assert!(!page.text.contains("/console/operator"), "not in the menu");
        let id = account_id(server, "asha@firm.example").await;
        let account_path = format!("/console/operator/accounts/{id}");
        for path in ["/console/operator", &account_path] {
            assert_eq!(browser.open(path).await.status, 404, "{path}");
        }
        let grant = [("amount", "1000"), ("reference", "for me")];
        assert_eq!(browser.send(&format!("{account_path}/grant"), &grant).await.status, 404);
        let suspend = [("suspend", "true")];
        assert_eq!(browser.send(&format!("{account_path}/suspend"), &suspend).await.status, 404);
        let now = panji_store::calendar::now_ms();
        let snapshot = server.app.ledger.find_balance(&id, Mode::Live, now).await.unwrap();
        assert_eq!(snapshot.unwrap().balance, 0);
    });
}

#[test]
fn the_operators_page_displays_what_an_account_owes_after_a_refund() {
    serve(&[], async |server| {
        let mut asha = Browser::signed_up(server, "asha@firm.example").await;
        let id = account_id(server, "asha@firm.example").await;
        let mut browser = operator(server).await;
        let account_path = format!("/console/operator/accounts/{id}");
        assert!(!browser.open(&account_path).await.text.contains("Owed after refunds"));
        asha.open("/console/credits").await;
        let form = [("pack", "500"), ("name", "Namuna Traders")];
        let order = asha.send("/console/credits", &form).await.path;
        asha.send(&format!("{order}/test-payment"), &[]).await.expect("Payment received");
        let (ledger, now_ms) = (&server.app.ledger, panji_store::calendar::now_ms());
        let (kind, spent) = (EntryKind::Adjustment, Some("spent"));
        ledger.add_entry(&id, Mode::Live, kind, -380, spent, now_ms).await.unwrap();
        let order_id = order.rsplit_once('/').unwrap().1;
        let payment_id = format!("pay_{order_id}");
        let refund =
            NewPaymentRefund { id: "rfnd_1", order_id, payment_id: &payment_id, amount: 59_000 };
        ledger.deduct_refunded_credits(refund, now_ms).await.unwrap();
        let page = browser.open(&account_path).await;
        page.expect("Owed after refunds").expect("₹380").expect("rfnd_1");
    });
}

#[test]
fn the_operator_grants_once_per_reference_and_suspends_and_resumes() {
    serve(&[], async |server| {
        let mut asha = Browser::signed_up(server, "asha@firm.example").await;
        let made = asha.send("/console/keys", &[("mode", "test")]).await;
        let key = format!("Bearer {}", made.between("id=\"key\" tabindex=\"0\">", "<"));
        let mut browser = operator(server).await;
        browser.open("/console").await.expect("/console/operator");
        browser
            .open("/console/operator")
            .await
            .expect("asha@firm.example")
            .expect("accepts charges");
        browser.open("/console/operator?email=nobody%40firm.example").await.expect("No account");
        let account_path =
            format!("/console/operator/accounts/{}", account_id(server, "asha@firm.example").await);
        browser.open(&account_path).await.expect("No live transactions yet");
        let grant = format!("{account_path}/grant");
        let good = [("amount", "1,00,000"), ("reference", "invoice 17")];
        browser.send(&grant, &good).await.expect("The credits were granted.").expect("₹1,00,000");
        browser.send(&grant, &good).await.expect("already granted for this reference");
        for (amount, reason) in
            [("0", "a"), ("-5", "b"), ("many", "c"), ("9999999999999999", "d"), ("5", " ")]
        {
            let page = browser.send(&grant, &[("amount", amount), ("reference", reason)]).await;
            assert_eq!(page.status, 422, "{amount} {reason}");
        }
        browser.open(&account_path).await.expect("₹1,00,000");
        let suspend = format!("{account_path}/suspend");
        browser.send(&suspend, &[("suspend", "true")]).await.expect("suspended");
        let company = "/v1/companies/L17111MH1994PLC990011";
        let refused = server.send(get(company).header("authorization", &key)).await;
        assert_eq!(refused.code(), "account_suspended");
        browser.send(&suspend, &[("suspend", "false")]).await.expect("The account was resumed.");
    });
}

#[test]
fn the_operators_page_displays_the_register_and_why_rows_were_rejected() {
    serve(&[], async |server| {
        let mut browser = operator(server).await;
        browser.open("/console/operator/register").await.expect("The register is empty");
        let register = &server.app.live.register;
        register.begin_import("01TEST", 1_774_981_799_000).await.unwrap();
        let company = panji_testkit::records::company("U17110MH2001PTC990501", "Namuna Limited");
        server.import(&[Record::Company(company)]).await;
        let run = ImportRun {
            id: "01TEST".into(),
            started_at: 1_774_981_799_000,
            updated_at: 1_774_981_801_000,
            finished: true,
            read: 1_234_567,
            rejected: 1,
            reasons: r#"{"cin: character … must be a digit":1}"#.into(),
            ..ImportRun::default()
        };
        let reject = StoredReject {
            file: "goa.csv".into(),
            line: 7,
            reason: "cin: character 16 must be a digit".into(),
            raw: "<script>alert(1)</script>".into(),
        };
        register.record_import(&run, [("panji", 1), ("xbrl", 0)], &[reject], 0).await.unwrap();
        let page = browser.open("/console/operator/register").await;
        page.expect("10 Jan 2026").expect("12,34,567").expect("/console/operator/imports/01TEST");
        let page = browser.open("/console/operator/imports/01TEST").await;
        page.expect("cin: character … must be a digit").expect("goa.csv");
        assert!(!page.text.contains("<script>alert"), "a rejected row is text");
        assert_eq!(browser.open("/console/operator/imports/02").await.status, 404);
        let mut other = Browser::signed_up(server, "asha@firm.example").await;
        for path in ["/console/operator/register", "/console/operator/imports/01TEST"] {
            assert_eq!(other.open(path).await.status, 404, "{path}");
        }
    });
}
