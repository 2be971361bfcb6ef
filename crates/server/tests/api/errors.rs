//! Tests every error on every operation: one format, nothing charged, no internal details.

use std::collections::BTreeSet;

use axum::http::Method;
use panji_api::api::openapi::can_fail_with;
use panji_api::api::simulation::{Effect, SIMULATIONS};
use panji_api::api::wire::IdentifierType;
use panji_api::config::operation::Operation;
use panji_api::http::error::ErrorCode;
use panji_store::Engine;
use panji_store::engine::{PostgresOptions, Workload};
use panji_store::ledger::{Mode, NewKey};
use panji_testkit::{Databases, on_both_engines};
use serde_json::{Value, json};

use crate::ask::{Ask, Response, ask, get, post};
use crate::described;
use crate::error_recipes::recipe;
use crate::responses_live::{ask_of, one_of_each, priced_operations};
use crate::server::{Key, Server, serve};

/// Every call costs something.
const NO_FREE_CALLS: (&str, &str) = ("free_quota.calls_per_day", "0");

/// Errors that a single request cannot cause; each has its own test below.
const NOT_BY_ONE_REQUEST: [ErrorCode; 6] = [
    ErrorCode::RateLimited,
    ErrorCode::InternalError,
    ErrorCode::Overloaded,
    ErrorCode::Unavailable,
    // Events that were deleted are needed.
    ErrorCode::CursorExpired,
    ErrorCode::HistoryNotKept,
];

#[test]
fn every_operation_fails_in_every_described_way_and_charges_nothing() {
    serve(&[NO_FREE_CALLS], async |server| {
        server.import(&one_of_each()).await;
        for operation in priced_operations() {
            for code in ErrorCode::ALL.iter().filter(|code| can_fail_with(*operation, **code)) {
                let what = format!("{} {}", operation.id(), code.as_str());
                let Some(recipe) = recipe(server, *operation, *code).await else {
                    assert!(NOT_BY_ONE_REQUEST.contains(code), "no recipe for {what}");
                    continue;
                };
                let before = match &recipe.key {
                    Some(key) => Some(server.balance(key).await),
                    None => None,
                };
                let response = server.send(recipe.ask).await;
                assert_eq!(response.code(), code.as_str(), "{what}: {}", response.json);
                let param = recipe.param.map_or(Value::Null, Value::from);
                assert_eq!(response.json["error"]["param"], param, "{what}");
                assert_eq!(response.json["credits_remaining"], Value::from(before), "{what}");
                if let Some(key) = &recipe.key {
                    assert_eq!(Some(server.balance(key).await), before, "{what}");
                    assert_eq!(response.header("panji-mode"), Some(key.mode.as_str()), "{what}");
                }
            }
        }
    });
}

#[test]
fn every_priced_operation_is_limited_in_rate_per_key() {
    let tight = [
        ("rate_limit.per_second", "1"),
        ("rate_limit.burst", "2"),
        ("bulk_rate_limit.per_second", "1"),
        ("bulk_rate_limit.burst", "2"),
    ];
    serve(&tight, async |server| {
        server.import(&one_of_each()).await;
        // A report takes longer than the second after which the next call is allowed.
        let quick = priced_operations().filter(|operation| operation.file_type().is_none());
        for operation in quick {
            let key = server.live_key(1_000).await;
            let mut responses = Vec::new();
            // Two calls are allowed at once, then one per second, so a refusal comes soon.
            while responses.last().is_none_or(|response: &Response| response.status == 200) {
                assert!(responses.len() < 100, "{} is never refused", operation.id());
                responses.push(server.send(ask_of(*operation).key(&key)).await);
            }
            let refused = responses.pop().unwrap();
            assert_eq!(refused.code(), "rate_limited", "{}", operation.id());
            assert_eq!(refused.header("retry-after"), Some("1"));
            assert!(refused.header("ratelimit").unwrap().contains(";r=0;t=1"));
            let paid: i64 = responses.iter().map(Response::charged).sum();
            assert_eq!(server.balance(&key).await, 1_000 - paid, "{}", operation.id());
        }
    });
}

