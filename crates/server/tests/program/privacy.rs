//! Tests of privacy: nothing that a full run writes contains a key, a password, a session, a PAN or
//! a GSTIN; and an account's data is exported and erased.

use std::io::Write;
use std::net::SocketAddr;

use panji_testkit::Mailbox;
use serde_json::Value;

use crate::accounts::{Account, CIN, DIN};
use crate::collector::Collector;
use crate::console::{EMAIL, PASSWORD, Person};
use crate::http::{Client, connect};
use crate::metrics::NodeWithMetrics;
use crate::program::{Program, on_each_engine, wait_for};

const PAN: &str = "ZZDCK9534Q";
const GSTIN: &str = "27ZZDCK9534Q1ZN";
const SANDBOX_CIN: &str = "L17111MH1994PLC990011";
const WRONG_PASSWORD: &str = "kettle giraffe seven";
const NEXT_PASSWORD: &str = "saffron tram eleven";

/// Every operation with known values, and with wrong ones.
fn paths(key: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for cin in [CIN, SANDBOX_CIN, GSTIN, PAN] {
        for section in [
            "",
            "/pan",
            "/profile",
            "/financials",
            "/directors",
            "/charges",
            "/compliance",
            "/documents",
            "/nothing",
        ] {
            paths.push(format!("/v1/companies/{cin}{section}"));
        }
        paths.push(format!("/v1/verify/cin/{cin}"));
        paths.push(format!("/v1/companies/search?q={cin}"));
    }
    for value in [DIN, PAN, GSTIN, key, "%5A%5ADCK9534Q", "zzdck9534q", "%20ZZDCK9534Q"] {
        for source in [
            "directors",
            "verify/din",
            "verify/gstin",
            "verify/pan",
            "gst",
            "search/pan",
            "nowhere",
        ] {
            paths.push(format!("/v1/{source}/{value}"));
        }
        paths.push(format!("/v1/directors/{value}/companies"));
        paths.push(format!("/v1/gst/{GSTIN}?unknown={value}"));
    }
    paths
}

