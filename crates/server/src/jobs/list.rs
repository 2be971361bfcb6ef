//! Reading a list: a CSV file or pasted text, and the column in which the identifiers are.

use csv::{ReaderBuilder, StringRecord};
use panji_ids::{Identifier, IdentifierKind};

/// Columns of one list.
const MAX_COLUMNS: usize = 100;
/// Characters of one cell; a spreadsheet takes little more.
const MAX_CELL: usize = 32_000;
/// Rows by which the column is told.
const JUDGED_ROWS: usize = 1_000;
/// What may stand between cells.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// A list as it was read.
#[derive(Debug, PartialEq, Eq)]
pub struct List {
    /// The names of the columns; empty where the list has none.
    pub header: Vec<String>,
    /// The column with the identifiers.
    pub column: usize,
    /// The rows, each as long as the longest.
    pub rows: Vec<Vec<String>>,
}

/// Why a list cannot be read, in a sentence for a person.
#[derive(Debug)]
pub enum Unread {
    /// Something is wrong with the list itself.
    List(String),
    /// It has no column of the name that was asked for.
    Column(String),
}

/// Reads a list. `wanted` names the column, by its heading or its number; empty to find it.
pub fn read(text: &str, wanted: &str, max_rows: usize) -> Result<List, Unread> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows = read_rows(text, max_rows).map_err(Unread::List)?;
    if rows.is_empty() {
        return Err(Unread::List("There is nothing in the list.".to_owned()));
    }
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    for row in &mut rows {
        row.resize(width, String::new());
    }
    let column = find_column(&rows, wanted.trim(), width).map_err(Unread::Column)?;
    let named = !wanted.trim().is_empty() && wanted.trim().parse::<usize>().is_err();
    let header = if named || is_header(&rows, column) { rows.remove(0) } else { Vec::new() };
    if rows.is_empty() {
        return Err(Unread::List("There is a heading, and nothing below it.".to_owned()));
    }
    if rows.len() > max_rows {
        return Err(Unread::List(too_many(max_rows)));
    }
    Ok(List { header, column, rows })
}

fn too_many(max_rows: usize) -> String {
    format!("A list has at most {max_rows} rows: split it.")
}

fn read_rows(text: &str, max_rows: usize) -> Result<Vec<Vec<String>>, String> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| format!("The list: {error}."))? {
        let line = record.position().map_or(0, csv::Position::line);
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if record.len() > MAX_COLUMNS {
            return Err(format!("Line {line} has more than {MAX_COLUMNS} columns."));
        }
        if record.iter().any(|cell| cell.chars().count() > MAX_CELL) {
            return Err(format!("Line {line} has a cell of more than {MAX_CELL} characters."));
        }
        // One more than the bound, for the heading.
        if rows.len() > max_rows {
            return Err(too_many(max_rows));
        }
        rows.push(record.iter().map(|cell| cell.trim().to_owned()).collect());
    }
    Ok(rows)
}

/// What stands between cells: what the first line has most of.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |delimiter: &u8| first.bytes().filter(|byte| byte == delimiter).count();
    // Of those that are equally many the first wins, which is the comma.
    DELIMITERS.into_iter().rev().max_by_key(count).unwrap_or(b',')
}

fn find_column(rows: &[Vec<String>], wanted: &str, width: usize) -> Result<usize, String> {
    if wanted.is_empty() {
        let score = |column: &usize| -> usize {
            rows.iter().take(JUDGED_ROWS).map(|row| likelihood(&row[*column])).sum()
        };
        return Ok((0..width).rev().max_by_key(score).unwrap_or(0));
    }
    if let Some(number) = wanted.parse::<usize>().ok().filter(|number| (1..=width).contains(number))
    {
        return Ok(number - 1);
    }
    let named = rows[0].iter().position(|name| name.eq_ignore_ascii_case(wanted));
    named.ok_or_else(|| {
        format!("No column is called “{wanted}”. The first line has: {}.", rows[0].join(", "))
    })
}

/// How likely a cell is an identifier. Short numbers could be anything, a serial number mostly.
fn likelihood(cell: &str) -> usize {
    match Identifier::classify(cell) {
        Some(IdentifierKind::Din) if cell.len() < 6 => 0,
        Some(IdentifierKind::Din) => 1,
        Some(_) => 3,
        None => 0,
    }
}

/// Whether the first row is a heading: it says in words what the others have in figures.
fn is_header(rows: &[Vec<String>], column: usize) -> bool {
    let first = &rows[0][column];
    let wordy = first.chars().any(char::is_alphabetic)
        && !first.chars().any(|character| character.is_ascii_digit());
    wordy && Identifier::classify(first).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> List {
        read(text, "", 10).expect("a good list")
    }

    #[test]
    fn a_pasted_column_is_a_list() {
        let list = list("U17110MH2001PTC990501\n\n  aab-1234 \r\n99000501\n");
        assert_eq!((list.header.len(), list.column, list.rows.len()), (0, 0, 3));
        assert_eq!(list.rows[1], ["aab-1234"]);
    }

    #[test]
    fn the_column_is_found_and_so_is_the_heading() {
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
        assert!(matches!(unknown, Unread::Column(sentence) if sentence.contains("din, cin")));
    }

    #[test]
    fn bounds_are_kept_and_told() {
        assert!(read(" \n\n", "", 10).is_err());
        assert!(read("cin\n", "", 10).is_err());
        let long = read(&"99000501\n".repeat(11), "", 10).expect_err("long");
        assert!(matches!(long, Unread::List(sentence) if sentence.contains("10 rows")));
        assert_eq!(
            read(&format!("din\n{}", "99000501\n".repeat(10)), "", 10).expect("fits").rows.len(),
            10
        );
        assert!(read(&",".repeat(200), "", 10).is_err());
        assert!(read(&format!("x,{}", "a".repeat(40_000)), "", 10).is_err());
    }
}
