//! The compared search systems.

use panji_bench::golden::score::Results;

/// The cost of building an index.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Build time.
    pub seconds: f64,
    /// The size of the index with everything that a search needs.
    pub megabytes: f64,
}

/// A search system.
pub trait SearchSystem: Sync {
    fn name(&self) -> &'static str;

    /// The cost of building.
    fn cost(&self) -> Cost;

    /// A caller; several run concurrently.
    fn caller(&self) -> anyhow::Result<Box<dyn Caller + '_>>;
}

/// A caller that waits for each result.
pub trait Caller: Send {
    /// The best ten companies for a text.
    fn ask(&mut self, text: &str) -> anyhow::Result<Results>;
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
