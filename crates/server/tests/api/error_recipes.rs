//! Requests that cause each error on each operation.

use axum::http::Method;
use panji_api::config::operation::Operation;
use panji_api::http::error::ErrorCode;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Mode, NewKey};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::ask::{Ask, get, post};
use crate::responses_live::{GSTIN, UNKNOWN_REQUEST, ask_of};
use crate::server::{Key, Server, new_key_text};

/// A request that must fail with one code, and its key if it has a valid one.
pub struct Recipe {
    pub ask: Ask,
    pub key: Option<Key>,
    /// The field in the error, if any.
    pub param: Option<&'static str>,
}

impl Recipe {
    fn with_key(ask: Ask, key: Key) -> Recipe {
        Recipe { ask: ask.key(&key), key: Some(key), param: None }
    }

    fn without_key(ask: Ask) -> Recipe {
        Recipe { ask, key: None, param: None }
    }

    fn naming(self, param: &'static str) -> Recipe {
        Recipe { param: Some(param), ..self }
    }
}

/// The request that causes a code. `overloaded`, `internal_error`, `unavailable` and `rate_limited`
/// need more than one request and have their own tests.
pub async fn recipe(server: &Server, operation: Operation, code: ErrorCode) -> Option<Recipe> {
    use ErrorCode as E;
    match code {
        E::MissingApiKey
        | E::InvalidApiKey
        | E::RevokedApiKey
        | E::ExpiredApiKey
        | E::LiveKeyInBrowser
        | E::IpNotAllowed
        | E::EndpointNotAllowed
        | E::AccountSuspended => Some(about_the_key(server, operation, code).await),
        E::InsufficientCredits | E::MaxCreditsExceeded | E::SpendCapReached => {
            Some(about_money(server, operation, code).await)
        }
        E::InvalidIdentifier
        | E::InvalidParameter
        | E::CompanyNotFound
        | E::DirectorNotFound
        | E::GstinNotFound
        | E::NotRecordedThen
        | E::NotAcceptable
        | E::RequestNotFound => Some(about_the_path(server, operation, code).await),
        E::WatchlistNotFound => {
            let ask = ask_of(operation).query("watchlist=wl_01ARZ3NDEKTSV4RRFFQ69G5FAV");
            Some(Recipe::with_key(ask, server.test_key().await).naming("watchlist"))
        }
        E::InvalidBody
        | E::BatchTooLarge
        | E::BatchEmpty
        | E::BodyTooLarge
        | E::UnsupportedMediaType => Some(about_the_body(server, operation, code).await),
        E::IdempotencyInProgress | E::IdempotencyMismatch => {
            Some(about_idempotency(server, operation, code).await)
        }
        E::RouteNotFound
        | E::MethodNotAllowed
        | E::RateLimited
        | E::InternalError
        | E::Overloaded
        | E::Unavailable
        // A register with deleted changes is needed.
        | E::HistoryNotKept
        // Only jobs have these; they have their own tests.
        | E::JobNotFound
        | E::JobConflict
        // And only watch lists and events have these.
        | E::WatchlistLimit
        | E::CursorExpired
        // The same for webhooks.
        | E::WebhookNotFound
        | E::WebhookLimit => None,
    }
}

