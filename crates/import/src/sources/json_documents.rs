//! JSON documents in a file: one object, an array of them, or one per line. The parsers of the
//! sources make records of each document.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use panji_store::register::Record;
use serde_json::Value;

use super::source::{
    DocumentParser, JsonDocument, ParsedRow, ParsedRows, ReadOptions, SourceError,
};
use crate::input::lines::{LineEnd, line_too_long, read_line};
use crate::input::opened::Opened;
use crate::values::json_sentence::json_reason;
use crate::values::reason::Reason;

/// The largest accepted document. A file with one object per line may be larger.
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// The most members of an unknown document that are reported.
const MEMBERS_NAMED: usize = 8;

/// The rows of all documents of a file. Each document is parsed by the `given` parser, or else by
/// the first of the `parsers` that recognizes it.
pub fn open<'a>(
    opened: Opened<'a>,
    options: ReadOptions<'a>,
    parsers: Vec<&'static DocumentParser>,
    given: Option<&'static DocumentParser>,
) -> Result<ParsedRows<'a>, SourceError> {
    let stream = DocumentStream::new(opened.into_reader()?)?;
    let as_of = options.as_of.map(|date| date.to_string());
    Ok(Box::new(DocumentRows {
        stream,
        parsers,
        given,
        as_of,
        today: options.today.to_string(),
        format_is_known: false,
        line: 0,
        items: Vec::new().into_iter(),
        rows: VecDeque::new(),
    }))
}

struct DocumentRows<R> {
    stream: DocumentStream<R>,
    parsers: Vec<&'static DocumentParser>,
    given: Option<&'static DocumentParser>,
    as_of: Option<String>,
    today: String,
    /// Whether the first document was recognized: if it is not, the whole file is refused.
    format_is_known: bool,
    /// The line of the items.
    line: u64,
    /// Documents of an array that are not parsed yet.
    items: std::vec::IntoIter<Value>,
    /// Rows of the last document that are not returned yet.
    rows: VecDeque<ParsedRow>,
}

impl<R: BufRead> Iterator for DocumentRows<R> {
    type Item = Result<ParsedRow, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().transpose()
    }
}

impl<R: BufRead> DocumentRows<R> {
    fn next_row(&mut self) -> Result<Option<ParsedRow>, SourceError> {
        loop {
            if let Some(row) = self.rows.pop_front() {
                return Ok(Some(row));
            }
            if let Some(item) = self.items.next() {
                self.parse(&item)?;
                continue;
            }
            let Some(Located { line, content }) = self.stream.next_document()? else {
                return Ok(None);
            };
            self.line = line;
            match content {
                Ok(Value::Array(items)) if self.stream.splits_arrays() => {
                    self.add_array(items)?;
                }
                Ok(document) => self.parse(&document)?,
                Err(invalid) if self.format_is_known => {
                    let row = ParsedRow::new(line, &invalid.raw, None, Err(invalid.reason));
                    self.rows.push_back(row);
                }
                Err(invalid) => return Err(SourceError::InvalidJson(invalid.reason.text)),
            }
        }
    }

    /// An array is one document if a parser recognizes it, otherwise each item is a document.
    fn add_array(&mut self, items: Vec<Value>) -> Result<(), SourceError> {
        let array = Value::Array(items);
        if self.recognize(&array).is_some() {
            return self.parse(&array);
        }
        if let Value::Array(items) = array {
            self.items = items.into_iter();
        }
        Ok(())
    }

    fn recognize(&self, document: &Value) -> Option<&'static DocumentParser> {
        self.parsers.iter().find(|parser| (parser.recognizes)(document)).copied()
    }

    fn parse(&mut self, document: &Value) -> Result<(), SourceError> {
        let parser = self.given.or_else(|| self.recognize(document));
        if !self.format_is_known && parser.is_none() {
            return Err(SourceError::UnknownFormat(unknown_document(document)));
        }
        self.format_is_known = true;
        let text = &document.to_string();
        let results: Vec<(Option<&'static str>, Result<Record, Reason>)> = match parser {
            // PostgreSQL cannot store it in text.
            _ if text.contains("\\u0000") => {
                vec![(None, Err(Reason::fixed("the document has a NUL character: remove it")))]
            }
            Some(parser) => {
                let as_of = self.as_of.as_deref();
                let results = (parser.parse)(&JsonDocument {
                    value: document,
                    text,
                    as_of,
                    today: &self.today,
                });
                results.into_iter().map(|(source, result)| (Some(source), result)).collect()
            }
            None => vec![(None, Err(Reason::fixed("the document has no known format")))],
        };
        let quoted = parser.is_some_and(|parser| parser.quoted_in_rejects);
        let raw = if quoted { text.as_str() } else { "" };
        for (source, result) in results {
            self.rows.push_back(ParsedRow::new(self.line, raw, source, result));
        }
        Ok(())
    }
}

/// Describes an unknown document by the names of its first members, without their values.
fn unknown_document(document: &Value) -> String {
    let names: Vec<&str> = match document {
        Value::Object(members) => members.keys().take(MEMBERS_NAMED).map(String::as_str).collect(),
        _ => Vec::new(),
    };
    let named = match names.as_slice() {
        [] => String::new(),
        names => format!(" (its members are {})", names.join(", ")),
    };
    format!("the JSON has no known format{named}")
}

/// A document, or text that is not JSON, with the line it begins on.
pub(super) struct Located {
    pub line: u64,
    pub content: Result<Value, InvalidText>,
}

pub(super) struct InvalidText {
    pub raw: String,
    pub reason: Reason,
}

