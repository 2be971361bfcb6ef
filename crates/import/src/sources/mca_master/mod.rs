//! The lists that the Ministry of Corporate Affairs publishes as tables: the company master in all
//! its releases, the LLP master, and the companies and LLPs registered in a month.

mod columns;
mod names;
mod row;

use std::io::BufRead;

use jiff::civil::Date;
use panji_ids::CompanyId;
use panji_store::register::Record;

use super::source::{
    FileReader, FormatSpec, ParsedRow, ParsedRows, ReadOptions, RowOutcome, SourceError, described,
};
use crate::input::csv::{Cells, Row, Rows, Separator, split_cells};
use crate::input::opened::Opened;
use crate::values::date::{DateOrder, DateVotes, Day, read_day};
use crate::values::reason::Reason;
use crate::values::text::is_blank;
use columns::Columns;
pub use columns::{Nearest, nearest};
use names::Field;
pub use names::Release;
use row::{RowSettings, read_row};

/// Rows that are searched for a header.
const HEADER_ROWS: usize = 10;
const NO_HEADER: &str = "none of the first rows is the header of such a list";

/// The columns with dates.
const DATES: [Field; 3] = [Field::RegisteredOn, Field::AnnualReturn, Field::BalanceSheet];

macro_rules! format_of {
    ($release:ident, $title:literal) => {
        FormatSpec {
            name: Release::$release.source(),
            title: $title,
            columns: || described(&Release::$release.columns()),
            file: Some(FileReader {
                recognizes: |head| release_of(head) == Some(Release::$release),
                open: |opened, options| open(opened, options, Release::$release),
            }),
            document: None,
        }
    };
}

pub static SINCE_2023: FormatSpec =
    format_of!(Since2023, "MCA company master, table of 16 columns, published since 2023");
pub static OF_2021: FormatSpec =
    format_of!(Of2021, "MCA company master, table of 17 columns, as of 31 March 2021");
pub static OF_2015: FormatSpec =
    format_of!(Of2015, "MCA company master, table of 13 columns, published in 2015");
pub static NEW_COMPANIES: FormatSpec =
    format_of!(NewCompanies, "MCA list of the companies registered in a month, table");
pub static NEW_LLPS: FormatSpec =
    format_of!(NewLlps, "MCA list of the LLPs registered in a month, table");
pub static LLP_MASTER: FormatSpec = format_of!(LlpMaster, "MCA LLP master, table");

fn open<'a>(
    mut opened: Opened<'a>,
    options: ReadOptions<'a>,
    release: Release,
) -> Result<ParsedRows<'a>, SourceError> {
    let settings = row_settings(&mut opened, options, release)?;
    let separator = separator_of(opened.head());
    let reader = Reader::new(opened.into_reader()?, separator);
    Ok(Box::new(MasterRows { reader, settings, columns_reported: false }))
}

/// Determines the order of day and month, and the date of the data: single rows do not show them.
/// If the beginning of the file is not enough, the file is read twice, if possible.
fn row_settings(
    opened: &mut Opened<'_>,
    options: ReadOptions<'_>,
    release: Release,
) -> Result<RowSettings, SourceError> {
    let separator = separator_of(opened.head());
    let found = survey(opened.head(), separator, options)?;
    let mut survey = found.ok_or_else(|| SourceError::UnknownFormat(NO_HEADER.to_owned()))?;
    // A file with registrations after the release's day does not belong to that release.
    let newest = survey.newest.map(|date| date.to_string()).unwrap_or_default();
    let release_day = release.day().filter(|day| newest.as_str() <= *day);
    let given = options.as_of.map(|date| date.to_string());
    let given = given.or_else(|| release_day.map(str::to_owned));
    let mut is_complete = opened.head_is_whole();
    let is_enough = is_complete || (given.is_some() && survey.order.is_some());
    if !is_enough && let Some(whole) = opened.preview()? {
        survey = self::survey(whole, separator, options)?.unwrap_or(survey);
        is_complete = true;
    }
    let newest = survey.newest.filter(|_| is_complete).map(|date| date.to_string());
    let as_of = given.or(newest);
    if as_of.is_none() && survey.rows > 0 {
        return Err(SourceError::NoDate);
    }
    let (order, is_order_known) = (survey.order.unwrap_or_default(), survey.order.is_some());
    Ok(RowSettings { as_of, order, is_order_known, release })
}

