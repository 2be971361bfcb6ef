//! Writes the sections of the page: tables, charts, the machine.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};
use panji_bench::load::requests::find_endpoint;
use panji_bench::program::output;
use panji_bench::report::{machine, print_progress, replace_section};

use super::arguments::{Arguments, Part};
use super::chart::{self, Bar, Line, grouped};
use super::figures::{Figures, Grown};
use super::measure::{CONNECTIONS, Sample};
use super::probe::SlowResponse;
use super::system::System;
use super::targets::{TargetResult, target_results};
use super::workspace::Workspace;

/// The page and its charts.
pub struct Page<'a> {
    arguments: &'a Arguments,
    images: PathBuf,
}

impl Page<'_> {
    /// The page of the command line; it must exist.
    pub fn open(arguments: &Arguments) -> anyhow::Result<Page<'_>> {
        let page = &arguments.page;
        if !page.is_file() {
            bail!("{} does not exist", page.display());
        }
        let images = page.with_file_name("images");
        std::fs::create_dir_all(&images)?;
        Ok(Page { arguments, images })
    }

    fn write(&self, section: &str, text: &str) -> anyhow::Result<()> {
        print_progress(text);
        replace_section(&self.arguments.page, section, text)
    }

    /// Writes a section about the whole run; skipped if only some parts were measured.
    fn write_summary(&self, section: &str, text: &str) -> anyhow::Result<()> {
        if self.arguments.is_partial() {
            print_progress(text);
            return Ok(());
        }
        self.write(section, text)
    }

    /// Writes a chart; returns the line that embeds it.
    fn picture(&self, name: &str, title: &str, svg: &str) -> anyhow::Result<String> {
        let path = self.images.join(format!("bench-{name}.svg"));
        std::fs::write(&path, svg).with_context(|| path.display().to_string())?;
        Ok(format!("![{title}](images/bench-{name}.svg)\n"))
    }

    /// The machine and the versions.
    pub fn write_machine(&self, workspace: &Workspace, figures: &Figures) -> anyhow::Result<()> {
        let mut text = format!("{}.", machine());
        if let Some(disk) = figures.disk {
            let _ = write!(
                text,
                " A write of 4 KB is on the disk after {:.2} ms (median; p99 {:.2} ms).",
                disk.median_ms, disk.p99_ms
            );
        }
        let _ = write!(
            text,
            " {} companies; {} rounds of {} s, {} s where many are compared.",
            grouped(self.arguments.companies as f64),
            self.arguments.rounds,
            self.arguments.seconds,
            self.arguments.short_time().as_secs_f64()
        );
        let (middle, most) = figures.steal();
        let _ = write!(
            text,
            " CPU steal was {:.1}% in the median of the measurements and {:.1}% at most, each as the median of \
             its rounds; single rounds had more.",
            middle * 100.0,
            most * 100.0
        );
        if let Some(postgres) = &workspace.postgres {
            let _ = write!(text, " PostgreSQL {}.", postgres.version);
        }
        if workspace.with_alternatives() {
            let pip = self.arguments.alternatives.join("bin/pip");
            let listed = output(Command::new(pip).args(["list", "--format=freeze"]))?;
            let wanted = ["datasette", "roapi", "fastapi", "uvicorn", "asyncpg"];
            let versions: Vec<String> = listed
                .lines()
                .filter_map(|line| line.split_once("=="))
                .filter(|(name, _)| wanted.contains(&name.to_ascii_lowercase().as_str()))
                .map(|(name, version)| format!("{name} {version}"))
                .collect();
            let _ = write!(text, " From PyPI: {}.", versions.join(", "));
        }
        self.write_summary("load-machine", &text)
    }

    /// Every endpoint.
    pub fn write_endpoints(&self, figures: &Figures) -> anyhow::Result<()> {
        if figures.endpoints.is_empty() || !self.arguments.wants(Part::Endpoints) {
            return Ok(());
        }
        let mut text = String::from(
            "| endpoint | requests a second | items a second | p50 | p99 | p99.9 | CPU per request | \
             allocations per request | response |\n|---|---|---|---|---|---|---|---|---|\n",
        );
        for (operation, sample) in &figures.endpoints {
            let items = find_endpoint(operation).map_or(1, |endpoint| endpoint.items);
            let per_item =
                if items > 1 { grouped(sample.per_second * items as f64) } else { String::new() };
            let allocations =
                figures.allocations.get(*operation).map_or(String::new(), |counted| {
                    format!(
                        "{} ({} KB)",
                        grouped(counted.allocations),
                        grouped(counted.bytes / 1e3)
                    )
                });
            let _ = writeln!(
                text,
                "| {operation} | {} | {per_item} | {} | {} | {allocations} | {} B |",
                grouped(sample.per_second),
                latencies(sample),
                cpu(sample),
                grouped(sample.bytes)
            );
        }
        let bars: Vec<Bar> = figures
            .endpoints
            .iter()
            .map(|(operation, sample)| Bar { name: operation, value: sample.per_second, own: true })
            .collect();
        let title = "Endpoints on the embedded engine";
        let svg = chart::bars(title, "requests a second, 64 connections, everything on", &bars);
        let text = format!("{}\n{text}", self.picture("endpoints", title, &svg)?);
        self.write("load-endpoints", &text)
    }

    /// Lookups of every system, with CPU time and memory.
    pub fn write_alternatives(&self, figures: &Figures) -> anyhow::Result<()> {
        if figures.lookups.is_empty() {
            return Ok(());
        }
        let constant = figures.lookup(System::Constant).map_or(1.0, |sample| sample.per_second);
        let mut text = String::from(
            "| system | requests a second | of the constant | p50 | p99 | p99.9 | CPU per request | \
             generator's CPU |\n|---|---|---|---|---|---|---|---|\n",
        );
        for (system, sample) in &figures.lookups {
            let _ = writeln!(
                text,
                "| {} | {} | {:.1}% | {} | {} | {:.1} µs |",
                system.name(),
                grouped(sample.per_second),
                sample.per_second / constant * 100.0,
                latencies(sample),
                cpu(sample),
                sample.generator_us
            );
        }
        text.push_str(
            "\n| system | start-up | at rest: own | with mapped pages | under load: own | with mapped \
             pages |\n|---|---|---|---|---|---|\n",
        );
        for (system, start) in &figures.starts {
            let _ = writeln!(
                text,
                "| {} | {:.2} s | {} MB | {} MB | {} MB | {} MB |",
                system.name(),
                start.seconds,
                start.at_rest.own,
                start.at_rest.resident,
                start.under_load.own,
                start.under_load.resident
            );
        }
        let bar = |(system, sample): &(System, Sample)| Bar {
            name: system.name(),
            value: sample.per_second,
            own: *system == System::Panji,
        };
        let bars: Vec<Bar> = figures.lookups.iter().map(bar).collect();
        let title = "Lookups of one company";
        let svg = chart::bars(title, "requests a second, 64 connections", &bars);
        let text = format!("{}\n{text}", self.picture("lookups", title, &svg)?);
        self.write("load-alternatives", &text)
    }

    /// From one connection to many.
    pub fn write_connections(&self, figures: &Figures) -> anyhow::Result<()> {
        let grown = &figures.by_connections;
        let rate = grown_table("connections", grown, &|sample| grouped(sample.per_second));
        let p99 = grown_table("connections", grown, &|sample| ms(sample.p99_ms));
        let per_second = self.grown_picture(
            "connections",
            ("Lookups by connections", "connections", "requests a second"),
            grown,
            |sample| sample.per_second,
        )?;
        let waiting = self.grown_picture(
            "connections-p99",
            ("Waiting by connections", "connections", "p99, ms"),
            grown,
            |sample| sample.p99_ms,
        )?;
        let text = format!(
            "Requests a second:\n\n{rate}\n{per_second}\nThe p99 latency:\n\n{p99}\n{waiting}"
        );
        self.write("load-connections", &text)
    }

    /// Three sizes of the register.
    pub fn write_sizes(&self, figures: &Figures) -> anyhow::Result<()> {
        let grown = &figures.by_size;
        let rate = grown_table("companies", grown, &|sample| grouped(sample.per_second));
        let cost = grown_table("companies", grown, &cpu);
        let picture = self.grown_picture(
            "sizes",
            ("Lookups by size of the register", "companies", "requests a second"),
            grown,
            |sample| sample.per_second,
        )?;
        let mut text = format!(
            "Requests a second:\n\n{rate}\n{picture}\nCPU per request:\n\n{cost}\n\
             Start-up to the first response, and memory under load (its own, and with mapped pages of \
             files):\n\n{}",
            head("companies", grown)
        );
        for grown in grown {
            let _ = write!(text, "| {} |", grown.name);
            for (_, start) in &grown.starts {
                let (own, all) = (start.under_load.own, start.under_load.resident);
                let _ = write!(text, " {:.2} s, {own} MB, {all} MB |", start.seconds);
            }
            text.push('\n');
        }
        self.write("load-sizes", &text)
    }

    /// Nodes on one PostgreSQL.
    pub fn write_nodes(&self, figures: &Figures) -> anyhow::Result<()> {
        let mut text = String::from(
            "| endpoint | nodes | requests a second | p50 | p99 | p99.9 | CPU per request |\n\
             |---|---|---|---|---|---|---|\n",
        );
        for grown in &figures.by_nodes {
            for (nodes, sample) in &grown.points {
                let _ = writeln!(
                    text,
                    "| {} | {nodes} | {} | {} | {} |",
                    grown.name,
                    grouped(sample.per_second),
                    latencies(sample),
                    cpu(sample)
                );
            }
        }
        self.write("load-nodes", &text)
    }

    /// The run during an import.
    pub fn write_import_run(&self, figures: &Figures) -> anyhow::Result<()> {
        let Some(run) = &figures.import_run else { return Ok(()) };
        let mut text = format!(
            "{:.1} minutes, {} responses ({} a second), {} imports finished meanwhile, each of {} rows; one \
             of three rows differs from one import to the next ({}).\n\n\
             | p50 | p99 | p99.9 | slowest | slowest without CPU steal | longest time without a response | \
             memory: own | with mapped pages |\n|---|---|---|---|---|---|---|---|\n\
             | {} | {} | {} | {} | {} | {} | {} MB | {} MB |\n\n\
             The slowest responses, one of those that overlap in time, each with the worst that a probe \
             measured during it:\n\n\
             | response | a sleep of 5 ms too long by | write and sync of 4 KB | CPU steal |\n|---|---|---|---|\n",
            run.minutes,
            grouped(run.responses as f64),
            grouped(run.responses as f64 / run.minutes / 60.0),
            run.imports,
            grouped(run.rows as f64),
            grouped(run.changed_rows as f64),
            ms(run.p50_ms),
            ms(run.p99_ms),
            ms(run.p999_ms),
            ms(run.longest_ms),
            run.slowest_without_steal.as_ref().map_or("".to_owned(), |slow| ms(slow.ms)),
            ms(run.longest_gap_ms),
            run.memory.own,
            run.memory.resident,
        );
        for slow in &run.slowest {
            let SlowResponse { ms: response, sleep_delay_ms, sync_ms, steal } = slow;
            let [response, sleep, sync] = [*response, *sleep_delay_ms, *sync_ms].map(ms);
            let steal = steal.map_or(String::new(), |share| format!("{:.1}%", share * 100.0));
            let _ = writeln!(text, "| {response} | {sleep} | {sync} | {steal} |");
        }
        self.write("load-import", &text)
    }

    /// Targets and results.
    pub fn write_targets(&self, figures: &Figures) -> anyhow::Result<()> {
        let mut text = String::from("| figure | target | reached | |\n|---|---|---|---|\n");
        for TargetResult { what, target, reached, met } in target_results(figures) {
            if let Some(reached) = reached {
                let mark = if met { "yes" } else { "**no**" };
                let _ = writeln!(text, "| {what} | {target} | {reached} | {mark} |");
            }
        }
        self.write_summary("load-targets", &text)
    }

    fn grown_picture(
        &self,
        name: &str,
        (title, x_label, y_label): (&str, &str, &str),
        grown: &[Grown],
        figure: fn(&Sample) -> f64,
    ) -> anyhow::Result<String> {
        // A logarithmic axis cannot display zero.
        let points = |grown: &Grown| {
            let points = grown.points.iter().map(|(at, sample)| (*at as f64, figure(sample)));
            points.filter(|(_, value)| *value > 0.0).collect()
        };
        let line = |grown: &Grown| Line { name: grown.name.clone(), points: points(grown) };
        let lines: Vec<Line> = grown.iter().map(line).collect();
        self.picture(name, title, &chart::lines(title, x_label, y_label, &lines))
    }
}

fn ms(value: f64) -> String {
    format!("{value:.2} ms")
}

fn latencies(sample: &Sample) -> String {
    [sample.p50_ms, sample.p99_ms, sample.p999_ms].map(ms).join(" | ")
}

fn cpu(sample: &Sample) -> String {
    format!("{:.1} µs", sample.cpu_us)
}

/// The head of a table with a column for each size or number.
fn head(what: &str, grown: &[Grown]) -> String {
    let points = grown.first().map(|grown| grown.points.as_slice()).unwrap_or_default();
    let mut text = format!("| {what} |");
    for (step, _) in points {
        let _ = write!(text, " {} |", grouped(*step as f64));
    }
    text + "\n|---|" + &"---|".repeat(points.len()) + "\n"
}

fn grown_table(what: &str, grown: &[Grown], cell: &dyn Fn(&Sample) -> String) -> String {
    let mut text = head(what, grown);
    for grown in grown {
        let _ = write!(text, "| {} |", grown.name);
        for (_, sample) in &grown.points {
            let _ = write!(text, " {} |", cell(sample));
        }
        text.push('\n');
    }
    text
}

// The captions contain this number.
const _: () = assert!(CONNECTIONS == 64, "the page says 64 connections");
