//! Tests of a damaged register file, truncated, overwritten or with a flipped bit: no wrong record
//! is served, and the log and the doctor report the damage.

use std::fs;

use crate::accounts::{Account, CIN, NAME, RECORDS};
use crate::node::Node;
use crate::program::{Program, embedded, wait_for};

/// The register's page size.
const PAGE: usize = 4_096;

/// Creates a register of many pages and closes it; returns a key of an account with credits.
pub fn fill(program: &Program) -> String {
    let account = Account::with_credits(program, 100_000);
    let record = |number: u32| {
        RECORDS
            .replace("990501", &format!("99{number:04}"))
            .replace("99000501", &format!("9900{number:04}"))
            .replace("Udaharan Textiles", &format!("Udaharan {number}"))
    };
    let records: String = (1_000..3_000).map(record).collect();
    assert_eq!(program.run_with_input(&["import", "-"], &records).code, Some(0));
    account.key("live")
}

fn damage(program: &Program, change: impl FnOnce(&mut Vec<u8>)) {
    let path = program.data_dir().join("register.db");
    assert!(!path.with_extension("db-wal").exists(), "it was closed");
    let mut bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 50 * PAGE, "the register has {} bytes", bytes.len());
    change(&mut bytes);
    fs::write(&path, bytes).unwrap();
}

/// Requests every company from a node with the damaged register: a response is right or an error.
fn serves_no_wrong_record(program: &Program, key: &str) {
    let node = Node::launch(&|address| program.command(&["--listen", &address.to_string()]));
    let mut node = node;
    wait_for("it starts or reports why not", || {
        node.ended().is_some() || node.readiness().is_some()
    });
    if node.ended().is_some() {
        node.wait();
        assert_eq!(node.logged().lines().count(), 1, "{}", node.logged());
        return;
    }
    let (mut client, mut refused) = (node.client(key), 0);
    for number in 1_000..3_000 {
        let reply = client.get(&format!("/v1/companies/U17110MH2001PTC99{number:04}")).unwrap();
        if reply.status == 200 {
            let name = format!("Udaharan {number} Private Limited");
            assert_eq!(reply.json()["data"]["name"], name.as_str());
        } else {
            assert!(reply.json()["data"].is_null() && reply.charged() == 0, "{}", reply.text());
            refused += usize::from(reply.status >= 500);
        }
    }
    assert!(refused > 0, "no read met the damage");
    let log = node.logged();
    let said = ["malformed", "has a wrong checksum"].iter().any(|word| log.contains(word));
    assert!(said, "the log says what is wrong");
}

#[test]
fn a_damaged_register_serves_no_wrong_record_and_the_doctor_reports_it() {
    // The companies are stored first, and what refers to them after.
    let changes: [fn(&mut Vec<u8>); 4] = [
        |bytes| bytes.truncate(bytes.len() / 4 / PAGE * PAGE),
        |bytes| bytes.truncate(bytes.len() / 4 + 77),
        |bytes| {
            let begin = bytes.len() / 4 / PAGE * PAGE;
            getrandom::fill(&mut bytes[begin..]).unwrap();
        },
        |bytes| {
            for page in bytes.chunks_mut(PAGE).skip(1) {
                let bit = page.iter().map(|&byte| usize::from(byte)).sum::<usize>() % (PAGE * 8);
                page[bit / 8] ^= 1 << (bit % 8);
            }
        },
    ];
    for change in changes {
        embedded(|program| {
            let key = fill(program);
            damage(program, change);
            let doctor = program.run(&["doctor"]);
            assert_eq!(doctor.code, Some(1));
            let line = doctor.stdout.lines().find(|line| line.contains("register.db")).unwrap();
            assert!(line.starts_with("FAILURE"), "{}", doctor.stdout);
            serves_no_wrong_record(program, &key);
        });
    }
}

#[test]
fn a_flipped_bit_inside_a_value_is_detected_by_reads_and_by_the_doctor() {
    embedded(|program| {
        let key = fill(program);
        damage(program, |bytes| {
            let name = NAME.as_bytes();
            let begin = bytes.windows(name.len()).position(|window| window == name);
            bytes[begin.expect("the name is in the file") + 1] ^= 0x01;
        });
        let doctor = program.run(&["doctor"]);
        assert!(doctor.stdout.contains("has a wrong checksum"), "{}", doctor.stdout);
        let node = program.serve();
        let reply = node.get(&key, &format!("/v1/companies/{CIN}"));
        assert_eq!((reply.status, reply.charged()), (503, 0), "{}", reply.text());
        let verdict = node.get(&key, &format!("/v1/verify/cin/{CIN}"));
        assert_eq!((verdict.status, verdict.charged()), (503, 0), "{}", verdict.text());
        let logged = || node.logged().contains("has a wrong checksum");
        wait_for("the log says so", logged);
    });
}
