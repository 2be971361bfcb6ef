//! JSON documents: one object, an array of them, or one a line.

use std::io::{BufRead, Read};

use panji_store::register::Record;
use serde_json::Value;

use crate::format::{Format, format_of_document};
use crate::lines::{LineEnd, MAX_LINE_BYTES, read_line};
use crate::load::{ImportError, Importer, unknown_format};
use crate::report::Observer;
use crate::{gstn, mca_company_json, panji};

/// The largest document that is held in memory. One object a line has no such bound.
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Loads every document of a stream.
pub async fn load<O: Observer>(
    importer: &mut Importer<'_, O>,
    mut source: impl BufRead,
) -> Result<(), ImportError> {
    let mut first = Vec::new();
    let mut line = 0;
    let mut end = LineEnd::Whole;
    while first.trim_ascii().is_empty() && end != LineEnd::OfFile {
        end = read_line(&mut source, &mut first)?;
        line += 1;
    }
    match serde_json::from_slice::<Value>(&first) {
        Ok(document) if document.is_object() => load_lines(importer, source, line, document).await,
        _ => load_whole(importer, first, source).await,
    }
}

/// One document a line.
async fn load_lines<O: Observer>(
    importer: &mut Importer<'_, O>,
    mut source: impl BufRead,
    first_line: u64,
    first: Value,
) -> Result<(), ImportError> {
    check_known(importer, &first)?;
    load_document(importer, first_line, &first).await?;
    let mut bytes = Vec::new();
    for line in first_line + 1.. {
        let end = read_line(&mut source, &mut bytes)?;
        if end == LineEnd::OfFile {
            break;
        }
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        let parsed: Result<Value, String> = match end {
            LineEnd::Cut => Err(format!("the line is longer than {MAX_LINE_BYTES} bytes")),
            _ => serde_json::from_slice(&bytes).map_err(|error| error.to_string()),
        };
        match parsed {
            Ok(document) => load_document(importer, line, &document).await?,
            Err(reason) => {
                let raw = String::from_utf8_lossy(&bytes);
                importer.take(line, &raw, None, Err(reason)).await?;
            }
        }
    }
    Ok(())
}

/// A document over many lines, or several one after the other.
async fn load_whole<O: Observer>(
    importer: &mut Importer<'_, O>,
    mut bytes: Vec<u8>,
    source: impl BufRead,
) -> Result<(), ImportError> {
    source.take(MAX_DOCUMENT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_DOCUMENT_BYTES {
        return Err(ImportError::Refused(format!(
            "the document is larger than {} MiB: write one object a line",
            MAX_DOCUMENT_BYTES >> 20
        )));
    }
    let mut documents = serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>();
    let mut is_first = true;
    loop {
        let start = documents.byte_offset();
        let document = match documents.next() {
            None => return Ok(()),
            Some(Ok(document)) => document,
            Some(Err(error)) if is_first => {
                return Err(ImportError::Refused(format!("this is no whole JSON: {error}")));
            }
            Some(Err(error)) => {
                let raw = String::from_utf8_lossy(&bytes[start..]).into_owned();
                let line = line_at(&bytes, start);
                importer.take(line, &raw, None, Err(error.to_string())).await?;
                return Ok(());
            }
        };
        let line = line_at(&bytes, start);
        match document {
            Value::Array(items) if format_of_document(&Value::Array(items.clone())).is_none() => {
                for item in &items {
                    if std::mem::take(&mut is_first) {
                        check_known(importer, item)?;
                    }
                    load_document(importer, line, item).await?;
                }
            }
            document => {
                if std::mem::take(&mut is_first) {
                    check_known(importer, &document)?;
                }
                load_document(importer, line, &document).await?;
            }
        }
    }
}

/// The line on which the text behind an offset begins.
fn line_at(bytes: &[u8], offset: usize) -> u64 {
    let blank = bytes[offset..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    bytes[..offset + blank].iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

/// A file whose first document no reader knows is refused whole.
fn check_known<O: Observer>(
    importer: &Importer<'_, O>,
    document: &Value,
) -> Result<(), ImportError> {
    let known = importer.asked_format().or_else(|| format_of_document(document));
    known.map(drop).ok_or_else(unknown_format)
}

async fn load_document<O: Observer>(
    importer: &mut Importer<'_, O>,
    line: u64,
    document: &Value,
) -> Result<(), ImportError> {
    let format = importer.asked_format().or_else(|| format_of_document(document));
    let as_of = importer.as_of_text();
    let raw = document.to_string();
    let records: Vec<(Option<&'static str>, Result<Record, String>)> = match format {
        // PostgreSQL cannot hold it in text.
        _ if raw.contains("\\u0000") => {
            vec![(None, Err("the document has a NUL character: take it out".to_owned()))]
        }
        Some(Format::Panji) => vec![(Some(panji::SOURCE), panji::parse_line(&raw))],
        Some(Format::McaCompany) => {
            let records = mca_company_json::parse_document(document, as_of.as_deref()).into_iter();
            records.map(|record| (Some(mca_company_json::SOURCE), record)).collect()
        }
        Some(Format::Gstn) => {
            let records = gstn::parse_document(document, as_of.as_deref()).into_iter();
            records.map(|(source, record)| (Some(source), record)).collect()
        }
        Some(Format::McaMaster(_) | Format::Xbrl) | None => {
            vec![(None, Err("the document is of no format that is known".to_owned()))]
        }
    };
    // Documents of the portals are full of what belongs to persons: of those only the reason is kept.
    let kept = if format == Some(Format::Panji) { raw.as_str() } else { "" };
    for (source, record) in records {
        importer.take(line, kept, source, record).await?;
    }
    Ok(())
}
