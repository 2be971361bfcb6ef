//! Tests of the log: one line per request, and never a whole key, PAN or GSTIN.

use serde_json::{Value, json};

use crate::accounts::Account;
use crate::console::{EMAIL, Person};
use crate::http::Client;
use crate::node::Node;
use crate::program::{embedded, wait_for};

const PAN: &str = "ZZDCK9534Q";
const GSTIN: &str = "27ZZDCK9534Q1ZN";
const CIN: &str = "L17111MH1994PLC990011";

#[test]
fn no_line_contains_a_whole_key_pan_or_gstin() {
    embedded(|program| {
        let account = Account::with_credits(program, 1_000);
        let (live, test) = (account.key("live"), account.key("test"));
        let mut node = program.serve();
        let mistyped = format!("{}0", &live[..39]);
        let lower = PAN.to_lowercase();
        let paths = [
            format!("/v1/verify/pan/{PAN}"),
            format!("/v1/verify/pan/{lower}"),
            format!("/v1/verify/pan/%20{PAN}%20"),
            format!("/v1/verify/pan/{}", PAN.replace('Z', "%5A")),
            format!("/v1/verify/pan/{}-{}.{}", &PAN[..5], &PAN[5..9], &PAN[9..]),
            format!("/v1/verify/pan/{}%20{}%20{}", &PAN[..3], &PAN[3..7], &PAN[7..]),
            format!("/v1/verify/gstin/{GSTIN}"),
            format!("/v1/gst/{}-{}-{}", &GSTIN[..2], &GSTIN[2..12], &GSTIN[12..]),
            format!("/v1/gst/{GSTIN}"),
            format!("/v1/search/pan/{PAN}"),
            format!("/v1/companies/search?q={PAN}"),
            format!("/v1/companies/{CIN}/pan"),
            format!("/v1/companies/{GSTIN}"),
            format!("/v1/nowhere/{GSTIN}?pan={PAN}"),
            format!("/v1/nowhere/{live}"),
            format!("/v1/verify/din/{live}"),
        ];
        let mut requests = 0;
        for key in [&live, &test, &mistyped] {
            for path in &paths {
                let echoed = format!("order-{PAN}-{GSTIN}");
                let headers = [("X-Request-Id", echoed.as_str())];
                let reply = node.client(key).send("GET", path, &headers, b"").unwrap();
                assert_eq!(reply.header("x-request-id"), Some(echoed.as_str()));
                requests += 1;
            }
            let items = format!(r#"{{"items":[{{"value":"{PAN}"}},{{"value":"{GSTIN}"}}]}}"#);
            for body in [items.as_str(), PAN, &format!("{{\"{GSTIN}\":1}}")] {
                let headers = [("Idempotency-Key", PAN), ("X-Request-Id", live.as_str())];
                node.post(key, "/v1/bulk/verify", &headers, body);
                requests += 1;
            }
        }
        requests += send_over_mcp(&node, &live);
        let basic = [("Authorization", format!("Basic {live}"))];
        let headers: Vec<(&str, &str)> = basic.iter().map(|(n, v)| (*n, v.as_str())).collect();
        Client::new(node.address, None).send("GET", &paths[0], &headers, b"").unwrap();
        requests += 1;

        node.terminate();
        assert_eq!(node.wait().code(), Some(0));
        let logged = node.logged();
        check_lines(&logged, requests);
        let all = format!("{}{logged}", node.printed()).to_uppercase().replace("%5A", "Z");
        let together = all.replace([' ', '.', '-'], "");
        for secret in [PAN, GSTIN, live.as_str(), test.as_str(), mistyped.as_str()] {
            let secret = secret.to_uppercase();
            let found = all.lines().chain(together.lines()).find(|line| line.contains(&secret));
            assert_eq!(found, None, "{secret} is in the log");
        }
        assert!(all.contains("ZZDCKXXXXQ"), "the redacted form is there");
    });
}

/// Sends requests with a PAN, a GSTIN and the key to /mcp; returns the number of lines that they make.
fn send_over_mcp(node: &Node, key: &str) -> usize {
    let sent =
        [("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-11-25")];
    let mut lines = 0;
    for (method, params) in [
        ("tools/call", json!({ "name": "verify", "arguments": { "value": PAN } })),
        ("tools/call", json!({ "name": "company_profile", "arguments": { "cin": GSTIN } })),
        ("resources/read", json!({ "uri": format!("panji://company/{GSTIN}") })),
    ] {
        let body = json!({ "jsonrpc": "2.0", "id": PAN, "method": method, "params": params });
        node.post(key, "/mcp", &sent, &body.to_string());
        // The request, and the call that it makes.
        lines += 2;
    }
    let unknown = json!({ "jsonrpc": "2.0", "id": 1, "method": PAN, "params": { "name": key } });
    node.post(key, "/mcp", &sent, &unknown.to_string());
    lines + 1
}

/// Every line is JSON, and every request has one with the required fields.
fn check_lines(logged: &str, expected: usize) {
    let lines: Vec<Value> =
        logged.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let logged: Vec<&Value> = lines
        .iter()
        .filter(|line| line["message"] == "request" && line["path"] != "/readyz")
        .collect();
    assert_eq!(logged.len(), expected);
    for line in &logged {
        for field in ["request_id", "status", "credits", "time_ms", "path", "method"] {
            assert!(!line[field].is_null(), "{field} is missing in {line}");
        }
    }
    let paid = logged.iter().filter(|line| line["credits"].as_i64() > Some(0));
    assert!(paid.clone().count() > 0);
    for line in paid {
        assert!(line["account"].is_string() && line["operation"].is_string(), "{line}");
    }
}

#[test]
fn a_closed_log_pipe_does_not_stop_the_service() {
    embedded(|program| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let node = crate::node::free_address();
        let mut child = program
            .command(&["--listen", &node.to_string()])
            .stdout(std::process::Stdio::null())
            .stderr(writer)
            .spawn()
            .unwrap();
        wait_for("the node is ready", || {
            Client::new(node, None).get("/readyz").is_ok_and(|reply| reply.status == 200)
        });
        for _ in 0..3 {
            let refused = Client::new(node, None).get("/v1/companies/none").unwrap();
            assert_eq!(refused.status, 401);
        }
        let script = format!("kill -TERM {}", child.id());
        assert!(std::process::Command::new("sh").args(["-c", &script]).status().unwrap().success());
        let mut ended = None;
        wait_for("the node stops", || {
            ended = child.try_wait().unwrap();
            ended.is_some()
        });
        assert_eq!(ended.unwrap().code(), Some(0));
    });
}

