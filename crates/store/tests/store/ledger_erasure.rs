//! The data of an account: exported completely, and erased except for accounting records.

use panji_store::Ledger;
use panji_store::ledger::{
    AuditEvent, BillingDetails, EXPORT_SECTIONS, EventDebit, ExportRow, ExportValue, LIVE_FEED,
    Link, LinkPurpose, LogInMethod, Mode, NewAttempt, NewBulkJob, NewInvoice, NewKey,
    NewPaymentRefund, NewSession, NewWatchedEvent, NewWebhook, Order, Passkey, Payment,
    PaymentRefundOutcome, Role, SsoIdentity, ViewKey, ViewPart, WatchLimits,
};
use panji_testkit::{NOW_MS, on_every_engine};

use crate::{assert_clean, balance, call, charge, entries, grant};

const EMAIL: &str = "asha@firm.example";
const TEXTS: [&str; 11] = [
    "asha at the provider",
    "Asha's telephone",
    "Asha's receiver",
    "asha.example cannot be resolved",
    EMAIL,
    "dev@firm.example",
    "guest@firm.example",
    "Asha",
    "203.0.113.9",
    "12 Udaharan Road",
    "company.status_changed",
];

/// All rows of a section, page by page.
async fn export(ledger: &Ledger, account_id: &str, name: &str) -> Vec<ExportRow> {
    let section = EXPORT_SECTIONS.iter().find(|section| section.name == name).unwrap();
    let (mut rows, mut cursor) = (Vec::new(), section.start.to_owned());
    loop {
        let page = ledger.list_export_rows(account_id, section, &cursor).await.unwrap();
        let Some(last) = page.last() else { return rows };
        cursor = last.cursor.clone();
        rows.extend(page);
    }
}

async fn everything(ledger: &Ledger, account_id: &str) -> String {
    let mut text = String::new();
    for section in EXPORT_SECTIONS {
        text.push_str(&format!(
            "{}: {:?}\n",
            section.name,
            export(ledger, account_id, section.name).await
        ));
    }
    text
}

fn text_of<'a>(row: &'a ExportRow, name: &str) -> &'a str {
    match row.fields.iter().find(|(known, _)| *known == name) {
        Some((_, ExportValue::Text(Some(text)))) => text,
        other => panic!("{name}: {other:?}"),
    }
}

fn order(account_id: &str, id: &str) -> Order {
    Order {
        id: id.to_owned(),
        account_id: account_id.to_owned(),
        provider: "test".to_owned(),
        credits: 500,
        total: 59_000,
        buyer: Some(BillingDetails {
            name: "Asha Exports".to_owned(),
            address: "12 Udaharan Road".to_owned(),
            ..BillingDetails::default()
        }),
        created_at: NOW_MS,
        paid_at: None,
        payment_id: None,
    }
}

async fn create_session(ledger: &Ledger, token: &str, person_id: &str, account_id: &str) {
    let new = NewSession {
        person_id,
        account_id,
        address: "203.0.113.9",
        agent: "a browser",
        method: LogInMethod::Password,
        now_ms: NOW_MS,
        expires_at: NOW_MS + 1_000,
    };
    ledger.create_session(token, new).await.unwrap();
}

