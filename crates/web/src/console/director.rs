//! A director's page: the person and their appointments.

use askama::Template;
use axum::Extension;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::api::wire::{Director, DirectorCompanies};
use panji_api::config::operation::Operation;
use panji_api::http::encoding::encoded;
use panji_api::http::error::ApiError;
use panji_ids::Din;
use panji_store::calendar::ist_year;
use panji_store::ledger::Mode;
use serde::Deserialize;

use super::api_call::{ApiCalls, ApiResponse, Calls};
use super::forms::AuthenticatedForm;
use super::labels;
use super::language::{amounts, dates, filters, t_with};
use super::layout::{Layout, Tab, respond};
use super::network::{ExpandedNodes, NetworkSection, expansion_parts};
use super::page_cache::{CachedPage, Part, run_to_completion};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;

/// The parts of the page.
const PERSON: &str = "person";
const COMPANIES: &str = "companies";

#[derive(Template)]
#[template(path = "director.html")]
struct DirectorPage {
    layout: Layout,
    din: String,
    /// Why the DIN is invalid; then nothing can be bought.
    malformed: Option<String>,
    may_call: bool,
    /// The number of calls whose responses are not stored, and their price.
    missing: i64,
    price: i64,
    stored_until: Option<String>,
    in_progress: bool,
    person: Option<(ApiResponse, Option<Director>)>,
    appointments: Option<(ApiResponse, Option<DirectorCompanies>)>,
    network: Option<NetworkSection>,
}

#[derive(Default, Deserialize)]
pub struct Choice {
    /// Nodes of the network whose own connections are drawn too.
    #[serde(default)]
    expand: Vec<String>,
}

impl Choice {
    fn expanded(&self, signed_in: &SignedIn) -> ExpandedNodes {
        ExpandedNodes::read(&self.expand, ist_year(signed_in.context.at_ms))
    }
}

/// Displays the stored responses. In test mode, missing ones are requested; in live mode, the price
/// is displayed first.
pub async fn show(
    signed_in: SignedIn,
    Extension(calls): Calls,
    Path(din): Path<String>,
    RepeatedQuery(choice): RepeatedQuery<Choice>,
) -> Result<Response, PageError> {
    let din = match read_din(&din) {
        Ok(din) => din,
        Err(error) => return Ok(malformed(&signed_in, din, error)),
    };
    let expanded = choice.expanded(&signed_in);
    let mut cached = CachedPage::open(&signed_in, subject(&din)).await?;
    if signed_in.mode() == Mode::Test && signed_in.may(Permission::MakeCalls) {
        let mut parts = parts(&din);
        parts.extend(expansion_parts(&expanded));
        cached.fetch(&calls, parts).await?;
    }
    let mut page = empty_page(&signed_in, din);
    for part in parts(&page.din).iter().filter(|part| !cached.has_response(&part.name)) {
        page.missing += 1;
        page.price += signed_in.app.config.prices.of(part.operation);
    }
    page.in_progress = cached.in_progress;
    page.stored_until =
        cached.stored_until.filter(|_| signed_in.mode() == Mode::Live).map(dates::minute);
    let person = cached.take(PERSON);
    let known = person.as_ref().is_none_or(|call| !call.failed());
    if let Some(appointments) = cached.take(COMPANIES).filter(|call| known || !call.failed()) {
        let data = appointments.data()?;
        page.appointments = Some((appointments, data));
    }
    if let Some(person) = person {
        let data: Option<Director> = person.data()?;
        if let Some(director) = &data {
            page.layout.title = director.name.clone();
        }
        page.person = Some((person, data));
    }
    page.network = network(&signed_in, &mut cached, &page, &expanded)?;
    Ok(respond(&page))
}

/// The drawing of the person's companies, if they are known.
fn network(
    signed_in: &SignedIn,
    cached: &mut CachedPage<'_>,
    page: &DirectorPage,
    expanded: &ExpandedNodes,
) -> Result<Option<NetworkSection>, PageError> {
    let companies = page.appointments.as_ref().and_then(|(_, data)| data.as_ref());
    let Some(companies) = companies else { return Ok(None) };
    let person = page.person.as_ref().and_then(|(_, data)| data.as_ref());
    let status = person.map(|person| person.status.to_string());
    NetworkSection::of_director(signed_in, cached, expanded, companies, status).map(Some)
}

/// Makes the calls, which are charged, and redirects to the page.
pub async fn buy(
    Extension(calls): Calls,
    Path(din): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Choice>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let din = match read_din(&din) {
        Ok(din) => din,
        Err(error) => return Ok(malformed(&signed_in, din, error)),
    };
    run_to_completion(fetch(calls, signed_in, din, form)).await
}

async fn fetch(
    calls: ApiCalls,
    signed_in: SignedIn,
    din: String,
    form: Choice,
) -> Result<Response, PageError> {
    let mut cached = CachedPage::open(&signed_in, subject(&din)).await?;
    let expanded = form.expanded(&signed_in);
    let mut parts = parts(&din);
    parts.extend(expansion_parts(&expanded));
    cached.fetch(&calls, parts).await?;
    let (query, anchor) = match expanded.is_empty() {
        true => (String::new(), ""),
        false => (format!("?{}", expanded.query().trim_start_matches('&')), "#network"),
    };
    Ok(Redirect::to(&format!("/console/directors/{din}{query}{anchor}")).into_response())
}

/// The DIN in its canonical form, or why it is invalid.
fn read_din(text: &str) -> Result<String, ApiError> {
    let din = Din::parse(text).map(|din| din.as_str().to_owned());
    din.map_err(|error| ApiError::identifier("din", &error))
}

fn subject(din: &str) -> String {
    format!("directors/{din}")
}

fn parts(din: &str) -> Vec<Part> {
    let path = format!("/v1/directors/{}", encoded(din));
    vec![
        Part {
            name: COMPANIES.to_owned(),
            operation: Operation::ListDirectorCompanies,
            path: format!("{path}/companies"),
        },
        Part { name: PERSON.to_owned(), operation: Operation::GetDirector, path },
    ]
}

fn empty_page(signed_in: &SignedIn, din: String) -> DirectorPage {
    DirectorPage {
        layout: signed_in.layout(Tab::Search, &t_with("Director {0}", &[&din])),
        malformed: None,
        may_call: signed_in.may(Permission::MakeCalls),
        missing: 0,
        price: 0,
        stored_until: None,
        in_progress: false,
        person: None,
        appointments: None,
        network: None,
        din,
    }
}

/// The page for an invalid DIN: the error, and nothing to buy.
fn malformed(signed_in: &SignedIn, din: String, error: ApiError) -> Response {
    let page = DirectorPage { malformed: Some(error.message), ..empty_page(signed_in, din) };
    let mut response = respond(&page);
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}