/// The result of reading through a file.
#[derive(Clone, Debug)]
struct Survey {
    /// The order of day and month; none if there are ambiguous dates, and neither the options nor
    /// another date determines the order.
    order: Option<DateOrder>,
    /// The newest date of registration that agrees with its CIN and is not in the future. In a list
    /// without CINs: the newest that is not in the future.
    newest: Option<Date>,
    /// Rows below the header.
    rows: u64,
}

/// The header among the first rows of a file, and its separator.
fn header_of(head: &[u8]) -> Option<(Columns, Separator)> {
    Separator::ALL.into_iter().find_map(|separator| {
        let mut reader = Reader::new(head, separator);
        for _ in 0..HEADER_ROWS {
            let row = reader.next_cells();
            if reader.columns.is_some() || !matches!(row, Ok(Some(_))) {
                break;
            }
        }
        reader.columns.map(|columns| (columns, separator))
    })
}

fn release_of(head: &[u8]) -> Option<Release> {
    header_of(head).map(|(columns, _)| columns.release())
}

fn separator_of(head: &[u8]) -> Separator {
    header_of(head).map(|(_, separator)| separator).unwrap_or_default()
}

/// The newest dates of a file, for both orders of day and month.
#[derive(Default)]
struct NewestDates {
    /// Dates that the year of a CIN confirms.
    confirmed: [Option<Date>; 2],
    others: [Option<Date>; 2],
    has_cins: bool,
}

impl NewestDates {
    const ORDERS: [DateOrder; 2] = [DateOrder::DayFirst, DateOrder::MonthFirst];

    fn count(&mut self, number: &str, text: &str, today: Date) {
        // A date that the year of the CIN does not confirm may be a mistake. A date of an earlier
        // year than both dates found so far cannot be the newest.
        let is_older =
            |newest: &Option<Date>| newest.is_some_and(|date| cin_year(number) < date.year());
        if self.confirmed.iter().all(is_older) {
            return;
        }
        let cin_year = match CompanyId::parse(number) {
            Ok(CompanyId::Cin(cin)) => Some(cin.year()),
            Ok(_) if !self.has_cins => None,
            _ => return,
        };
        self.has_cins |= cin_year.is_some();
        let newest = if cin_year.is_some() { &mut self.confirmed } else { &mut self.others };
        for (newest, order) in newest.iter_mut().zip(NewestDates::ORDERS) {
            if let Day::On(date) = read_day(text, order, cin_year)
                && cin_year.is_none_or(|year| date.year() == year as i16)
                && date <= today
            {
                *newest = (*newest).max(Some(date));
            }
        }
    }

    fn newest(&self, order: Option<DateOrder>) -> Option<Date> {
        let [day_first, month_first] = if self.has_cins { self.confirmed } else { self.others };
        if order == Some(DateOrder::MonthFirst) { month_first } else { day_first }
    }
}

/// Reads through a file without making records. None if it has no header.
fn survey(
    source: impl BufRead,
    separator: Separator,
    options: ReadOptions<'_>,
) -> Result<Option<Survey>, SourceError> {
    let mut reader = Reader::new(source, separator);
    let mut votes = DateVotes::default();
    let mut newest = NewestDates::default();
    let mut rows = 0;
    while reader.next_cells()?.is_some() {
        let Some(columns) = &reader.columns else { continue };
        let text = columns.cell(&reader.cells, Field::RegisteredOn);
        rows += 1;
        for field in DATES {
            votes.count(columns.cell(&reader.cells, field));
        }
        newest.count(columns.cell(&reader.cells, Field::Cin), text, options.today);
    }
    let order = options.dates.or(votes.order());
    Ok(reader.columns.map(|_| Survey { order, newest: newest.newest(order), rows }))
}

