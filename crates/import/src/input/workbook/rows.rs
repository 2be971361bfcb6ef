//! Writes the rows of a sheet as lines of CSV.

use std::io::{self, Read};

use super::xml::damaged;

/// The most rows of a sheet, the limit of spreadsheet programs.
const MAX_ROWS: u64 = 1 << 20;
/// The most columns with content; lists have about twenty.
pub const MAX_COLUMNS: usize = 1_000;
/// The most characters of a cell, the limit of spreadsheet programs.
const MAX_CELL_CHARACTERS: usize = 32_767;
/// The most bytes of CSV of one sheet; a full sheet of companies has 400 MiB.
const MAX_SHEET_BYTES: u64 = 4 << 30;

/// The cells of the current row.
#[derive(Default)]
pub struct RowCells(Vec<String>);

impl RowCells {
    /// Sets the text of a column, counted from 0.
    pub fn set(&mut self, column: usize, text: &str) -> io::Result<()> {
        if text.trim().is_empty() {
            return Ok(());
        }
        if column >= MAX_COLUMNS {
            return Err(damaged(&format!("a row has more than {MAX_COLUMNS} columns")));
        }
        if self.0.len() <= column {
            self.0.resize(column + 1, String::new());
        }
        self.0[column] = text.chars().take(MAX_CELL_CHARACTERS).collect();
        Ok(())
    }

    pub fn is_blank(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Appends to the text of a cell, up to the maximum length of a cell.
pub fn add_text(cell: &mut String, text: &str) {
    // A character has up to four bytes.
    if cell.len() < MAX_CELL_CHARACTERS * 4 {
        cell.push_str(text);
    }
}

pub trait SheetRows {
    /// Reads the next row that is not blank into `cells`. Returns its number, from 1, and how often
    /// it is repeated; none after the last row.
    fn next_row(&mut self, cells: &mut RowCells) -> io::Result<Option<(u64, u64)>>;
}

/// A sheet as CSV: row 7 of the sheet is line 7.
pub struct CsvReader<S> {
    rows: S,
    cells: RowCells,
    /// Complete lines.
    lines: u64,
    /// How many more times the cells must be written.
    repeats: u64,
    text: Vec<u8>,
    consumed: usize,
    bytes: u64,
    /// The number of cells of the widest row so far; shorter rows are padded to it.
    width: usize,
}

impl<S: SheetRows> CsvReader<S> {
    pub fn new(rows: S) -> CsvReader<S> {
        let (cells, text) = (RowCells::default(), Vec::new());
        CsvReader { rows, cells, lines: 0, repeats: 0, text, consumed: 0, bytes: 0, width: 0 }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.consumed = 0;
        if self.repeats == 0 {
            self.cells.clear();
            let Some((number, repeats)) = self.rows.next_row(&mut self.cells)? else {
                return Ok(());
            };
            if number.saturating_add(repeats) > MAX_ROWS + 1 {
                return Err(damaged(&format!("a sheet has more than {MAX_ROWS} rows")));
            }
            self.repeats = repeats;
            while self.lines + 1 < number {
                self.text.push(b'\n');
                self.lines += 1;
            }
        }
        self.repeats -= 1;
        self.lines += 1;
        for (index, cell) in self.cells.0.iter().enumerate() {
            if index > 0 {
                self.text.push(b',');
            }
            write_cell(cell, &mut self.text);
        }
        self.width = self.width.max(self.cells.0.len());
        self.text.resize(self.text.len() + self.width - self.cells.0.len(), b',');
        self.text.push(b'\n');
        self.bytes += self.text.len() as u64;
        if self.bytes > MAX_SHEET_BYTES {
            return Err(damaged(&format!("a sheet has more than {} MiB", MAX_SHEET_BYTES >> 20)));
        }
        Ok(())
    }
}

impl<S: SheetRows> Read for CsvReader<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.consumed == self.text.len() {
            self.fill()?;
        }
        let rest = &self.text[self.consumed..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.consumed += length;
        Ok(length)
    }
}

/// Writes a cell, quoted if necessary; line ends in it become spaces.
pub fn write_cell(cell: &str, line: &mut Vec<u8>) {
    let needs_quotes = cell.contains([',', '"', ';', '\t']);
    if needs_quotes {
        line.push(b'"');
    }
    for byte in cell.bytes() {
        match byte {
            b'\n' | b'\r' => line.push(b' '),
            b'"' => line.extend(b"\"\""),
            byte => line.push(byte),
        }
    }
    if needs_quotes {
        line.push(b'"');
    }
}
