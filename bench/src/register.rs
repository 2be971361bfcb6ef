//! The generated register on which imports and loads are measured.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{panji, remove, run_loudly};
use crate::report;

/// The seed of the generated files.
pub const SEED: u64 = 1;
/// The directory of the company master among the files.
pub const MASTER: &str = "1-mca-master";
/// The date of the data.
pub const AS_OF: &str = "2026-06-30";

/// The files of a register of this many companies, without faults, generated once.
pub fn generate(work: &Path, companies: u64) -> anyhow::Result<PathBuf> {
    let register = work.join(format!("register-{companies}"));
    // This file is written last.
    if !register.join(panji_generate::EXPECTED_FILE).is_file() {
        report::say(&format!("generating {companies} companies and what belongs to them"));
        remove(&register);
        let mut command = Command::new(panji()?);
        command.args(["generate", "--seed", &SEED.to_string(), "--trap-rate", "0"]);
        command.args(["--companies", &companies.to_string(), "--out"]).arg(&register);
        run_loudly(&mut command)?;
    }
    Ok(register)
}
