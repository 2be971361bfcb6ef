//! Matching: which companies the names of a list mean.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::Request;
use panji_search::{
    Candidates, CompanyDetails, MatchCandidate as FoundCandidate, MatchDecision, MatchItem, Search,
    SearchError,
};
use panji_store::Register;
use panji_store::ledger::SavedDecision;
use panji_store::register::{CoverageLevel, CoveredSection};

use super::bulk::{check_count, dry_run, read_body};
use super::bulk_request::identity_of;
use super::call::Call;
use super::charging::{ChargeableCall, to_envelope_data};
use super::item_identifiers::{ItemIdentifiers, identify};
use super::match_request::{read_query, year_of_item};
use super::saved_decisions::{find_saved, with_saved_decisions};
use super::wire::{
    BulkPrice, IdentifierType, MatchCandidate, MatchRequest, MatchRequestItem, MatchResult,
    MatchResults, SearchResult,
};
use crate::api::simulation::{Effect, first_effect};
use crate::app::Dataset;
use crate::config::operation::Operation;
use crate::http::error::{ApiError, ApiResult, ErrorCode};

/// The candidates of an item, if the call does not say.
pub const DEFAULT_LIMIT: u16 = 3;
/// The candidates whose address and directors are compared.
const MAX_DETAILED: usize = 5;

/// Match names with companies
///
/// Tells for each item, a name as a list has it or an identifier, which company is meant: the decision `match`,
/// `review` or `none`, a calibrated score, and the candidates with the evidence by field. An identifier decides first;
/// one that contradicts the name makes a review. Each item with the decision `match` or `review` costs the price; `none`
/// costs nothing. The batch is charged in one entry, or refused as a whole when the balance does not cover the
/// price of all items.
#[utoipa::path(
    post,
    path = "/v1/companies/match",
    operation_id = "matchCompanies",
    tag = "Companies",
    params(
        ("dry_run" = Option<bool>, Query, description = "With `true` the response is only the price (`data.credits`)."),
    ),
    request_body = MatchRequest,
    responses((status = 200, body = MatchResults)),
)]
pub async fn match_companies(call: Call, request: Request) -> ApiResult {
    let (body, parsed) = read_body::<MatchRequest>(&call, request).await?;
    check_count("items", parsed.items.len(), call.app.config.limits.match_items.get())?;
    let each = call.app.config.prices.of(Operation::MatchCompanies);
    if dry_run(&call)? {
        let credits = each * parsed.items.len() as i64;
        return call.check_funds_for(0).await?.respond(&BulkPrice { credits }).await;
    }
    if let Some(first) = call.claim(&body).await? {
        return Ok(first);
    }
    let limit = usize::from(parsed.limit.unwrap_or(DEFAULT_LIMIT));
    let call = check_items(call, &parsed.items).await?;
    let saved = find_saved(&call, &parsed.items).await?;
    let results = match_items(&call, parsed.items, &saved, limit).await?;
    let (charged, data) = match saved.iter().any(Option::is_some) {
        true => with_saved_decisions(&results, &saved)?,
        false => (results.matched + results.review, to_envelope_data(&results)?),
    };
    drop(results);
    call.respond_json(each * charged as i64, data).await
}

/// The results of a call, and the price that is still to be charged for them.
pub struct Matched {
    pub call: ChargeableCall,
    pub results: MatchResults,
    pub price: i64,
}

/// Matches the items of a call whose caller can pay for all of them.
pub async fn match_for(
    call: Call,
    items: Vec<MatchRequestItem>,
    limit: usize,
) -> Result<Matched, ApiError> {
    let each = call.app.config.prices.of(Operation::MatchCompanies);
    let call = check_items(call, &items).await?;
    let saved = vec![None; items.len()];
    let results = match_items(&call, items, &saved, limit).await?;
    let price = each * (results.matched + results.review) as i64;
    Ok(Matched { call, results, price })
}

/// Checks that the caller can pay for all items, and simulates what test items ask for.
async fn check_items(call: Call, items: &[MatchRequestItem]) -> Result<ChargeableCall, ApiError> {
    let each = call.app.config.prices.of(Operation::MatchCompanies);
    let call = call.check_funds_for(each * items.len() as i64).await?;
    call.simulate(|| simulated_by_items(&call, items)).await?;
    Ok(call)
}

