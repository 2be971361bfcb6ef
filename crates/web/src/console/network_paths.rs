//! The page that finds paths between two companies or people.

use askama::Template;
use axum::Extension;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::api::wire::NetworkPaths;
use panji_api::config::operation::Operation;
use panji_api::http::encoding::encoded;
use panji_store::ledger::Mode;
use serde::Deserialize;

use super::api_call::{ApiCalls, ApiResponse, Calls};
use super::forms::AuthenticatedForm;
use super::labels;
use super::language::{amounts, dates, filters, t};
use super::layout::{Layout, Tab, respond};
use super::network::drawn_network::{DisplayNetworkNode, DisplayNetworkPath, DisplayNetworkPaths};
use super::page_cache::{CachedPage, Part, run_to_completion};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;

/// The page has one part.
const PART: &str = "paths";
/// The longest number that a field takes.
const MAX_NUMBER: usize = 40;

#[derive(Template)]
#[template(path = "network_paths.html")]
struct PathsPage {
    layout: Layout,
    from: String,
    to: String,
    may_call: bool,
    price: i64,
    stored_until: Option<String>,
    in_progress: bool,
    response: Option<ApiResponse>,
    found: Option<NetworkPaths>,
}

#[derive(Default, Deserialize)]
pub struct PathEnds {
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
}

impl PathEnds {
    /// Both numbers without spaces around them; none unless both are given.
    fn both(&self) -> Option<(String, String)> {
        let read = |text: &str| -> String {
            text.trim().chars().take(MAX_NUMBER).collect::<String>().to_uppercase()
        };
        let (from, to) = (read(&self.from), read(&self.to));
        (!from.is_empty() && !to.is_empty()).then_some((from, to))
    }
}

/// Displays the stored response. In test mode a missing one is requested; in live mode the form has the
/// price and sends a POST.
pub async fn show(
    signed_in: SignedIn,
    Extension(calls): Calls,
    RepeatedQuery(ends): RepeatedQuery<PathEnds>,
) -> Result<Response, PageError> {
    let mut page = PathsPage {
        layout: signed_in.layout(Tab::Search, t("Find a path")),
        from: ends.from.trim().to_owned(),
        to: ends.to.trim().to_owned(),
        may_call: signed_in.may(Permission::MakeCalls),
        price: signed_in.app.config.prices.of(Operation::FindPaths),
        stored_until: None,
        in_progress: false,
        response: None,
        found: None,
    };
    if let Some((from, to)) = ends.both() {
        let mut cached = CachedPage::open(&signed_in, subject(&from, &to)).await?;
        if signed_in.mode() == Mode::Test && page.may_call {
            cached.fetch(&calls, parts(&from, &to)).await?;
        }
        page.in_progress = cached.in_progress;
        page.stored_until =
            cached.stored_until.filter(|_| signed_in.mode() == Mode::Live).map(dates::minute);
        if let Some(response) = cached.take(PART) {
            page.found = response.data()?;
            page.response = Some(response);
        }
    }
    Ok(respond(&page))
}

/// Makes the call, which is charged, and redirects to the page.
pub async fn find(
    Extension(calls): Calls,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<PathEnds>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let Some((from, to)) = form.both() else {
        return Ok(Redirect::to("/console/paths").into_response());
    };
    run_to_completion(fetch(calls, signed_in, from, to)).await
}

async fn fetch(
    calls: ApiCalls,
    signed_in: SignedIn,
    from: String,
    to: String,
) -> Result<Response, PageError> {
    let mut cached = CachedPage::open(&signed_in, subject(&from, &to)).await?;
    cached.fetch(&calls, parts(&from, &to)).await?;
    let address = format!("/console/paths?from={}&to={}", encoded(&from), encoded(&to));
    Ok(Redirect::to(&address).into_response())
}

fn subject(from: &str, to: &str) -> String {
    format!("paths/{from}/{to}")
}

fn parts(from: &str, to: &str) -> Vec<Part> {
    let path = format!("/v1/network/paths?from={}&to={}", encoded(from), encoded(to));
    vec![Part { name: PART.to_owned(), operation: Operation::FindPaths, path }]
}
