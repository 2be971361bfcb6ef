//! The search page, with suggestions while the user types.

use askama::Template;
use axum::Extension;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::api::simulation::SIMULATIONS;
use panji_api::config::operation::Operation;
use panji_store::ledger::Mode;
use serde::Deserialize;

use super::api_call::{ApiCalls, ApiResponse, Calls};
use super::first_call::FirstCall;
use super::forms::AuthenticatedForm;
use super::labels;
use super::language::{amounts, dates, filters, t, t_with, translated};
use super::layout::{Layout, Tab, respond};
use super::page_cache::{CachedPage, run_to_completion};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::search_query::{self, DIRECTORS, ORDERS, PAGE_SIZE, SearchQuery};
use super::session::SignedIn;

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    layout: Layout,
    query: SearchQuery,
    found: Results,
    directors: Option<(ApiResponse, Option<FoundDirectors>)>,
    may_call: bool,
    price: i64,
    price_of_directors: i64,
    free_left: i64,
    stored_until: Option<String>,
    in_progress: bool,
    register_is_empty: bool,
}

/// The list of companies; also the whole response to the script that searches while the user types.
#[derive(Template)]
#[template(path = "search_results.html")]
struct Results {
    query: SearchQuery,
    response: Option<ApiResponse>,
    listing: Listing,
    /// In live mode a further page has a price, and a form with this token.
    live_token: Option<String>,
}

/// The fields of a response that the list displays.
#[derive(Default, Deserialize)]
struct Listing {
    total: usize,
    has_more: bool,
    companies: Vec<Found>,
    reason: Option<String>,
}

#[derive(Deserialize)]
pub struct Found {
    pub cin: String,
    pub name: String,
    pub status: String,
    pub state: Option<String>,
    pub city: Option<String>,
    pub incorporated_on: Option<String>,
    pub listed: Option<bool>,
    pub matched_name: Option<String>,
    #[serde(rename = "match")]
    kind_of_match: String,
}

#[derive(Deserialize)]
struct FoundDirectors {
    total: usize,
    directors: Vec<FoundDirector>,
    reason: Option<String>,
}

#[derive(Deserialize)]
struct FoundDirector {
    din: String,
    name: String,
    status: String,
    current_companies: Option<i64>,
    companies: Vec<String>,
    matched_name: Option<String>,
}

impl Listing {
    fn read(response: &ApiResponse) -> Result<Listing, PageError> {
        Ok(response.data()?.unwrap_or_default())
    }

    /// Whether all matches are on this page.
    fn is_whole(&self) -> bool {
        self.total <= self.companies.len()
    }
}

impl Found {
    pub fn since(&self) -> String {
        self.incorporated_on.as_deref().map(dates::day).unwrap_or_default()
    }

