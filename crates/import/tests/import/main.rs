//! Imports of whole files into a register: stored records, rejects and the report.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod duplicates;
mod events;
mod files;
mod gleif;
mod master;
mod places;
mod real;
mod tables;
mod workbooks;
mod xbrl;
mod xbrl_filings;
mod xbrl_real;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use panji_import::{Importer, Observer, Options, Reject, Report};
use panji_store::engine::Workload;
use panji_store::register::Company;
use panji_store::{Engine, Register};
use panji_testkit::NOW_MS;

/// A separate register on SQLite, and the rejects of the last import.
struct Bench {
    runtime: tokio::runtime::Runtime,
    register: Arc<Register>,
    directory: tempfile::TempDir,
    rejects: Rejects,
    imports: u32,
    now_ms: i64,
}

#[derive(Default)]
struct Rejects(Vec<Reject>);

impl Observer for Rejects {
    fn reject(&mut self, reject: Reject) {
        self.0.push(reject);
    }

    fn progress(&mut self, _file: &str, _report: &Report) {}
}

impl Bench {
    fn new() -> Bench {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("register.db");
        let register = runtime.block_on(async {
            let engine = Engine::open_sqlite(&path, Workload::Ledger).unwrap();
            Register::open(engine, NOW_MS).await.unwrap()
        });
        Bench {
            runtime,
            register: Arc::new(register),
            directory,
            rejects: Rejects::default(),
            imports: 0,
            now_ms: NOW_MS,
        }
    }

    /// Writes a file into the directory of the test.
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    fn import(&mut self, path: &Path) -> Report {
        self.import_with(path, &Options::default())
    }

    /// Imports a file, even if it was imported before.
    fn recheck(&mut self, path: &Path) -> Report {
        self.import_with(path, &Options { recheck: true, ..Options::default() })
    }

    fn import_with(&mut self, path: &Path, options: &Options) -> Report {
        self.rejects.0.clear();
        self.imports += 1;
        let (register, id) = (self.register.clone(), format!("import {}", self.imports));
        self.runtime.block_on(async {
            let importer = Importer::begin(register, options, &mut self.rejects, id, self.now_ms);
            let mut importer = importer.await.unwrap();
            importer.import_path(path).await.unwrap();
            importer.finish().await.unwrap()
        })
    }

    fn company(&self, cin: &str) -> Company {
        let found = self.runtime.block_on(self.register.find_company(cin)).unwrap();
        found.unwrap_or_else(|| panic!("{cin} is not in the register"))
    }

    fn newest_change(&self) -> i64 {
        self.runtime.block_on(self.register.newest_change()).unwrap()
    }

    /// The rejected rows as line and reason.
    fn rejected(&self) -> Vec<(u64, &str)> {
        self.rejects.0.iter().map(|reject| (reject.line, reject.reason.as_str())).collect()
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// The counts read, new, changed, unchanged, older, rejected.
fn sums(report: &Report) -> [u64; 6] {
    let Report { read, new, changed, unchanged, older, rejected, .. } = report;
    [*read, *new, *changed, *unchanged, *older, *rejected]
}
