//! Bulk calls: the body, the price before it runs, and the idempotency key. Their results are made
//! in `verdict` and `enrich`.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue};
use panji_ids::{CompanyId, Din, Gstin, Pan};
use panji_store::ledger::{FirstAnswer, IdempotencyClaim};
use panji_store::{Register, StoreError};
use sha2::{Digest, Sha256};

use super::body::{self, FromBody};
use super::bulk_request::{identity_of, kind_of, verification_price};
use super::call::Call;
use super::enrich;
use super::verdict::{Verifiable, verify_each};
use super::wire::{
    BulkEnrichCin, BulkEnrichRequest, BulkEnrichResults, BulkPrice, BulkVerifyItem,
    BulkVerifyRequest, BulkVerifyResult, BulkVerifyResults, IdentifierType, ItemError,
    Verification,
};
use crate::envelope;
use crate::error::{Answer, ApiError, ErrorCode};
use crate::operation::Operation;
use crate::simulation::{Effect, first_effect};

/// The longest idempotency key.
const MAX_IDEMPOTENCY_KEY: usize = 255;
/// How long a failed call waits to give its idempotency key back.
const RELEASE_TIME: Duration = Duration::from_secs(1);

/// Verify many identifiers
///
/// Each item costs its verification; equal items are charged once, and an item whose kind cannot be
/// told costs nothing. The batch is charged in one entry, or refused whole when the balance does not cover it.
#[utoipa::path(
    post,
    path = "/v1/bulk/verify",
    operation_id = "bulkVerify",
    tag = "Bulk",
    params(
        ("dry_run" = Option<bool>, Query, description = "With `true` the answer is the price (`data.credits`) and nothing is done."),
        ("Idempotency-Key" = Option<String>, Header, description = "Up to 255 printable ASCII characters. A repeat with the same body within 24 hours gets the first answer again, without a second charge."),
    ),
    request_body = BulkVerifyRequest,
    responses((status = 200, body = BulkVerifyResults)),
)]
pub async fn bulk_verify(call: Call, request: Request) -> Answer {
    let (body, parsed) = read_body::<BulkVerifyRequest>(&call, request).await?;
    let items = parsed.items;
    check_count("items", items.len(), call.app.config.limits.bulk_verify_items)?;
    let kinds: Vec<Option<IdentifierType>> =
        items.iter().map(|item| kind_of(item.kind, &item.value)).collect();
    let asked = items.iter().map(|item| (item.kind, item.value.as_str()));
    let price = verification_price(&call.app.config.prices, asked, call.this_year());
    if dry_run(&call)? {
        return call.answer_for(0, &BulkPrice { credits: price }).await;
    }
    charged_once(&call, &body, async || {
        call.simulate(simulated_by_items(&call, &items)).await?;
        let results = verify_all(&call, items, kinds).await?;
        Ok((price, to_json(&results)?))
    })
    .await
}

/// Fetch sections of many companies
///
/// Each company that is held costs the sum of the sections asked for; a company asked for twice is
/// charged once. The batch is charged in one entry, or refused whole when the balance does not
/// cover it.
#[utoipa::path(
    post,
    path = "/v1/bulk/enrich",
    operation_id = "bulkEnrich",
    tag = "Bulk",
    params(
        ("dry_run" = Option<bool>, Query, description = "With `true` the answer is the price (`data.credits`) and nothing is done."),
        ("Idempotency-Key" = Option<String>, Header, description = "Up to 255 printable ASCII characters. A repeat with the same body within 24 hours gets the first answer again, without a second charge."),
    ),
    request_body = BulkEnrichRequest,
    responses((status = 200, body = BulkEnrichResults)),
)]
pub async fn bulk_enrich(call: Call, request: Request) -> Answer {
    let (body, parsed) = read_body::<BulkEnrichRequest>(&call, request).await?;
    check_count("cins", parsed.cins.len(), call.app.config.limits.bulk_enrich_cins)?;
    let selection = enrich::Selection::parse(&parsed.fields)?;
    if dry_run(&call)? {
        let prices = &call.app.config.prices;
        let credits = enrich::highest_price(prices, &parsed.cins, &selection, call.this_year());
        return call.answer_for(0, &BulkPrice { credits }).await;
    }
    charged_once(&call, &body, async || {
        call.simulate(simulated_by_cins(&call, &parsed.cins)).await?;
        let results = enrich::enrich_all(&call, &parsed.cins, &selection).await?;
        let price = results.results.iter().map(|result| result.credits).sum();
        Ok((price, to_json(&results)?))
    })
    .await
}

/// What the items of a verification simulate. A simulated error of one of them fails the whole call.
fn simulated_by_items(call: &Call, items: &[BulkVerifyItem]) -> Effect {
    let of = |item: &BulkVerifyItem| identity_of(item.kind, &item.value, call.this_year());
    first_effect(&items.iter().filter_map(of).collect::<Vec<_>>())
}

/// The same for the companies of an enrichment.
fn simulated_by_cins(call: &Call, cins: &[BulkEnrichCin]) -> Effect {
    let of = |cin: &BulkEnrichCin| {
        identity_of(Some(IdentifierType::Cin), cin.as_ref(), call.this_year())
    };
    first_effect(&cins.iter().filter_map(of).collect::<Vec<_>>())
}

