//! The interface of a source: a description of its format, and an iterator of parsed rows.

use std::io;

use jiff::civil::Date;
use panji_store::register::{FinancialYear, Record};
use serde_json::Value;

use super::filing_list::FilingList;
use crate::input::opened::Opened;
use crate::input::table_json::TableError;
use crate::values::date::DateOrder;
use crate::values::reason::Reason;

/// A format of source files.
pub struct FormatSpec {
    /// Its name on the command line.
    pub name: &'static str,
    pub title: &'static str,
    /// Its columns, or the members of its documents, with the fields they map to.
    pub columns: fn() -> Vec<(&'static str, String)>,
    /// None for a source that exists only as JSON documents.
    pub file: Option<FileReader>,
    /// None for a source that never exists as JSON documents.
    pub document: Option<DocumentParser>,
}

/// Reads files of one format.
pub struct FileReader {
    /// Whether the beginning of a file has this format.
    pub recognizes: fn(&[u8]) -> bool,
    pub open: for<'a> fn(Opened<'a>, ReadOptions<'a>) -> Result<ParsedRows<'a>, SourceError>,
}

/// Parses JSON documents of one format; `json_documents` finds them in a file.
pub struct DocumentParser {
    pub recognizes: fn(&Value) -> bool,
    pub parse: fn(&JsonDocument<'_>) -> Vec<SourcedRecord>,
    /// Whether a reject may quote the document. Documents of the portals contain personal data: for
    /// those only the reason is stored.
    pub quoted_in_rejects: bool,
}

/// A record or the reason for rejecting it, with the name of its source.
pub type SourcedRecord = (&'static str, Result<Record, Reason>);

/// One JSON document of a file.
pub struct JsonDocument<'a> {
    pub value: &'a Value,
    pub text: &'a str,
    /// The date of data that has none of its own.
    pub as_of: Option<&'a str>,
    pub today: &'a str,
}

/// The options of a source.
#[derive(Clone, Copy)]
pub struct ReadOptions<'a> {
    /// The date of data that has none of its own.
    pub as_of: Option<Date>,
    /// The order of day and month in dates with slashes; none to detect it.
    pub dates: Option<DateOrder>,
    pub today: Date,
    pub file_name: &'a str,
    /// The exchange's list of filings.
    pub filings: &'a FilingList,
}

/// The parsed rows of one file, read lazily. The iterator ends after the first error.
pub type ParsedRows<'a> = Box<dyn Iterator<Item = Result<ParsedRow, SourceError>> + 'a>;

/// A row, line or document that was read.
pub struct ParsedRow {
    /// The line it begins on, from 1.
    pub line: u64,
    /// The length of the source text, which bounds batches.
    pub bytes: usize,
    pub outcome: RowOutcome,
}

#[allow(clippy::large_enum_variant, reason = "a row lives until it is in its batch")]
pub enum RowOutcome {
    Record {
        record: Record,
        /// Columns whose cells could not be read; the record is imported without them.
        unreadable_columns: Vec<&'static str>,
        /// Descriptions of ambiguous values that were accepted.
        ambiguities: Vec<&'static str>,
    },
    /// A record about the holder of an LEI, imported only if that is a company or a parent of one.
    LeiRecord(Record),
    /// The figures of a listed company, which the importer finds by its names.
    ExchangeFiling(Box<ExchangeFiling>),
    /// The row is valid, but has no data for the register; the text is the reason.
    Skipped(&'static str),
    /// Not a row but a header: the headings of unused columns.
    UnusedColumns(Vec<String>),
    Reject {
        /// None if it is not known.
        source: Option<&'static str>,
        reason: Reason,
        /// The source text, as far as it may be quoted.
        raw: String,
    },
}

/// The figures of a company that an exchange identifies by other names than the registry.
#[derive(Clone, Debug)]
pub struct ExchangeFiling {
    /// Without the company's number.
    pub year: FinancialYear,
    pub stated_cin: Option<String>,
    /// ISIN, codes and symbols, the most stable first.
    pub names: Vec<String>,
    /// The source text, as far as it may be quoted.
    pub raw: String,
}

impl ParsedRow {
    pub fn new(
        line: u64,
        raw: &str,
        source: Option<&'static str>,
        parsed: Result<Record, impl Into<Reason>>,
    ) -> ParsedRow {
        let outcome = match parsed {
            Ok(record) => RowOutcome::Record {
                record,
                unreadable_columns: Vec::new(),
                ambiguities: Vec::new(),
            },
            Err(reason) => {
                RowOutcome::Reject { source, reason: reason.into(), raw: raw.to_owned() }
            }
        };
        ParsedRow { line, bytes: raw.len(), outcome }
    }
}

/// Why a file cannot be read, or only partly.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("the file is empty")]
    Empty,
    #[error("{0}")]
    UnknownFormat(String),
    #[error("the header has two columns that mean the same, {0:?} and {1:?}: remove one of them")]
    DuplicateColumn(String, String),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(
        "an archive or a spreadsheet inside another archive, or on standard input: unpack it first"
    )]
    NestedArchive,
    #[error("a list of symbols has no records: give it as --symbols")]
    SymbolList,
    #[error("the date of the data cannot be determined from the file: give it as --as-of DATE")]
    NoDate,
    #[error("the document is larger than {0} MiB: write one object per line")]
    DocumentTooLarge(u64),
    #[error("{0}")]
    InvalidJson(String),
}

/// Converts a constant table to `FormatSpec::columns`.
pub fn described(columns: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    columns.iter().map(|(column, becomes)| (*column, (*becomes).to_owned())).collect()
}
