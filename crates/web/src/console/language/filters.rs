//! Filters of the templates: `{{ "Keys"|t }}`, `{{ "Delete {0}?"|t|with(name) }}`. Texts are HTML
//! that we wrote; values are escaped.

use std::fmt::{self, Display, Formatter};

use askama::filters::HtmlSafe;
use askama::{Result, Values};

use super::filled;

/// A text in the language of the page, with the values for its places.
pub struct Text {
    text: &'static str,
    values: Vec<String>,
}

impl Display for Text {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&filled(self.text, &self.values))
    }
}

impl HtmlSafe for Text {}

/// Translates a text of ours.
#[askama::filter_fn]
pub fn t(text: &'static str, _: &dyn Values) -> Result<Text> {
    Ok(Text { text: super::t(text), values: Vec::new() })
}

/// Adds the value for the next place of a text.
#[askama::filter_fn]
pub fn with<V: Display>(mut text: Text, _: &dyn Values, value: V) -> Result<Text> {
    text.values.push(askama::filters::escape(value, askama::filters::Html)?.to_string());
    Ok(text)
}

/// Translates a sentence of a lower layer, if the catalog has its pattern. The result is escaped.
#[askama::filter_fn]
pub fn sentence(text: impl Display, _: &dyn Values) -> Result<String> {
    Ok(super::sentence(&text.to_string()))
}