async fn match_items(
    call: &ChargeableCall,
    items: Vec<MatchRequestItem>,
    saved: &[Option<SavedDecision>],
    limit: usize,
) -> Result<MatchResults, ApiError> {
    let prepared = prepare(&call.register(), items, saved, call.this_year()).await?;
    let search_span = call.context.span("search");
    let found = find_candidates(&call.dataset().search, prepared).await?;
    drop(search_span);
    decide_all(&call.register(), found, limit).await
}

/// Matches items without a caller, for the operator.
pub async fn match_all(
    dataset: &Dataset,
    items: Vec<MatchRequestItem>,
    limit: usize,
    this_year: u16,
) -> Result<MatchResults, ApiError> {
    let saved = vec![None; items.len()];
    let prepared = prepare(&dataset.register, items, &saved, this_year).await?;
    let found = find_candidates(&dataset.search, prepared).await?;
    decide_all(&dataset.register, found, limit).await
}

/// The simulated effect of the identifiers of the items.
fn simulated_by_items(call: &Call, items: &[MatchRequestItem]) -> Effect {
    let year = call.this_year();
    let identities = items.iter().flat_map(|item| {
        let given = [
            (IdentifierType::Cin, &item.cin),
            (IdentifierType::Pan, &item.pan),
            (IdentifierType::Gstin, &item.gstin),
        ];
        given
            .into_iter()
            .filter_map(move |(kind, value)| identity_of(Some(kind), value.as_deref()?, year))
    });
    first_effect(identities)
}

/// An item with what its identifiers name.
struct Prepared {
    item: MatchRequestItem,
    identified: ItemIdentifiers,
    /// The number of the company that a person has chosen.
    chosen: Option<String>,
}

impl Prepared {
    fn match_item(&self) -> MatchItem<'_> {
        let item = &self.item;
        MatchItem {
            name: item.name.as_deref().unwrap_or_default(),
            state: item.state.as_deref(),
            city: item.city.as_deref(),
            pincode: item.pincode.as_deref(),
            address: item.address.as_deref(),
            incorporated_year: year_of_item(item),
            director: item.director.as_deref(),
            identified: &self.identified.cins,
            compared: self.chosen.as_deref(),
        }
    }

    fn needs_details(&self) -> bool {
        self.item.address.is_some() || self.item.city.is_some() || self.item.director.is_some()
    }
}

async fn prepare(
    register: &Register,
    items: Vec<MatchRequestItem>,
    saved: &[Option<SavedDecision>],
    this_year: u16,
) -> Result<Vec<Prepared>, ApiError> {
    let mut prepared = Vec::with_capacity(items.len());
    for (item, saved) in items.into_iter().zip(saved) {
        let identified = identify(register, &item, this_year).await?;
        let chosen = saved.as_ref().and_then(|saved| saved.cin.clone());
        prepared.push(Prepared { item, identified, chosen });
    }
    Ok(prepared)
}

async fn decide_all(
    register: &Register,
    found: Vec<(Prepared, Candidates)>,
    limit: usize,
) -> Result<MatchResults, ApiError> {
    let mut results = Vec::with_capacity(found.len());
    for (prepared, candidates) in found {
        results.push(decide(register, &prepared, &candidates, limit).await?);
    }
    set_leis(register, &mut results).await?;
    let count = |decision: MatchDecision| {
        results.iter().filter(|result| result.decision == decision.as_str()).count()
    };
    Ok(MatchResults {
        total: results.len(),
        matched: count(MatchDecision::Match),
        review: count(MatchDecision::Review),
        none: count(MatchDecision::None),
        results,
    })
}

