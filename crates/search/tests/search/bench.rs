//! A register with its index, and a follower that runs until a condition is true.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use panji_search::{Found, Hits, IndexKind, Search, SearchRequest, follow};
use panji_store::Register;
use panji_store::engine::Workload;
use panji_store::register::{Company, Record};
use panji_testkit::NOW_MS;
use panji_testkit::records::company;
use tokio::runtime::Runtime;
use tokio::sync::watch;

pub struct Bench {
    pub runtime: Runtime,
    pub register: Arc<Register>,
    pub search: Arc<Search>,
    directory: tempfile::TempDir,
}

impl Bench {
    /// An empty register and no index.
    pub fn new() -> Bench {
        let directory = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let register = Arc::new(runtime.block_on(open_register(directory.path())));
        let search =
            Arc::new(Search::open(IndexKind::Companies, &directory.path().join("index")).unwrap());
        Bench { runtime, register, search, directory }
    }

    /// A register of these names, indexed.
    pub fn with(names: &[&str]) -> Bench {
        let bench = Bench::new();
        for (number, name) in names.iter().enumerate() {
            bench.store(company(&cin(number), name));
        }
        bench.catch_up();
        bench
    }

    pub fn index(&self) -> PathBuf {
        self.directory.path().join("index")
    }

    pub fn store(&self, company: Company) {
        let records = [Record::Company(company)];
        self.runtime.block_on(self.register.store_batch(&records, NOW_MS)).unwrap();
    }

    /// Opens the index again, like a new process.
    pub fn restart(&mut self) {
        self.search = Arc::new(Search::open(IndexKind::Companies, &self.index()).unwrap());
    }

    /// Runs the follower until the index has all changes.
    pub fn catch_up(&self) {
        let newest = self.runtime.block_on(self.register.newest_change()).unwrap();
        self.follow_until(|search| search.indexed_change() == Some(newest));
    }

    /// Runs the follower until the condition is true.
    pub fn follow_until(&self, condition: impl Fn(&Search) -> bool) {
        self.runtime.block_on(async {
            let (stop, stopped) = watch::channel(false);
            let follower =
                tokio::spawn(follow(self.search.clone(), self.register.clone(), stopped));
            while !condition(&self.search) {
                assert!(!follower.is_finished(), "the follower ended");
                panji_testkit::pause().await;
            }
            stop.send(true).unwrap();
            follower.await.unwrap();
        });
    }

    pub fn find(&self, text: &str) -> Hits {
        let request = SearchRequest { text, limit: 10, ..SearchRequest::default() };
        self.search.find(&request).unwrap()
    }

    pub fn first(&self, text: &str) -> Option<Found> {
        self.find(text).companies.into_iter().next()
    }

    pub fn names(&self, text: &str) -> Vec<String> {
        self.find(text).companies.into_iter().map(|found| found.name).collect()
    }

    /// The directory of the current generation.
    pub fn generation(&self) -> PathBuf {
        let name = std::fs::read_to_string(self.index().join("current")).unwrap();
        self.index().join(name)
    }
}

async fn open_register(directory: &Path) -> Register {
    let path = directory.join("register.db");
    let engine = panji_store::Engine::open_sqlite(&path, Workload::Register).unwrap();
    Register::open(engine, NOW_MS).await.unwrap()
}

/// The CIN of the company with this index.
pub fn cin(number: usize) -> String {
    format!("U17110MH2001PTC{:06}", 990_000 + number)
}
