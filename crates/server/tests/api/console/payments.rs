//! Tests of buying credits: through a fake Razorpay, in any order of events, and with test
//! payments.

use axum::http::Method;
use panji_api::payments::low_balance;
use panji_store::calendar::now_ms;
use panji_store::ledger::{EntryKind, Mode};
use panji_testkit::{Mailbox, pdf_pages};

use super::browser::{Browser, Page};
use super::razorpay::{KEY_SECRET, Razorpay, WEBHOOK_SECRET, sign, signature};
use crate::ask::ask;
use crate::server::{Server, serve, serve_embedded};

const EMAIL: &str = "asha@firm.example";
/// 500 credits with 18% tax, in paise.
const TOTAL: i64 = 59_000;

/// Starts a purchase up to the payment; returns the order.
async fn order(browser: &mut Browser<'_>, state: &str) -> (String, Page) {
    browser.open("/console/credits").await;
    let form = [("pack", "500"), ("name", "Namuna Traders"), ("state", state)];
    let page = browser.send("/console/credits", &form).await;
    assert_eq!(page.status, 200, "{}", page.text);
    (page.path.rsplit_once('/').unwrap().1.to_owned(), page)
}

async fn confirm(browser: &mut Browser<'_>, order: &str, payment: &str, signature: &str) -> Page {
    let form = [("razorpay_payment_id", payment), ("razorpay_signature", signature)];
    browser.send(&format!("/console/credits/orders/{order}/confirm"), &form).await
}

/// Sends a webhook event; returns the status.
async fn send_raw_event(server: &Server, body: &str, event_id: &str, signature: &str) -> u16 {
    let event = ask(Method::POST, "/console/payments/razorpay/webhook")
        .header("content-type", "application/json")
        .header("x-razorpay-event-id", event_id)
        .header("x-razorpay-signature", signature)
        .body(body);
    server.send_unchecked(event).await.status
}

async fn send_event(
    server: &Server,
    razorpay: &Razorpay,
    kind: &str,
    payment: &str,
    event_id: &str,
) {
    let body = razorpay.event(kind, payment);
    let signed = sign(WEBHOOK_SECRET, body.as_bytes());
    assert_eq!(send_raw_event(server, &body, event_id, &signed).await, 200);
}

async fn balance(server: &Server) -> i64 {
    let account = server.app.ledger.find_account(EMAIL).await.unwrap().unwrap();
    let snapshot = server.app.ledger.find_balance(&account.id, Mode::Live, now_ms());
    snapshot.await.unwrap().unwrap().balance
}

#[test]
fn a_purchase_displays_its_total_first_and_its_credits_are_added_by_the_signed_callback() {
    let razorpay = Razorpay::start();
    serve(&razorpay.settings(), async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let (id, page) = order(&mut browser, "29").await;
        page.expect("CGST 9%").expect("SGST 9%").expect("₹45.00").expect("₹590.00");
        page.expect("https://checkout.razorpay.com/v1/checkout.js").expect("data-amount=\"59000\"");
        let policy = page.response.header("content-security-policy").unwrap();
        assert!(policy.contains("script-src 'self' https://checkout.razorpay.com/v1/checkout.js;"));
        let elsewhere = browser.open("/console/credits").await;
        let policy = elsewhere.response.header("content-security-policy").unwrap();
        assert!(!policy.contains("razorpay"), "{policy}");

        let payment = razorpay.pay(&id, TOTAL, "created");
        let page = confirm(&mut browser, &id, &payment, &signature(&id, &payment)).await;
        page.expect("No payment has been received for this order yet");
        let payment = razorpay.pay(&id, TOTAL, "captured");
        let wrong = [
            signature(&id, "pay_other"),
            signature("order_other", &payment),
            sign("wrong secret", format!("{id}|{payment}").as_bytes()),
            String::new(),
            "zz".to_owned(),
        ];
        for wrong in wrong {
            let page = confirm(&mut browser, &id, &payment, &wrong).await;
            assert_eq!(page.status, 400, "{}", page.text);
            browser.open("/console/credits").await;
        }
        assert_eq!(balance(server).await, 0);
        for _ in 0..3 {
            let page = confirm(&mut browser, &id, &payment, &signature(&id, &payment)).await;
            page.expect("Payment received").expect("₹500");
        }
        send_event(server, &razorpay, "payment.captured", &payment, "evt_1").await;
        assert_eq!(balance(server).await, 500);
        check_invoice(&mut browser, &id).await;
    });
}

