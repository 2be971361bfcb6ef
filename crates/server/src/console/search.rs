//! The search page, with suggestions while the user types.

use askama::Template;
use axum::Extension;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::ledger::Mode;
use serde::Deserialize;

use super::api_call::{ApiCalls, ApiResponse, Calls};
use super::first_call::FirstCall;
use super::forms::AuthenticatedForm;
use super::frame::{Frame, Tab, respond};
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;
use super::views::{Part, View, run_to_completion};
use super::words;
use crate::accounts::roles::Permission;
use crate::api::simulation::SIMULATIONS;
use crate::config::operation::Operation;
use crate::http::encoding::encoded;
use crate::locale::{amounts, dates};

const MAX_RESULTS: usize = 12;
/// The page has one part.
const PART: &str = "results";

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    frame: Frame,
    text: String,
    response: Option<ApiResponse>,
    results: Vec<Found>,
    total: usize,
    may_call: bool,
    price: i64,
    free_left: i64,
    register_is_empty: bool,
}

#[derive(Template)]
#[template(path = "search_results.html")]
struct Results {
    text: String,
    response: Option<ApiResponse>,
    results: Vec<Found>,
    total: usize,
}

#[derive(Default, Deserialize)]
pub struct SearchQuery {
    #[serde(default)]
    q: String,
}

/// The fields of a response that the list displays.
#[derive(Deserialize)]
struct Listing {
    total: usize,
    companies: Vec<Found>,
}

#[derive(Deserialize)]
pub struct Found {
    pub cin: String,
    pub name: String,
    pub status: String,
    pub state: Option<String>,
    pub incorporated_on: Option<String>,
    pub listed: Option<bool>,
    pub matched_name: Option<String>,
}

impl Found {
    pub fn since(&self) -> String {
        self.incorporated_on.as_deref().map(dates::day).unwrap_or_default()
    }
}

/// Displays the stored results. In test mode, searches if there are none; in live mode, a search
/// may cost credits and starts only when the form is sent.
pub async fn show(
    signed_in: SignedIn,
    Extension(calls): Calls,
    RepeatedQuery(query): RepeatedQuery<SearchQuery>,
) -> Result<Response, Problem> {
    let response = stored(&signed_in, &calls, &query.q).await?;
    page(&signed_in, query.q, response).await
}

/// The stored results of a search; in test mode, searches if there are none.
pub async fn stored(
    signed_in: &SignedIn,
    calls: &ApiCalls,
    text: &str,
) -> Result<Option<ApiResponse>, Problem> {
    if !is_stored(signed_in, text) {
        return Ok(None);
    }
    let mut view = View::open(signed_in, subject(text)).await?;
    if signed_in.mode() == Mode::Test && signed_in.may(Permission::MakeCalls) {
        view.fetch(calls, parts(text)).await?;
    }
    Ok(view.take(PART))
}

/// Searches, and stores the results.
pub async fn store(signed_in: &SignedIn, calls: &ApiCalls, text: &str) -> Result<(), Problem> {
    if is_stored(signed_in, text) {
        View::open(signed_in, subject(text)).await?.fetch(calls, parts(text)).await?;
    }
    Ok(())
}

/// Searches in live mode, which may cost credits, and redirects to the results.
pub async fn search_live(
    Extension(calls): Calls,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<SearchQuery>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    if form.q.trim().is_empty() {
        return Ok(Redirect::to("/console/search").into_response());
    }
    if !is_stored(&signed_in, &form.q) {
        let response = search(&signed_in, &calls, &form.q).await?;
        return page(&signed_in, form.q, Some(response)).await;
    }
    run_to_completion(fetch(calls, signed_in, form.q)).await
}

async fn fetch(calls: ApiCalls, signed_in: SignedIn, text: String) -> Result<Response, Problem> {
    store(&signed_in, &calls, &text).await?;
    Ok(Redirect::to(&format!("/console/search?q={}", encoded(&text))).into_response())
}

/// Whether the results of a search are stored. A text that is too long only returns an error, and
/// would not fit into a URL.
fn is_stored(signed_in: &SignedIn, text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= signed_in.app.config.limits.query_characters.get()
}

fn subject(text: &str) -> String {
    format!("search/{}", text.trim())
}

fn parts(text: &str) -> Vec<Part> {
    let operation = Operation::SearchCompanies;
    vec![Part { name: PART.to_owned(), operation, path: search_path(text) }]
}

fn search_path(text: &str) -> String {
    format!("/v1/companies/search?q={}&limit={MAX_RESULTS}", encoded(text))
}

async fn page(
    signed_in: &SignedIn,
    text: String,
    response: Option<ApiResponse>,
) -> Result<Response, Problem> {
    let (results, total) = found(response.as_ref())?;
    Ok(respond(&SearchPage {
        frame: signed_in.frame(Tab::Search, "Search"),
        register_is_empty: FirstCall::find(&signed_in.app, signed_in.mode())
            .await
            .register_is_empty,
        text,
        response,
        results,
        total,
        may_call: signed_in.may(Permission::MakeCalls),
        price: signed_in.app.config.prices.of(Operation::SearchCompanies),
        free_left: signed_in.free_calls_left().await?,
    }))
}

/// Only the list, for the script that searches while the user types; in test mode only.
pub async fn suggest(
    signed_in: SignedIn,
    Extension(calls): Calls,
    RepeatedQuery(query): RepeatedQuery<SearchQuery>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    if signed_in.mode() != Mode::Test {
        return Err(Problem::bad_form("Suggestions are available in test mode only"));
    }
    let response = match query.q.trim().is_empty() {
        true => None,
        false => Some(search(&signed_in, &calls, &query.q).await?),
    };
    let (results, total) = found(response.as_ref())?;
    Ok(respond(&Results { text: query.q, response, results, total }))
}

async fn search(
    signed_in: &SignedIn,
    calls: &ApiCalls,
    text: &str,
) -> Result<ApiResponse, Problem> {
    calls.get(signed_in, Operation::SearchCompanies, search_path(text)).await
}

/// The companies in a response, and the total number of matches.
pub fn found(response: Option<&ApiResponse>) -> Result<(Vec<Found>, usize), Problem> {
    let listing: Option<Listing> = match response {
        Some(response) => response.data()?,
        None => None,
    };
    Ok(listing.map_or((Vec::new(), 0), |listing| (listing.companies, listing.total)))
}
