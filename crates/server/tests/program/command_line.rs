//! Tests of every command: its output, exit status and errors.

use std::path::Path;

use panji_store::Engine;
use panji_store::engine::Workload;
use serde_json::Value;

use crate::accounts::Account;
use crate::program::{embedded, on_each_engine};

const EMAIL: &str = "namuna@example.in";

#[test]
fn accounts_are_created_listed_suspended_and_resumed() {
    on_each_engine(|program| {
        let id = program.ok(&["account", "create", "--email", EMAIL, "--name", "Namuna Traders"]);
        assert!(id.starts_with("acc_") && id.lines().count() == 1, "{id}");
        let accounts = program.json(&["account", "list"]);
        assert_eq!(accounts[0]["id"], id.as_str());
        assert_eq!(accounts[0]["email"], EMAIL);
        assert_eq!(accounts[0]["suspended_at"], Value::Null);
        assert!(program.ok(&["account", "list"]).contains("active"));

        let suspended = program.ok(&["account", "suspend", EMAIL]);
        assert!(suspended.starts_with("namuna@example.in is suspended"), "{suspended}");
        assert!(program.json(&["account", "list"])[0]["suspended_at"].is_string());
        assert!(program.ok(&["account", "list"]).contains("suspended"));
        let resumed = program.ok(&["account", "resume", EMAIL]);
        assert!(resumed.starts_with("namuna@example.in is resumed"), "{resumed}");
        let again = program.ok(&["account", "resume", EMAIL]);
        assert!(again.contains("was not suspended"), "{again}");
        assert_eq!(program.json(&["account", "list"])[0]["suspended_at"], Value::Null);

        let twice = program.fails(&["account", "create", "--email", EMAIL, "--name", "Again"]);
        assert!(twice.contains(EMAIL) || twice.contains("already"), "{twice}");
        program.fails(&["account", "create", "--email", "nowhere", "--name", "No Address"]);
        let unknown = program.fails(&["account", "suspend", "nobody@example.in"]);
        assert!(unknown.contains("nobody@example.in"), "{unknown}");
    });
}

#[test]
fn an_operators_account_is_marked_unmarked_and_listed_as_such() {
    embedded(|program| {
        Account::create(program, EMAIL);
        Account::create(program, "other@example.in");
        let row = |email: &str| {
            let table = program.ok(&["account", "list"]);
            let row = table.lines().find(|line| line.starts_with(email)).unwrap().to_owned();
            row.split_whitespace().nth(4).unwrap().to_owned()
        };
        assert_eq!(row(EMAIL), "no");
        let marked = program.ok(&["account", "operator", EMAIL]);
        assert!(marked.starts_with("namuna@example.in is now an operator account"), "{marked}");
        assert_eq!((row(EMAIL), row("other@example.in")), ("yes".into(), "no".into()));
        assert!(program.ok(&["account", "operator", EMAIL]).contains("already"));
        let unmarked = program.ok(&["account", "operator", EMAIL, "--off"]);
        assert!(unmarked.contains("is no longer an operator account"), "{unmarked}");
        assert_eq!(row(EMAIL), "no");
    });
}

#[test]
fn a_key_is_printed_alone_and_once_and_can_be_listed_revoked_and_rolled() {
    on_each_engine(|program| {
        let account = Account::create(program, EMAIL);
        let node = program.serve();
        let key = program.run(&["key", "create", "--account", EMAIL, "--mode", "test"]);
        assert_eq!((key.code, key.stderr.as_str()), (Some(0), ""));
        let key = key.stdout.strip_suffix('\n').unwrap().to_owned();
        assert!(key.starts_with("pk_test_") && key.len() == 40, "{key}");
        assert_eq!(node.get(&key, "/v1/directors/99000101").status, 200);

        let id = account.newest_key_id();
        let listed = program.json(&["key", "list", "--account", EMAIL]);
        assert!(listed[0]["last_used_at"].is_string(), "{listed}");
        let table = program.ok(&["key", "list", "--account", EMAIL]);
        for text in [listed.to_string(), table] {
            assert!(!text.contains(&key) && text.contains(&key[36..]), "{text}");
        }

        let rolled = program.ok(&["key", "roll", &id, "--overlap-minutes", "60"]);
        assert_ne!(rolled, key);
        assert_eq!(node.get(&rolled, "/v1/directors/99000101").status, 200);
        assert_eq!(node.get(&key, "/v1/directors/99000101").status, 200, "valid for an hour more");

        let new_id = account.newest_key_id();
        assert_ne!(new_id, id);
        assert!(program.ok(&["key", "revoke", &new_id]).contains("is revoked"));
        assert!(program.fails(&["key", "revoke", &new_id]).contains("already revoked"));
        assert!(program.fails(&["key", "roll", &new_id]).contains("revoked"));
        assert!(program.fails(&["key", "revoke", "key_NONE"]).contains("key_NONE"));
        program.fails(&["key", "create", "--account", "nobody@example.in", "--mode", "test"]);
    });
}