/// An account with data in every section, and a colleague who also belongs to another account.
#[allow(clippy::too_many_lines, reason = "one of everything an account can have")]
async fn full_account(ledger: &Ledger) -> (String, String) {
    let names = ("asha", "Asha Exports");
    let (asha, account) = ledger.sign_up(EMAIL, names, "hash", true, NOW_MS).await.unwrap();
    let names = ("ravi", "Ravi & Sons");
    let (ravi, _) =
        ledger.sign_up("ravi@other.example", names, "hash", true, NOW_MS).await.unwrap();
    ledger.add_member(&account.id, &ravi.id, Role::Billing, NOW_MS).await.unwrap();
    let developer = (account.id.as_str(), Role::Developer);
    ledger
        .create_member("dev@firm.example", "Asha's son", "hash", developer, NOW_MS)
        .await
        .unwrap();
    add_log_in_methods(ledger, &account.id, &asha.id).await;
    create_session(ledger, "asha", &asha.id, &account.id).await;
    create_session(ledger, "ravi here", &ravi.id, &account.id).await;
    let link = Link {
        email: "guest@firm.example".to_owned(),
        account_id: account.id.clone(),
        role: Role::Owner,
        created_at: NOW_MS,
        expires_at: NOW_MS + 1_000,
    };
    ledger.create_link("token", LinkPurpose::Invitation, &link).await.unwrap();
    let view = ViewKey { account_id: &account.id, mode: Mode::Live, subject: "companies/X" };
    let part = ViewPart { part: "identity", operation: "getCompany", path: "/v1/companies/X" };
    assert!(ledger.claim_view_part(view, part, NOW_MS).await.unwrap());
    ledger.store_view_responses(view, &[("identity", 200, "{}")], NOW_MS).await.unwrap();
    let key = panji_store::ledger::KeyText::generate(
        panji_store::ledger::KeyKind::Api,
        Mode::Live,
        |bytes| bytes.fill(7),
    );
    let new = NewKey {
        name: "Asha's laptop".to_owned(),
        allowed_addresses: vec!["203.0.113.9/32".to_owned()],
        ..NewKey::default()
    };
    ledger.create_key(&account.id, &key, new, NOW_MS).await.unwrap();
    let details = BillingDetails {
        name: "Asha Exports".to_owned(),
        address: "12 Udaharan Road".to_owned(),
        ..BillingDetails::default()
    };
    ledger.set_billing_details(&account.id, &details).await.unwrap();
    for id in ["paid", "unpaid"] {
        ledger.create_order(&order(&account.id, id)).await.unwrap();
    }
    let payment = Payment { order_id: "paid", payment_id: "pay", amount: 59_000, event_id: None };
    let invoice = |_: &Order, buyer: &BillingDetails| NewInvoice {
        series: "PNJ".into(),
        content: format!(r#"{{"name":"{}","address":"{}"}}"#, buyer.name, buyer.address),
    };
    ledger.settle_payment(payment, invoice, NOW_MS).await.unwrap();
    // An order was paid twice; the second payment was refunded.
    let refund =
        NewPaymentRefund { id: "rfnd", order_id: "paid", payment_id: "second", amount: 59_000 };
    let outcome = ledger.deduct_refunded_credits(refund, NOW_MS).await.unwrap();
    assert_eq!(outcome, PaymentRefundOutcome::BoughtNothing);
    let job = NewBulkJob {
        account_id: &account.id,
        mode: Mode::Live,
        task: "{}",
        name: "Asha.csv",
        highest_price: 1,
        row_count: 1,
        most_open: 10,
        key_id: "",
        request_key: "",
        runs_from_ms: None,
    };
    ledger.create_bulk_job(&job, &["{}".to_owned()], NOW_MS).await.unwrap();
    watch(ledger, &account.id).await;
    let event = AuditEvent {
        actor: asha.id.clone(),
        action: "password.reset",
        account_id: None,
        subject: asha.id,
        details: "{}".to_owned(),
    };
    ledger.log_audit_event(&event, NOW_MS).await.unwrap();
    charge(ledger, call(&account.id, "req_1", 10), 0).await;
    (account.id, ravi.id)
}

/// An identity at a provider, and a passkey.
async fn add_log_in_methods(ledger: &Ledger, account_id: &str, person_id: &str) {
    let identity = SsoIdentity {
        account_id,
        issuer: "https://id.example.in",
        subject: "asha at the provider",
        email: EMAIL,
        name: "asha",
        role: Role::Owner,
    };
    ledger.join_by_sso(identity, NOW_MS).await.unwrap();
    let passkey = Passkey {
        id: "id".to_owned(),
        public_key: "key".to_owned(),
        sign_count: 0,
        name: "Asha's telephone".to_owned(),
        created_at: NOW_MS,
        last_used_at: None,
    };
    assert!(ledger.add_passkey(person_id, &passkey).await.unwrap());
}

/// A watch list with a member, and an event of each mode that was paid for.
async fn watch(ledger: &Ledger, account_id: &str) {
    let limits = WatchLimits { lists: 10, members: 10 };
    let owner = (account_id, Mode::Live);
    let list = ledger.create_watchlist(owner, "Asha's borrowers", limits, NOW_MS).await.unwrap();
    let members = [("U17110MH2001PTC990501", "company")];
    let id = list.unwrap().id;
    ledger.add_watch_members(owner, &id, &members, limits, NOW_MS).await.unwrap().unwrap();
    let event = |_, seq| NewWatchedEvent {
        seq,
        event_id: format!("evt_{seq}"),
        event_type: "company.status_changed".to_owned(),
        subject: "U17110MH2001PTC990501".to_owned(),
        related: None,
        payload: "{}".to_owned(),
        recorded_at: NOW_MS,
    };
    ledger.add_simulated_events(account_id, 1, event).await.unwrap();
    add_webhook(ledger, account_id).await;
    let position = ledger.find_or_begin_event_position(LIVE_FEED, 0).await.unwrap();
    let to = position.seq + 1;
    let events = [(account_id.to_owned(), event(0, to))];
    assert!(ledger.store_watched_events(LIVE_FEED, position, to, &events).await.unwrap());
    for (mode, seq) in [(Mode::Live, to), (Mode::Test, 1)] {
        let events = Some(EventDebit { seqs: vec![seq], price_each: 0 });
        let request_id = format!("req_events_{}", mode.as_str());
        let debit = panji_store::ledger::Debit { events, mode, ..call(account_id, &request_id, 0) };
        charge(ledger, debit, 0).await.charged.unwrap();
    }
}

/// A webhook to which a test was sent.
async fn add_webhook(ledger: &Ledger, account_id: &str) {
    let new = NewWebhook {
        account_id,
        mode: Mode::Live,
        url: "https://asha.example/panji",
        description: "Asha's receiver",
        watchlist_id: None,
        types: &[],
        nonce: "the nonce of a webhook",
        most: 1,
    };
    let webhook = ledger.create_webhook(&new, NOW_MS).await.unwrap();
    let test = NewAttempt {
        seq: None,
        event_id: "evt_test".into(),
        event_type: "webhook.test".into(),
        subject: None,
        number: 1,
        at: NOW_MS,
        status: None,
        error: Some("asha.example cannot be resolved".into()),
        duration_ms: 3,
    };
    ledger.record_webhook_test(&webhook, &test).await.unwrap();
}

#[test]
fn all_data_of_an_account_is_exported_without_credentials() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let (account_id, _) = full_account(&ledger).await;
        let text = everything(&ledger, &account_id).await;
        for text_stored in TEXTS {
            assert!(text.contains(text_stored), "{text_stored} is not in {text}");
        }
        for section in EXPORT_SECTIONS.iter().filter(|section| {
            !["test_entries", "requests_by_day", "unresolved_charges", "match_decisions"]
                .contains(&section.name)
        }) {
            let rows = export(&ledger, &account_id, section.name).await;
            assert!(!rows.is_empty(), "{} is empty", section.name);
        }
        assert_eq!(export(&ledger, &account_id, "members").await.len(), 3);
        assert!(!text.contains("\"hash\""), "{text}");
        let other = ledger.find_account("ravi@other.example").await.unwrap().unwrap();
        let of_other = everything(&ledger, &other.id).await;
        assert!(!of_other.contains("firm.example"), "{of_other}");
        ledger.roll_up_usage("9999").await.unwrap();
        assert_eq!(export(&ledger, &account_id, "requests").await, []);
        assert_eq!(export(&ledger, &account_id, "requests_by_day").await.len(), 2);
    });
}

