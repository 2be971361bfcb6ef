//! Rows of CSV, read with tolerance for broken quotes.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use super::lines::{LineEnd, MAX_LINE_BYTES, line_too_long, read_line};
use crate::values::text::decode;

/// The most lines of one row: a quoted cell may contain line ends.
const MAX_ROW_LINES: usize = 10;

/// The character between the cells of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    #[default]
    Comma,
    Semicolon,
    Tab,
    Bar,
}

impl Separator {
    pub const ALL: [Separator; 4] =
        [Separator::Comma, Separator::Semicolon, Separator::Tab, Separator::Bar];

    fn character(self) -> char {
        match self {
            Separator::Comma => ',',
            Separator::Semicolon => ';',
            Separator::Tab => '\t',
            Separator::Bar => '|',
        }
    }
}

/// The cells of a row in one buffer, which is reused for the next row.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    text: String,
    /// The end of each cell in `text`, in bytes.
    ends: Vec<usize>,
}

impl Cells {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        Some(&self.text[start..end])
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Ends the cell whose text was added last.
    fn end(&mut self) {
        self.ends.push(self.text.len());
    }
}

impl<'a> FromIterator<&'a str> for Cells {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Cells {
        let mut cells = Cells::default();
        for text in texts {
            cells.text.push_str(text);
            cells.end();
        }
        cells
    }
}

/// A row of a CSV file, not yet split into cells.
#[derive(Clone, Debug)]
pub struct Row {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Without the line end.
    pub text: String,
    /// Why the row is unusable, if that is known without its cells.
    pub fault: Option<String>,
}

/// The rows of a CSV file.
pub struct Rows<R> {
    source: R,
    separator: Separator,
    bytes: Vec<u8>,
    lines_read: u64,
    /// Lines that were read ahead and turned out to be separate rows.
    read_ahead: VecDeque<Row>,
}

impl<R: BufRead> Rows<R> {
    pub fn new(source: R, separator: Separator) -> Rows<R> {
        let (bytes, read_ahead) = (Vec::new(), VecDeque::new());
        Rows { source, separator, bytes, lines_read: 0, read_ahead }
    }

    /// The next row, split into `cells`. A quote that is not closed on its line continues on the
    /// next lines, unless one of them is a row by itself according to `is_row`: then the quote is a
    /// mistake.
    pub fn next(
        &mut self,
        cells: &mut Cells,
        is_row: impl Fn(&str) -> bool,
    ) -> io::Result<Option<Row>> {
        let Some(mut row) = self.next_line()? else { return Ok(None) };
        if split_cells(&row.text, self.separator, cells) || row.fault.is_some() {
            return Ok(Some(row));
        }
        let mut joined = row.text.clone();
        let mut following: Vec<Row> = Vec::new();
        while following.len() < MAX_ROW_LINES {
            let Some(next) = self.next_line()? else { break };
            let separate = next.fault.is_some() || is_row(&next.text);
            joined.push('\n');
            joined.push_str(&next.text);
            following.push(next);
            if separate || joined.len() > MAX_LINE_BYTES {
                break;
            }
            if split_cells(&joined, self.separator, cells) {
                row.text = joined;
                return Ok(Some(row));
            }
        }
        for line in following.into_iter().rev() {
            self.read_ahead.push_front(line);
        }
        row.fault = Some("a quote is opened and not closed".to_owned());
        Ok(Some(row))
    }

    fn next_line(&mut self) -> io::Result<Option<Row>> {
        if let Some(row) = self.read_ahead.pop_front() {
            return Ok(Some(row));
        }
        let end = read_line(&mut self.source, &mut self.bytes)?;
        if end == LineEnd::EndOfFile {
            return Ok(None);
        }
        self.lines_read += 1;
        // A tab at the end may be an empty cell.
        let line_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let length = self.bytes.iter().rposition(|byte| !line_end(byte)).map_or(0, |last| last + 1);
        let (text, garbled) = decode(&self.bytes[..length]);
        let fault = match end {
            LineEnd::Truncated => Some(line_too_long()),
            _ if garbled => Some("the row is not text: it has control characters".to_owned()),
            _ => None,
        };
        Ok(Some(Row { line: self.lines_read, text, fault }))
    }
}

