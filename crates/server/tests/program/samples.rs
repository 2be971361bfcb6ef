//! Runs the samples of the reference and the commands of the guides against the program.

use std::path::Path;
use std::process::Command;

use panji_api::config::operation::Operation;
use serde_json::Value;

use crate::new_user::printed_call;
use crate::node::Node;
use crate::program::{Program, embedded, wait_for};

/// The ids in the examples, in place of which the test puts real ones.
const REQUEST_ID: &str = "req_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const JOB_ID: &str = "job_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const WATCHLIST_ID: &str = "wl_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const WEBHOOK_ID: &str = "we_01ARZ3NDEKTSV4RRFFQ69G5FAV";
/// Nothing listens there: what is sent is refused, on this machine.
const WEBHOOK: &str = r#"{"url":"http://127.0.0.1:9/panji"}"#;
const LIST: &str = r#"{"operation":"bulkVerify","items":["L17111MH1994PLC990011","99000101"]}"#;

fn unescaped(text: &str) -> String {
    let pairs = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The code of a sample on the page of an operation.
fn sample(page: &str, language: &str) -> String {
    let start = format!("<pre id=\"sample-{language}\"");
    let rest = page.split(&*start).nth(1).unwrap_or_else(|| panic!("no sample in {language}"));
    let code = rest.split_once('>').unwrap().1.split("</pre>").next().unwrap();
    unescaped(code)
}

/// Runs a program with the key in its environment; returns what it prints.
#[allow(clippy::disallowed_methods, reason = "a command needs the search path")]
fn run(folder: &Path, key: &str, url: &str, program: &str, arguments: &[&str]) -> String {
    let ended = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("API_KEY", key)
        .env("API_URL", url)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}; ./test installs it"));
    let printed = String::from_utf8(ended.stdout).unwrap();
    let complaint = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{program} {arguments:?}: {printed} {complaint}");
    printed
}

/// Runs a sample; returns the `data` that it prints.
fn run_sample(folder: &Path, key: &str, language: &str, code: &str) -> Value {
    let write = |name: &str| std::fs::write(folder.join(name), code).unwrap();
    let run = |program: &str, arguments: &[&str]| run(folder, key, "", program, arguments);
    let printed = match language {
        "curl" => run("bash", &["-c", &code.replacen("curl", "curl --silent", 1)]),
        "python" => {
            write("sample.py");
            run("python3", &["sample.py"])
        }
        "javascript" => {
            write("sample.mjs");
            run("node", &["sample.mjs"])
        }
        "go" => {
            write("sample.go");
            run("gccgo", &["-o", "sample", "sample.go"]);
            run("./sample", &[])
        }
        other => panic!("no such language: {other}"),
    };
    let file = folder.join("report.pdf");
    if code.contains("report.pdf") {
        assert!(std::fs::read(&file).unwrap().starts_with(b"%PDF-"), "{language}");
        std::fs::remove_file(file).unwrap();
        return Value::Object(serde_json::Map::new());
    }
    let value: Value = serde_json::from_str(&printed)
        .unwrap_or_else(|error| panic!("{language}: {error}: {printed}"));
    match value.get("success") {
        Some(success) => {
            assert_eq!(*success, true, "{language}: {printed}");
            value["data"].clone()
        }
        None => value,
    }
}

fn new_job(node: &Node, key: &str) -> String {
    let reply = node.post(key, "/v1/jobs", &[], LIST);
    reply.json()["data"]["id"].as_str().unwrap_or_else(|| panic!("{}", reply.text())).to_owned()
}

fn new_webhook(node: &Node, key: &str) -> String {
    let reply = node.post(key, "/v1/webhooks", &[], WEBHOOK);
    reply.json()["data"]["id"].as_str().unwrap_or_else(|| panic!("{}", reply.text())).to_owned()
}

