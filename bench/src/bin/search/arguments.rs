//! What the command line asks for.

use std::path::PathBuf;

/// What is asked for.
pub struct Arguments {
    /// Companies of the invented register; 0 leaves it out.
    pub invented: u64,
    /// Whether the real files are measured too.
    pub real: bool,
    /// Whether the peers take part.
    pub peers: bool,
    /// Whether wrong answers are shown.
    pub failures: bool,
    /// Where the report goes.
    pub report: Option<PathBuf>,
    /// Where the indexes are built and kept; a temporary directory otherwise.
    pub work: Option<PathBuf>,
    /// Texts to look for, to see the answers.
    pub ask: Vec<String>,
    /// Serve an index with the queries of a file, and print the memory that takes.
    pub memory_of: Option<(PathBuf, PathBuf)>,
}

impl Arguments {
    /// Reads the command line.
    pub fn read() -> Result<Arguments, String> {
        let mut arguments = Arguments {
            invented: 0,
            real: false,
            peers: false,
            failures: false,
            report: None,
            work: None,
            ask: Vec::new(),
            memory_of: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut next = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--invented" => {
                    let number = next()?;
                    arguments.invented =
                        number.parse().map_err(|_| format!("{number} is not a number"))?;
                }
                "--real" => arguments.real = true,
                "--peers" => arguments.peers = true,
                "--failures" => arguments.failures = true,
                "--report" => arguments.report = Some(next()?.into()),
                "--work" => arguments.work = Some(next()?.into()),
                "--ask" => arguments.ask.push(next()?),
                "--memory-of" => arguments.memory_of = Some((next()?.into(), next()?.into())),
                _ => return Err(format!("unknown: {word}")),
            }
        }
        Ok(arguments)
    }
}
