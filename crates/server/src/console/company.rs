//! A company's page. Each section is the response of one API call.

use askama::Template;
use axum::Extension;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use panji_ids::CompanyId;
use panji_store::calendar::ist_year;
use panji_store::ledger::Mode;
use serde::Deserialize;

use super::api_call::{ApiCalls, ApiResponse, Calls};
use super::company_view;
use super::forms::AuthenticatedForm;
use super::frame::{Frame, Tab, respond};
use super::network::{Chosen, NetworkSection, expansion_parts};
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;
use super::views::{Part, View, run_to_completion};
use super::watch_form::WatchForm;
use super::words;
use crate::accounts::roles::Permission;
use crate::api::wire::{
    Company, CompanyEvents, CompanyFindings, Compliance, Documents, Financials, Profile,
};
use crate::config::operation::{Operation, Tariff};
use crate::events::sentence::Sentence;
use crate::http::encoding::encoded;
use crate::http::error::ApiError;
use crate::locale::{amounts, dates};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    id: &'static str,
    title: &'static str,
    operation: Operation,
    path: &'static str,
    /// Whether it is selected by default.
    preselected: bool,
}

const SECTIONS: [Section; 8] = [
    Section {
        id: "identity",
        title: "Identity",
        operation: Operation::GetCompany,
        path: "",
        preselected: true,
    },
    Section {
        id: "profile",
        title: "Profile: identity, capital, directors and charges",
        operation: Operation::GetCompanyProfile,
        path: "/profile",
        preselected: false,
    },
    Section {
        id: "network",
        title: "Network: directors, their other companies, shared offices",
        operation: Operation::GetCompanyNetwork,
        path: "/network",
        preselected: false,
    },
    Section {
        id: "financials",
        title: "Financials by year",
        operation: Operation::GetCompanyFinancials,
        path: "/financials",
        preselected: false,
    },
    Section {
        id: "compliance",
        title: "Compliance, ratings, provident fund",
        operation: Operation::GetCompanyCompliance,
        path: "/compliance",
        preselected: false,
    },
    Section {
        id: "findings",
        title: "Findings: what stands out",
        operation: Operation::GetCompanyFindings,
        path: "/findings",
        preselected: false,
    },
    Section {
        id: "history",
        title: "History: what has changed",
        operation: Operation::ListCompanyEvents,
        path: "/events",
        preselected: false,
    },
    Section {
        id: "documents",
        title: "Documents",
        operation: Operation::ListCompanyDocuments,
        path: "/documents",
        preselected: false,
    },
];
/// The sections that test mode loads; the profile contains the identity.
const IN_TEST_MODE: [&str; 7] =
    ["profile", "network", "financials", "compliance", "findings", "history", "documents"];
/// The depths of a network that can be chosen.
const DEPTHS: std::ops::RangeInclusive<u8> = 1..=3;
const DEFAULT_DEPTH: u8 = 2;

#[derive(Template)]
#[template(path = "company.html")]
struct CompanyPage {
    frame: Frame,
    cin: String,
    /// Why the CIN is invalid; then nothing can be bought.
    malformed: Option<String>,
    offers: Vec<Offer>,
    may_call: bool,
    first_call: Option<ApiResponse>,
    company: Option<Company>,
    profile: Option<Profile>,
    financials: Option<(ApiResponse, Option<Financials>)>,
    compliance: Option<(ApiResponse, Option<Compliance>)>,
    findings: Option<(ApiResponse, Option<CompanyFindings>)>,
    history: Option<(ApiResponse, Option<CompanyEvents>)>,
    documents: Option<(ApiResponse, Option<Documents>)>,
    network: Option<NetworkSection>,
    /// The price of the report, in credits.
    report_price: i64,
    page: i64,
    last_page: i64,
    stored_until: Option<String>,
    in_progress: bool,
    watch: Option<WatchForm>,
}

/// A section that can be bought.
struct Offer {
    id: &'static str,
    title: &'static str,
    price: i64,
    /// The free calls left today; none if the free quota does not cover this section.
    free_left: Option<i64>,
    preselected: bool,
}

#[derive(Default, Deserialize)]
pub struct Choice {
    #[serde(default)]
    sections: Vec<String>,
    page: Option<i64>,
    /// Of the network.
    depth: Option<u8>,
    /// Nodes of the network whose own connections are drawn too.
    #[serde(default)]
    expand: Vec<String>,
    /// Set by the redirect if another request was already loading a section.
    #[serde(default)]
    in_progress: bool,
    /// Set by the redirect if no section was selected.
    #[serde(default)]
    nothing_chosen: bool,
}

