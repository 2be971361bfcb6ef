//! Tests of hostile and malformed requests: each gets an error with the envelope, none an internal
//! error.

use axum::http::Method;
use panji_api::config::operation::Operation;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::ask::{ask, get, post};
use crate::responses_live::ask_of;
use crate::server::{Server, serve, serve_embedded};

const COMPANY: &str = "/v1/companies/L17111MH1994PLC990011";

#[test]
fn a_broken_path_is_an_invalid_identifier() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let long = "9".repeat(1_500);
        for part in [
            "%zz",
            "%",
            "%4",
            "%00",
            "L17111MH1994PLC990011%00",
            "%2F",
            "..%2F..%2Fetc",
            "%FF",
            "%E0%A4",
            "a%0D%0Ab",
            &long,
            "é",
        ] {
            for path in [
                format!("/v1/companies/{part}"),
                format!("/v1/companies/{part}/documents"),
                format!("/v1/directors/{part}"),
                format!("/v1/gst/{part}"),
                format!("/v1/search/pan/{part}"),
            ] {
                let response = server.send(get(&path).key(&key)).await;
                assert_eq!(response.code(), "invalid_identifier", "{path}: {}", response.json);
                let message = response.json["error"]["message"].as_str().unwrap();
                assert!(message.len() < 400, "{path}: {message}");
            }
        }
        assert_eq!(server.balance(&key).await, 10_000);
    });
}

#[test]
fn a_path_with_invalid_utf_8_is_verified_as_malformed() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for kind in ["cin", "din", "gstin", "pan"] {
            let response = server.send(get(format!("/v1/verify/{kind}/%FF%FE")).key(&key)).await;
            assert_eq!(response.expect_data()["format_valid"], false);
        }
    });
}

#[test]
fn malformed_percent_encoding_gets_no_verdict_and_costs_nothing() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for kind in ["cin", "din", "gstin", "pan"] {
            for part in ["%zz", "%", "%4", "ZZDCK9534Q%", "ZZD%GGK", "%%41"] {
                let response =
                    server.send(get(format!("/v1/verify/{kind}/{part}")).key(&key)).await;
                assert_eq!(
                    (response.status, response.code()),
                    (400, "invalid_identifier"),
                    "{part}"
                );
                assert_eq!(response.json["error"]["param"], kind);
                assert_eq!(response.charged(), 0);
            }
        }
        assert_eq!(server.balance(&key).await, 10_000);
        let encoded = server.send(get("/v1/verify/pan/%5AZDCK9534Q").key(&key)).await;
        assert_eq!(encoded.expect_data()["format_valid"], true);
    });
}

#[test]
fn requests_that_are_too_long_are_refused() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let long_path = get(format!("/v1/companies/{}", "A".repeat(2_100))).key(&key);
        let long_query = get(format!("/v1/companies/search?q={}", "a".repeat(2_100))).key(&key);
        for ask in [long_path, long_query] {
            let response = server.send(ask).await;
            assert_eq!(
                (response.code(), &response.json["error"]["param"]),
                ("invalid_parameter", &"path".into())
            );
            assert_eq!(
                response.header("panji-free-remaining"),
                Some("100"),
                "as on every response"
            );
        }
        let headers = get(COMPANY).key(&key).header("x-padding", "a".repeat(17_000));
        let response = server.send(headers).await;
        assert_eq!(
            (response.code(), &response.json["error"]["param"]),
            ("invalid_parameter", &"headers".into())
        );
        let many = (0..40).fold(get(COMPANY).key(&key), |ask, at| ask.query(&format!("p{at}=1")));
        assert_eq!(server.send(many).await.code(), "invalid_parameter");
        for (characters, status) in [(200, 200), (201, 400)] {
            let path = format!("/v1/companies/search?q={}", "%C3%A9".repeat(characters));
            assert_eq!(server.send(get(path).key(&key)).await.status, status, "{characters}");
        }
    });
}

