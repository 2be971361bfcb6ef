//! The first sheet of a spreadsheet as CSV, for lists that are not a source of the register.

use std::fs::File;
use std::io::{self, Read, Seek};

use zip::ZipArchive;

use super::{SheetInput, Unreadable, Workbook, ZipContent, inspect_zip};
use crate::input::guard::{Budget, Oversized};
use crate::input::meter::Meter;
use crate::input::opened::Input;

const ZIP_MAGIC: &[u8] = b"PK\x03\x04";
/// The container of old workbooks, and of new ones with a password.
const COMPOUND_MAGIC: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

/// The most bytes that a spreadsheet may expand to.
#[derive(Clone, Copy, Debug)]
pub struct SheetLimits {
    /// Of its files together.
    pub expanded_bytes: u64,
    /// Of the sheet as CSV.
    pub csv_bytes: u64,
}

/// Why a spreadsheet cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SheetError {
    #[error("it is not an XLSX file")]
    NotASpreadsheet,
    #[error(
        "it is an old Excel file (.xls) or protected by a password: save it as XLSX without one"
    )]
    OldOrProtected,
    #[error("it is {0}")]
    Unreadable(Unreadable),
    #[error("it expands to more than {0} MiB: split it, or send CSV")]
    TooLarge(u64),
    #[error("it is damaged: {0}")]
    Damaged(#[source] io::Error),
}

/// The first sheet that has rows, as CSV: row 7 of the sheet is line 7. Empty if no sheet has rows.
pub fn first_sheet_csv(mut file: File, limits: SheetLimits) -> Result<String, SheetError> {
    let start = read_start(&mut file).map_err(SheetError::Damaged)?;
    if start.starts_with(COMPOUND_MAGIC) {
        return Err(SheetError::OldOrProtected);
    }
    if !start.starts_with(ZIP_MAGIC) {
        return Err(SheetError::NotASpreadsheet);
    }
    let archive = ZipArchive::new(file).map_err(|error| SheetError::Damaged(error.into()))?;
    let explain = |error: io::Error| explain(error, limits);
    let budget = Budget::of_bytes(limits.expanded_bytes);
    let mut workbook = match inspect_zip(archive, &budget).map_err(explain)? {
        ZipContent::Workbook(workbook) => workbook,
        ZipContent::Archive(_) => return Err(SheetError::NotASpreadsheet),
    };
    for index in 0..workbook.sheet_count() {
        let csv = sheet_csv(&mut workbook, index, limits.csv_bytes).map_err(explain)?;
        if csv.len() as u64 > limits.csv_bytes {
            return Err(SheetError::TooLarge(limits.csv_bytes >> 20));
        }
        if !csv.trim().is_empty() {
            return Ok(csv);
        }
    }
    Ok(String::new())
}

fn read_start(file: &mut File) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    file.rewind()?;
    file.take(COMPOUND_MAGIC.len() as u64).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start)
}

/// Reads one byte more than the limit, so that the caller sees that it is exceeded.
fn sheet_csv(workbook: &mut Workbook, index: usize, max_bytes: u64) -> io::Result<String> {
    let mut sheet = SheetInput { workbook_name: "", workbook, index };
    let mut bytes = Vec::new();
    sheet.open(&Meter::default())?.take(max_bytes + 1).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn explain(error: io::Error, limits: SheetLimits) -> SheetError {
    let cause = error.get_ref();
    if let Some(reason) = cause.and_then(|cause| cause.downcast_ref::<Unreadable>()) {
        return match reason {
            Unreadable::Encrypted => SheetError::OldOrProtected,
            reason => SheetError::Unreadable(*reason),
        };
    }
    match cause.and_then(|cause| cause.downcast_ref::<Oversized>()) {
        Some(_) => SheetError::TooLarge(limits.expanded_bytes >> 20),
        None => SheetError::Damaged(error),
    }
}
