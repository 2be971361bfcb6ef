//! Search: a company by name, as one types.

use askama::Template;
use axum::Extension;
use axum::response::Response;
use panji_store::ledger::Mode;
use serde::Deserialize;

use super::api_call::{Answered, ApiCalls, Calls, encoded};
use super::first_call::FirstCall;
use super::forms::Posted;
use super::frame::{Frame, Tab, respond};
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::roles::Permission;
use super::session::Visitor;
use super::{amounts, dates, words};
use crate::operation::Operation;
use crate::simulation::SIMULATIONS;

/// Companies shown.
const SHOWN: usize = 12;

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

/// Shows the page. In live mode nothing is searched until the form is sent, because it may cost.
pub async fn show(
    visitor: Visitor,
    Extension(calls): Calls,
    RepeatedQuery(query): RepeatedQuery<SearchQuery>,
) -> Result<Response, Problem> {
    let searches = visitor.mode() == Mode::Test && visitor.may(Permission::MakeCalls);
    page(&visitor, &calls, query, searches).await
}

/// Searches in live mode.
pub async fn search_live(
    Extension(calls): Calls,
    Posted { visitor, form }: Posted<SearchQuery>,
) -> Result<Response, Problem> {
    visitor.require(Permission::MakeCalls)?;
    page(&visitor, &calls, form, true).await
}

async fn page(
    visitor: &Visitor,
    calls: &ApiCalls,
    query: SearchQuery,
    searches: bool,
) -> Result<Response, Problem> {
    let (answered, results, total) = match searches {
        true => search(visitor, calls, &query.q).await?,
        false => (None, Vec::new(), 0),
    };
    Ok(respond(&SearchPage {
        frame: visitor.frame(Tab::Search, "Search"),
        register_is_empty: FirstCall::find(&visitor.app, visitor.mode()).await.register_is_empty,
        text: query.q,
        answered,
        results,
        total,
        may_call: visitor.may(Permission::MakeCalls),
        price: visitor.app.config.prices.of(Operation::SearchCompanies),
        free_left: visitor.free_calls_left().await?,
    }))
}

/// The list alone, for the script that asks while one types; in test mode only.
pub async fn suggest(
    visitor: Visitor,
    Extension(calls): Calls,
    RepeatedQuery(query): RepeatedQuery<SearchQuery>,
) -> Result<Response, Problem> {
    visitor.require(Permission::MakeCalls)?;
    if visitor.mode() != Mode::Test {
        return Err(Problem::bad_form("In live mode the form is sent as a whole"));
    }
    let (answered, results, total) = search(&visitor, &calls, &query.q).await?;
    Ok(respond(&Results { text: query.q, answered, results, total }))
}

async fn search(
    visitor: &Visitor,
    calls: &ApiCalls,
    text: &str,
) -> Result<(Option<Answered>, Vec<Found>, usize), Problem> {
    if text.trim().is_empty() {
        return Ok((None, Vec::new(), 0));
    }
    let path = format!("/v1/companies/search?q={}&limit={SHOWN}", encoded(text));
    let answered = calls.get(visitor, Operation::SearchCompanies, path).await?;
    let listing: Option<Listing> = answered.data()?;
    let (results, total) =
        listing.map_or((Vec::new(), 0), |listing| (listing.companies, listing.total));
    Ok((Some(answered), results, total))
}