#[test]
fn without_a_mail_server_no_link_is_in_the_log() {
    embedded(|program| {
        let mut node = program.serve();
        let owner = Person::sign_up(node.address);
        let invited = [("email", "dev%40firm.example"), ("role", "developer")];
        owner.post(node.address, "/console/members/invite", &invited);
        let page = owner.get(node.address, "/console/members").text();
        let (_, rest) = page.split_once("/console/invitation?link=").expect("a link to hand on");
        let token = rest.split('<').next().unwrap().to_owned();
        assert_eq!(token.len(), 64, "{token}");
        let path = format!("/console/invitation?link={token}");
        let mut client = Client::new(node.address, None);
        assert_eq!(client.get(&path).unwrap().status, 200);
        // It is also redacted in a path, for a link that was pasted in the wrong way.
        client.get(&format!("/console/link={token}")).unwrap();
        let page = owner.get_posted(node.address, "/console/reset", &[("email", EMAIL)]);
        assert!(page.contains("No mail server is set up"), "{page}");
        node.terminate();
        assert_eq!(node.wait().code(), Some(0));
        let logged = node.logged();
        assert!(logged.contains("/console/invitation"), "{logged}");
        assert!(!logged.contains(&token), "{logged}");
        assert!(!logged.contains("new-password?link="), "{logged}");
    });
}
