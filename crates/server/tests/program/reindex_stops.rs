//! Tests of a reindex that is killed repeatedly while a node serves: search is not affected.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::accounts::{Account, CIN};
use crate::node::Node;
use crate::program::{Program, on_each_engine, random_below, wait_for};

const KILLS: usize = 8;

fn finds(node: &Node, key: &str) -> bool {
    let reply = node.get(key, "/v1/companies/search?q=udaharan%20textiles");
    reply.status == 200 && reply.json()["data"]["companies"][0]["cin"] == CIN
}

/// Builds the index as soon as the node is not building it.
fn reindex(program: &Program) {
    wait_for("the index is built", || program.run(&["reindex"]).code == Some(0));
}

#[test]
fn a_reindex_killed_at_any_moment_leaves_search_working_and_no_files() {
    on_each_engine(|program| {
        let data = program.working_dir().join("synthetic");
        let data = data.to_str().unwrap();
        program.ok(&["generate", "--companies", "2000", "--seed", "7", "--out", data]);
        program.ok(&["import", "--as-of", "2026-06-30", data]);
        let account = Account::with_credits(program, 10_000);
        let key = account.key("live");
        let node = program.serve();
        wait_for("search finds it", || finds(&node, &key));
        reindex(program);
        let started = Instant::now();
        reindex(program);
        let duration = started.elapsed();
        for _ in 0..KILLS {
            let mut running = program.command(&["reindex"]);
            let mut running = running.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_micros(random_below(duration.as_micros() as u64)));
            running.kill().unwrap();
            running.wait().unwrap();
            assert!(finds(&node, &key), "{}", node.logged());
        }
        reindex(program);
        wait_for("one generation is left", || {
            let entries = std::fs::read_dir(program.data_dir().join("index")).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names.len() == 3 && names[2].starts_with("generation-")
        });
        assert!(finds(&node, &key));
        node.stop();
        let node = program.serve();
        wait_for("it is found after a restart", || finds(&node, &key));
    });
}
