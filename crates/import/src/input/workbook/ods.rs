//! ODS: all sheets are in one file, and equal cells and rows are written once with a repeat count.

use std::io::{self, Read};

use quick_xml::events::{BytesStart, Event};

use super::rows::{RowCells, SheetRows, add_text};
use super::xml::{Xml, add_reference, attribute, damaged};
use super::{ODS_MAIN, Sheet};

/// The most sheets of one file; real files have a few.
const MAX_SHEETS: usize = 1_000;

/// Whether the manifest marks a file as encrypted.
pub fn is_encrypted(manifest: impl Read) -> io::Result<bool> {
    let mut xml = Xml::new(manifest);
    loop {
        match xml.next()? {
            Event::Start(start) if start.local_name().as_ref() == "encryption-data" => {
                return Ok(true);
            }
            Event::Eof => return Ok(false),
            _ => {}
        }
    }
}

pub fn read_sheets(source: impl Read) -> io::Result<Vec<Sheet>> {
    let mut xml = Xml::new(source);
    let mut sheets = Vec::new();
    loop {
        match xml.next()? {
            Event::Start(start) if start.name().as_ref() == "table:table" => {
                let name = attribute(&start, "table:name").unwrap_or_default();
                sheets.push(Sheet { name, part: ODS_MAIN.to_owned(), index: sheets.len() });
                if sheets.len() > MAX_SHEETS {
                    return Err(damaged("it has too many sheets"));
                }
            }
            Event::Eof => return Ok(sheets),
            _ => {}
        }
    }
}

/// The rows of one sheet.
pub struct Rows<R: Read> {
    xml: Xml<R>,
    /// The number of rows read so far, including blank ones.
    row: u64,
    row_repeats: u64,
    column: usize,
    cell_repeats: usize,
    /// The value attribute of a date or a number; the cell's text is only its display form.
    value: Option<String>,
    text: String,
    in_paragraph: bool,
    in_note: bool,
}

impl<R: Read> Rows<R> {
    /// Skips the sheets before the one with this index.
    pub fn new(source: R, index: usize) -> io::Result<Rows<R>> {
        let mut xml = Xml::new(source);
        let mut before = 0;
        loop {
            match xml.next()? {
                Event::Start(start) if start.name().as_ref() == "table:table" => {
                    if before == index {
                        break;
                    }
                    before += 1;
                }
                Event::Eof => return Err(damaged("a sheet is missing")),
                _ => {}
            }
        }
        Ok(Rows {
            xml,
            row: 0,
            row_repeats: 1,
            column: 0,
            cell_repeats: 1,
            value: None,
            text: String::new(),
            in_paragraph: false,
            in_note: false,
        })
    }

    fn close_cell(&mut self, cells: &mut RowCells) -> io::Result<()> {
        let text = self.value.as_deref().unwrap_or(&self.text);
        if !text.trim().is_empty() {
            for column in self.column..self.column.saturating_add(self.cell_repeats) {
                // Fails when there are too many columns.
                cells.set(column, text)?;
            }
        }
        self.column = self.column.saturating_add(self.cell_repeats);
        self.value = None;
        self.text.clear();
        Ok(())
    }
}

/// The effect of an XML event on the current row.
enum Step {
    OpenRow(u64),
    CloseRow,
    OpenCell(usize, Option<String>),
    CloseCell,
    Text(String),
    Paragraph(bool),
    Note(bool),
    End,
    Nothing,
}

impl<R: Read> SheetRows for Rows<R> {
    fn next_row(&mut self, cells: &mut RowCells) -> io::Result<Option<(u64, u64)>> {
        loop {
            let in_paragraph = self.in_paragraph && !self.in_note;
            match step_of(self.xml.next()?) {
                Step::OpenRow(repeats) => {
                    (self.row_repeats, self.column) = (repeats, 0);
                    cells.clear();
                }
                Step::CloseRow => {
                    let first = self.row.saturating_add(1);
                    self.row = self.row.saturating_add(self.row_repeats);
                    if !cells.is_blank() {
                        return Ok(Some((first, self.row_repeats)));
                    }
                }
                Step::OpenCell(repeats, value) => {
                    (self.cell_repeats, self.value) = (repeats, value)
                }
                Step::CloseCell => self.close_cell(cells)?,
                Step::Paragraph(is_open) => {
                    if is_open && !self.text.is_empty() {
                        self.text.push(' ');
                    }
                    self.in_paragraph = is_open;
                }
                Step::Text(text) if in_paragraph => add_text(&mut self.text, &text),
                Step::Note(inside) => self.in_note = inside,
                Step::End => return Ok(None),
                Step::Text(_) | Step::Nothing => {}
            }
        }
    }
}

fn step_of(event: Event<'_>) -> Step {
    match event {
        Event::Start(start) => match start.name().as_ref() {
            "table:table-row" => Step::OpenRow(repeats(&start, "table:number-rows-repeated")),
            "table:table-cell" | "table:covered-table-cell" => {
                let repeats = repeats(&start, "table:number-columns-repeated");
                Step::OpenCell(usize::try_from(repeats).unwrap_or(usize::MAX), value_of(&start))
            }
            "text:p" => Step::Paragraph(true),
            "text:s" | "text:tab" | "text:line-break" => Step::Text(" ".to_owned()),
            "office:annotation" => Step::Note(true),
            _ => Step::Nothing,
        },
        Event::End(end) => match end.name().as_ref() {
            "table:table-row" => Step::CloseRow,
            "table:table-cell" | "table:covered-table-cell" => Step::CloseCell,
            "text:p" => Step::Paragraph(false),
            "office:annotation" => Step::Note(false),
            "table:table" => Step::End,
            _ => Step::Nothing,
        },
        Event::Text(text) => Step::Text(text.to_string()),
        Event::CData(text) => Step::Text(text.to_string()),
        Event::GeneralRef(reference) => {
            let mut text = String::new();
            add_reference(&reference, &mut text);
            Step::Text(text)
        }
        Event::Eof => Step::End,
        _ => Step::Nothing,
    }
}

fn repeats(start: &BytesStart<'_>, name: &str) -> u64 {
    attribute(start, name).and_then(|text| text.parse().ok()).unwrap_or(1).max(1)
}

fn value_of(start: &BytesStart<'_>) -> Option<String> {
    match attribute(start, "office:value-type")?.as_str() {
        "date" => attribute(start, "office:date-value"),
        "float" | "currency" | "percentage" => attribute(start, "office:value"),
        "string" => attribute(start, "office:string-value"),
        _ => None,
    }
}
