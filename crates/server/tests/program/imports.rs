//! Tests of imports into the live register while a node serves it.

use crate::accounts::{Account, CIN, NAME, RECORDS};
use crate::program::{embedded, on_each_engine, on_every_engine, wait_for};

/// Unusable rows: a wrong CIN, no JSON, an unknown kind of record, a NUL.
const BAD_ROWS: &str = concat!(
    r#"{"record":"company","cin":"U1711MH2001PTC990501","name":"Short Limited"}"#,
    "\nthis is no JSON\n",
    r#"{"record":"ship","name":"Nauka"}"#,
    "\n",
    r#"{"record":"director","din":"99000502","name":"Nul \u0000 Kumar"}"#,
    "\n",
);

#[test]
fn imported_records_are_read_and_found_on_a_running_node() {
    on_every_engine(|program| {
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

        wait_for("search finds it", || {
            let found = node.get(&key, "/v1/companies/search?q=udaharan%20textiles");
            found.json()["data"]["companies"][0]["cin"] == CIN
        });
        let rejects = rejects_named_in(&first);
        let lines: Vec<i64> = rejects.iter().map(|row| row["line"].as_i64().unwrap()).collect();
        assert_eq!(lines, [3, 4, 5, 6]);
        assert!(rejects.iter().all(|row| !row["reason"].as_str().unwrap().is_empty()));

        let again = program.ok(&["import", file]);
        assert!(again.contains("new 0, changed 0, unchanged 2"), "{again}");
        assert_eq!(rejects_named_in(&first), rejects, "another import leaves them");
        assert_eq!(rejects_named_in(&again).len(), 4);
        let newer = RECORDS.replace("Textiles", "Vastra").replace("2026-01-10", "2026-02-10");
        let changed = program.run_with_input(&["import", "-"], &newer);
        assert!(changed.stdout.contains("changed 2"), "{changed:?}");
        wait_for("search finds the new name", || {
            let found = node.get(&key, "/v1/companies/search?q=udaharan%20vastra");
            found.json()["data"]["companies"][0]["cin"] == CIN
        });
        let older = program.ok(&["import", file]);
        assert!(older.contains("older 2"), "{older}");
    });
}

/// The rejected rows in the file that an import names at its end.
fn rejects_named_in(printed: &str) -> Vec<serde_json::Value> {
    let start = "The rejected rows, each with its reason: ";
    let path = printed.lines().find_map(|line| line.strip_prefix(start)).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_file_that_is_cut_off_is_told_by_the_import_and_by_status() {
    embedded(|program| {
        let line = RECORDS.lines().next().unwrap();
        let many: String =
            (0..2_000).map(|n| line.replace("990501", &format!("{n:06}")) + "\n").collect();
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, many.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        let file = program.working_dir().join("cut.jsonl.gz");
        std::fs::write(&file, &packed[..packed.len() * 3 / 4]).unwrap();
        let finished = program.run(&["import", file.to_str().unwrap()]);
        assert_eq!(finished.code, Some(1), "{finished:?}");
        assert!(finished.stderr.contains("cut.jsonl.gz: it ends too early"), "{finished:?}");
        let status = program.json(&["status"]);
        assert!(status["record_counts"][0]["records"].as_i64().unwrap() > 1_000, "{status}");
        assert_eq!(status["record_counts"][0]["last_import"]["incomplete"], true);
        assert_eq!(status["imports"][0]["failed_files"], 1);
        let shown = program.ok(&["status"]);
        assert!(shown.contains("  incomplete  ") && shown.contains("it ends too early"), "{shown}");
        std::fs::write(&file, "").unwrap();
        let empty = program.run(&["import", file.to_str().unwrap()]);
        assert!(empty.stderr.ends_with("cut.jsonl.gz: the file is empty\n"), "{empty:?}");
    });
}

#[test]
fn a_missing_or_unreadable_file_is_reported_and_a_missing_one_stops_the_import() {
    embedded(|program| {
        let there = program.working_dir().join("records.jsonl");
        std::fs::write(&there, RECORDS).unwrap();
        for files in [&["no-such-file.jsonl"][..], &[there.to_str().unwrap(), "no-such-file.jsonl"]]
        {
            let finished = program.run(&[&["import"], files].concat());
            let expected = "panji: nothing was imported: no-such-file.jsonl: there is no such file or \
                        directory\n";
            assert_eq!((finished.code, finished.stderr.as_str()), (Some(1), expected));
            assert_eq!(finished.stdout, "", "no report of zeros");
            assert!(!program.data_dir().exists(), "nothing was started");
        }
        std::fs::write(program.working_dir().join("song.txt"), "la la la\n").unwrap();
        let unknown = program.run(&["import", "song.txt"]);
        assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(1), ""), "{unknown:?}");
        assert!(
            unknown.stderr.contains("song.txt: the content has no known format"),
            "{unknown:?}"
        );
    });
}

