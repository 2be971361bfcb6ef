//! Measures the search: how often it finds the right company, and how fast.

mod arguments;
mod bm25;
mod fts5;
mod measure;
mod panji;
mod pg_trgm;
mod run;
mod search_system;
mod table;

use std::process::ExitCode;

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let done = arguments::Arguments::read().and_then(|arguments| run::run(&arguments));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            measure::print_progress(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
