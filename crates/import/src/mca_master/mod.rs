//! The company master that the Ministry of Corporate Affairs publishes, in both its releases.

mod columns;
mod row;

use std::io::{self, BufRead};

use jiff::civil::Date;
use panji_ids::CompanyId;
use panji_store::register::Record;

use crate::date::{DateOrder, DateVotes, Day, read_day};
use crate::lines::{Cells, Row, Rows, split_cells};
use crate::text::says_nothing;
pub use columns::Release;
use columns::{Columns, Field};

/// Rows in which a header is looked for.
const HEADER_ROWS: usize = 10;

/// What must be known of a file before its rows can be read.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The date of its data.
    pub as_of: Option<String>,
    /// The order of day and month in dates with slashes.
    pub order: DateOrder,
    /// The name under which the records are served as `source`.
    pub source: &'static str,
}

/// What a look through a file tells.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The order of day and month; none where there are dates with slashes and none tells.
    pub order: Option<DateOrder>,
    /// The newest date of registration that agrees with its CIN and is not in the future.
    pub newest: Option<Date>,
    /// Rows below the header.
    pub rows: u64,
}

/// Which release a text is, by the header among its first rows.
pub fn release_of(head: &[u8]) -> Option<Release> {
    let mut reader = Reader::new(head);
    for _ in 0..HEADER_ROWS {
        let row = reader.next_cells().ok()?;
        if row.is_none() || reader.columns.is_some() {
            break;
        }
    }
    reader.columns.map(|columns| columns.release())
}

/// Looks through a file for what its rows cannot tell one by one. None where it has no header.
pub fn survey(source: impl BufRead, today: Date) -> io::Result<Option<Survey>> {
    let mut reader = Reader::new(source);
    let mut votes = DateVotes::default();
    let mut newest: [Option<Date>; 2] = [None, None];
    let mut rows = 0;
    let orders = [DateOrder::DayFirst, DateOrder::MonthFirst];
    while reader.next_cells()?.is_some() {
        let Some(columns) = &reader.columns else { continue };
        let text = columns.cell(&reader.cells, Field::RegisteredOn);
        rows += 1;
        votes.see(text);
        // A date that the year of a CIN does not confirm may be a slip. Of an earlier year than
        // both that were found it cannot be the newest.
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
                && date <= today
            {
                *newest = (*newest).max(Some(date));
            }
        }
    }
    let order = votes.order();
    let [day_first, month_first] = newest;
    let newest = if order == Some(DateOrder::MonthFirst) { month_first } else { day_first };
    Ok(reader.columns.map(|_| Survey { order, newest, rows }))
}

/// The year in the place where a CIN has one; the latest of all where it cannot be told.
fn cin_year(cin: &str) -> i16 {
    cin.trim().get(8..12).and_then(|year| year.parse().ok()).unwrap_or(i16::MAX)
}

/// A row that was read: the record, or why there is none.
pub struct Parsed {
    /// The line it begins on.
    pub line: u64,
    /// Its text.
    pub raw: String,
    /// The record with the columns that could not be read, or the reason for the reject.
    pub outcome: Result<(Record, Vec<&'static str>), String>,
}

/// The rows of a company master, one after the other.
pub struct Reader<R> {
    rows: Rows<R>,
    columns: Option<Columns>,
    cells: Cells,
}

impl<R: BufRead> Reader<R> {
    /// Reads this source from its header on.
    pub fn new(source: R) -> Reader<R> {
        Reader { rows: Rows::new(source), columns: None, cells: Cells::default() }
    }

    /// The next row that is neither empty nor a header nor before the first header.
    pub fn next(&mut self, settings: &Settings) -> io::Result<Option<Parsed>> {
        while let Some(row) = self.next_cells()? {
            let Some(columns) = &self.columns else { continue };
            let readable = match row.fault {
                Some(fault) => Err(fault),
                None => columns.check_count(&self.cells),
            };
            let outcome = readable
                .and_then(|()| row::read_row(&self.cells, columns, settings))
                .map(|(company, unread)| (Record::PartialCompany(company), unread));
            return Ok(Some(Parsed { line: row.line, raw: row.text, outcome }));
        }
        Ok(None)
    }

    /// Splits the next row that is not empty. A header, also one in the middle of files that were
    /// joined, is taken in and passed over.
    fn next_cells(&mut self) -> io::Result<Option<Row>> {
        loop {
            let columns = &self.columns;
            let is_row = |text: &str| is_row(text, columns.as_ref());
            let Some(row) = self.rows.next(&mut self.cells, is_row)? else { return Ok(None) };
            if row.fault.is_none() && self.cells.iter().all(says_nothing) {
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

/// Whether a line is a row by itself: the right number of cells, and a number in its place.
fn is_row(text: &str, columns: Option<&Columns>) -> bool {
    let Some(columns) = columns else { return false };
    let mut cells = Cells::default();
    split_cells(text, &mut cells)
        && columns.check_count(&cells).is_ok()
        && CompanyId::parse(columns.cell(&cells, Field::Cin)).is_ok()
}
