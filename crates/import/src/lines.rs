//! Lines with a bound on their length, and rows of CSV over them that survive broken quotes.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use crate::text::decode;

/// The longest line that is read; a longer one is rejected, and passed over without keeping it.
pub const MAX_LINE_BYTES: usize = 1 << 20;
/// The most lines that one row may be spread over by line ends inside its quotes.
const MAX_ROW_LINES: usize = 10;

/// How a line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// At its line end, or at the end of the file.
    Whole,
    /// At the bound; the rest was passed over.
    Cut,
    /// There was no line any more.
    OfFile,
}

/// Reads one line with a bound on what is kept of it.
pub fn read_line(source: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<LineEnd> {
    bytes.clear();
    let limit = MAX_LINE_BYTES as u64 + 1;
    let read = source.by_ref().take(limit).read_until(b'\n', bytes)?;
    if read == 0 {
        return Ok(LineEnd::OfFile);
    }
    if read as u64 == limit && bytes.last() != Some(&b'\n') {
        skip_line(source)?;
        return Ok(LineEnd::Cut);
    }
    Ok(LineEnd::Whole)
}

fn skip_line(source: &mut impl BufRead) -> io::Result<()> {
    loop {
        let available = source.fill_buf()?;
        if available.is_empty() {
            return Ok(());
        }
        match available.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                source.consume(end + 1);
                return Ok(());
            }
            None => {
                let length = available.len();
                source.consume(length);
            }
        }
    }
}

/// The cells of a row, in one piece of memory that the next row uses again.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    text: String,
    /// Where each cell ends in the text.
    ends: Vec<usize>,
}

impl Cells {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The cell at this place, from 0.
    pub fn get(&self, place: usize) -> Option<&str> {
        let end = *self.ends.get(place)?;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        Some(&self.text[start..end])
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        (0..self.len()).map(|place| self.get(place).unwrap_or_default())
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

/// A row of a CSV file that is not split into its cells yet.
#[derive(Clone, Debug)]
pub struct Row {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Its text, without the line end.
    pub text: String,
    /// Why it cannot be a row, where that shows without looking into the cells.
    pub fault: Option<String>,
}

/// The rows of a CSV file.
pub struct Rows<R> {
    source: R,
    bytes: Vec<u8>,
    lines_read: u64,
    /// Lines that were looked at and turned out to be rows of their own.
    ahead: VecDeque<Row>,
}

impl<R: BufRead> Rows<R> {
    /// Rows of this source.
    pub fn new(source: R) -> Rows<R> {
        Rows { source, bytes: Vec::new(), lines_read: 0, ahead: VecDeque::new() }
    }

    /// The next row, split into `cells`. A quote that is not closed on its line takes in the lines
    /// behind it, unless one of them is a row by itself, as `is_row` tells: then it was a slip.
    pub fn next(
        &mut self,
        cells: &mut Cells,
        is_row: impl Fn(&str) -> bool,
    ) -> io::Result<Option<Row>> {
        let Some(mut row) = self.next_line()? else { return Ok(None) };
        if split_cells(&row.text, cells) || row.fault.is_some() {
            return Ok(Some(row));
        }
        let mut joined = row.text.clone();
        let mut taken: Vec<Row> = Vec::new();
        while taken.len() < MAX_ROW_LINES {
            let Some(next) = self.next_line()? else { break };
            let separate = next.fault.is_some() || is_row(&next.text);
            joined.push('\n');
            joined.push_str(&next.text);
            taken.push(next);
            if separate || joined.len() > MAX_LINE_BYTES {
                break;
            }
            if split_cells(&joined, cells) {
                row.text = joined;
                return Ok(Some(row));
            }
        }
        for line in taken.into_iter().rev() {
            self.ahead.push_front(line);
        }
        row.fault = Some("a quote is opened and not closed".to_owned());
        Ok(Some(row))
    }

    fn next_line(&mut self) -> io::Result<Option<Row>> {
        if let Some(row) = self.ahead.pop_front() {
            return Ok(Some(row));
        }
        let end = read_line(&mut self.source, &mut self.bytes)?;
        if end == LineEnd::OfFile {
            return Ok(None);
        }
        self.lines_read += 1;
        let (text, garbled) = decode(self.bytes.trim_ascii_end());
        let fault = match end {
            LineEnd::Cut => Some(format!("the line is longer than {MAX_LINE_BYTES} bytes")),
            _ if garbled => Some("the row is no text: it has control characters".to_owned()),
            _ => None,
        };
        Ok(Some(Row { line: self.lines_read, text, fault }))
    }
}

/// Splits a row into its cells. A quote opens only at the beginning of a cell and closes only at
/// its end, so that a stray one inside a cell does no harm. Tells whether all quotes were closed.
pub fn split_cells(row: &str, cells: &mut Cells) -> bool {
    cells.clear();
    let mut rest = row;
    loop {
        let Some(quoted) = rest.strip_prefix('"') else {
            let end = rest.find(',');
            cells.text.push_str(&rest[..end.unwrap_or(rest.len())]);
            cells.end();
            match end {
                Some(end) => rest = &rest[end + 1..],
                None => return true,
            }
            continue;
        };
        let behind = quoted_cell(quoted, &mut cells.text);
        cells.end();
        match behind {
            Behind::Cell(next) => rest = next,
            Behind::End => return true,
            Behind::Nothing => return false,
        }
    }
}

/// What follows a quoted cell.
enum Behind<'a> {
    Cell(&'a str),
    End,
    /// The quote is still open.
    Nothing,
}

/// Adds the text of a cell behind its opening quote.
fn quoted_cell<'a>(text: &'a str, cell: &mut String) -> Behind<'a> {
    let mut rest = text;
    while let Some(at) = rest.find('"') {
        cell.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        if behind.is_empty() {
            return Behind::End;
        }
        if let Some(next) = behind.strip_prefix(',') {
            return Behind::Cell(next);
        }
        cell.push('"');
        rest = behind.strip_prefix('"').unwrap_or(behind);
    }
    cell.push_str(rest);
    Behind::Nothing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_cells(row: &str, expected: &[&str]) {
        let mut cells = Cells::default();
        assert!(split_cells(row, &mut cells), "{row}");
        assert_eq!(cells.iter().collect::<Vec<_>>(), expected, "{row}");
    }

    #[test]
    fn cells_are_split_as_csv_and_stray_quotes_do_no_harm() {
        check_cells("a,b,", &["a", "b", ""]);
        check_cells(r#""a, b","c ""d""",e"#, &["a, b", r#"c "d""#, "e"]);
        check_cells(
            r#"5" pipe,"M/S "Tara" Bldg, Goa",x"#,
            &["5\" pipe", "M/S \"Tara\" Bldg, Goa", "x"],
        );
        check_cells(r#""","#, &["", ""]);
        assert!(!split_cells(r#"a,"b,c"#, &mut Cells::default()));
    }

    #[test]
    fn an_open_quote_takes_in_lines_but_never_a_row() {
        let text = "k1,\"two\r\nlines\"\nk2,\"broken\nk3,fine\nk4,\"open";
        let mut rows = Rows::new(text.as_bytes());
        let is_row = |text: &str| text.starts_with('k') && split_cells(text, &mut Cells::default());
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