#[test]
fn a_section_of_many_rows_is_exported_page_by_page_without_a_gap() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = crate::account_with(&ledger, 10_000).await;
        let calls: Vec<_> =
            (0..2_500).map(|number| call(&account_id, &format!("req_{number:05}"), 1)).collect();
        ledger.debit_batch(&calls, &[], 0).await.unwrap();
        let rows = export(&ledger, &account_id, "requests").await;
        let ids: Vec<&str> = rows.iter().map(|row| text_of(row, "id")).collect();
        let expected: Vec<String> = (0..2_500).map(|number| format!("req_{number:05}")).collect();
        assert_eq!(ids, expected);
        // A request is its own charge until its day is rolled up.
        let number = |row: &ExportRow| {
            let field = row.fields.iter().find(|(name, _)| *name == "seq");
            field.map(|(_, value)| value.clone()).unwrap()
        };
        let of_numbers = |numbers: std::ops::RangeInclusive<i64>| -> Vec<ExportValue> {
            numbers.map(|seq| ExportValue::Number(Some(seq))).collect()
        };
        assert_eq!(rows.iter().map(number).collect::<Vec<_>>(), of_numbers(2..=2_501));
        let entries = export(&ledger, &account_id, "live_entries").await;
        assert_eq!(entries.iter().map(number).collect::<Vec<_>>(), of_numbers(1..=1));
        ledger.roll_up_usage("2026-01-16").await.unwrap();
        let entries = export(&ledger, &account_id, "live_entries").await;
        assert_eq!(entries.iter().map(number).collect::<Vec<_>>(), of_numbers(1..=2_501));
    });
}