/// The ledger's database, to lock it or break it without the server.
pub async fn ledger_engine(databases: &Databases) -> Engine {
    match databases.database_url() {
        None => {
            let path = databases.directory().join("ledger.db");
            Engine::open_sqlite(&path, Workload::Ledger).unwrap()
        }
        Some(url) => {
            let options = PostgresOptions { url: url.to_owned(), schema: "panji_ledger" };
            Engine::open_postgres(options).await.unwrap()
        }
    }
}

/// One live key of one account for each operation.
async fn keys_of_one_account(server: &Server) -> Vec<(Operation, Key)> {
    let account_id = server.new_account().await;
    server.grant(&account_id, 100_000).await;
    let mut keys = Vec::new();
    for operation in priced_operations() {
        let key = server.new_key(&account_id, Mode::Live, NewKey::default()).await;
        keys.push((*operation, key));
    }
    keys
}

#[test]
fn every_operation_is_refused_as_overloaded_while_the_charge_queue_is_full() {
    on_both_engines(async |databases| {
        let server = Server::on(&databases, &[("limits.charge_queue", "1")]).await;
        server.import(&one_of_each()).await;
        let keys = keys_of_one_account(&server).await;
        let engine = ledger_engine(&databases).await;
        let mut lock = engine.transaction().await.unwrap();
        let account_id = &keys[0].1.account_id;
        lock.execute(
            "update balances set balance = balance where account_id = $1",
            &[account_id.into()],
        )
        .await
        .unwrap();
        let mut waiting = tokio::task::JoinSet::new();
        let server = std::sync::Arc::new(server);
        for (operation, key) in &keys {
            // One charge is being written and one is queued: of four, at least two are refused.
            for _ in 0..4 {
                let (server, ask) = (server.clone(), ask_of(*operation).key(key));
                waiting.spawn(async move { server.send(ask).await });
            }
            let refused = waiting.join_next().await.unwrap().unwrap();
            assert_eq!(refused.code(), "overloaded", "{}", operation.id());
            assert_eq!(refused.header("retry-after"), Some("1"));
        }
        drop(lock);
        let responses = waiting.join_all().await;
        let paid: i64 =
            responses.iter().filter(|response| response.status == 200).map(Response::charged).sum();
        assert_eq!(server.balance(&keys[0].1).await, 100_000 - paid);
        server.close().await;
    });
}

#[test]
fn every_operation_hides_internal_errors_and_is_unavailable_once_the_writer_is_closed() {
    on_both_engines(async |databases| {
        let server = Server::on(&databases, &[NO_FREE_CALLS]).await;
        server.import(&one_of_each()).await;
        let keys = keys_of_one_account(&server).await;
        let engine = ledger_engine(&databases).await;
        engine.execute("alter table usage rename to usage_elsewhere", &[]).await.unwrap();
        for (operation, key) in &keys {
            let response = server.send(ask_of(*operation).key(key)).await;
            assert_eq!(response.code(), "internal_error", "{}", operation.id());
            assert_eq!(response.json["error"]["message"], ErrorCode::InternalError.meaning());
            assert_eq!(response.remaining(), 100_000, "{}", operation.id());
        }
        engine.execute("alter table usage_elsewhere rename to usage", &[]).await.unwrap();
        server.app.charge_writer.close();
        for (operation, key) in &keys {
            let response = server.send(ask_of(*operation).key(key)).await;
            assert_eq!(response.code(), "unavailable", "{}", operation.id());
            assert_eq!(response.remaining(), 100_000, "{}", operation.id());
        }
        server.close().await;
    });
}