impl Choice {
    fn page(&self) -> i64 {
        self.page.unwrap_or(1).max(1)
    }

    fn depth(&self) -> u8 {
        self.depth.filter(|depth| DEPTHS.contains(depth)).unwrap_or(DEFAULT_DEPTH)
    }

    /// The name under which a response is stored. Each page of the documents and each depth of the network
    /// is stored separately.
    fn part_name(&self, id: &str) -> String {
        match id {
            "documents" => format!("{id}/{}", self.page()),
            "network" => format!("{id}/{}", self.depth()),
            id => id.to_owned(),
        }
    }

    /// The parameters of the page that the user is redirected to.
    fn query(&self) -> String {
        let depth = self.depth.map(|_| format!("&depth={}", self.depth()));
        format!("page={}{}", self.page(), depth.unwrap_or_default())
    }

    fn expanded(&self, signed_in: &SignedIn) -> Chosen {
        Chosen::read(&self.expand, ist_year(signed_in.context.at_ms))
    }
}

/// Displays the stored responses. In test mode, missing ones are requested; in live mode, the user
/// selects from a price list.
pub async fn show(
    signed_in: SignedIn,
    Extension(calls): Calls,
    Path(cin): Path<String>,
    RepeatedQuery(choice): RepeatedQuery<Choice>,
) -> Result<Response, Problem> {
    let cin = match read_company_id(&signed_in, &cin) {
        Ok(cin) => cin,
        Err(error) => return Ok(malformed(&signed_in, cin, error)),
    };
    let mut view = View::open(&signed_in, subject(&cin)).await?;
    view.in_progress = choice.in_progress;
    if signed_in.mode() == Mode::Test && signed_in.may(Permission::MakeCalls) {
        let mut parts = parts(&cin, &IN_TEST_MODE, &choice);
        parts.extend(expansion_parts(&choice.expanded(&signed_in)));
        view.fetch(&calls, parts).await?;
    }
    page(&signed_in, view, cin, &choice).await
}

/// Requests the selected sections, which are charged, and redirects to the page.
pub async fn buy(
    Extension(calls): Calls,
    Path(cin): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Choice>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    let cin = match read_company_id(&signed_in, &cin) {
        Ok(cin) => cin,
        Err(error) => return Ok(malformed(&signed_in, cin, error)),
    };
    if form.sections.is_empty() && form.expand.is_empty() {
        let address = format!("/console/companies/{cin}?{}&nothing_chosen=true", form.query());
        return Ok(Redirect::to(&address).into_response());
    }
    run_to_completion(fetch(calls, signed_in, cin, form)).await
}

async fn fetch(
    calls: ApiCalls,
    signed_in: SignedIn,
    cin: String,
    form: Choice,
) -> Result<Response, Problem> {
    let mut view = View::open(&signed_in, subject(&cin)).await?;
    let mut selected: Vec<&str> = form.sections.iter().map(String::as_str).collect();
    // The profile contains the identity.
    if selected.contains(&"profile") || view.has_response("profile") {
        selected.retain(|id| *id != "identity");
    }
    let expanded = form.expanded(&signed_in);
    let mut parts = parts(&cin, &selected, &form);
    parts.extend(expansion_parts(&expanded));
    view.fetch(&calls, parts).await?;
    let in_progress = if view.in_progress { "&in_progress=true" } else { "" };
    let of_network = form.depth.is_some() || !expanded.is_empty();
    let anchor = match (form.page() > 1, of_network) {
        (true, _) => "#documents",
        (_, true) => "#network",
        _ => "",
    };
    let query = format!("{}{}", form.query(), expanded.query());
    let address = format!("/console/companies/{cin}?{query}{in_progress}{anchor}");
    Ok(Redirect::to(&address).into_response())
}

/// The CIN, LLPIN or FCRN in its canonical form, or why it is invalid.
fn read_company_id(signed_in: &SignedIn, text: &str) -> Result<String, ApiError> {
    let year = ist_year(signed_in.context.at_ms);
    let number = CompanyId::parse_in_year(text, year);
    number
        .map(|number| number.as_str().to_owned())
        .map_err(|error| ApiError::identifier("cin", &error))
}

fn subject(cin: &str) -> String {
    format!("companies/{cin}")
}

