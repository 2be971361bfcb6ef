//! Measures how each system scales with connections, register size and nodes.

use std::process::Command;

use anyhow::Context;
use panji_bench::bare_table::psql;
use panji_bench::load::requests::{Requests, find_endpoint};
use panji_bench::program::{remove, run_with_output};
use panji_bench::register::{AS_OF, MASTER};
use panji_bench::report::print_progress;

use super::figures::{Grown, Start};
use super::measure::{CONNECTIONS, Sample, measure};
use super::process::Memory;
use super::system::{Started, System, free_address, panji_command};
use super::workspace::{Site, Workspace, import, open_account, panji_in};

/// The numbers of connections.
pub const CONNECTION_STEPS: [u64; 5] = [1, 16, 64, 256, 1_024];
/// The most nodes on one PostgreSQL.
const MAX_NODES: usize = 3;
/// The operations measured at each register size.
const AT_EACH_SIZE: [&str; 3] = ["getCompany", "verifyCin", "getCompanyProfile"];
/// The operations measured on nodes with PostgreSQL.
const OF_NODES: [&str; 2] = ["getCompany", "verifyCin"];

/// Samples by system and by size or number.
#[derive(Default)]
struct Collected(Vec<(String, u64, Sample, Start)>);

impl Collected {
    fn add(&mut self, name: &str, step: u64, sample: Sample, started: &Started) {
        let start = Start {
            seconds: started.start_up.as_secs_f64(),
            at_rest: started.at_rest,
            under_load: Memory { resident: sample.resident_mb as u64, own: sample.own_mb as u64 },
        };
        self.0.push((name.to_owned(), step, sample, start));
    }

    /// The medians of the rounds, in the order of the first measurement.
    fn grown(self) -> Vec<Grown> {
        let mut all: Vec<Grown> = Vec::new();
        for (name, step, ..) in &self.0 {
            if !all.iter().any(|grown| grown.name == *name) {
                all.push(Grown { name: name.clone(), points: Vec::new(), starts: Vec::new() });
            }
            let grown = all.iter_mut().find(|grown| grown.name == *name);
            let grown = grown.expect("it was just pushed");
            if grown.at(*step).is_some() {
                continue;
            }
            let samples_at = || self.0.iter().filter(|(n, p, ..)| n == name && p == step);
            let samples: Vec<Sample> =
                samples_at().map(|(_, _, sample, _)| sample.clone()).collect();
            let starts: Vec<Start> = samples_at().map(|(.., start)| *start).collect();
            grown.points.push((*step, Sample::median(&samples)));
            grown.starts.push((*step, Start::of(&starts)));
        }
        all
    }
}

/// Lookups of every system with an increasing number of connections.
pub fn by_connections(workspace: &Workspace) -> anyhow::Result<Vec<Grown>> {
    let mut collected = Collected::default();
    let site = workspace.largest();
    for round in 1..=workspace.arguments.rounds {
        print_progress(&format!("round {round} of {}: connections", workspace.arguments.rounds));
        for system in System::ALL {
            let started = system.start(workspace, site)?;
            let requests = system.lookups(site);
            for connections in CONNECTION_STEPS {
                let (count, time) = (connections as usize, workspace.arguments.short_time());
                let sample = measure(system.name(), &started, &requests, count, time, round)?;
                collected.add(system.name(), connections, sample, &started);
            }
        }
    }
    Ok(collected.grown())
}

/// Lookups of every system on registers of increasing size.
pub fn by_size(workspace: &Workspace) -> anyhow::Result<Vec<Grown>> {
    let mut collected = Collected::default();
    for round in 1..=workspace.arguments.rounds {
        print_progress(&format!(
            "round {round} of {}: sizes of the register",
            workspace.arguments.rounds
        ));
        for site in &workspace.sites {
            for system in System::ALL.into_iter().filter(|system| *system != System::Constant) {
                let started = system.start(workspace, site)?;
                for (name, requests) in at_each_size(system, site) {
                    let what = format!("{name}, {} companies", site.companies);
                    let time = workspace.arguments.short_time();
                    let sample = measure(&what, &started, &requests, CONNECTIONS, time, round)?;
                    collected.add(&name, site.companies, sample, &started);
                }
            }
        }
    }
    Ok(collected.grown())
}

