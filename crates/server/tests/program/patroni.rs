//! Three PostgreSQL members under Patroni and etcd, controlled by the script for operators.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::program::{random_below, wait_for};

const PORT_TRIES: usize = 5;
/// As short as possible, so that a lost member is noticed soon.
const TIMES: [(&str, &str); 3] = [("TTL", "7"), ("LOOP_WAIT", "1"), ("RETRY_TIMEOUT", "3")];

pub struct Cluster {
    directory: tempfile::TempDir,
    database_url: String,
    read_database_url: String,
}

impl Cluster {
    /// Creates a cluster and waits until all three members are replicating.
    pub fn start() -> Cluster {
        for _ in 0..PORT_TRIES {
            // Directly in /tmp, because the path of a socket must be short.
            let directory =
                tempfile::Builder::new().prefix("panji-patroni-").tempdir_in("/tmp").unwrap();
            let mut cluster = Cluster {
                directory,
                database_url: String::new(),
                read_database_url: String::new(),
            };
            let port = (20_000 + random_below(12_000)).to_string();
            let started = cluster.command("start", None).env("PORT", port).output().unwrap();
            if started.status.success() {
                let printed = String::from_utf8(started.stdout).unwrap();
                // A busy machine must not make a test fail.
                let address = |name| setting(&printed, name) + "&connect_timeout=120";
                cluster.database_url = address("database_url");
                cluster.read_database_url = address("read_database_url");
                return cluster;
            }
            let complaint = String::from_utf8_lossy(&started.stderr).into_owned();
            assert!(complaint.contains("is taken"), "no cluster: {complaint}{}", cluster.logs());
        }
        panic!("no free ports in {PORT_TRIES} tries");
    }

    pub fn database_url(&self) -> &str {
        &self.database_url
    }

    pub fn read_database_url(&self) -> &str {
        &self.read_database_url
    }

    /// Waits until a member that the test accepts is the primary. On a busy machine there may be
    /// none at times: a lease that is not renewed in time is lost.
    pub fn wait_for_primary(&self, accept: impl Fn(u32) -> bool) -> u32 {
        let mut found = None;
        wait_for("there is a primary", || {
            let printed = String::from_utf8(self.run("primary", None).stdout).unwrap();
            found = printed.trim().parse().ok().filter(|member| accept(*member));
            found.is_some()
        });
        found.unwrap()
    }

    /// Whether all three members run, one as the primary and one as its synchronous replica.
    pub fn is_complete(&self) -> bool {
        self.run("healthy", None).status.success()
    }

    /// Kills all processes of a member.
    pub fn kill(&self, member: u32) {
        assert!(self.run("kill", Some(member)).status.success(), "member {member} was not killed");
    }

    /// Starts a killed member again.
    pub fn restart(&self, member: u32) {
        assert!(self.run("restart", Some(member)).status.success(), "{}", self.logs());
    }

    /// The end of each member's log.
    pub fn logs(&self) -> String {
        let tail = |member: u32| {
            let path = self.directory().join(format!("log/patroni-{member}.log"));
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            format!("member {member}:\n{}\n", lines[lines.len().saturating_sub(20)..].join("\n"))
        };
        (1..=3).map(tail).collect()
    }

    fn run(&self, command: &str, member: Option<u32>) -> Output {
        self.command(command, member).output().unwrap()
    }

    fn command(&self, command: &str, member: Option<u32>) -> Command {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../deploy/patroni/cluster");
        let mut ready = Command::new(script);
        ready.arg(command).arg(self.directory()).args(member.map(|member| member.to_string()));
        ready.envs(TIMES).current_dir("/tmp").stdin(Stdio::null());
        ready
    }

    fn directory(&self) -> &Path {
        self.directory.path()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for member in 1..=3 {
            let _ = self.command("kill", Some(member)).output();
        }
    }
}

/// A setting in the script's output.
fn setting(printed: &str, name: &str) -> String {
    let line = printed.lines().find_map(|line| line.strip_prefix(&format!("{name} = ")));
    line.unwrap_or_else(|| panic!("no {name}: {printed}")).trim_matches('"').to_owned()
}