#[test]
fn the_reasons_of_rejected_rows_are_readable_and_have_an_example() {
    embedded(|program| {
        let returns = serde_json::json!({
            "gstin": "27ZZDCK9534Q1ZN",
            "EFiledlist": [
                {"rtntype": "GSTR1", "ret_prd": "042023", "dof": "11-05-2023"},
                {"rtntype": "GSTR1", "ret_prd": "042023", "dof": "11-05-2023"},
                {"rtntype": "GSTR3B", "ret_prd": "042023", "dof": "20-05-2023"},
                {"rtntype": "GSTR3B", "ret_prd": "042023", "dof": "20-05-2023"},
            ],
        });
        let file = program.working_dir().join("returns.json");
        std::fs::write(&file, returns.to_string()).unwrap();
        let printed = program.ok(&["import", file.to_str().unwrap()]);
        for words in [
            "rejected 2: a return is in the list more than once; the one filed last counts",
            "returns.json, line 1: return 2 of 27ZZDCKXXXXQ1ZN: GSTR-1 for 2023-04 is in the list",
        ] {
            assert!(printed.contains(words), "{words}: {printed}");
        }
    });
}

#[test]
fn a_dry_run_without_a_register_reports_the_result_and_creates_none() {
    on_each_engine(|program| {
        let file = program.working_dir().join("records.jsonl");
        std::fs::write(&file, format!("{RECORDS}{BAD_ROWS}")).unwrap();
        let printed = program.ok(&["import", "--dry-run", file.to_str().unwrap()]);
        let sums = "read 6, new 2, changed 0, unchanged 0, older 0, rejected 4";
        assert!(printed.starts_with(sums) && printed.contains("--rejects FILE"), "{printed}");
        assert!(!program.data_dir().exists());
        assert!(program.fails(&["status"]).contains("there is no register in"));
    });
}

/// The company master in the ministry's format, with a malformed CIN and an empty row.
pub const MASTER: &str = "\
CIN,CompanyName,CompanyROCcode,CompanyCategory,CompanySubCategory,CompanyClass,AuthorizedCapital,\
PaidupCapital,CompanyRegistrationdate_date,Registered_Office_Address,Listingstatus,CompanyStatus,\
CompanyStateCode,CompanyIndian/Foreign Company,nic_code,CompanyIndustrialClassification
U17111GA2001PTC990701,UDAHARAN MASTER PRIVATE LIMITED,ROC Goa,Company limited by shares,\
Non-government company,Private,1000000.00,500000.00,2001-04-02,\"1 Namuna Marg,Panaji,North Goa,Goa,\
403001-India\",Unlisted,Active,goa,Indian,17111,Manufacturing
U17111GA2001PTCOO0702,UDAHARAN ZERO PRIVATE LIMITED,ROC Goa,Company limited by shares,\
Non-government company,Private,1,1,2001-04-02,Panaji,Unlisted,Active,goa,Indian,17111,Manufacturing
,,,,,,,,,,,,,,,
";

#[test]
fn a_directory_of_sources_is_searched_and_each_file_is_recognized_by_its_content() {
    on_every_engine(|program| {
        let account = Account::create(program, "namuna@example.in");
        account.grant(100);
        let key = account.key("live");
        let sources = program.working_dir().join("sources");
        std::fs::create_dir(&sources).unwrap();
        std::fs::write(sources.join("master.txt"), MASTER).unwrap();
        std::fs::write(sources.join("own.txt"), RECORDS).unwrap();
        let sources = sources.to_str().unwrap();

        let dry_run = program.ok(&["import", "--dry-run", sources]);
        let sums = "read 4, new 3, changed 0, unchanged 0, older 0, rejected 1";
        assert!(dry_run.starts_with(sums), "{dry_run}");
        let node = program.serve();
        let path = "/v1/companies/U17111GA2001PTC990701";
        assert_eq!(node.get(&key, path).code(), "company_not_found", "a dry run writes nothing");

        let imported = program.ok(&["import", sources]);
        assert!(imported.starts_with(sums), "{imported}");
        let company = node.get(&key, path).json();
        assert_eq!(company["data"]["name"], "UDAHARAN MASTER PRIVATE LIMITED");
        assert_eq!(company["data"]["registered_office"]["pincode"], "403001");
        assert_eq!(company["data"]["source"], "mca_master_2023");
        let again = program.ok(&["import", sources]);
        assert!(again.contains("new 0, changed 0, unchanged 3"), "{again}");
    });
}

#[test]
fn the_sources_are_listed_for_people_and_for_programs() {
    on_each_engine(|program| {
        assert!(program.ok(&["sources"]).contains("mca_master_2021"));
        let listed: serde_json::Value =
            serde_json::from_str(&program.ok(&["sources", "--json"])).unwrap();
        assert!(listed.as_array().is_some_and(|formats| formats.len() == 11), "{listed}");
    });
}

