//! Files, directories and archives; detected and forced formats; dry runs and dates.

use std::io::Write;

use panji_import::{Format, Importer, Observer, Options, Reject, Report, bytes_of};

use crate::{Bench, fixture, sums};

const LINE: &str =
    r#"{"record":"company","cin":"U17110MH2001PTC990501","name":"Udaharan Private Limited"}"#;
const CIN: &str = "U17110MH2001PTC990501";

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_directory_is_walked_and_archives_are_opened() {
    let master = std::fs::read(fixture("mca_master_2021.csv")).unwrap();
    let mut bench = Bench::new();
    bench.file("in/a/own.jsonl.gz", gzip(LINE.as_bytes()));
    let packed = gzip(&master);
    let archive = zip(&[
        ("__MACOSX/own", b"junk"),
        ("deep/master.csv", &master),
        ("again.csv.gz", &packed),
        (".hidden", b"junk"),
    ]);
    bench.file("in/b.zip", archive);
    bench.file("in/.hidden", "junk");
    bench.file("in/c.txt", "some words\n");
    bench.file("in/d.csv", "");
    let root = bench.directory.path().join("in");
    let report = bench.import(&root);
    assert_eq!(sums(&report), [13, 5, 0, 4, 0, 4]);
    assert_eq!(report.files, 5);
    assert_eq!(report.failures.len(), 2, "{:?}", report.failures);
    assert!(report.failures[0].contains("c.txt: the content has no known format"));
    assert!(report.failures[0].contains("mca_master_2023"));
    assert!(report.failures[1].ends_with("d.csv: the file is empty"));
    let file = &bench.rejects.0[0].file;
    assert!(file.ends_with("b.zip/deep/master.csv"), "{file}");
}

#[test]
fn damaged_and_missing_files_are_reported_and_skipped() {
    let mut bench = Bench::new();
    let many: String =
        (0..5_000).map(|n| LINE.replace("990501", &format!("{n:06}")) + "\n").collect();
    let packed = gzip(many.as_bytes());
    bench.file("in/truncated.gz", &packed[..packed.len() / 2]);
    bench.file("in/nested.zip", zip(&[("inner.zip", &zip(&[("x", b"y")]))]));
    bench.file("in/no.zip", b"PK\x03\x04 and nothing after it");
    let root = bench.directory.path().join("in");
    let report = bench.import(&root);
    assert_eq!(report.failures.len(), 3, "{:?}", report.failures);
    assert!(report.failures[0].contains("unpack it first"), "{:?}", report.failures);
    let missing = bench.directory.path().join("missing");
    assert_eq!(bench.import(&missing).failures.len(), 1);
}

#[test]
fn the_rows_before_the_end_of_a_truncated_file_are_imported() {
    let mut bench = Bench::new();
    let many: String =
        (0..60_000).map(|n| LINE.replace("990501", &format!("{n:06}")) + "\n").collect();
    let packed = gzip(many.as_bytes());
    let path = bench.file("truncated.gz", &packed[..packed.len() * 9 / 10]);
    let report = bench.import(&path);
    assert_eq!(report.failures.len(), 1);
    assert!(report.new > 10_000, "{report:?}");
}

#[test]
fn a_dry_run_reports_and_writes_nothing() {
    let mut bench = Bench::new();
    let options = Options { dry_run: true, ..Options::default() };
    let dry = bench.import_with(&fixture("mca_master_2023.csv"), &options);
    assert_eq!(dry.new, 10);
    assert_eq!(bench.newest_change(), 0);
    let real = bench.import(&fixture("mca_master_2023.csv"));
    assert_eq!(sums(&real), sums(&dry));
    let dry = bench.import_with(&fixture("mca_master_2023.csv"), &options);
    assert_eq!(dry.unchanged, 10);
}