/// Every call with an identifier of this kind, with the given value.
fn asks_with(kind: IdentifierType, id: &str) -> Vec<(Operation, Ask)> {
    let placeholder = format!("{{{}}}", kind.as_str());
    let mut asks = Vec::new();
    for (template, method, entry) in described::operations() {
        let operation = Operation::from_id(entry["operationId"].as_str().unwrap()).unwrap();
        if method == "get" && template.contains(&placeholder) {
            asks.push((operation, get(template.replace(&placeholder, &id.to_lowercase()))));
        }
    }
    let items = json!({ "items": [{ "value": "F99101" }, { "type": kind.as_str(), "value": id }] });
    asks.push((Operation::BulkVerify, post("/v1/bulk/verify", &items)));
    if matches!(kind, IdentifierType::Cin | IdentifierType::Din) {
        let path = format!("/v1/network/paths?from=F99101&to={id}");
        asks.push((Operation::FindPaths, get(path)));
    }
    if kind == IdentifierType::Cin {
        let cins = json!({ "cins": ["F99101", id], "fields": ["company"] });
        asks.push((Operation::BulkEnrich, post("/v1/bulk/enrich", &cins)));
    }
    asks
}

#[test]
fn a_simulated_error_looks_like_a_real_one_in_every_call_with_its_value() {
    let rates = [("bulk_rate_limit.per_second", "1000"), ("bulk_rate_limit.burst", "1000")];
    serve(&rates, async |server| {
        let key = server.test_key().await;
        let mut requests = 0;
        for simulation in &SIMULATIONS {
            let Effect::Fail(code) = simulation.effect else { continue };
            for kind in IdentifierType::ALL {
                for (operation, ask) in asks_with(kind, simulation.value(kind).unwrap()) {
                    let what = format!("{} {} {}", ask.method, ask.path, code.as_str());
                    let ask = ask.key(&key);
                    let response = match can_fail_with(operation, code) {
                        true => server.send(ask).await,
                        false => server.send_unchecked(ask).await,
                    };
                    assert_eq!(response.code(), code.as_str(), "{what}: {}", response.json);
                    let message = response.json["error"]["message"].as_str().unwrap();
                    assert!(message.starts_with("Simulated: "), "{what}: {message}");
                    let retryable = [429, 503].contains(&response.status);
                    assert_eq!(response.header("retry-after"), retryable.then_some("1"), "{what}");
                    let rate = response.header("ratelimit").unwrap();
                    assert_eq!(rate.contains(";r=0;t=1"), response.status == 429, "{what}: {rate}");
                    let param = (response.status == 409).then_some("Idempotency-Key");
                    assert_eq!(response.json["error"]["param"].as_str(), param, "{what}");
                    assert_eq!(response.remaining(), 10_000, "{what}");
                    requests += 1;
                }
            }
        }
        // Thirteen calls with a CIN, three with a DIN, two with a GSTIN, two with a PAN, two of paths, and
        // the bulk calls.
        assert_eq!(requests, 6 * (13 + 3 + 2 + 2 + 2 + 5));
        assert_eq!(server.balance(&key).await, 10_000, "nothing was charged");
    });
}

