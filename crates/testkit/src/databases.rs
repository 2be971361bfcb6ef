//! Runs one test body on each engine in turn, with an empty database each. PostgreSQL with Citus, a
//! coordinator and two workers, is a further engine if the extension is installed.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use panji_store::engine::{EngineKind, PostgresOptions, Workload};
use panji_store::ledger::Secret;
use panji_store::{Engine, Ledger, Register};
use tokio::runtime::Runtime;

/// The time of all tests: noon in India on 15 January 2026.
pub const NOW_MS: i64 = 1_768_458_600_000;

/// The variable with the address of the PostgreSQL server for test databases.
const SERVER_VARIABLE: &str = "PANJI_TEST_POSTGRES";
/// The variable with the addresses of the Citus servers, the coordinator first; unset without
/// Citus.
const CITUS_VARIABLE: &str = "PANJI_TEST_CITUS";
/// The variable that names the engines to test on. Not set for all of them, or `sqlite`, as
/// `./test --quick` sets it, which says what it leaves out.
const ENGINES_VARIABLE: &str = "PANJI_TEST_ENGINES";
/// A database on each of them with the extension, in which the coordinator knows the workers.
const CITUS_TEMPLATE: &str = "spread";
/// Enough threads for tasks to run in parallel.
const THREADS: usize = 4;

/// The databases of one test on one engine. Every call opens another handle to the same data, like
/// another node.
#[derive(Clone, Debug)]
pub struct Databases {
    directory: PathBuf,
    database_url: Option<String>,
}

impl Databases {
    pub fn kind(&self) -> EngineKind {
        match self.database_url {
            None => EngineKind::Sqlite,
            Some(_) => EngineKind::Postgres,
        }
    }

    /// `None` on SQLite.
    pub fn database_url(&self) -> Option<&str> {
        self.database_url.as_deref()
    }

