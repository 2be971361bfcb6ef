//! Spreadsheets in XLSX and ODS: each sheet is converted to CSV, one line per row. Only texts,
//! numbers and dates are read.

mod first_sheet;
mod ods;
mod rows;
mod strings;
mod xlsx;
mod xml;

use std::fs::File;
use std::io::{self, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::guard::Budget;
use super::meter::{Meter, Metered};
use super::opened::Input;
pub use first_sheet::{SheetError, SheetLimits, first_sheet_csv};
use rows::CsvReader;
pub use rows::write_cell;
use strings::Strings;

const XLSX_MAIN: &str = "xl/workbook.xml";
const ODS_MAIN: &str = "content.xml";
const ODS_MANIFEST: &str = "META-INF/manifest.xml";
/// Files in the archive that identify other kinds of documents.
const OTHERS: [(&str, Unreadable); 4] = [
    ("xl/workbook.bin", Unreadable::BinaryWorkbook),
    ("word/document.xml", Unreadable::TextDocument),
    ("ppt/presentation.xml", Unreadable::TextDocument),
    ("EncryptedPackage", Unreadable::Encrypted),
];

/// Why a document cannot be read as a spreadsheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("a binary Excel workbook (.xlsb): save it as XLSX or CSV in a spreadsheet program")]
    BinaryWorkbook,
    #[error(
        "a text document or a presentation: copy its table into a spreadsheet and save it as CSV"
    )]
    TextDocument,
    #[error("an Office document in a layout that is not read: open it and save it as XLSX or CSV")]
    OtherLayout,
    #[error("it is protected by a password: save it without one")]
    Encrypted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Xlsx,
    Ods,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Sheet {
    name: String,
    /// The file in the archive that contains its cells.
    part: String,
    /// Its index among the sheets of that file.
    index: usize,
}

/// An open spreadsheet.
pub struct Workbook {
    archive: ZipArchive<File>,
    kind: Kind,
    sheets: Vec<Sheet>,
    /// None until the first sheet is opened.
    shared: Option<Shared>,
    budget: Budget,
}

/// The data that all sheets of an XLSX share.
#[derive(Default)]
struct Shared {
    strings: Strings,
    /// Whether a style is a date format, by style index.
    date_styles: Vec<bool>,
    from_1904: bool,
}

/// The content of a zip archive.
pub enum ZipContent {
    Workbook(Workbook),
    /// Plain files.
    Archive(ZipArchive<File>),
}

/// Opens an archive as a spreadsheet, if it is one.
pub fn inspect_zip(mut archive: ZipArchive<File>, budget: &Budget) -> io::Result<ZipContent> {
    let [is_xlsx, is_ods, has_manifest] =
        [XLSX_MAIN, ODS_MAIN, ODS_MANIFEST].map(|name| archive.index_for_name(name).is_some());
    let has = |name: &str| archive.index_for_name(name).is_some();
    if let Some((_, reason)) = OTHERS.iter().find(|(name, _)| has(name)) {
        return Err(io::Error::other(*reason));
    }
    let kind = match has("mimetype") {
        _ if is_xlsx => Kind::Xlsx,
        true if is_ods => Kind::Ods,
        _ if has("[Content_Types].xml") => return Err(io::Error::other(Unreadable::OtherLayout)),
        _ => return Ok(ZipContent::Archive(archive)),
    };
    let sheets = match kind {
        Kind::Xlsx => {
            let targets = xlsx::read_targets(part(&mut archive, xlsx::RELATIONS, budget)?)?;
            xlsx::read_sheets(part(&mut archive, XLSX_MAIN, budget)?, &targets)?
        }
        Kind::Ods => {
            // With a password the sheets are not XML, and only the manifest shows it.
            if has_manifest && ods::is_encrypted(part(&mut archive, ODS_MANIFEST, budget)?)? {
                return Err(io::Error::other(Unreadable::Encrypted));
            }
            ods::read_sheets(part(&mut archive, ODS_MAIN, budget)?)?
        }
    };
    if sheets.is_empty() {
        return Err(io::Error::other(Unreadable::OtherLayout));
    }
    Ok(ZipContent::Workbook(Workbook {
        archive,
        kind,
        sheets,
        shared: None,
        budget: budget.clone(),
    }))
}

impl Workbook {
    pub fn sheet_count(&self) -> usize {
        self.sheets.len()
    }

    /// The value of the meter after all its sheets.
    pub fn bytes(&mut self) -> Option<u64> {
        let parts: Vec<String> = self.sheets.iter().map(|sheet| sheet.part.clone()).collect();
        parts.iter().map(|part| part_bytes(&mut self.archive, part)).sum()
    }

    fn read_shared(&mut self) -> io::Result<()> {
        if self.shared.is_none() {
            let mut shared = Shared::default();
            if self.kind == Kind::Xlsx {
                let (archive, budget) = (&mut self.archive, &self.budget);
                shared.from_1904 = xlsx::counts_from_1904(part(archive, XLSX_MAIN, budget)?)?;
                if archive.index_for_name(xlsx::STYLES).is_some() {
                    shared.date_styles = xlsx::read_styles(part(archive, xlsx::STYLES, budget)?)?;
                }
                if archive.index_for_name(xlsx::STRINGS).is_some() {
                    shared.strings = Strings::read(part(archive, xlsx::STRINGS, budget)?)?;
                }
            }
            self.shared = Some(shared);
        }
        Ok(())
    }
}

/// One sheet as CSV.
pub struct SheetInput<'a> {
    pub workbook_name: &'a str,
    pub workbook: &'a mut Workbook,
    pub index: usize,
}

impl Input for SheetInput<'_> {
    fn name(&self) -> String {
        let sheet = &self.workbook.sheets[self.index];
        match self.workbook.sheets.len() {
            1 => self.workbook_name.to_owned(),
            _ => format!("{}, sheet {:?}", self.workbook_name, sheet.name),
        }
    }

    fn open(&mut self, meter: &Meter) -> io::Result<Box<dyn Read + '_>> {
        self.workbook.read_shared()?;
        let Workbook { archive, kind, sheets, shared, budget } = &mut *self.workbook;
        let sheet = &sheets[self.index];
        let reader = Metered { reader: part(archive, &sheet.part, budget)?, meter: meter.clone() };
        Ok(match (kind, shared) {
            (Kind::Xlsx, Some(shared)) => Box::new(CsvReader::new(xlsx::Rows::new(reader, shared))),
            _ => Box::new(CsvReader::new(ods::Rows::new(reader, sheet.index)?)),
        })
    }

    fn bytes(&mut self) -> Option<u64> {
        let part = self.workbook.sheets[self.index].part.clone();
        part_bytes(&mut self.workbook.archive, &part)
    }

    fn is_part_of_many(&self) -> bool {
        self.workbook.sheets.len() > 1
    }
}

fn part<'a>(
    archive: &'a mut ZipArchive<File>,
    name: &str,
    budget: &Budget,
) -> io::Result<impl Read + 'a> {
    let found = archive.by_name(name).map_err(|error| match error {
        ZipError::UnsupportedArchive(_) => io::Error::other(Unreadable::Encrypted),
        error => io::Error::other(format!("the spreadsheet is damaged: {name}: {error}")),
    })?;
    Ok(budget.guard(found))
}

fn part_bytes(archive: &mut ZipArchive<File>, name: &str) -> Option<u64> {
    archive.by_name(name).ok().map(|part| part.size())
}