fn at_each_size(system: System, site: &Site) -> Vec<(String, Requests)> {
    if system != System::Panji {
        return vec![(system.name().to_owned(), system.lookups(site))];
    }
    AT_EACH_SIZE
        .iter()
        .filter_map(|operation| find_endpoint(operation))
        .map(|endpoint| {
            let requests = endpoint.requests(&site.identifiers, &site.key);
            (format!("{} {}", system.name(), endpoint.operation), requests)
        })
        .collect()
}

/// Panji on one PostgreSQL with one, two and three nodes.
pub fn by_nodes(workspace: &Workspace) -> anyhow::Result<Vec<Grown>> {
    let key = prepare_nodes(workspace)?;
    let mut collected = Collected::default();
    for round in 1..=workspace.arguments.rounds {
        print_progress(&format!(
            "round {round} of {}: nodes on PostgreSQL",
            workspace.arguments.rounds
        ));
        for nodes in 1..=MAX_NODES {
            let started = start_nodes(workspace, nodes, &key)?;
            for operation in OF_NODES {
                let endpoint = find_endpoint(operation).context("no such endpoint")?;
                let requests = endpoint.requests(&workspace.largest().identifiers, &key);
                let what = format!("{operation}, {nodes} nodes");
                let time = workspace.arguments.time();
                let sample = measure(&what, &started, &requests, CONNECTIONS, time, round)?;
                collected.add(operation, nodes as u64, sample, &started);
            }
        }
    }
    Ok(collected.grown())
}

fn node_directory(workspace: &Workspace, node: usize) -> std::path::PathBuf {
    workspace.arguments.work.join(format!("node-{node}"))
}

/// Imports the company master into PostgreSQL, and creates an account and a data directory for each
/// node. Returns the key.
fn prepare_nodes(workspace: &Workspace) -> anyhow::Result<String> {
    let postgres = workspace.postgres()?;
    let flags = ["--database-url", postgres.url.as_str()];
    let schemas = "drop schema if exists panji_register cascade; \
                   drop schema if exists panji_ledger cascade";
    psql(&postgres.url, schemas)?;
    (1..=MAX_NODES).for_each(|node| remove(&node_directory(workspace, node)));
    let first = node_directory(workspace, 1);
    print_progress("importing the company master into PostgreSQL");
    import(&first, &flags, AS_OF, &workspace.largest().register.join(MASTER))?;
    psql(&postgres.url, "vacuum analyze")?;
    let key = open_account(&first, &flags)?;
    print_progress("building the search index of the nodes");
    run_with_output(panji_in(&first)?.args(flags).arg("reindex"))?;
    for node in 2..=MAX_NODES {
        // Nodes share the secret; each has its own index.
        let mut copy = Command::new("cp");
        run_with_output(copy.arg("--recursive").arg(&first).arg(node_directory(workspace, node)))?;
    }
    Ok(key)
}

fn start_nodes(workspace: &Workspace, nodes: usize, key: &str) -> anyhow::Result<Started> {
    let postgres = workspace.postgres()?;
    let addresses: anyhow::Result<Vec<_>> = (0..nodes).map(|_| free_address()).collect();
    let addresses = addresses?;
    let endpoint = find_endpoint(OF_NODES[0]).context("no such endpoint")?;
    let requests = endpoint.requests(&workspace.largest().identifiers, key);
    let mut started = Started::new(&addresses);
    for (number, address) in addresses.iter().enumerate() {
        let mut command =
            panji_command(workspace, &node_directory(workspace, number + 1), *address)?;
        command.args(["--database-url", &postgres.url]);
        started.launch(&mut command, &requests)?;
    }
    started.others.push(postgres.process);
    Ok(started)
}
