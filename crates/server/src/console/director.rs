//! A director's page: who they are, and the companies they sit in.

use askama::Template;
use axum::Extension;
use axum::extract::Path;
use axum::response::Response;
use panji_store::ledger::Mode;
use serde::Deserialize;

use super::api_call::{Answered, ApiCalls, Calls, encoded};
use super::forms::Posted;
use super::frame::{Frame, Tab, respond};
use super::log_in::Empty;
use super::problem::Problem;
use super::roles::Permission;
use super::session::Visitor;
use super::{amounts, dates, words};

use crate::operation::Operation;

#[derive(Template)]
#[template(path = "director.html")]
struct DirectorPage {
    frame: Frame,
    din: String,
    price: i64,
    may_call: bool,
    person: Option<(Answered, Option<Director>)>,
    seats: Option<(Answered, Option<Directorships>)>,
}

#[derive(Deserialize)]
struct Director {
    name: String,
    status: String,
    nationality: Option<String>,
    directorships: Counts,
    as_of: Option<String>,
    source: String,
}

#[derive(Deserialize)]
struct Counts {
    current: i64,
    past: i64,
}

#[derive(Deserialize)]
struct Directorships {
    companies: Vec<Directorship>,
}

#[derive(Deserialize)]
struct Directorship {
    cin: String,
    name: Option<String>,
    status: Option<String>,
    designation: String,
    appointed_on: Option<String>,
    ceased_on: Option<String>,
    current: bool,
}

/// Shows the page; in live mode the price first.
pub async fn show(
    visitor: Visitor,
    Extension(calls): Calls,
    Path(din): Path<String>,
) -> Result<Response, Problem> {
    let calls =
        (visitor.mode() == Mode::Test && visitor.may(Permission::MakeCalls)).then_some(calls);
    page(&visitor, calls, din).await
}

/// Makes the calls in live mode.
pub async fn show_live(
    Extension(calls): Calls,
    Path(din): Path<String>,
    Posted { visitor, .. }: Posted<Empty>,
) -> Result<Response, Problem> {
    visitor.require(Permission::MakeCalls)?;
    page(&visitor, Some(calls), din).await
}

async fn page(
    visitor: &Visitor,
    calls: Option<ApiCalls>,
    din: String,
) -> Result<Response, Problem> {
    let prices = &visitor.app.config.prices;
    let price = prices.of(Operation::GetDirector) + prices.of(Operation::ListDirectorCompanies);
    let mut page = DirectorPage {
        frame: visitor.frame(Tab::Search, &format!("Director {din}")),
        price,
        may_call: visitor.may(Permission::MakeCalls),
        person: None,
        seats: None,
        din,
    };
    if let Some(calls) = calls {
        let path = format!("/v1/directors/{}", encoded(&page.din));
        let person = calls.get(visitor, Operation::GetDirector, path.clone()).await?;
        if !person.failed() {
            let path = format!("{path}/companies");
            let seats = calls.get(visitor, Operation::ListDirectorCompanies, path).await?;
            let data = seats.data()?;
            page.seats = Some((seats, data));
        }
        let data: Option<Director> = person.data()?;
        if let Some(director) = &data {
            page.frame.title = director.name.clone();
        }
        page.person = Some((person, data));
    }
    Ok(respond(&page))
}
