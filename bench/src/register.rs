//! The generated register on which imports and loads are measured.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;
use panji_generate::{EXPECTED_FILE, Plan, write_register};

use crate::bare_table::csv_files;
use crate::program::remove;
use crate::report;

/// The seed of the generated files.
pub const SEED: u64 = 1;
/// The directory of the company master among the files.
pub const MASTER: &str = "1-mca-master";
/// The date of the data.
pub const AS_OF: &str = "2026-06-30";

/// One row in this many is changed in the copy of the master.
const CHANGED_ROWS: u64 = 3;
/// The index of the changed column, the address.
const ADDRESS: usize = 9;

/// The files of a register of this many companies, without faults, generated once.
pub fn generate(work: &Path, companies: u64) -> anyhow::Result<PathBuf> {
    let register = work.join(format!("register-{companies}"));
    // This file is written last.
    if !register.join(EXPECTED_FILE).is_file() {
        report::print_progress(&format!(
            "generating {companies} companies and what belongs to them"
        ));
        remove(&register);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let plan = Plan { companies, seed: SEED, faults_per_million: 0, threads };
        write_register(plan, &register, &|_, _| ())?;
    }
    Ok(register)
}

/// Writes a copy of the company master in which every third company has moved. Returns the numbers of
/// rows, and of those that differ.
pub fn write_changed_master(register: &Path, copy: &Path) -> anyhow::Result<(u64, u64)> {
    report::print_progress("writing a changed copy of the company master");
    remove(copy);
    std::fs::create_dir_all(copy)?;
    let (mut rows, mut changed) = (0, 0);
    for file in csv_files(&register.join(MASTER))? {
        let name = file.file_name().context("a file without a name")?;
        let counts =
            change_rows(&file, &copy.join(name)).with_context(|| file.display().to_string())?;
        rows += counts.0;
        changed += counts.1;
    }
    Ok((rows, changed))
}

fn change_rows(from: &Path, to: &Path) -> anyhow::Result<(u64, u64)> {
    let mut reader = csv::Reader::from_path(from)?;
    let mut writer = csv::Writer::from_writer(std::io::BufWriter::new(File::create(to)?));
    writer.write_byte_record(&reader.byte_headers()?.clone())?;
    let (mut rows, mut changed) = (0_u64, 0);
    let mut row = csv::ByteRecord::new();
    while reader.read_byte_record(&mut row)? {
        rows += 1;
        if !rows.is_multiple_of(CHANGED_ROWS) {
            writer.write_byte_record(&row)?;
            continue;
        }
        changed += 1;
        for (column, field) in row.iter().enumerate() {
            if column == ADDRESS {
                writer.write_field([b"Second Floor, ", field].concat())?;
            } else {
                writer.write_field(field)?;
            }
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()?;
    Ok((rows, changed))
}