/// Searches for all items outside the threads that serve requests: a batch takes long.
async fn find_candidates(
    search: &Arc<Search>,
    prepared: Vec<Prepared>,
) -> Result<Vec<(Prepared, Candidates)>, ApiError> {
    let search = search.clone();
    // In a part of the register, "none" and "the only one of this name" would not be true.
    if let Some(companies) = search.building() {
        let message = format!(
            "The search index is being built: it has {companies} companies so far. Try again later."
        );
        return Err(ApiError::new(ErrorCode::Unavailable, message));
    }
    let find_all = move || -> Result<Vec<(Prepared, Candidates)>, SearchError> {
        let find = |prepared: Prepared| {
            let candidates = search.match_candidates(&prepared.match_item())?;
            Ok((prepared, candidates))
        };
        prepared.into_iter().map(find).collect()
    };
    let found = tokio::task::spawn_blocking(find_all).await;
    Ok(found.map_err(|error| ApiError::internal(error.to_string()))??)
}

async fn decide(
    register: &Register,
    prepared: &Prepared,
    candidates: &Candidates,
    limit: usize,
) -> Result<MatchResult, ApiError> {
    let item = prepared.match_item();
    let mut details = HashMap::new();
    if prepared.needs_details() {
        let likely = candidates.decide(&item, &details, MAX_DETAILED).candidates;
        let likely = likely.into_iter().map(|candidate| candidate.company.cin);
        for cin in likely.chain(prepared.chosen.clone()) {
            details.insert(cin.clone(), read_details(register, &cin, item.director).await?);
        }
    }
    let mut decided = candidates.decide(&item, &details, limit);
    if let Some(chosen) = &prepared.chosen {
        let is_chosen = |candidate: &FoundCandidate| candidate.company.cin == *chosen;
        if !decided.candidates.iter().any(is_chosen) {
            let all = candidates.decide(&item, &details, usize::MAX).candidates;
            decided.candidates.extend(all.into_iter().find(is_chosen));
        }
    }
    let mut decision = decided.decision;
    let mut listed = Vec::with_capacity(decided.candidates.len());
    for (at, candidate) in decided.candidates.into_iter().enumerate() {
        let cin = candidate.company.cin.as_str();
        let (mut evidence, contradicts) = prepared.identified.evidence(register, cin).await?;
        if at == 0 && contradicts && decision == MatchDecision::Match {
            decision = MatchDecision::Review;
        }
        evidence.extend(candidate.evidence.into_iter().map(Into::into));
        let company = SearchResult { score: candidate.score, ..candidate.company.into() };
        listed.push(MatchCandidate { company, evidence });
    }
    let matched = listed.first().filter(|_| decision == MatchDecision::Match);
    Ok(MatchResult {
        reference: prepared.item.reference.clone(),
        query: read_query(&prepared.item, item.incorporated_year),
        entity: decided.entity.as_str(),
        decision: decision.as_str(),
        company: matched.map(|first| first.company.clone()),
        score: decided.score,
        margin: decided.margin,
        candidates: listed,
        person_decision: None,
    })
}

/// Sets the LEI of each company.
async fn set_leis(register: &Register, results: &mut [MatchResult]) -> Result<(), ApiError> {
    let companies = || results.iter().flat_map(|result| &result.candidates);
    let cins: Vec<&str> = companies().map(|found| found.company.cin.as_str()).collect();
    let mut leis = register.find_company_leis(&cins).await?.into_iter();
    for result in results {
        for candidate in &mut result.candidates {
            candidate.company.lei = leis.next().flatten();
        }
        if let (Some(company), Some(first)) = (&mut result.company, result.candidates.first()) {
            company.lei.clone_from(&first.company.lei);
        }
    }
    Ok(())
}

async fn read_details(
    register: &Register,
    cin: &str,
    director: Option<&str>,
) -> Result<CompanyDetails, ApiError> {
    let Some(company) = register.find_company(cin).await? else {
        return Ok(CompanyDetails::default());
    };
    let coverage = company.coverage();
    let stated = coverage.get(CoveredSection::Directors);
    let all_directors = stated.is_some_and(|stated| stated.coverage == CoverageLevel::Full);
    let directors = match director {
        Some(_) => {
            let appointments = register.list_appointments(cin).await?;
            Some(appointments.into_iter().map(|appointment| appointment.name).collect())
        }
        None => None,
    };
    Ok(CompanyDetails { address: company.address, directors, all_directors })
}
