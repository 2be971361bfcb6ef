//! An input whose beginning was read to detect its format.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use super::encoding::{CrLines, has_cr_lines, replace_cr_by_lf};
use super::meter::Meter;

/// The part of a file that is read to detect its format.
const HEAD_BYTES: u64 = 1 << 20;
const BUFFER_BYTES: usize = 1 << 20;

/// One file of a source, as bytes.
pub trait Input {
    /// Its name in reports.
    fn name(&self) -> String;
    /// Opens it at its beginning; the meter counts the bytes read.
    fn open(&mut self, meter: &Meter) -> io::Result<Box<dyn Read + '_>>;
    /// The value of the meter at its end, if known in advance.
    fn bytes(&mut self) -> Option<u64>;
    /// False if it can be read only once.
    fn can_reopen(&self) -> bool {
        true
    }
    /// Whether it is one of several sheets; some of these may be empty.
    fn is_part_of_many(&self) -> bool {
        false
    }
}

/// An input whose beginning is in memory.
pub struct Opened<'a> {
    head: Vec<u8>,
    body: Body<'a>,
    meter: Meter,
    /// Whether its lines end with CR alone.
    has_cr_lines: bool,
    /// The error that prevented reading more than the head.
    broken: Option<io::Error>,
}

enum Body<'a> {
    /// The head is the whole file.
    InHead,
    /// The bytes after the head, for an input that can be read only once.
    Rest(Box<dyn Read + 'a>),
    /// The input is opened again at its beginning.
    Reopened(&'a mut dyn Input),
}

impl<'a> Opened<'a> {
    /// Reads the head. The meter counts every byte of the file once, even if it is read several
    /// times.
    pub fn new(input: &'a mut dyn Input, meter: &Meter) -> io::Result<Opened<'a>> {
        let meter = meter.clone();
        if !input.can_reopen() {
            let mut rest = input.open(&meter)?;
            let (head, broken) = read_head(&mut rest)?;
            return Ok(Opened::with(head, Body::Rest(rest), meter, broken));
        }
        let (head, broken) = read_head(&mut input.open(&meter)?)?;
        let is_whole = (head.len() as u64) < HEAD_BYTES;
        let body = if is_whole { Body::InHead } else { Body::Reopened(input) };
        Ok(Opened::with(head, body, meter, broken))
    }

    /// A text in memory, converted from another input.
    pub fn in_memory(text: Vec<u8>, broken: Option<io::Error>) -> Opened<'a> {
        Opened::with(text, Body::InHead, Meter::default(), broken)
    }

    fn with(
        mut head: Vec<u8>,
        body: Body<'a>,
        meter: Meter,
        broken: Option<io::Error>,
    ) -> Opened<'a> {
        let has_cr_lines = has_cr_lines(&head);
        if has_cr_lines {
            replace_cr_by_lf(&mut head);
        }
        Opened { head, body, meter, has_cr_lines, broken }
    }

    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Whether the head is the whole file.
    pub fn head_is_whole(&self) -> bool {
        matches!(self.body, Body::InHead) || (self.head.len() as u64) < HEAD_BYTES
    }

    /// A reader of the whole file that does not consume `self`; none if the file can be read only
    /// once.
    pub fn preview(&mut self) -> io::Result<Option<Box<dyn BufRead + '_>>> {
        Ok(match &mut self.body {
            Body::InHead => Some(Box::new(self.head.as_slice())),
            Body::Rest(_) => None,
            Body::Reopened(input) => {
                let reader = input.open(&Meter::default())?;
                // A read error is reported later, when the rows are read.
                Some(Box::new(buffered(UntilError(with_lf(reader, self.has_cr_lines)))))
            }
        })
    }

    /// A reader of the whole file.
    pub fn into_reader(self) -> io::Result<Box<dyn BufRead + 'a>> {
        let head = Cursor::new(self.head);
        Ok(match (self.body, self.broken) {
            (_, Some(error)) => Box::new(head.chain(Broken(Some(error)))),
            (Body::InHead, None) => Box::new(head),
            (Body::Rest(rest), None) => {
                Box::new(buffered(head.chain(with_lf(rest, self.has_cr_lines))))
            }
            (Body::Reopened(input), None) => {
                self.meter.reset();
                let reader = input.open(&self.meter)?;
                Box::new(buffered(with_lf(reader, self.has_cr_lines)))
            }
        })
    }
}

