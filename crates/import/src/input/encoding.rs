//! Converts text in other encodings and with other line ends to UTF-8 with LF.

use std::io::{self, BufReader, Read};

const BUFFER_BYTES: usize = 1 << 16;

/// The byte order of UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    pub fn from_mark(start: &[u8]) -> Option<ByteOrder> {
        match start {
            [0xFF, 0xFE, ..] => Some(ByteOrder::Little),
            [0xFE, 0xFF, ..] => Some(ByteOrder::Big),
            _ => None,
        }
    }
}

/// Converts UTF-16 to UTF-8. Invalid units become U+FFFD.
pub struct Utf16Reader<R> {
    source: BufReader<R>,
    order: ByteOrder,
    /// A leading surrogate whose trailing surrogate is not read yet.
    lead: Option<u16>,
    ready: Vec<u8>,
    consumed: usize,
}

impl<R: Read> Utf16Reader<R> {
    /// `source` starts after the byte order mark.
    pub fn new(source: R, order: ByteOrder) -> Utf16Reader<R> {
        let source = BufReader::with_capacity(BUFFER_BYTES, source);
        Utf16Reader { source, order, lead: None, ready: Vec::new(), consumed: 0 }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.consumed = 0;
        let mut bytes = Vec::with_capacity(BUFFER_BYTES);
        self.source.by_ref().take(BUFFER_BYTES as u64).read_to_end(&mut bytes)?;
        let at_end = bytes.len() < BUFFER_BYTES;
        let mut units: Vec<u16> = self.lead.take().into_iter().collect();
        units.extend(bytes.chunks(2).map(|pair| match (self.order, pair) {
            (ByteOrder::Little, [low, high]) => u16::from_le_bytes([*low, *high]),
            (ByteOrder::Big, [high, low]) => u16::from_be_bytes([*high, *low]),
            // Half a unit, at the end of a truncated file.
            _ => u16::from(b'?'),
        }));
        if !at_end && units.last().is_some_and(|unit| (0xD800..0xDC00).contains(unit)) {
            self.lead = units.pop();
        }
        let characters =
            char::decode_utf16(units).map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
        self.ready.extend_from_slice(characters.collect::<String>().as_bytes());
        Ok(())
    }
}

impl<R: Read> Read for Utf16Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.consumed == self.ready.len() {
            self.fill()?;
        }
        let rest = &self.ready[self.consumed..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.consumed += length;
        Ok(length)
    }
}

/// Whether the lines of a text end with CR alone, as old spreadsheet programs write them.
pub fn has_cr_lines(head: &[u8]) -> bool {
    let lone = |pair: &[u8]| pair[0] == b'\r' && pair[1] != b'\n';
    let lone_cr = head.windows(2).filter(|pair| lone(pair)).count();
    lone_cr > head.iter().filter(|byte| **byte == b'\n').count()
}

/// Replaces each CR by LF.
pub struct CrLines<R>(pub R);

impl<R: Read> Read for CrLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.read(buffer)?;
        replace_cr_by_lf(&mut buffer[..length]);
        Ok(length)
    }
}

pub fn replace_cr_by_lf(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte == b'\r') {
        *byte = b'\n';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_read_in_both_orders_and_across_buffers() {
        // The surrogate pair of 𝄞 crosses the end of a buffer.
        let text = format!("{}𝄞 ₹ é", "x".repeat(BUFFER_BYTES / 2 - 1));
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let bytes: Vec<u8> = text
                .encode_utf16()
                .flat_map(|unit| match order {
                    ByteOrder::Little => unit.to_le_bytes(),
                    ByteOrder::Big => unit.to_be_bytes(),
                })
                .collect();
            let mut read = String::new();
            Utf16Reader::new(bytes.as_slice(), order).read_to_string(&mut read).expect("text");
            assert!(read == text, "{order:?}");
        }
    }

    #[test]
    fn lines_that_end_with_cr_are_distinguished_from_cr_lf_and_cr_inside_cells() {
        assert!(has_cr_lines(b"a,b\r1,2\r3,4\r"));
        assert!(!has_cr_lines(b"a,b\r\n1,2\r\n"));
        assert!(!has_cr_lines(b"a,b\n1,\"x\ry\"\n"));
        assert!(!has_cr_lines(b"a,b"));
    }
}
