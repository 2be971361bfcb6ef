//! Tests of an import that is killed repeatedly: the register stays consistent, and the last run
//! finishes it.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::accounts::RECORDS;
use crate::imports::MASTER;
use crate::program::{Program, on_each_engine, random_below};

const KILLS: usize = 6;

/// The records by kind, from `panji status`.
pub fn count_records(program: &Program) -> BTreeMap<String, i64> {
    let status = program.json(&["status"]);
    let mut counts = BTreeMap::new();
    for count in status["record_counts"].as_array().unwrap() {
        let kind = count["resource"].as_str().unwrap().to_owned();
        *counts.entry(kind).or_default() += count["records"].as_i64().unwrap();
    }
    counts
}

#[test]
fn a_killed_import_leaves_the_register_consistent_and_a_last_run_finishes_it() {
    on_each_engine(|program| {
        let data = program.working_dir().join("synthetic");
        let data = data.to_str().unwrap();
        program.ok(&["generate", "--companies", "2000", "--seed", "7", "--out", data]);
        let expected = std::fs::read_to_string(format!("{data}/EXPECTED.json")).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        let import = ["import", "--as-of", "2026-06-30", data];
        program.create_register();
        let mut before = BTreeMap::new();
        for _ in 0..KILLS {
            let mut running = program.command(&import);
            let mut running = running.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(100 + random_below(1_500)));
            running.kill().unwrap();
            running.wait().unwrap();
            let now = count_records(program);
            assert!(before.iter().all(|(kind, count)| now.get(kind) >= Some(count)), "{now:?}");
            before = now;
        }
        let finished = program.ok(&import);
        let rejected = format!("rejected {}", expected["rows"]["rejected"]);
        assert!(finished.lines().next().unwrap().ends_with(&rejected), "{finished}");
        let expected: BTreeMap<String, i64> =
            serde_json::from_value(expected["records"].clone()).unwrap();
        assert_eq!(count_records(program), expected);
        let again = program.ok(&["import", "--recheck", "--as-of", "2026-06-30", data]);
        assert!(again.contains("new 0, changed 0,"), "{again}");
    });
}

#[test]
fn status_lists_the_records_their_sources_and_the_last_import() {
    on_each_engine(|program| {
        program.create_register();
        assert!(program.ok(&["status"]).contains("The register is empty"));
        let lines = "{\"record\":\"pan\",\"cin\":\"U17110MH2001PTC990501\",\"pan\":\"ZZZCU0501Z\",\
                     \"as_of\":\"2026-01-10\"}\nno JSON\n";
        program.run_with_input(&["import", "-"], lines);
        let status = program.json(&["status"]);
        let count = &status["record_counts"][0];
        assert_eq!(count["resource"], "pan");
        assert_eq!(count["source"], "panji");
        assert_eq!(count["records"], 1);
        assert_eq!(count["newest_as_of"], "2026-01-10");
        assert_eq!(count["last_import"]["finished"], true);
        assert_eq!(count["last_import"]["rejected"], 1);
        assert_eq!(status["imports"].as_array().unwrap().len(), 2);
        assert!(status["size_bytes"].as_i64().unwrap() > 0);
        let shown = program.ok(&["status"]);
        assert!(shown.contains("2026-01-10") && shown.contains("finished"), "{shown}");
    });
}

#[test]
fn status_counts_the_rejects_of_an_import_per_source() {
    on_each_engine(|program| {
        let sources = program.working_dir().join("sources");
        std::fs::create_dir(&sources).unwrap();
        std::fs::write(sources.join("own.jsonl"), format!("{RECORDS}no JSON\nno JSON either\n"))
            .unwrap();
        std::fs::write(sources.join("master.csv"), MASTER).unwrap();
        let imported = program.ok(&["import", sources.to_str().unwrap()]);
        assert!(imported.contains("rejected 3\n"), "{imported}");
        let status = program.json(&["status"]);
        assert_eq!(status["imports"][0]["rejected"], 3);
        for count in status["record_counts"].as_array().unwrap() {
            let rejected = if count["source"] == "panji" { 2 } else { 1 };
            assert_eq!(count["last_import"]["rejected"], rejected, "{count}");
        }
        let shown = program.ok(&["status"]);
        let of = |source: &str| {
            let row = shown.lines().find(|line| line.starts_with(source)).unwrap();
            row.split_whitespace().next_back().unwrap().to_owned()
        };
        assert_eq!((of("panji"), of("mca_master_2023")), ("2".into(), "1".into()), "{shown}");
    });
}
