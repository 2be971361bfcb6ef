//! A company's page: its sections, each by the API call that gives it.

use askama::Template;
use axum::Extension;
use axum::extract::Path;
use axum::response::Response;
use panji_store::ledger::Mode;
use serde::Deserialize;

use super::api_call::{Answered, ApiCalls, Calls, encoded};
use super::company_view::{Company, Compliance, Documents, Financials, Profile};
use super::forms::Posted;
use super::frame::{Frame, Tab, respond};
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::roles::Permission;
use super::session::Visitor;

use super::{amounts, dates, words};
use crate::operation::{Operation, Tariff};

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
    offers: Vec<Offer>,
    chosen_any: bool,
    may_call: bool,
    first_call: Option<Answered>,
    company: Option<Company>,
    profile: Option<Profile>,
    financials: Option<(Answered, Option<Financials>)>,
    compliance: Option<(Answered, Option<Compliance>)>,
    documents: Option<(Answered, Option<Documents>)>,
    last_page: i64,
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
}

/// Shows the page. In test mode everything at once; in live mode the prices, to choose from.
pub async fn show(
    visitor: Visitor,
    Extension(calls): Calls,
    Path(cin): Path<String>,
    RepeatedQuery(mut choice): RepeatedQuery<Choice>,
) -> Result<Response, Problem> {
    if visitor.mode() == Mode::Live || !visitor.may(Permission::MakeCalls) {
        choice.sections.clear();
    } else if choice.sections.is_empty() {
        choice.sections = IN_TEST_MODE.map(str::to_owned).to_vec();
    }
    page(&visitor, &calls, cin, choice).await
}

/// Shows the chosen sections, and pays for them.
pub async fn show_chosen(
    Extension(calls): Calls,
    Path(cin): Path<String>,
    Posted { visitor, form }: Posted<Choice>,
) -> Result<Response, Problem> {
    visitor.require(Permission::MakeCalls)?;
    page(&visitor, &calls, cin, form).await
}

async fn page(
    visitor: &Visitor,
    calls: &ApiCalls,
    cin: String,
    choice: Choice,
) -> Result<Response, Problem> {
    let page_number = choice.page.unwrap_or(1).max(1);
    let wants = |word: &str| choice.sections.iter().any(|chosen| chosen == word);
    let (first_call, company, profile) = identity(visitor, calls, &cin, &wants).await?;
    let known = first_call.as_ref().is_none_or(|call| !call.failed());
    let asked = async |word: &str| match wants(word) && known {
        true => ask(visitor, calls, &cin, section(word), page_number).await.map(Some),
        false => Ok(None),
    };
    let financials = asked("financials").await?;
    let compliance = asked("compliance").await?;
    let documents = asked("documents").await?;
    let with_documents = read::<Documents>(documents)?;
    let per_page = i64::from(visitor.app.config.limits.documents_per_page);
    let total = with_documents.as_ref().and_then(|(_, held)| held.as_ref());
    let last_page = total.map_or(1, |held| (held.total_documents + per_page - 1) / per_page);
    let title = company.as_ref().map_or_else(|| cin.clone(), |company| company.name.clone());
    Ok(respond(&CompanyPage {
        frame: visitor.frame(Tab::Search, &title),
        offers: offers(visitor, visitor.free_calls_left().await?),
        chosen_any: !choice.sections.is_empty(),
        may_call: visitor.may(Permission::MakeCalls),
        first_call,
        company,
        profile,
        financials: read(financials)?,
        compliance: read(compliance)?,
        documents: with_documents,
        last_page: last_page.max(1),
        cin,
    }))
}

/// Who the company is: from the profile where that is wanted, else from its own call.
async fn identity(
    visitor: &Visitor,
    calls: &ApiCalls,
    cin: &str,
    wants: impl Fn(&str) -> bool,
) -> Result<(Option<Answered>, Option<Company>, Option<Profile>), Problem> {
    let word = match (wants("profile"), wants("identity")) {
        (true, _) => "profile",
        (false, true) => "identity",
        (false, false) => return Ok((None, None, None)),
    };
    let call = ask(visitor, calls, cin, section(word), 1).await?;
    if word == "profile" {
        let profile: Option<Profile> = call.data()?;
        let company = profile.as_ref().map(|profile| profile.company.clone());
        return Ok((Some(call), company, profile));
    }
    let company = call.data()?;
    Ok((Some(call), company, None))
}

async fn ask(
    visitor: &Visitor,
    calls: &ApiCalls,
    cin: &str,
    section: Section,
    page: i64,
) -> Result<Answered, Problem> {
    let query = if page > 1 && section.word == "documents" {
        format!("?page={page}")
    } else {
        String::new()
    };
    let path = format!("/v1/companies/{}{}{query}", encoded(cin), section.path);
    calls.get(visitor, section.operation, path).await
}

fn section(word: &str) -> Section {
    SECTIONS.into_iter().find(|section| section.word == word).unwrap_or(SECTIONS[0])
}

fn read<T: serde::de::DeserializeOwned>(
    call: Option<Answered>,
) -> Result<Option<(Answered, Option<T>)>, Problem> {
    let Some(call) = call else { return Ok(None) };
    let data = call.data()?;
    Ok(Some((call, data)))
}

fn offers(visitor: &Visitor, free_left: i64) -> Vec<Offer> {
    let offer = |section: Section| Offer {
        word: section.word,
        title: section.title,
        price: visitor.app.config.prices.of(section.operation),
        free_left: (section.operation.tariff() == Tariff::FreeQuota).then_some(free_left),
        ticked: section.usual,
    };
    SECTIONS.into_iter().map(offer).collect()
}
