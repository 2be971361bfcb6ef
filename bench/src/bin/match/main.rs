//! Measures matching: how often the decision is right, how well the score is calibrated, how fast
//! it is. With `--fit` it fits the weights instead.

mod alternatives;
mod fit;
mod lists;
mod measure;
mod register;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use panji_bench::companies;
use panji_bench::report::{machine, print_progress, replace_section};
use panji_search::Model;

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Arguments {
    synthetic: u64,
    real: bool,
    fit: bool,
    /// Items of each list.
    items: usize,
    failures: bool,
    /// Whether other matchers are measured on the first register.
    alternatives: bool,
    report: Option<PathBuf>,
    /// The directory for the indexes, which are kept; a temporary one by default.
    work: Option<PathBuf>,
}

impl Arguments {
    fn read() -> anyhow::Result<Arguments> {
        let mut arguments = Arguments {
            synthetic: 0,
            real: false,
            fit: false,
            items: 4_000,
            failures: false,
            alternatives: false,
            report: None,
            work: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut next = || words.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--synthetic" => arguments.synthetic = next()?.parse()?,
                "--items" => arguments.items = next()?.parse()?,
                "--real" => arguments.real = true,
                "--fit" => arguments.fit = true,
                "--failures" => arguments.failures = true,
                "--alternatives" => arguments.alternatives = true,
                "--report" => arguments.report = Some(next()?.into()),
                "--work" => arguments.work = Some(next()?.into()),
                _ => bail!("unknown: {word}"),
            }
        }
        Ok(arguments)
    }
}

fn main() -> ExitCode {
    match Arguments::read().and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_progress(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "the environment names the data of a measurement")]
fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut registers = Vec::new();
    let work = |name| arguments.work.as_ref().map(|directory| directory.join(name));
    if arguments.real {
        let data = std::env::var("PANJI_REAL_DATA")
            .context("PANJI_REAL_DATA must name the directory of the real files")?;
        let companies = companies::real(Path::new(&data))?;
        registers.push(register::SplitRegister::build(
            "The real master files",
            companies,
            work("real").as_deref(),
        )?);
    }
    if arguments.synthetic > 0 {
        let companies = companies::synthetic(arguments.synthetic).collect();
        registers.push(register::SplitRegister::build(
            "A synthetic register",
            companies,
            work("synthetic").as_deref(),
        )?);
    }
    if arguments.fit {
        return fit::fit(&registers, arguments.items);
    }
    let model = Model::parse(&fit::weights_file()?.1)?;
    let mut report = format!("{}.\n", machine());
    for (at, register) in registers.iter().enumerate() {
        report.push_str(&measure::measure(register, &model, arguments.items, arguments.failures)?);
        if arguments.alternatives && at == 0 {
            report.push_str(&alternatives::compare(register, arguments.items)?);
        }
    }
    match &arguments.report {
        Some(file) => replace_section(file, "match", &report),
        None => Ok(()),
    }
}
