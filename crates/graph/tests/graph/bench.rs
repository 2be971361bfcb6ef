//! A register with its graph, and a follower that runs until a condition is true.

use std::path::PathBuf;
use std::sync::Arc;

use panji_graph::{Graph, Network, follow};
use panji_store::Register;
use panji_store::engine::Workload;
use panji_store::register::Record;
use panji_testkit::NOW_MS;
use tokio::runtime::Runtime;
use tokio::sync::watch;

pub struct Bench {
    pub runtime: Runtime,
    pub register: Arc<Register>,
    pub graph: Arc<Graph>,
    directory: tempfile::TempDir,
}

impl Bench {
    /// An empty register and no graph.
    pub fn new() -> Bench {
        let directory = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let path = directory.path().join("register.db");
        let engine = panji_store::Engine::open_sqlite(&path, Workload::Register).unwrap();
        let register = Arc::new(runtime.block_on(Register::open(engine, NOW_MS)).unwrap());
        let graph = Arc::new(Graph::open(&directory.path().join("graph")).unwrap());
        Bench { runtime, register, graph, directory }
    }

    /// A register of these records, with its graph.
    pub fn with(records: &[Record]) -> Bench {
        let bench = Bench::new();
        bench.store(records);
        bench.catch_up();
        bench
    }

    pub fn directory(&self) -> PathBuf {
        self.directory.path().join("graph")
    }

    pub fn store(&self, records: &[Record]) {
        self.runtime.block_on(self.register.store_batch(records, NOW_MS)).unwrap();
    }

    /// Deletes all entries of the change feed, as if they were too old.
    pub fn delete_feed(&self) {
        self.runtime.block_on(self.register.delete_expired_changes(NOW_MS + 1)).unwrap();
    }

    /// Opens the graph again, like a new process.
    pub fn restart(&mut self) {
        self.graph = Arc::new(Graph::open(&self.directory()).unwrap());
    }

    /// Runs the follower until the graph has all changes.
    pub fn catch_up(&self) {
        let newest = self.runtime.block_on(self.register.newest_change()).unwrap();
        self.follow_until(|graph| graph.indexed_change() == Some(newest));
    }

    /// Runs the follower until the condition is true.
    pub fn follow_until(&self, condition: impl Fn(&Graph) -> bool) {
        self.runtime.block_on(async {
            let (stop, stopped) = watch::channel(false);
            let follower = tokio::spawn(follow(self.graph.clone(), self.register.clone(), stopped));
            while !condition(&self.graph) {
                assert!(!follower.is_finished(), "the follower ended");
                panji_testkit::pause().await;
            }
            stop.send(true).unwrap();
            follower.await.unwrap();
        });
    }

    pub fn network(&self, cin: &str) -> Option<Network> {
        self.graph.snapshot().and_then(|snapshot| snapshot.network(cin, 2))
    }

    /// The nodes of a company's network without itself: companies, then people.
    pub fn near(&self, cin: &str) -> Vec<String> {
        let mut nodes = self.network(cin).map(|network| network.nodes).unwrap_or_default();
        nodes.sort_by(|one, other| one.id.cmp(&other.id));
        let ids = nodes.iter().map(|node| node.id.as_str());
        ids.filter(|id| *id != cin).map(str::to_owned).collect()
    }

    /// The directory of the current generation.
    pub fn generation(&self) -> PathBuf {
        let name = std::fs::read_to_string(self.directory().join("current")).unwrap();
        self.directory().join(name)
    }
}
