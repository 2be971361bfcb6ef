//! The results of a run.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::disk::SyncTime;
use super::import_run::ImportRun;
use super::measure::{Sample, middle};
use super::process::Memory;
use super::system::System;

/// The measurements; parts that were not requested are empty.
#[derive(Default)]
pub struct Figures {
    pub disk: Option<SyncTime>,
    /// By operation id, in the order of the endpoints.
    pub endpoints: Vec<(&'static str, Sample)>,
    /// Lookups of one company.
    pub lookups: Vec<(System, Sample)>,
    /// Start-up time and memory.
    pub starts: Vec<(System, Start)>,
    /// By operation id.
    pub allocations: BTreeMap<String, Allocations>,
    pub by_connections: Vec<Grown>,
    pub by_size: Vec<Grown>,
    pub by_nodes: Vec<Grown>,
    pub import_run: Option<ImportRun>,
}

/// The start-up time and memory of a system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    pub seconds: f64,
    pub at_rest: Memory,
    pub under_load: Memory,
}

/// Allocations of one request.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Allocations {
    pub allocations: f64,
    pub bytes: f64,
}

/// A measurement at several sizes, numbers of connections or numbers of nodes.
pub struct Grown {
    pub name: String,
    pub points: Vec<(u64, Sample)>,
    /// Set if the system was started for each point.
    pub starts: Vec<(u64, Start)>,
}

impl Grown {
    /// The sample at this size or number.
    pub fn at(&self, step: u64) -> Option<&Sample> {
        self.points.iter().find(|(at, _)| *at == step).map(|(_, sample)| sample)
    }
}

impl Figures {
    /// The share of steal time, as medians over the rounds: the median of all
    /// measurements, and the largest. Single rounds may have lost more.
    pub fn steal(&self) -> (f64, f64) {
        let grown = self.by_connections.iter().chain(&self.by_size).chain(&self.by_nodes);
        let grown = grown.flat_map(|grown| grown.points.iter().map(|(_, sample)| sample));
        let endpoints = self.endpoints.iter().map(|(_, sample)| sample);
        let lookups = self.lookups.iter().map(|(_, sample)| sample);
        let shares = || {
            endpoints.clone().chain(lookups.clone()).chain(grown.clone()).map(|sample| sample.steal)
        };
        (middle(shares()), shares().fold(0.0, f64::max))
    }

    /// The sample of an endpoint of Panji.
    pub fn endpoint(&self, operation: &str) -> Option<&Sample> {
        self.endpoints.iter().find(|(id, _)| *id == operation).map(|(_, sample)| sample)
    }

    /// The lookup of a system.
    pub fn lookup(&self, system: System) -> Option<&Sample> {
        self.lookups.iter().find(|(of, _)| *of == system).map(|(_, sample)| sample)
    }

    /// The start of a system.
    pub fn start(&self, system: System) -> Option<&Start> {
        self.starts.iter().find(|(of, _)| *of == system).map(|(_, start)| start)
    }
}

impl Start {
    /// The median of the times, and the largest memory.
    pub fn of(starts: &[Start]) -> Start {
        let most =
            |of: fn(&Start) -> Memory| starts.iter().map(of).fold(Memory::default(), Memory::max);
        Start {
            seconds: middle(starts.iter().map(|start| start.seconds)),
            at_rest: most(|start| start.at_rest),
            under_load: most(|start| start.under_load),
        }
    }
}