async fn check_invoice(browser: &mut Browser<'_>, id: &str) {
    let page = browser.open(&format!("/console/credits/orders/{id}/invoice")).await;
    page.expect("Tax invoice").expect("NMN/").expect("/0000001");
    page.expect("Panji Namuna Private Limited").expect("29ZZACK4368A1ZL").expect("Karnataka (29)");
    page.expect("Rupees five hundred and ninety only");
    let file = browser.open(&format!("/console/credits/orders/{id}/invoice.pdf")).await;
    assert_eq!(file.response.header("content-type"), Some("application/pdf"));
    let pages = pdf_pages(&file.response.bytes);
    assert!(pages.len() == 1 && pages[0].contains("₹590.00"), "{pages:?}");
}

#[test]
fn events_count_once_in_any_order_and_only_with_the_right_signature() {
    let razorpay = Razorpay::start();
    serve(&razorpay.settings(), async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let (id, page) = order(&mut browser, "27").await;
        page.expect("IGST 18%").expect("₹90.00");
        let failed = razorpay.pay(&id, TOTAL, "failed");
        let payment = razorpay.pay(&id, TOTAL, "captured");
        let body = razorpay.event("payment.captured", &payment);
        let signed = sign(WEBHOOK_SECRET, body.as_bytes());
        let altered = body.replace("59000", "59001");
        for (body, signature) in [
            (body.as_str(), ""),
            (&body, "00"),
            (&body, &sign(KEY_SECRET, body.as_bytes())),
            (&altered, &signed),
            (&format!("{body} "), &signed),
        ] {
            assert_eq!(send_raw_event(server, body, "evt_1", signature).await, 400);
        }
        assert_eq!(balance(server).await, 0);
        send_event(server, &razorpay, "payment.failed", &failed, "evt_0").await;
        assert_eq!(balance(server).await, 0);
        for _ in 0..3 {
            assert_eq!(send_raw_event(server, &body, "evt_1", &signed).await, 200);
        }
        send_event(server, &razorpay, "order.paid", &payment, "evt_2").await;
        send_event(server, &razorpay, "payment.failed", &failed, "evt_3").await;
        assert_eq!(balance(server).await, 500);
        // The user returns late; events for other merchants are ignored.
        let page = confirm(&mut browser, &id, &payment, &signature(&id, &payment)).await;
        page.expect("Payment received");
        let elsewhere = razorpay.pay("order_of_another_shop", TOTAL, "captured");
        send_event(server, &razorpay, "payment.captured", &elsewhere, "evt_4").await;
        let signed = sign(WEBHOOK_SECRET, b"{}");
        assert_eq!(send_raw_event(server, "{}", "evt_5", &signed).await, 200);
        assert_eq!(balance(server).await, 500);
    });
}

#[test]
fn callback_and_events_at_the_same_time_add_credits_once() {
    let razorpay = Razorpay::start();
    serve(&razorpay.settings(), async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        for round in 1..=5 {
            let (id, _) = order(&mut browser, "27").await;
            let payment = razorpay.pay(&id, TOTAL, "captured");
            let signed = signature(&id, &payment);
            let (first, second) = (format!("evt_{round}_a"), format!("evt_{round}_b"));
            tokio::join!(
                confirm(&mut browser, &id, &payment, &signed),
                send_event(server, &razorpay, "payment.captured", &payment, &first),
                send_event(server, &razorpay, "payment.captured", &payment, &first),
                send_event(server, &razorpay, "order.paid", &payment, &second),
            );
            assert_eq!(balance(server).await, 500 * round);
        }
    });
}

#[test]
fn a_payment_of_another_amount_or_currency_adds_no_credits() {
    let razorpay = Razorpay::start();
    serve(&razorpay.settings(), async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let (id, _) = order(&mut browser, "27").await;
        let small = razorpay.pay(&id, 100, "captured");
        send_event(server, &razorpay, "payment.captured", &small, "evt_1").await;
        let page = confirm(&mut browser, &id, &small, &signature(&id, &small)).await;
        page.expect("does not match the order");
        let body = razorpay.event("payment.captured", &small);
        let dollars = body.replace("INR", "USD").replace("\"amount\":100,", "\"amount\":59000,");
        let signed = sign(WEBHOOK_SECRET, dollars.as_bytes());
        assert_eq!(send_raw_event(server, &dollars, "evt_2", &signed).await, 200);
        assert_eq!(balance(server).await, 0);
    });
}

