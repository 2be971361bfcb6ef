//! Tests of clients that keep connections open: ten thousand idle ones, and some that hardly read.
//! Others are served meanwhile, and memory stays bounded.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::accounts::Account;
use crate::node::Node;
use crate::program::{embedded, wait_for};
use crate::rates::resident_kb;

const PATH: &str = "/v1/directors/99000101";
const IDLE: u64 = 10_000;
/// Other open files of the test.
const OTHER_FILES: u64 = 500;
/// The memory that an idle connection may use.
const IDLE_KB: u64 = 24;

const SLOW_READERS: usize = 40;
/// Responses that each slow reader requests at once, more than the operating system buffers.
const REQUESTED: usize = 12;
const DEMO_CIN: &str = "L17111MH1994PLC990011";

/// Raises the limit of open files to the maximum; returns how many idle connections it allows.
fn idle_connections() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    IDLE.min(files.saturating_sub(OTHER_FILES))
}

fn sockets(node: &Node) -> usize {
    let files = std::fs::read_dir(format!("/proc/{}/fd", node.process_id())).unwrap();
    let targets = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
    targets.filter(|target| target.to_string_lossy().starts_with("socket:")).count()
}

#[test]
fn ten_thousand_idle_connections_do_not_block_others() {
    embedded(|program| {
        let account = Account::create(program, "namuna@example.in");
        let key = account.key("test");
        let node = program.with("PANJI_LIMITS__HEADER_SECONDS", "600").serve();
        assert_eq!(node.get(&key, PATH).status, 200);
        let before = resident_kb(&node);
        let count = idle_connections();
        let open = |number: u64| {
            let mut connection = TcpStream::connect(node.address).unwrap();
            // Half of them never send anything, half stop in the middle of a request.
            if number.is_multiple_of(2) {
                connection.write_all(b"GET /v1/companies/sea").unwrap();
            }
            connection
        };
        let idle: Vec<TcpStream> = (0..count).map(open).collect();
        wait_for("all of them are accepted", || sockets(&node) as u64 > count);
        for _ in 0..50 {
            assert_eq!(node.get(&key, PATH).status, 200);
        }
        let grown = resident_kb(&node).saturating_sub(before);
        assert!(grown < count * IDLE_KB, "{grown} kB for {count} connections");
        drop(idle);
        wait_for("they are closed", || (sockets(&node) as u64) < count / 10);
        node.stop();
        account.audit();
    });
}

/// Requests much and reads almost nothing.
fn request_much(node: &Node, key: &str) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let connection = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        socket.connect(node.address).await.unwrap().into_std().unwrap()
    });
    connection.set_nonblocking(false).unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let fields =
        r#"["company","capital","directors","charges","financials","compliance","documents"]"#;
    let cins = vec![format!("\"{DEMO_CIN}\""); 100].join(",");
    let body = format!(r#"{{"cins":[{cins}],"fields":{fields}}}"#);
    let request = format!(
        "POST /v1/bulk/enrich HTTP/1.1\r\nHost: panji\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut connection = connection;
    for _ in 0..REQUESTED {
        connection.write_all(request.as_bytes()).unwrap();
    }
    connection
}

#[test]
fn clients_that_hardly_read_do_not_block_others_and_are_disconnected() {
    embedded(|program| {
        let account = Account::create(program, "namuna@example.in");
        let key = account.key("test");
        let node = program.with("PANJI_LIMITS__WRITE_SECONDS", "3").serve();
        assert_eq!(node.get(&key, PATH).status, 200);
        let (before, sockets_before) = (resident_kb(&node), sockets(&node));
        let mut readers: Vec<TcpStream> =
            (0..SLOW_READERS).map(|_| request_much(&node, &key)).collect();
        let mut byte = [0];
        let mut size = 0;
        wait_for("the node lets them go", || {
            // Reads a byte of each response from time to time, with a normal call in between.
            for reader in &mut readers {
                let _ = reader.read(&mut byte);
            }
            assert_eq!(node.get(&key, PATH).status, 200);
            size = size.max(resident_kb(&node));
            sockets(&node) < sockets_before + SLOW_READERS / 4
        });
        // Far less than everything requested.
        let grown = size.saturating_sub(before);
        assert!(grown < 400 * 1024, "{grown} kB");
        account.audit();
    });
}