#[test]
fn a_key_obeys_its_expiry_addresses_operations_and_cap() {
    embedded(|program| {
        let account = Account::with_credits(program, 100);
        let node = program.serve();
        let key = |options: &[&str]| {
            let create = ["key", "create", "--account", &account.email, "--mode", "live"];
            program.ok(&[&create, options].concat())
        };
        let verdict = |key: &str| {
            let reply = node.get(key, "/v1/verify/din/99000501");
            (reply.status, reply.code())
        };
        let lasting = key(&["--expires", "2999-12-31"]);
        assert_eq!(verdict(&lasting).0, 200);
        let create = ["key", "create", "--account", &account.email, "--mode", "live"];
        for over in ["2020-01-01", "2020-01-01T00:00:00Z"] {
            let refused = program.run(&[&create[..], &["--expires", over]].concat());
            assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
            assert!(refused.stderr.contains("in the past"), "{refused:?}");
        }
        let elsewhere = key(&["--allow-ip", "203.0.113.0/24"]);
        assert_eq!(verdict(&elsewhere), (403, "ip_not_allowed".into()));
        let here = key(&["--allow-ip", "127.0.0.0/8"]);
        assert_eq!(verdict(&here).0, 200);
        let other = key(&["--allow-operation", "getCompany"]);
        assert_eq!(verdict(&other), (403, "endpoint_not_allowed".into()));
        let capped = key(&["--monthly-cap", "1"]);
        assert_eq!(verdict(&capped).0, 200);
        assert_eq!(verdict(&capped), (402, "spend_cap_reached".into()));
    });
}

#[test]
fn credits_are_granted_once_per_reference_shown_and_accounted_for() {
    on_each_engine(|program| {
        let account = Account::create(program, EMAIL);
        let grant = ["credits", "grant", "--account", EMAIL, "--amount", "250"];
        let named = [&grant[..], &["--reference", "invoice 7"]].concat();
        assert_eq!(program.ok(&named), "250 credits granted, balance 250");
        let again = program.ok(&named);
        assert!(again.starts_with("nothing granted: the reference invoice 7 was used"), "{again}");
        assert!(again.ends_with("balance 250"), "{again}");
        assert_eq!(account.balance("live"), 250, "the same reference counts once");
        program.ok(&grant);
        assert_eq!(account.balance("live"), 500);
        assert_eq!(account.balance("test"), 10_000);
        assert!(program.ok(&["credits", "show", "--account", EMAIL]).contains("500"));

        let history = program.json(&["credits", "history", "--account", EMAIL]);
        assert_eq!(history.as_array().unwrap().len(), 2);
        assert_eq!(history[1]["reference"], "invoice 7");
        assert_eq!(history[0]["balance_after"], 500, "newest first");
        let table = program.ok(&["credits", "history", "--account", EMAIL, "--limit", "1"]);
        assert_eq!(table.lines().count(), 2, "{table}");
        account.audit();
        program.fails(&["credits", "grant", "--account", "nobody@example.in", "--amount", "1"]);
        program.fails(&["credits", "show", "--account", "nobody@example.in"]);
        program.fails(&["credits", "history", "--account", "nobody@example.in"]);
    });
}

