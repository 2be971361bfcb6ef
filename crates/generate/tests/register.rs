//! A written register: reproducible, and imported with the expected counts.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use panji_generate::{EXPECTED_FILE, Plan, Synthetic, Tally, director_count, write_register};
use panji_import::{Importer, Observer, Options, Reject, Report};
use panji_testkit::{Databases, NOW_MS, on_both_engines};

const COMPANIES: u64 = 2_000;

/// Many faults, so that every kind occurs.
const PLAN: Plan = Plan { companies: COMPANIES, seed: 42, faults_per_million: 100_000, threads: 2 };

fn write(plan: Plan) -> (tempfile::TempDir, Tally) {
    let directory = tempfile::tempdir().unwrap();
    let tally = write_register(plan, directory.path(), &|_, _| {}).unwrap();
    (directory, tally)
}

/// All files below a directory with their content.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let content = std::fs::read(&path).unwrap();
            found.insert(path.strip_prefix(directory).unwrap().to_owned(), content);
        }
    }
    found
}

#[derive(Default)]
struct Rejects(Vec<Reject>);

impl Observer for Rejects {
    fn reject(&mut self, reject: Reject) {
        self.0.push(reject);
    }

    fn progress(&mut self, _file: &str, _report: &Report) {}
}

/// Imports all files, including known rows.
async fn import(databases: &Databases, directory: &Path, id: &str) -> (Report, Rejects) {
    let register = Arc::new(databases.register().await);
    let as_of = panji_generate::AS_OF.parse().ok();
    let options = Options { as_of, recheck: true, ..Options::default() };
    let mut rejects = Rejects::default();
    let importer = Importer::begin(register, &options, &mut rejects, id.to_owned(), NOW_MS);
    let mut importer = importer.await.unwrap();
    importer.import_path(directory).await.unwrap();
    let report = importer.finish().await.unwrap();
    (report, rejects)
}

#[test]
fn the_same_seed_gives_the_same_files_with_any_number_of_threads() {
    let (first, _) = write(PLAN);
    let (again, _) = write(Plan { threads: 1, ..PLAN });
    let (other, _) = write(Plan { seed: 43, ..PLAN });
    assert!(files(first.path()) == files(again.path()));
    assert!(files(first.path()) != files(other.path()));
}

#[test]
fn a_larger_register_starts_with_the_smaller_one() {
    let register = Synthetic::new(42);
    let (directory, _) = write(Plan { companies: 50, faults_per_million: 0, ..PLAN });
    let combined: String = files(directory.path())
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "csv"))
        .map(|(_, content)| String::from_utf8(content).unwrap())
        .collect();
    for index in 0..50 {
        let company = register.company(index);
        assert!(combined.contains(&company.cin), "{}", company.cin);
        assert!(combined.contains(&company.name), "{}", company.name);
    }
}

#[test]
fn an_import_gives_the_expected_counts() {
    let (directory, tally) = write(PLAN);
    assert_eq!(tally.records["director"], director_count(COMPANIES));
    assert!(tally.faults.len() == 20, "a fault was not met: {:?}", tally.faults);
    let text = std::fs::read_to_string(directory.path().join(EXPECTED_FILE)).unwrap();
    let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
    on_both_engines(async |databases| {
        let (report, rejects) = import(&databases, directory.path(), "first").await;
        assert_eq!(report.failures, Vec::<String>::new());
        let rows = serde_json::json!({
            "read": report.read, "new": report.new, "changed": report.changed,
            "rejected": report.rejected,
        });
        assert_eq!(rows, expected["rows"], "{:#?}", report.by_reason);
        assert_eq!(rejects.0.len() as u64, tally.rejects);
        for (kind, count) in &report.by_resource {
            let changes = if kind == "company" { tally.changes } else { 0 };
            assert_eq!(*count, tally.records[kind.as_str()] + changes, "{kind}");
        }
        let (again, _) = import(&databases, directory.path(), "again").await;
        assert_eq!((again.new, again.changed), (0, 0));
    });
}

#[test]
fn fields_of_the_master_are_kept_with_the_former_names() {
    let companies = 200;
    let (directory, _) = write(Plan { companies, faults_per_million: 0, ..PLAN });
    let register = Synthetic::new(PLAN.seed);
    let mut all = (0..companies).map(|index| register.company(index));
    let renamed = all.find(|company| !company.former_names.is_empty()).unwrap();
    on_both_engines(async |databases| {
        import(&databases, directory.path(), "only").await;
        let found = databases.register().await.find_company(&renamed.cin).await.unwrap().unwrap();
        assert_eq!(found.name, renamed.name);
        assert_eq!(found.state.as_deref(), Some(renamed.state));
        assert_eq!(found.status_text.as_deref(), Some(renamed.status));
        assert_eq!(found.paid_up_capital, Some(renamed.paid_up as i64 * 100));
        assert!(found.former_names.contains(&renamed.former_names[0].name));
    });
}

#[test]
fn a_directory_that_is_not_empty_is_not_changed() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("notes.txt"), "mine").unwrap();
    let refused = write_register(PLAN, directory.path(), &|_, _| {}).unwrap_err();
    assert!(refused.to_string().ends_with("is not empty: choose a new or empty directory"));
    assert_eq!(files(directory.path()).len(), 1);
}

#[test]
fn the_smallest_register_has_one_company() {
    let (_directory, tally) = write(Plan { companies: 1, faults_per_million: 0, ..PLAN });
    assert_eq!((tally.records["company"], tally.records["gst"]), (1, 2));
    let none = Plan { companies: 0, ..PLAN };
    let directory = tempfile::tempdir().unwrap();
    assert!(write_register(none, directory.path(), &|_, _| {}).is_err());
}