/// Reads the beginning. Returns the bytes before a read error together with the error; fails if the
/// error is before the first byte.
fn read_head(reader: &mut impl Read) -> io::Result<(Vec<u8>, Option<io::Error>)> {
    let mut head = Vec::new();
    match reader.take(HEAD_BYTES).read_to_end(&mut head) {
        Ok(_) => Ok((head, None)),
        Err(error) if head.is_empty() => Err(error),
        Err(error) => Ok((head, Some(error))),
    }
}

fn with_lf<'a>(reader: Box<dyn Read + 'a>, has_cr_lines: bool) -> Box<dyn Read + 'a> {
    if has_cr_lines { Box::new(CrLines(reader)) } else { reader }
}

/// Fails once, then is at its end.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

impl BufRead for Broken {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.take().map_or(Ok(&[]), Err)
    }

    fn consume(&mut self, _: usize) {}
}

/// Treats a read error as the end.
struct UntilError<R>(R);

impl<R: Read> Read for UntilError<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(self.0.read(buffer).unwrap_or(0))
    }
}

fn buffered<R: Read>(reader: R) -> BufReader<R> {
    BufReader::with_capacity(BUFFER_BYTES, reader)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::meter::Metered;

    struct Bytes {
        content: Vec<u8>,
        can_reopen: bool,
        opened: u32,
    }

    impl Input for Bytes {
        fn name(&self) -> String {
            "bytes".to_owned()
        }

        fn open(&mut self, meter: &Meter) -> io::Result<Box<dyn Read + '_>> {
            self.opened += 1;
            let (reader, meter) = (self.content.as_slice(), meter.clone());
            Ok(Box::new(Metered { reader, meter }))
        }

        fn bytes(&mut self) -> Option<u64> {
            Some(self.content.len() as u64)
        }

        fn can_reopen(&self) -> bool {
            self.can_reopen
        }
    }

    /// Reads an input of this length, and returns whether it could be previewed and how often it
    /// was opened.
    fn read(length: usize, can_reopen: bool) -> (bool, u32) {
        let content: Vec<u8> = (0..length).map(|index| index as u8).collect();
        let mut input = Bytes { content: content.clone(), can_reopen, opened: 0 };
        let meter = Meter::default();
        let mut opened = Opened::new(&mut input, &meter).expect("bytes in memory can be read");
        assert_eq!(opened.head_is_whole(), length < HEAD_BYTES as usize);
        let has_preview = match opened.preview().expect("bytes in memory can be read") {
            Some(mut preview) => {
                let mut previewed = Vec::new();
                preview.read_to_end(&mut previewed).expect("bytes in memory can be read");
                assert!(previewed == content);
                true
            }
            None => false,
        };
        let mut whole = Vec::new();
        let mut reader = opened.into_reader().expect("bytes in memory can be read");
        reader.read_to_end(&mut whole).expect("bytes in memory can be read");
        assert!(whole == content);
        drop(reader);
        assert_eq!(meter.bytes(), length as u64, "each byte is counted once");
        (has_preview, input.opened)
    }

    #[test]
    fn the_whole_input_is_read_whether_or_not_it_can_be_opened_again() {
        let long = HEAD_BYTES as usize + 10;
        assert_eq!(read(10, true), (true, 1));
        assert_eq!(read(long, true), (true, 3));
        assert_eq!(read(10, false), (false, 1));
        assert_eq!(read(long, false), (false, 1));
    }
}
