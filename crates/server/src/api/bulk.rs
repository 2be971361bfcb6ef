//! Bulk calls: the body, the price before it runs, and the idempotency key. Their results are made
//! in `verdict` and `enrich`.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use panji_ids::{CompanyId, Din, Gstin, Identifier, IdentifierKind, Pan};
use panji_store::ledger::{FirstAnswer, IdempotencyClaim};
use panji_store::{Register, StoreError};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::call::Call;
use super::enrich;
use super::verdict::{Verifiable, verify_each};
use super::wire::{
    BulkEnrichRequest, BulkEnrichResults, BulkPrice, BulkVerifyItem, BulkVerifyRequest,
    BulkVerifyResult, BulkVerifyResults, IdentifierType, ItemError, Verification,
};
use crate::config::Prices;
use crate::envelope;
use crate::error::{Answer, ApiError, ErrorCode};
use crate::operation::Operation;

/// The longest name a caller may give an item.
const MAX_REFERENCE: usize = 64;
/// How much of a body an error repeats.
const MAX_REPEATED: usize = 300;
/// The longest idempotency key.
const MAX_IDEMPOTENCY_KEY: usize = 255;
/// How long a failed call waits to give its idempotency key back.
const RELEASE_TIME: Duration = Duration::from_secs(1);

/// Verify many identifiers
///
/// Each item costs its verification; an item whose kind cannot be told costs nothing. The batch is
/// charged in one entry, or refused whole when the balance does not cover it.
#[utoipa::path(
    post,
    path = "/v1/bulk/verify",
    operation_id = "bulkVerify",
    tag = "Bulk",
    params(
        ("dry_run" = Option<bool>, Query, description = "With `true` the answer is the price (`data.credits`) and nothing is done."),
    ),
    request_body = BulkVerifyRequest,
    responses((status = 200, body = BulkVerifyResults)),
)]
pub async fn bulk_verify(call: Call, request: Request) -> Answer {
    let (body, parsed) = read_body::<BulkVerifyRequest>(&call, request).await?;
    let items = parsed.items;
    check_count("items", items.len(), call.app.config.limits.bulk_verify_items)?;
    let long = items.iter().position(|item| {
        item.reference.as_ref().is_some_and(|name| name.chars().count() > MAX_REFERENCE)
    });
    if let Some(index) = long {
        let message = format!("A ref has at most {MAX_REFERENCE} characters.");
        return Err(ApiError::body(format!("items[{index}].ref"), message));
    }
    let kinds: Vec<Option<IdentifierType>> =
        items.iter().map(|item| kind_of(item.kind, &item.value)).collect();
    let price = kinds.iter().map(|kind| price_of(&call.app.config.prices, *kind)).sum();
    if dry_run(&call)? {
        return call.answer_for(0, &BulkPrice { credits: price }).await;
    }
    charged_once(&call, &body, async || {
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
        let results = enrich::enrich_all(&call, &parsed.cins, &selection).await?;
        let price = results.results.iter().map(|result| result.credits).sum();
        Ok((price, to_json(&results)?))
    })
    .await
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

/// What a value is: as its caller says, or as its shape tells.
pub fn kind_of(given: Option<IdentifierType>, value: &str) -> Option<IdentifierType> {
    given.or_else(|| {
        Identifier::classify(value).map(|kind| match kind {
            IdentifierKind::Cin => IdentifierType::Cin,
            IdentifierKind::Din => IdentifierType::Din,
            IdentifierKind::Gstin => IdentifierType::Gstin,
            IdentifierKind::Pan => IdentifierType::Pan,
        })
    })
}

/// What verifying a value of this kind costs; nothing where the kind cannot be told.
pub fn price_of(prices: &Prices, kind: Option<IdentifierType>) -> i64 {
    kind.map_or(0, |kind| prices.of(operation_of(kind)))
}

fn operation_of(kind: IdentifierType) -> Operation {
    match kind {
        IdentifierType::Cin => Operation::VerifyCin,
        IdentifierType::Din => Operation::VerifyDin,
        IdentifierType::Gstin => Operation::VerifyGstin,
        IdentifierType::Pan => Operation::VerifyPan,
    }
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

/// Reads the body within its bounds and into its type; an error names the field at fault.
async fn read_body<T: DeserializeOwned>(
    call: &Call,
    request: Request,
) -> Result<(Bytes, T), ApiError> {
    check_media_type(&call.headers)?;
    let limit = call.app.config.limits.body_bytes;
    let bytes = collect(request.into_body(), limit).await?;
    let mut deserializer = serde_json::Deserializer::from_slice(&bytes);
    let parsed = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let cause = error.into_inner();
        let what = if cause.is_data() { "does not fit" } else { "is not JSON" };
        let reason = repeat(&cause.to_string());
        let param = field_at_fault(&repeat(&path), &reason);
        ApiError::body(param, format!("The body {what}: {reason}."))
    })?;
    deserializer
        .end()
        .map_err(|error| ApiError::body("body", format!("The body is not JSON: {error}.")))?;
    Ok((bytes, parsed))
}

/// The field that an error is about. Of one that is missing, or there twice, the path has only what it
/// belongs to, and the reason has its name.
fn field_at_fault(path: &str, reason: &str) -> String {
    let named = ["missing field `", "duplicate field `"];
    let named = named.iter().find_map(|beginning| reason.strip_prefix(beginning));
    let name = named.and_then(|rest| rest.split_once('`')).map(|(name, _)| name);
    match (path, name) {
        (".", None) => "body".to_owned(),
        (".", Some(name)) => name.to_owned(),
        (path, None) => path.to_owned(),
        (path, Some(name)) => format!("{path}.{name}"),
    }
}

/// What an error repeats of the body: printable, and little of it.
fn repeat(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(MAX_REPEATED).collect()
}

async fn collect(body: Body, limit: usize) -> Result<Bytes, ApiError> {
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            let message = format!("The body is larger than {limit} bytes: split the request.");
            Err(ApiError::new(ErrorCode::BodyTooLarge, message))
        }
        Err(_) => Err(ApiError::body("body", "The body ended early: send all of it.")),
    }
}

fn check_media_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let packed = headers.get(header::CONTENT_ENCODING);
    if packed.is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(ApiError::new(
            ErrorCode::UnsupportedMediaType,
            "Send the body as it is, without a Content-Encoding.",
        ));
    }
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = given.map(|text| text.split(';').next().unwrap_or_default().trim());
    if essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json")) {
        return Ok(());
    }
    Err(ApiError::new(
        ErrorCode::UnsupportedMediaType,
        "Send the body as JSON, with the header \"Content-Type: application/json\".",
    ))
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