#[test]
fn an_erased_account_keeps_its_entries_and_loses_its_people() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let (account_id, ravi) = full_account(&ledger).await;
        let before = entries(&ledger, &account_id, Mode::Live).await;
        let erasure = ledger.erase_account(&account_id, NOW_MS + 1).await.unwrap().unwrap();
        let counts = (erasure.people, erasure.memberships, erasure.keys, erasure.jobs);
        assert_eq!(counts, (2, 1, 1, 1));

        let text = everything(&ledger, &account_id).await;
        let without_invoices: String =
            text.lines().filter(|line| !line.starts_with("invoices")).collect();
        for erased in TEXTS {
            assert!(!without_invoices.contains(erased), "{erased} is in {without_invoices}");
        }
        assert!(text.contains("12 Udaharan Road"), "the invoice is unchanged");
        assert_eq!(ledger.find_account(EMAIL).await.unwrap(), None);
        for email in [EMAIL, "dev@firm.example"] {
            assert_eq!(ledger.find_person(email).await.unwrap(), None, "{email}");
        }
        for token in ["asha", "ravi here"] {
            assert_eq!(ledger.find_session(token, NOW_MS).await.unwrap(), None, "{token}");
        }
        let link = ledger.find_link("token", LinkPurpose::Invitation, NOW_MS).await.unwrap();
        assert_eq!(link, None);
        let keys = ledger.list_keys(&account_id).await.unwrap();
        assert!(keys.iter().all(|key| key.revoked_at == Some(NOW_MS + 1)), "{keys:?}");
        let account = ledger.find_account_by_id(&account_id).await.unwrap().unwrap();
        assert!(account.suspended_at.is_some() && account.email.ends_with(".invalid"));
        assert_eq!(ledger.list_accounts_of(&ravi).await.unwrap().len(), 1, "ravi's own account");
        assert!(ledger.find_person("ravi@other.example").await.unwrap().is_some());

        assert_eq!(entries(&ledger, &account_id, Mode::Live).await, before);
        assert_eq!(balance(&ledger, &account_id).await, 490);
        assert_clean(&ledger).await;
        assert_eq!(ledger.verify_audit_log().await.unwrap(), (1, Vec::new()));
    });
}

#[test]
fn erasing_again_changes_nothing_and_the_address_can_be_used_again() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let (account_id, _) = full_account(&ledger).await;
        ledger.erase_account(&account_id, NOW_MS).await.unwrap().unwrap();
        let again = ledger.erase_account(&account_id, NOW_MS).await.unwrap();
        assert_eq!(again, Some(panji_store::ledger::Erasure::default()));
        assert_eq!(ledger.erase_account("acc_none", NOW_MS).await.unwrap(), None);
        let names = ("asha", "Asha Exports");
        let (_, account) = ledger.sign_up(EMAIL, names, "hash", true, NOW_MS).await.unwrap();
        assert_ne!(account.id, account_id);
        grant(&ledger, &account.id, 5).await;
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_late_payment_of_a_deleted_order_adds_nothing() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let (account_id, _) = full_account(&ledger).await;
        assert_eq!(ledger.delete_unpaid_orders(NOW_MS).await.unwrap(), 0, "not old enough");
        assert_eq!(ledger.delete_unpaid_orders(NOW_MS + 1).await.unwrap(), 1, "the paid one stays");
        let orders = export(&ledger, &account_id, "orders").await;
        assert_eq!(orders.iter().map(|row| text_of(row, "id")).collect::<Vec<_>>(), ["paid"]);
        let late = Payment { order_id: "unpaid", payment_id: "p", amount: 59_000, event_id: None };
        let invoice = |_: &Order, _: &BillingDetails| NewInvoice {
            series: "PNJ".into(),
            content: String::new(),
        };
        let settled = ledger.settle_payment(late, invoice, NOW_MS).await.unwrap();
        assert_eq!(settled, panji_store::ledger::Settlement::Unknown);
        assert_eq!(balance(&ledger, &account_id).await, 490);
        assert_clean(&ledger).await;
    });
}
