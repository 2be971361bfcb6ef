//! Bulk endpoints: the body, the limits and the price. `verification` and `enrich` produce the results.

use axum::body::Bytes;
use axum::extract::Request;
use panji_ids::{CompanyId, Din, Gstin, Pan};
use panji_store::{Register, StoreError};

use super::body::{self, FromBody};
use super::bulk_request::{identity_of, kind_of, verification_price};
use super::call::Call;
use super::charging::{ChargeableCall, to_envelope_data};
use super::enrich;
use super::idempotency::idempotency_key;
use super::verification::{Verifiable, verify_each};
use super::wire::{
    BulkEnrichCin, BulkEnrichRequest, BulkEnrichResults, BulkPrice, BulkVerifyItem,
    BulkVerifyRequest, BulkVerifyResult, BulkVerifyResults, IdentifierType, ItemError,
    Verification,
};
use crate::api::simulation::{Effect, first_effect};
use crate::http::error::{ApiError, ApiResult, ErrorCode};

/// Verify many identifiers
///
/// Each item costs its verification; equal items are charged once, and an item of unknown type
/// costs nothing. The batch is charged in one entry, or refused as a whole when the balance does
/// not cover it.
#[utoipa::path(
    post,
    path = "/v1/bulk/verify",
    operation_id = "bulkVerify",
    tag = "Bulk",
    params(
        ("dry_run" = Option<bool>, Query, description = "With `true` the response is only the price (`data.credits`)."),
    ),
    request_body = BulkVerifyRequest,
    responses((status = 200, body = BulkVerifyResults)),
)]
pub async fn bulk_verify(call: Call, request: Request) -> ApiResult {
    let (body, parsed) = read_body::<BulkVerifyRequest>(&call, request).await?;
    let items = parsed.items;
    check_count("items", items.len(), call.app.config.limits.bulk_verify_items.get())?;
    let kinds: Vec<Option<IdentifierType>> =
        items.iter().map(|item| kind_of(item.kind, &item.value)).collect();
    let requested = items.iter().map(|item| (item.kind, item.value.as_str()));
    let price = verification_price(&call.app.config.prices, requested, call.this_year());
    if dry_run(&call)? {
        return call.check_funds_for(0).await?.respond(&BulkPrice { credits: price }).await;
    }
    if let Some(first) = call.claim(&body).await? {
        return Ok(first);
    }
    let call = call.check_funds_for(price).await?;
    call.simulate(|| simulated_by_items(&call, &items)).await?;
    let data = to_envelope_data(&verify_all(&call, items, kinds).await?)?;
    call.respond_json(price, data).await
}

/// Fetch sections of many companies
///
/// Each company in the register costs the sum of the requested sections; a company requested twice
/// is charged once. The batch is charged in one entry, or refused as a whole when the balance does
/// not cover it.
#[utoipa::path(
    post,
    path = "/v1/bulk/enrich",
    operation_id = "bulkEnrich",
    tag = "Bulk",
    params(
        ("dry_run" = Option<bool>, Query, description = "With `true` the response is only the price (`data.credits`)."),
    ),
    request_body = BulkEnrichRequest,
    responses((status = 200, body = BulkEnrichResults)),
)]
pub async fn bulk_enrich(call: Call, request: Request) -> ApiResult {
    let (body, parsed) = read_body::<BulkEnrichRequest>(&call, request).await?;
    check_count("cins", parsed.cins.len(), call.app.config.limits.bulk_enrich_cins.get())?;
    let selection = enrich::Selection::parse(&parsed.fields)?;
    if dry_run(&call)? {
        let prices = &call.app.config.prices;
        let credits = enrich::highest_price(prices, &parsed.cins, &selection, call.this_year());
        return call.check_funds_for(0).await?.respond(&BulkPrice { credits }).await;
    }
    if let Some(first) = call.claim(&body).await? {
        return Ok(first);
    }
    let Enriched { call, results, price } = enrich_for(call, &parsed.cins, &selection).await?;
    let data = to_envelope_data(&results)?;
    drop(results);
    call.respond_json(price, data).await
}

/// The results of a call, and the price that is still to be charged for them.
pub struct Enriched {
    pub call: ChargeableCall,
    pub results: BulkEnrichResults,
    pub price: i64,
}

/// Enriches the companies of a call whose caller can pay for all of them.
pub async fn enrich_for(
    call: Call,
    cins: &[BulkEnrichCin],
    selection: &enrich::Selection,
) -> Result<Enriched, ApiError> {
    let prices = &call.app.config.prices;
    let highest = enrich::highest_price(prices, cins, selection, call.this_year());
    let call = call.check_funds_for(highest).await?;
    call.simulate(|| simulated_by_cins(&call, cins)).await?;
    let results = enrich::enrich_all(&call, cins, selection).await?;
    let price = results.results.iter().map(|result| result.credits).sum();
    Ok(Enriched { call, results, price })
}

