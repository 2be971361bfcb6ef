//! The formats of lists: CSV, XLSX, JSON lines, and the items of a JSON body.

use std::io::Write;

use axum::body::Bytes;
use csv::{ReaderBuilder, StringRecord};
use panji_import::{SheetLimits, first_sheet_csv};

use super::json_items::{JsonItem, JsonRows};
use super::list::{ListError, Table};

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// What a spreadsheet may expand to; a full list of identifiers has a tenth of it.
const SHEET: SheetLimits = SheetLimits { expanded_bytes: 256 << 20, csv_bytes: 64 << 20 };
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A list as it was sent.
#[derive(Debug)]
pub enum Source {
    /// Pasted text: CSV, or one identifier per line.
    Text(String),
    Csv(Bytes),
    Xlsx(Bytes),
    JsonLines(Bytes),
    /// The items of a JSON body.
    Items(Vec<JsonItem>),
    /// Rows of another job, all of the same length.
    Rows {
        names: Vec<String>,
        rows: Vec<Vec<String>>,
    },
}

impl Source {
    /// A file of the console: a spreadsheet is recognized by its content.
    pub fn of_file(bytes: Bytes) -> Source {
        let is_sheet = bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"\xD0\xCF\x11\xE0");
        if is_sheet { Source::Xlsx(bytes) } else { Source::Csv(bytes) }
    }

    /// A file of the command line: a spreadsheet and JSON lines are recognized by their content.
    pub fn of_any_file(bytes: Bytes) -> Source {
        let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        match start.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{') => Source::JsonLines(bytes),
            _ => Source::of_file(bytes),
        }
    }

    /// Reads the rows. `value_name` is the column of items that are only an identifier.
    pub fn read(self, value_name: &str, max_rows: usize) -> Result<Table, ListError> {
        match self {
            Source::Text(text) => read_csv(&text, delimiter(&text), max_rows),
            Source::Csv(bytes) => match panji_import::decode(&bytes) {
                (_, true) => Err(ListError::NotText),
                (text, false) => read_csv(&text, delimiter(&text), max_rows),
            },
            Source::Xlsx(bytes) => {
                let mut file = tempfile::tempfile().map_err(ListError::Storage)?;
                file.write_all(&bytes).map_err(ListError::Storage)?;
                drop(bytes);
                read_csv(&first_sheet_csv(file, SHEET)?, b',', max_rows)
            }
            Source::JsonLines(bytes) => read_json_lines(&bytes, value_name, max_rows),
            Source::Items(items) => {
                let mut rows = JsonRows::new(value_name, max_rows);
                for (item, place) in items.into_iter().zip(1..) {
                    rows.add(place, item)?;
                }
                Ok(rows.into_table())
            }
            Source::Rows { names, rows } => {
                let mut table = Table { names: Some(names), ..Table::default() };
                for (row, place) in rows.into_iter().zip(1..) {
                    table.add(place, row, max_rows)?;
                }
                Ok(table)
            }
        }
    }
}

fn read_csv(text: &str, delimiter: u8, max_rows: usize) -> Result<Table, ListError> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let mut table = Table::default();
    let mut record = StringRecord::new();
    while reader.read_record(&mut record)? {
        let line = record.position().map_or(0, csv::Position::line);
        // The width is checked first: it bounds what is copied.
        let cells = record.iter().map(|cell| cell.trim().to_owned());
        table.add(line, cells.collect(), max_rows)?;
    }
    Ok(table)
}

/// The delimiter that occurs most often in the first line.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |delimiter: &u8| first.bytes().filter(|byte| byte == delimiter).count();
    // `max_by_key` returns the last maximum: reversed, the comma wins a tie.
    DELIMITERS.into_iter().rev().max_by_key(count).unwrap_or(b',')
}

fn read_json_lines(bytes: &[u8], value_name: &str, max_rows: usize) -> Result<Table, ListError> {
    let mut rows = JsonRows::new(value_name, max_rows);
    for (line, place) in bytes.split(|byte| *byte == b'\n').zip(1..) {
        let text = str::from_utf8(line).map_err(|_| ListError::NotUtf8 { line: place })?;
        let text = text.strip_prefix(BYTE_ORDER_MARK).filter(|_| place == 1).unwrap_or(text);
        if text.trim().is_empty() {
            continue;
        }
        rows.add(place, JsonItem::parse(text, place)?)?;
    }
    Ok(rows.into_table())
}

#[cfg(test)]
mod tests {
    use super::super::VerifyWork;
    use super::super::list::{List, Mapping};
    use super::super::work::Work;
    use super::*;

    fn read_with(source: Source, mapping: &Mapping, max_rows: usize) -> Result<List, ListError> {
        let mut work = Work::Verify(VerifyWork::default());
        let table = source.read(work.operation().value_name(), max_rows)?;
        table.into_list(mapping, &mut work, max_rows)
    }

    fn read(text: &str, column: &str, max_rows: usize) -> Result<List, ListError> {
        let mapping = Mapping { column: column.to_owned(), ..Mapping::default() };
        read_with(Source::Text(text.to_owned()), &mapping, max_rows)
    }

