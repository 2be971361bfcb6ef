//! Enrichment: selected sections of many companies, each priced like its own endpoint.

use std::borrow::Cow;
use std::collections::HashMap;

use panji_ids::{CompanyId, IdError};
use panji_store::Register;
use panji_store::register::{Company, DocumentFilter};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::call::company_not_found;
use super::companies;
use super::cover::CoveredCall;
use super::wire::{self, BulkEnrichCin, BulkEnrichResult, BulkEnrichResults, ItemError};
use crate::config::operation::Operation;
use crate::config::{Config, Prices};
use crate::http::error::{ApiError, ErrorCode};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Company,
    Pan,
    Capital,
    Directors,
    Charges,
    Financials,
    Compliance,
    Documents,
}

impl Section {
    const ALL: [Section; 8] = [
        Section::Company,
        Section::Pan,
        Section::Capital,
        Section::Directors,
        Section::Charges,
        Section::Financials,
        Section::Compliance,
        Section::Documents,
    ];

    fn name(self) -> &'static str {
        match self {
            Section::Company => "company",
            Section::Pan => "pan",
            Section::Capital => "capital",
            Section::Directors => "directors",
            Section::Charges => "charges",
            Section::Financials => "financials",
            Section::Compliance => "compliance",
            Section::Documents => "documents",
        }
    }

    /// The schema of the whole section.
    fn schema(self) -> Cow<'static, str> {
        match self {
            Section::Company => wire::Company::name(),
            Section::Pan => wire::CompanyPan::name(),
            Section::Capital => wire::Capital::name(),
            Section::Directors => wire::CompanyDirectors::name(),
            Section::Charges => wire::CompanyCharges::name(),
            Section::Financials => wire::Financials::name(),
            Section::Compliance => wire::Compliance::name(),
            Section::Documents => wire::Documents::name(),
        }
    }

    fn price(self, prices: &Prices) -> i64 {
        match self {
            Section::Company => prices.of(Operation::GetCompany),
            Section::Pan => prices.of(Operation::GetCompanyPan),
            Section::Capital => prices.capital(),
            Section::Directors => prices.of(Operation::GetCompanyDirectors),
            Section::Charges => prices.of(Operation::GetCompanyCharges),
            Section::Financials => prices.of(Operation::GetCompanyFinancials),
            Section::Compliance => prices.of(Operation::GetCompanyCompliance),
            Section::Documents => prices.of(Operation::ListCompanyDocuments),
        }
    }

    /// The members of a section, for fields such as `company.name`.
    fn members(self) -> &'static [&'static str] {
        match self {
            Section::Company => &[
                "cin",
                "name",
                "kind",
                "status",
                "status_text",
                "class",
                "class_text",
                "category",
                "category_text",
                "sub_category",
                "sub_category_text",
                "listed",
                "incorporated_on",
                "registration_number",
                "registered_office",
                "email",
                "roc",
                "industry",
                "former_names",
                "former_cins",
                "as_of",
                "source",
            ],
            Section::Pan => &["cin", "pan", "as_of", "source"],
            Section::Capital => &["authorised", "paid_up", "currency", "members"],
            Section::Directors => &["cin", "current", "past", "as_of", "source"],
            Section::Charges => &["cin", "total", "open", "charges", "as_of", "source"],
            Section::Financials => &["cin", "currency", "years"],
            Section::Compliance => &[
                "cin",
                "last_agm_on",
                "last_balance_sheet_on",
                "last_annual_return_year",
                "roc_filings",
                "credit_ratings",
                "epfo",
                "as_of",
                "source",
            ],
            Section::Documents => &["cin", "total_documents", "page", "documents"],
        }
    }
}

/// The requested sections; none as members means the whole section.
pub struct Selection {
    sections: Vec<(Section, Option<Vec<String>>)>,
}