fn new_watchlist(node: &Node, key: &str) -> String {
    let reply = node.post(key, "/v1/watchlists", &[], r#"{"name":"Borrowers"}"#);
    reply.json()["data"]["id"].as_str().unwrap_or_else(|| panic!("{}", reply.text())).to_owned()
}

/// The sample with ids of this program in place of those of the example.
fn with_real_ids(node: &Node, key: &str, operation: Operation, code: &str) -> String {
    let job = if code.contains(JOB_ID) { new_job(node, key) } else { String::new() };
    if operation == Operation::GetJobResults {
        node.post(key, &format!("/v1/jobs/{job}/approve"), &[], "");
        let done = || node.get(key, &format!("/v1/jobs/{job}")).json()["data"]["status"] == "done";
        wait_for("the job is done", done);
    }
    let earlier = node.get(key, "/v1/account").json()["request_id"].clone();
    let webhook = if code.contains(WEBHOOK_ID) { new_webhook(node, key) } else { String::new() };
    let list = if code.contains(WATCHLIST_ID) { new_watchlist(node, key) } else { String::new() };
    let code =
        code.replace(JOB_ID, &job).replace(WEBHOOK_ID, &webhook).replace(WATCHLIST_ID, &list);
    code.replace(REQUEST_ID, earlier.as_str().unwrap())
}

fn with_node(test: impl FnOnce(&Program, &Node, &str)) {
    embedded(|program| {
        let program = &program
            .with("PANJI_WEBHOOKS__ALLOW_HTTP", "true")
            .with("PANJI_WEBHOOKS__ALLOWED_NETWORKS", "127.0.0.0/8")
            .with("PANJI_WEBHOOKS__PER_ACCOUNT", "1000");
        let node = program.serve();
        let (key, _) = printed_call(&node).expect("a curl line with a key");
        test(program, &node, &key);
        node.stop();
    });
}

#[test]
fn the_samples_of_every_operation_run_in_every_language() {
    with_node(|program, node, key| {
        for operation in Operation::ALL {
            let id = operation.id();
            let page = node.get("", &format!("/docs/reference/{id}")).text();
            let mut responses = Vec::new();
            for language in ["curl", "python", "javascript", "go"] {
                let code = with_real_ids(node, key, *operation, &sample(&page, language));
                responses.push(run_sample(program.working_dir(), key, language, &code));
            }
            for response in &responses {
                let names = |value: &Value| -> Vec<String> {
                    value.as_object().unwrap_or_else(|| panic!("{id}")).keys().cloned().collect()
                };
                assert_eq!(names(response), names(&responses[0]), "{id}");
            }
        }
    });
}

/// The code blocks of a language in a guide.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let start = format!("```{language}\n");
    text.split(&*start).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_commands_of_the_guides_work_as_they_are_written() {
    with_node(|program, node, key| {
        let url = format!("http://{}", node.address);
        let mut job = String::new();
        let mut commands = 0;
        for guide in [
            "quick-start",
            "authentication",
            "api",
            "bulk",
            "idempotency",
            "search",
            "match",
            "findings",
            "jobs",
        ] {
            let text = node.get("", &format!("/docs/guides/{guide}.md")).text();
            let is_call = |block: &&str| {
                ["curl", "printf", "JOB="].iter().any(|word| block.starts_with(word))
            };
            for block in blocks(&text, "sh").into_iter().filter(is_call) {
                let script = format!("set -e\n{}", block.replace(JOB_ID, &job));
                let script = script.replace("curl ", "curl --silent ");
                let printed = run(program.working_dir(), key, &url, "bash", &["-c", &script]);
                let fails = block.contains("000404");
                assert_eq!(printed.contains("\"success\":false"), fails, "{guide}: {printed}");
                assert!(printed.contains("\"success\":"), "{guide}: {block}: {printed}");
                if let Some(id) = printed.split("\"id\":\"job_").nth(1) {
                    job = format!("job_{}", id.split('"').next().unwrap());
                }
                commands += 1;
            }
        }
        assert!(commands > 10, "{commands} blocks");
        assert!(program.working_dir().join("results.csv").exists(), "a job's results");
    });
}

#[test]
fn the_programs_of_the_guide_of_clients_run() {
    with_node(|program, node, key| {
        let (folder, url) = (program.working_dir(), format!("http://{}", node.address));
        let text = node.get("", "/docs/guides/clients.md").text();
        let python = blocks(&text, "python");
        let javascript = blocks(&text, "js");
        assert!(!python.is_empty() && !javascript.is_empty());
        for code in python {
            let printed = run(folder, key, &url, "python3", &["-c", code]);
            assert!(printed.contains("Kalpanik Industries Limited"), "{printed}");
        }
        for code in javascript {
            std::fs::write(folder.join("guide.mjs"), code).unwrap();
            let printed = run(folder, key, &url, "node", &["guide.mjs"]);
            assert_eq!(printed, "439 documents\n");
        }
        let scanner = node.get("", "/docs/guides/authentication.md").text();
        let check = format!("{}print(is_panji_key({key:?}))", blocks(&scanner, "python")[0]);
        assert_eq!(run(folder, key, &url, "python3", &["-c", &check]), "True\n");
    });
}