    /// A temporary directory of the test, on all engines.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub fn secret(&self) -> Secret {
        Secret::new(*b"a secret that only tests may use")
    }

    /// The register, with the newest schema.
    pub async fn register(&self) -> Register {
        let engine = self.engine("register").await;
        Register::open(engine, NOW_MS).await.expect("a register opens on a fresh engine")
    }

    /// The ledger, with the newest schema.
    pub async fn ledger(&self) -> Ledger {
        let engine = self.engine("ledger").await;
        Ledger::open(engine, self.secret(), NOW_MS).await.expect("a ledger opens on a fresh engine")
    }

    /// The engine under one name: the file `name.db`, or the schema `name`. With `register` and
    /// `ledger` a test can access their tables directly.
    pub async fn engine(&self, name: &'static str) -> Engine {
        match &self.database_url {
            None => {
                let path = self.directory.join(name).with_extension("db");
                Engine::open_sqlite(&path, Workload::Ledger).expect("a fresh file opens")
            }
            Some(url) => {
                let options = PostgresOptions { url: url.clone(), schema: name };
                Engine::open_postgres(options).await.expect("a fresh database opens")
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestEngine {
    Sqlite,
    Postgres,
    Citus,
}

/// Runs a test body on SQLite and on PostgreSQL, each with empty databases that are removed
/// afterwards.
///
/// # Panics
///
/// When the body panics on an engine (the message names it), and when there is no PostgreSQL: a
/// missing engine is a failure, not a skip. Only `PANJI_TEST_ENGINES=sqlite` leaves PostgreSQL out.
pub fn on_both_engines(test: impl AsyncFn(Databases)) {
    if is_sqlite_alone() {
        on_engines(&[TestEngine::Sqlite], &test);
    } else {
        on_engines(&[TestEngine::Sqlite, TestEngine::Postgres], &test);
    }
}

/// The same, and on Citus with two workers if it is installed; `./test` reports if it is not.
///
/// # Panics
///
/// Like `on_both_engines`.
pub fn on_every_engine(test: impl AsyncFn(Databases)) {
    on_both_engines(&test);
    on_citus(test);
}

/// Runs a test body on Citus with two workers, if it is installed.
///
/// # Panics
///
/// When the body panics.
#[allow(clippy::disallowed_methods, reason = "./test names its servers and engines")]
pub fn on_citus(test: impl AsyncFn(Databases)) {
    if std::env::var_os(CITUS_VARIABLE).is_some() && !is_sqlite_alone() {
        on_engines(&[TestEngine::Citus], &test);
    }
}

/// Whether the tests were asked to run on SQLite alone.
#[allow(clippy::disallowed_methods, reason = "./test names its servers and engines")]
fn is_sqlite_alone() -> bool {
    match std::env::var(ENGINES_VARIABLE).as_deref() {
        Err(_) => false,
        Ok("sqlite") => true,
        Ok(other) => panic!("{ENGINES_VARIABLE} is {other}: it can only be sqlite, or not set"),
    }
}

fn on_engines(engines: &[TestEngine], test: &impl AsyncFn(Databases)) {
    let mut failures = Vec::new();
    for engine in engines {
        if let Err(cause) = catch_unwind(AssertUnwindSafe(|| on_engine(*engine, test))) {
            failures.push(format!("{engine:?}: {}", message(&*cause)));
        }
    }
    assert!(failures.is_empty(), "the test failed on {}", failures.join("\nand on "));
}

fn on_engine(engine: TestEngine, test: &impl AsyncFn(Databases)) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .expect("a runtime starts");
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let database = match engine {
        TestEngine::Sqlite => None,
        TestEngine::Postgres => Some(TestDatabase::create(&runtime, SERVER_VARIABLE, "template1")),
        TestEngine::Citus => Some(TestDatabase::create(&runtime, CITUS_VARIABLE, CITUS_TEMPLATE)),
    };
    let databases = Databases {
        directory: directory.path().to_owned(),
        database_url: database.as_ref().map(TestDatabase::url),
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| runtime.block_on(test(databases))));
    if let Some(database) = database {
        database.drop(&runtime);
    }
    if let Err(cause) = outcome {
        std::panic::resume_unwind(cause);
    }
}

/// The message of a panic.
fn message(cause: &(dyn Any + Send)) -> &str {
    cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message")
}

/// A database of one test: on the test server, or with the same name on all Citus servers.
struct TestDatabase {
    // Connections use the first one.
    servers: Vec<String>,
    name: String,
}

impl TestDatabase {
    #[allow(clippy::disallowed_methods, reason = "./test names its servers and engines")]
    fn create(runtime: &Runtime, servers_variable: &str, template: &str) -> TestDatabase {
        let servers = std::env::var(servers_variable).unwrap_or_else(|_| {
            panic!(
                "there is no PostgreSQL to test on ({servers_variable} is not set): run the tests \
                 with ./test, or with `./test cargo test …` for some of them"
            )
        });
        let servers = servers.split_whitespace().map(str::to_owned).collect();
        let name = format!("test_{}", ulid::Ulid::generate()).to_lowercase();
        let database = TestDatabase { servers, name };
        for server in &database.servers {
            let create = format!("create database {} template {template}", database.name);
            run(runtime, server, &create);
        }
        database
    }

    fn drop(self, runtime: &Runtime) {
        for server in &self.servers {
            run(runtime, server, &format!("drop database {} with (force)", self.name));
        }
    }

    /// The address of the first server with the name of this database.
    fn url(&self) -> String {
        let (server, _) =
            self.servers[0].rsplit_once('/').expect("a server's address ends in a database");
        // A slow machine must not make a test fail.
        format!("{server}/{}?connect_timeout=120", self.name)
    }
}

fn run(runtime: &Runtime, url: &str, statement: &str) {
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
            .await
            .unwrap_or_else(|error| panic!("the test server {url} cannot be reached: {error}"));
        let connection = tokio::spawn(connection);
        client.batch_execute(statement).await.expect("the test server makes databases");
        drop(client);
        // The server ends the session before the next test counts its connections.
        let _ = connection.await;
    });
}