#[test]
fn a_charge_is_refunded_once_by_its_request_id() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 10);
        let node = program.serve();
        let reply = node.get(&account.key("live"), "/v1/verify/din/99000501");
        assert_eq!(reply.status, 200);
        let request_id = reply.request_id();
        let refund = ["credits", "refund", "--request", &request_id];
        assert_eq!(program.ok(&refund), "1 credit refunded, balance 10");
        assert!(program.ok(&refund).starts_with("nothing refunded: 1 credit"));
        let named = [&refund[..], &["--account", &account.email]].concat();
        assert!(program.ok(&named).starts_with("nothing refunded"));
        assert_eq!(account.balance("live"), 10);
        assert!(account.refunds().contains(&request_id));
        let unknown = program.fails(&["credits", "refund", "--request", "req_nobodys"]);
        assert!(unknown.contains("nothing was charged for the request req_nobodys"), "{unknown}");
        assert!(program.ok(&["log", "show"]).contains("credits.refund"));
        account.audit();
    });
}

#[test]
fn the_audit_lists_a_charge_whose_caller_got_an_error_until_it_is_refunded() {
    embedded(|program| {
        let account = Account::with_credits(program, 10);
        let node = program.serve();
        let reply = node.get(&account.key("live"), "/v1/verify/din/99000501");
        let request_id = reply.request_id();
        node.stop();
        // The state after a node could not find out whether this charge was committed.
        let path = program.data_dir().join("ledger.db");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let engine = Engine::open_sqlite(&path, Workload::Ledger).unwrap();
            engine
                .execute(
                    "insert into unresolved_charges (account_id, request_id, mode, price, at) \
                     select account_id, request_id, mode, credits, 0 from usage \
                     where request_id = $1",
                    &[(&request_id).into()],
                )
                .await
                .unwrap();
        });
        let audit = program.run(&["ledger", "audit"]);
        assert_eq!(audit.code, Some(1), "{}", audit.stdout);
        let advice = format!("panji credits refund --request {request_id}");
        assert!(audit.stdout.contains(&advice), "{}", audit.stdout);
        assert!(audit.stderr.contains("owed: 1 refund"), "{}", audit.stderr);
        program.ok(&["credits", "refund", "--request", &request_id]);
        account.audit();
    });
}

#[test]
fn wrong_usage_exits_with_two_and_help_with_success() {
    embedded(|program| {
        let wrong: [&[&str]; 11] = [
            &["sing"],
            &["--loudly"],
            &["key", "create", "--account", EMAIL],
            &["key", "create", "--account", EMAIL, "--mode", "play"],
            &["key", "create", "--account", EMAIL, "--mode", "test", "--allow-ip", "here"],
            &["key", "create", "--account", EMAIL, "--mode", "test", "--allow-operation", "sing"],
            &["key", "create", "--account", EMAIL, "--mode", "test", "--expires", "soon"],
            &["credits", "grant", "--account", EMAIL, "--amount", "-5"],
            &["credits", "grant", "--account", EMAIL, "--amount", "0"],
            &["generate", "--companies", "0", "--out", "made-up"],
            &["generate", "--companies", "5", "--out", "made-up", "--fault-rate", "0.2"],
        ];
        for arguments in wrong {
            let finished = program.run(arguments);
            assert_eq!(finished.code, Some(2), "{arguments:?}: {finished:?}");
            assert!(finished.stdout.is_empty() && !finished.stderr.is_empty(), "{finished:?}");
        }
        let cases = [
            (
                &["credits", "grant", "--account", EMAIL, "--amount", "-5"][..],
                "'-5' for '--amount <CREDITS>': must be a whole number of at least 1",
            ),
            (
                &["key", "roll", "key_1", "--overlap-minutes", "525601"],
                "'525601' for '--overlap-minutes <MINUTES>': must be a whole number from 0 to 525600",
            ),
            (
                &["check", "--type", "cim", "1"],
                "'cim' for '--type <cin|din|gstin|pan|lei>': must be one",
            ),
            (&["import", "--as-of", "31.3.2026", "x"], "'31.3.2026' for '--as-of <DATE>': must be"),
            (
                &["import", "--format", "csv", "x"],
                "'csv' for '--format <NAME>': must be one of panji",
            ),
            (&["acount", "list"], "'account'"),
        ];
        for (arguments, words) in cases {
            let finished = program.run(arguments);
            assert_eq!(finished.code, Some(2), "{arguments:?}: {finished:?}");
            assert!(finished.stderr.contains(words), "{arguments:?}: {finished:?}");
        }
        let commands = [
            "serve",
            "import",
            "generate",
            "account",
            "key",
            "credits",
            "ledger",
            "check",
            "openapi",
            "completions",
        ];
        for command in commands {
            assert!(program.ok(&[command, "--help"]).contains("Usage"), "{command}");
        }
        assert!(program.ok(&["--version"]).starts_with("panji 1.0.0"));
        assert!(!program.data_dir().exists(), "none of these touched anything");
    });
}