/// Splits a row into its cells. A quote opens only at the beginning of a cell and closes only at
/// its end, so a stray quote inside a cell is plain text. Returns whether all quotes were closed.
pub fn split_cells(row: &str, separator: Separator, cells: &mut Cells) -> bool {
    let separator = separator.character();
    cells.clear();
    let mut rest = row;
    loop {
        let Some(quoted) = rest.strip_prefix('"') else {
            let end = rest.find(separator);
            cells.text.push_str(&rest[..end.unwrap_or(rest.len())]);
            cells.end();
            match end {
                Some(end) => rest = &rest[end + 1..],
                None => return true,
            }
            continue;
        };
        let after = quoted_cell(quoted, separator, &mut cells.text);
        cells.end();
        match after {
            AfterCell::Cell(next) => rest = next,
            AfterCell::EndOfRow => return true,
            AfterCell::OpenQuote => return false,
        }
    }
}

/// What follows after a quoted cell.
enum AfterCell<'a> {
    Cell(&'a str),
    EndOfRow,
    /// The quote is still open.
    OpenQuote,
}

/// Adds the text of a cell after its opening quote.
fn quoted_cell<'a>(text: &'a str, separator: char, cell: &mut String) -> AfterCell<'a> {
    let mut rest = text;
    while let Some(at) = rest.find('"') {
        cell.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if after.is_empty() {
            return AfterCell::EndOfRow;
        }
        if let Some(next) = after.strip_prefix(separator) {
            return AfterCell::Cell(next);
        }
        cell.push('"');
        rest = after.strip_prefix('"').unwrap_or(after);
    }
    cell.push_str(rest);
    AfterCell::OpenQuote
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_cells(row: &str, expected: &[&str]) {
        let mut cells = Cells::default();
        assert!(split_cells(row, Separator::Comma, &mut cells), "{row}");
        assert_eq!(cells.iter().collect::<Vec<_>>(), expected, "{row}");
    }

    #[test]
    fn cells_are_split_as_csv_and_stray_quotes_are_plain_text() {
        check_cells("a,b,", &["a", "b", ""]);
        check_cells(r#""a, b","c ""d""",e"#, &["a, b", r#"c "d""#, "e"]);
        check_cells(
            r#"5" pipe,"M/S "Tara" Bldg, Goa",x"#,
            &["5\" pipe", "M/S \"Tara\" Bldg, Goa", "x"],
        );
        check_cells(r#""","#, &["", ""]);
        assert!(!split_cells(r#"a,"b,c"#, Separator::Comma, &mut Cells::default()));
        let mut cells = Cells::default();
        assert!(split_cells("a;\"b;c\";d, e;", Separator::Semicolon, &mut cells));
        assert_eq!(cells.iter().collect::<Vec<_>>(), ["a", "b;c", "d, e", ""]);
    }

    #[test]
    fn an_open_quote_continues_on_the_next_lines_but_never_on_a_row() {
        let text = "k1,\"two\r\nlines\"\nk2,\"broken\nk3,fine\nk4,\"open";
        let mut rows = Rows::new(text.as_bytes(), Separator::Comma);
        let is_row = |text: &str| {
            text.starts_with('k') && split_cells(text, Separator::Comma, &mut Cells::default())
        };
        let (mut read, mut cells) = (Vec::new(), Cells::default());
        while let Some(row) = rows.next(&mut cells, is_row).expect("bytes in memory can be read") {
            read.push((row.line, row.text, row.fault.is_some()));
        }
        let expected = [
            (1, "k1,\"two\nlines\"", false),
            (3, "k2,\"broken", true),
            (4, "k3,fine", false),
            (5, "k4,\"open", true),
        ];
        assert_eq!(read, expected.map(|(line, text, fault)| (line, text.to_owned(), fault)));
    }
}
