//! Tests of the audit log that the commands write.

use serde_json::Value;

use crate::accounts::{Account, RECORDS};
use crate::program::{Program, on_each_engine};

const PAN: &str = "ZZDCK9534Q";

fn exported(program: &Program, after: &str) -> Vec<Value> {
    let text = program.ok(&["log", "export", "--after", after]);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_action_is_logged_and_redacted() {
    on_each_engine(|program| {
        let account = Account::create(program, "namuna@example.in");
        let (email, named) = (account.email.as_str(), format!("server of {PAN}"));
        let key =
            program.ok(&["key", "create", "--account", email, "--mode", "live", "--name", &named]);
        let key_id = account.newest_key_id();
        let new_key = program.ok(&["key", "roll", &key_id]);
        program.ok(&["key", "revoke", &account.newest_key_id()]);
        for _ in 0..2 {
            let reference = format!("invoice-{key}");
            program.ok(&[
                "credits",
                "grant",
                "--account",
                email,
                "--amount",
                "5",
                "--reference",
                &reference,
            ]);
        }
        program.ok(&["account", "suspend", email]);
        program.ok(&["account", "resume", email]);
        assert_eq!(program.run_with_input(&["import", "-"], RECORDS).code, Some(0));
        assert_eq!(program.run_with_input(&["import", "-", "--dry-run"], RECORDS).code, Some(0));
        program.fails(&["key", "revoke", "key_none"]);

        let lines = exported(program, "0");
        let actions: Vec<&str> =
            lines.iter().map(|line| line["action"].as_str().unwrap()).collect();
        let expected = [
            "account.create",
            "key.create",
            "key.roll",
            "key.revoke",
            "credits.grant",
            "account.suspend",
            "account.resume",
            "import",
        ];
        assert_eq!(actions, expected);
        let text = program.ok(&["log", "export"]);
        for secret in [key.as_str(), new_key.as_str(), PAN, email] {
            assert!(!text.contains(secret), "{secret} is in the audit log: {text}");
        }
        assert!(text.contains("ZZDCKXXXXQ"), "{text}");
        assert_eq!(lines[1]["subject"], key_id.as_str());
        assert_eq!(lines[2]["details"]["in_place_of"], key_id.as_str());
        assert_eq!(lines[4]["details"]["amount"], 5);
        assert_eq!(lines[7]["details"]["new"], 2);
        assert!(lines.iter().all(|line| line["actor"].as_str().unwrap().starts_with("cli:")));
        assert_eq!(exported(program, "6").len(), 2);
        assert_eq!(program.json(&["log", "show", "--limit", "3"])[0]["action"], "import");
        assert!(program.ok(&["log", "verify"]).contains("8 events"));
    });
}
