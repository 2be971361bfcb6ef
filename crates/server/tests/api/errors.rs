//! Every error on every operation: one shape, nothing charged, no detail of the inside.

use std::collections::BTreeSet;

use axum::http::Method;
use panji_server::api::openapi::can_answer;
use panji_server::error::ErrorCode;
use panji_server::operation::{Operation, Tariff};
use panji_store::Engine;
use panji_store::engine::{PostgresOptions, Workload};
use panji_store::ledger::{Mode, NewKey};
use panji_testkit::{Databases, on_both_engines};
use serde_json::Value;

use crate::answers_live::{ask_of, one_of_each};
use crate::ask::{Answer, ask, get};
use crate::error_recipes::recipe;
use crate::server::{Key, Server, serve};

/// Every call costs something.
const NO_FREE_CALLS: (&str, &str) = ("free_quota.calls_per_day", "0");

/// Errors that a single request cannot bring about; each has its own test below.
const OF_THE_SERVICE: [ErrorCode; 4] = [
    ErrorCode::RateLimited,
    ErrorCode::InternalError,
    ErrorCode::Overloaded,
    ErrorCode::Unavailable,
];

#[test]
fn every_operation_fails_in_every_described_way_and_charges_nothing() {
    serve(&[NO_FREE_CALLS], async |server| {
        server.import(&one_of_each()).await;
        for operation in Operation::ALL {
            for code in ErrorCode::ALL.iter().filter(|code| can_answer(*operation, **code)) {
                let what = format!("{} {}", operation.id(), code.as_str());
                let Some(recipe) = recipe(server, *operation, *code).await else {
                    assert!(OF_THE_SERVICE.contains(code), "no recipe for {what}");
                    continue;
                };
                let before = match &recipe.key {
                    Some(key) => Some(server.balance(key).await),
                    None => None,
                };
                let answer = server.send(recipe.ask).await;
                assert_eq!(answer.code(), code.as_str(), "{what}: {}", answer.json);
                let param = recipe.param.map_or(Value::Null, Value::from);
                assert_eq!(answer.json["error"]["param"], param, "{what}");
                assert_eq!(answer.json["credits_remaining"], Value::from(before), "{what}");
                if let Some(key) = &recipe.key {
                    assert_eq!(Some(server.balance(key).await), before, "{what}");
                    assert_eq!(answer.header("panji-mode"), Some(key.mode.as_str()), "{what}");
                }
            }
        }
    });
}

#[test]
fn every_operation_is_limited_in_rate_per_key() {
    let tight = [
        ("rate_limit.per_second", "1"),
        ("rate_limit.burst", "2"),
        ("bulk_rate_limit.per_second", "1"),
        ("bulk_rate_limit.burst", "2"),
    ];
    serve(&tight, async |server| {
        server.import(&one_of_each()).await;
        for operation in Operation::ALL {
            let key = server.live_key(1_000).await;
            let mut answers = Vec::new();
            // Two are let in at once, then one a second; so a refusal comes soon.
            while answers.last().is_none_or(|answer: &Answer| answer.status == 200) {
                assert!(answers.len() < 100, "{} is never refused", operation.id());
                answers.push(server.send(ask_of(*operation).key(&key)).await);
            }
            let refused = answers.pop().unwrap();
            assert_eq!(refused.code(), "rate_limited", "{}", operation.id());
            assert_eq!(refused.header("retry-after"), Some("1"));
            assert!(refused.header("ratelimit").unwrap().contains(";r=0;t=1"));
            let paid: i64 = answers.iter().map(Answer::charged).sum();
            assert_eq!(server.balance(&key).await, 1_000 - paid, "{}", operation.id());
        }
    });
}

/// The bare engine under the ledger, to hold it up or break it behind the server's back.
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
    for operation in Operation::ALL {
        let key = server.new_key(&account_id, Mode::Live, NewKey::default()).await;
        keys.push((*operation, key));
    }
    keys
}

#[test]
fn every_operation_is_refused_as_overloaded_while_charges_pile_up() {
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
            // The writer holds one charge and the queue another: of four, two at least come back.
            for _ in 0..4 {
                let (server, ask) = (server.clone(), ask_of(*operation).key(key));
                waiting.spawn(async move { server.send(ask).await });
            }
            let refused = waiting.join_next().await.unwrap().unwrap();
            assert_eq!(refused.code(), "overloaded", "{}", operation.id());
            assert_eq!(refused.header("retry-after"), Some("1"));
        }
        drop(lock);
        let answers = waiting.join_all().await;
        let paid: i64 =
            answers.iter().filter(|answer| answer.status == 200).map(Answer::charged).sum();
        assert_eq!(server.balance(&keys[0].1).await, 100_000 - paid);
        server.close().await;
    });
}