async fn verify_all(
    call: &Call,
    items: Vec<BulkVerifyItem>,
    kinds: Vec<Option<IdentifierType>>,
) -> Result<BulkVerifyResults, ApiError> {
    let (register, this_year) = (call.register(), call.this_year());
    let mut verdicts: Vec<Option<Verification>> = items.iter().map(|_| None).collect();
    for kind in IdentifierType::ALL {
        let places: Vec<usize> =
            (0..items.len()).filter(|place| kinds[*place] == Some(kind)).collect();
        let texts: Vec<&str> = places.iter().map(|place| items[*place].value.as_str()).collect();
        let found = verify_kind(&register, this_year, kind, &texts).await?;
        for (place, verdict) in places.into_iter().zip(found) {
            verdicts[place] = Some(verdict);
        }
    }
    drop(register);
    let valid = |verdict: &&Option<Verification>| verdict.as_ref().is_some_and(Verification::valid);
    let (total, valid) = (items.len(), verdicts.iter().filter(valid).count());
    let results = items.into_iter().zip(kinds).zip(verdicts).map(|((item, kind), result)| {
        let error = kind.is_none().then(|| untold(&item.value));
        BulkVerifyResult { reference: item.reference, kind, value: item.value, result, error }
    });
    Ok(BulkVerifyResults { total, valid, invalid: total - valid, results: results.collect() })
}

/// The verdicts on texts of one kind.
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
        wrap: fn(T::Verdict) -> Verification,
    ) -> Result<Vec<Verification>, StoreError> {
        let verdicts = verify_each::<T>(register, texts, year).await?;
        Ok(verdicts.into_iter().map(wrap).collect())
    }
    match kind {
        IdentifierType::Cin => each::<CompanyId>(register, year, texts, Verification::Cin).await,
        IdentifierType::Din => each::<Din>(register, year, texts, Verification::Din).await,
        IdentifierType::Gstin => each::<Gstin>(register, year, texts, Verification::Gstin).await,
        IdentifierType::Pan => each::<Pan>(register, year, texts, Verification::Pan).await,
    }
}

fn untold(value: &str) -> ItemError {
    let message = match value.trim().is_empty() {
        true => "The value is empty: there is nothing to verify.",
        false => {
            "The value's shape does not tell what it is: give its type as cin, din, gstin or pan."
        }
    };
    ItemError { code: ErrorCode::InvalidIdentifier.as_str(), message: message.to_owned() }
}

fn check_count(field: &str, count: usize, most: usize) -> Result<(), ApiError> {
    if count == 0 {
        let message = format!("{field} is empty: send at least one.");
        return Err(ApiError::new(ErrorCode::BatchEmpty, message).param(field));
    }
    if count > most {
        let message = format!("{field} has {count} entries, one call takes {most}: split it.");
        return Err(ApiError::new(ErrorCode::BatchTooLarge, message).param(field));
    }
    Ok(())
}

/// Whether only the price is asked for. What the call itself would refuse is refused here, too.
fn dry_run(call: &Call) -> Result<bool, ApiError> {
    idempotency_key(&call.headers)?;
    Ok(call.query.flag("dry_run")?.unwrap_or(false))
}

fn to_json(results: &impl serde::Serialize) -> Result<String, ApiError> {
    serde_json::to_string(results).map_err(|error| ApiError::internal(error.to_string()))
}

/// Reads the body of a call; an error names the field at fault.
async fn read_body<T: FromBody>(call: &Call, request: Request) -> Result<(Bytes, T), ApiError> {
    let limit = call.app.config.limits.body_bytes;
    body::read(&call.headers, request.into_body(), limit).await
}

/// Runs a call and charges it. With an idempotency key, a repeat gets the first answer again.
async fn charged_once(
    call: &Call,
    body: &[u8],
    run: impl AsyncFnOnce() -> Result<(i64, String), ApiError>,
) -> Answer {
    let Some(key) = idempotency_key(&call.headers)? else {
        let (price, data) = run().await?;
        return call.pay(price, data, None).await;
    };
    let owner = (call.caller.account_id.as_str(), call.caller.mode);
    let fingerprint = fingerprint(call.operation, body);
    let claim = call.app.ledger.claim_idempotency_key(
        owner,
        (&key, call.caller.holds_answers),
        &fingerprint,
        &call.context.request_id,
        call.context.at_ms,
    );
    match claim.await? {
        IdempotencyClaim::First => {}
        IdempotencyClaim::Replay(first) => return Ok(replay(&first)),
        IdempotencyClaim::InProgress => {
            return Err(ApiError::plain(ErrorCode::IdempotencyInProgress).param("Idempotency-Key"));
        }
        IdempotencyClaim::Mismatch => {
            return Err(ApiError::plain(ErrorCode::IdempotencyMismatch).param("Idempotency-Key"));
        }
    }
    let answer = match run().await {
        Ok((price, data)) => call.pay(price, data, Some(key.clone())).await,
        Err(error) => Err(error),
    };
    if answer.is_err() {
        let request_id = &call.context.request_id;
        let released = call.app.ledger.release_idempotency_key(owner, &key, request_id);
        // Where the engine is away, the key is free again when its time is over.
        let _ = tokio::time::timeout(RELEASE_TIME, released).await;
    }
    answer
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    const HEADER: &str = "Idempotency-Key";
    let mut values = headers.get_all(HEADER).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().ok().filter(|text| {
        (1..=MAX_IDEMPOTENCY_KEY).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
    });
    match text.filter(|_| values.next().is_none()) {
        Some(text) => Ok(Some(text.to_owned())),
        None => {
            let message = format!(
                "The header Idempotency-Key must be given once, with 1 to {MAX_IDEMPOTENCY_KEY} \
                 printable ASCII characters."
            );
            Err(ApiError::parameter(HEADER, message))
        }
    }
}

/// What a repeat must have in common with the first call.
fn fingerprint(operation: Operation, body: &[u8]) -> String {
    let digest = Sha256::new().chain_update(operation.id()).chain_update(b"\n").chain_update(body);
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn replay(first: &FirstAnswer) -> axum::response::Response {
    let mut response = envelope::success(
        &first.request_id,
        first.credits_charged,
        first.credits_remaining,
        &first.data,
    );
    response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    response
}
