//! Files, directories, archives and standard input.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use zip::ZipArchive;

use super::encoding::{ByteOrder, Utf16Reader};
use super::guard::{Budget, Compressed};
use super::meter::{Meter, Metered};
use super::opened::Input;
use super::workbook::{ZipContent, inspect_zip};

/// The path for standard input.
pub const STANDARD_INPUT: &str = "-";

/// A file that `panji generate` writes with its data: the expected counts of an import.
const EXPECTED_COUNTS: &str = "EXPECTED.json";
const GZIP_MAGIC: [u8; 2] = [0x1F, 0x8B];
const ZIP_MAGIC: [u8; 4] = *b"PK\x03\x04";
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];
/// A byte order mark and the first character of UTF-16.
const BYTES_PEEKED: u64 = 4;

/// The bytes that an import of these paths reads; none if that is not known in advance.
pub fn bytes_of(paths: &[PathBuf]) -> Option<u64> {
    let mut sum = 0;
    for path in paths.iter().filter(|path| path.as_os_str() != STANDARD_INPUT) {
        for file in walk(path).ok()? {
            sum += match open_zip(&file).ok()? {
                Some((archive, budget)) => match inspect_zip(archive, &budget).ok()? {
                    ZipContent::Workbook(mut workbook) => workbook.bytes()?,
                    ZipContent::Archive(mut archive) => members(&archive)
                        .into_iter()
                        .map(|index| member_bytes(&mut archive, index))
                        .sum::<Option<u64>>()?,
                },
                None => plain_bytes(&file)?,
            };
        }
    }
    let has_input = paths.iter().any(|path| path.as_os_str() == STANDARD_INPUT);
    (!has_input).then_some(sum)
}

fn plain_bytes(path: &Path) -> Option<u64> {
    let metadata = std::fs::metadata(path).ok()?;
    metadata.is_file().then_some(metadata.len())
}

fn member_bytes(archive: &mut ZipArchive<File>, index: usize) -> Option<u64> {
    archive.by_index_raw(index).ok().map(|member| member.size())
}

/// Standard input; it can be read only once.
pub struct StandardInput;

impl Input for StandardInput {
    fn name(&self) -> String {
        STANDARD_INPUT.to_owned()
    }

    fn open(&mut self, meter: &Meter) -> io::Result<Box<dyn Read + '_>> {
        decompressed(Box::new(Metered { reader: io::stdin().lock(), meter: meter.clone() }), meter)
    }

    fn bytes(&mut self) -> Option<u64> {
        None
    }

    fn can_reopen(&self) -> bool {
        false
    }
}

/// A file, uncompressed or compressed with gzip.
pub struct PlainFile<'a>(pub &'a Path);

impl Input for PlainFile<'_> {
    fn name(&self) -> String {
        self.0.display().to_string()
    }

    fn open(&mut self, meter: &Meter) -> io::Result<Box<dyn Read + '_>> {
        let reader = Metered { reader: File::open(self.0)?, meter: meter.clone() };
        decompressed(Box::new(reader), meter)
    }

    fn bytes(&mut self) -> Option<u64> {
        plain_bytes(self.0)
    }

    fn can_reopen(&self) -> bool {
        // A pipe or a device can be read only once.
        self.0.is_file()
    }
}

/// A file inside a zip archive.
pub struct ZipMember<'a> {
    pub archive_name: &'a str,
    pub archive: &'a mut ZipArchive<File>,
    pub index: usize,
    /// Bounds the expansion of all files of the archive together.
    pub budget: &'a Budget,
}

impl Input for ZipMember<'_> {
    fn name(&self) -> String {
        format!("{}/{}", self.archive_name, member_name(self.archive, self.index))
    }

    fn open(&mut self, meter: &Meter) -> io::Result<Box<dyn Read + '_>> {
        let member = self.archive.by_index(self.index).map_err(io::Error::other)?;
        let reader = Metered { reader: self.budget.guard(member), meter: meter.clone() };
        decompressed(Box::new(reader), meter)
    }

    fn bytes(&mut self) -> Option<u64> {
        member_bytes(self.archive, self.index)
    }
}

