//! A serving process: started on a free port, its output recorded, and killed by its process id at
//! the end.

use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use crate::http::{Client, Reply};
use crate::program::{Program, wait_for};

/// Attempts to start on a port that no other process takes in the meantime.
const PORT_TRIES: usize = 5;
const SIGKILL: i32 = 9;

pub struct Node {
    pub address: SocketAddr,
    child: Child,
    stdout: Output,
    stderr: Output,
}

/// The recorded lines of one stream.
struct Output {
    lines: Arc<Mutex<Vec<String>>>,
    listener: Option<JoinHandle<()>>,
}

impl Node {
    /// Starts a node and waits for its banner.
    pub fn start(program: &Program) -> Node {
        Node::start_with(|address| program.command(&["--listen", &address.to_string()]))
    }

    /// Starts a node with the test's own command.
    pub fn start_with(command: impl Fn(SocketAddr) -> Command) -> Node {
        for _ in 0..PORT_TRIES {
            let mut node = Node::launch(&command);
            let mut ended = None;
            wait_for("the program greets", || {
                ended = node.child.try_wait().unwrap();
                ended.is_some() || node.printed().contains("Panji is running at")
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

    /// Starts a node without waiting.
    pub fn launch(command: &impl Fn(SocketAddr) -> Command) -> Node {
        let address = free_address();
        let mut child = command(address).spawn().unwrap();
        let stdout = Output::listen(child.stdout.take().unwrap());
        let stderr = Output::listen(child.stderr.take().unwrap());
        Node { address, child, stdout, stderr }
    }

    /// The standard output so far.
    pub fn printed(&self) -> String {
        self.stdout.text()
    }

    /// The standard error so far.
    pub fn logged(&self) -> String {
        self.stderr.text()
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// A client with a key, on a persistent connection.
    pub fn client(&self, key: &str) -> Client {
        Client::new(self.address, Some(key))
    }

    /// Sends a GET on a new connection.
    pub fn get(&self, key: &str, path: &str) -> Reply {
        self.client(key).get(path).unwrap()
    }

    /// Sends a POST on a new connection.
    pub fn post(&self, key: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        self.client(key).send("POST", path, headers, body.as_bytes()).unwrap()
    }

    /// The status of /readyz; none if the node does not respond.
    pub fn readiness(&self) -> Option<u16> {
        Client::new(self.address, None).get("/readyz").ok().map(|reply| reply.status)
    }

    pub fn ready(&self) -> bool {
        self.readiness() == Some(200)
    }

    /// Kills it with SIGKILL.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        let status = self.child.wait().unwrap();
        assert_eq!(status.signal(), Some(SIGKILL), "it ended by itself: {}", self.logged());
    }

    /// Sends SIGTERM without waiting.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    pub fn signal(&self, name: &str) {
        let script = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
    }

    /// The exit status, if it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// Waits until it ends.
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

    /// Sends SIGTERM and waits until it ends with success.
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

impl Output {
    fn listen(stream: impl Read + Send + 'static) -> Output {
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
        Output { lines, listener: Some(listener) }
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

/// A local address that was free a moment ago.
pub fn free_address() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}
