//! Request bodies: read with a size limit and parsed by hand, so that an error says in plain words
//! what is wrong and where.

use std::borrow::Cow;
use std::fmt;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::http::error::{ApiError, ErrorCode};

/// How many characters of a name in the body an error repeats.
const MAX_ECHOED: usize = 100;

/// A type that can be parsed from a body.
pub trait FromBody: Sized {
    fn from_body(body: Json<'_>) -> Result<Self, ApiError>;
}

/// Reads the body of a request; an error names the wrong field.
pub async fn read<T: FromBody>(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<(Bytes, T), ApiError> {
    check_media_type(headers)?;
    let bytes = collect(body, limit).await?;
    let parsed = parse(&bytes)?;
    Ok((bytes, parsed))
}

pub fn parse<T: FromBody>(bytes: &[u8]) -> Result<T, ApiError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| ApiError::body("body", "The body is not UTF-8: send JSON in UTF-8."))?;
    if text.trim().is_empty() {
        return Err(ApiError::body("body", "The body is empty."));
    }
    let json = serde_json::from_str(text).map_err(|error| unreadable(text, &error))?;
    T::from_body(json)
}

/// A JSON value. Unlike serde_json's own it borrows from the input and keeps duplicate fields of an
/// object.
pub enum Json<'a> {
    Null,
    Text(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
    Whole(u64),
    /// Another number or a boolean, which no body contains.
    Other,
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json<'a>, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json<'de>, E> {
        Ok(Json::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Json<'de>, E> {
        Ok(Json::Other)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json<'de>, E> {
        Ok(Json::Whole(number))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json<'de>, E> {
        Ok(Json::Other)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json<'de>, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element()? {
            array.push(item);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json<'de>, A::Error> {
        let mut object = Vec::new();
        while let Some(name) = fields.next_key()? {
            let Json::Text(name) = name else {
                return Err(A::Error::custom("a name must be a string"));
            };
            object.push((name, fields.next_value()?));
        }
        Ok(Json::Object(object))
    }
}

/// A path in a body, such as `items[3].value`.
#[derive(Clone, Copy)]
pub enum BodyPath<'a> {
    Root,
    Field(&'a BodyPath<'a>, &'a str),
    Item(&'a BodyPath<'a>, usize),
}

impl fmt::Display for BodyPath<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyPath::Root => formatter.write_str("body"),
            BodyPath::Field(BodyPath::Root, name) => formatter.write_str(name),
            BodyPath::Field(object, name) => write!(formatter, "{object}.{name}"),
            BodyPath::Item(array, index) => write!(formatter, "{array}[{index}]"),
        }
    }
}

impl BodyPath<'_> {
    /// The path as the subject of a sentence.
    fn subject(&self) -> String {
        match self {
            BodyPath::Root => "The body".to_owned(),
            inside => inside.to_string(),
        }
    }

    /// The error that this must be something else.
    pub fn must_be(&self, what: &str) -> ApiError {
        ApiError::body(self.to_string(), format!("{} must be {what}.", self.subject()))
    }
}

/// The fields of an object, taken one by one.
pub struct Fields<'a, 'path> {
    path: &'path BodyPath<'path>,
    fields: Vec<(Cow<'a, str>, Json<'a>)>,
}

impl<'a, 'path> Fields<'a, 'path> {
    /// Refuses unknown and duplicate fields.
    pub fn of(
        json: Json<'a>,
        path: &'path BodyPath<'path>,
        known: &[&str],
    ) -> Result<Fields<'a, 'path>, ApiError> {
        let Json::Object(fields) = json else { return Err(path.must_be("an object")) };
        for (index, (name, _)) in fields.iter().enumerate() {
            if !known.contains(&&**name) {
                let echoed = echo(name);
                let message = format!(
                    "{} has no field {echoed:?}: it takes {}.",
                    path.subject(),
                    known.join(", ")
                );
                return Err(ApiError::body(BodyPath::Field(path, &echoed).to_string(), message));
            }
            if fields[..index].iter().any(|(other, _)| other == name) {
                let field = BodyPath::Field(path, name);
                return Err(ApiError::body(field.to_string(), format!("{field} is given twice.")));
            }
        }
        Ok(Fields { path, fields })
    }