async fn about_the_key(server: &Server, operation: Operation, code: ErrorCode) -> Recipe {
    use ErrorCode as E;
    let ask = ask_of(operation);
    let account_id = server.new_account().await;
    let new_key = async |mode, new| server.new_key(&account_id, mode, new).await;
    match code {
        E::MissingApiKey => Recipe::without_key(ask),
        E::InvalidApiKey => {
            let unknown = format!("Bearer {}", new_key_text(Mode::Test).as_str());
            Recipe::without_key(ask.header("authorization", unknown))
        }
        E::RevokedApiKey => {
            let key = new_key(Mode::Test, NewKey::default()).await;
            assert!(server.app.ledger.revoke_key(&key.id, now_ms()).await.unwrap());
            Recipe::without_key(ask.key(&key))
        }
        E::ExpiredApiKey => {
            let expired = NewKey { expires_at: Some(now_ms() - 1), ..NewKey::default() };
            Recipe::without_key(ask.key(&new_key(Mode::Test, expired).await))
        }
        E::LiveKeyInBrowser => {
            let key = new_key(Mode::Live, NewKey::default()).await;
            Recipe::with_key(ask.header("origin", "https://page.example"), key)
        }
        E::IpNotAllowed => {
            let elsewhere = vec!["10.1.0.0/16".to_owned(), "2001:db8::/32".to_owned()];
            let new = NewKey { allowed_addresses: elsewhere, ..NewKey::default() };
            Recipe::with_key(ask.from("192.0.2.7"), new_key(Mode::Test, new).await)
        }
        E::EndpointNotAllowed => {
            let others = Operation::ALL.iter().filter(|other| **other != operation);
            let others = others.map(|other| other.id().to_owned()).collect();
            let new = NewKey { allowed_operations: others, ..NewKey::default() };
            Recipe::with_key(ask, new_key(Mode::Test, new).await)
        }
        _ => {
            let key = new_key(Mode::Test, NewKey::default()).await;
            server.app.ledger.set_suspended(&account_id, Some(now_ms())).await.unwrap();
            Recipe::with_key(ask, key)
        }
    }
}

/// The free quota of the server under test is 0, so that every operation costs something.
async fn about_money(server: &Server, operation: Operation, code: ErrorCode) -> Recipe {
    let ask = ask_of(operation);
    match code {
        ErrorCode::InsufficientCredits => Recipe::with_key(ask, server.live_key(0).await),
        ErrorCode::MaxCreditsExceeded => {
            let ask = ask.header("panji-max-credits", "0");
            Recipe::with_key(ask, server.live_key(100).await).naming("Panji-Max-Credits")
        }
        _ => {
            let account_id = server.new_account().await;
            server.grant(&account_id, 100).await;
            let capped = NewKey { monthly_cap: Some(0), ..NewKey::default() };
            Recipe::with_key(ask, server.new_key(&account_id, Mode::Live, capped).await)
        }
    }
}

async fn about_the_path(server: &Server, operation: Operation, code: ErrorCode) -> Recipe {
    let key = server.test_key().await;
    let path = ask_of(operation).path;
    let with = |known: &str, other: &str| get(path.replace(known, other));
    use panji_testkit::records::{CIN, DIN, PAN};
    match code {
        ErrorCode::InvalidParameter => {
            Recipe::with_key(ask_of(operation).query("surprise=1"), key).naming("surprise")
        }
        ErrorCode::CompanyNotFound if operation == Operation::FindPaths => {
            let ask = get("/v1/network/paths?from=F99101&to=U17111MH1994PTC999999");
            Recipe::with_key(ask, key).naming("to")
        }
        ErrorCode::DirectorNotFound if operation == Operation::FindPaths => {
            let ask = get("/v1/network/paths?from=99999999&to=F99101");
            Recipe::with_key(ask, key).naming("from")
        }
        ErrorCode::NotAcceptable => {
            let ask = ask_of(operation).header("accept", "application/json");
            Recipe::with_key(ask, key).naming("Accept")
        }
        ErrorCode::CompanyNotFound => {
            Recipe::with_key(with(CIN, "U17111MH1994PTC999999"), key).naming("cin")
        }
        ErrorCode::DirectorNotFound => Recipe::with_key(with(DIN, "99999999"), key).naming("din"),
        ErrorCode::GstinNotFound => {
            Recipe::with_key(with(GSTIN, "27AAPFU0939F1ZV"), key).naming("gstin")
        }
        ErrorCode::NotRecordedThen => {
            let path = path.replace(CIN, "L17111MH1994PLC990011").replace(DIN, "99000161");
            Recipe::with_key(get(path).query("as_of=2026-01-01"), key).naming("as_of")
        }
        ErrorCode::RequestNotFound => Recipe::with_key(ask_of(operation), key).naming("request_id"),
        _ => {
            let request = (UNKNOWN_REQUEST, "request_id");
            let parts = [(CIN, "cin"), (DIN, "din"), (GSTIN, "gstin"), (PAN, "pan"), request];
            let (known, param) = parts.into_iter().find(|(known, _)| path.contains(known)).unwrap();
            // A verification reports a malformed value as its result, unless it is malformed in the URL.
            let verifies = operation.path().starts_with("/v1/verify/");
            let value = if verifies { "%zz" } else { "nonsense" };
            Recipe::with_key(with(known, value), key).naming(param)
        }
    }
}

