//! A company's page: its sections, each by the API call that gives it.

use askama::Template;
use axum::Extension;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use panji_ids::CompanyId;
use panji_store::calendar::ist_year;
use panji_store::ledger::Mode;
use serde::Deserialize;

use super::api_call::{Answered, ApiCalls, Calls, encoded};
use super::forms::AuthenticatedForm;
use super::frame::{Frame, Tab, respond};
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;
use super::views::{Part, View, run_to_end};
use super::words;
use crate::accounts::roles::Permission;
use crate::api::wire::{Company, Compliance, Documents, Financials, Profile};
use crate::config::operation::{Operation, Tariff};
use crate::http::error::ApiError;
use crate::locale::{amounts, dates};

/// A part of the page that one call gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    word: &'static str,
    title: &'static str,
    operation: Operation,
    path: &'static str,
    /// Whether it is ticked before a person chooses.
    usual: bool,
}

const SECTIONS: [Section; 5] = [
    Section {
        word: "identity",
        title: "Identity",
        operation: Operation::GetCompany,
        path: "",
        usual: true,
    },
    Section {
        word: "profile",
        title: "Profile: identity, capital, directors and charges",
        operation: Operation::GetCompanyProfile,
        path: "/profile",
        usual: false,
    },
    Section {
        word: "financials",
        title: "Financials by year",
        operation: Operation::GetCompanyFinancials,
        path: "/financials",
        usual: false,
    },
    Section {
        word: "compliance",
        title: "Compliance, ratings, provident fund",
        operation: Operation::GetCompanyCompliance,
        path: "/compliance",
        usual: false,
    },
    Section {
        word: "documents",
        title: "Documents",
        operation: Operation::ListCompanyDocuments,
        path: "/documents",
        usual: false,
    },
];
/// What test mode shows at once; the profile has the identity in it.
const IN_TEST_MODE: [&str; 4] = ["profile", "financials", "compliance", "documents"];

#[derive(Template)]
#[template(path = "company.html")]
struct CompanyPage {
    frame: Frame,
    cin: String,
    /// What is wrong with the number; then nothing is offered.
    malformed: Option<String>,
    offers: Vec<Offer>,
    may_call: bool,
    first_call: Option<Answered>,
    company: Option<Company>,
    profile: Option<Profile>,
    financials: Option<(Answered, Option<Financials>)>,
    compliance: Option<(Answered, Option<Compliance>)>,
    documents: Option<(Answered, Option<Documents>)>,
    page: i64,
    last_page: i64,
    kept_until: Option<String>,
    under_way: bool,
}

/// A section with its price, to be chosen.
struct Offer {
    word: &'static str,
    title: &'static str,
    price: i64,
    /// The calls that are free today still, where the free quota pays for it first.
    free_left: Option<i64>,
    ticked: bool,
}

/// Which sections to show.
#[derive(Default, Deserialize)]
pub struct Choice {
    #[serde(default)]
    sections: Vec<String>,
    page: Option<i64>,
    /// Set after a form was sent whose sections somebody else was asking for.
    #[serde(default)]
    under_way: bool,
    /// Set after a form was sent in which nothing was ticked.
    #[serde(default)]
    nothing_chosen: bool,
}

impl Choice {
    fn page(&self) -> i64 {
        self.page.unwrap_or(1).max(1)
    }
}

/// Shows what is kept of the company. In test mode everything is asked for at once; in live mode the
/// prices of what is missing are shown, to choose from.
pub async fn show(
    signed_in: SignedIn,
    Extension(calls): Calls,
    Path(cin): Path<String>,
    RepeatedQuery(choice): RepeatedQuery<Choice>,
) -> Result<Response, Problem> {
    let cin = match read_number(&signed_in, &cin) {
        Ok(cin) => cin,
        Err(error) => return Ok(malformed(&signed_in, cin, error)),
    };
    let mut view = View::open(&signed_in, subject(&cin)).await?;
    view.under_way = choice.under_way;
    if signed_in.mode() == Mode::Test && signed_in.may(Permission::MakeCalls) {
        view.ask(&calls, parts(&cin, &IN_TEST_MODE, choice.page())).await?;
    }
    page(&signed_in, view, cin, &choice).await
}

/// Asks for the chosen sections, which pays for them, and leads to the page that shows them.
pub async fn buy(
    Extension(calls): Calls,
    Path(cin): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Choice>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    let cin = match read_number(&signed_in, &cin) {
        Ok(cin) => cin,
        Err(error) => return Ok(malformed(&signed_in, cin, error)),
    };
    if form.sections.is_empty() {
        let address = format!("/console/companies/{cin}?page={}&nothing_chosen=true", form.page());
        return Ok(Redirect::to(&address).into_response());
    }
    run_to_end(ask(calls, signed_in, cin, form)).await
}

async fn ask(
    calls: ApiCalls,
    signed_in: SignedIn,
    cin: String,
    form: Choice,
) -> Result<Response, Problem> {
    let mut view = View::open(&signed_in, subject(&cin)).await?;
    let mut chosen: Vec<&str> = form.sections.iter().map(String::as_str).collect();
    // The profile has the identity in it.
    if chosen.contains(&"profile") || view.holds("profile") {
        chosen.retain(|word| *word != "identity");
    }
    view.ask(&calls, parts(&cin, &chosen, form.page())).await?;
    let under_way = if view.under_way { "&under_way=true" } else { "" };
    let place = if form.page() > 1 { "#documents" } else { "" };
    let address = format!("/console/companies/{cin}?page={}{under_way}{place}", form.page());
    Ok(Redirect::to(&address).into_response())
}

