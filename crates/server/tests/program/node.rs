//! A serving process: started on a free port, listened to, and killed by its own number at the end.

use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use crate::http::{Client, Reply};
use crate::program::{Program, wait_for};

/// Tries to find a port that nobody takes between its choice and its use.
const PORT_TRIES: usize = 5;
/// SIGKILL's number.
const SIGKILL: i32 = 9;

/// A node that serves.
pub struct Node {
    pub address: SocketAddr,
    child: Child,
    stdout: Heard,
    stderr: Heard,
}

/// The lines of one stream, gathered as they come.
struct Heard {
    lines: Arc<Mutex<Vec<String>>>,
    listener: Option<JoinHandle<()>>,
}

impl Node {
    /// Starts a node and waits until it greets.
    pub fn start(program: &Program) -> Node {
        Node::start_with(|address| program.command(&["--listen", &address.to_string()]))
    }

    /// Starts a node with a command of the test's own.
    pub fn start_with(command: impl Fn(SocketAddr) -> Command) -> Node {
        for _ in 0..PORT_TRIES {
            let mut node = Node::launch(&command);
            let mut ended = None;
            wait_for("the program greets", || {
                ended = node.child.try_wait().unwrap();
                ended.is_some() || node.printed().contains("Panji serves at")
            });
            if ended.is_none() {
                return node;
            }
            node.stderr.finish();
            let complaint = node.logged();
            assert!(complaint.contains("cannot listen on"), "the node did not start: {complaint}");
        }
        panic!("no free port in {PORT_TRIES} tries");
    }

    /// Starts a node and does not wait for anything.
    pub fn launch(command: &impl Fn(SocketAddr) -> Command) -> Node {
        let address = free_address();
        let mut child = command(address).spawn().unwrap();
        let stdout = Heard::listen(child.stdout.take().unwrap());
        let stderr = Heard::listen(child.stderr.take().unwrap());
        Node { address, child, stdout, stderr }
    }

    /// What it printed so far on standard output.
    pub fn printed(&self) -> String {
        self.stdout.text()
    }

    /// What it wrote so far on standard error.
    pub fn logged(&self) -> String {
        self.stderr.text()
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// A caller with a key, on a connection that is kept.
    pub fn client(&self, key: &str) -> Client {
        Client::new(self.address, Some(key))
    }

    /// Asks on a connection of its own.
    pub fn get(&self, key: &str, path: &str) -> Reply {
        self.client(key).get(path).unwrap()
    }

    /// Posts on a connection of its own.
    pub fn post(&self, key: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        self.client(key).send("POST", path, headers, body.as_bytes()).unwrap()
    }

    /// The status of /readyz; none when nobody answers.
    pub fn readiness(&self) -> Option<u16> {
        Client::new(self.address, None).get("/readyz").ok().map(|reply| reply.status)
    }

    pub fn ready(&self) -> bool {
        self.readiness() == Some(200)
    }

    /// Kills it where it stands.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        let status = self.child.wait().unwrap();
        assert_eq!(status.signal(), Some(SIGKILL), "it ended by itself: {}", self.logged());
    }

    /// Asks it to stop, without waiting.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) {
        let script = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
    }

    /// Whether it has ended, and how.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// Waits until it has ended by itself.
    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        wait_for("the node ends", || {
            status = self.ended();
            status.is_some()
        });
        self.stdout.finish();
        self.stderr.finish();
        status.unwrap()
    }

    /// Asks it to stop and waits until it has, with success.
    pub fn stop(mut self) {
        self.terminate();
        assert_eq!(self.wait().code(), Some(0), "{}", self.logged());
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Heard {
    fn listen(stream: impl Read + Send + 'static) -> Heard {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let heard = lines.clone();
        let listener = std::thread::spawn(move || {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            while stream.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                heard.lock().unwrap().push(String::from_utf8_lossy(&line).into_owned());
                line.clear();
            }
        });
        Heard { lines, listener: Some(listener) }
    }

    fn text(&self) -> String {
        self.lines.lock().unwrap().concat()
    }

    /// Waits for the last line of a process that has ended.
    fn finish(&mut self) {
        if let Some(listener) = self.listener.take() {
            listener.join().unwrap();
        }
    }
}

/// An address of this machine that was free a moment ago.
pub fn free_address() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}
