//! Reads an XBRL instance as a stream and stores only the requested facts.

use std::collections::HashMap;
use std::io::{self, BufRead, Take};

use jiff::civil::Date;
use quick_xml::XmlVersion;
use quick_xml::encoding::DecodingReader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

use super::details::Contradiction;

/// The largest accepted filing; real ones have about 100 KiB.
const MAX_FILING_BYTES: u64 = 64 << 20;
/// The deepest nesting of elements; real filings have five levels.
const MAX_DEPTH: usize = 64;
/// The most contexts, units and stored facts of one filing; real ones have some hundred.
const MAX_PARTS: usize = 100_000;
/// Longer texts are truncated; a date, a name or an amount is far shorter.
const MAX_TEXT_LENGTH: usize = 1_000;

/// The contexts, units and requested facts of a filing.
#[derive(Debug, Default)]
pub struct Instance {
    pub contexts: HashMap<String, Context>,
    /// The measures of each unit.
    pub units: HashMap<String, Vec<String>>,
    /// In the order of the document, without nil and empty facts.
    pub facts: Vec<Fact>,
}

#[derive(Debug, Default)]
pub struct Context {
    /// The company, as an exchange or a registry identifies it.
    pub entity: Option<String>,
    pub start: Option<Date>,
    pub end: Option<Date>,
    pub instant: Option<Date>,
    /// Whether it covers only a part of the company, such as a segment or a kind of expense.
    pub is_part: bool,
}

/// One value of one element in one context.
#[derive(Debug)]
pub struct Fact {
    pub element: &'static str,
    pub context: String,
    pub unit: Option<String>,
    /// The rounding of an amount: -7 means to ten million.
    pub decimals: Option<i32>,
    pub text: String,
}

#[derive(Debug, thiserror::Error)]
pub enum FilingError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("the text is neither UTF-8 nor UTF-16")]
    Encoding,
    #[error("the filing is larger than {} MiB", MAX_FILING_BYTES >> 20)]
    TooLarge,
    #[error("{cause} (at byte {at})")]
    Malformed {
        #[source]
        cause: InstanceError,
        at: u64,
    },
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
}