#[test]
fn unknown_repeated_and_malformed_query_parameters_are_refused_everywhere() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for operation in Operation::ALL {
            for query in [
                "surprise=1",
                "surprise",
                "Q=x",
                "%zz=1",
                "x=%zz",
                "x=%FF",
                "x=%00",
                "=",
                "a=1&a=2",
            ] {
                let response = server.send(ask_of(*operation).query(query).key(&key)).await;
                assert_eq!(response.code(), "invalid_parameter", "{} {query}", operation.id());
            }
        }
        for query in [
            "",
            "q=",
            "q=%20",
            "q=a&q=b",
            "q=a%00b",
            "q=a%0Ab",
            "q=x&limit=0",
            "q=x&limit=51",
            "q=x&limit=ten",
            "q=x&state=ZZZ",
            "q=x&state=QQ",
            "q=x&state=",
            "q=x&status=asleep",
            "q=x&listed=yes",
            "q=x&listed=",
        ] {
            let path = format!("/v1/companies/search?{query}");
            let response = server.send(get(&path).key(&key)).await;
            assert_eq!(response.code(), "invalid_parameter", "{path}");
            assert!(response.json["error"]["param"].is_string(), "{path}");
        }
        for (state, message) in [
            ("ZZ", "No state has the letters ZZ."),
            ("qq", "No state has the letters QQ."),
            ("MHA", "state must be two letters of a CIN, such as MH."),
        ] {
            let path = format!("/v1/companies/search?q=x&state={state}");
            let response = server.send(get(path).key(&key)).await;
            assert_eq!(response.json["error"]["message"], message);
            assert_eq!(response.json["error"]["param"], "state");
        }
        for query in ["dry_run=yes", "dry_run=1", "dry_run", "dry_run=true&dry_run=true"] {
            let ask = ask_of(Operation::BulkVerify).query(query).key(&key);
            assert_eq!(server.send(ask).await.code(), "invalid_parameter", "{query}");
        }
        assert_eq!(server.balance(&key).await, 10_000);
    });
}