async fn about_the_body(server: &Server, operation: Operation, code: ErrorCode) -> Recipe {
    let key = server.test_key().await;
    let enrich = operation == Operation::BulkEnrich;
    let list = if enrich { "cins" } else { "items" };
    let path = ask_of(operation).path;
    let body_of = |count: usize| match operation {
        Operation::BulkVerify => json!({ "items": vec![json!({ "value": "F99101" }); count] }),
        Operation::MatchCompanies => json!({ "items": vec![json!({ "cin": "F99101" }); count] }),
        _ => json!({ "cins": vec!["F99101"; count], "fields": ["company"] }),
    };
    match code {
        ErrorCode::InvalidBody => {
            Recipe::with_key(ask_of(operation).body("{\"surprise\": 1}"), key).naming("surprise")
        }
        ErrorCode::BatchTooLarge => {
            let limits = &server.app.config.limits;
            let max = match operation {
                Operation::BulkVerify => limits.bulk_verify_items,
                Operation::MatchCompanies => limits.match_items,
                _ => limits.bulk_enrich_cins,
            };
            Recipe::with_key(post(path, &body_of(max.get() + 1)), key).naming(list)
        }
        ErrorCode::BatchEmpty => Recipe::with_key(post(path, &body_of(0)), key).naming(list),
        ErrorCode::BodyTooLarge => {
            let limit = server.app.config.limits.body_bytes.get();
            let padded = format!("{}{}", " ".repeat(limit), body_of(1));
            Recipe::with_key(ask_of(operation).body(padded), key)
        }
        _ => {
            let ask = ask_of(operation).without_header("content-type");
            Recipe::with_key(ask.header("content-type", "text/plain"), key)
        }
    }
}

/// Another call of the same account has claimed the key, with the same content or another one.
async fn about_idempotency(server: &Server, operation: Operation, code: ErrorCode) -> Recipe {
    let key = server.test_key().await;
    let ask = ask_of(operation);
    // A POST is identified by its body, a GET by its path and query.
    let content = match operation {
        Operation::BulkVerify => r#"{"items":[{"value":"F99101"}]}"#.to_owned(),
        Operation::BulkEnrich => r#"{"cins":["F99101"],"fields":["company"]}"#.to_owned(),
        Operation::MatchCompanies => r#"{"items":[{"cin":"F99101"}]}"#.to_owned(),
        _ => ask.path.clone(),
    };
    let ask = match ask.method == Method::POST {
        true => ask.body(content.clone()),
        false => ask,
    };
    let mismatch = code == ErrorCode::IdempotencyMismatch;
    let first_content = if mismatch { "another request" } else { &content };
    let digest = Sha256::digest(format!("{}\n{first_content}", operation.id()));
    let fingerprint: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let owner = (key.account_id.as_str(), key.mode);
    let claim = server.app.ledger.claim_idempotency_key(
        owner,
        ("order 17", false),
        &fingerprint,
        "req_of_a_call_that_still_runs",
        now_ms(),
    );
    claim.await.unwrap();
    Recipe::with_key(ask.header("idempotency-key", "order 17"), key).naming("Idempotency-Key")
}