#[test]
fn every_operation_hides_a_fault_of_the_inside_and_is_unavailable_once_closed() {
    on_both_engines(async |databases| {
        let server = Server::on(&databases, &[NO_FREE_CALLS]).await;
        server.import(&one_of_each()).await;
        let keys = keys_of_one_account(&server).await;
        let engine = ledger_engine(&databases).await;
        engine.execute("alter table usage rename to usage_elsewhere", &[]).await.unwrap();
        for (operation, key) in &keys {
            let answer = server.send(ask_of(*operation).key(key)).await;
            assert_eq!(answer.code(), "internal_error", "{}", operation.id());
            assert_eq!(answer.json["error"]["message"], ErrorCode::InternalError.meaning());
            assert_eq!(answer.remaining(), 100_000, "{}", operation.id());
        }
        engine.execute("alter table usage_elsewhere rename to usage", &[]).await.unwrap();
        server.app.desk.close();
        for (operation, key) in &keys {
            let answer = server.send(ask_of(*operation).key(key)).await;
            assert_eq!(answer.code(), "unavailable", "{}", operation.id());
            assert_eq!(answer.remaining(), 100_000, "{}", operation.id());
        }
        server.close().await;
    });
}

#[test]
fn a_rehearsal_number_makes_its_error_happen_on_every_path_that_takes_it() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let sections = [
            "",
            "/pan",
            "/profile",
            "/financials",
            "/directors",
            "/charges",
            "/compliance",
            "/documents",
        ];
        let mut paths: Vec<String> =
            sections.iter().map(|section| format!("/v1/companies/{{}}{section}")).collect();
        paths.push("/v1/verify/cin/{}".to_owned());
        for path in paths {
            for (ending, code) in [
                ("000402", "insufficient_credits"),
                ("000429", "rate_limited"),
                ("000500", "internal_error"),
                ("000503", "unavailable"),
                ("000404", "company_not_found"),
            ] {
                let verdict = path.contains("verify") && ending == "000404";
                let path = path.replace("{}", &format!("u99999xx2000ptc{ending}"));
                let answer = server.send(get(&path).key(&key)).await;
                match verdict {
                    true => assert_eq!(answer.status, 200, "{path}"),
                    false => assert_eq!(answer.code(), code, "{path}"),
                }
            }
        }
        assert_eq!(server.balance(&key).await, 10_000 - 1, "only the verdict was charged");
    });
}

#[test]
fn every_other_method_is_refused_with_those_that_are_taken() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for operation in Operation::ALL {
            let bulk = operation.tariff() == Tariff::Items;
            let taken = if bulk { Method::POST } else { Method::GET };
            let other = if bulk { Method::GET } else { Method::POST };
            let unknown = Method::from_bytes(b"BREW").unwrap();
            let refused = [
                Method::HEAD,
                Method::PUT,
                Method::DELETE,
                Method::PATCH,
                Method::TRACE,
                other,
                unknown,
            ];
            for method in refused {
                let what = format!("{method} {}", operation.id());
                let answer = server.send(ask_of(*operation).method(method.clone()).key(&key)).await;
                assert_eq!(answer.status, 405, "{what}");
                assert_eq!(answer.header("allow"), Some(&*format!("{taken}, OPTIONS")), "{what}");
                if method != Method::HEAD {
                    assert_eq!(answer.code(), "method_not_allowed", "{what}");
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
                let answer = server.send(ask(method.clone(), path).key(&key)).await;
                assert_eq!(answer.code(), "route_not_found", "{method} {path}");
            }
        }
    });
}

#[test]
fn free_paths_answer_without_a_key() {
    serve(&[], async |server| {
        for path in ["/v1/openapi.json", "/healthz", "/readyz"] {
            let answer = server.send_unchecked(get(path)).await;
            assert_eq!(
                (answer.status, answer.header("content-type")),
                (200, Some("application/json"))
            );
            let refused = server.send(ask(Method::POST, path)).await;
            assert_eq!(refused.code(), "method_not_allowed", "{path}");
        }
        for path in ["/docs/", "/docs/errors", "/console", "/"] {
            let answer = server.send_unchecked(get(path)).await;
            assert_eq!(answer.status, 200, "{path}");
            assert!(answer.header("content-type").unwrap().starts_with("text/html"), "{path}");
        }
        let errors = server.send_unchecked(get("/docs/errors")).await;
        let page = String::from_utf8(errors.bytes.to_vec()).unwrap();
        for code in ErrorCode::ALL {
            assert!(page.contains(&format!("id=\"{}\"", code.as_str())), "{}", code.as_str());
        }
    });
}

#[test]
fn every_code_belongs_to_an_operation_or_to_the_paths_around_them() {
    let reachable: BTreeSet<&str> = Operation::ALL
        .iter()
        .flat_map(|operation| ErrorCode::ALL.iter().filter(|code| can_answer(*operation, **code)))
        .map(|code| code.as_str())
        .collect();
    for code in ErrorCode::ALL {
        let around = matches!(code, ErrorCode::RouteNotFound | ErrorCode::MethodNotAllowed);
        assert_eq!(reachable.contains(code.as_str()), !around, "{}", code.as_str());
    }
}