pub(super) enum DocumentStream<R> {
    /// One document per line.
    Lines(LineDocuments<R>),
    /// A document over many lines, or several one after the other.
    Text(TextDocuments),
}

impl<R: BufRead> DocumentStream<R> {
    pub fn new(mut source: R) -> Result<DocumentStream<R>, SourceError> {
        let mut first = Vec::new();
        let mut line = 0;
        let mut end = LineEnd::Complete;
        while first.trim_ascii().is_empty() && end != LineEnd::EndOfFile {
            end = read_line(&mut source, &mut first)?;
            line += 1;
        }
        match serde_json::from_slice::<Value>(&first) {
            Ok(document) if document.is_object() => {
                let first = Some(document);
                Ok(DocumentStream::Lines(LineDocuments { source, line, first, bytes: Vec::new() }))
            }
            _ => Ok(DocumentStream::Text(TextDocuments::read(first, source)?)),
        }
    }

    pub fn next_document(&mut self) -> io::Result<Option<Located>> {
        match self {
            DocumentStream::Lines(lines) => lines.next_document(),
            DocumentStream::Text(text) => Ok(text.next_document()),
        }
    }

    /// Whether an array is split into documents.
    fn splits_arrays(&self) -> bool {
        matches!(self, DocumentStream::Text(_))
    }
}

pub(super) struct LineDocuments<R> {
    source: R,
    /// The number of the last line read.
    line: u64,
    /// The document of that line, until it is returned.
    first: Option<Value>,
    bytes: Vec<u8>,
}

impl<R: BufRead> LineDocuments<R> {
    fn next_document(&mut self) -> io::Result<Option<Located>> {
        if let Some(first) = self.first.take() {
            return Ok(Some(Located { line: self.line, content: Ok(first) }));
        }
        loop {
            let end = read_line(&mut self.source, &mut self.bytes)?;
            if end == LineEnd::EndOfFile {
                return Ok(None);
            }
            self.line += 1;
            if self.bytes.trim_ascii().is_empty() {
                continue;
            }
            let parsed = match end {
                LineEnd::Truncated => Err(Reason::fixed(line_too_long())),
                _ => serde_json::from_slice(&self.bytes).map_err(|error| json_reason(&error)),
            };
            let raw = || String::from_utf8_lossy(&self.bytes).into_owned();
            let content = parsed.map_err(|reason| InvalidText { raw: raw(), reason });
            return Ok(Some(Located { line: self.line, content }));
        }
    }
}

pub(super) struct TextDocuments {
    bytes: Vec<u8>,
    /// The start of the next document, or of the whitespace before it.
    offset: usize,
    /// The line ends before the offset `counted_to`.
    line_ends: u64,
    counted_to: usize,
}

impl TextDocuments {
    /// Reads the rest of a source whose first line was read.
    fn read(mut bytes: Vec<u8>, source: impl BufRead) -> Result<TextDocuments, SourceError> {
        source.take(MAX_DOCUMENT_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_DOCUMENT_BYTES {
            return Err(SourceError::DocumentTooLarge(MAX_DOCUMENT_BYTES >> 20));
        }
        Ok(TextDocuments { bytes, offset: 0, line_ends: 0, counted_to: 0 })
    }

    fn next_document(&mut self) -> Option<Located> {
        let start = self.offset;
        let rest = &self.bytes[start..];
        let mut documents = serde_json::Deserializer::from_slice(rest).into_iter::<Value>();
        let content = match documents.next()? {
            Ok(document) => {
                self.offset += documents.byte_offset();
                Ok(document)
            }
            Err(error) => {
                let raw = String::from_utf8_lossy(rest).into_owned();
                let reason = json_reason(&self.error_in_whole_text().unwrap_or(error));
                // After an error it is unknown where the next document begins.
                self.offset = self.bytes.len();
                Err(InvalidText { raw, reason })
            }
        };
        Some(Located { line: self.line_at(start), content })
    }

    /// The same error, with its line and column in the whole text.
    fn error_in_whole_text(&self) -> Option<serde_json::Error> {
        let mut documents = serde_json::Deserializer::from_slice(&self.bytes).into_iter::<Value>();
        documents.find_map(Result::err)
    }

    /// The line of the first character after an offset that is not whitespace. Offsets must
    /// increase.
    fn line_at(&mut self, offset: usize) -> u64 {
        let is_blank = |byte: &&u8| byte.is_ascii_whitespace();
        let begin = offset + self.bytes[offset..].iter().take_while(is_blank).count();
        let passed = &self.bytes[self.counted_to..begin];
        self.line_ends += passed.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.counted_to = begin;
        self.line_ends + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_over_many_lines_have_their_line_and_errors_their_position_in_the_file() {
        let text = "[1,\n2]\n\n{\n\"a\": 1}\n{\n  broken";
        let first: Vec<u8> = text.bytes().take(4).collect();
        let mut documents = TextDocuments::read(first, &text.as_bytes()[4..]).expect("bytes");
        let mut read = Vec::new();
        while let Some(Located { line, content }) = documents.next_document() {
            read.push((line, content.map_err(|invalid| (invalid.raw, invalid.reason))));
        }
        let (last_line, last) = read.pop().expect("three");
        let lines: Vec<u64> = read.iter().map(|(line, _)| *line).collect();
        assert_eq!((lines, last_line), (vec![1, 4], 6));
        let (raw, reason) = last.expect_err("the last one is broken");
        assert_eq!(raw, "\n{\n  broken");
        assert!(reason.text.ends_with("at line 7, column 3"), "{reason}");
    }
}
