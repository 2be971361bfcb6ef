//! A PostgreSQL server of the test's own, which it may stop and start. Unlike the shared one it
//! waits for the disk, as a real one does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::node::free_address;

/// The variable that names the directory of PostgreSQL's programs.
const BIN_VARIABLE: &str = "PANJI_TEST_POSTGRES_BIN";
const PORT_TRIES: usize = 5;
/// Microseconds that a commit waits before it is written, so that it is a commit that an outage
/// mostly hits.
pub const COMMIT_DELAY: u32 = 50_000;

pub struct OwnPostgres {
    bin: PathBuf,
    directory: tempfile::TempDir,
    port: u16,
}

impl OwnPostgres {
    /// Makes a server and starts it.
    pub fn start() -> OwnPostgres {
        let bin = std::env::var_os(BIN_VARIABLE)
            .unwrap_or_else(|| panic!("{BIN_VARIABLE} is not set: run the tests with ./test"));
        // Directly in /tmp, because the path of a socket must be short.
        let directory = tempfile::Builder::new().prefix("panji-own-").tempdir_in("/tmp").unwrap();
        let mut server = OwnPostgres { bin: bin.into(), directory, port: 0 };
        if is_root() {
            let place = server.directory.path();
            let given = Command::new("chown").arg("postgres").arg(place).status().unwrap();
            assert!(given.success(), "the server's user cannot have its directory");
        }
        let data = server.data().to_str().unwrap().to_owned();
        let made = server.run(
            "initdb",
            &["--pgdata", &data, "--username=postgres", "--auth=trust", "--no-sync"],
        );
        assert!(made, "initdb failed");
        for _ in 0..PORT_TRIES {
            server.port = free_address().port();
            if server.try_resume() {
                return server;
            }
        }
        panic!("PostgreSQL did not start: {}", server.log());
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

    /// Freezes it: connections stay open and nothing answers, as when its machine hangs.
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
        // One that ends meanwhile need not hear it.
        let script = format!("kill -{name} {first} {children} 2>/dev/null || true");
        assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
    }

    fn try_resume(&self) -> bool {
        let (data, place) = (self.data(), self.directory.path());
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories={} -c fsync=on \
             -c commit_delay={COMMIT_DELAY} -c commit_siblings=0",
            self.port,
            place.display()
        );
        let log = place.join("log");
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
    /// user that its package made.
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
            // A frozen server would not hear that it should stop.
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