#[test]
fn values_that_simulate_not_found_are_not_found() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for simulation in SIMULATIONS.iter().filter(|entry| entry.effect == Effect::NotFound) {
            for kind in IdentifierType::ALL {
                let Some(id) = simulation.value(kind) else { continue };
                for (operation, ask) in asks_with(kind, id) {
                    let response = server.send(ask.key(&key)).await;
                    let verdict =
                        ["verify", "bulk"].iter().any(|word| operation.id().starts_with(word));
                    match verdict {
                        true => assert_eq!(response.status, 200, "{} {id}", operation.id()),
                        false => {
                            assert_eq!(response.status, 404, "{} {id}", operation.id());
                            let param = response.json["error"]["param"].as_str().unwrap();
                            let is_end = operation == Operation::FindPaths
                                && ["from", "to"].contains(&param);
                            assert!(param == kind.as_str() || is_end, "{param}");
                            let message = response.json["error"]["message"].as_str().unwrap();
                            assert!(
                                message.to_uppercase().contains(id),
                                "as it was sent: {message}"
                            );
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn other_methods_are_refused_with_the_list_of_allowed_ones() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for operation in Operation::ALL {
            let served = |method: &Method| Operation::at(method, operation.path()).is_some();
            let used = [Method::GET, Method::POST, Method::PATCH, Method::DELETE];
            let allowed: Vec<&str> =
                used.iter().filter(|method| served(method)).map(Method::as_str).collect();
            let others = used.iter().filter(|method| !served(method)).cloned();
            let unknown = Method::from_bytes(b"BREW").unwrap();
            let refused = [Method::HEAD, Method::PUT, Method::TRACE, unknown];
            for method in refused.into_iter().chain(others) {
                let what = format!("{method} {}", operation.id());
                let response =
                    server.send(ask_of(*operation).method(method.clone()).key(&key)).await;
                assert_eq!(response.status, 405, "{what}");
                assert_eq!(
                    response.header("allow"),
                    Some(&*format!("{}, OPTIONS", allowed.join(", "))),
                    "{what}"
                );
                if method != Method::HEAD {
                    assert_eq!(response.code(), "method_not_allowed", "{what}");
                }
            }
        }
        assert_eq!(server.balance(&key).await, 10_000);
    });
}

#[test]
fn an_unknown_path_has_the_envelope_too() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for path in [
            "/nowhere",
            "/v1",
            "/v1/",
            "/v2/companies/search",
            "/v1/companies",
            "/v1/companies/",
            "/v1/companies/L17111MH1994PLC990011/",
            "/v1/companies/L17111MH1994PLC990011/secrets",
            "/v1/directors",
            "/v1/verify/tan/DELI09652G",
            "/V1/companies/search",
            "//v1/companies/search",
            "/v1/../etc/passwd",
        ] {
            for method in [Method::GET, Method::POST, Method::DELETE] {
                let response = server.send(ask(method.clone(), path).key(&key)).await;
                assert_eq!(response.code(), "route_not_found", "{method} {path}");
            }
        }
    });
}

#[test]
fn free_paths_respond_without_a_key() {
    serve(&[], async |server| {
        for path in ["/v1/openapi.json", "/healthz", "/readyz"] {
            let response = server.send_unchecked(get(path)).await;
            assert_eq!(
                (response.status, response.header("content-type")),
                (200, Some("application/json"))
            );
            let refused = server.send(ask(Method::POST, path)).await;
            assert_eq!(refused.code(), "method_not_allowed", "{path}");
        }
        for path in ["/docs/", "/docs/errors", "/console", "/"] {
            let response = server.send_unchecked(get(path)).await;
            assert_eq!(response.status, 200, "{path}");
            assert!(response.header("content-type").unwrap().starts_with("text/html"), "{path}");
        }
        // Missing pages and the framework's refusals also have a page.
        for (path, status) in [
            ("/docs/x", 404),
            ("/docs/assets/x", 404),
            ("/docs/x/y", 404),
            ("/console/x", 404),
            ("/console/assets/x", 404),
            ("/console/assets/%FF", 400),
            ("/console/assets/x/y", 404),
        ] {
            let response = server.send_unchecked(get(path)).await;
            assert_eq!(response.status, status, "{path}");
            assert!(response.header("content-type").unwrap().starts_with("text/html"), "{path}");
            assert!(!response.bytes.is_empty(), "{path}");
        }
        let errors = server.send_unchecked(get("/docs/errors")).await;
        let page = String::from_utf8(errors.bytes.to_vec()).unwrap();
        for code in ErrorCode::ALL {
            assert!(page.contains(&format!("id=\"{}\"", code.as_str())), "{}", code.as_str());
        }
    });
}

#[test]
fn every_code_belongs_to_an_operation_or_to_unknown_paths_and_methods() {
    let reachable: BTreeSet<&str> = Operation::ALL
        .iter()
        .flat_map(|operation| {
            ErrorCode::ALL.iter().filter(|code| can_fail_with(*operation, **code))
        })
        .map(|code| code.as_str())
        .collect();
    for code in ErrorCode::ALL {
        let outside = matches!(code, ErrorCode::RouteNotFound | ErrorCode::MethodNotAllowed);
        assert_eq!(reachable.contains(code.as_str()), !outside, "{}", code.as_str());
    }
}
