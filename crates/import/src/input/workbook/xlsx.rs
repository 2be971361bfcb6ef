//! XLSX: the list of sheets, the date styles, and the cells.

use std::collections::HashMap;
use std::io::{self, Read};

use jiff::ToSpan;
use jiff::civil::{Date, date};
use quick_xml::events::{BytesStart, Event};

use super::rows::{MAX_COLUMNS, RowCells, SheetRows, add_text};
use super::xml::{Xml, add_reference, attribute, attribute_called, damaged};
use super::{Shared, Sheet};

pub const RELATIONS: &str = "xl/_rels/workbook.xml.rels";
pub const STYLES: &str = "xl/styles.xml";
pub const STRINGS: &str = "xl/sharedStrings.xml";

/// The most sheets, styles or relations; real workbooks have far fewer.
const MAX_PARTS: usize = 65_536;
/// Day 0 of each of the two calendars.
const EPOCH_1900: Date = date(1899, 12, 30);
const EPOCH_1904: Date = date(1904, 1, 1);
/// Spreadsheets count 29 February 1900, a day that did not exist; days from this one on are right.
const FIRST_CORRECT_DAY: i64 = 61;

/// The files of the archive by relationship id.
pub fn read_targets(source: impl Read) -> io::Result<HashMap<String, String>> {
    let mut targets = HashMap::new();
    for_each_tag(source, |start| {
        if start.local_name().as_ref() == "Relationship"
            && let (Some(id), Some(target)) = (attribute(start, "Id"), attribute(start, "Target"))
        {
            let part = match target.strip_prefix('/') {
                Some(whole) => whole.to_owned(),
                None => format!("xl/{target}"),
            };
            targets.insert(id, part);
        }
        targets.len()
    })?;
    Ok(targets)
}

pub fn read_sheets(source: impl Read, targets: &HashMap<String, String>) -> io::Result<Vec<Sheet>> {
    let mut sheets = Vec::new();
    for_each_tag(source, |start| {
        if start.local_name().as_ref() == "sheet" {
            // Each program chooses its own namespace prefix.
            let id = attribute_called(start, "id");
            let part = id.and_then(|id| targets.get(&id));
            // A sheet that is only a chart has no cells.
            if let Some(part) = part.filter(|part| !part.contains("chartsheets/")) {
                let name = attribute(start, "name").unwrap_or_default();
                sheets.push(Sheet { name, part: part.clone(), index: 0 });
            }
        }
        sheets.len()
    })?;
    Ok(sheets)
}

pub fn counts_from_1904(source: impl Read) -> io::Result<bool> {
    let mut found = false;
    for_each_tag(source, |start| {
        if start.local_name().as_ref() == "workbookPr" {
            found = attribute(start, "date1904").is_some_and(|flag| flag == "1" || flag == "true");
        }
        0
    })?;
    Ok(found)
}

/// Whether a style is a date format, by style index.
pub fn read_styles(source: impl Read) -> io::Result<Vec<bool>> {
    let mut custom_formats: HashMap<u32, bool> = HashMap::new();
    let mut styles = Vec::new();
    let mut in_cell_styles = false;
    for_each_tag(source, |start| {
        let number = || attribute(start, "numFmtId").and_then(|text| text.parse::<u32>().ok());
        match start.local_name().as_ref() {
            "numFmt" => {
                if let (Some(number), Some(code)) = (number(), attribute(start, "formatCode")) {
                    custom_formats.insert(number, is_date_format(&code));
                }
            }
            "cellXfs" => in_cell_styles = true,
            "cellStyles" | "dxfs" => in_cell_styles = false,
            "xf" if in_cell_styles => {
                let number = number().unwrap_or_default();
                let built_in = matches!(number, 14..=17 | 22 | 27..=36 | 50..=58);
                styles.push(custom_formats.get(&number).copied().unwrap_or(built_in));
            }
            _ => {}
        }
        styles.len() + custom_formats.len()
    })?;
    Ok(styles)
}

/// Whether a format has a day or a year, outside quotes, brackets and escaped characters.
fn is_date_format(code: &str) -> bool {
    let mut until = None;
    let mut characters = code.chars();
    while let Some(character) = characters.next() {
        match (until, character) {
            (Some(end), found) if found == end => until = None,
            (Some(_), _) => {}
            (None, '"') => until = Some('"'),
            (None, '[') => until = Some(']'),
            (None, '\\' | '_' | '*') => drop(characters.next()),
            (None, 'd' | 'D' | 'y' | 'Y') => return true,
            (None, _) => {}
        }
    }
    false
}

