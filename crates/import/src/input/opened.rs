//! An input whose beginning was read, so that its format can be detected.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use super::meter::Meter;

/// How much of a file is read to detect its format.
const HEAD_BYTES: u64 = 1 << 20;
const BUFFER_BYTES: usize = 1 << 20;

/// One file of a source, as bytes.
pub trait Input {
    /// Its name in reports.
    fn name(&self) -> String;
    /// Opens it from its beginning; the meter counts what is read of it.
    fn open(&mut self, meter: &Meter) -> io::Result<Box<dyn Read + '_>>;
    /// What the meter shows at its end, where that is known in advance.
    fn bytes(&mut self) -> Option<u64>;
    /// Whether it can be opened again.
    fn can_reopen(&self) -> bool {
        true
    }
}

/// An input of which the beginning is in memory.
pub struct Opened<'a> {
    head: Vec<u8>,
    body: Body<'a>,
    meter: Meter,
}

enum Body<'a> {
    /// The head is the whole file.
    InHead,
    /// What follows the head, of an input that can be read only once.
    Rest(Box<dyn Read + 'a>),
    /// The input is opened again from its beginning.
    Reopened(&'a mut dyn Input),
}

impl<'a> Opened<'a> {
    /// Reads the head. The meter counts every byte of the file once, however often it is read.
    pub fn new(input: &'a mut dyn Input, meter: &Meter) -> io::Result<Opened<'a>> {
        let meter = meter.clone();
        if !input.can_reopen() {
            let mut rest = input.open(&meter)?;
            let head = read_head(&mut rest)?;
            return Ok(Opened { head, body: Body::Rest(rest), meter });
        }
        let head = read_head(&mut input.open(&meter)?)?;
        let is_whole = (head.len() as u64) < HEAD_BYTES;
        let body = if is_whole { Body::InHead } else { Body::Reopened(input) };
        Ok(Opened { head, body, meter })
    }

    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Whether nothing follows the head.
    pub fn head_is_whole(&self) -> bool {
        (self.head.len() as u64) < HEAD_BYTES
    }

    /// A reader of the whole file that leaves this usable; none if the file can be read only once.
    pub fn preview(&mut self) -> io::Result<Option<Box<dyn BufRead + '_>>> {
        Ok(match &mut self.body {
            Body::InHead => Some(Box::new(self.head.as_slice())),
            Body::Rest(_) => None,
            Body::Reopened(input) => Some(Box::new(buffered(input.open(&Meter::default())?))),
        })
    }

    /// Reads the whole file.
    pub fn into_reader(self) -> io::Result<Box<dyn BufRead + 'a>> {
        let head = Cursor::new(self.head);
        Ok(match self.body {
            Body::InHead => Box::new(head),
            Body::Rest(rest) => Box::new(buffered(head.chain(rest))),
            Body::Reopened(input) => {
                self.meter.reset();
                Box::new(buffered(input.open(&self.meter)?))
            }
        })
    }
}

fn read_head(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
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

    /// Reads an input of this length, and returns whether it could be previewed and how often it was
    /// opened.
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
