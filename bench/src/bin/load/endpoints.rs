//! Measures every endpoint of Panji on the embedded engine, and lookups of the other systems, in
//! interleaved rounds.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use panji_bench::load::requests::{ENDPOINTS, Endpoint, Requests};
use panji_bench::report::print_progress;

use super::arguments::Part;
use super::disk::{SyncTime, sync_time};
use super::figures::{Allocations, Figures, Start};
use super::measure::{CONNECTIONS, Sample, measure as measure_one};
use super::process::Memory;
use super::system::{System, get_company};
use super::workspace::{Workspace, reset_ledger};

type MakeRequests<'a> = Box<dyn Fn() -> Requests + 'a>;

/// The measurements of one system.
struct Rounds {
    system: System,
    starts: Vec<Start>,
    samples: HashMap<&'static str, Vec<Sample>>,
}

/// Measures all systems once in each round.
pub fn measure(workspace: &Workspace, figures: &mut Figures) -> anyhow::Result<()> {
    let wanted =
        |system: &System| !system.is_alternative() || workspace.arguments.wants(Part::Alternatives);
    let mut all: Vec<Rounds> = System::ALL
        .into_iter()
        .filter(wanted)
        .map(|system| Rounds { system, starts: Vec::new(), samples: HashMap::new() })
        .collect();
    let mut syncs = Vec::new();
    for round in 1..=workspace.arguments.rounds {
        syncs.push(sync_time(&workspace.arguments.work)?);
        print_progress(&format!(
            "round {round} of {}: endpoints, baselines and alternatives",
            workspace.arguments.rounds
        ));
        for rounds in &mut all {
            rounds.measure(workspace, round)?;
        }
    }
    figures.disk = Some(SyncTime::median(&syncs));
    for rounds in all {
        let lookup = rounds.samples.get(get_company().operation);
        figures.lookups.extend(lookup.map(|samples| (rounds.system, Sample::median(samples))));
        figures.starts.push((rounds.system, Start::of(&rounds.starts)));
        if rounds.system == System::Panji {
            let measured = |endpoint: Endpoint| {
                let samples = rounds.samples.get(endpoint.operation)?;
                Some((endpoint.operation, Sample::median(samples)))
            };
            figures.endpoints = ENDPOINTS.into_iter().filter_map(measured).collect();
        }
    }
    Ok(())
}

impl Rounds {
    fn measure(&mut self, workspace: &Workspace, round: u64) -> anyhow::Result<()> {
        let site = workspace.largest();
        let started = self.system.start(workspace, site)?;
        print_progress(&format!(
            "  {} responds after {:.2} s, {:?} MB at rest",
            self.system.name(),
            started.start_up.as_secs_f64(),
            started.at_rest
        ));
        let mut start = Start {
            seconds: started.start_up.as_secs_f64(),
            at_rest: started.at_rest,
            under_load: Memory::default(),
        };
        for (operation, requests) in self.requests_of(workspace) {
            let time = workspace.arguments.time();
            let what = format!("{} {operation}", self.system.name());
            let sample = measure_one(&what, &started, &requests(), CONNECTIONS, time, round)?;
            let most = Memory { resident: sample.resident_mb as u64, own: sample.own_mb as u64 };
            start.under_load = start.under_load.max(most);
            self.samples.entry(operation).or_default().push(sample);
        }
        self.starts.push(start);
        Ok(())
    }

    /// The requests to this system, by operation id. They are created when they are needed.
    fn requests_of<'a>(&self, workspace: &'a Workspace) -> Vec<(&'static str, MakeRequests<'a>)> {
        let (site, system) = (workspace.largest(), self.system);
        if system != System::Panji {
            return vec![(get_company().operation, Box::new(move || system.lookups(site)))];
        }
        let only = &workspace.arguments.endpoints;
        let every = workspace.arguments.wants(Part::Endpoints);
        ENDPOINTS
            .into_iter()
            .filter(|endpoint| every || endpoint.operation == get_company().operation)
            .filter(|endpoint| only.is_empty() || only.iter().any(|id| id == endpoint.operation))
            .map(|endpoint| {
                let requests = move || endpoint.requests(&site.identifiers, &site.key);
                (endpoint.operation, Box::new(requests) as MakeRequests<'_>)
            })
            .collect()
    }
}

/// The allocations of each endpoint, counted by a separate program.
pub fn count_allocations(workspace: &Workspace) -> anyhow::Result<BTreeMap<String, Allocations>> {
    print_progress("counting allocations");
    let site = workspace.largest();
    reset_ledger(&site.data)?;
    let own = std::env::current_exe()?;
    let log = File::create(site.data.join("bench.log"))?;
    let output = Command::new(own.with_file_name("allocations"))
        .arg("--data-dir")
        .arg(&site.data)
        .arg("--register")
        .arg(&site.register)
        .args(["--companies", &site.companies.to_string(), "--key", &site.key])
        .args(["--listen", &super::system::free_address()?.to_string()])
        .stderr(log)
        .stdin(Stdio::null())
        .output()
        .context("allocations")?;
    let log = site.data.join("bench.log");
    ensure!(output.status.success(), "allocations failed: see {}", log.display());
    // The server prints its banner on the same output; the results are the last line.
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.trim().lines().last().unwrap_or_default();
    let counted: BTreeMap<String, Allocations> =
        serde_json::from_str(line).context("allocations")?;
    for (operation, one) in &counted {
        print_progress(&format!(
            "  {operation}: {:.0} allocations, {:.0} bytes",
            one.allocations, one.bytes
        ));
    }
    Ok(counted)
}
