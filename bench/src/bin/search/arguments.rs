//! The command line of the search benchmark.

use std::path::PathBuf;

use anyhow::{Context, bail};

pub struct Arguments {
    /// Companies of the synthetic register; 0 skips it.
    pub synthetic: u64,
    /// Whether the real files are measured too.
    pub real: bool,
    /// Whether the other systems are measured.
    pub alternatives: bool,
    /// Whether wrong results are printed.
    pub failures: bool,
    /// The file of the report.
    pub report: Option<PathBuf>,
    /// The directory for the indexes; a temporary one by default.
    pub work: Option<PathBuf>,
    /// Texts to search, to print the results.
    pub ask: Vec<String>,
    /// Serve an index with the queries of a file, and print its memory.
    pub memory_of: Option<(PathBuf, PathBuf)>,
}

impl Arguments {
    pub fn read() -> anyhow::Result<Arguments> {
        let mut arguments = Arguments {
            synthetic: 0,
            real: false,
            alternatives: false,
            failures: false,
            report: None,
            work: None,
            ask: Vec::new(),
            memory_of: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut next = || words.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--synthetic" => {
                    let number = next()?;
                    arguments.synthetic =
                        number.parse().with_context(|| format!("{number} is not a number"))?;
                }
                "--real" => arguments.real = true,
                "--alternatives" => arguments.alternatives = true,
                "--failures" => arguments.failures = true,
                "--report" => arguments.report = Some(next()?.into()),
                "--work" => arguments.work = Some(next()?.into()),
                "--ask" => arguments.ask.push(next()?),
                "--memory-of" => arguments.memory_of = Some((next()?.into(), next()?.into())),
                _ => bail!("unknown: {word}"),
            }
        }
        Ok(arguments)
    }
}
