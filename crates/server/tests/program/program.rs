//! The program with its directories and settings: commands that run to their end, and nodes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use panji_store::engine::EngineKind;
use panji_testkit::{Databases, on_both_engines};
use serde_json::Value;

use crate::node::Node;

/// Rates that no test reaches by accident.
const NO_LIMITS: [(&str, &str); 4] = [
    ("PANJI_RATE_LIMIT__PER_SECOND", "1000000"),
    ("PANJI_RATE_LIMIT__BURST", "1000000"),
    ("PANJI_BULK_RATE_LIMIT__PER_SECOND", "1000000"),
    ("PANJI_BULK_RATE_LIMIT__BURST", "1000000"),
];

/// How the program is started: the data directory, the engine and the settings.
#[derive(Clone, Debug)]
pub struct Program {
    data_dir: PathBuf,
    database_url: Option<String>,
    environment: Vec<(String, String)>,
}

/// A command that ran to its end.
#[derive(Debug)]
pub struct Finished {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a test on each engine, with an empty data directory.
pub fn on_each_engine(test: impl Fn(&Program)) {
    on_both_engines(async |databases| test(&Program::on(&databases)));
}

/// The same, and on Citus with two workers if it is installed.
pub fn on_every_engine(test: impl Fn(&Program)) {
    on_each_engine(&test);
    on_citus(test);
}

/// Runs a test on Citus with two workers, if it is installed.
pub fn on_citus(test: impl Fn(&Program)) {
    panji_testkit::on_citus(async |databases| test(&Program::on(&databases)));
}

/// Runs a test on PostgreSQL only: several nodes can share nothing else.
pub fn on_postgres(test: impl Fn(&Program)) {
    on_both_engines(async |databases| {
        if databases.kind() == EngineKind::Postgres {
            test(&Program::on(&databases));
        }
    });
}

/// Runs a test that does not depend on the engine, or is about the embedded one.
pub fn embedded(test: impl FnOnce(&Program)) {
    let directory = tempfile::tempdir().unwrap();
    test(&Program::new(&directory.path().join("data"), None));
}

/// How long a test waits for anything. Tests do not check speed: on a busy machine everything takes
/// many times as long.
pub const TIME_LIMIT: Duration = Duration::from_secs(600);

/// Waits for a condition, and fails after `TIME_LIMIT`.
pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        let waited = started.elapsed();
        assert!(waited < TIME_LIMIT, "not within {} seconds: {what}", waited.as_secs());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A random number below a bound.
pub fn random_below(bound: u64) -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).unwrap();
    u64::from_le_bytes(bytes) % bound
}

impl Program {
    fn on(databases: &Databases) -> Program {
        Program::new(&databases.directory().join("data"), databases.database_url())
    }

    pub fn new(data_dir: &Path, database_url: Option<&str>) -> Program {
        let environment = NO_LIMITS.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec();
        let database_url = database_url.map(str::to_owned);
        Program { data_dir: data_dir.to_owned(), database_url, environment }
    }

    /// A copy with one more environment variable.
    pub fn with(&self, name: &str, value: &str) -> Program {
        let mut program = self.clone();
        program.environment.retain(|(known, _)| known != name);
        program.environment.push((name.to_owned(), value.to_owned()));
        program
    }

    /// Another node on the same database: another data directory with the same secret.
    pub fn another(&self, name: &str) -> Program {
        let data_dir = self.data_dir.with_file_name(name);
        std::fs::create_dir(&data_dir).unwrap();
        std::fs::copy(self.data_dir.join("secret.key"), data_dir.join("secret.key")).unwrap();
        Program { data_dir, ..self.clone() }
    }

    /// The same program over another data directory.
    pub fn over(&self, data_dir: &Path) -> Program {
        Program { data_dir: data_dir.to_owned(), ..self.clone() }
    }

    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    pub fn embedded(&self) -> bool {
        self.database_url.is_none()
    }

    /// The working directory: beside the data, so that a test can put a settings file there.
    pub fn working_dir(&self) -> &Path {
        self.data_dir.parent().unwrap()
    }

    /// A command whose environment has only this program's settings.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_panji"));
        self.prepare(&mut command, arguments);
        command
    }

    /// Gives a command that starts the program its arguments, environment and streams.
    #[allow(clippy::disallowed_methods, reason = "a command needs the search path")]
    pub fn prepare(&self, command: &mut Command, arguments: &[&str]) {
        let data_dir = self.data_dir.to_str().unwrap();
        command.args(arguments).args(["--data-dir", data_dir]);
        if let Some(url) = &self.database_url {
            command.args(["--database-url", url]);
        }
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(self.environment.iter().cloned())
            .current_dir(self.working_dir())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    /// Runs a command to its end. If it could not connect to the database in time, it has done
    /// nothing and is run again.
    pub fn run(&self, arguments: &[&str]) -> Finished {
        let started = Instant::now();
        loop {
            let finished = Finished::from(self.command(arguments).output().unwrap());
            let unconnected = finished.stderr.contains("PostgreSQL did not respond in time");
            if !unconnected || started.elapsed() > TIME_LIMIT {
                return finished;
            }
        }
    }

    /// Runs a command that reads its standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Finished {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        child.wait_with_output().unwrap().into()
    }

    /// Runs a command that must succeed; returns its output.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let finished = self.run(arguments);
        assert_eq!(finished.code, Some(0), "{arguments:?}: {finished:?}");
        finished.stdout.trim_end().to_owned()
    }

    /// Runs a command that must succeed and print JSON.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let text = self.ok(&[arguments, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    }

    /// Runs a command that must fail with exactly one line; returns the line.
    pub fn fails(&self, arguments: &[&str]) -> String {
        let finished = self.run(arguments);
        assert_eq!(finished.code, Some(1), "{arguments:?}: {finished:?}");
        let lines: Vec<&str> = finished.stderr.lines().collect();
        assert_eq!(lines.len(), 1, "{arguments:?}: {finished:?}");
        assert!(lines[0].starts_with("panji: "), "{arguments:?}: {finished:?}");
        lines[0].to_owned()
    }

    /// Creates an empty register.
    pub fn create_register(&self) {
        let header = "CIN,CompanyName,CompanyROCcode,CompanyCategory,CompanySubCategory,CompanyClass,\
                      AuthorizedCapital,PaidupCapital,CompanyRegistrationdate_date,\
                      Registered_Office_Address,Listingstatus,CompanyStatus,CompanyStateCode,\
                      CompanyIndian/Foreign Company,nic_code,CompanyIndustrialClassification\n";
        let imported = self.run_with_input(&["import", "-"], header);
        assert_eq!(imported.code, Some(0), "{imported:?}");
    }

    /// Starts a node and waits until it is ready.
    pub fn serve(&self) -> Node {
        let node = Node::start(self);
        wait_for("the node is ready", || node.ready());
        node
    }
}

impl From<Output> for Finished {
    fn from(output: Output) -> Finished {
        Finished {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
