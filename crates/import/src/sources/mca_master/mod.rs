//! The company master that the Ministry of Corporate Affairs publishes, in both its releases.

mod columns;
mod row;

use std::io::{self, BufRead};

use jiff::civil::Date;
use panji_ids::CompanyId;
use panji_store::register::Record;

use super::source::{
    FileReader, FormatSpec, ParsedRow, ParsedRows, ReadOptions, RowOutcome, SourceError, described,
};
use crate::input::csv::{Cells, Row, Rows, split_cells};
use crate::input::opened::Opened;
use crate::values::date::{DateOrder, DateVotes, Day, read_day};
use crate::values::text::is_blank;
use columns::{Columns, Field, Release};
use row::{RowSettings, read_row};

/// Rows in which a header is looked for.
const HEADER_ROWS: usize = 10;

/// The columns with dates.
const DATES: [Field; 3] = [Field::RegisteredOn, Field::AnnualReturn, Field::BalanceSheet];

pub static SINCE_2023: FormatSpec = FormatSpec {
    name: Release::Since2023.source(),
    title: "MCA company master, CSV of 16 columns, published since 2023",
    columns: || described(&Release::Since2023.columns()),
    file: Some(FileReader {
        recognises: |head| release_of(head) == Some(Release::Since2023),
        open: |opened, options| open(opened, options, Release::Since2023),
    }),
    document: None,
};

pub static OF_2021: FormatSpec = FormatSpec {
    name: Release::Of2021.source(),
    title: "MCA company master, CSV of 17 columns, as of 31 March 2021",
    columns: || described(&Release::Of2021.columns()),
    file: Some(FileReader {
        recognises: |head| release_of(head) == Some(Release::Of2021),
        open: |opened, options| open(opened, options, Release::Of2021),
    }),
    document: None,
};

fn open<'a>(
    mut opened: Opened<'a>,
    options: ReadOptions<'a>,
    release: Release,
) -> Result<ParsedRows<'a>, SourceError> {
    let settings = row_settings(&mut opened, options, release)?;
    Ok(Box::new(MasterRows { reader: Reader::new(opened.into_reader()?), settings }))
}

/// Determines what single rows do not show: the order of day and month, and the date of the data. If
/// the beginning of the file is not enough for that, the file is read twice, where that is possible.
fn row_settings(
    opened: &mut Opened<'_>,
    options: ReadOptions<'_>,
    release: Release,
) -> Result<RowSettings, SourceError> {
    let survey_of = |source: &mut dyn BufRead| survey(source, options);
    let mut survey = survey_of(&mut opened.head())?.ok_or(SourceError::UnknownFormat)?;
    // A file with registrations after the release's day is not of that release after all.
    let newest = survey.newest.map(|date| date.to_string()).unwrap_or_default();
    let release_day = release.day().filter(|day| newest.as_str() <= *day);
    let given = options.as_of.map(|date| date.to_string());
    let given = given.or_else(|| release_day.map(str::to_owned));
    let mut is_complete = opened.head_is_whole();
    let is_enough = is_complete || (given.is_some() && survey.order.is_some());
    if !is_enough && let Some(whole) = opened.preview()? {
        survey = survey_of(&mut { whole })?.unwrap_or(survey);
        is_complete = true;
    }
    let newest = survey.newest.filter(|_| is_complete).map(|date| date.to_string());
    let as_of = given.or(newest);
    if as_of.is_none() && survey.rows > 0 {
        return Err(SourceError::NoDate);
    }
    let (order, is_order_known) = (survey.order.unwrap_or_default(), survey.order.is_some());
    Ok(RowSettings { as_of, order, is_order_known, source: release.source() })
}

/// What is known of a file after reading through it.
#[derive(Clone, Debug)]
struct Survey {
    /// The order of day and month; none if there are dates that can be read two ways, and nobody and
    /// no other date tells.
    order: Option<DateOrder>,
    /// The newest date of registration that agrees with its CIN and is not in the future.
    newest: Option<Date>,
    /// Rows below the header.
    rows: u64,
}

/// The release of a file, by the header among its first rows.
fn release_of(head: &[u8]) -> Option<Release> {
    let mut reader = Reader::new(head);
    for _ in 0..HEADER_ROWS {
        let row = reader.next_cells().ok()?;
        if row.is_none() || reader.columns.is_some() {
            break;
        }
    }
    reader.columns.map(|columns| columns.release())
}