fn member_name(archive: &ZipArchive<File>, index: usize) -> String {
    match archive.name_for_index(index) {
        Some(Ok(name)) => name.into_owned(),
        _ => format!("file {index}"),
    }
}

/// The indices of the files in an archive that may contain data.
pub fn members(archive: &ZipArchive<File>) -> Vec<usize> {
    let has_data = |index: &usize| {
        let name = member_name(archive, *index);
        let file_name = name.rsplit('/').next().unwrap_or_default();
        !(file_name.is_empty() || file_name.starts_with('.') || name.starts_with("__MACOSX/"))
    };
    (0..archive.len()).filter(has_data).collect()
}

/// Opens a file as a zip archive, if it is one, with the budget for all its files.
pub fn open_zip(path: &Path) -> io::Result<Option<(ZipArchive<File>, Budget)>> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut start = Vec::new();
    File::open(path)?.take(ZIP_MAGIC.len() as u64).read_to_end(&mut start)?;
    if start != ZIP_MAGIC {
        return Ok(None);
    }
    let file = File::open(path)?;
    let budget = Budget::new(Compressed::Known(file.metadata()?.len()));
    match ZipArchive::new(file) {
        Ok(archive) => Ok(Some((archive, budget))),
        Err(error) => Err(io::Error::other(format!(
            "the archive or spreadsheet is damaged, perhaps by an incomplete download ({error})"
        ))),
    }
}

/// The files under a path: the path itself, or all files of a directory and its subdirectories, in
/// the order of their names. Skips names that begin with a dot, and the expected counts of
/// `panji generate`.
pub fn walk(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        // A link to a directory could lead to a cycle; opening a pipe could block forever.
        let is_readable = entry.file_type()?.is_dir() || entry.path().is_file();
        let name = entry.file_name();
        if is_readable && !name.to_string_lossy().starts_with('.') && name != EXPECTED_COUNTS {
            entries.push(entry.path());
        }
    }
    entries.sort();
    let mut files = Vec::new();
    for entry in entries {
        files.extend(walk(&entry)?);
    }
    Ok(files)
}

/// Decompresses gzip, recognized by its first bytes, and converts UTF-16 to UTF-8 without a byte
/// order mark.
fn decompressed<'a>(reader: Box<dyn Read + 'a>, meter: &Meter) -> io::Result<Box<dyn Read + 'a>> {
    let (start, reader) = peek(reader)?;
    if !start.starts_with(&GZIP_MAGIC) {
        return Ok(as_utf_8(start, reader));
    }
    let budget = Budget::new(Compressed::Counted(meter.clone()));
    let decoder = MultiGzDecoder::new(Cursor::new(start).chain(reader));
    let (start, reader) = peek(Box::new(budget.guard(decoder)))?;
    Ok(as_utf_8(start, reader))
}

fn peek<'a>(mut reader: Box<dyn Read + 'a>) -> io::Result<(Vec<u8>, Box<dyn Read + 'a>)> {
    let mut start = Vec::new();
    reader.by_ref().take(BYTES_PEEKED).read_to_end(&mut start)?;
    Ok((start, reader))
}

fn as_utf_8<'a>(start: Vec<u8>, reader: Box<dyn Read + 'a>) -> Box<dyn Read + 'a> {
    let after = |mark: usize| Cursor::new(start[mark..].to_vec());
    match ByteOrder::from_mark(&start) {
        // XML declares its encoding, and its reader decodes it.
        Some(_) if start.contains(&b'<') => Box::new(after(0).chain(reader)),
        Some(order) => Box::new(Utf16Reader::new(after(2).chain(reader), order)),
        None if start.starts_with(&BYTE_ORDER_MARK) => Box::new(after(3).chain(reader)),
        None => Box::new(after(0).chain(reader)),
    }
}