    fn list(text: &str) -> List {
        read(text, "", 10).expect("a valid list")
    }

    fn json_lines(text: &str) -> Result<List, ListError> {
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        read_with(Source::JsonLines(bytes), &Mapping::default(), 10)
    }

    #[test]
    fn a_pasted_column_is_a_list() {
        let list = list("U17110MH2001PTC990501\n\n  aab-1234 \r\n99000501\n");
        assert_eq!((list.header.len(), list.column, list.rows.len()), (0, 0, 3));
        assert_eq!(list.rows[1], ["aab-1234"]);
    }

    #[test]
    fn the_column_and_the_heading_are_detected() {
        let found = list(
            "\u{feff}No;Name;Company number\n1;Udaharan;U17110MH2001PTC990501\n2;;L17111MH1994PLC990011\n",
        );
        assert_eq!((found.column, found.rows.len()), (2, 2));
        assert_eq!(found.header, ["No", "Name", "Company number"]);
        let ragged = list("1\tU17110MH2001PTC990501\n2\n");
        assert_eq!((ragged.column, ragged.header.len()), (1, 0));
        assert_eq!(ragged.rows[1], ["2", ""]);
        let quoted = list("id,\"name, in full\"\n99000501,\"Udaharan, Namuna\"\n");
        assert_eq!(quoted.rows[0], ["99000501", "Udaharan, Namuna"]);
    }

    #[test]
    fn a_column_can_be_named_or_numbered() {
        let text = "din,cin\n99000501,U17110MH2001PTC990501\n";
        assert_eq!(read(text, "DIN", 10).expect("named").column, 0);
        assert_eq!(read(text, "2", 10).expect("numbered").column, 1);
        let unknown = read(text, "pan", 10).expect_err("unknown");
        let sentence = "No column is called “pan”. The first row has: din, cin.";
        assert_eq!(unknown.to_string(), sentence);
    }

    #[test]
    fn a_column_that_could_be_either_of_two_is_not_guessed() {
        let both = "pan,gstin\nZZACK4368A,27ZZACK4368A1ZP\n";
        let refused = read(both, "", 10).expect_err("ambiguous").to_string();
        assert!(refused.starts_with("Columns 1 (“pan”) and 2 (“gstin”) both"), "{refused}");
        assert_eq!(read(both, "gstin", 10).expect("named").column, 1);
        let twice = read("id,ID\n99000501,99000502\n", "id", 10).expect_err("twice").to_string();
        assert!(twice.starts_with("Columns 1 and 2 are both called “id”"), "{twice}");
        let none = read("a,b\nx,y\n", "", 10).expect_err("no identifiers");
        assert!(matches!(none, ListError::NotDetected { content: "identifiers" }), "{none}");
    }

    #[test]
    fn lists_beyond_the_limits_are_refused() {
        assert!(read(" \n\n", "", 10).is_err());
        assert!(read("cin\n", "", 10).is_err());
        let long = read(&"99000501\n".repeat(11), "", 10).expect_err("long");
        assert!(matches!(long, ListError::TooManyRows { max_rows: 10 }), "{long}");
        assert_eq!(
            read(&format!("din\n{}", "99000501\n".repeat(10)), "", 10).expect("fits").rows.len(),
            10
        );
        assert!(read(&",".repeat(200), "", 10).is_err());
        let long =
            read(&format!("x,y\n99000501,{}", "a".repeat(40_000)), "", 10).expect_err("long");
        assert_eq!(long.to_string(), "Row 2 has a cell of more than 32000 characters.");
    }

    #[test]
    fn json_lines_are_texts_or_objects() {
        let list = json_lines(
            "\"U17110MH2001PTC990501\"\n\n{\"ref\":\"a\",\"value\":\"99000501\",\"type\":\"din\"}\n99000502",
        )
        .expect("a valid list");
        assert_eq!(
            (list.header, list.column),
            (vec!["value", "ref", "type"].into_iter().map(str::to_owned).collect(), 0)
        );
        assert_eq!(list.rows[1], ["99000501", "a", "din"]);
        assert_eq!(list.rows[2], ["99000502", "", ""]);
        for (line, part) in [
            ("{\"value\":", "Row 2 is not valid JSON: EOF"),
            ("[1]", "Row 2 is not valid JSON: invalid type: sequence"),
            ("{\"value\":\"1\",\"value\":\"2\"}", "Row 2 has value twice."),
            ("{\"value\":{\"a\":1}}", "Row 2: value must be a string"),
            ("{\"value\":\"1\",\"type\":\"tan\"}", "Row 2: the type “tan” is not"),
        ] {
            let error = json_lines(&format!("\"99000501\"\n{line}\n")).expect_err(line).to_string();
            assert!(error.starts_with(part), "{error}");
        }
        let bytes = Bytes::from_static(b"\"99000501\"\n\"\xE9\"\n");
        let error =
            read_with(Source::JsonLines(bytes), &Mapping::default(), 10).expect_err("latin");
        assert_eq!(error.to_string(), "Line 2 is not UTF-8: save the file as UTF-8.");
    }
}
