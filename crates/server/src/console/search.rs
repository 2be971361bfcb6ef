//! Search: a company by name, as one types.

use askama::Template;
use axum::Extension;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::ledger::Mode;
use serde::Deserialize;

use super::api_call::{Answered, ApiCalls, Calls, encoded};
use super::first_call::FirstCall;
use super::forms::AuthenticatedForm;
use super::frame::{Frame, Tab, respond};
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;
use super::views::{Part, View, run_to_end};
use super::words;
use crate::accounts::roles::Permission;
use crate::api::simulation::SIMULATIONS;
use crate::config::operation::Operation;
use crate::locale::{amounts, dates};

/// Companies shown.
const SHOWN: usize = 12;
/// The one part of the page.
const PART: &str = "results";

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    frame: Frame,
    text: String,
    answered: Option<Answered>,
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
    answered: Option<Answered>,
    results: Vec<Found>,
    total: usize,
}

/// What is searched for.
#[derive(Default, Deserialize)]
pub struct SearchQuery {
    #[serde(default)]
    q: String,
}

/// The part of an answer that the list shows.
#[derive(Deserialize)]
struct Listing {
    total: usize,
    companies: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    cin: String,
    name: String,
    status: String,
    state: Option<String>,
    incorporated_on: Option<String>,
    listed: Option<bool>,
    matched_name: Option<String>,
}

impl Found {
    fn since(&self) -> String {
        self.incorporated_on.as_deref().map(dates::day).unwrap_or_default()
    }
}

/// Shows the page with what is kept for the text. In test mode it is searched for; in live mode not until
/// the form is sent, because it may cost.
pub async fn show(
    signed_in: SignedIn,
    Extension(calls): Calls,
    RepeatedQuery(query): RepeatedQuery<SearchQuery>,
) -> Result<Response, Problem> {
    let answered = match is_kept(&signed_in, &query.q) {
        true => {
            let mut view = View::open(&signed_in, subject(&query.q)).await?;
            if signed_in.mode() == Mode::Test && signed_in.may(Permission::MakeCalls) {
                view.ask(&calls, parts(&query.q)).await?;
            }
            view.take(PART)
        }
        false => None,
    };
    page(&signed_in, query.q, answered).await
}

/// Searches in live mode, which may cost, and leads to the page that shows what was found.
pub async fn search_live(
    Extension(calls): Calls,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<SearchQuery>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    if form.q.trim().is_empty() {
        return Ok(Redirect::to("/console/search").into_response());
    }
    if !is_kept(&signed_in, &form.q) {
        let answered = search(&signed_in, &calls, &form.q).await?;
        return page(&signed_in, form.q, Some(answered)).await;
    }
    run_to_end(ask(calls, signed_in, form.q)).await
}

async fn ask(calls: ApiCalls, signed_in: SignedIn, text: String) -> Result<Response, Problem> {
    let mut view = View::open(&signed_in, subject(&text)).await?;
    view.ask(&calls, parts(&text)).await?;
    Ok(Redirect::to(&format!("/console/search?q={}", encoded(&text))).into_response())
}

/// Whether a search for a text is kept. One that is too long only has an error as its answer, and would
/// not fit into an address.
fn is_kept(signed_in: &SignedIn, text: &str) -> bool {
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
    format!("/v1/companies/search?q={}&limit={SHOWN}", encoded(text))
}

async fn page(
    signed_in: &SignedIn,
    text: String,
    answered: Option<Answered>,
) -> Result<Response, Problem> {
    let (results, total) = found(answered.as_ref())?;
    Ok(respond(&SearchPage {
        frame: signed_in.frame(Tab::Search, "Search"),
        register_is_empty: FirstCall::find(&signed_in.app, signed_in.mode())
            .await
            .register_is_empty,
        text,
        answered,
        results,
        total,
        may_call: signed_in.may(Permission::MakeCalls),
        price: signed_in.app.config.prices.of(Operation::SearchCompanies),
        free_left: signed_in.free_calls_left().await?,
    }))
}

/// The list alone, for the script that asks while one types; in test mode only.
pub async fn suggest(
    signed_in: SignedIn,
    Extension(calls): Calls,
    RepeatedQuery(query): RepeatedQuery<SearchQuery>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    if signed_in.mode() != Mode::Test {
        return Err(Problem::bad_form("Suggestions are available in test mode only"));
    }
    let answered = match query.q.trim().is_empty() {
        true => None,
        false => Some(search(&signed_in, &calls, &query.q).await?),
    };
    let (results, total) = found(answered.as_ref())?;
    Ok(respond(&Results { text: query.q, answered, results, total }))
}

async fn search(signed_in: &SignedIn, calls: &ApiCalls, text: &str) -> Result<Answered, Problem> {
    calls.get(signed_in, Operation::SearchCompanies, search_path(text)).await
}

/// The companies in an answer, and how many there are.
fn found(answered: Option<&Answered>) -> Result<(Vec<Found>, usize), Problem> {
    let listing: Option<Listing> = match answered {
        Some(answered) => answered.data()?,
        None => None,
    };
    Ok(listing.map_or((Vec::new(), 0), |listing| (listing.companies, listing.total)))
}