#[test]
fn a_completion_script_is_printed_for_each_shell() {
    embedded(|program| {
        for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
            let script = program.ok(&["completions", shell]);
            assert!(script.contains("log-in-link"), "{shell}: {script}");
        }
        let wrong = program.run(&["completions", "cmd"]);
        assert_eq!(wrong.code, Some(2));
        assert!(wrong.stderr.contains("'cmd'") && wrong.stderr.contains("fish"), "{wrong:?}");
        assert!(!program.data_dir().exists());
    });
}

#[test]
fn the_interface_description_is_printed_as_it_is_served() {
    embedded(|program| {
        let printed: Value = serde_json::from_str(&program.ok(&["openapi"])).unwrap();
        assert_eq!(printed["info"]["version"], "1.0.0");
        let node = program.serve();
        let served = crate::http::Client::new(node.address, None).get("/v1/openapi.json").unwrap();
        assert_eq!(served.json(), printed);
    });
}

#[test]
fn identifiers_are_checked_from_arguments_and_from_standard_input() {
    embedded(|program| {
        assert_eq!(
            program.ok(&["check", " l17111mh1994plc990011 ", "99000101"]),
            "valid\tcin\tL17111MH1994PLC990011\nvalid\tdin\t99000101"
        );
        let column = "L17111MH1994PLC990011\r\n\n27ZZDCK9534Q1ZN\n27ZZDCK9534Q1ZX\nZZDCK9534Q\n\
                      hello\nU17110MH2001PTC99\n101\n";
        let finished = program.run_with_input(&["check", "-", "--json"], column);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(1), ""), "some are not valid");
        let lines: Vec<Value> =
            finished.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let verdicts: Vec<bool> =
            lines.iter().map(|line| line["valid"].as_bool().unwrap()).collect();
        assert_eq!(verdicts, [true, true, false, true, false, false, true]);
        for line in &lines {
            assert_eq!(line["valid"] == true, line["reason"].is_null(), "{line}");
            assert_eq!(line["valid"] == true, line["canonical"].is_string(), "{line}");
        }
        assert_eq!(lines[6]["canonical"], "00000101", "a short DIN is padded");
        let as_pan = program.run(&["check", "--type", "pan", "99000101"]);
        assert_eq!(as_pan.code, Some(1));
        let plain = program.run_with_input(&["check", "-"], column);
        assert_eq!(plain.stdout.lines().filter(|line| line.starts_with("valid\t")).count(), 4);
        assert!(!program.data_dir().exists(), "checking is offline");
    });
}

/// The commands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    list.take_while(|line| !line.is_empty())
        .filter_map(|line| Some(line.split_whitespace().next()?.to_owned()))
        .filter(|name| name != "help")
        .collect()
}

#[test]
fn every_command_is_documented() {
    embedded(|program| {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let pages = std::fs::read_dir(docs).unwrap().map(|entry| entry.unwrap().path());
        let pages = pages.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
        let text: String = pages.map(|path| std::fs::read_to_string(path).unwrap()).collect();
        let mut commands = listed(&program.ok(&["--help"]));
        assert!(commands.len() > 10, "{commands:?}");
        for group in ["account", "company", "key", "credits", "ledger", "log"] {
            let inner = listed(&program.ok(&[group, "--help"]));
            assert!(!inner.is_empty(), "{group} has commands of its own");
            commands.extend(inner.iter().map(|name| format!("{group} {name}")));
        }
        let documented = |name: &str| {
            let command = format!("panji {name}");
            let mut rests = text.split(&command).skip(1);
            rests.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        };
        commands.retain(|name| !documented(name));
        assert_eq!(commands, Vec::<String>::new(), "docs/ does not describe these commands");
    });
}
