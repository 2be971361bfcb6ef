//! The error of reading or writing the graph.

use std::path::PathBuf;

/// Why the graph could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    #[error("graph: {0}")]
    Io(#[from] std::io::Error),
    #[error("graph: {0}")]
    Directory(#[from] panji_generations::GenerationsError),
    #[error("graph: {0}")]
    Store(#[from] panji_store::StoreError),
    #[error("graph: {} is damaged", .file.display())]
    Damaged { file: PathBuf },
    #[error("graph: {} is of another version of this program", .file.display())]
    OtherVersion { file: PathBuf },
    #[error("graph: the register has more than {0} companies")]
    TooLarge(usize),
}
