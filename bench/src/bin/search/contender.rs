//! What takes part in the comparison.

use panji_bench::golden::score::Answers;

/// What building an index took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// How long it took.
    pub seconds: f64,
    /// The size of the index with what it needs to answer.
    pub megabytes: f64,
}

/// A way to search.
pub trait Contender: Sync {
    /// Its name in the table.
    fn name(&self) -> &'static str;

    /// What building took.
    fn cost(&self) -> Cost;

    /// One of several callers at the same time.
    fn caller(&self) -> Result<Box<dyn Caller + '_>, String>;
}

/// One caller, who waits for each answer.
pub trait Caller: Send {
    /// The best ten companies for a text.
    fn ask(&mut self, text: &str) -> Result<Answers, String>;
}

/// The size of a directory in MB.
pub fn megabytes(directory: &std::path::Path) -> f64 {
    let mut bytes = 0;
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(about) if about.is_dir() => open.push(entry.path()),
                Ok(about) => bytes += about.len(),
                Err(_) => {}
            }
        }
    }
    bytes as f64 / 1e6
}
