//! Tests of damaged search index files, truncated or with a flipped bit: the damage is logged, the
//! files are never searched, and the index is rebuilt.

use std::fs;
use std::path::{Path, PathBuf};

use crate::accounts::{Account, CIN, NAME};
use crate::node::Node;
use crate::program::{Program, embedded, wait_for};

/// The files of the generation in use that hold data; the rest are locks and lists.
fn files(program: &Program) -> Vec<PathBuf> {
    let index = program.data_dir().join("index");
    let current = fs::read_to_string(index.join("current")).unwrap();
    let entries = fs::read_dir(index.join(current.trim())).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.file_name().is_some_and(|name| name.len() > 32));
    files.sort();
    files
}

/// In a part of the register "none" would not be true: matching returns 503 until the index is complete.
fn matches_or_waits(node: &Node, key: &str) {
    let body = format!(r#"{{"items":[{{"name":"{NAME}"}}]}}"#);
    let reply = node.post(key, "/v1/companies/match", &[], &body);
    match reply.status {
        503 => assert_eq!(reply.json()["error"]["code"], "unavailable"),
        _ => assert_eq!(reply.json()["data"]["results"][0]["company"]["cin"], CIN),
    }
}

/// Damages one file of the index after the other, and serves after each.
fn rebuilds_after(damage: impl Fn(&Path)) {
    embedded(|program| {
        let account = Account::with_credits(program, 100_000);
        let key = account.key("live");
        let path = "/v1/companies/search?q=udaharan%20textiles";
        let node = program.serve();
        wait_for("search finds it", || {
            node.get(&key, path).json()["data"]["companies"][0]["name"] == NAME
        });
        node.stop();
        let count = files(program).len();
        assert!(count > 4, "{count} files");
        for place in 0..count {
            let file = files(program).swap_remove(place);
            damage(&file);
            let node = program.serve();
            wait_for("search finds it again", || {
                let reply = node.get(&key, path);
                assert_eq!(reply.status, 200, "{}", reply.text());
                let first = &reply.json()["data"]["companies"][0];
                // No result during the rebuild, or the right one.
                let truth = first["cin"] == CIN && first["name"] == NAME;
                let building =
                    reply.header("panji-index").is_some_and(|text| text.starts_with("building"));
                assert!(truth || building, "{first}");
                matches_or_waits(&node, &key);
                truth
            });
            let log = node.logged();
            let said = log.contains("the search index") && log.contains("is rebuilt");
            assert!(said, "{}: {log}", file.display());
            node.stop();
        }
    });
}

#[test]
fn an_index_file_with_a_flipped_bit_is_never_searched() {
    rebuilds_after(|file| {
        let mut bytes = fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(file, bytes).unwrap();
    });
}

#[test]
fn a_truncated_index_file_is_never_searched() {
    rebuilds_after(|file| {
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
    });
}
