//! Tests of credits: prices, balances, and the limits that a caller can set.

use panji_api::config::operation::Operation;
use panji_store::ledger::{EntryKind, Mode, NewKey};
use panji_testkit::records;
use serde_json::json;

use crate::ask::{Ask, get, post};
use crate::responses_live::{ask_of, one_of_each};
use crate::server::serve;

const LISTED: &str = "L17111MH1994PLC990011";
const NOTHING: &str = "U99999DL1956PTC990001";

/// The prices of the contract, by operation; the bulk calls of `ask_of` cost 1 and 11.
const PRICES: [(Operation, i64); 22] = [
    (Operation::SearchCompanies, 1),
    (Operation::GetCompany, 1),
    (Operation::GetCompanyPan, 3),
    (Operation::GetCompanyProfile, 10),
    (Operation::GetCompanyFinancials, 10),
    (Operation::GetCompanyDirectors, 3),
    (Operation::GetCompanyCharges, 3),
    (Operation::GetCompanyCompliance, 5),
    (Operation::ListCompanyDocuments, 2),
    (Operation::GetDirector, 2),
    (Operation::ListDirectorCompanies, 3),
    (Operation::VerifyCin, 1),
    (Operation::VerifyDin, 1),
    (Operation::VerifyGstin, 1),
    (Operation::VerifyPan, 1),
    (Operation::GetGst, 2),
    (Operation::SearchByPan, 3),
    (Operation::BulkVerify, 1),
    (Operation::BulkEnrich, 11),
    (Operation::MatchCompanies, 2),
    (Operation::GetCompanyNetwork, 5),
    (Operation::FindPaths, 5),
];

#[test]
fn every_call_is_charged_its_price_once() {
    serve(&[("free_quota.calls_per_day", "0")], async |server| {
        server.import(&one_of_each()).await;
        let key = server.live_key(1_000).await;
        let mut balance = 1_000;
        for (operation, price) in PRICES {
            let response = server.send(ask_of(operation).key(&key)).await;
            balance -= price;
            assert_eq!(response.status, 200, "{}", response.json);
            assert_eq!(response.charged(), price, "{}", operation.id());
            assert_eq!(response.remaining(), balance, "{}", operation.id());
            let entries = server.app.ledger.list_entries(&key.account_id, Mode::Live, 1);
            let entry = entries.await.unwrap().remove(0);
            assert_eq!(
                (entry.kind, entry.amount, entry.balance_after),
                (EntryKind::Charge, -price, balance)
            );
            assert_eq!(response.json["request_id"], *entry.reference);
        }
        assert_eq!(server.balance(&key).await, balance);
    });
}

#[test]
fn calls_that_find_nothing_cost_nothing() {
    serve(&[("free_quota.calls_per_day", "0")], async |server| {
        let key = server.test_key().await;
        for path in [
            format!("/v1/companies/{NOTHING}/pan"),
            format!("/v1/companies/{NOTHING}/financials"),
            format!("/v1/companies/{NOTHING}/network"),
            format!("/v1/network/paths?from={NOTHING}&to={LISTED}"),
            "/v1/search/pan/ZZZPZ0001Z".to_owned(),
        ] {
            let response = server.send(get(&path).key(&key)).await;
            assert_eq!((response.status, response.charged()), (200, 0), "{path}");
        }
        for path in [
            "/v1/companies/U17111MH1994PTC999999/profile",
            "/v1/directors/99999999",
            "/v1/gst/27AAPFU0939F1ZV",
        ] {
            assert_eq!(server.send(get(path).key(&key)).await.status, 404, "{path}");
        }
        let bulk = json!({ "cins": [NOTHING, "F99999"], "fields": ["pan", "financials"] });
        let response = server.send(post("/v1/bulk/enrich", &bulk).key(&key)).await;
        assert_eq!((response.status, response.charged()), (200, 0));
        assert_eq!(server.balance(&key).await, 10_000);
    });
}

#[test]
fn a_verdict_costs_its_price_whatever_the_result() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for path in ["cin/x", "din/x", "gstin/x", "pan/x", "cin/U17111MH1994PTC999999"] {
            let response = server.send(get(format!("/v1/verify/{path}")).key(&key)).await;
            assert_eq!((response.status, response.charged()), (200, 1), "{path}");
        }
    });
}

fn search() -> Ask {
    get("/v1/companies/search?q=kalpanik&limit=1")
}

fn company() -> Ask {
    get(format!("/v1/companies/{LISTED}"))
}

#[test]
fn search_and_company_share_a_hundred_free_calls_a_day() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let sibling = server.new_key(&key.account_id, Mode::Test, NewKey::default()).await;
        for call in 1..=100 {
            let ask = if call % 2 == 0 { search().key(&key) } else { company().key(&sibling) };
            let response = server.send(ask).await;
            assert_eq!((response.status, response.charged()), (200, 0), "call {call}");
            let left = (100 - call).to_string();
            assert_eq!(response.header("panji-free-remaining"), Some(&*left), "call {call}");
        }
        for ask in [search(), company()] {
            let response = server.send(ask.key(&key)).await;
            assert_eq!(
                (response.charged(), response.header("panji-free-remaining")),
                (1, Some("0"))
            );
        }
        assert_eq!(server.balance(&key).await, 10_000 - 2);
        let live = server.new_key(&key.account_id, Mode::Live, NewKey::default()).await;
        let response = server.send(search().key(&live)).await;
        let free = (response.charged(), response.header("panji-free-remaining"));
        assert_eq!(
            free,
            (0, Some("100")),
            "the other mode has its own quota; nothing found uses none"
        );
        let other = server.send(get(format!("/v1/companies/{LISTED}/pan")).key(&key)).await;
        assert_eq!((other.charged(), other.header("panji-free-remaining")), (3, None));
    });
}