/// The calls of some sections; unknown ids are ignored.
fn parts(cin: &str, ids: &[&str], choice: &Choice) -> Vec<Part> {
    let selected = SECTIONS.into_iter().filter(|section| ids.contains(&section.id));
    selected
        .map(|section| {
            let query = match (section.id, choice.page()) {
                ("documents", page) if page > 1 => format!("?page={page}"),
                ("network", _) => format!("?depth={}", choice.depth()),
                _ => String::new(),
            };
            Part {
                name: choice.part_name(section.id),
                operation: section.operation,
                path: format!("/v1/companies/{}{}{query}", encoded(cin), section.path),
            }
        })
        .collect()
}

async fn page(
    signed_in: &SignedIn,
    mut view: View<'_>,
    cin: String,
    choice: &Choice,
) -> Result<Response, Problem> {
    let page = choice.page();
    let offers = offers(signed_in, &view, choice).await?;
    let (stored_until, in_progress) = (view.stored_until.map(dates::minute), view.in_progress);
    let (first_call, company, profile) = identity(&mut view)?;
    let known = first_call.as_ref().is_none_or(|call| !call.failed());
    // If the company was not found, only the first call's error is displayed.
    let take = |view: &mut View<'_>, id: &str| {
        view.take(&choice.part_name(id)).filter(|call| known || !call.failed())
    };
    let documents = read::<Documents>(take(&mut view, "documents"))?;
    let per_page = i64::from(signed_in.app.config.limits.documents_per_page.get());
    let listed = documents.as_ref().and_then(|(_, data)| data.as_ref());
    let last_page = listed
        .and_then(|data| data.total_documents)
        .map_or(1, |total| (total + per_page - 1) / per_page);
    let title = company.as_ref().map_or_else(|| cin.clone(), |company| company.name.clone());
    let network = match take(&mut view, "network") {
        Some(response) => {
            let asked = (cin.as_str(), choice.depth(), &choice.expanded(signed_in));
            Some(NetworkSection::of_company(signed_in, &mut view, asked, response)?)
        }
        None => None,
    };
    let failure = choice.nothing_chosen.then_some("Select at least one item.");
    Ok(respond(&CompanyPage {
        frame: signed_in.frame(Tab::Search, &title).with_failure(failure),
        malformed: None,
        offers,
        may_call: signed_in.may(Permission::MakeCalls),
        first_call,
        company,
        profile,
        financials: read(take(&mut view, "financials"))?,
        compliance: read(take(&mut view, "compliance"))?,
        findings: read(take(&mut view, "findings"))?,
        history: read(take(&mut view, "history"))?,
        documents,
        network,
        report_price: signed_in.app.config.prices.of(Operation::GetCompanyReport),
        page,
        last_page: last_page.max(1),
        stored_until: stored_until.filter(|_| signed_in.mode() == Mode::Live),
        in_progress,
        watch: WatchForm::for_company(signed_in, &cin).await?,
        cin,
    }))
}

/// The page for an invalid CIN: the error, and nothing to buy.
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
        findings: None,
        history: None,
        documents: None,
        network: None,
        report_price: 0,
        page: 1,
        last_page: 1,
        stored_until: None,
        in_progress: false,
        watch: None,
        cin,
    });
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

/// The call that returned the company, and its data.
type Identity = (Option<ApiResponse>, Option<Company>, Option<Profile>);

/// The company from the profile if there is one, else from the identity call.
fn identity(view: &mut View<'_>) -> Result<Identity, Problem> {
    let by_profile = view.has_response("profile") || !view.has_response("identity");
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
    call: Option<ApiResponse>,
) -> Result<Option<(ApiResponse, Option<T>)>, Problem> {
    let Some(call) = call else { return Ok(None) };
    let data = call.data()?;
    Ok(Some((call, data)))
}

/// The sections that are not stored, with their prices; none in test mode, which loads them itself.
async fn offers(
    signed_in: &SignedIn,
    view: &View<'_>,
    choice: &Choice,
) -> Result<Vec<Offer>, Problem> {
    if signed_in.mode() == Mode::Test {
        return Ok(Vec::new());
    }
    let free_left = signed_in.free_calls_left().await?;
    let is_stored = |section: &Section| {
        let covered = section.id == "identity" && view.has_response("profile");
        covered || view.has_response(&choice.part_name(section.id))
    };
    let nothing_stored = !SECTIONS.iter().any(is_stored);
    let offer = |section: Section| Offer {
        id: section.id,
        title: section.title,
        price: signed_in.app.config.prices.of(section.operation),
        free_left: (section.operation.tariff() == Tariff::FreeQuota).then_some(free_left),
        preselected: section.preselected && nothing_stored,
    };
    Ok(SECTIONS.into_iter().filter(|section| !is_stored(section)).map(offer).collect())
}
