//! The start page, the guides and the search.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::{Path, Request};
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::content::{Content, Docs, GuidePage};
use super::layout::{Layout, Reader};
use super::search::{Found, MAX_QUERY, MAX_RESULTS};
use crate::console::page_error::PageError;
use crate::console::repeated::RepeatedQuery;

const MARKDOWN: &str = "text/markdown; charset=utf-8";
/// The file for language models, as llmstxt.org describes it.
const LLMS: &str = include_str!("../../../../docs/llms.txt");
/// Headings of the list of contents on a page; deeper ones are left out.
const CONTENTS_LEVEL: u8 = 2;

pub type Shared = Extension<Arc<Docs>>;

#[derive(Template)]
#[template(path = "docs_overview.html")]
struct Overview<'a> {
    layout: Layout<'a>,
    content: &'a Content,
}

#[derive(Template)]
#[template(path = "docs_guide.html")]
struct GuideTemplate<'a> {
    layout: Layout<'a>,
    page: &'a GuidePage,
}

#[derive(Template)]
#[template(path = "docs_search.html")]
struct SearchTemplate<'a> {
    layout: Layout<'a>,
    results: Vec<Found>,
    /// Whether there may be more results.
    full: bool,
}

impl GuideTemplate<'_> {
    /// The headings for the list of contents.
    fn contents(&self) -> Vec<(&str, &str)> {
        let sections = self.page.rendered.sections.iter();
        let listed = sections.filter(|section| section.level == CONTENTS_LEVEL);
        listed.map(|section| (section.id.as_str(), section.title.as_str())).collect()
    }
}

pub async fn overview(Extension(docs): Shared, request: Request) -> Response {
    let (reader, content) = (Reader::new(&request.into_parts().0), docs.content());
    let layout = Layout::new(content, &reader, "Documentation");
    reader.respond(&Overview { layout, content })
}

/// A guide as a page, or with the ending `.md` as it is in the repository.
pub async fn guide(
    Extension(docs): Shared,
    Path(slug): Path<String>,
    request: Request,
) -> Result<Response, PageError> {
    let content = docs.content();
    let missing = || PageError::not_found("This page does not exist.");
    if let Some(slug) = slug.strip_suffix(".md") {
        let page = content.guide(slug).ok_or_else(missing)?;
        return Ok(([(header::CONTENT_TYPE, MARKDOWN)], page.guide.text).into_response());
    }
    let page = content.guide(&slug).ok_or_else(missing)?;
    if page.guide.path() != request.uri().path() {
        return Ok(Redirect::permanent(&page.guide.path()).into_response());
    }
    Ok(show(content, page, request))
}

/// The guide of error codes, to which the program links.
pub async fn errors(Extension(docs): Shared, request: Request) -> Result<Response, PageError> {
    let content = docs.content();
    let page = content.guide("errors");
    let page = page.ok_or_else(|| PageError::internal("the guide of errors is missing"))?;
    Ok(show(content, page, request))
}

fn show(content: &Content, page: &GuidePage, request: Request) -> Response {
    let reader = Reader::new(&request.into_parts().0);
    let layout = Layout::new(content, &reader, &page.rendered.title);
    reader.respond(&GuideTemplate { layout, page })
}

#[derive(Deserialize)]
pub struct SearchQuery {
    #[serde(default)]
    q: String,
}

pub async fn search(
    Extension(docs): Shared,
    RepeatedQuery(query): RepeatedQuery<SearchQuery>,
    request: Request,
) -> Response {
    let (reader, content) = (Reader::new(&request.into_parts().0), docs.content());
    let results = content.index.find(&query.q);
    let mut layout = Layout::new(content, &reader, "Search the documentation");
    layout.query = query.q.trim().chars().take(MAX_QUERY).collect();
    let full = results.len() == MAX_RESULTS;
    reader.respond(&SearchTemplate { layout, results, full })
}

pub async fn llms() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], LLMS)
}
