//! A PostgreSQL server that a test may stop and start. Unlike the shared one it syncs to disk, like
//! a real one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::node::free_address;

/// The variable with the directory of PostgreSQL's programs.
const BIN_VARIABLE: &str = "PANJI_TEST_POSTGRES_BIN";
const PORT_TRIES: usize = 5;
/// Microseconds that a commit waits before it is written, so that an outage mostly hits a commit.
pub const COMMIT_DELAY: u32 = 50_000;

pub struct OwnPostgres {
    bin: PathBuf,
    directory: tempfile::TempDir,
    port: u16,
    options: String,
}

impl OwnPostgres {
    /// Creates and starts a server.
    pub fn start() -> OwnPostgres {
        OwnPostgres::start_with(|_| String::new())
    }

    /// The same, with files that the test puts into its directory and the options that use them.
    pub fn start_with(prepare: impl FnOnce(&Path) -> String) -> OwnPostgres {
        let mut server = OwnPostgres::make();
        let data = server.data().to_str().unwrap().to_owned();
        let options = ["--username=postgres", "--auth=trust", "--no-sync", "--data-checksums"];
        let made = server.run("initdb", &[&["--pgdata", &data][..], &options].concat());
        assert!(made, "initdb failed");
        server.options = prepare(server.directory.path());
        server.start_on_free_port()
    }

    /// A replica that follows this server.
    pub fn replica(&self) -> OwnPostgres {
        let server = OwnPostgres::make();
        let (data, port) = (server.data().to_str().unwrap().to_owned(), self.port.to_string());
        let copied = server.run(
            "pg_basebackup",
            &[
                "--pgdata",
                &data,
                "--host=127.0.0.1",
                "--port",
                &port,
                "--username=postgres",
                "--checkpoint=fast",
                "--write-recovery-conf",
                "--no-sync",
            ],
        );
        assert!(copied, "no base backup: {}", self.log());
        server.start_on_free_port()
    }

    /// Turns off page checksums.
    pub fn drop_checksums(&self) {
        self.stop("fast");
        let data = self.data();
        let dropped = self.run("pg_checksums", &["--disable", "--pgdata", data.to_str().unwrap()]);
        assert!(dropped, "checksums were not disabled: {}", self.log());
        self.resume();
    }

    /// Promotes a replica to primary.
    pub fn promote(&self) {
        let data = self.data();
        let promoted =
            self.run("pg_ctl", &["promote", "--wait", "--pgdata", data.to_str().unwrap()]);
        assert!(promoted, "the replica was not promoted: {}", self.log());
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// An empty directory that belongs to the server's user.
    #[allow(clippy::disallowed_methods, reason = "./test names PostgreSQL's programs")]
    fn make() -> OwnPostgres {
        let bin = std::env::var_os(BIN_VARIABLE)
            .unwrap_or_else(|| panic!("{BIN_VARIABLE} is not set: run the tests with ./test"));
        // Directly in /tmp, because the path of a socket must be short.
        let directory = tempfile::Builder::new().prefix("panji-own-").tempdir_in("/tmp").unwrap();
        let server = OwnPostgres { bin: bin.into(), directory, port: 0, options: String::new() };
        server.change_owner();
        server
    }

    /// Starts it on a free port.
    fn start_on_free_port(mut self) -> OwnPostgres {
        self.change_owner();
        for _ in 0..PORT_TRIES {
            self.port = free_address().port();
            if self.try_resume() {
                return self;
            }
        }
        panic!("PostgreSQL did not start: {}", self.log());
    }

    /// Changes the owner of everything in the directory to the server's user.
    fn change_owner(&self) {
        if is_root() {
            let path = self.directory.path();
            let given = Command::new("chown").args(["-R", "postgres"]).arg(path).status().unwrap();
            assert!(given.success(), "the server's user cannot have its directory");
        }
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Stops it in a mode: smart, fast or immediate.
    pub fn stop(&self, mode: &str) {
        let data = self.data();
        let stopped =
            self.run("pg_ctl", &["stop", "--pgdata", data.to_str().unwrap(), "--mode", mode]);
        assert!(stopped, "PostgreSQL did not stop: {}", self.log());
    }

    /// Starts it again on the same port and data.
    pub fn resume(&self) {
        assert!(self.try_resume(), "PostgreSQL did not start again: {}", self.log());
    }

    /// Runs a statement.
    pub fn run_sql(&self, sql: &str) {
        assert!(self.run("psql", &["--quiet", "--dbname", &self.url(), "--command", sql]), "{sql}");
    }

    /// Pauses replay: the replica receives changes without applying them.
    pub fn pause_replay(&self) {
        self.run_sql("select pg_wal_replay_pause()");
        self.run_sql(
            "do $$ begin while pg_get_wal_replay_pause_state() <> 'paused' loop \
             perform pg_sleep(0.01); end loop; end $$",
        );
    }

    /// Freezes it: connections stay open and nothing responds, as when its machine hangs.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    pub fn thaw(&self) {
        self.signal("CONT");
    }

    /// Signals the server's processes by their numbers: the first one and those it started.
    fn signal(&self, name: &str) {
        let first = fs::read_to_string(self.data().join("postmaster.pid")).unwrap();
        let first = first.lines().next().unwrap();
        let children = fs::read_to_string(format!("/proc/{first}/task/{first}/children")).unwrap();
        // A process that ends meanwhile need not receive it.
        let script = format!("kill -{name} {first} {children} 2>/dev/null || true");
        assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
    }

    fn try_resume(&self) -> bool {
        let (data, path) = (self.data(), self.directory.path());
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories={} -c fsync=on \
             -c commit_delay={COMMIT_DELAY} -c commit_siblings=0 {}",
            self.port,
            path.display(),
            self.options
        );
        let log = path.join("log");
        self.run(
            "pg_ctl",
            &[
                "start",
                "--wait",
                "--pgdata",
                data.to_str().unwrap(),
                "--log",
                log.to_str().unwrap(),
                "--options",
                &options,
            ],
        )
    }

    fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).unwrap_or_default()
    }

    /// Runs one of the server's programs. PostgreSQL refuses to run as root, so root runs it as the
    /// user of its package.
    fn run(&self, program: &str, arguments: &[&str]) -> bool {
        let program: &Path = &self.bin.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        let silent = command.args(arguments).current_dir(self.directory.path());
        let silent = silent.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        silent.status().unwrap().success()
    }
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        if self.data().join("postmaster.pid").exists() {
            // A frozen server would not receive the signal to stop.
            self.thaw();
            let data = self.data();
            self.run(
                "pg_ctl",
                &["stop", "--pgdata", data.to_str().unwrap(), "--mode", "immediate"],
            );
        }
    }
}

/// Whether the tests run as root.
pub fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout == b"0\n"
}
