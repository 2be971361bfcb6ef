//! Tests of a disk that is full or read-only: no response without its charge, no partial writes, and
//! service again once there is space.

use std::path::Path;
use std::process::Command;

use crate::accounts::{Account, CIN, DIN};
use crate::http::Reply;
use crate::load::{Load, Receipt};
use crate::node::Node;
use crate::own_postgres::is_root;
use crate::program::{Program, embedded, wait_for};

const CREDITS: i64 = 1_000_000;
/// Calls after which a full disk must have been noticed.
const MAX_CALLS: usize = 5_000;
const CALLERS: usize = 8;
/// The largest file of the limited program, in KiB: more than a new ledger and its index need.
const FILE_LIMIT_KIB: u64 = 1_024;
/// Starts a program with a file size limit; a write beyond it fails instead of killing the program.
const LIMITED: &str = "trap '' XFSZ; ulimit -S -f \"$0\"; exec \"$@\"";

/// A small file system in memory, unmounted at the end.
pub struct SmallDisk {
    directory: tempfile::TempDir,
}

impl SmallDisk {
    /// None if this user may not mount a file system.
    pub fn mount() -> Option<SmallDisk> {
        let directory = tempfile::tempdir().unwrap();
        let options = ["-t", "tmpfs", "-o", "size=16m", "tmpfs"];
        let mounted = Command::new("mount").args(options).arg(directory.path()).output();
        let mounted = is_root() && mounted.is_ok_and(|output| output.status.success());
        mounted.then_some(SmallDisk { directory })
    }