/// Calls every operation with a key, also in ways that are refused.
fn call_everything(address: SocketAddr, key: &str) {
    let echoed = format!("order-{PAN}-{key}");
    let headers = [("X-Request-Id", echoed.as_str()), ("Idempotency-Key", PAN)];
    let mut client = Client::new(address, Some(key));
    for path in paths(key) {
        client.send("GET", &path, &headers, b"").unwrap();
        client.send("DELETE", &path, &headers, b"").unwrap();
    }
    let items =
        format!(r#"{{"items":[{{"value":"{PAN}"}},{{"value":"{GSTIN}"}},{{"value":"{key}"}}]}}"#);
    let cins = format!(r#"{{"cins":["{SANDBOX_CIN}","{GSTIN}"],"sections":["company","pan"]}}"#);
    for body in [&items, &cins, PAN, key, &format!("{{\"{GSTIN}\":1}}")] {
        for path in ["/v1/bulk/verify", "/v1/bulk/enrich", "/v1/bulk/verify?dry_run=true"] {
            client.send("POST", path, &headers, body.as_bytes()).unwrap();
        }
    }
    for head in [
        format!("GET /v1/gst/{GSTIN} HTTP/1.1\r\nAuthorization: Bearer {key}\x01\r\n\r\n"),
        format!("{PAN} {key}\r\n\r\n"),
        format!("GET /v1/verify/pan/{PAN} HTTP/9.9\r\nHost: here\r\n\r\n"),
    ] {
        let mut connection = connect(address).unwrap();
        connection.get_mut().write_all(head.as_bytes()).unwrap();
        let _ = crate::http::read_reply(&mut connection);
    }
}

/// Sends a form without a session; returns the location of the redirect, if any.
fn send_form(address: SocketAddr, path: &str, form: &str) -> Option<String> {
    let kind = [("Content-Type", "application/x-www-form-urlencoded")];
    let reply = Client::new(address, None).send("POST", path, &kind, form.as_bytes()).unwrap();
    reply.header("location").map(str::to_owned)
}

/// Uses every function of the console; returns what must stay secret.
fn use_the_console(program: &Program, address: SocketAddr, mailbox: &Mailbox) -> Vec<String> {
    let person = Person::sign_up(address);
    let plus = |password: &str| password.replace(' ', "+");
    let log_in = |password: &str| {
        let form = format!("email={EMAIL}&password={}", plus(password));
        send_form(address, "/console/log-in", &form)
    };
    assert_eq!(log_in(WRONG_PASSWORD), None);
    send_form(address, "/console/log-in", &format!("email={PAN}&password={GSTIN}"));
    assert_eq!(log_in(PASSWORD).as_deref(), Some("/console"));

    let made = person.get_posted(address, "/console/keys", &[("mode", "test"), ("name", PAN)]);
    let key = made.split("id=\"key\" tabindex=\"0\">").nth(1).unwrap().split('<').next().unwrap();
    for path in ["/console/search?q=", "/console/companies/", "/console/directors/"] {
        for value in [PAN, GSTIN, SANDBOX_CIN] {
            person.get(address, &format!("{path}{value}"));
        }
    }
    let purchase = [("pack", "500"), ("name", PAN), ("address", GSTIN), ("gstin", GSTIN)];
    let order = person.post(address, "/console/credits", &purchase);
    person.post(address, &format!("{order}/test-payment"), &[]);
    let job = person.upload(address, &format!("{PAN}\n{GSTIN}\n{}\n", &PAN[1..]));
    person.post(address, &format!("{job}/start"), &[]);
    let progress = || person.json(address, &format!("{job}/progress"));
    wait_for("the job is done", || progress()["state"] == "done");
    assert_eq!(person.get(address, &format!("{job}/results.xlsx")).status, 200);

    send_form(address, "/console/reset", &format!("email={EMAIL}"));
    let link = mailbox.next_link(EMAIL);
    person.get(address, &link);
    let token = link.split_once("link=").unwrap().1.to_owned();
    let form = format!("link={token}&password={}", plus(NEXT_PASSWORD));
    assert!(send_form(address, "/console/new-password", &form).unwrap().contains("done=password"));
    assert_eq!(log_in(NEXT_PASSWORD).as_deref(), Some("/console"));
    Account::of(program, EMAIL).audit();

    let session = person.cookie.split_once('=').unwrap().1.to_owned();
    vec![key.to_owned(), token, session, person.form_token.clone()]
}

#[test]
fn nothing_that_a_full_run_writes_contains_a_secret_or_an_identifier() {
    let mailbox = Mailbox::open();
    on_each_engine(|program| {
        let collector = Collector::start();
        let program = program.with("RUST_LOG", "trace").with("PANJI_MAIL__SMTP_URL", &mailbox.url);
        let program = program.with("PANJI_TRACING__OTLP_ENDPOINT", &collector.url());
        let account = Account::with_credits(&program, 10_000);
        let (live, test) = (account.key("live"), account.key("test"));
        let mistyped = format!("{}0", &live[..39]);
        let mut watched = NodeWithMetrics::start(&program);
        let address = watched.node.address;
        for key in [&live, &test, &mistyped] {
            call_everything(address, key);
        }
        let mut secrets = use_the_console(&program, address, &mailbox);
        let reject = format!("{{\"record\":\"gst\",\"gstin\":\"{GSTIN}\",\"wrong\":\"{PAN}\"}}\n");
        let imported = program.run_with_input(&["import", "-"], &reject);

        let metrics = watched.page();
        watched.node.terminate();
        assert_eq!(watched.node.wait().code(), Some(0));
        let commands = [
            vec!["log", "export"],
            vec!["log", "show"],
            vec!["log", "verify"],
            vec!["account", "list"],
            vec!["credits", "history", "--account", EMAIL],
            vec!["ledger", "audit"],
            vec!["status"],
        ];
        let mut written = vec![
            ("the log", watched.node.logged()),
            ("standard output", watched.node.printed()),
            ("the metrics", metrics),
            ("the import", imported.stdout + &imported.stderr),
            ("the traces", String::from_utf8_lossy(&collector.bytes()).into_owned()),
        ];
        written.extend(commands.iter().map(|arguments| ("a command", program.ok(arguments))));
        secrets.extend([&live, &test, &mistyped].map(String::clone));
        secrets.extend([PASSWORD, WRONG_PASSWORD, NEXT_PASSWORD, PAN, GSTIN].map(str::to_owned));
        for (source, text) in &written {
            let text =
                text.to_uppercase().replace("%5A", "Z").replace(['+'], " ").replace("%20", " ");
            for secret in &secrets {
                let found = text.lines().find(|line| line.contains(&secret.to_uppercase()));
                assert_eq!(found, None, "{secret} is in {source}");
            }
        }
        let log = &written[0].1;
        assert!(log.contains("ZZDCKXXXXQ"), "the redacted form is there");
        for span in ["getGst", "verifyPan", "bulkEnrich", "/console/keys", "charge"] {
            assert!(written[4].1.contains(span), "{span} is not in the traces");
        }
        for action in ["log_in.failed", "password.reset", "credits.buy", "job.approve"] {
            assert!(written[5].1.contains(action), "{action} is not in the audit log");
        }
    });
}

#[test]
fn an_account_is_exported_completely_and_erased_after_its_address_is_typed_again() {
    on_each_engine(|program| {
        let node = program.serve();
        let person = Person::sign_up(node.address);
        let account = Account::of(program, EMAIL);
        account.grant(100);
        let key = account.key("test");
        assert_eq!(node.get(&key, &format!("/v1/verify/cin/{SANDBOX_CIN}")).status, 200);

        let exported = program.ok(&["account", "export", EMAIL]);
        let exported: Value = serde_json::from_str(&exported).unwrap_or_else(|error| {
            panic!("{error}: {exported}");
        });
        assert_eq!(exported["account"][0]["email"], EMAIL);
        assert_eq!(exported["members"][0]["email"], EMAIL);
        assert_eq!(exported["sessions"][0]["address"], "127.0.0.1");
        assert_eq!(exported["requests"][0]["operation"], "verifyCin");
        assert_eq!(exported["live_entries"][0]["amount"], 100);
        let events = exported["audit_log"].as_array().unwrap();
        assert!(events.iter().any(|event| event["action"] == "sign_up"), "{events:?}");
        let text = exported.to_string();
        let session = person.cookie.split_once('=').unwrap().1;
        for secret in [key.as_str(), session, "argon2"] {
            assert!(!text.contains(secret), "{secret} is in the export: {text}");
        }

        let refused = program.run_with_input(&["account", "erase", EMAIL], "other@firm.example\n");
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains("nothing was erased"), "{refused:?}");
        let erased = program.run_with_input(&["account", "erase", EMAIL], &format!("{EMAIL}\n"));
        assert_eq!(erased.code, Some(0), "{erased:?}");
        assert!(program.fails(&["account", "erase", EMAIL, "--yes"]).contains("no account"));
        wait_for("the key is refused", || node.get(&key, "/v1/verify/cin/x").status != 200);
        let page = person.get(node.address, "/console/keys");
        assert!(page.header("location").unwrap().starts_with("/console/log-in"), "logged out");
        assert!(!program.ok(&["account", "list"]).contains(EMAIL));
        account.audit();
        assert!(program.ok(&["log", "export"]).contains("account.erase"));
        Person::sign_up(node.address);
    });
}