#[test]
fn a_failed_call_does_not_use_the_free_quota() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for path in [
            "/v1/companies/U17111MH1994PTC999999",
            "/v1/companies/nonsense",
            "/v1/companies/search",
        ] {
            assert_ne!(server.send(get(path).key(&key)).await.status, 200, "{path}");
        }
        let response = server.send(company().key(&key)).await;
        assert_eq!(response.header("panji-free-remaining"), Some("99"));
    });
}

#[test]
fn a_caller_can_limit_the_price_of_one_call() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let capped = |max: &str| {
            let profile = get(format!("/v1/companies/{LISTED}/profile"));
            profile.key(&key).header("panji-max-credits", max)
        };
        assert_eq!(server.send(capped("9")).await.code(), "max_credits_exceeded");
        assert_eq!(server.send(capped("10")).await.charged(), 10);
        assert_eq!(server.send(capped(" 11 ")).await.charged(), 10);
        let huge = server.send(capped("99999999999999999999")).await;
        assert_eq!(huge.charged(), 10);
        for wrong in ["", "-1", "ten", "1.5"] {
            let response = server.send(capped(wrong)).await;
            assert_eq!(response.code(), "invalid_parameter", "{wrong}");
            assert_eq!(response.json["error"]["param"], "Panji-Max-Credits");
        }
        let twice = capped("10").header("panji-max-credits", "20");
        assert_eq!(server.send(twice).await.code(), "invalid_parameter");
        let free = company().key(&key).header("panji-max-credits", "0");
        assert_eq!(server.send(free).await.status, 200, "a free call costs nothing");
        assert_eq!(server.balance(&key).await, 10_000 - 30);
    });
}

#[test]
fn a_key_spends_no_more_than_its_monthly_cap() {
    serve(&[], async |server| {
        let account_id = server.new_account().await;
        let new = NewKey { monthly_cap: Some(5), ..NewKey::default() };
        let capped = server.new_key(&account_id, Mode::Test, new).await;
        let uncapped = server.new_key(&account_id, Mode::Test, NewKey::default()).await;
        let pan = || get(format!("/v1/companies/{LISTED}/pan"));
        let verify = || get("/v1/verify/pan/ZZACK4368A");
        assert_eq!(server.send(pan().key(&capped)).await.charged(), 3);
        assert_eq!(server.send(pan().key(&capped)).await.code(), "spend_cap_reached");
        assert_eq!(server.send(verify().key(&capped)).await.charged(), 1, "4 of 5");
        assert_eq!(server.send(company().key(&capped)).await.charged(), 0, "free calls still work");
        assert_eq!(server.send(pan().key(&uncapped)).await.charged(), 3);
    });
}

#[test]
fn test_keys_spend_test_credits_and_live_keys_purchased_ones() {
    serve(&[], async |server| {
        server.import(&one_of_each()).await;
        let live = server.live_key(5).await;
        let test = server.new_key(&live.account_id, Mode::Test, NewKey::default()).await;
        assert_eq!(
            server.send(get(format!("/v1/companies/{LISTED}/pan")).key(&test)).await.remaining(),
            9_997
        );
        let pan = get(format!("/v1/companies/{}/pan", records::CIN));
        let response = server.send(pan.clone().key(&live)).await;
        assert_eq!((response.charged(), response.remaining()), (3, 2));
        let refused = server.send(pan.key(&live)).await;
        assert_eq!((refused.code(), refused.remaining()), ("insufficient_credits", 2));
        assert_eq!((server.balance(&live).await, server.balance(&test).await), (2, 9_997));
    });
}

#[test]
fn a_batch_that_the_balance_does_not_cover_is_refused_as_a_whole() {
    serve(&[], async |server| {
        let key = server.live_key(2).await;
        let item = |number: usize| json!({ "type": "din", "value": number.to_string() });
        let items = |count: usize| json!({ "items": (0..count).map(item).collect::<Vec<_>>() });
        let refused = server.send(post("/v1/bulk/verify", &items(3)).key(&key)).await;
        assert_eq!((refused.code(), refused.remaining()), ("insufficient_credits", 2));
        let dry = post("/v1/bulk/verify", &items(3)).query("dry_run=true").key(&key);
        let price = server.send(dry).await;
        assert_eq!(price.expect_data(), &json!({ "credits": 3 }));
        assert_eq!((price.charged(), price.remaining()), (0, 2));
        let covered = server.send(post("/v1/bulk/verify", &items(2)).key(&key)).await;
        assert_eq!((covered.charged(), covered.remaining()), (2, 0));
    });
}

#[test]
fn concurrent_calls_never_overdraw() {
    serve(&[], async |server| {
        server.import(&one_of_each()).await;
        let key = server.live_key(10).await;
        let ask = || get(format!("/v1/companies/{}/pan", records::CIN)).key(&key);
        let calls = (0..20).map(|_| server.send(ask()));
        let responses = futures_util::future::join_all(calls).await;
        let paid = responses.iter().filter(|response| response.status == 200).count();
        let refused =
            responses.iter().filter(|response| response.code() == "insufficient_credits").count();
        assert_eq!((paid, refused), (3, 17));
        assert_eq!(server.balance(&key).await, 1);
    });
}