    pub fn program(&self) -> Program {
        Program::new(&self.directory.path().join("data"), None)
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Fills the disk except for some bytes.
    pub fn fill_up_to(&self, left: u64) {
        self.fill();
        let filler = self.directory.path().join("filler");
        let filler = std::fs::File::options().write(true).open(filler).unwrap();
        let length = filler.metadata().unwrap().len();
        filler.set_len(length - left).unwrap();
    }

    /// Fills the disk.
    pub fn fill(&self) {
        let filler = self.directory.path().join("filler");
        let mut filler = std::fs::File::options().append(true).create(true).open(filler).unwrap();
        for size in [1 << 16, 1 << 12, 1] {
            while std::io::Write::write_all(&mut filler, &vec![1; size]).is_ok() {}
        }
    }

    pub fn free_space(&self) {
        std::fs::remove_file(self.directory.path().join("filler")).unwrap();
    }

    fn make_read_only(&self) {
        let remounted =
            Command::new("mount").args(["-o", "remount,ro"]).arg(self.directory.path()).status();
        assert!(remounted.unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.directory.path()).status();
    }
}

#[test]
fn a_backup_onto_a_full_disk_gives_one_clear_line_and_no_backup() {
    embedded(|program| {
        let Some(disk) = SmallDisk::mount() else { return };
        let account = Account::with_credits(program, CREDITS);
        let backup = disk.directory.path().join("backup");
        disk.fill();
        let complaint = program.fails(&["backup", backup.to_str().unwrap()]);
        assert!(complaint.contains("full") || complaint.contains("No space"), "{complaint}");
        let elsewhere = program.over(&program.working_dir().join("elsewhere"));
        let refused = elsewhere.fails(&["restore", backup.to_str().unwrap()]);
        assert!(refused.contains("no manifest.json"), "{refused}");
        disk.free_space();
        std::fs::remove_dir_all(&backup).unwrap();
        program.ok(&["backup", backup.to_str().unwrap()]);
        elsewhere.ok(&["restore", backup.to_str().unwrap()]);
        account.audit();
    });
}

/// Calls until the ledger cannot store a charge any more; returns what was received until then.
fn call_until_refused(node: &Node, key: &str) -> Vec<Receipt> {
    let mut client = node.client(key);
    let mut receipts = Vec::new();
    for _ in 0..MAX_CALLS {
        let reply = client.get(&format!("/v1/directors/{DIN}")).unwrap();
        if reply.status != 200 {
            check_refusal(&reply);
            return receipts;
        }
        receipts.push(Receipt { request_id: reply.request_id(), credits: reply.charged() });
    }
    panic!("the disk was never full");
}

fn check_refusal(reply: &Reply) {
    assert_eq!((reply.status, reply.code().as_str()), (503, "unavailable"), "{}", reply.text());
    assert!(reply.json()["data"].is_null() && reply.charged() == 0);
    assert!(reply.retry_after().is_some());
}

/// Fills the disk under a node, goes on calling, frees space, and compares the ledger with the responses.
fn run_out(account: &Account, node: &Node, fill: impl FnOnce(), free_space: impl FnOnce()) {
    let key = account.key("live");
    assert_eq!(node.get(&key, &format!("/v1/verify/cin/{CIN}")).charged(), 1);
    let first = account.check_receipts(&[]);
    fill();
    let mut receipts = call_until_refused(node, &key);
    let load = Load::start(&[node.address], std::slice::from_ref(&key), CALLERS);
    wait_for("many callers are refused", || load.errors() > 10 * CALLERS);
    free_space();
    let received = load.received();
    wait_for("service resumes by itself", || load.received() > received + 10 * CALLERS);
    let outcome = load.stop();
    assert!(outcome.wrong.is_empty(), "{:?}", outcome.wrong);
    for (status, code, has_retry_after) in outcome.errors.keys() {
        assert_eq!((*status, code.as_str(), *has_retry_after), (503, "unavailable", true));
    }
    receipts.extend(outcome.receipts);
    let undelivered = account.check_receipts(&receipts);
    assert_eq!(undelivered, first, "nothing was charged without being delivered");
    let spent: i64 = account.charges().values().sum();
    assert_eq!(account.balance("live"), CREDITS - spent);
    account.audit();
}

#[test]
fn a_ledger_that_cannot_grow_gives_no_data_and_serves_again_once_it_can() {
    embedded(|program| {
        let account = Account::with_credits(program, CREDITS);
        let limit = FILE_LIMIT_KIB.to_string();
        let node = Node::start_with(|address| {
            let mut command = Command::new("bash");
            command.args(["-c", LIMITED, &limit, env!("CARGO_BIN_EXE_panji")]);
            program.prepare(&mut command, &["--listen", &address.to_string()]);
            command
        });
        wait_for("the node is ready", || node.ready());
        let lift = || {
            let process = node.process_id().to_string();
            let lifted =
                Command::new("prlimit").args(["--pid", &process, "--fsize=unlimited"]).status();
            assert!(lifted.unwrap().success());
        };
        run_out(&account, &node, || {}, lift);
    });
}

#[test]
fn a_full_disk_gives_no_data_and_service_resumes_when_there_is_space() {
    // Only root may mount; for other users the test above covers this.
    let Some(disk) = SmallDisk::mount() else { return };
    let program = disk.program();
    let account = Account::with_credits(&program, CREDITS);
    let node = program.serve();
    run_out(&account, &node, || disk.fill(), || disk.free_space());
}

#[test]
fn a_kill_on_a_full_disk_loses_nothing() {
    let Some(disk) = SmallDisk::mount() else { return };
    let program = disk.program();
    let account = Account::with_credits(&program, CREDITS);
    let key = account.key("live");
    let node = program.serve();
    disk.fill();
    let receipts = call_until_refused(&node, &key);
    node.kill();
    disk.free_space();
    let node = program.serve();
    assert!(account.check_receipts(&receipts).is_empty());
    account.audit();
    assert_eq!(node.get(&key, &format!("/v1/directors/{DIN}")).status, 200);
}

#[test]
fn a_data_directory_that_cannot_be_created_gives_one_clear_line() {
    embedded(|program| {
        let file = program.working_dir().join("file");
        std::fs::write(&file, "I am no directory").unwrap();
        for data_dir in [file.as_path(), &file.join("below"), Path::new("/proc/panji-data")] {
            let program = program.over(data_dir);
            let import = ["import", file.to_str().unwrap()];
            for arguments in [&["serve"][..], &["account", "list"], &import] {
                let listen = ["--listen", "127.0.0.1:0"];
                let complaint = run_anywhere(&program, &file, &[arguments, &listen].concat());
                assert!(complaint.contains(data_dir.to_str().unwrap()), "{complaint}");
            }
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "I am no directory");
    });
}

/// Runs a command that must fail, from a working directory that exists.
fn run_anywhere(program: &Program, beside: &Path, arguments: &[&str]) -> String {
    let mut command = program.command(arguments);
    let output = command.current_dir(beside.parent().unwrap()).output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), complaint.lines().count()), (Some(1), 1), "{complaint}");
    complaint
}

#[test]
fn a_read_only_data_directory_gives_one_clear_line_and_nothing_is_served() {
    let Some(disk) = SmallDisk::mount() else { return };
    let program = disk.program();
    let fresh = program.over(&disk.directory.path().join("fresh"));
    Account::with_credits(&program, CREDITS);
    disk.make_read_only();
    let listen = ["--listen", "127.0.0.1:0"];
    for program in [&program, &fresh] {
        let complaint = program.fails(&listen);
        let data_dir = program.data_dir().to_str().unwrap();
        assert!(complaint.contains(data_dir), "{complaint}");
    }
}
