//! Shared code of the fuzz targets: an importer with a register that stays empty, and a server in
//! this process.

mod requests;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use panji_import::{Format, Importer, Observer, Options, Reject, Report};
use panji_store::engine::Workload;
use panji_store::{Engine, Register};
use tokio::runtime::Runtime;

pub use requests::send;

struct Fixture {
    runtime: Runtime,
    register: Arc<Register>,
    file: PathBuf,
}

/// Checks that a reject's message can be displayed.
struct Watch;

impl Observer for Watch {
    fn reject(&mut self, reject: Reject) {
        assert_eq!(panji_ids::mask_pans(&reject.reason), reject.reason);
    }

    fn progress(&mut self, _file: &str, _report: &Report) {}
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts")
}

fn fixture() -> &'static Fixture {
    static FIXTURE: OnceLock<Fixture> = OnceLock::new();
    FIXTURE.get_or_init(|| {
        let directory = tempfile::tempdir().expect("a directory can be created").keep();
        let runtime = runtime();
        let path = directory.join("register.db");
        let engine = Engine::open_sqlite(&path, Workload::Import).expect("a fresh file opens");
        let register = runtime.block_on(Register::open(engine, 0)).expect("a fresh register opens");
        Fixture { runtime, register: Arc::new(register), file: directory.join("source") }
    })
}

/// Imports a source file of a format, up to where its records would be written.
pub fn import(format: &str, bytes: &[u8]) {
    let fixture = fixture();
    std::fs::write(&fixture.file, bytes).expect("a file can be written");
    let options = Options {
        format: Some(Format::from_name(format).expect("a format of the table")),
        as_of: Some("2026-01-10".parse().expect("a date")),
        recheck: true,
        dry_run: true,
        ..Options::default()
    };
    fixture.runtime.block_on(async {
        let mut watch = Watch;
        let importer =
            Importer::begin(fixture.register.clone(), &options, &mut watch, "fuzz".into(), 0);
        let mut importer = importer.await.expect("an import begins");
        importer.import_path(&fixture.file).await.expect("malformed data is not a register error");
        importer.finish().await.expect("an import ends");
    });
}