/// What is wrong with an instance at one place.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    #[error("the XML is invalid: {0}")]
    Xml(#[source] quick_xml::Error),
    #[error("the XML ends too early")]
    Incomplete,
    #[error("a document type declaration is not accepted")]
    DocumentType,
    #[error("this is not an XBRL instance")]
    OtherRoot,
    #[error("elements are nested deeper than {MAX_DEPTH}")]
    TooDeep,
    #[error("the entity {0:?} is unknown")]
    UnknownEntity(String),
    #[error("an attribute is invalid: {0}")]
    Attribute(#[source] AttrError),
    #[error("an attribute is invalid: {0}")]
    AttributeValue(#[source] quick_xml::Error),
    #[error("it has more than {MAX_PARTS} contexts, units and facts")]
    TooManyParts,
}

/// Whether the beginning of a file is the beginning of an instance.
pub fn recognizes(head: &[u8]) -> bool {
    let mut xml = Reader::from_reader(DecodingReader::new(head));
    let mut buffer = Vec::new();
    loop {
        match xml.read_event_into(&mut buffer) {
            Ok(Event::Start(root)) => return is_root(&root),
            Ok(Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::DocType(_)) => {}
            Ok(Event::Text(text)) if text.trim().is_empty() => {}
            _ => return false,
        }
        buffer.clear();
    }
}

fn is_root(start: &BytesStart<'_>) -> bool {
    start.local_name().as_ref() == "xbrl"
}

/// Reads an instance; stores the facts whose elements are in `wanted`.
pub fn read(source: impl BufRead, wanted: &[&'static str]) -> Result<Instance, FilingError> {
    let mut xml = Reader::from_reader(DecodingReader::new(source.take(MAX_FILING_BYTES)));
    xml.config_mut().expand_empty_elements = true;
    xml.config_mut().allow_dangling_amp = true;
    let mut builder = InstanceBuilder::new(wanted);
    let mut buffer = Vec::new();
    loop {
        let outcome = match xml.read_event_into(&mut buffer) {
            Ok(Event::Eof) if builder.is_complete() => return Ok(builder.instance),
            Ok(Event::Eof) => Err(InstanceError::Incomplete),
            Ok(event) => builder.add_event(event),
            Err(quick_xml::Error::Io(error)) => {
                return Err(io::Error::new(error.kind(), error.to_string()).into());
            }
            // The position is unknown: the reader decodes ahead.
            Err(quick_xml::Error::Encoding(_)) => return Err(FilingError::Encoding),
            Err(error) => Err(InstanceError::Xml(error)),
        };
        if let Err(cause) = outcome {
            let at = Some(xml.error_position()).filter(|at| *at > 0);
            let at = at.unwrap_or(xml.buffer_position());
            return Err(error_at(&xml, cause, at));
        }
        buffer.clear();
    }
}

fn error_at<R>(
    xml: &Reader<DecodingReader<Take<R>>>,
    cause: InstanceError,
    at: u64,
) -> FilingError {
    match xml.get_ref().get_ref().limit() {
        0 => FilingError::TooLarge,
        _ => FilingError::Malformed { cause, at },
    }
}

/// The part of the instance that is being read.
enum Part {
    Skipped,
    Context(String, Context),
    Unit(String, Vec<String>),
    Fact(Fact),
}

struct InstanceBuilder<'a> {
    wanted: &'a [&'static str],
    instance: Instance,
    depth: usize,
    part: Part,
    /// The text since the last tag.
    text: String,
    has_root: bool,
}

impl<'a> InstanceBuilder<'a> {
    fn new(wanted: &'a [&'static str]) -> InstanceBuilder<'a> {
        let instance = Instance::default();
        let (part, text) = (Part::Skipped, String::new());
        InstanceBuilder { wanted, instance, depth: 0, part, text, has_root: false }
    }

    fn is_complete(&self) -> bool {
        self.has_root && self.depth == 0
    }

    fn add_event(&mut self, event: Event<'_>) -> Result<(), InstanceError> {
        match event {
            Event::Start(start) => self.open(&start),
            Event::End(end) => self.close(end.local_name().as_ref()),
            Event::Text(text) => {
                self.add(&text);
                Ok(())
            }
            Event::CData(text) => {
                self.add(&text);
                Ok(())
            }
            Event::GeneralRef(reference) => self.add_reference(&reference),
            // It could declare entities; no filing needs them.
            Event::DocType(_) => Err(InstanceError::DocumentType),
            _ => Ok(()),
        }
    }

    fn open(&mut self, start: &BytesStart<'_>) -> Result<(), InstanceError> {
        self.depth += 1;
        self.text.clear();
        match self.depth {
            1 if self.has_root || !is_root(start) => Err(InstanceError::OtherRoot),
            1 => {
                self.has_root = true;
                Ok(())
            }
            2 => {
                self.part = self.part_of(start)?;
                Ok(())
            }
            depth if depth > MAX_DEPTH => Err(InstanceError::TooDeep),
            _ => {
                if let Part::Context(_, context) = &mut self.part {
                    context.is_part |=
                        matches!(start.local_name().as_ref(), "scenario" | "segment");
                }
                Ok(())
            }
        }
    }

    fn part_of(&self, start: &BytesStart<'_>) -> Result<Part, InstanceError> {
        let name = start.local_name();
        let id = || attribute(start, "id").map(Option::unwrap_or_default);
        Ok(match name.as_ref() {
            "context" => Part::Context(id()?, Context::default()),
            "unit" => Part::Unit(id()?, Vec::new()),
            name => {
                let Some(element) = self.wanted.iter().find(|wanted| **wanted == name) else {
                    return Ok(Part::Skipped);
                };
                let Some(context) = attribute(start, "contextRef")? else {
                    return Ok(Part::Skipped);
                };
                let unit = attribute(start, "unitRef")?;
                let decimals = attribute(start, "decimals")?.and_then(|text| text.parse().ok());
                let text = String::new();
                Part::Fact(Fact { element, context, unit, decimals, text })
            }
        })
    }

    fn add(&mut self, text: &str) {
        if !matches!(self.part, Part::Skipped) {
            let room = MAX_TEXT_LENGTH.saturating_sub(self.text.len());
            self.text.extend(text.chars().take(room));
        }
    }

    fn add_reference(&mut self, reference: &BytesRef<'_>) -> Result<(), InstanceError> {
        if matches!(self.part, Part::Skipped) {
            return Ok(());
        }
        let unknown = || InstanceError::UnknownEntity((**reference).to_owned());
        match reference.resolve_char_ref().map_err(|_| unknown())? {
            Some(character) => self.add(character.encode_utf8(&mut [0; 4])),
            None => self.add(resolve_xml_entity(reference).ok_or_else(unknown)?),
        }
        Ok(())
    }

    fn close(&mut self, name: &str) -> Result<(), InstanceError> {
        let text = self.text.trim();
        let day = || text.get(..10).and_then(|day| day.parse().ok());
        match (&mut self.part, name) {
            (Part::Context(_, context), "identifier") => context.entity = Some(text.to_owned()),
            (Part::Context(_, context), "startDate") => context.start = day(),
            (Part::Context(_, context), "endDate") => context.end = day(),
            (Part::Context(_, context), "instant") => context.instant = day(),
            (Part::Unit(_, measures), "measure") => measures.push(text.to_owned()),
            // A nil fact is also empty.
            (Part::Fact(fact), _) if self.depth == 2 => fact.text = text.to_owned(),
            _ => {}
        }
        if self.depth == 2 {
            self.finish_part()?;
        }
        self.text.clear();
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }

    fn finish_part(&mut self) -> Result<(), InstanceError> {
        let instance = &mut self.instance;
        match std::mem::replace(&mut self.part, Part::Skipped) {
            Part::Context(id, context) => drop(instance.contexts.insert(id, context)),
            Part::Unit(id, measures) => drop(instance.units.insert(id, measures)),
            Part::Fact(fact) if !fact.text.is_empty() => instance.facts.push(fact),
            Part::Fact(_) | Part::Skipped => {}
        }
        let parts = instance.contexts.len() + instance.units.len() + instance.facts.len();
        if parts > MAX_PARTS {
            return Err(InstanceError::TooManyParts);
        }
        Ok(())
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<String>, InstanceError> {
    let found = start.try_get_attribute(name).map_err(InstanceError::Attribute)?;
    let Some(found) = found else { return Ok(None) };
    let value = found.normalized_value(XmlVersion::Explicit1_0);
    let value = value.map_err(InstanceError::AttributeValue)?;
    Ok(Some(value.trim().chars().take(MAX_TEXT_LENGTH).collect()))
}
