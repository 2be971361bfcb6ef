//! Other matchers on the same lists: rapidfuzz's best ratio over all names, and Splink.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use panji_bench::golden::random::Random;
use panji_bench::report::print_progress;

use super::lists::{Of, PLANS, list};
use super::measure::{SEED, share};
use super::register::SplitRegister;

/// The Python with both, which `bench/run match --alternatives` installs.
const PYTHON: &str = "target/bench/match-alternatives/bin/python";

/// What one matcher found.
#[derive(serde::Deserialize)]
struct Alternative {
    title: String,
    /// The score from which its best candidate is accepted.
    from: f64,
    /// The time that it computed.
    seconds: f64,
    lists: HashMap<String, Counts>,
}

#[derive(Clone, Copy, Default, serde::Deserialize)]
struct Counts {
    items: usize,
    /// The right company is the best candidate.
    first: usize,
    accepted: usize,
    right: usize,
}

/// A table of the same lists as those of `measure`.
pub fn compare(register: &SplitRegister, items: usize) -> anyhow::Result<String> {
    let directory = tempfile::tempdir()?;
    let count = write(register, items, directory.path())?;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/alternatives/match.py");
    let output = Command::new(PYTHON)
        .arg(script)
        .arg(directory.path())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| PYTHON.to_owned())?;
    ensure!(output.status.success(), "the other matchers failed");
    let alternatives: Vec<Alternative> = serde_json::from_slice(&output.stdout)?;
    let mut table = String::from("\n| list | items |");
    for alternative in &alternatives {
        let title = format!("{} from {} on", alternative.title, alternative.from);
        table.push_str(&format!(
            " {}: best one right | {title}: right | found |",
            alternative.title
        ));
    }
    table.push_str(&format!("\n|---|---|{}\n", "---|".repeat(3 * alternatives.len())));
    for plan in &PLANS {
        let of_plan = |alternative: &Alternative| {
            alternative.lists.get(plan.title).copied().unwrap_or_default()
        };
        let items = alternatives.first().map_or(0, |alternative| of_plan(alternative).items);
        table.push_str(&format!("| {} | {items} |", plan.title));
        for counts in alternatives.iter().map(of_plan) {
            let right = |part, of| match plan.of {
                Of::Absent => "–".to_owned(),
                Of::Present | Of::Former => share(part, of),
            };
            table.push_str(&format!(
                " {} | {} | {} |",
                right(counts.first, counts.items),
                right(counts.right, counts.accepted),
                share(counts.accepted, counts.items)
            ));
        }
        table.push('\n');
    }
    for alternative in &alternatives {
        let rate = count as f64 / alternative.seconds;
        table.push_str(&format!("\n{}: {rate:.0} items a second and core.\n", alternative.title));
    }
    print_progress(&table);
    Ok(table)
}

/// Writes the register and the lists; the number of items.
fn write(register: &SplitRegister, items: usize, directory: &Path) -> anyhow::Result<usize> {
    let mut file = csv::Writer::from_path(directory.join("register.csv"))?;
    file.write_record(["cin", "name", "state"])?;
    for company in &register.present {
        file.write_record([&company.cin, &company.name, &company.state])?;
    }
    file.flush()?;
    let mut file = csv::Writer::from_path(directory.join("lists.csv"))?;
    file.write_record(["list", "name", "state", "cin"])?;
    let (mut random, mut count) = (Random::new(SEED), 0);
    for plan in &PLANS {
        for listing in list(register, plan, 1, items, &mut random) {
            let state = listing.state.as_deref().unwrap_or_default();
            let cin = listing.cin.as_deref().unwrap_or_default();
            file.write_record([plan.title, &listing.name, state, cin])?;
            count += 1;
        }
    }
    file.flush()?;
    Ok(count)
}
