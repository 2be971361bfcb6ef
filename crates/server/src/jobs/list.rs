//! Reads a list from a CSV file or pasted text and finds the column with the identifiers.

use csv::{ReaderBuilder, StringRecord};
use panji_ids::{Identifier, IdentifierKind};

const MAX_COLUMNS: usize = 100;
/// Characters of one cell. Spreadsheets allow about as many.
const MAX_CELL: usize = 32_000;
/// Rows that are inspected to find the column.
const INSPECTED_ROWS: usize = 1_000;
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

#[derive(Debug, PartialEq, Eq)]
pub struct List {
    /// The names of the columns; empty if the list has no heading.
    pub header: Vec<String>,
    pub column: usize,
    /// The rows, all padded to the same length.
    pub rows: Vec<Vec<String>>,
}

/// Why a list cannot be read, as a sentence for the user.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    #[error("The list: {0}.")]
    Csv(#[from] csv::Error),
    #[error("The list is empty.")]
    Empty,
    #[error("The list has a heading and no rows.")]
    NoRows,
    #[error("A list has at most {max_rows} rows: split it.")]
    TooManyRows { max_rows: usize },
    #[error("Line {line} has more than {MAX_COLUMNS} columns.")]
    TooManyColumns { line: u64 },
    #[error("Line {line} has a cell of more than {MAX_CELL} characters.")]
    LongCell { line: u64 },
    /// The list has no column with the requested name.
    #[error("No column is called “{wanted}”. The first line has: {heads}.")]
    NoColumn { wanted: String, heads: String },
}

/// Reads a list. `requested` names the column by its heading or its number; if it is empty, the
/// column is detected.
pub fn read(text: &str, requested: &str, max_rows: usize) -> Result<List, ListError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows = read_rows(text, max_rows)?;
    if rows.is_empty() {
        return Err(ListError::Empty);
    }
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    for row in &mut rows {
        row.resize(width, String::new());
    }
    let column = find_column(&rows, requested.trim(), width)?;
    let named = !requested.trim().is_empty() && requested.trim().parse::<usize>().is_err();
    let header = if named || is_header(&rows, column) { rows.remove(0) } else { Vec::new() };
    if rows.is_empty() {
        return Err(ListError::NoRows);
    }
    if rows.len() > max_rows {
        return Err(ListError::TooManyRows { max_rows });
    }
    Ok(List { header, column, rows })
}

fn read_rows(text: &str, max_rows: usize) -> Result<Vec<Vec<String>>, ListError> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    let mut record = StringRecord::new();
    while reader.read_record(&mut record)? {
        let line = record.position().map_or(0, csv::Position::line);
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if record.len() > MAX_COLUMNS {
            return Err(ListError::TooManyColumns { line });
        }
        if record.iter().any(|cell| cell.chars().count() > MAX_CELL) {
            return Err(ListError::LongCell { line });
        }
        // One row more than the limit is accepted, for the heading.
        if rows.len() > max_rows {
            return Err(ListError::TooManyRows { max_rows });
        }
        rows.push(record.iter().map(|cell| cell.trim().to_owned()).collect());
    }
    Ok(rows)
}

/// The delimiter that occurs most often in the first line.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |delimiter: &u8| first.bytes().filter(|byte| byte == delimiter).count();
    // `max_by_key` returns the last maximum: reversed, the comma wins a tie.
    DELIMITERS.into_iter().rev().max_by_key(count).unwrap_or(b',')
}

fn find_column(rows: &[Vec<String>], requested: &str, width: usize) -> Result<usize, ListError> {
    if requested.is_empty() {
        let score = |column: &usize| -> usize {
            rows.iter().take(INSPECTED_ROWS).map(|row| identifier_score(&row[*column])).sum()
        };
        return Ok((0..width).rev().max_by_key(score).unwrap_or(0));
    }
    if let Some(number) =
        requested.parse::<usize>().ok().filter(|number| (1..=width).contains(number))
    {
        return Ok(number - 1);
    }
    let named = rows[0].iter().position(|name| name.eq_ignore_ascii_case(requested));
    named.ok_or_else(|| ListError::NoColumn {
        wanted: requested.to_owned(),
        heads: rows[0].join(", "),
    })
}

/// A score for a cell being an identifier. Short numbers score 0: they are mostly serial numbers.
fn identifier_score(cell: &str) -> usize {
    match Identifier::classify(cell) {
        Some(IdentifierKind::Din) if cell.len() < 6 => 0,
        Some(IdentifierKind::Din) => 1,
        Some(_) => 3,
        None => 0,
    }
}

/// Whether the first row is a heading: its cell has letters, no digits, and is not an identifier.
fn is_header(rows: &[Vec<String>], column: usize) -> bool {
    let first = &rows[0][column];
    let has_only_letters = first.chars().any(char::is_alphabetic)
        && !first.chars().any(|character| character.is_ascii_digit());
    has_only_letters && Identifier::classify(first).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> List {
        read(text, "", 10).expect("a valid list")
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
        let sentence = "No column is called “pan”. The first line has: din, cin.";
        assert_eq!(unknown.to_string(), sentence);
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
        assert!(read(&format!("x,{}", "a".repeat(40_000)), "", 10).is_err());
    }
}
