//! Tests of the first start: an empty directory, a printed key that works, a second start, and a
//! shutdown.

use std::time::{Duration, Instant};

use crate::http::{Client, connect, read_reply};
use crate::node::Node;
use crate::program::{Program, embedded, on_each_engine, wait_for};

/// The sandbox company whose calls take ten seconds.
const SLOW_CIN: &str = "U99999XX2000PTC000010";

/// The key and the path of the printed curl line.
pub fn printed_call(node: &Node) -> Option<(String, String)> {
    let printed = node.printed();
    let line = printed.lines().find(|line| line.trim_start().starts_with("curl"))?;
    let (before, url) = line.rsplit_once(' ')?;
    let key = before.split("Bearer ").nth(1)?.trim_end_matches('"');
    let path = url.strip_prefix(&format!("http://{}", node.address))?;
    Some((key.to_owned(), path.to_owned()))
}

#[test]
fn an_empty_directory_gets_a_working_key_once_and_a_second_start_prints_none() {
    on_each_engine(|program| {
        let node = program.serve();
        let (key, path) = printed_call(&node).expect("a curl line with a key");
        assert!(key.starts_with("pk_test_"), "{key}");
        let reply = node.get(&key, &path);
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(reply.json()["success"], true);
        assert_eq!(reply.header("panji-mode"), Some("test"));
        assert_eq!(reply.json()["credits_remaining"], 10_000, "the first call of a day is free");
        node.stop();

        let again = program.serve();
        assert!(!again.printed().contains("pk_test_"), "{}", again.printed());
        assert_eq!(again.get(&key, &path).status, 200, "the first key still works");
        again.stop();
        let accounts = program.json(&["account", "list"]);
        assert_eq!(accounts.as_array().unwrap().len(), 1, "{accounts}");
    });
}

/// The path of a link to the console in a text.
fn link_in(text: &str, page: &str) -> Option<String> {
    let link = text.split_whitespace().find(|word| word.contains(&format!("{page}?link=")))?;
    Some(link[link.find("/console")?..].to_owned())
}

#[test]
fn the_link_of_the_first_start_logs_in_the_owner_of_the_demo_account_once() {
    on_each_engine(|program| {
        let node = program.serve();
        let printed = link_in(&node.printed(), "/console/log-in/link").expect("a link");
        let logged_in = node.get("", &printed);
        assert_eq!(logged_in.status, 303, "{}", logged_in.text());
        assert_eq!(logged_in.header("location"), Some("/console"));
        let cookie = logged_in.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let mut client = Client::new(node.address, None);
        let page = client.send("GET", "/console", &[("Cookie", &cookie)], b"").unwrap();
        assert_eq!(page.status, 200, "{}", page.text());
        assert!(page.text().contains("Overview") && page.text().contains("Set a password"));
        let again = node.get("", &printed);
        assert_eq!(again.status, 404, "it works once: {}", again.text());
        let (_, token) = printed.split_once('=').unwrap();
        assert!(!node.logged().contains(token), "{}", node.logged());
        node.stop();
    });
}

#[test]
fn a_command_creates_a_link_to_set_a_password() {
    on_each_engine(|program| {
        let node = program.serve();
        let arguments = ["account", "log-in-link", "demo@panji.example", "--drop-second-factor"];
        let make = || link_in(&program.ok(&arguments), "/console/new-password").expect("a link");
        let (first, second) = (make(), make());
        let page = node.get("", &second);
        assert_eq!(page.status, 200, "{}", page.text());
        assert!(page.text().contains("demo@panji.example"), "{}", page.text());
        assert_eq!(node.get("", &first).status, 404, "a newer link replaces the older one");
        let nobody = program.fails(&["account", "log-in-link", "nobody@panji.example"]);
        assert!(nobody.contains("nobody@panji.example"), "{nobody}");
        program.ok(&["account", "operator", "demo@panji.example"]);
        let since = || program.json(&["account", "list"])[0]["operator_since"].clone();
        assert!(since().is_string(), "{}", since());
        program.ok(&["account", "operator", "demo@panji.example", "--off"]);
        assert!(since().is_null(), "{}", since());
        program.ok(&["account", "confirm", "demo@panji.example"]);
        let nobody = program.fails(&["account", "confirm", "nobody@panji.example"]);
        assert!(nobody.contains("nobody@panji.example"), "{nobody}");
        node.stop();
    });
}

#[test]
fn a_link_uses_the_address_of_the_settings_and_says_which_one_it_assumed() {
    embedded(|program| {
        let create = ["account", "create", "--email", "asha@firm.example", "--name"];
        for name in ["", "   "] {
            let refused = program.fails(&[&create[..], &[name]].concat());
            assert!(refused.contains("the name must not be empty"), "{refused}");
        }
        assert!(!program.data_dir().exists(), "nothing was created");
        program.ok(&[&create[..], &[" Asha & Co "]].concat());
        assert_eq!(program.json(&["account", "list"])[0]["name"], "Asha & Co");
        let command = ["account", "log-in-link", "asha@firm.example"];
        let check = |program: &Program, address: &str, assumed: bool| {
            let made = program.run(&command);
            assert!(made.stdout.starts_with(&format!("{address}/console/")), "{made:?}");
            let printed = made.stderr.contains(address.trim_start_matches("http://"));
            assert_eq!(printed, assumed, "{made:?}");
        };
        check(program, "http://127.0.0.1:8080", true);
        check(&program.with("PANJI_LISTEN", "127.0.0.1:9123"), "http://127.0.0.1:9123", true);
        let file = program.working_dir().join("panji.toml");
        std::fs::write(&file, "listen = \"127.0.0.1:9124\"\n").unwrap();
        check(program, "http://127.0.0.1:9124", true);
        let url = "https://panji.firm.example";
        check(&program.with("PANJI_PUBLIC_URL", url), url, false);
    });
}

#[test]
fn a_shutdown_refuses_new_callers_finishes_the_request_in_progress_and_exits_with_success() {
    embedded(|program| {
        let mut node = program.serve();
        let (key, _) = printed_call(&node).unwrap();
        let (address, started) = (node.address, Instant::now());
        let request = format!(
            "GET /v1/companies/{SLOW_CIN} HTTP/1.1\r\nHost: {address}\r\n\
             Authorization: Bearer {key}\r\n\r\n"
        );
        let mut slow = connect(address).unwrap();
        std::io::Write::write_all(slow.get_mut(), request.as_bytes()).unwrap();
        // Connections are accepted in order: once many later ones have a response, the request runs.
        assert!((0..50).all(|_| node.ready()));
        node.terminate();
        wait_for("new callers are refused", || node.readiness() != Some(200));
        assert!(node.ended().is_none(), "it waits for the request in progress");
        let reply = read_reply(&mut slow).unwrap();
        assert!([200, 404].contains(&reply.status), "{}", reply.text());
        assert!(started.elapsed() >= Duration::from_secs(9), "it got its response in its own time");
        assert_eq!(node.wait().code(), Some(0));
        assert!(Client::new(address, None).get("/healthz").is_err());
        assert!(node.logged().contains("\"message\":\"stopped\""), "{}", node.logged());
        assert!(node.logged().contains(SLOW_CIN), "the request is in the log");
    });
}