#[test]
fn results_filings_become_years_of_the_company_in_the_list_of_symbols() {
    on_each_engine(|program| {
        let account = Account::create(program, "namuna@example.in");
        account.grant(100);
        let key = account.key("live");
        let filings = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/fixtures/xbrl");
        let symbols = format!("{filings}/symbols.csv");
        let [year, quarter] = ["ind_as", "quarter"].map(|name| format!("{filings}/{name}.xml"));
        let company = r#"{"record":"company","cin":"L10799KA2012PLC990101","name":"Namuna Foods"}"#;
        program.run_with_input(&["import", "-"], company);

        let unlisted = program.fails(&["import", &year, &quarter]);
        assert!(unlisted.contains("all rows were rejected"), "{unlisted}");
        let sums = program.ok(&["import", "--symbols", &symbols, &year, &quarter]);
        // A year and its last quarter, and the first quarter of the next year.
        assert!(sums.starts_with("read 3, new 3,"), "{sums}");
        assert!(!sums.contains("not in the register"), "{sums}");
        let bank = format!("{filings}/bank.xml");
        let sums = program.ok(&["import", "--symbols", &symbols, &bank]);
        let waiting = "companies that are not in the register: 1, of 1 company";
        assert!(sums.contains(waiting), "{sums}");
        let refused = program.fails(&["import", "--filings", &symbols, &year]);
        assert!(refused.contains("symbols.csv: it is no JSON"), "{refused}");
        let wrong = program.working_dir().join("wrong.csv");
        std::fs::write(&wrong, "symbol,cin\nNAMUNA,L10799KA2012PLC99O101\n").unwrap();
        let refused = program.fails(&["import", "--symbols", wrong.to_str().unwrap(), &year]);
        assert!(refused.contains("wrong.csv: line 2: cin: character 18"), "{refused}");

        let node = program.serve();
        let reply = node.get(&key, "/v1/companies/L10799KA2012PLC990101/financials");
        let years = reply.json()["data"]["years"].clone();
        assert_eq!(years.as_array().map(Vec::len), Some(1), "{}", reply.text());
        assert_eq!(years[0]["financial_year"], "2023-24");
        assert_eq!(
            (&years[0]["basis"], &years[0]["source"]),
            (&"consolidated".into(), &"xbrl".into())
        );
        assert_eq!(years[0]["profit"].as_f64(), Some(-4_800_000.0));
        assert_eq!(years[0]["as_of"], "2024-05-17");
        let interim = reply.json()["data"]["interim"].clone();
        let ends: Vec<&str> =
            interim.as_array().unwrap().iter().filter_map(|one| one["to_date"].as_str()).collect();
        assert_eq!(ends, ["2024-06-30", "2024-03-31"]);
        assert_eq!(interim[1]["total_assets"].as_f64(), Some(150_000_000.0));
    });
}

#[test]
fn a_synthetic_register_is_generated_imported_and_never_overwritten() {
    embedded(|program| {
        let made_up = program.working_dir().join("made-up");
        let made_up = made_up.to_str().unwrap();
        let generate = ["generate", "--companies", "60", "--seed", "3", "--out", made_up];
        let written = program.ok(&generate);
        assert!(written.contains("  director: 80\n"), "{written}");
        assert!(program.fails(&generate).contains("is not empty"));
        let imported = program.ok(&["import", "--as-of", "2026-06-30", made_up]);
        assert!(imported.contains("  gst: 120\n"), "{imported}");
        assert!(imported.contains(", rejected 0\n"), "{imported}");
    });
}

#[test]
fn reindex_builds_a_new_index_while_a_node_serves_and_the_node_uses_it() {
    on_every_engine(|program| {
        let account = Account::create(program, "namuna@example.in");
        account.grant(100);
        let key = account.key("live");
        let node = program.serve();
        program.run_with_input(&["import", "-"], RECORDS);
        let finds = || {
            let found = node.get(&key, "/v1/companies/search?q=udaharan%20textiles");
            found.json()["data"]["companies"][0]["cin"] == CIN
        };
        wait_for("search finds it", finds);
        let pointer = program.data_dir().join("index/current");
        let before = std::fs::read_to_string(&pointer).unwrap();
        let printed = program.ok(&["reindex"]);
        assert!(printed.starts_with("1 companies indexed"), "{printed}");
        let after = std::fs::read_to_string(&pointer).unwrap();
        assert_ne!(before, after);
        assert!(finds(), "without a pause");
        wait_for("the node uses the new index", || node.logged().contains(&after));
        assert!(finds());
        // Without a node and without an index, the command builds one that the next node serves.
        node.stop();
        std::fs::remove_dir_all(program.data_dir().join("index")).unwrap();
        program.ok(&["reindex"]);
        let node = program.serve();
        let found = node.get(&key, "/v1/companies/search?q=udaharan%20textiles");
        assert_eq!(found.json()["data"]["companies"][0]["cin"], CIN);
        assert_eq!(found.header("panji-index"), None);
    });
}
