//! Tests of reconciliation tokens of the command line, and that no token is logged, traced or counted.

use crate::accounts::{Account, CIN};
use crate::collector::Collector;
use crate::http::Client;
use crate::metrics::NodeWithMetrics;
use crate::program::{embedded, on_each_engine, wait_for};

const EMAIL: &str = "namuna@example.in";
const FORM: [(&str, &str); 1] = [("Content-Type", "application/x-www-form-urlencoded")];

#[test]
fn a_token_is_created_used_rolled_and_revoked_on_the_command_line() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 10);
        program.ok(&["reindex"]);
        let create = ["key", "create", "--reconcile", "--account", EMAIL, "--mode", "live"];
        let made = program.run(&create);
        assert_eq!(made.code, Some(0), "{made:?}");
        assert!(made.stderr.contains("10000 credits a month"), "{made:?}");
        let token = made.stdout.trim_end().to_owned();
        assert!(token.starts_with("rk_live_") && token.len() == 40, "{token}");
        let id = account.newest_key_id();
        let listed = program.json(&["key", "list", "--account", EMAIL]);
        assert_eq!(
            (&listed[0]["kind"], &listed[0]["monthly_cap"]),
            (&"reconcile".into(), &10_000.into())
        );
        assert_eq!(listed[0]["allowed_operations"][0], "matchCompanies");
        let usage = program.run(&[&create[..], &["--allow-operation", "getCompany"]].concat());
        assert_eq!(usage.code, Some(2), "{usage:?}");

        let node = program.serve();
        let mut client = Client::new(node.address, None);
        let body = format!("queries=%7B%22a%22%3A%7B%22query%22%3A%22{CIN}%22%7D%7D");
        let mut query = |token: &str| {
            let path = format!("/reconcile/{token}");
            client.send("POST", &path, &FORM, body.as_bytes()).unwrap()
        };
        wait_for("the index is complete", || query(&token).status == 200);
        assert_eq!(query(&token).json()["a"]["result"][0]["id"], CIN);
        let rolled = program.ok(&["key", "roll", &id, "--overlap-minutes", "0"]);
        assert!(rolled.starts_with("rk_live_"), "{rolled}");
        assert_eq!(query(&rolled).status, 200);
        assert!(program.ok(&["key", "revoke", &account.newest_key_id()]).contains("is revoked"));
        wait_for("it is refused", || query(&rolled).status == 401);
        let spent = 10 - account.balance("live");
        assert!(spent >= 6 && spent % 2 == 0, "{spent}");
    });
}

#[test]
fn no_token_is_in_a_log_line_a_trace_or_a_metric() {
    embedded(|program| {
        let collector = Collector::start();
        let program = program.with("PANJI_TRACING__OTLP_ENDPOINT", &collector.url());
        Account::with_credits(&program, 10);
        let create = ["key", "create", "--reconcile", "--account", EMAIL, "--mode"];
        let token = |mode: &str| program.ok(&[&create[..], &[mode]].concat());
        let (live, test) = (token("live"), token("test"));
        let mistyped = format!("{}0", &live[..39]);
        let bare = live[8..].to_owned();
        let node = NodeWithMetrics::start(&program);
        let mut client = Client::new(node.node.address, None);
        let mut requests = 0;
        for token in [&live, &test, &mistyped, &bare, &live.replace('_', "%5F")] {
            for rest in
                ["", "/preview?id=x", "/suggest/entity?prefix=a", "/nowhere", "?queries=%7B"]
            {
                let path = format!("/reconcile/{token}{rest}");
                client.send("GET", &path, &[("X-Request-Id", live.as_str())], b"").unwrap();
                requests += 1;
            }
            let path = format!("/reconcile/{token}");
            client.send("POST", &path, &FORM, b"extend=%7B").unwrap();
            let header = format!("Bearer {token}");
            client.send("GET", "/v1/account", &[("Authorization", &header)], b"").unwrap();
            requests += 2;
        }
        let metrics = node.page();
        wait_for("the spans arrive", || collector.spans().len() >= requests);
        let spans = format!("{:?}", collector.spans());
        let mut node = node.node;
        node.terminate();
        assert_eq!(node.wait().code(), Some(0));
        let logged = node.logged();
        assert!(logged.contains("/reconcile/…/preview"), "{logged}");
        assert!(logged.contains("\"operation\":\"matchCompanies\""), "{logged}");
        for secret in [&live[8..], &test[8..], &mistyped[8..]] {
            for (place, text) in [("log", &logged), ("spans", &spans), ("metrics", &metrics)] {
                assert!(!text.contains(secret), "{secret} is in the {place}");
            }
        }
    });
}