/// Calls `visit` with each opening tag; it returns how many items it has stored, which is bounded.
fn for_each_tag(
    source: impl Read,
    mut visit: impl FnMut(&BytesStart<'_>) -> usize,
) -> io::Result<()> {
    let mut xml = Xml::new(source);
    loop {
        match xml.next()? {
            Event::Start(start) if visit(&start) > MAX_PARTS => {
                return Err(damaged("it has too many parts"));
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// How the text of a cell is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellType {
    Text,
    Shared,
    Boolean,
    Number,
    Date,
}

/// The rows of one sheet.
pub struct Rows<'a, R: Read> {
    xml: Xml<R>,
    shared: &'a Shared,
    row: u64,
    column: usize,
    cell_type: CellType,
    text: String,
    in_text: bool,
}

impl<'a, R: Read> Rows<'a, R> {
    pub fn new(source: R, shared: &'a Shared) -> Rows<'a, R> {
        let (xml, text) = (Xml::new(source), String::new());
        let cell_type = CellType::Number;
        Rows { xml, shared, row: 0, column: 0, cell_type, text, in_text: false }
    }

    fn open_cell(&mut self, reference: Option<&str>, cell_type: Option<&str>, style: usize) {
        self.text.clear();
        match reference.and_then(column_of) {
            Some(column) => self.column = column,
            None => self.column += 1,
        }
        self.cell_type = match cell_type {
            Some("s") => CellType::Shared,
            Some("b") => CellType::Boolean,
            Some("str" | "inlineStr" | "e" | "d") => CellType::Text,
            _ if self.shared.date_styles.get(style) == Some(&true) => CellType::Date,
            _ => CellType::Number,
        };
    }

    fn close_cell(&mut self, cells: &mut RowCells) -> io::Result<()> {
        let text = self.text.trim();
        let column = self.column - 1;
        let strings = &self.shared.strings;
        match self.cell_type {
            CellType::Shared => {
                let shared = text.parse().ok().and_then(|index| strings.get(index));
                cells.set(column, shared.unwrap_or_default())
            }
            CellType::Boolean => cells.set(column, if text == "1" { "TRUE" } else { "FALSE" }),
            CellType::Date => {
                let day = day_of(text, self.shared.from_1904).map(|day| day.to_string());
                cells.set(column, day.as_deref().unwrap_or(text))
            }
            CellType::Text | CellType::Number => cells.set(column, text),
        }
    }
}

impl<R: Read> SheetRows for Rows<'_, R> {
    fn next_row(&mut self, cells: &mut RowCells) -> io::Result<Option<(u64, u64)>> {
        loop {
            match self.xml.next()? {
                Event::Start(start) => match start.local_name().as_ref() {
                    "row" => {
                        let number = attribute(&start, "r").and_then(|text| text.parse().ok());
                        // Row numbers only increase.
                        self.row = number.unwrap_or(0).max(self.row + 1);
                        self.column = 0;
                        cells.clear();
                    }
                    "c" => {
                        let reference = attribute(&start, "r");
                        let cell_type = attribute(&start, "t");
                        let style = attribute(&start, "s").and_then(|text| text.parse().ok());
                        let style = style.unwrap_or_default();
                        self.open_cell(reference.as_deref(), cell_type.as_deref(), style);
                    }
                    "v" | "t" => self.in_text = true,
                    _ => {}
                },
                Event::End(end) => match end.local_name().as_ref() {
                    "v" | "t" => self.in_text = false,
                    "c" if self.column > 0 => self.close_cell(cells)?,
                    "row" if !cells.is_blank() => return Ok(Some((self.row, 1))),
                    "sheetData" => return Ok(None),
                    _ => {}
                },
                Event::Text(text) if self.in_text => add_text(&mut self.text, &text),
                Event::CData(text) if self.in_text => add_text(&mut self.text, &text),
                Event::GeneralRef(reference) if self.in_text => {
                    add_reference(&reference, &mut self.text);
                }
                Event::Eof => return Ok(None),
                _ => {}
            }
        }
    }
}

/// The column of a reference such as `AB7`, from 1.
fn column_of(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_uppercase);
    let column = letters.fold(0_usize, |column, letter| {
        column.saturating_mul(26).saturating_add(usize::from(letter - b'A') + 1)
    });
    (column > 0).then(|| column.min(MAX_COLUMNS + 1))
}

/// Converts a day number to a date, without the time of day.
fn day_of(text: &str, from_1904: bool) -> Option<Date> {
    let days = text.parse::<f64>().ok().filter(|days| (1.0..3_000_000.0).contains(days))? as i64;
    let (epoch, days) = match from_1904 {
        true => (EPOCH_1904, days),
        false if days < FIRST_CORRECT_DAY => (EPOCH_1900, days + 1),
        false => (EPOCH_1900, days),
    };
    epoch.checked_add(days.days()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_with_a_day_or_a_year_are_date_formats() {
        for code in ["dd\\-mm\\-yyyy", "m/d/yy", "[$-409]d\\-mmm\\-yy;@", "YYYY\"-\"MM"] {
            assert!(is_date_format(code), "{code}");
        }
        for code in ["General", "0.00", "[Red]#,##0", "\"day \"0", "0\\d", "h:mm:ss", "_-* #,##0"] {
            assert!(!is_date_format(code), "{code}");
        }
    }

    #[test]
    fn days_are_counted_in_both_calendars() {
        let day = |text, from_1904| day_of(text, from_1904).map(|day| day.to_string());
        assert_eq!(day("44061", false).as_deref(), Some("2020-08-18"));
        assert_eq!(day("44061.75", false).as_deref(), Some("2020-08-18"));
        assert_eq!(day("42599", true).as_deref(), Some("2020-08-18"));
        assert_eq!(day("1", false).as_deref(), Some("1900-01-01"));
        assert_eq!(day("61", false).as_deref(), Some("1900-03-01"));
        assert_eq!(day("0.5", false), None);
        assert_eq!(day("soon", false), None);
    }

    #[test]
    fn references_give_their_column() {
        assert_eq!(column_of("A1"), Some(1));
        assert_eq!(column_of("AB7"), Some(28));
        assert_eq!(column_of("7"), None);
        assert_eq!(column_of("ZZZZZZZZZZZZZZZZZZ1"), Some(MAX_COLUMNS + 1));
    }
}
