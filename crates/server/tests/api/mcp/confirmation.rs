//! Tests of the confirmation of expensive calls.

use serde_json::{Value, json};

use super::client::{CIN, LEGACY, RECENT, content, error, result, tool_call, with_capabilities};
use crate::ask::Ask;
use crate::server::{serve, serve_embedded};

/// A call that can cost 4 credits.
fn items() -> Value {
    json!([{ "name": "Kalpanik Industries Limited" }, { "cin": CIN }])
}

/// The call by a client that can ask its user, with the reply if there is one.
fn asking(arguments: Value, reply: Option<(&Value, Value)>) -> Ask {
    let mut params = json!({ "name": "match_companies", "arguments": arguments });
    if let Some((state, reply)) = reply {
        params["requestState"] = state.clone();
        params["inputResponses"] = json!({ "confirm": reply });
    }
    with_capabilities(RECENT, "tools/call", params, json!({ "elicitation": {} }))
}

fn accepted() -> Value {
    json!({ "action": "accept", "content": { "confirm": true } })
}

#[test]
fn a_client_that_can_ask_its_user_asks_before_an_expensive_call() {
    serve(&[("mcp.confirm_above", "3")], async |server| {
        let key = server.test_key().await;
        let before = server.balance(&key).await;
        let arguments = json!({ "items": items() });
        let asked = result(server, &key, asking(arguments.clone(), None)).await;
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let question = &asked["inputRequests"]["confirm"];
        assert_eq!(question["method"], "elicitation/create");
        assert!(
            question["params"]["message"].as_str().unwrap().contains("4 credits"),
            "{question}"
        );
        let state = &asked["requestState"];
        for declined in [
            json!({ "action": "decline" }),
            json!({ "action": "cancel" }),
            json!({ "action": "accept", "content": { "confirm": false } }),
        ] {
            let refused =
                result(server, &key, asking(arguments.clone(), Some((state, declined)))).await;
            assert_eq!(error(&refused)["code"], "confirmation_required");
        }
        assert_eq!(server.balance(&key).await, before);
        let done = result(server, &key, asking(arguments, Some((state, accepted())))).await;
        assert_eq!(content(&done)["credits_charged"], 4);
        assert_eq!(server.balance(&key).await, before - 4);
    });
}

#[test]
fn a_confirmation_counts_for_the_call_that_was_asked_about() {
    serve_embedded(&[("mcp.confirm_above", "3")], async |server| {
        let key = server.test_key().await;
        let before = server.balance(&key).await;
        let asked = result(server, &key, asking(json!({ "items": items() }), None)).await;
        let mut more = items();
        more.as_array_mut().unwrap().push(json!({ "name": "Another Name Limited" }));
        let reply = Some((&asked["requestState"], accepted()));
        let again = result(server, &key, asking(json!({ "items": more }), reply)).await;
        assert_eq!(again["resultType"], "input_required", "{again}");
        assert_ne!(again["requestState"], asked["requestState"]);
        let forged = Some((&Value::Null, accepted()));
        let again = result(server, &key, asking(json!({ "items": items() }), forged)).await;
        assert_eq!(again["resultType"], "input_required", "{again}");
        assert_eq!(server.balance(&key).await, before);
    });
}

#[test]
fn a_client_that_cannot_ask_confirms_with_max_credits() {
    serve(&[("mcp.confirm_above", "3")], async |server| {
        let key = server.test_key().await;
        let before = server.balance(&key).await;
        for revision in [LEGACY, RECENT] {
            let call = |most: Option<i64>| {
                let arguments = json!({ "items": items(), "max_credits": most });
                tool_call(revision, "match_companies", arguments)
            };
            for too_few in [None, Some(3)] {
                let refused = result(server, &key, call(too_few)).await;
                let error = error(&refused);
                assert_eq!(error["code"], "confirmation_required");
                assert!(error["message"].as_str().unwrap().contains("max_credits 4"), "{error}");
            }
            let done = result(server, &key, call(Some(4))).await;
            assert_eq!(content(&done)["credits_charged"], 4);
        }
        assert_eq!(server.balance(&key).await, before - 8);
    });
}

#[test]
fn a_call_at_the_limit_needs_no_confirmation() {
    serve_embedded(&[("mcp.confirm_above", "4")], async |server| {
        let key = server.test_key().await;
        let done = result(server, &key, asking(json!({ "items": items() }), None)).await;
        assert_eq!(content(&done)["credits_charged"], 4);
    });
}