#[test]
fn while_razorpay_is_unreachable_nothing_is_lost() {
    let razorpay = Razorpay::start();
    serve(&razorpay.settings(), async |server| {
        razorpay.set_away(false);
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let (id, _) = order(&mut browser, "27").await;
        let payment = razorpay.pay(&id, TOTAL, "authorized");
        razorpay.set_away(true);
        browser.open("/console/credits").await;
        let form = [("pack", "500"), ("name", "Namuna Traders")];
        let page = browser.send("/console/credits", &form).await;
        assert_eq!(page.status, 422);
        page.expect("the order was not created");
        let page = confirm(&mut browser, &id, &payment, &signature(&id, &payment)).await;
        page.expect("Razorpay is not responding");
        assert_eq!(balance(server).await, 0);
        razorpay.set_away(false);
        // An authorized payment is captured, and then counts.
        let page = browser.send(&format!("/console/credits/orders/{id}/check"), &[]).await;
        page.expect("Payment received");
        assert_eq!(razorpay.status_of(&payment), "captured");
        assert_eq!(balance(server).await, 500);
    });
}

#[test]
fn a_name_and_an_address_in_indian_scripts_are_accepted_and_on_the_invoice() {
    let razorpay = Razorpay::start();
    serve(&razorpay.settings(), async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        browser.open("/console/credits").await;
        let address = "१२ उदाहरण मार्ग, मुंबई\r\n12 எடுத்துக்காட்டு தெரு, சென்னை";
        let form = [("pack", "500"), ("name", "नमूना ट्रेडर्स"), ("address", address)];
        let page = browser.send("/console/credits", &form).await;
        assert_eq!(page.status, 200, "{}", page.text);
        page.expect("नमूना ट्रेडर्स");
        let id = page.path.rsplit_once('/').unwrap().1.to_owned();
        let payment = razorpay.pay(&id, TOTAL, "captured");
        confirm(&mut browser, &id, &payment, &signature(&id, &payment)).await;
        let file = browser.open(&format!("/console/credits/orders/{id}/invoice.pdf")).await;
        let text = pdf_pages(&file.response.bytes).concat().replace('\n', " ");
        for part in ["नमूना ट्रेडर्स", "१२ उदाहरण मार्ग, मुंबई", "எடுத்துக்காட்டு தெரு"]
        {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        browser.open("/console/credits").await;
        let page = browser.send("/console/credits", &[("pack", "500"), ("name", "样本")]).await;
        assert_eq!(page.status, 422);
        page.expect("The invoice supports Latin letters and Indian scripts");
    });
}

#[test]
fn a_refund_deducts_the_credits_once_and_records_what_is_owed() {
    let razorpay = Razorpay::start();
    serve(&razorpay.settings(), async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let (id, _) = order(&mut browser, "27").await;
        let payment = razorpay.pay(&id, TOTAL, "captured");
        send_event(server, &razorpay, "payment.captured", &payment, "evt_1").await;
        let ledger = &server.app.ledger;
        let account = ledger.find_account(EMAIL).await.unwrap().unwrap();
        let (kind, reference) = (EntryKind::Adjustment, Some("spent"));
        let spent = ledger.add_entry(&account.id, Mode::Live, kind, -400, reference, now_ms());
        spent.await.unwrap();
        // A partial refund; pending and failed refunds do not count, and each counts once.
        for (status, event_id) in [
            ("pending", "evt_2"),
            ("failed", "evt_3"),
            ("processed", "evt_4"),
            ("processed", "evt_5"),
        ] {
            send_refund_event(server, &razorpay, (&payment, "rfnd_1", 5_900), status, event_id)
                .await;
        }
        assert_eq!(balance(server).await, 50);
        browser.open("/console/credits").await.expect("Payment refunded").expect("₹59.00");
        // The remaining refund; only 50 credits are left.
        let rest = (payment.as_str(), "rfnd_2", 53_100);
        send_refund_event(server, &razorpay, rest, "processed", "evt_6").await;
        assert_eq!(balance(server).await, 0);
        browser.open("/console/credits").await.expect("You owe 400 credits");
        let events = ledger.list_audit_events(0, 1_000).await.unwrap();
        let taken = events.iter().filter(|event| event.action == "credits.reverse");
        let last = taken.clone().next_back().unwrap();
        assert!(taken.count() == 2 && last.actor == "razorpay", "{events:?}");
        assert!(last.details.contains("\"owed\":400"), "{}", last.details);
        // The next purchase pays the debt, which is displayed before payment.
        let (id, page) = order(&mut browser, "27").await;
        page.expect(
            "400 credits of this purchase are used to settle the amount owed, and 100 credits are",
        );
        let payment = razorpay.pay(&id, TOTAL, "captured");
        let page = confirm(&mut browser, &id, &payment, &signature(&id, &payment)).await;
        assert!(!page.text.contains("You owe"), "{}", page.text);
        assert_eq!(balance(server).await, 100);
        assert_eq!(ledger.audit().await.unwrap().differences, []);
    });
}

