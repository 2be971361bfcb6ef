//! Importing into the live register while a node serves it.

use crate::accounts::{Account, CIN, NAME, RECORDS};
use crate::program::{on_each_engine, wait_for};

/// Rows that cannot be used: a wrong CIN, no JSON, a record of no kind, a NUL.
const BAD_ROWS: &str = concat!(
    r#"{"record":"company","cin":"U1711MH2001PTC990501","name":"Short Limited"}"#,
    "\nthis is no JSON\n",
    r#"{"record":"ship","name":"Nauka"}"#,
    "\n",
    r#"{"record":"director","din":"99000502","name":"Nul \u0000 Kumar"}"#,
    "\n",
);

#[test]
fn what_is_imported_is_read_and_found_by_a_live_key_of_a_running_node() {
    on_each_engine(|program| {
        let account = Account::create(program, "namuna@example.in");
        account.grant(100);
        let key = account.key("live");
        let node = program.serve();
        let path = format!("/v1/companies/{CIN}");
        assert_eq!(node.get(&key, &path).code(), "company_not_found");

        let file = program.working_dir().join("records.jsonl");
        std::fs::write(&file, format!("{RECORDS}{BAD_ROWS}")).unwrap();
        let file = file.to_str().unwrap();
        let first = program.ok(&["import", file]);
        let sums = "read 6, new 2, changed 0, unchanged 0, older 0, rejected 4";
        assert!(first.starts_with(sums), "{first}");
        let reply = node.get(&key, &path);
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(reply.json()["data"]["name"], NAME);

        wait_for("search finds it", 10, || {
            let found = node.get(&key, "/v1/companies/search?q=udaharan%20textiles");
            found.json()["data"]["companies"][0]["cin"] == CIN
        });
        let rejects =
            std::fs::read_to_string(program.data_dir().join("import-rejects.jsonl")).unwrap();
        let rejects: Vec<serde_json::Value> =
            rejects.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let lines: Vec<i64> = rejects.iter().map(|row| row["line"].as_i64().unwrap()).collect();
        assert_eq!(lines, [3, 4, 5, 6]);
        assert!(rejects.iter().all(|row| !row["reason"].as_str().unwrap().is_empty()));

        let again = program.ok(&["import", file]);
        assert!(again.contains("new 0, changed 0, unchanged 2"), "{again}");
        let newer = RECORDS.replace("Textiles", "Vastra").replace("2026-01-10", "2026-02-10");
        let changed = program.run_with_input(&["import", "-"], &newer);
        assert!(changed.stdout.contains("changed 2"), "{changed:?}");
        wait_for("search finds the new name", 10, || {
            let found = node.get(&key, "/v1/companies/search?q=udaharan%20vastra");
            found.json()["data"]["companies"][0]["cin"] == CIN
        });
        let older = program.ok(&["import", file]);
        assert!(older.contains("older 2"), "{older}");
        assert!(program.fails(&["import", "no-such-file.jsonl"]).contains("no-such-file.jsonl"));
    });
}
