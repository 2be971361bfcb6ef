//! A company's page. Each section is the response of one API call.

use askama::Template;
use axum::Extension;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use jiff::civil::Date;
use panji_api::accounts::roles::Permission;
use panji_api::api::wire::{
    Company, CompanyEvents, CompanyFindings, Compliance, Documents, Financials, Profile,
};
use panji_api::config::operation::{Operation, Tariff};
use panji_api::events::sentence::Sentence;
use panji_api::http::error::ApiError;
use panji_ids::IdError;
use panji_store::ledger::Mode;

use super::api_call::{ApiCalls, ApiResponse, Calls};
use super::company_display::{
    self, DisplayBoardMember, DisplayCapital, DisplayCharge, DisplayCompliance,
    DisplayFinancialYear, DisplayFinancials, DisplayOpenCharges, DisplayRocFiling,
};
use super::company_sections::{
    Choice, SECTIONS, Section, identity, parts, read, read_company_id, subject,
};
use super::company_summary::{Fact, Sections};
use super::forms::AuthenticatedForm;
use super::labels;
use super::language::{amounts, dates, filters, t};
use super::layout::{Layout, Tab, respond};
use super::network::{NetworkSection, expansion_parts};
use super::page_cache::{CachedPage, run_to_completion};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;
use super::watch_form::WatchForm;

/// The sections that test mode loads; the profile contains the identity.
const IN_TEST_MODE: [&str; 7] =
    ["profile", "network", "financials", "compliance", "findings", "history", "documents"];

#[derive(Template)]
#[template(path = "company.html")]
struct CompanyPage {
    layout: Layout,
    cin: String,
    /// Why the CIN is invalid; then nothing can be bought.
    malformed: Option<String>,
    unloaded_sections: Vec<UnloadedSection>,
    may_call: bool,
    first_call: Option<ApiResponse>,
    company: Option<Company<'static>>,
    profile: Option<Profile<'static>>,
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
    today: Date,
}

impl CompanyPage {
    /// The strip at the top.
    fn strip(&self) -> Vec<Fact> {
        fn data<T>(section: &Option<(ApiResponse, Option<T>)>) -> Option<&T> {
            section.as_ref().and_then(|(_, data)| data.as_ref())
        }
        let sections = Sections {
            company: self.company.as_ref(),
            profile: self.profile.as_ref(),
            financials: data(&self.financials),
            compliance: data(&self.compliance),
            findings: data(&self.findings),
        };
        sections.strip(self.today)
    }

    /// The sections that are on the page, in its order: id and title.
    fn tabs(&self) -> Vec<(&'static str, &'static str)> {
        let all = [
            ("identity", t("Identity"), self.company.is_some()),
            ("findings", t("Findings"), self.findings.is_some()),
            ("financials", t("Financials"), self.financials.is_some()),
            ("directors", t("Directors"), self.profile.is_some()),
            ("charges", t("Charges"), self.profile.is_some()),
            ("network", t("Network"), self.network.is_some()),
            ("compliance", t("Compliance"), self.compliance.is_some()),
            ("history", t("History"), self.history.is_some()),
            ("documents", t("Documents"), self.documents.is_some()),
        ];
        all.into_iter().filter(|(.., present)| *present).map(|(id, title, _)| (id, title)).collect()
    }
}

/// A section that is not stored and can be bought.
struct UnloadedSection {
    id: &'static str,
    title: &'static str,
    price: i64,
    /// The free calls left today; none if the free quota does not cover this section.
    free_left: Option<i64>,
    preselected: bool,
}

/// Displays the stored responses. In test mode, missing ones are requested; in live mode, the user
/// selects from a price list.
pub async fn show(
    signed_in: SignedIn,
    Extension(calls): Calls,
    Path(cin): Path<String>,
    RepeatedQuery(choice): RepeatedQuery<Choice>,
) -> Result<Response, PageError> {
    let cin = match read_company_id(&signed_in, &cin) {
        Ok(cin) => cin,
        Err(error) => return Ok(malformed(&signed_in, cin, &error)),
    };
    let mut cached = CachedPage::open(&signed_in, subject(&cin)).await?;
    cached.in_progress = choice.in_progress;
    if signed_in.mode() == Mode::Test && signed_in.may(Permission::MakeCalls) {
        let mut parts = parts(&cin, &IN_TEST_MODE, &choice);
        parts.extend(expansion_parts(&choice.expanded(&signed_in)));
        cached.fetch(&calls, parts).await?;
    }
    page(&signed_in, cached, cin, &choice).await
}

