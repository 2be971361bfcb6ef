//! The language of a request: the one that the user selected, otherwise the browser's.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::ACCEPT_LANGUAGE;
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::app::App;
use serde::Deserialize;

use super::forms::AnonymousForm;
use super::language::{self, Language};
use super::redirects::safe_path;
use super::session::{append_cookie, cookie_for_this_site, cookie_name, read_cookie};

/// Contains the language that the user selected.
const COOKIES: [&str; 2] = ["panji_language", "__Host-panji_language"];
const COOKIE_DAYS: i64 = 365;
/// Of the browser's languages, as many are read.
const MAX_LANGUAGES: usize = 20;

/// Responds to a request in the language of the user.
pub async fn use_language(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let path = match *request.method() {
        Method::GET => request.uri().path_and_query().map_or("", |path| path.as_str()),
        _ => "",
    };
    let chosen = read_cookie(request.headers(), cookie_name(&app, COOKIES));
    let language = chosen
        .and_then(|code| Language::from_code(&code))
        .unwrap_or_else(|| preferred(request.headers()));
    let texts = language::Request { language, path: path.to_owned() };
    language::in_language(texts, next.run(request)).await
}

#[derive(Deserialize)]
pub struct Choice {
    language: String,
    #[serde(default)]
    next: String,
}

/// Stores the language in a cookie.
pub async fn choose(AnonymousForm { anonymous, form }: AnonymousForm<Choice>) -> Response {
    let mut response = Redirect::to(&safe_path(&form.next)).into_response();
    if let Some(language) = Language::from_code(&form.language) {
        let mut cookie = cookie_for_this_site(&anonymous.app, COOKIES, language.code());
        cookie.set_max_age(cookie::time::Duration::days(COOKIE_DAYS));
        append_cookie(&mut response, &cookie);
    }
    response
}

/// The language of ours that the browser prefers; English if it names none.
fn preferred(headers: &HeaderMap) -> Language {
    let header = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let weighted = header.unwrap_or_default().split(',').take(MAX_LANGUAGES).filter_map(|range| {
        let (tag, weight) = range.split_once(';').unwrap_or((range, "q=1"));
        let weight: f64 = weight.trim().strip_prefix("q=")?.trim().parse().ok()?;
        let main = tag.trim().split('-').next()?.to_ascii_lowercase();
        Some((Language::from_code(&main)?, weight))
    });
    // The first of those with the same weight.
    let best = weighted.filter(|(_, weight)| *weight > 0.0).fold(None, |best, one| match best {
        Some((_, weight)) if weight >= one.1 => best,
        _ => Some(one),
    });
    best.map_or(Language::default(), |(language, _)| language)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn the_browser_chooses_the_language() {
        let of = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(value));
            preferred(&headers)
        };
        assert_eq!(of("hi-IN,hi;q=0.9,en;q=0.8"), Language::Hindi);
        assert_eq!(of("en-IN,en;q=0.9,hi;q=0.8"), Language::English);
        assert_eq!(of("mr, hi;q=0.5, en;q=0.4"), Language::Hindi);
        assert_eq!(of("hi;q=0, en;q=0.1"), Language::English);
        assert_eq!(of("mr,*"), Language::English);
        assert_eq!(preferred(&HeaderMap::new()), Language::English);
    }
}
