//! Tests of the protocol itself: both revisions, without sessions.

use axum::http::Method;
use serde_json::{Value, json};

use super::client::{LEGACY, RECENT, call, message, protocol_error, result, tool_call};
use crate::ask::ask;
use crate::server::serve_embedded;

#[test]
fn clients_of_both_revisions_are_served_without_a_session() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let hello = json!({
            "protocolVersion": LEGACY,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let response = server.send_unchecked(message(LEGACY, "initialize", hello).key(&key)).await;
        assert_eq!(response.json["result"]["protocolVersion"], LEGACY, "{}", response.json);
        assert_eq!(response.json["result"]["serverInfo"]["name"], "panji");
        assert_eq!(response.header("mcp-session-id"), None);
        let found = result(server, &key, message(RECENT, "server/discover", json!({}))).await;
        let versions = found["supportedVersions"].as_array().unwrap();
        for revision in [LEGACY, RECENT] {
            assert!(versions.contains(&json!(revision)), "{found}");
        }
        for revision in [LEGACY, RECENT] {
            let list = result(server, &key, message(revision, "tools/list", json!({}))).await;
            let names: Vec<&str> = list["tools"]
                .as_array()
                .unwrap()
                .iter()
                .map(|tool| tool["name"].as_str().unwrap())
                .collect();
            let expected = [
                "find_company",
                "match_companies",
                "company_profile",
                "company_financials",
                "company_findings",
                "company_network",
                "director",
                "verify",
                "watchlists",
                "watch_events",
                "account",
            ];
            assert_eq!(names, expected);
            let called = tool_call(revision, "verify", json!({ "value": "99000101" }));
            let called = result(server, &key, called).await;
            assert_eq!(called["structuredContent"]["data"]["found"], true, "{called}");
        }
    });
}

#[test]
fn there_is_no_stream_to_get_and_no_session_to_delete() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        for method in [Method::GET, Method::DELETE, Method::HEAD, Method::OPTIONS, Method::PUT] {
            let response = server.send_unchecked(ask(method.clone(), "/mcp").key(&key)).await;
            assert_eq!(
                (response.status, response.header("allow")),
                (405, Some("POST")),
                "{method}"
            );
        }
    });
}

#[test]
fn protocol_errors_are_errors_of_json_rpc() {
    serve_embedded(&[("limits.body_bytes", "4096")], async |server| {
        let key = server.test_key().await;
        let unknown =
            server.send_unchecked(tool_call(RECENT, "nothing", json!({})).key(&key)).await;
        assert_eq!(protocol_error(&unknown), -32602);
        let unknown = message(RECENT, "nothing", json!({}));
        let unknown = server.send_unchecked(unknown.key(&key)).await;
        assert_eq!((unknown.status, protocol_error(&unknown)), (404, -32601));
        for broken in ["{broken", "", "[]", "{}", "\"text\"", "\u{feff}{}"] {
            let ask = message(LEGACY, "ping", json!({})).body(broken).key(&key);
            let response = server.send_unchecked(ask).await;
            assert_eq!((response.status, protocol_error(&response)), (400, -32700), "{broken}");
        }
        let accepts_nothing = message(LEGACY, "ping", json!({})).without_header("accept");
        let response = server.send_unchecked(accepts_nothing.key(&key)).await;
        assert_eq!((response.status, protocol_error(&response)), (406, -32600));
        let large = message(LEGACY, "ping", json!({ "padding": "x".repeat(5_000) }));
        let response = server.send_unchecked(large.key(&key)).await;
        assert_eq!((response.status, response.code()), (413, "body_too_large"));
        let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let done = message(LEGACY, "ping", json!({})).body(done.to_string()).key(&key);
        assert_eq!(server.send_unchecked(done).await.status, 202);
    });
}

#[test]
fn a_header_that_contradicts_the_body_is_refused() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let ask = tool_call(RECENT, "verify", json!({ "value": "99000101" }));
        for (name, value) in [
            ("mcp-method", "tools/list"),
            ("mcp-name", "account"),
            ("mcp-protocol-version", LEGACY),
        ] {
            let ask = ask.clone().without_header(name).header(name, value).key(&key);
            let response = server.send_unchecked(ask).await;
            assert_eq!((response.status, protocol_error(&response)), (400, -32020), "{name}");
        }
    });
}

#[test]
fn a_company_is_a_resource_and_costs_what_the_company_record_costs() {
    serve_embedded(&[("free_quota.calls_per_day", "0")], async |server| {
        let key = server.test_key().await;
        let before = server.balance(&key).await;
        let templates = message(RECENT, "resources/templates/list", json!({}));
        let templates = result(server, &key, templates).await;
        let template = &templates["resourceTemplates"][0];
        assert_eq!(template["uriTemplate"], "panji://company/{cin}");
        assert!(template["description"].as_str().unwrap().contains("1 credit"), "{template}");
        let uri = "panji://company/L17111MH1994PLC990011";
        let read = message(RECENT, "resources/read", json!({ "uri": uri }));
        let read = result(server, &key, read).await;
        let text = read["contents"][0]["text"].as_str().unwrap();
        let content: Value = serde_json::from_str(text).unwrap();
        assert_eq!(content["data"]["name"], "Kalpanik Industries Limited");
        assert_eq!(server.balance(&key).await, before - 1);
        for unknown in ["panji://company/U17111MH1994PTC999999", "panji://company/", "panji://else"]
        {
            let read = message(RECENT, "resources/read", json!({ "uri": unknown }));
            let response = server.send_unchecked(read.key(&key)).await;
            assert_eq!(protocol_error(&response), -32602, "{unknown}");
        }
        assert_eq!(server.balance(&key).await, before - 1);
    });
}

#[test]
fn the_prompt_names_the_company_and_the_prices() {
    serve_embedded(&[("prices.getCompanyProfile", "17")], async |server| {
        let key = server.test_key().await;
        let list = result(server, &key, message(RECENT, "prompts/list", json!({}))).await;
        assert_eq!(list["prompts"][0]["name"], "kyb_check");
        let asked =
            json!({ "name": "kyb_check", "arguments": { "company": "Kalpanik Industries" } });
        let prompt = result(server, &key, message(RECENT, "prompts/get", asked)).await;
        let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("\"Kalpanik Industries\"") && text.contains("(17)"), "{text}");
        for wrong in [json!({}), json!({ "company": " " }), json!({ "company": "x".repeat(201) })] {
            let asked = json!({ "name": "kyb_check", "arguments": wrong });
            let response =
                server.send_unchecked(message(RECENT, "prompts/get", asked).key(&key)).await;
            assert_eq!(protocol_error(&response), -32602);
        }
        let free = call(server, &key, "account", json!({})).await;
        assert_eq!(free["structuredContent"]["credits_charged"], 0);
    });
}