/// Requests the selected sections, which are charged, and redirects to the page.
pub async fn buy(
    Extension(calls): Calls,
    Path(cin): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Choice>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let cin = match read_company_id(&signed_in, &cin) {
        Ok(cin) => cin,
        Err(error) => return Ok(malformed(&signed_in, cin, &error)),
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
) -> Result<Response, PageError> {
    let mut cached = CachedPage::open(&signed_in, subject(&cin)).await?;
    let mut selected: Vec<&str> = form.sections.iter().map(String::as_str).collect();
    // The profile contains the identity.
    if selected.contains(&"profile") || cached.has_response("profile") {
        selected.retain(|id| *id != "identity");
    }
    let expanded = form.expanded(&signed_in);
    let mut parts = parts(&cin, &selected, &form);
    parts.extend(expansion_parts(&expanded));
    cached.fetch(&calls, parts).await?;
    let in_progress = if cached.in_progress { "&in_progress=true" } else { "" };
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

async fn page(
    signed_in: &SignedIn,
    mut cached: CachedPage<'_>,
    cin: String,
    choice: &Choice,
) -> Result<Response, PageError> {
    let page = choice.page();
    let unloaded_sections = unloaded_sections(signed_in, &cached, choice).await?;
    let (stored_until, in_progress) = (cached.stored_until.map(dates::minute), cached.in_progress);
    let (first_call, company, profile) = identity(&mut cached)?;
    let known = first_call.as_ref().is_none_or(|call| !call.failed());
    // If the company was not found, only the first call's error is displayed.
    let take = |cached: &mut CachedPage<'_>, id: &str| {
        cached.take(&choice.part_name(id)).filter(|call| known || !call.failed())
    };
    let documents = read::<Documents>(take(&mut cached, "documents"))?;
    let per_page = i64::from(signed_in.app.config.limits.documents_per_page.get());
    let listed = documents.as_ref().and_then(|(_, data)| data.as_ref());
    let last_page = listed
        .and_then(|data| data.total_documents)
        .map_or(1, |total| (total + per_page - 1) / per_page);
    let title = company.as_ref().map_or_else(|| cin.clone(), |company| company.name.to_string());
    let network = match take(&mut cached, "network") {
        Some(response) => {
            let asked = (cin.as_str(), choice.depth(), &choice.expanded(signed_in));
            Some(NetworkSection::of_company(signed_in, &mut cached, asked, response)?)
        }
        None => None,
    };
    let failure = choice.nothing_chosen.then_some(t("Select at least one item."));
    Ok(respond(&CompanyPage {
        layout: signed_in.layout(Tab::Search, &title).with_failure(failure),
        malformed: None,
        unloaded_sections,
        may_call: signed_in.may(Permission::MakeCalls),
        first_call,
        company,
        profile,
        financials: read(take(&mut cached, "financials"))?,
        compliance: read(take(&mut cached, "compliance"))?,
        findings: read(take(&mut cached, "findings"))?,
        history: read(take(&mut cached, "history"))?,
        documents,
        network,
        report_price: signed_in.app.config.prices.of(Operation::GetCompanyReport),
        page,
        last_page: last_page.max(1),
        stored_until: stored_until.filter(|_| signed_in.mode() == Mode::Live),
        in_progress,
        watch: WatchForm::for_company(signed_in, &cin).await?,
        today: dates::today(signed_in.context.at_ms),
        cin,
    }))
}

/// The page for an invalid CIN: the error, and nothing to buy.
fn malformed(signed_in: &SignedIn, cin: String, error: &IdError) -> Response {
    let mut response = respond(&CompanyPage {
        layout: signed_in.layout(Tab::Search, &cin),
        malformed: Some(ApiError::identifier("cin", error).message),
        unloaded_sections: Vec::new(),
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
        today: dates::today(signed_in.context.at_ms),
        cin,
    });
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

/// The sections that are not stored, with their prices; none in test mode, which loads them itself.
async fn unloaded_sections(
    signed_in: &SignedIn,
    cached: &CachedPage<'_>,
    choice: &Choice,
) -> Result<Vec<UnloadedSection>, PageError> {
    if signed_in.mode() == Mode::Test {
        return Ok(Vec::new());
    }
    let free_left = signed_in.free_calls_left().await?;
    let is_stored = |section: &Section| {
        let covered = section.id == "identity" && cached.has_response("profile");
        covered || cached.has_response(&choice.part_name(section.id))
    };
    let nothing_stored = !SECTIONS.iter().any(is_stored);
    let unloaded = |section: Section| UnloadedSection {
        id: section.id,
        title: section.title,
        price: signed_in.app.config.prices.of(section.operation),
        free_left: (section.operation.tariff() == Tariff::FreeQuota).then_some(free_left),
        preselected: section.preselected && nothing_stored,
    };
    Ok(SECTIONS.into_iter().filter(|section| !is_stored(section)).map(unloaded).collect())
}
