//! Reads the XML of spreadsheets event by event, with a bound on the length of an event.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use quick_xml::XmlVersion;
use quick_xml::encoding::DecodingReader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

/// The longest text or tag; a cell has 32,767 characters at most.
const MAX_EVENT_BYTES: usize = 1 << 20;
const BUFFER_BYTES: usize = 1 << 16;

/// A source that fails when an event is too long.
struct EventLimit<R> {
    source: BufReader<R>,
    /// The bytes read since the event began.
    length: Rc<Cell<usize>>,
}

impl<R: Read> Read for EventLimit<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(buffer)?;
        self.consume(length);
        Ok(length)
    }
}

impl<R: Read> BufRead for EventLimit<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.length.get() > MAX_EVENT_BYTES + BUFFER_BYTES {
            let reason =
                format!("a cell of the spreadsheet is longer than {MAX_EVENT_BYTES} bytes");
            return Err(io::Error::other(reason));
        }
        self.source.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.length.set(self.length.get() + length);
        self.source.consume(length);
    }
}

/// The events of an XML file.
pub struct Xml<R: Read> {
    reader: Reader<DecodingReader<EventLimit<R>>>,
    buffer: Vec<u8>,
    length: Rc<Cell<usize>>,
}

impl<R: Read> Xml<R> {
    pub fn new(source: R) -> Xml<R> {
        let length = Rc::<Cell<usize>>::default();
        let source = BufReader::with_capacity(BUFFER_BYTES, source);
        let limited = EventLimit { source, length: length.clone() };
        let mut reader = Reader::from_reader(DecodingReader::new(limited));
        reader.config_mut().expand_empty_elements = true;
        reader.config_mut().allow_dangling_amp = true;
        Xml { reader, buffer: Vec::new(), length }
    }

    /// The next event; `Eof` at the end.
    pub fn next(&mut self) -> io::Result<Event<'_>> {
        self.buffer.clear();
        self.length.set(0);
        self.reader.read_event_into(&mut self.buffer).map_err(|error| match error {
            quick_xml::Error::Io(error) => io::Error::new(error.kind(), error.to_string()),
            error => damaged(&error.to_string()),
        })
    }
}

pub fn damaged(what: &str) -> io::Error {
    io::Error::other(format!("the spreadsheet is damaged: {what}"))
}

/// An attribute by its full name, with the prefix.
pub fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.try_get_attribute(name).ok()??;
    Some(found.normalized_value(XmlVersion::Explicit1_0).ok()?.into_owned())
}

/// An attribute by its name without the prefix.
pub fn attribute_called(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes().flatten();
    let found = attributes.find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(found.normalized_value(XmlVersion::Explicit1_0).ok()?.into_owned())
}

/// Appends the text of a character reference.
pub fn add_reference(reference: &BytesRef<'_>, text: &mut String) {
    match reference.resolve_char_ref() {
        Ok(Some(character)) => text.push(character),
        _ => text.push_str(resolve_xml_entity(reference).unwrap_or("\u{FFFD}")),
    }
}