#[test]
fn the_error_of_a_malformed_body_names_the_field() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let long_ref = "x".repeat(65);
        let verify = [
            ("", "body"),
            ("nonsense", "body"),
            ("[]", "body"),
            (r#"[[["pan","ZZACK4368A"]]]"#, "body"),
            (r#"{"items":[["pan","ZZACK4368A"]]}"#, "items[0]"),
            ("null", "body"),
            ("{}", "items"),
            (r#"{"items":[]} trailing"#, "body"),
            (r#"{"items":null}"#, "items"),
            (r#"{"items":[{}]}"#, "items[0].value"),
            (r#"{"items":[{"value":1}]}"#, "items[0].value"),
            (r#"{"items":[{"value":"x"},{"value":"x","type":"tan"}]}"#, "items[1].type"),
            (r#"{"items":[{"value":"x","type":"CIN"}]}"#, "items[0].type"),
            (r#"{"items":[{"value":"x","extra":1}]}"#, "items[0].extra"),
            (r#"{"items":[{"value":"x","value":"y"}]}"#, "items[0].value"),
            (r#"{"items":[{"value":"x"}],"items":[]}"#, "items"),
            (&*format!(r#"{{"items":[{{"value":"x","ref":"{long_ref}"}}]}}"#), "items[0].ref"),
            ("{\"items\":[{\"value\":\"\u{0}\"}]}", "items[0].value"),
            (r#"{"items":[{"value":"\ud800"}]}"#, "items[0].value"),
        ];
        let enrich = [
            (r#"{"cins":["F99101"]}"#, "fields"),
            (r#"{"cins":["F99101"],"fields":[]}"#, "fields"),
            (r#"{"cins":["F99101"],"fields":["secrets"]}"#, "fields[0]"),
            (r#"{"cins":["F99101"],"fields":["company","company.secret"]}"#, "fields[1]"),
            (r#"{"cins":["F99101"],"fields":["company."]}"#, "fields[0]"),
            (r#"{"cins":[7],"fields":["company"]}"#, "cins[0]"),
            (r#"[["F99101"],["company"]]"#, "body"),
            (r#"{"cins":[["F99101",null]],"fields":["company"]}"#, "cins[0]"),
            (r#"{"cins":[{"cin":"F99101","ref":7}],"fields":["company"]}"#, "cins[0].ref"),
            (r#"{"cins":"F99101","fields":["company"]}"#, "cins"),
        ];
        for (path, cases) in [("/v1/bulk/verify", &verify[..]), ("/v1/bulk/enrich", &enrich[..])] {
            for (body, param) in cases {
                let ask = post(path, &Value::Null).body(*body).key(&key);
                let response = server.send(ask).await;
                assert_eq!(response.code(), "invalid_body", "{body}: {}", response.json);
                assert_eq!(response.json["error"]["param"], *param, "{body}: {}", response.json);
                let message = response.json["error"]["message"].as_str().unwrap();
                for word in ["struct", "sequence", "u64", "invalid type", "EOF"] {
                    assert!(!message.contains(word), "{body}: {message}");
                }
            }
        }
        let broken = post("/v1/bulk/verify", &Value::Null).body(vec![b'"', 0xFF, b'"']).key(&key);
        assert_eq!(server.send(broken).await.code(), "invalid_body");
        assert_eq!(server.balance(&key).await, 10_000);
    });
}

#[test]
fn an_error_repeats_only_a_little_of_what_was_sent() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let long = "x".repeat(200_000);
        for text in [&*long, "a\u{1}b\u{7f}\r\nc"] {
            for (path, body) in [
                ("/v1/bulk/verify", json!({ text: 1 })),
                ("/v1/bulk/verify", json!({ "items": [{ text: 1 }] })),
                ("/v1/bulk/verify", json!({ "items": [{ "value": "x", "type": text }] })),
                ("/v1/bulk/verify", json!({ "items": text })),
                ("/v1/bulk/enrich", json!({ "cins": ["F99101"], "fields": [text] })),
                (
                    "/v1/bulk/enrich",
                    json!({ "cins": ["F99101"], "fields": [format!("company.{text}")] }),
                ),
            ] {
                let response = server.send(post(path, &body).key(&key)).await;
                assert_eq!(response.code(), "invalid_body", "{path}");
                let excerpt: String = response.json.to_string().chars().take(300).collect();
                assert!(response.bytes.len() < 2_000, "{} bytes: {excerpt}", response.bytes.len());
                let param = response.json["error"]["param"].as_str().unwrap();
                assert!(!param.contains(char::is_control), "{excerpt}");
            }
        }
        // The requested value is returned once, as documented, and not repeated elsewhere.
        let body = json!({ "cins": [long], "fields": ["company"] });
        let response = server.send(post("/v1/bulk/enrich", &body).key(&key)).await;
        assert_eq!(response.expect_data()["not_found"], 1);
        assert!(response.bytes.len() < long.len() + 2_000, "{} bytes", response.bytes.len());
    });
}

#[test]
fn deep_and_huge_bodies_are_refused() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for path in ["/v1/bulk/verify", "/v1/bulk/enrich"] {
            let deep = format!("{{\"items\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
            let response = server.send(post(path, &Value::Null).body(deep).key(&key)).await;
            assert_eq!(response.code(), "invalid_body", "{path}");
            let huge = vec![b' '; 3 << 20];
            let response = server.send(post(path, &Value::Null).body(huge).key(&key)).await;
            assert_eq!(response.code(), "body_too_large", "{path}");
        }
        let largest = json!({ "items": vec![json!({ "value": "x" }); 1_000] });
        let response = server.send(post("/v1/bulk/verify", &largest).key(&key)).await;
        assert_eq!((response.status, response.charged()), (200, 0));
    });
}

#[test]
fn only_plain_json_bodies_are_accepted() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let body = r#"{"items":[{"value":"F99101"}]}"#;
        let with_type = |kind: &[u8]| {
            ask(Method::POST, "/v1/bulk/verify").header("content-type", kind).body(body).key(&key)
        };
        for kind in
            ["text/json", "application/x-www-form-urlencoded", "application/jsonp", "json", ""]
        {
            let response = server.send(with_type(kind.as_bytes())).await;
            assert_eq!(response.code(), "unsupported_media_type", "{kind}");
        }
        assert_eq!(server.send(with_type(b"\xFF\xFE")).await.code(), "unsupported_media_type");
        let none = ask(Method::POST, "/v1/bulk/verify").body(body).key(&key);
        assert_eq!(server.send(none).await.code(), "unsupported_media_type");
        for kind in ["application/json", "Application/JSON", "application/json; charset=utf-8"] {
            assert_eq!(server.send(with_type(kind.as_bytes())).await.status, 200, "{kind}");
        }
        let encoded =
            |coding: &str| with_type(b"application/json").header("content-encoding", coding);
        for coding in ["gzip", "br", "identity, gzip"] {
            let response = server.send(encoded(coding)).await;
            assert_eq!(response.code(), "unsupported_media_type", "{coding}");
        }
        assert_eq!(server.send(encoded("identity")).await.status, 200);
    });
}

/// Parts of random paths, so that many of them reach a handler.
fn path_part() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("companies".to_owned()),
        Just("search".to_owned()),
        Just("verify".to_owned()),
        Just("cin".to_owned()),
        Just("pan".to_owned()),
        Just("gst".to_owned()),
        Just("directors".to_owned()),
        Just("documents".to_owned()),
        Just("bulk".to_owned()),
        Just("L17111MH1994PLC990011".to_owned()),
        "[A-Za-z0-9.%~-]{0,24}",
        "(%[0-9A-F]{2}){1,8}",
    ]
}

fn query() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "q=[A-Za-z0-9%+&=.*()~:-]{0,40}",
        "(q|page|year|limit|dry_run)=(%[0-9A-F]{2}|[0-9a-z-]){0,12}",
    ]
}

fn body() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        "\\PC{0,30}".prop_map(|text| json!({ "items": [{ "value": text }] }).to_string()),
        "\\PC{0,30}".prop_map(|text| json!({ "cins": [text], "fields": ["company"] }).to_string()),
    ]
}

async fn send_random(
    server: &Server,
    authorization: &str,
    post: bool,
    path: &str,
    body: String,
) -> u16 {
    let method = if post { Method::POST } else { Method::GET };
    let ask = ask(method, path)
        .header("authorization", authorization)
        .header("content-type", "application/json")
        .body(body);
    server.send(ask).await.status
}

#[test]
fn no_random_request_causes_an_internal_error() {
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = runtime.block_on(Server::open(directory.path(), None, &[]));
    let key = runtime.block_on(server.test_key());
    let authorization = format!("Bearer {}", key.text);
    let parts = prop::collection::vec(path_part(), 1..5);
    let mut runner =
        TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    let outcome =
        runner.run(&(parts, query(), body(), any::<bool>()), |(parts, query, body, post)| {
            let path = format!("/v1/{}?{query}", parts.join("/"));
            let status = runtime.block_on(send_random(&server, &authorization, post, &path, body));
            prop_assert!(status < 500, "{path}: {status}");
            Ok(())
        });
    outcome.unwrap();
    runtime.block_on(server.close());
}

#[test]
fn the_request_id_of_the_caller_is_echoed_and_not_used_as_our_own() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let echoed = |id: &str| get(COMPANY).key(&key).header("x-request-id", id);
        let response = server.send(echoed("my-own-7")).await;
        assert_eq!(response.header("x-request-id"), Some("my-own-7"));
        assert_ne!(response.header("request-id"), Some("my-own-7"));
        let long = server.send(echoed(&"x".repeat(201))).await;
        assert_eq!(long.header("x-request-id"), None);
        let failed = server.send(get("/nowhere").header("x-request-id", "mine")).await;
        assert_eq!(failed.header("x-request-id"), Some("mine"));
    });
}
