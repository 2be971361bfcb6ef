//! Tests of `panji match`: a list in each format, with its results beside each row.

use serde_json::Value;

use crate::accounts::{Account, CIN, NAME};
use crate::program::{Program, embedded, on_each_engine, wait_for};

const LIST: &str =
    "No,Vendor,Province\n1,UDAHARAN TEXTILES PVT LTD,Maharashtra\n2,Zyxwvut Qqqq Ltd,\n3,,Goa\n";

/// A register with one company, indexed, and a list beside it.
fn prepare(program: &Program) -> Account {
    let account = Account::with_credits(program, 10);
    program.ok(&["reindex"]);
    write(program, "list.csv", LIST);
    account
}

fn write(program: &Program, name: &str, text: &str) {
    std::fs::write(program.working_dir().join(name), text).unwrap();
}

fn read(program: &Program, name: &str) -> Vec<u8> {
    std::fs::read(program.working_dir().join(name)).unwrap()
}

#[test]
fn each_row_of_a_list_gets_its_decision_without_a_charge() {
    on_each_engine(|program| {
        let account = prepare(program);
        let matched = program.run(&["match", "list.csv"]);
        assert_eq!(matched.code, Some(0), "{matched:?}");
        assert_eq!(matched.stderr, "Note: 3 rows: 1 match, 0 review, 2 none.\n");
        let lines: Vec<&str> = matched.stdout.lines().collect();
        assert_eq!(lines.len(), 4, "{}", matched.stdout);
        assert!(
            lines[0]
                .starts_with("No,Vendor,Province,panji.cin,panji.name,panji.status,panji.decision")
        );
        let first =
            format!("1,UDAHARAN TEXTILES PVT LTD,Maharashtra,{CIN},{NAME},active,match,machine,0.");
        assert!(lines[1].starts_with(&first), "{}", lines[1]);
        assert!(lines[2].starts_with("2,Zyxwvut Qqqq Ltd,,,,,none,machine,"), "{}", lines[2]);
        assert!(lines[3].starts_with("3,,Goa,,,,none,machine,"), "{}", lines[3]);
        assert_eq!(account.balance("live"), 10);
    });
}

#[test]
fn columns_can_be_named_and_files_are_written_in_each_format() {
    embedded(|program| {
        prepare(program);
        let by_name = ["--column", "name=Vendor", "--column", "state=Province"];
        program.ok(&[&["match", "list.csv", "--out", "out.jsonl"], &by_name[..]].concat());
        let lines = String::from_utf8(read(program, "out.jsonl")).unwrap();
        let rows: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((rows.len(), &rows[0]["row"]), (3, &Value::from(1)));
        assert_eq!(rows[0]["input"]["Vendor"], "UDAHARAN TEXTILES PVT LTD");
        assert_eq!(rows[0]["result"]["company"]["cin"], CIN);
        assert_eq!(rows[0]["result"]["query"]["state"], "Maharashtra");

        program.ok(&["match", "list.csv", "--column", "2", "--out", "out.xlsx"]);
        assert!(read(program, "out.xlsx").starts_with(b"PK"));
        program.ok(&["match", "out.xlsx", "--column", "Vendor", "--out", "again.csv"]);
        let again = String::from_utf8(read(program, "again.csv")).unwrap();
        assert!(again.lines().nth(1).unwrap().contains(CIN), "{again}");

        let json = "{\"name\":\"Udaharan Textiles\",\"state\":\"MH\"}\n\"no company at all\"\n";
        let matched = program.run_with_input(&["match", "-"], json);
        assert_eq!(matched.code, Some(0), "{matched:?}");
        assert!(
            matched.stdout.starts_with("name,state,panji.cin,panji.name"),
            "{}",
            matched.stdout
        );
        assert_eq!(matched.stdout.lines().count(), 3);
    });
}

#[test]
fn an_error_is_one_line_that_names_the_file_and_the_row() {
    embedded(|program| {
        Account::with_credits(program, 10);
        write(program, "list.csv", LIST);
        let unindexed = program.fails(&["match", "list.csv"]);
        assert!(unindexed.contains("run 'panji reindex' first"), "{unindexed}");
        program.ok(&["reindex"]);
        let absent = program.fails(&["match", "absent.csv"]);
        assert!(absent.contains("absent.csv"), "{absent}");
        write(program, "broken.jsonl", "{\"name\":\"a\"}\n{\"name\":\n");
        let broken = program.fails(&["match", "broken.jsonl"]);
        assert!(broken.contains("broken.jsonl: Row 2 is not valid JSON"), "{broken}");
        let column = program.fails(&["match", "list.csv", "--column", "Party"]);
        assert!(column.contains("No column is called “Party”"), "{column}");
        let ending = program.fails(&["match", "list.csv", "--out", "out.pdf"]);
        assert!(ending.contains(".csv, .xlsx or .jsonl"), "{ending}");
        let place = program.fails(&["match", "list.csv", "--out", "no/such/place.csv"]);
        assert!(place.contains("no/such/place.csv"), "{place}");
        let usage = program.run(&["match", "list.csv", "--column", "color=Vendor"]);
        assert_eq!(usage.code, Some(2), "{usage:?}");
        assert!(usage.stderr.contains("name=COLUMN, cin=COLUMN"), "{usage:?}");
    });
}

#[test]
fn a_list_is_matched_while_a_node_serves_the_same_register() {
    on_each_engine(|program| {
        prepare(program);
        let node = program.serve();
        wait_for("the index is complete", || program.run(&["match", "list.csv"]).code == Some(0));
        assert!(program.ok(&["match", "list.csv"]).contains(CIN));
        node.stop();
    });
}
