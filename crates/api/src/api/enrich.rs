//! Enrichment: selected sections of many companies, each priced like its own endpoint.

use std::borrow::Cow;
use std::collections::HashMap;

use futures_util::future::try_join_all;
use panji_ids::{CompanyId, IdError};
use panji_store::Register;
use panji_store::register::Company;
use serde_json::Value;

use super::charging::ChargeableCall;
use super::company_in_path::company_not_found;
use super::sections::{BillableSection, Section};
use super::wire::{
    BulkEnrichCin, BulkEnrichResult, BulkEnrichResults, EnrichedSection, EnrichedSections,
    ItemError,
};
use crate::config::{Config, Prices};
use crate::http::error::{ApiError, ErrorCode};

/// The sections asked for, each whole or with some members only.
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
                && !section.members().iter().any(|known| known == member)
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
            let member = move |member: String| format!("{}.{member}", section.name());
            section.members().into_iter().map(member).collect::<Vec<_>>()
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

    fn empty(&self) -> EnrichedSections {
        let null = |(section, _): &(Section, _)| (section.name(), EnrichedSection::Null);
        EnrichedSections(self.sections.iter().map(null).collect())
    }
}

/// The names of the sections and of their schemas.
pub fn sections() -> impl Iterator<Item = (&'static str, Cow<'static, str>)> {
    Section::ALL.into_iter().map(|section| (section.name(), section.schema_name()))
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
    call: &ChargeableCall,
    cins: &[BulkEnrichCin],
    selection: &Selection,
) -> Result<BulkEnrichResults, ApiError> {
    let register = call.register();
    let parse = |cin: &BulkEnrichCin| CompanyId::parse_in_year(cin.as_ref(), call.this_year());
    let ids: Vec<Result<CompanyId, IdError>> = cins.iter().map(parse).collect();
    let numbers: Vec<&str> = ids.iter().flatten().map(CompanyId::as_str).collect();
    let mut found = register.find_companies(&numbers).await?.into_iter();
    // Each company once, and its index for each item.
    let mut companies: Vec<Company> = Vec::with_capacity(cins.len());
    let mut indexes: HashMap<String, usize> = HashMap::with_capacity(cins.len());
    let mut find = |id: &Result<CompanyId, IdError>| {
        let not_found = |cin, error| Box::new(not_found(cin, &error, selection));
        let id = id.as_ref().map_err(|error| not_found(None, malformed(error)))?;
        let cin = id.as_str();
        let missing = || not_found(Some(cin.to_owned()), company_not_found(cin));
        let company = found.next().flatten().ok_or_else(missing)?;
        let index = indexes.entry(company.cin.clone()).or_insert(companies.len());
        if *index == companies.len() {
            companies.push(company);
        }
        Ok(*index)
    };
    let items: Vec<Result<usize, Box<BulkEnrichResult>>> = ids.iter().map(&mut find).collect();
    let enriched = enrich_each(&register, &call.app.config, companies, selection).await?;
    let mut enriched: Vec<Option<BulkEnrichResult>> = enriched.into_iter().map(Some).collect();
    let mut first_positions = vec![0; enriched.len()];
    let mut results: Vec<BulkEnrichResult> = Vec::with_capacity(cins.len());
    for (requested, item) in cins.iter().zip(items) {
        let result = match item {
            Err(not_found) => *not_found,
            Ok(index) => match enriched[index].take() {
                Some(first) => {
                    first_positions[index] = results.len();
                    first
                }
                // A repeated company is returned again and charged once.
                None => BulkEnrichResult { credits: 0, ..results[first_positions[index]].clone() },
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

async fn enrich_each(
    register: &Register,
    config: &Config,
    companies: Vec<Company>,
    selection: &Selection,
) -> Result<Vec<BulkEnrichResult>, ApiError> {
    let read =
        |(section, _): &(Section, _)| section.read_each(register, &config.limits, &companies);
    // PostgreSQL gets the queries of all sections without waiting in between.
    let read = try_join_all(selection.sections.iter().map(read)).await?;
    let unread = |company: Company| BulkEnrichResult {
        reference: None,
        requested: String::new(),
        cin: Some(company.cin),
        found: true,
        credits: 0,
        sections: EnrichedSections(Vec::with_capacity(selection.sections.len())),
        error: None,
    };
    let mut results: Vec<BulkEnrichResult> = companies.into_iter().map(unread).collect();
    for ((section, members), delivered) in selection.sections.iter().zip(read) {
        for (result, BillableSection { data, billable }) in results.iter_mut().zip(delivered) {
            result.credits += if billable { section.price(&config.prices) } else { 0 };
            let data = match members {
                Some(members) => pick(&data, members)?,
                None => data,
            };
            result.sections.0.push((section.name(), data));
        }
    }
    Ok(results)
}

/// Keeps some members of a section, in the section's own order.
fn pick(section: &EnrichedSection, members: &[String]) -> Result<EnrichedSection, ApiError> {
    match serde_json::to_value(section) {
        Ok(Value::Object(all)) => Ok(EnrichedSection::Members(
            all.into_iter().filter(|(name, _)| members.contains(name)).collect(),
        )),
        Ok(_) => Err(ApiError::internal("a section is not an object")),
        Err(error) => Err(ApiError::internal(error.to_string())),
    }
}