    fn take(&mut self, name: &str) -> Option<Json<'a>> {
        let index = self.fields.iter().position(|(known, _)| known == name)?;
        Some(self.fields.swap_remove(index).1)
    }

    fn take_required(&mut self, name: &str) -> Result<Json<'a>, ApiError> {
        let field = BodyPath::Field(self.path, name);
        let missing = || ApiError::body(field.to_string(), format!("{field} is missing."));
        self.take(name).ok_or_else(missing)
    }

    /// Whether the field is given, null included.
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(known, _)| known == name)
    }

    /// A required string.
    pub fn text(&mut self, name: &str) -> Result<String, ApiError> {
        read_text(self.take_required(name)?, &BodyPath::Field(self.path, name))
    }

    /// A string; none if it is missing or null.
    pub fn optional_text(&mut self, name: &str) -> Result<Option<String>, ApiError> {
        match self.take(name) {
            None | Some(Json::Null) => Ok(None),
            Some(json) => read_text(json, &BodyPath::Field(self.path, name)).map(Some),
        }
    }

    /// A whole number in a range; none if it is missing or null.
    pub fn optional_whole(
        &mut self,
        name: &str,
        range: std::ops::RangeInclusive<u16>,
    ) -> Result<Option<u16>, ApiError> {
        let number = match self.take(name) {
            None | Some(Json::Null) => return Ok(None),
            Some(Json::Whole(number)) => u16::try_from(number).ok(),
            Some(_) => None,
        };
        number.filter(|number| range.contains(number)).map(Some).ok_or_else(|| {
            let (from, to) = (range.start(), range.end());
            BodyPath::Field(self.path, name).must_be(&format!("a whole number from {from} to {to}"))
        })
    }

    /// A large whole number in a range; none if it is missing or null.
    pub fn optional_number(
        &mut self,
        name: &str,
        range: std::ops::RangeInclusive<i64>,
    ) -> Result<Option<i64>, ApiError> {
        let number = match self.take(name) {
            None | Some(Json::Null) => return Ok(None),
            Some(Json::Whole(number)) => i64::try_from(number).ok(),
            Some(_) => None,
        };
        number.filter(|number| range.contains(number)).map(Some).ok_or_else(|| {
            let from = range.start();
            BodyPath::Field(self.path, name).must_be(&format!("a whole number of {from} or more"))
        })
    }

    /// One of `words`; none if it is missing or null.
    pub fn optional_word<T: Copy>(
        &mut self,
        name: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, ApiError> {
        let text = match self.take(name) {
            None | Some(Json::Null) => return Ok(None),
            Some(Json::Text(text)) => text,
            Some(_) => Cow::Borrowed(""),
        };
        let known = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
        known.map(Some).ok_or_else(|| {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            BodyPath::Field(self.path, name).must_be(&format!("one of {}", words.join(", ")))
        })
    }

    /// A required array; each item is read by `read_item`.
    pub fn array<T>(
        &mut self,
        name: &str,
        read_item: impl Fn(Json<'a>, &BodyPath<'_>) -> Result<T, ApiError>,
    ) -> Result<Vec<T>, ApiError> {
        let at = BodyPath::Field(self.path, name);
        let Json::Array(items) = self.take_required(name)? else {
            return Err(at.must_be("an array"));
        };
        let items = items.into_iter().enumerate();
        items.map(|(index, item)| read_item(item, &BodyPath::Item(&at, index))).collect()
    }
}

impl<'a> Fields<'a, '_> {
    /// An array; none if it is missing or null.
    pub fn optional_array<T>(
        &mut self,
        name: &str,
        read_item: impl Fn(Json<'a>, &BodyPath<'_>) -> Result<T, ApiError>,
    ) -> Result<Option<Vec<T>>, ApiError> {
        match self.fields.iter().find(|(known, _)| known == name) {
            None | Some((_, Json::Null)) => Ok(None),
            Some(_) => self.array(name, read_item).map(Some),
        }
    }
}

pub fn read_text(json: Json<'_>, at: &BodyPath<'_>) -> Result<String, ApiError> {
    match json {
        Json::Text(text) => Ok(text.into_owned()),
        _ => Err(at.must_be("a string")),
    }
}

/// The error for a text that serde_json rejects. Some of it is valid JSON beyond our limits.
fn unreadable(text: &str, error: &serde_json::Error) -> ApiError {
    let reason = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let reason = reason.strip_suffix(&position).unwrap_or(&reason);
    let at = path_of_error(text);
    let subject = if at == "body" { "The body" } else { at.as_str() };
    let message = match reason {
        "recursion limit exceeded" => {
            return ApiError::body("body", "The body is nested too deeply.");
        }
        "number out of range" => format!("{subject} has a number that is out of range."),
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
            format!("{subject} has an escape (\\u…) that is only half of a character.")
        }
        reason => {
            let plain = match reason {
                "EOF while parsing a value"
                | "EOF while parsing a string"
                | "EOF while parsing an object"
                | "EOF while parsing a list" => "it ends too early",
                "expected value" | "expected ident" => "a value is expected",
                "trailing characters" => "there is text after its end",
                "control character (\\u0000-\\u001F) found while parsing a string" => {
                    "a control character in a string must be escaped"
                }
                other => other,
            };
            let (line, column) = (error.line(), error.column());
            format!("The body is not valid JSON: {plain} at line {line}, column {column}.")
        }
    };
    ApiError::body(at, message)
}

/// The path of the error in a text. The text is parsed a second time for this, so that valid JSON
/// does not pay for tracking the path.
fn path_of_error(text: &str) -> String {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read: Result<Json<'_>, _> = serde_path_to_error::deserialize(&mut deserializer);
    let path = read.err().map(|error| error.path().to_string());
    match path.as_deref() {
        None | Some(".") => "body".to_owned(),
        Some(path) => echo(path),
    }
}

/// The part of the body that an error repeats: printable and short.
fn echo(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(MAX_ECHOED).collect()
}

pub async fn collect(body: Body, limit: usize) -> Result<Bytes, ApiError> {
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            let message = format!("The body is larger than {limit} bytes: split the request.");
            Err(ApiError::new(ErrorCode::BodyTooLarge, message))
        }
        Err(_) => Err(ApiError::body("body", "The body ended early: send all of it.")),
    }
}

/// The media type of a body, in lower case and without its parameters.
pub(super) fn media_type(headers: &HeaderMap) -> Option<String> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok())?;
    Some(given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

pub(super) fn check_content_encoding(headers: &HeaderMap) -> Result<(), ApiError> {
    let encoding = headers.get(header::CONTENT_ENCODING);
    if encoding.is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(ApiError::new(
            ErrorCode::UnsupportedMediaType,
            "Send the body without a Content-Encoding.",
        ));
    }
    Ok(())
}

fn check_media_type(headers: &HeaderMap) -> Result<(), ApiError> {
    check_content_encoding(headers)?;
    if media_type(headers).as_deref() == Some("application/json") {
        return Ok(());
    }
    Err(ApiError::new(
        ErrorCode::UnsupportedMediaType,
        "Send the body as JSON, with the header \"Content-Type: application/json\".",
    ))
}
