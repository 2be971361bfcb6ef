//! A director's page: the person and their appointments.

use askama::Template;
use axum::Extension;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use panji_ids::Din;
use panji_store::ledger::Mode;

use super::api_call::{ApiCalls, ApiResponse, Calls};
use super::forms::{AuthenticatedForm, Empty};
use super::frame::{Frame, Tab, respond};
use super::problem::Problem;
use super::session::SignedIn;
use super::views::{Part, View, run_to_completion};
use super::words;
use crate::accounts::roles::Permission;
use crate::api::wire::{Director, DirectorCompanies};
use crate::config::operation::Operation;
use crate::http::encoding::encoded;
use crate::http::error::ApiError;
use crate::locale::{amounts, dates};

/// The parts of the page.
const PERSON: &str = "person";
const COMPANIES: &str = "companies";

#[derive(Template)]
#[template(path = "director.html")]
struct DirectorPage {
    frame: Frame,
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
}

/// Displays the stored responses. In test mode, missing ones are requested; in live mode, the price
/// is displayed first.
pub async fn show(
    signed_in: SignedIn,
    Extension(calls): Calls,
    Path(din): Path<String>,
) -> Result<Response, Problem> {
    let din = match read_din(&din) {
        Ok(din) => din,
        Err(error) => return Ok(malformed(&signed_in, din, error)),
    };
    let mut view = View::open(&signed_in, subject(&din)).await?;
    if signed_in.mode() == Mode::Test && signed_in.may(Permission::MakeCalls) {
        view.fetch(&calls, parts(&din)).await?;
    }
    let mut page = empty_page(&signed_in, din);
    for part in parts(&page.din).iter().filter(|part| !view.has_response(&part.name)) {
        page.missing += 1;
        page.price += signed_in.app.config.prices.of(part.operation);
    }
    page.in_progress = view.in_progress;
    page.stored_until =
        view.stored_until.filter(|_| signed_in.mode() == Mode::Live).map(dates::minute);
    let person = view.take(PERSON);
    let known = person.as_ref().is_none_or(|call| !call.failed());
    if let Some(appointments) = view.take(COMPANIES).filter(|call| known || !call.failed()) {
        let data = appointments.data()?;
        page.appointments = Some((appointments, data));
    }
    if let Some(person) = person {
        let data: Option<Director> = person.data()?;
        if let Some(director) = &data {
            page.frame.title = director.name.clone();
        }
        page.person = Some((person, data));
    }
    Ok(respond(&page))
}

/// Makes the calls, which are charged, and redirects to the page.
pub async fn buy(
    Extension(calls): Calls,
    Path(din): Path<String>,
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    let din = match read_din(&din) {
        Ok(din) => din,
        Err(error) => return Ok(malformed(&signed_in, din, error)),
    };
    run_to_completion(fetch(calls, signed_in, din)).await
}

async fn fetch(calls: ApiCalls, signed_in: SignedIn, din: String) -> Result<Response, Problem> {
    let mut view = View::open(&signed_in, subject(&din)).await?;
    view.fetch(&calls, parts(&din)).await?;
    Ok(Redirect::to(&format!("/console/directors/{din}")).into_response())
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
        frame: signed_in.frame(Tab::Search, &format!("Director {din}")),
        malformed: None,
        may_call: signed_in.may(Permission::MakeCalls),
        missing: 0,
        price: 0,
        stored_until: None,
        in_progress: false,
        person: None,
        appointments: None,
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