/// The year in a CIN; the latest of all if it cannot be parsed.
fn cin_year(cin: &str) -> i16 {
    cin.trim().get(8..12).and_then(|year| year.parse().ok()).unwrap_or(i16::MAX)
}

/// The rows below the header, parsed.
struct MasterRows<R> {
    reader: Reader<R>,
    settings: RowSettings,
    /// Whether the unused columns were returned.
    columns_reported: bool,
}

impl<R: BufRead> Iterator for MasterRows<R> {
    type Item = Result<ParsedRow, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(columns) = self.reader.columns.as_ref().filter(|_| !self.columns_reported) {
            self.columns_reported = true;
            let outcome = RowOutcome::UnusedColumns(columns.unused().to_vec());
            return Some(Ok(ParsedRow { line: 1, bytes: 0, outcome }));
        }
        self.next_row().transpose()
    }
}

impl<R: BufRead> MasterRows<R> {
    fn next_row(&mut self) -> Result<Option<ParsedRow>, SourceError> {
        while let Some(row) = self.reader.next_cells()? {
            let Some(columns) = &self.reader.columns else { continue };
            let cells = &self.reader.cells;
            let readable = match row.fault {
                Some(fault) => Err(Reason::fixed(fault)),
                None => columns.check_count(cells).map_err(wrong_count),
            };
            let parsed = readable.and_then(|()| read_row(cells, columns, &self.settings));
            let bytes = row.text.len();
            let outcome = match parsed {
                Ok(read) => RowOutcome::Record {
                    record: Record::PartialCompany(read.company),
                    unreadable_columns: read.unreadable,
                    ambiguities: read.ambiguities,
                },
                Err(reason) => {
                    let source = Some(self.settings.release.source());
                    RowOutcome::Reject { source, reason, raw: row.text }
                }
            };
            return Ok(Some(ParsedRow { line: row.line, bytes, outcome }));
        }
        Ok(None)
    }
}

fn wrong_count((cells, header): (usize, usize)) -> Reason {
    let cause = "a quote or a separator is out of place";
    let text = format!("the row has {cells} cells, the header {header}: {cause}");
    Reason::new(format!("the row has another number of cells than the header: {cause}"), text)
}

/// Splits the rows of a list, from its header on.
struct Reader<R> {
    rows: Rows<R>,
    separator: Separator,
    columns: Option<Columns>,
    cells: Cells,
}

impl<R: BufRead> Reader<R> {
    fn new(source: R, separator: Separator) -> Reader<R> {
        let (rows, cells) = (Rows::new(source, separator), Cells::default());
        Reader { rows, separator, columns: None, cells }
    }

    /// Splits the next row that is neither empty nor a header. A header sets the columns, also in
    /// the middle of a concatenated file.
    fn next_cells(&mut self) -> Result<Option<Row>, SourceError> {
        loop {
            let (columns, separator) = (&self.columns, self.separator);
            let is_row = |text: &str| is_row(text, separator, columns.as_ref());
            let Some(row) = self.rows.next(&mut self.cells, is_row)? else { return Ok(None) };
            if row.fault.is_none() && self.cells.iter().all(is_blank) {
                continue;
            }
            // Few headers contain a digit, and nearly every row does.
            let has_digit = || row.text.contains(|c: char| c.is_ascii_digit());
            let may_be_header = row.fault.is_none() && (self.columns.is_none() || !has_digit());
            match may_be_header.then(|| Columns::from_header(&self.cells)).flatten() {
                Some(columns) => {
                    let duplicate = columns.duplicate().cloned();
                    self.columns = Some(columns);
                    if let Some([first, second]) = duplicate {
                        return Err(SourceError::DuplicateColumn(first, second));
                    }
                }
                None => return Ok(Some(row)),
            }
        }
    }
}

/// Whether a line is a complete row: the right number of cells, and a valid CIN.
fn is_row(text: &str, separator: Separator, columns: Option<&Columns>) -> bool {
    let Some(columns) = columns else { return false };
    let mut cells = Cells::default();
    split_cells(text, separator, &mut cells)
        && columns.check_count(&cells).is_ok()
        && CompanyId::parse(columns.cell(&cells, Field::Cin)).is_ok()
}
