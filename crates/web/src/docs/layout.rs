//! The layout around every page of the documentation: menu, search box, theme; and its caching.

use askama::Template;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::assets::{SCRIPT, STYLE};
use super::content::{Content, GuidePage, OperationGroup};
use crate::console::assets::{AssetUrls, asset_urls};
use crate::console::layout::respond_with_html;
use crate::console::session::chosen_theme;

/// What every page needs in addition to its content.
pub struct Layout<'a> {
    pub title: String,
    pub theme: Option<&'static str>,
    pub assets: &'static AssetUrls,
    pub style: String,
    pub script: String,
    pub guides: Vec<(&'static str, Vec<&'a GuidePage>)>,
    pub groups: &'a [OperationGroup],
    /// The path of this page.
    pub path: String,
    /// The text in the search box.
    pub query: String,
}

impl<'a> Layout<'a> {
    pub fn new(content: &'a Content, reader: &Reader, title: &str) -> Layout<'a> {
        Layout {
            title: title.to_owned(),
            theme: reader.theme,
            assets: asset_urls(),
            style: STYLE.url(),
            script: SCRIPT.url(),
            guides: content.guide_groups(),
            groups: &content.groups,
            path: reader.path.clone(),
            query: String::new(),
        }
    }
}

/// What a page depends on in addition to the content.
pub struct Reader {
    theme: Option<&'static str>,
    path: String,
    /// The version of the page that the browser has.
    known: Option<String>,
}

impl Reader {
    pub fn new(parts: &Parts) -> Reader {
        let text = |headers: &HeaderMap| {
            headers.get(header::IF_NONE_MATCH)?.to_str().ok().map(str::to_owned)
        };
        Reader {
            theme: chosen_theme(&parts.headers),
            path: parts.uri.path().trim_end_matches('/').to_owned(),
            known: text(&parts.headers),
        }
    }

    /// Renders a page. If the browser has this version of it, only says so.
    pub fn respond(&self, page: &impl Template) -> Response {
        let html = match page.render() {
            Ok(html) => html,
            Err(error) => {
                tracing::error!(%error, "a page could not be rendered");
                return StatusCode::INTERNAL_SERVER_ERROR.into_response();
            }
        };
        let tag = version(&html);
        let known = self.known.as_ref().is_some_and(|known| known.contains(&tag));
        let mut response =
            if known { StatusCode::NOT_MODIFIED.into_response() } else { respond_with_html(html) };
        let headers = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&format!("W/{tag}")) {
            headers.insert(header::ETAG, tag);
        }
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        response
    }
}

/// The validator of a text.
fn version(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let short: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\"{short}\"")
}
