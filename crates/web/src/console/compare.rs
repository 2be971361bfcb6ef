//! Two to four companies side by side. The responses are those of the companies' own pages, stored
//! under the same names: what was bought there is free here, and the other way round.

use std::collections::BTreeSet;

use askama::Template;
use axum::Extension;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::api::wire::{Compliance, Financials};
use panji_api::http::encoding::encoded;
use panji_store::ledger::Mode;
use serde::Deserialize;

use super::api_call::{ApiCalls, Calls};
use super::company_sections::{Choice, identity, parts, read, read_company_id, subject};
use super::company_summary::{Fact, Sections};
use super::forms::AuthenticatedForm;
use super::language::{amounts, dates, filters, t, t_with};
use super::layout::{Layout, Tab, respond};
use super::page_cache::{CachedPage, Part, run_to_completion};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;

const MIN_COMPANIES: usize = 2;
const MAX_COMPANIES: usize = 4;
/// The longest number that a field takes.
const MAX_NUMBER: usize = 40;
/// The sections that a comparison needs.
const SECTIONS: [&str; 3] = ["profile", "financials", "compliance"];

#[derive(Template)]
#[template(path = "compare.html")]
struct ComparePage {
    layout: Layout,
    /// One per field of the form, with what was typed.
    entries: Vec<Field>,
    may_call: bool,
    columns: Vec<Column>,
    /// The companies whose sections are not stored, and the price of these.
    missing: i64,
    price: i64,
    stored_until: Option<String>,
    in_progress: bool,
}

struct Field {
    id: String,
    value: String,
    error: Option<String>,
}

/// A company of the comparison.
struct Column {
    cin: String,
    name: String,
    /// Why nothing is known.
    error: Option<String>,
    facts: Vec<Fact>,
    /// The address of the comparison without this company.
    without: String,
}

impl ComparePage {
    fn typed(&self) -> usize {
        self.entries.iter().filter(|field| !field.value.is_empty()).count()
    }

    /// Whether there is something to show: in live mode a response, or why there is none.
    fn has_results(&self) -> bool {
        let failed = || self.columns.iter().any(|column| column.error.is_some());
        !self.layout.live() || self.stored_until.is_some() || failed()
    }

    /// The rows: heading, and one fact per company.
    fn rows(&self) -> Vec<(&'static str, Vec<&Fact>)> {
        let Some(first) = self.columns.first() else { return Vec::new() };
        let row = |(index, fact): (usize, &Fact)| {
            (fact.what, self.columns.iter().map(|column| &column.facts[index]).collect())
        };
        first.facts.iter().enumerate().map(row).collect()
    }
}

#[derive(Default, Deserialize)]
pub struct Companies {
    #[serde(default)]
    cin: Vec<String>,
}

impl Companies {
    /// What was typed, without empty fields and repetitions.
    fn typed(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let typed = self
            .cin
            .iter()
            .map(|text| text.trim().chars().take(MAX_NUMBER).collect::<String>().to_uppercase());
        typed
            .filter(|text| !text.is_empty() && seen.insert(text.clone()))
            .take(MAX_COMPANIES)
            .collect()
    }
}

/// Displays the stored responses. In test mode missing ones are requested; in live mode the price is
/// displayed first.
pub async fn show(
    signed_in: SignedIn,
    Extension(calls): Calls,
    RepeatedQuery(companies): RepeatedQuery<Companies>,
) -> Result<Response, PageError> {
    let typed = companies.typed();
    let mut page = ComparePage {
        layout: signed_in.layout(Tab::Search, t("Compare companies")),
        entries: Vec::new(),
        may_call: signed_in.may(Permission::MakeCalls),
        columns: Vec::new(),
        missing: 0,
        price: 0,
        stored_until: None,
        in_progress: false,
    };
    let mut cins: Vec<String> = Vec::new();
    for index in 0..MAX_COMPANIES {
        let value = typed.get(index).cloned().unwrap_or_default();
        let read = (!value.is_empty()).then(|| read_company_id(&signed_in, &value));
        let error = read.and_then(|read| match read {
            Ok(cin) => {
                cins.push(cin);
                None
            }
            Err(error) => Some(t_with("Malformed: {0}.", &[&error])),
        });
        page.entries.push(Field { id: format!("cin-{}", index + 1), value, error });
    }
    if cins.len() >= MIN_COMPANIES {
        for cin in &cins {
            let column = column(&signed_in, &calls, cin, &cins, &mut page).await?;
            page.columns.push(column);
        }
    }
    Ok(respond(&page))
}

/// Makes the missing calls, which are charged, and redirects to the page.
pub async fn buy(
    Extension(calls): Calls,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Companies>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    run_to_completion(fetch(calls, signed_in, form.typed())).await
}

async fn fetch(
    calls: ApiCalls,
    signed_in: SignedIn,
    typed: Vec<String>,
) -> Result<Response, PageError> {
    for text in &typed {
        let Ok(cin) = read_company_id(&signed_in, text) else { continue };
        let mut cached = CachedPage::open(&signed_in, subject(&cin)).await?;
        cached.fetch(&calls, needed(&cin)).await?;
    }
    Ok(Redirect::to(&address(&typed)).into_response())
}

fn needed(cin: &str) -> Vec<Part> {
    parts(cin, &SECTIONS, &Choice::default())
}

/// The address of a comparison, which can be shared.
fn address<T: AsRef<str>>(cins: &[T]) -> String {
    let cins: Vec<String> =
        cins.iter().map(|cin| format!("cin={}", encoded(cin.as_ref()))).collect();
    format!("/console/compare?{}", cins.join("&"))
}

async fn column(
    signed_in: &SignedIn,
    calls: &ApiCalls,
    cin: &str,
    cins: &[String],
    page: &mut ComparePage,
) -> Result<Column, PageError> {
    let mut cached = CachedPage::open(signed_in, subject(cin)).await?;
    let live = signed_in.mode() == Mode::Live;
    if !live && page.may_call {
        cached.fetch(calls, needed(cin)).await?;
    }
    let missing = needed(cin).into_iter().filter(|part| !cached.has_response(&part.name));
    let prices = missing.map(|part| signed_in.app.config.prices.of(part.operation));
    let (count, price) = prices.fold((0, 0), |(count, sum), price| (count + 1, sum + price));
    page.missing += i64::from(count > 0);
    page.price += price;
    page.in_progress |= cached.in_progress;
    if let Some(until) = cached.stored_until.filter(|_| live) {
        page.stored_until = Some(dates::minute(until));
    }
    let (call, company, profile) = identity(&mut cached)?;
    let financials = read::<Financials>(cached.take("financials"))?.and_then(|(_, data)| data);
    let compliance = read::<Compliance>(cached.take("compliance"))?.and_then(|(_, data)| data);
    let sections = Sections {
        company: company.as_ref(),
        profile: profile.as_ref(),
        financials: financials.as_ref(),
        compliance: compliance.as_ref(),
        findings: None,
    };
    let others: Vec<&String> = cins.iter().filter(|other| *other != cin).collect();
    Ok(Column {
        facts: sections.compared(dates::today(signed_in.context.at_ms)),
        name: company.as_ref().map_or_else(|| cin.to_owned(), |company| company.name.to_string()),
        error: call.and_then(|call| call.error),
        without: address(&others),
        cin: cin.to_owned(),
    })
}
