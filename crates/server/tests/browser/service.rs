//! The real program, started on an empty directory and stopped at the end.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

pub struct Service {
    /// The base URL.
    pub url: String,
    /// The printed test key.
    pub key: String,
    process: Child,
    directory: tempfile::TempDir,
    database_url: Option<String>,
    /// Empty for that of the listener.
    public_url: String,
}

impl Service {
    /// Starts the program on a free port.
    pub fn start() -> Service {
        Service::start_on(None)
    }

    /// Starts the program on an engine: the embedded one, or a PostgreSQL database.
    pub fn start_on(database_url: Option<&str>) -> Service {
        Service::start_as(database_url, None)
    }

    /// The same, reached under the name localhost.
    pub fn start_at_localhost(database_url: Option<&str>) -> Service {
        Service::start_as(database_url, Some("localhost"))
    }

    fn start_as(database_url: Option<&str>, host: Option<&str>) -> Service {
        let database_url = database_url.map(str::to_owned);
        let directory = tempfile::tempdir().expect("a directory");
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        let listen = format!("127.0.0.1:{port}");
        let public_url = host.map_or(String::new(), |host| format!("http://{host}:{port}"));
        let mut process = program(&directory, database_url.as_deref(), &public_url)
            .args(["serve", "--listen", &listen])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let banner = BufReader::new(process.stdout.take().expect("a pipe"));
        let key = banner
            .lines()
            .map_while(Result::ok)
            .find_map(|line| {
                line.split_whitespace().find(|word| word.starts_with("pk_test_")).map(str::to_owned)
            })
            .expect("the program prints a test key");
        let url = format!("http://{listen}");
        Service { url, key, process, directory, database_url, public_url }
    }

    /// Creates a live key of the first account.
    pub fn live_key(&self) -> String {
        self.run(&["key", "create", "--account", "demo@panji.example", "--mode", "live"])
    }

    /// Runs a command of the program; returns its output.
    pub fn run(&self, arguments: &[&str]) -> String {
        let ended = program(&self.directory, self.database_url.as_deref(), &self.public_url)
            .args(arguments)
            .output()
            .expect("the program runs");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8(ended.stdout).expect("text").trim().to_owned()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program(directory: &tempfile::TempDir, database_url: Option<&str>, public_url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_panji"));
    command.env("PANJI_PUBLIC_URL", public_url);
    if let Some(url) = database_url {
        command.args(["--database-url", url]);
    }
    command.arg("--data-dir").arg(directory.path().join("data"));
    command.current_dir(directory.path());
    command
}