/// The company's number as it is written, or what is wrong with it.
fn read_number(signed_in: &SignedIn, text: &str) -> Result<String, ApiError> {
    let year = ist_year(signed_in.context.at_ms);
    let number = CompanyId::parse_in_year(text, year);
    number
        .map(|number| number.as_str().to_owned())
        .map_err(|error| ApiError::identifier("cin", &error))
}

fn subject(cin: &str) -> String {
    format!("companies/{cin}")
}

/// The calls that sections need; words that are no section's are passed over.
fn parts(cin: &str, words: &[&str], page: i64) -> Vec<Part> {
    let wanted = SECTIONS.into_iter().filter(|section| words.contains(&section.word));
    wanted
        .map(|section| {
            let paged = section.word == "documents" && page > 1;
            let query = if paged { format!("?page={page}") } else { String::new() };
            Part {
                name: part_name(section.word, page),
                operation: section.operation,
                path: format!("/v1/companies/{}{}{query}", encoded(cin), section.path),
            }
        })
        .collect()
}

/// The name of a section's part: each page of the documents is one of its own.
fn part_name(word: &str, page: i64) -> String {
    if word == "documents" { format!("{word}/{page}") } else { word.to_owned() }
}

async fn page(
    signed_in: &SignedIn,
    mut view: View<'_>,
    cin: String,
    choice: &Choice,
) -> Result<Response, Problem> {
    let page = choice.page();
    let offers = offers(signed_in, &view, page).await?;
    let (kept_until, under_way) = (view.kept_until.map(dates::minute), view.under_way);
    let (first_call, company, profile) = identity(&mut view)?;
    let known = first_call.as_ref().is_none_or(|call| !call.failed());
    // Of a company that is not known the first call has told, and the others would say the same.
    let mut shown =
        |word: &str| view.take(&part_name(word, page)).filter(|call| known || !call.failed());
    let documents = read::<Documents>(shown("documents"))?;
    let per_page = i64::from(signed_in.app.config.limits.documents_per_page.get());
    let total = documents.as_ref().and_then(|(_, held)| held.as_ref());
    let last_page = total.map_or(1, |held| (held.total_documents + per_page - 1) / per_page);
    let title = company.as_ref().map_or_else(|| cin.clone(), |company| company.name.clone());
    let failure = choice.nothing_chosen.then_some("Select at least one item.");
    Ok(respond(&CompanyPage {
        frame: signed_in.frame(Tab::Search, &title).with_failure(failure),
        malformed: None,
        offers,
        may_call: signed_in.may(Permission::MakeCalls),
        first_call,
        company,
        profile,
        financials: read(shown("financials"))?,
        compliance: read(shown("compliance"))?,
        documents,
        page,
        last_page: last_page.max(1),
        kept_until: kept_until.filter(|_| signed_in.mode() == Mode::Live),
        under_way,
        cin,
    }))
}

/// The page of a number that is no company's: what is wrong with it, and nothing to buy.
fn malformed(signed_in: &SignedIn, cin: String, error: ApiError) -> Response {
    let mut response = respond(&CompanyPage {
        frame: signed_in.frame(Tab::Search, &cin),
        malformed: Some(error.message),
        offers: Vec::new(),
        may_call: signed_in.may(Permission::MakeCalls),
        first_call: None,
        company: None,
        profile: None,
        financials: None,
        compliance: None,
        documents: None,
        page: 1,
        last_page: 1,
        kept_until: None,
        under_way: false,
        cin,
    });
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

/// The call that told who the company is, and what it told.
type Identity = (Option<Answered>, Option<Company>, Option<Profile>);

/// Who the company is: from the profile where there is one, else from its own call.
fn identity(view: &mut View<'_>) -> Result<Identity, Problem> {
    let by_profile = view.holds("profile") || !view.holds("identity");
    if by_profile && let Some(call) = view.take("profile") {
        let profile: Option<Profile> = call.data()?;
        let company = profile.as_ref().map(|profile| profile.company.clone());
        return Ok((Some(call), company, profile));
    }
    let Some(call) = view.take("identity") else { return Ok((None, None, None)) };
    let company = call.data()?;
    Ok((Some(call), company, None))
}

fn read<T: serde::de::DeserializeOwned>(
    call: Option<Answered>,
) -> Result<Option<(Answered, Option<T>)>, Problem> {
    let Some(call) = call else { return Ok(None) };
    let data = call.data()?;
    Ok(Some((call, data)))
}

/// The sections that are not there yet, with their prices; in test mode they are asked for without.
async fn offers(signed_in: &SignedIn, view: &View<'_>, page: i64) -> Result<Vec<Offer>, Problem> {
    if signed_in.mode() == Mode::Test {
        return Ok(Vec::new());
    }
    let free_left = signed_in.free_calls_left().await?;
    let held = |section: &Section| {
        let covered = section.word == "identity" && view.holds("profile");
        covered || view.holds(&part_name(section.word, page))
    };
    let nothing_held = !SECTIONS.iter().any(held);
    let offer = |section: Section| Offer {
        word: section.word,
        title: section.title,
        price: signed_in.app.config.prices.of(section.operation),
        free_left: (section.operation.tariff() == Tariff::FreeQuota).then_some(free_left),
        ticked: section.usual && nothing_held,
    };
    Ok(SECTIONS.into_iter().filter(|section| !held(section)).map(offer).collect())
}