    /// City and state, as far as they are known.
    fn place(&self) -> String {
        let parts = [self.city.clone(), self.state.clone().map(translated)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Why it was found.
    fn reason(&self) -> String {
        match (&self.matched_name, &*self.kind_of_match) {
            (Some(name), "fuzzy") => t_with("similar to its former name {0}", &[&name]),
            (Some(name), _) => t_with("former name {0}", &[&name]),
            (None, "cin") => t("number").to_owned(),
            (None, "lei") => "LEI".to_owned(),
            (None, "exact") => t("same name").to_owned(),
            (None, "prefix") => t("the name begins with the text").to_owned(),
            (None, "words") => t("all words match").to_owned(),
            (None, "fuzzy") => t("similar name").to_owned(),
            (None, other) => labels::label(other),
        }
    }
}

impl Results {
    fn new(
        signed_in: &SignedIn,
        query: SearchQuery,
        response: Option<ApiResponse>,
    ) -> Result<Results, PageError> {
        let mut listing = response.as_ref().map_or(Ok(Listing::default()), Listing::read)?;
        let companies = &mut listing.companies;
        // If the first page has all companies, it is sorted here without another call. Companies
        // without a date are last in both orders of age.
        let day = |found: &Found| found.incorporated_on.clone();
        match query.sort.as_str() {
            "name" => companies.sort_by_key(|found| found.name.to_lowercase()),
            "newest" => companies.sort_by_key(|found| std::cmp::Reverse(day(found))),
            "oldest" => {
                companies.sort_by_key(|found| (found.incorporated_on.is_none(), day(found)))
            }
            _ => {}
        }
        let layout = signed_in.layout(Tab::Search, t("Search"));
        let live_token = layout.live().then(|| layout.form_token().to_owned());
        Ok(Results { query, response, listing, live_token })
    }

    /// The number of the first company on the page.
    fn first(&self) -> usize {
        (usize::try_from(self.query.page()).unwrap_or(1) - 1) * PAGE_SIZE + 1
    }

    fn last(&self) -> usize {
        self.first() + self.listing.companies.len() - 1
    }
}

/// Displays the stored results. In test mode, searches if there are none; in live mode, a search
/// may cost credits and starts only when the form is sent.
pub async fn show(
    signed_in: SignedIn,
    Extension(calls): Calls,
    RepeatedQuery(query): RepeatedQuery<SearchQuery>,
) -> Result<Response, PageError> {
    if !is_stored(&signed_in, &query.q) {
        return page(&signed_in, query, None, None).await;
    }
    let mut cached = CachedPage::open(&signed_in, query.subject()).await?;
    if signed_in.mode() == Mode::Test && signed_in.may(Permission::MakeCalls) {
        cached.fetch(&calls, query.parts()).await?;
    }
    let mut response = cached.take(&query.part_name());
    if response.is_none() && query.page() == 1 {
        let first = cached.take(&query.first_part_name());
        response =
            first.filter(|first| Listing::read(first).is_ok_and(|listing| listing.is_whole()));
    }
    page(&signed_in, query, response, Some(cached)).await
}

/// The stored results of a search for a text; in test mode, searches if there are none.
pub async fn stored(
    signed_in: &SignedIn,
    calls: &ApiCalls,
    text: &str,
) -> Result<Option<ApiResponse>, PageError> {
    if !is_stored(signed_in, text) {
        return Ok(None);
    }
    let query = SearchQuery::of_text(text);
    let mut cached = CachedPage::open(signed_in, query.subject()).await?;
    if signed_in.mode() == Mode::Test && signed_in.may(Permission::MakeCalls) {
        cached.fetch(calls, query.parts()).await?;
    }
    Ok(cached.take(&query.part_name()))
}

/// Searches for a text, and stores the results.
pub async fn store(signed_in: &SignedIn, calls: &ApiCalls, text: &str) -> Result<(), PageError> {
    if is_stored(signed_in, text) {
        let query = SearchQuery::of_text(text);
        CachedPage::open(signed_in, query.subject()).await?.fetch(calls, query.parts()).await?;
    }
    Ok(())
}

/// Searches in live mode, which may cost credits, and redirects to the results.
pub async fn search_live(
    Extension(calls): Calls,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<SearchQuery>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    if form.q.trim().is_empty() {
        return Ok(Redirect::to("/console/search").into_response());
    }
    if !is_stored(&signed_in, &form.q) {
        let response = search(&signed_in, &calls, &form).await?;
        return page(&signed_in, form, Some(response), None).await;
    }
    run_to_completion(fetch(calls, signed_in, form)).await
}

async fn fetch(
    calls: ApiCalls,
    signed_in: SignedIn,
    query: SearchQuery,
) -> Result<Response, PageError> {
    let mut cached = CachedPage::open(&signed_in, query.subject()).await?;
    cached.fetch(&calls, query.parts()).await?;
    Ok(Redirect::to(&query.address()).into_response())
}

/// Whether the results of a search are stored. A text that is too long only returns an error, and
/// would not fit into a URL.
fn is_stored(signed_in: &SignedIn, text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= signed_in.app.config.limits.query_characters.get()
}

async fn page(
    signed_in: &SignedIn,
    query: SearchQuery,
    response: Option<ApiResponse>,
    cached: Option<CachedPage<'_>>,
) -> Result<Response, PageError> {
    let prices = &signed_in.app.config.prices;
    let (mut stored_until, mut in_progress, mut directors) = (None, false, None);
    if let Some(mut cached) = cached {
        stored_until = cached.stored_until.filter(|_| signed_in.mode() == Mode::Live);
        in_progress = cached.in_progress;
        let people = cached.take(DIRECTORS).filter(|_| query.wants_directors());
        directors = match people {
            Some(people) => {
                let data = people.data()?;
                Some((people, data))
            }
            None => None,
        };
    }
    Ok(respond(&SearchPage {
        layout: signed_in.layout(Tab::Search, t("Search")),
        register_is_empty: FirstCall::find(&signed_in.app, signed_in.mode())
            .await
            .register_is_empty,
        found: Results::new(signed_in, query.clone(), response)?,
        query,
        directors,
        may_call: signed_in.may(Permission::MakeCalls),
        price: prices.of(Operation::SearchCompanies),
        price_of_directors: prices.of(Operation::SearchDirectors),
        free_left: signed_in.free_calls_left().await?,
        stored_until: stored_until.map(dates::minute),
        in_progress,
    }))
}

/// Only the list, for the script that searches while the user types; in test mode only.
pub async fn suggest(
    signed_in: SignedIn,
    Extension(calls): Calls,
    RepeatedQuery(query): RepeatedQuery<SearchQuery>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    if signed_in.mode() != Mode::Test {
        return Err(PageError::bad_form(t("Suggestions are available in test mode only.")));
    }
    let response = match query.q.trim().is_empty() {
        true => None,
        false => Some(search(&signed_in, &calls, &query).await?),
    };
    Ok(respond(&Results::new(&signed_in, query, response)?))
}

async fn search(
    signed_in: &SignedIn,
    calls: &ApiCalls,
    query: &SearchQuery,
) -> Result<ApiResponse, PageError> {
    calls.get(signed_in, Operation::SearchCompanies, query.companies_path()).await
}

/// The companies in a response, and the total number of matches.
pub fn found(response: Option<&ApiResponse>) -> Result<(Vec<Found>, usize), PageError> {
    let listing = response.map_or(Ok(Listing::default()), Listing::read)?;
    Ok((listing.companies, listing.total))
}