#[test]
fn a_given_date_applies_to_records_without_a_date() {
    let mut bench = Bench::new();
    let as_of = Some("2025-06-30".parse().unwrap());
    let options = Options { as_of, ..Options::default() };
    let path = bench.file("own.jsonl", LINE);
    bench.import_with(&path, &options);
    assert_eq!(bench.company(CIN).as_of.as_deref(), Some("2025-06-30"));
    bench.import_with(&fixture("mca_master_2023.csv"), &options);
    assert_eq!(bench.company("F99001").as_of.as_deref(), Some("2025-06-30"));
    let older = bench.import(&fixture("mca_master_2023.csv"));
    assert_eq!(older.older, 10);
    let dated = bench.file("dated.jsonl", LINE.replace('}', r#","as_of":"2025-12-31"}"#));
    bench.import_with(&dated, &options);
    assert_eq!(bench.company(CIN).as_of.as_deref(), Some("2025-12-31"));
}

#[test]
fn a_format_can_be_forced() {
    let mut bench = Bench::new();
    let forced = |format| Options { format: Some(format), ..Options::default() };
    let path = bench.file("malformed.jsonl", "no JSON at all\n");
    assert_eq!(bench.import(&path).failures.len(), 1);
    assert_eq!(
        sums(&bench.import_with(&path, &forced(Format::from_name("panji").unwrap()))),
        [1, 0, 0, 0, 0, 1]
    );
    let master = Format::from_name("mca_master_2021").unwrap();
    assert_eq!(bench.import_with(&path, &forced(master)).failures.len(), 1);
}

#[test]
fn own_records_may_be_an_array_or_span_many_lines() {
    let mut bench = Bench::new();
    let value: serde_json::Value = serde_json::from_str(LINE).unwrap();
    let pretty = serde_json::to_string_pretty(&vec![&value, &value]).unwrap();
    let path = bench.file("array.json", pretty);
    assert_eq!(sums(&bench.import(&path)), [2, 1, 0, 1, 0, 0]);
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    let path = bench.file("object.json", format!("{pretty}\n{pretty}\n{{broken"));
    assert_eq!(sums(&bench.import(&path)), [3, 0, 0, 2, 0, 1]);
    assert_eq!(bench.rejects.0[0].line, 11);
    let path = bench.file("foreign.json", "{\"a\": 1}");
    assert_eq!(bench.import(&path).failures.len(), 1);
}

#[test]
fn a_pan_in_a_quoted_field_name_is_masked() {
    let mut bench = Bench::new();
    let row = r#"{"record":"director","din":"99000101","name":"Udaharan Namuna","ZZDCK9534Q":"x"}"#;
    let path = bench.file("own.jsonl", row);
    bench.import(&path);
    let reason = &bench.rejects.0[0].reason;
    assert!(reason.starts_with("a field is not known: ZZDCKXXXXQ;"), "{reason}");
}

#[test]
fn a_file_that_was_imported_before_is_recognized_and_its_rejects_are_reported_again() {
    let mut bench = Bench::new();
    let content = format!("{LINE}\nno JSON\n");
    let path = bench.file("own.jsonl", &content);
    assert_eq!(sums(&bench.import(&path)), [2, 1, 0, 0, 0, 1]);
    let rejected = bench.rejects.0.clone();

    let again = bench.import(&path);
    assert_eq!((sums(&again), again.known_files), ([2, 0, 0, 1, 0, 1], 1));
    assert_eq!(bench.rejects.0, rejected);
    assert_eq!(again.by_resource["company"], 1);

    // The content counts, not the name, also inside an archive.
    let moved = bench.file("moved.jsonl.gz", gzip(content.as_bytes()));
    let again = bench.import(&moved);
    assert_eq!((sums(&again), again.known_files), ([2, 0, 0, 1, 0, 1], 1));
    assert!(bench.rejects.0[0].file.ends_with("moved.jsonl.gz"));

    let read = bench.recheck(&path);
    assert_eq!((sums(&read), read.known_files), ([2, 0, 0, 1, 0, 1], 0));
    let dated = Options { as_of: Some("2026-01-01".parse().unwrap()), ..Options::default() };
    let read = bench.import_with(&path, &dated);
    assert_eq!((sums(&read), read.known_files), ([2, 0, 1, 0, 0, 1], 0));
}

#[test]
fn several_imported_files_of_one_kind_are_all_recognized() {
    let mut bench = Bench::new();
    let first = bench.file("first.jsonl", LINE);
    let second = bench.file("second.jsonl", LINE.replace(CIN, "U17110MH2001PTC990502"));
    assert_eq!(bench.import(&first).new, 1);
    assert_eq!(bench.import(&second).new, 1);
    for path in [&first, &second] {
        let again = bench.import(path);
        assert_eq!((sums(&again), again.known_files), ([1, 0, 0, 1, 0, 0], 1));
    }
}

#[test]
fn a_known_file_is_read_again_after_a_record_of_its_kind_has_changed() {
    let mut bench = Bench::new();
    let first = bench.file("first.jsonl", LINE);
    let renamed = bench.file("renamed.jsonl", LINE.replace("Udaharan", "Namuna"));
    let person = r#"{"record":"director","din":"99000501","name":"Namuna Udaharan"}"#;
    let other_kind = bench.file("person.jsonl", person);
    bench.import(&first);
    bench.import(&other_kind);
    assert_eq!(bench.import(&first).known_files, 1, "a director is no company");
    bench.import(&renamed);
    assert_eq!(bench.company(CIN).name, "Namuna Private Limited");
    let again = bench.import(&first);
    assert_eq!((sums(&again), again.known_files), ([1, 0, 1, 0, 0, 0], 0));
    assert_eq!(bench.company(CIN).name, "Udaharan Private Limited");
}

#[test]
fn a_partial_line_does_not_change_missing_fields() {
    let mut bench = Bench::new();
    let whole = format!(
        r#"{{"record":"company","cin":"{CIN}","name":"Udaharan Private Limited","status_text":"Active","registered_office":{{"state":"Goa"}},"capital":{{"paid_up":500}}}}"#
    );
    let part = format!(
        r#"{{"record":"company","partial":true,"cin":"{CIN}","name":"Udaharan Private Limited","former_names":[{{"name":"Namuna Private Limited"}}],"as_of":"2026-01-01"}}"#
    );
    let whole = bench.file("whole.jsonl", whole);
    let part = bench.file("part.jsonl", part);
    bench.import(&whole);
    assert_eq!(sums(&bench.import(&part)), [1, 0, 1, 0, 0, 0]);
    let stored = bench.company(CIN);
    assert_eq!(stored.status, "active");
    assert_eq!(stored.state_code.as_deref(), Some("GA"));
    assert_eq!(stored.paid_up_capital, Some(50_000));
    assert!(stored.former_names.contains("Namuna Private Limited"));
    assert_eq!(stored.as_of.as_deref(), Some("2026-01-01"));
}

#[test]
fn the_expected_counts_of_a_generated_register_are_not_imported() {
    let mut bench = Bench::new();
    bench.file("in/own.jsonl", LINE);
    bench.file("in/EXPECTED.json", r#"{"records": {"company": 1}}"#);
    let directory = bench.directory.path().join("in");
    let report = bench.import(&directory);
    assert_eq!((report.files, report.failures.len()), (1, 0));
}

/// The progress in bytes that an import reports.
#[derive(Default)]
struct Bytes(Vec<u64>);

impl Observer for Bytes {
    fn reject(&mut self, _reject: Reject) {}

    fn progress(&mut self, _file: &str, _report: &Report) {}

    fn bytes_read(&mut self, bytes: u64) {
        self.0.push(bytes);
    }
}

#[test]
fn the_bytes_read_grow_up_to_the_total_that_was_computed_before() {
    let bench = Bench::new();
    let many: String =
        (0..12_000).map(|n| LINE.replace("990501", &format!("{n:06}")) + "\n").collect();
    bench.file("in/many.jsonl", &many);
    bench.file("in/packed.jsonl.gz", gzip(LINE.as_bytes()));
    bench.file("in/archive.zip", zip(&[("one.jsonl", LINE.as_bytes()), (".hidden", b"junk")]));
    let root = bench.directory.path().join("in");
    let all = bytes_of(std::slice::from_ref(&root)).unwrap();
    assert!(all > (many.len() + LINE.len()) as u64, "{all}");
    for id in ["first", "known files"] {
        let (mut seen, options) = (Bytes::default(), Options::default());
        bench.runtime.block_on(async {
            let register = bench.register.clone();
            let importer = Importer::begin(
                register,
                &options,
                &mut seen,
                id.to_owned(),
                panji_testkit::NOW_MS,
            );
            let mut importer = importer.await.unwrap();
            importer.import_path(&root).await.unwrap();
            importer.finish().await.unwrap();
        });
        assert!(seen.0.is_sorted(), "{:?}", seen.0);
        assert_eq!(seen.0.last(), Some(&all), "{id}");
        let is_partial = seen.0.iter().any(|bytes| (1..all).contains(bytes));
        assert!(is_partial, "{id}: {:?}", seen.0);
    }
    assert_eq!(bytes_of(&["-".into(), root]), None, "the length of a stream is unknown");
}

#[test]
fn a_date_of_today_in_india_is_not_in_the_future() {
    let mut bench = Bench::new();
    // 01:30 in India on 9 April 2012, the day on which the company was incorporated.
    bench.now_ms = 1_333_915_200_000;
    bench.import(&fixture("json/company.json"));
    assert_eq!(bench.company("L10799KA2012PLC990101").as_of.as_deref(), Some("2012-04-09"));
}

#[test]
fn rejected_rows_are_counted_by_source() {
    let mut bench = Bench::new();
    bench.file("in/master.csv", std::fs::read(fixture("mca_master_2023.csv")).unwrap());
    bench.file("in/own.jsonl", format!("{LINE}\nno JSON\n"));
    let twice = r#"{"rtntype":"GSTR1","ret_prd":"042023","dof":"11-05-2023"}"#;
    let returns = format!(r#"{{"gstin":"27ZZDCK9534Q1ZN","EFiledlist":[{twice},{twice}]}}"#);
    let nameless = r#"{"gstin":"27ZZDCK9534Q1ZN","sts":"Active","dty":"Regular","ctb":"x"}"#;
    bench.file("in/gst.jsonl", format!("{returns}\n{nameless}\n"));
    let root = bench.directory.path().join("in");
    for _ in ["read", "known"] {
        let report = bench.import(&root);
        let by_source: Vec<(&str, u64)> =
            report.rejected_by_source.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        let expected =
            [("gstn_returns", 1), ("gstn_taxpayer", 1), ("mca_master_2023", 7), ("panji", 1)];
        assert_eq!(by_source, expected, "{:?}", bench.rejected());
        assert_eq!(report.rejected, 10);
        let kinds: Vec<&String> = report.by_reason.keys().collect();
        assert_eq!(report.examples.keys().collect::<Vec<_>>(), kinds, "an example of each");
    }
}