async fn send_refund_event(
    server: &Server,
    razorpay: &Razorpay,
    (payment, refund, amount): (&str, &str, i64),
    status: &str,
    event_id: &str,
) {
    let body = razorpay.refund_event(payment, refund, amount, status);
    let signed = sign(WEBHOOK_SECRET, body.as_bytes());
    assert_eq!(send_raw_event(server, &body, event_id, &signed).await, 200);
}

#[test]
fn an_order_belongs_to_its_account() {
    let razorpay = Razorpay::start();
    serve_embedded(&razorpay.settings(), async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let (id, _) = order(&mut browser, "27").await;
        let payment = razorpay.pay(&id, TOTAL, "captured");
        confirm(&mut browser, &id, &payment, &signature(&id, &payment)).await;
        let mut other = Browser::signed_up(server, "other@firm.example").await;
        for path in ["", "/invoice", "/invoice.pdf"] {
            let page = other.open(&format!("/console/credits/orders/{id}{path}")).await;
            assert_eq!(page.status, 404);
        }
        other.open("/console/credits").await;
        let page = confirm(&mut other, &id, &payment, &signature(&id, &payment)).await;
        assert_eq!(page.status, 404);
    });
}

#[test]
fn test_payments_work_on_a_local_service_or_if_enabled() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let (id, page) = order(&mut browser, "").await;
        page.expect("no money is charged").expect("₹590.00");
        for _ in 0..2 {
            let page =
                browser.send(&format!("/console/credits/orders/{id}/test-payment"), &[]).await;
            page.expect("Payment received").expect("TST/");
        }
        assert_eq!(balance(server).await, 500);
        let page = browser.open(&format!("/console/credits/orders/{id}/invoice")).await;
        page.expect("this is not a tax invoice");
        let signed = sign("", b"{}");
        assert_eq!(
            send_raw_event(server, "{}", "evt_1", &signed).await,
            404,
            "there is no Razorpay"
        );
    });
    for reachable in [
        ("behind_proxy", "true"),
        ("public_url", "https://panji.example"),
        ("listen", "0.0.0.0:8080"),
    ] {
        serve_embedded(&[reachable], async |server| {
            let mut browser = Browser::signed_up(server, EMAIL).await;
            browser.open("/console/credits").await.expect("This service does not sell credits");
            let form = [("pack", "500"), ("name", "Namuna Traders")];
            let page = browser.send("/console/credits", &form).await;
            assert_eq!(page.status, 422);
            assert_eq!(balance(server).await, 0);
        });
        serve_embedded(&[reachable, ("payments.test_payments", "true")], async |server| {
            let mut browser = Browser::signed_up(server, EMAIL).await;
            browser.open("/console/credits").await.expect("no money is charged");
        });
    }
}

#[test]
fn a_low_balance_is_mailed_once_each_time() {
    let mailbox = Mailbox::open();
    let url = mailbox.url.clone();
    serve(&[("mail.smtp_url", &url)], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        browser.open("/console/credits").await;
        let page = browser.send("/console/credits/threshold", &[("warn_below", "1,000")]).await;
        page.expect("Alert saved.");
        let ledger = &server.app.ledger;
        let account = ledger.find_account(EMAIL).await.unwrap().unwrap();
        let add = async |amount| {
            let kind = EntryKind::Adjustment;
            ledger.add_entry(&account.id, Mode::Live, kind, amount, None, now_ms()).await.unwrap();
            low_balance::warn(
                &server.app.ledger,
                &server.app.mailer,
                &server.app.public_url,
                now_ms(),
            )
            .await
            .unwrap();
        };
        add(1_200).await;
        assert!(mailbox.is_empty());
        add(-300).await;
        let mail = mailbox.next();
        assert!(mail.contains(EMAIL) && mail.contains("900 credits"), "{mail}");
        add(-300).await;
        assert!(mailbox.is_empty());
        browser.open("/console/credits").await.expect("below your alert threshold of 1,000");
    });
}
