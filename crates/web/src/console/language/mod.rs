//! The language of the pages: English, or Hindi from the catalog in `console/hindi`. The English
//! text is the key. The language belongs to the request, so that no page has to pass it on; text
//! that is made outside of a request for a page (email, files, the API) is English.

pub mod amounts;
mod catalog;
pub mod dates;
pub mod filters;
mod sentences;

use std::fmt::Display;

use catalog::hindi;
pub use catalog::script_texts;
pub use sentences::sentence;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    English,
    Hindi,
}

impl Language {
    /// As in the attribute `lang`.
    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Hindi => "hi",
        }
    }

    pub fn from_code(code: &str) -> Option<Language> {
        [Language::English, Language::Hindi].into_iter().find(|language| language.code() == code)
    }
}

/// What the texts of a page depend on.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub language: Language,
    /// The address of the page, to return to after the language is switched.
    pub path: String,
}

tokio::task_local! {
    static REQUEST: Request;
}

/// Runs `work` in the language of a request.
pub async fn in_language<T>(request: Request, work: impl Future<Output = T>) -> T {
    REQUEST.scope(request, work).await
}

/// Work of this request for another task, in the language of the request.
pub fn in_this_language<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    let request = REQUEST.try_with(Request::clone).unwrap_or_default();
    in_language(request, work)
}

pub fn language() -> Language {
    REQUEST.try_with(|request| request.language).unwrap_or_default()
}

pub fn path() -> String {
    REQUEST.try_with(|request| request.path.clone()).unwrap_or_default()
}

/// Whether the page is in Hindi.
pub fn in_hindi() -> bool {
    language() == Language::Hindi
}

/// A text in the language of the page. Without a translation it stays English. What follows a `|`
/// is not displayed: it distinguishes equal texts of different meaning, such as `Watch|do`.
pub fn t(text: &'static str) -> &'static str {
    translation(text).unwrap_or_else(|| text.split_once('|').map_or(text, |(text, _)| text))
}

/// A text with values in the places `{0}`, `{1}`, …
pub fn t_with(text: &'static str, values: &[&dyn Display]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    filled(t(text), &values)
}

/// Marks a text that is translated where it is displayed, so that the check of the catalog finds
/// it.
pub const fn key(text: &'static str) -> &'static str {
    text
}

/// The translation of a text that is only known at run time, such as a word of the API.
pub fn translation(text: &str) -> Option<&'static str> {
    in_hindi().then(|| hindi().get(text).copied()).flatten()
}

/// A text that is only known at run time, translated if it is in the catalog.
pub fn translated(text: String) -> String {
    translation(&text).map_or(text, str::to_owned)
}

/// Puts the values into their places. A value is not searched for places.
fn filled(pattern: &str, values: &[String]) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let value = after.split_once('}').and_then(|(place, rest)| {
            let index: usize = place.parse().ok()?;
            Some((values.get(index)?, rest))
        });
        rest = match value {
            Some((value, rest)) => {
                text.push_str(value);
                rest
            }
            None => {
                text.push('{');
                after
            }
        };
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_into_their_places_once() {
        let values = ["{1}".to_owned(), "b".to_owned()];
        assert_eq!(filled("{1} of {0}, {2} {x", &values), "b of {1}, {2} {x");
    }

    #[tokio::test]
    async fn texts_are_in_the_language_of_the_request() {
        assert_eq!(t("Keys"), "Keys");
        let request = Request { language: Language::Hindi, path: "/console".to_owned() };
        let texts = in_language(request, async { (t("Keys"), t("no such text")) }).await;
        assert_eq!(texts, ("कुंजियाँ", "no such text"));
    }

    #[tokio::test]
    async fn equal_texts_of_different_meaning_are_distinguished() {
        let action = || t("Watch|do");
        assert_eq!(action(), "Watch");
        let request = Request { language: Language::Hindi, path: String::new() };
        // Another task responds in the same language.
        let work = async move { (action(), t("Watch")) };
        let texts = in_language(request, async {
            tokio::spawn(in_this_language(work)).await.expect("texts")
        });
        assert_eq!(texts.await, ("निगरानी करें", "निगरानी"));
    }
}
