//! The targets of the benchmark, and the results.

use super::chart::grouped;
use super::figures::{Figures, Grown};
use super::system::System;

/// One line: the measure, the target, the result, and whether the target is met.
pub struct TargetResult {
    pub what: String,
    pub target: String,
    pub reached: Option<String>,
    pub met: bool,
}

/// The verifications of one identifier.
const VERIFICATIONS: [&str; 4] = ["verifyCin", "verifyDin", "verifyGstin", "verifyPan"];
/// Names in the comparison of sizes.
const LOOKUP_AT_SIZES: &str = "Panji getCompany";

/// All targets.
pub fn target_results(figures: &Figures) -> Vec<TargetResult> {
    let mut all = Vec::new();
    let constant = figures.lookup(System::Constant).map(|sample| sample.per_second);
    let per_second = |operation: &str| figures.endpoint(operation).map(|it| it.per_second);
    for operation in ["getCompany"].into_iter().chain(VERIFICATIONS) {
        all.push(share(operation, per_second(operation), constant, 0.40, " (aim 55%)"));
    }
    all.push(share("getCompanyProfile", per_second("getCompanyProfile"), constant, 0.25, ""));
    for (system, times) in [(System::Datasette, 50.0), (System::FastApi, 5.0)] {
        let alternative = figures.lookup(system).map(|sample| sample.per_second);
        for operation in ["getCompany"].into_iter().chain(VERIFICATIONS) {
            all.push(multiple(operation, per_second(operation), system, alternative, times));
        }
    }
    for (operation, items, target) in
        [("bulkVerify", 1_000.0, 200_000.0), ("bulkEnrich", 100.0, 5_000.0)]
    {
        let reached = per_second(operation).map(|per_second| per_second * items);
        all.push(TargetResult {
            what: format!("{operation}, items a second"),
            target: format!("at least {}", grouped(target)),
            reached: reached.map(grouped),
            met: reached.is_some_and(|reached| reached >= target),
        });
    }
    all.extend(latencies(figures));
    all.extend(memory_and_start(figures));
    all.push(growth(&figures.by_size));
    all
}

fn share(
    operation: &str,
    per_second: Option<f64>,
    constant: Option<f64>,
    target: f64,
    aim: &str,
) -> TargetResult {
    let reached = per_second.zip(constant).map(|(own, limit)| own / limit);
    TargetResult {
        what: format!("{operation}, share of the constant's requests a second"),
        target: format!("at least {:.0}%{aim}", target * 100.0),
        reached: reached.map(|reached| format!("{:.1}%", reached * 100.0)),
        met: reached.is_some_and(|reached| reached >= target),
    }
}

fn multiple(
    operation: &str,
    per_second: Option<f64>,
    system: System,
    alternative: Option<f64>,
    target: f64,
) -> TargetResult {
    let reached = per_second.zip(alternative).map(|(own, alternative)| own / alternative);
    TargetResult {
        what: format!("{operation}, times the lookup of {}", system.name()),
        target: format!("at least {target:.0}"),
        reached: reached.map(|reached| format!("{reached:.1}")),
        met: reached.is_some_and(|reached| reached >= target),
    }
}

/// Latencies: at 64 connections, and during an import.
fn latencies(figures: &Figures) -> Vec<TargetResult> {
    let mut all = Vec::new();
    let target = figures.disk.map(|disk| disk.median_ms * 2.0 + 2.0);
    for operation in ["getCompany"].into_iter().chain(VERIFICATIONS) {
        let reached = figures.endpoint(operation).map(|sample| sample.p99_ms);
        all.push(TargetResult {
            what: format!("{operation}, p99 at 64 connections"),
            target: target.map_or(String::new(), |target| {
                format!("under {target:.2} ms: twice the disk's median sync time and 2 ms")
            }),
            reached: reached.map(|reached| format!("{reached:.2} ms")),
            met: reached.zip(target).is_some_and(|(reached, target)| reached < target),
        });
    }
    let run = figures.import_run.as_ref();
    all.push(TargetResult {
        what: "slowest response with an import going on".to_owned(),
        target: "no stall over 100 ms".to_owned(),
        reached: run.map(|run| {
            let (slowest, gap) = (run.longest_ms, run.longest_gap_ms);
            format!("{slowest:.1} ms; longest time without a response {gap:.1} ms")
        }),
        met: run.is_some_and(|run| run.longest_ms <= 100.0),
    });
    all
}

fn memory_and_start(figures: &Figures) -> Vec<TargetResult> {
    let start = figures.start(System::Panji);
    let memory = |what: &str, mb: Option<u64>| TargetResult {
        what: what.to_owned(),
        target: "under 400 MB".to_owned(),
        reached: mb.map(|mb| format!("{mb} MB")),
        met: mb.is_some_and(|mb| mb < 400),
    };
    let seconds = start.map(|start| start.seconds);
    vec![
        memory("memory under load, its own", start.map(|start| start.under_load.own)),
        memory(
            "memory under load, with mapped pages of files",
            start.map(|start| start.under_load.resident),
        ),
        TargetResult {
            what: "start-up to the first response".to_owned(),
            target: "under 1 s".to_owned(),
            reached: seconds.map(|seconds| format!("{seconds:.2} s")),
            met: seconds.is_some_and(|seconds| seconds < 1.0),
        },
    ]
}

/// The additional cost of a lookup on the largest register compared with the smallest.
fn growth(by_size: &[Grown]) -> TargetResult {
    let lookup = by_size.iter().find(|grown| grown.name == LOOKUP_AT_SIZES);
    let ends = lookup.and_then(|grown| grown.points.first().zip(grown.points.last()));
    let more = ends.map(|((_, small), (_, large))| {
        (large.cpu_us / small.cpu_us - 1.0, small.per_second / large.per_second - 1.0)
    });
    TargetResult {
        what: "cost of a lookup, from the smallest register to the largest".to_owned(),
        target: "grows by less than 20%".to_owned(),
        reached: more
            .map(|(cpu, time)| format!("{:+.1}% CPU, {:+.1}% time", cpu * 100.0, time * 100.0)),
        met: more.is_some_and(|(cpu, _)| cpu < 0.20),
    }
}