impl Selection {
    /// Parses the `fields` of a request.
    pub fn parse(fields: &[String]) -> Result<Selection, ApiError> {
        let mut selection = Selection { sections: Vec::new() };
        if fields.is_empty() {
            return Err(ApiError::body("fields", "fields is empty: name at least one section."));
        }
        for (index, field) in fields.iter().enumerate() {
            let param = format!("fields[{index}]");
            let (name, member) = match field.split_once('.') {
                Some((name, member)) => (name, Some(member)),
                None => (field.as_str(), None),
            };
            let section = Section::ALL.into_iter().find(|section| section.name() == name);
            let section = section.ok_or_else(|| {
                let names: Vec<&str> = Section::ALL.iter().map(|section| section.name()).collect();
                let names = names.join(", ");
                ApiError::body(&param, format!("{param} must be one of {names}."))
            })?;
            if let Some(member) = member
                && !section.members().contains(&member)
            {
                let members = section.members().join(", ");
                return Err(ApiError::body(
                    &param,
                    format!("{param} is not a member of {name}, which has {members}."),
                ));
            }
            selection.add(section, member);
        }
        Ok(selection)
    }

    /// All values of `fields`: each section, and each of its members.
    pub fn all_fields() -> Vec<String> {
        let members = |section: Section| {
            let member = move |member: &&str| format!("{}.{member}", section.name());
            section.members().iter().map(member).collect::<Vec<_>>()
        };
        let whole = Section::ALL.map(|section| section.name().to_owned());
        whole.into_iter().chain(Section::ALL.into_iter().flat_map(members)).collect()
    }

    fn add(&mut self, section: Section, member: Option<&str>) {
        let selected = self.sections.iter_mut().find(|(selected, _)| *selected == section);
        match (selected, member) {
            // The whole section covers its members.
            (Some((_, members)), None) => *members = None,
            (Some((_, Some(members))), Some(member)) => members.push(member.to_owned()),
            (Some((_, None)), Some(_)) => {}
            (None, member) => {
                self.sections.push((section, member.map(|member| vec![member.to_owned()])));
            }
        }
    }

    fn empty(&self) -> Map<String, Value> {
        self.sections.iter().map(|(section, _)| (section.name().to_owned(), Value::Null)).collect()
    }
}

/// The names of the sections and of their schemas.
pub fn sections() -> impl Iterator<Item = (&'static str, Cow<'static, str>)> {
    Section::ALL.into_iter().map(|section| (section.name(), section.schema()))
}

/// The price of a section of one company; 0 if there is no such section.
pub fn section_price(prices: &Prices, name: &str) -> i64 {
    let section = Section::ALL.into_iter().find(|section| section.name() == name);
    section.map_or(0, |section| section.price(prices))
}

/// The most that an enrichment can cost: every well-formed number is found and every section has
/// data.
pub fn highest_price(
    prices: &Prices,
    cins: &[impl AsRef<str>],
    selection: &Selection,
    this_year: u16,
) -> i64 {
    let mut distinct: Vec<String> = cins
        .iter()
        .filter_map(|cin| CompanyId::parse_in_year(cin.as_ref(), this_year).ok())
        .map(|id| id.as_str().to_owned())
        .collect();
    distinct.sort_unstable();
    distinct.dedup();
    let each: i64 = selection.sections.iter().map(|(section, _)| section.price(prices)).sum();
    each * distinct.len() as i64
}

/// Enriches companies in the requested order.
pub async fn enrich_all(
    call: &CoveredCall,
    cins: &[BulkEnrichCin],
    selection: &Selection,
) -> Result<BulkEnrichResults, ApiError> {
    let register = call.register();
    let mut results: Vec<BulkEnrichResult> = Vec::with_capacity(cins.len());
    let mut first_positions: HashMap<String, usize> = HashMap::new();
    for requested in cins {
        let company = match CompanyId::parse_in_year(requested.as_ref(), call.this_year()) {
            Err(error) => Err((None, malformed(&error))),
            Ok(id) => {
                let company = register.find_company(id.as_str()).await?;
                company
                    .ok_or_else(|| (Some(id.as_str().to_owned()), company_not_found(id.as_str())))
            }
        };
        let result = match company {
            Err((cin, error)) => not_found(cin, &error, selection),
            Ok(company) => match first_positions.get(&company.cin) {
                // A repeated company is answered again and charged once.
                Some(first) => BulkEnrichResult { credits: 0, ..results[*first].clone() },
                None => {
                    first_positions.insert(company.cin.clone(), results.len());
                    enrich(&register, &call.app.config, company, selection).await?
                }
            },
        };
        results.push(BulkEnrichResult {
            reference: requested.reference().map(str::to_owned),
            requested: requested.as_ref().to_owned(),
            ..result
        });
    }
    let found = results.iter().filter(|result| result.found).count();
    Ok(BulkEnrichResults { total: results.len(), found, not_found: results.len() - found, results })
}