/// The simulated effect of the items. A simulated error of one item fails the whole call.
fn simulated_by_items(call: &Call, items: &[BulkVerifyItem]) -> Effect {
    let year = call.this_year();
    first_effect(items.iter().filter_map(|item| identity_of(item.kind, &item.value, year)))
}

/// The simulated effect of the companies of an enrichment.
fn simulated_by_cins(call: &Call, cins: &[BulkEnrichCin]) -> Effect {
    let (kind, year) = (Some(IdentifierType::Cin), call.this_year());
    first_effect(cins.iter().filter_map(|cin| identity_of(kind, cin.as_ref(), year)))
}

async fn verify_all(
    call: &ChargeableCall,
    items: Vec<BulkVerifyItem>,
    kinds: Vec<Option<IdentifierType>>,
) -> Result<BulkVerifyResults, ApiError> {
    let (register, this_year) = (call.register(), call.this_year());
    let mut verifications: Vec<Option<Verification>> = items.iter().map(|_| None).collect();
    for kind in IdentifierType::ALL {
        let positions: Vec<usize> =
            (0..items.len()).filter(|position| kinds[*position] == Some(kind)).collect();
        let texts: Vec<&str> =
            positions.iter().map(|position| items[*position].value.as_str()).collect();
        let found = verify_kind(&register, this_year, kind, &texts).await?;
        for (position, verification) in positions.into_iter().zip(found) {
            verifications[position] = Some(verification);
        }
    }
    drop(register);
    let valid = |verification: &&Option<Verification>| {
        verification.as_ref().is_some_and(Verification::valid)
    };
    let (total, valid) = (items.len(), verifications.iter().filter(valid).count());
    let results = items.into_iter().zip(kinds).zip(verifications).map(|((item, kind), result)| {
        let error = kind.is_none().then(|| unknown_type(&item.value));
        BulkVerifyResult { reference: item.reference, kind, value: item.value, result, error }
    });
    Ok(BulkVerifyResults { total, valid, invalid: total - valid, results: results.collect() })
}

/// The verifications of texts of one type.
async fn verify_kind(
    register: &Register,
    year: u16,
    kind: IdentifierType,
    texts: &[&str],
) -> Result<Vec<Verification>, StoreError> {
    async fn each<T: Verifiable>(
        register: &Register,
        year: u16,
        texts: &[&str],
        wrap: fn(T::Verification) -> Verification,
    ) -> Result<Vec<Verification>, StoreError> {
        let verifications = verify_each::<T>(register, texts, year).await?;
        Ok(verifications.into_iter().map(wrap).collect())
    }
    match kind {
        IdentifierType::Cin => each::<CompanyId>(register, year, texts, Verification::Cin).await,
        IdentifierType::Din => each::<Din>(register, year, texts, Verification::Din).await,
        IdentifierType::Gstin => each::<Gstin>(register, year, texts, Verification::Gstin).await,
        IdentifierType::Pan => each::<Pan>(register, year, texts, Verification::Pan).await,
    }
}

fn unknown_type(value: &str) -> ItemError {
    let message = match value.trim().is_empty() {
        true => "The value is empty.",
        false => "The type of the value is unknown: give its type as cin, din, gstin or pan.",
    };
    ItemError { code: ErrorCode::InvalidIdentifier.as_str(), message: message.to_owned() }
}

pub fn check_count(field: &str, count: usize, max: usize) -> Result<(), ApiError> {
    if count == 0 {
        let message = format!("{field} is empty: send at least one.");
        return Err(ApiError::new(ErrorCode::BatchEmpty, message).param(field));
    }
    if count > max {
        let message = format!("{field} has {count} entries, one call accepts {max}: split it.");
        return Err(ApiError::new(ErrorCode::BatchTooLarge, message).param(field));
    }
    Ok(())
}

/// Whether only the price is requested. Headers that the call itself would refuse are refused here,
/// too.
pub fn dry_run(call: &Call) -> Result<bool, ApiError> {
    idempotency_key(&call.headers)?;
    Ok(call.query.flag("dry_run")?.unwrap_or(false))
}

/// Reads the body of a call; an error names the wrong field.
pub async fn read_body<T: FromBody>(call: &Call, request: Request) -> Result<(Bytes, T), ApiError> {
    let limit = call.app.config.limits.body_bytes.get();
    body::read(&call.headers, request.into_body(), limit).await
}