/// Reads through a file without making records. None if it has no header.
fn survey(source: impl BufRead, options: ReadOptions<'_>) -> io::Result<Option<Survey>> {
    let mut reader = Reader::new(source);
    let mut votes = DateVotes::default();
    let mut newest: [Option<Date>; 2] = [None, None];
    let mut rows = 0;
    let orders = [DateOrder::DayFirst, DateOrder::MonthFirst];
    while reader.next_cells()?.is_some() {
        let Some(columns) = &reader.columns else { continue };
        let text = columns.cell(&reader.cells, Field::RegisteredOn);
        rows += 1;
        for field in DATES {
            votes.count(columns.cell(&reader.cells, field));
        }
        // A date that the year of a CIN does not confirm may be a mistake. One of an earlier year than
        // both that were found cannot be the newest.
        let cin = columns.cell(&reader.cells, Field::Cin);
        let outdated =
            newest.iter().all(|newest| newest.is_some_and(|date| cin_year(cin) < date.year()));
        if outdated {
            continue;
        }
        let Ok(CompanyId::Cin(cin)) = CompanyId::parse(cin) else { continue };
        for (newest, order) in newest.iter_mut().zip(orders) {
            if let Day::On(date) = read_day(text, order, Some(cin.year()))
                && date.year() == cin.year() as i16
                && date <= options.today
            {
                *newest = (*newest).max(Some(date));
            }
        }
    }
    let order = options.dates.or(votes.order());
    let [day_first, month_first] = newest;
    let newest = if order == Some(DateOrder::MonthFirst) { month_first } else { day_first };
    Ok(reader.columns.map(|_| Survey { order, newest, rows }))
}

/// The year in a CIN; the latest of all if it cannot be parsed.
fn cin_year(cin: &str) -> i16 {
    cin.trim().get(8..12).and_then(|year| year.parse().ok()).unwrap_or(i16::MAX)
}

/// The rows below the header, parsed.
struct MasterRows<R> {
    reader: Reader<R>,
    settings: RowSettings,
}

impl<R: BufRead> Iterator for MasterRows<R> {
    type Item = Result<ParsedRow, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().map_err(SourceError::Io).transpose()
    }
}

impl<R: BufRead> MasterRows<R> {
    fn next_row(&mut self) -> io::Result<Option<ParsedRow>> {
        while let Some(row) = self.reader.next_cells()? {
            let Some(columns) = &self.reader.columns else { continue };
            let cells = &self.reader.cells;
            let readable = row.fault.map_or_else(|| columns.check_count(cells), Err);
            let parsed = readable.and_then(|()| read_row(cells, columns, &self.settings));
            let bytes = row.text.len();
            let outcome = match parsed {
                Ok(read) => RowOutcome::Record {
                    record: Record::PartialCompany(read.company),
                    unread_columns: read.unread,
                    doubts: read.doubts,
                },
                Err(reason) => {
                    let source = Some(self.settings.source);
                    RowOutcome::Reject { source, reason, raw: row.text }
                }
            };
            return Ok(Some(ParsedRow { line: row.line, bytes, outcome }));
        }
        Ok(None)
    }
}

/// Splits the rows of a company master, from its header on.
struct Reader<R> {
    rows: Rows<R>,
    columns: Option<Columns>,
    cells: Cells,
}

impl<R: BufRead> Reader<R> {
    fn new(source: R) -> Reader<R> {
        Reader { rows: Rows::new(source), columns: None, cells: Cells::default() }
    }

    /// Splits the next row that is neither empty nor a header. A header, also one in the middle of
    /// files that were joined, sets the columns.
    fn next_cells(&mut self) -> io::Result<Option<Row>> {
        loop {
            let columns = &self.columns;
            let is_row = |text: &str| is_row(text, columns.as_ref());
            let Some(row) = self.rows.next(&mut self.cells, is_row)? else { return Ok(None) };
            if row.fault.is_none() && self.cells.iter().all(is_blank) {
                continue;
            }
            // No header has a digit, and nearly every row has.
            let may_be_header =
                row.fault.is_none() && !row.text.contains(|c: char| c.is_ascii_digit());
            match may_be_header.then(|| Columns::from_header(&self.cells)).flatten() {
                Some(columns) => self.columns = Some(columns),
                None => return Ok(Some(row)),
            }
        }
    }
}

/// Whether a line is a row by itself: the right number of cells, and a valid CIN.
fn is_row(text: &str, columns: Option<&Columns>) -> bool {
    let Some(columns) = columns else { return false };
    let mut cells = Cells::default();
    split_cells(text, &mut cells)
        && columns.check_count(&cells).is_ok()
        && CompanyId::parse(columns.cell(&cells, Field::Cin)).is_ok()
}