fn malformed(error: &IdError) -> ApiError {
    ApiError::new(ErrorCode::InvalidIdentifier, format!("The CIN is malformed: {error}."))
}

fn not_found(cin: Option<String>, error: &ApiError, selection: &Selection) -> BulkEnrichResult {
    let error = ItemError { code: error.code.as_str(), message: error.message.clone() };
    BulkEnrichResult {
        reference: None,
        requested: String::new(),
        cin,
        found: false,
        credits: 0,
        sections: selection.empty(),
        error: Some(error),
    }
}

async fn enrich(
    register: &Register,
    config: &Config,
    company: Company,
    selection: &Selection,
) -> Result<BulkEnrichResult, ApiError> {
    let mut sections = Map::new();
    let mut credits = 0;
    for (section, members) in &selection.sections {
        let (value, has_data) = fetch(register, config, &company, *section).await?;
        credits += if has_data { section.price(&config.prices) } else { 0 };
        let value = match members {
            Some(members) => pick(value, members),
            None => value,
        };
        sections.insert(section.name().to_owned(), value);
    }
    Ok(BulkEnrichResult {
        reference: None,
        requested: String::new(),
        cin: Some(company.cin),
        found: true,
        credits,
        sections,
        error: None,
    })
}

/// One section of a company, and whether it has the data that is paid for.
async fn fetch(
    register: &Register,
    config: &Config,
    company: &Company,
    section: Section,
) -> Result<(Value, bool), ApiError> {
    let cin = company.cin.clone();
    Ok(match section {
        Section::Company => (json(&wire::Company::from(company.clone()))?, true),
        Section::Capital => (json(&wire::Capital::from(company))?, true),
        Section::Pan => {
            let pan = register.find_company_pan(&cin).await?;
            let has_data = pan.is_some();
            (json(&wire::CompanyPan::new(cin, pan))?, has_data)
        }
        Section::Directors => {
            let seats = register.list_appointments(&cin).await?;
            (json(&wire::CompanyDirectors::new(&company.key(), seats))?, true)
        }
        Section::Charges => {
            let charges = register.list_charges(&cin).await?;
            (json(&wire::CompanyCharges::new(&company.key(), charges))?, true)
        }
        Section::Financials => {
            let years = register.list_financial_years(&cin).await?;
            let has_data = !years.is_empty();
            (json(&wire::Financials::new(cin, years))?, has_data)
        }
        Section::Compliance => {
            let filings = register.list_filings(&cin).await?;
            let ratings = register.list_credit_ratings(&cin).await?;
            let establishments = register.list_epfo_establishments(&cin).await?;
            (json(&wire::Compliance::new(company.clone(), filings, ratings, establishments))?, true)
        }
        Section::Documents => {
            let per_page = i64::from(config.limits.documents_per_page);
            let all = companies::documents(register, cin, &DocumentFilter::All, 1, per_page);
            (json(&all.await?)?, true)
        }
    })
}

fn json(section: &impl serde::Serialize) -> Result<Value, ApiError> {
    serde_json::to_value(section).map_err(|error| ApiError::internal(error.to_string()))
}

/// Keeps some members of a section, in the section's own order.
fn pick(section: Value, members: &[String]) -> Value {
    match section {
        Value::Object(all) => all.into_iter().filter(|(name, _)| members.contains(name)).collect(),
        other => other,
    }
}
