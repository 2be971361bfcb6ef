//! Checks that the caller can pay, gives access to the register, and charges. Balance, monthly cap
//! and `Panji-Max-Credits` are checked first, so that a refusal never reveals what the register
//! contains. A [`ChargeableCall`] is a call that has passed these checks: through it a billed call reads
//! the register and responds.

use std::ops::Deref;

use axum::http::{HeaderValue, header};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use panji_store::Register;
use panji_store::ledger::{BalanceSnapshot, Debit, EventDebit, Refusal, StoredResponse, Terms};
use panji_store::register::{PastRecords, Record};
use serde::Serialize;

use super::call::{Call, in_credits, insert_free_remaining};
use super::idempotency::{ResponseHeader, to_lines};
use super::past::PastDay;
use super::sections::BillableSection;
use crate::app::Dataset;
use crate::config::operation::Tariff;
use crate::http::context::Via;
use crate::http::envelope::{self, EnvelopeData};
use crate::http::error::{ApiError, ApiResult, ErrorCode};
use crate::http::json;
use crate::telemetry::traces::SpanGuard;

/// How old the "last used" time of a key may be before a call updates it.
const LAST_USED_STEP_MS: i64 = 60_000;

/// A call whose list price the caller can pay.
pub struct ChargeableCall {
    call: Call,
    terms: Terms,
    /// What the register said on the day of `as_of`, if the caller asks for one.
    past: Option<Box<Register>>,
}

impl Deref for ChargeableCall {
    type Target = Call;

    fn deref(&self) -> &Call {
        &self.call
    }
}

/// A response that is a file and not JSON.
pub struct ResponseFile {
    pub media_type: &'static str,
    /// The name under which a client may save it.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The register with an open span in the request's trace.
pub struct TracedRegister<'a> {
    register: &'a Register,
    _span: SpanGuard,
}

impl Deref for TracedRegister<'_> {
    type Target = Register;

    fn deref(&self) -> &Register {
        self.register
    }
}

impl Call {
    /// Checks that the caller can pay the price of the operation.
    pub async fn check_funds(self) -> Result<ChargeableCall, ApiError> {
        let list_price = self.app.config.prices.of(self.operation);
        self.check_funds_for(list_price).await
    }

    /// Checks that the caller can pay this price, the most that the call can cost.
    pub async fn check_funds_for(self, list_price: i64) -> Result<ChargeableCall, ApiError> {
        let terms = Terms {
            list_price,
            quota_eligible: self.operation.tariff() == Tariff::FreeQuota,
            max_credits: self.max_credits()?,
            monthly_cap: self.caller.monthly_cap,
        };
        self.check(&terms).await?;
        Ok(ChargeableCall { call: self, terms, past: None })
    }

    async fn check(&self, terms: &Terms) -> Result<(), ApiError> {
        if terms.list_price == 0 {
            return Ok(());
        }
        let limit = i64::from(self.app.config.free_quota.calls_per_day);
        let cached = self.caller.balance.get().filter(|_| terms.monthly_cap.is_none());
        if cached.is_some_and(|cached| terms.refusal(cached, None, limit).is_none()) {
            self.context.set_unconfirmed_terms(*terms);
            return Ok(());
        }
        Box::pin(self.check_balance(terms)).await
    }

    /// Checks the terms against the balance in the ledger.
    async fn check_balance(&self, terms: &Terms) -> Result<(), ApiError> {
        let limit = i64::from(self.app.config.free_quota.calls_per_day);
        let snapshot = self.find_balance().await?;
        self.caller.balance.set(snapshot);
        let spent = match terms.monthly_cap {
            Some(_) => Some(self.find_spent().await?),
            None => None,
        };
        match terms.refusal(snapshot, spent, limit) {
            Some(refusal) => Err(refusal_error(refusal, snapshot.balance)),
            None => Ok(()),
        }
    }

    /// What the key has spent this month; counted only for keys with a monthly cap.
    pub(super) async fn find_spent(&self) -> Result<i64, ApiError> {
        let (account_id, key_id) = (&self.caller.account_id, &self.caller.key_id);
        Ok(self.app.ledger.find_spent(account_id, key_id, self.context.at_ms).await?)
    }

    /// The caller's current balance, read from the ledger.
    pub async fn find_balance(&self) -> Result<BalanceSnapshot, ApiError> {
        let (account_id, mode) = (&self.caller.account_id, self.caller.mode);
        let snapshot = self.app.ledger.find_balance(account_id, mode, self.context.at_ms).await?;
        snapshot.ok_or_else(|| ApiError::internal("the account has no balance"))
    }
}

impl ChargeableCall {
    /// Reads from now on what the register said on an earlier day. Returns the record that the past
    /// is about.
    pub async fn read_past(
        &mut self,
        day: &PastDay,
        past: PastRecords,
    ) -> Result<Option<Record>, ApiError> {
        let records = day.records(past)?;
        let register = Register::in_memory(&records, day.end_ms).await?;
        self.past = Some(Box::new(register));
        Ok(records.into_iter().next_back())
    }

    pub fn dataset(&self) -> &Dataset {
        self.app.dataset(self.caller.mode)
    }

    /// The register that the caller's mode reads. Its span ends when it is dropped: keep it only
    /// while reading.
    pub fn register(&self) -> TracedRegister<'_> {
        TracedRegister {
            register: self.past.as_deref().unwrap_or(&self.dataset().register),
            _span: self.context.span("register"),
        }
    }

    /// Charges the list price and responds.
    pub async fn respond(&self, data: &impl Serialize) -> ApiResult {
        self.respond_at_price(self.terms.list_price, data).await
    }

    /// Responds with a section; charges the list price unless nothing is known.
    pub async fn respond_with_section(
        &self,
        section: &BillableSection<impl Serialize>,
    ) -> ApiResult {
        let price = if section.billable { self.terms.list_price } else { 0 };
        self.respond_at_price(price, &section.data).await
    }

    /// Charges this price, which is at most the list price, and responds.
    pub async fn respond_at_price(&self, price: i64, data: &impl Serialize) -> ApiResult {
        self.charge_and_respond(price.into(), to_envelope_data(data)?, &[]).await
    }

    /// Charges the events that the account has not paid for and responds with them. `data` is
    /// serialized already.
    pub async fn respond_with_events(&self, events: EventDebit, data: String) -> ApiResult {
        let data = EnvelopeData::from_json(&data);
        self.charge_and_respond(CallPrice::Events(events), data, &[]).await
    }

    /// Charges this price and responds with data that is serialized already. A handler with much
    /// data can then free it before the wait for the charge.
    pub async fn respond_json(&self, price: i64, data: EnvelopeData) -> ApiResult {
        self.charge_and_respond(price.into(), data, &[]).await
    }

    /// Charges the list price and responds with additional headers.
    pub async fn respond_with_headers(
        &self,
        headers: &[ResponseHeader],
        data: &impl Serialize,
    ) -> ApiResult {
        self.charge_and_respond(self.terms.list_price.into(), to_envelope_data(data)?, headers)
            .await
    }

    /// Responds free of charge, because nothing was found.
    pub async fn respond_free(
        &self,
        headers: &[ResponseHeader],
        data: &impl Serialize,
    ) -> ApiResult {
        self.charge_and_respond(CallPrice::Fixed(0), to_envelope_data(data)?, headers).await
    }

    /// Charges and responds. Under an idempotency key the response is stored in the same commit as
    /// the charge.
    async fn charge_and_respond(
        &self,
        price: CallPrice,
        data: EnvelopeData,
        headers: &[ResponseHeader],
    ) -> ApiResult {
        let stored = self.context.claimed_key().map(|key| StoredResponse {
            idempotency_key: key.to_owned(),
            data: String::from_utf8_lossy(data.json()).into_owned(),
            headers: to_lines(headers),
        });
        let (charged, BalanceSnapshot { balance, quota_used }) = self.charge(price, stored).await?;
        let mut response: Response =
            envelope::success(&self.context.request_id, charged, balance, data);
        for (name, value) in headers {
            response.headers_mut().insert(name, value.clone());
        }
        if self.terms.quota_eligible {
            insert_free_remaining(&self.app, quota_used, response.headers_mut());
        }
        Ok(response)
    }

    /// Charges the list price and responds with a file.
    pub async fn respond_file(&self, file: ResponseFile) -> ApiResult {
        let disposition = format!("inline; filename=\"{}\"", file.name);
        let disposition = HeaderValue::from_str(&disposition)
            .map_err(|error| ApiError::internal(error.to_string()))?;
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(file.media_type)),
            (header::CONTENT_DISPOSITION, disposition),
        ];
        let stored = self.context.claimed_key().map(|key| StoredResponse {
            idempotency_key: key.to_owned(),
            data: BASE64.encode(&file.bytes),
            headers: to_lines(&headers),
        });
        let (charged, snapshot) = self.charge(self.terms.list_price.into(), stored).await?;
        let mut response = envelope::file(charged, snapshot.balance, file.media_type, file.bytes);
        for (name, value) in headers {
            response.headers_mut().insert(name, value);
        }
        Ok(response)
    }

    /// Charges this price for a response in another form than the envelope.
    pub async fn charge_for(&self, price: i64) -> Result<(), ApiError> {
        self.charge(price.into(), None).await.map(|_| ())
    }

    /// Charges; returns the credits charged, and the balance after.
    async fn charge(
        &self,
        price: CallPrice,
        stored: Option<StoredResponse>,
    ) -> Result<(i64, BalanceSnapshot), ApiError> {
        self.context.set_debiting();
        let charge_span = self.context.span("charge");
        let outcome = self.app.charge_writer.charge(self.debit(price, stored)).await?;
        drop(charge_span);
        let (balance, quota_used) = (outcome.remaining, outcome.quota_used);
        let snapshot = BalanceSnapshot { balance, quota_used };
        self.caller.balance.set(snapshot);
        let charged = outcome.charged.map_err(|refusal| refusal_error(refusal, balance))?;
        self.context.set_credits(charged);
        Ok((charged, snapshot))
    }

    fn debit(&self, price: CallPrice, stored: Option<StoredResponse>) -> Debit {
        let at_ms = self.context.at_ms;
        let last_used_at = self.caller.last_used_at;
        let touch_key = self.caller.via == Via::Key
            && last_used_at.is_none_or(|last| at_ms - last > LAST_USED_STEP_MS);
        Debit {
            request_id: self.context.request_id.clone(),
            account_id: self.caller.account_id.clone(),
            mode: self.caller.mode,
            key_id: self.caller.key_id.clone(),
            operation: self.operation.id(),
            price: price.highest(),
            events: price.into_events(),
            list_price: self.terms.list_price,
            quota_eligible: self.terms.quota_eligible,
            max_credits: self.terms.max_credits,
            monthly_cap: self.terms.monthly_cap,
            at_ms,
            key_used_from: touch_key.then(|| self.context.address.to_string()),
            response: stored,
            details: self.context.details(),
        }
    }
}

/// What a call costs.
enum CallPrice {
    Fixed(i64),
    /// For those events that the account has not paid for.
    Events(EventDebit),
}

impl From<i64> for CallPrice {
    fn from(price: i64) -> CallPrice {
        CallPrice::Fixed(price)
    }
}

impl CallPrice {
    fn highest(&self) -> i64 {
        match self {
            CallPrice::Fixed(price) => *price,
            CallPrice::Events(charge) => charge.highest_price(),
        }
    }

    fn into_events(self) -> Option<EventDebit> {
        match self {
            CallPrice::Fixed(_) => None,
            CallPrice::Events(charge) => Some(charge),
        }
    }
}

/// Data as JSON, for a response without the envelope.
pub(super) fn to_json(data: &impl Serialize) -> Result<Vec<u8>, ApiError> {
    let buffer = Vec::with_capacity(json::RESPONSE_BYTES);
    json::append(buffer, data).map_err(|error| ApiError::internal(error.to_string()))
}

pub(super) fn to_envelope_data(data: &impl Serialize) -> Result<EnvelopeData, ApiError> {
    EnvelopeData::serialize(data).map_err(|error| ApiError::internal(error.to_string()))
}

/// The error for a call that the caller cannot or does not want to pay.
pub fn refusal_error(refusal: Refusal, balance: i64) -> ApiError {
    match refusal {
        Refusal::InsufficientCredits { price } => ApiError::new(
            ErrorCode::InsufficientCredits,
            format!(
                "The call costs {} and the balance is {balance}: buy credits.",
                in_credits(price)
            ),
        ),
        Refusal::MaxCreditsExceeded { price } => ApiError::new(
            ErrorCode::MaxCreditsExceeded,
            format!(
                "The call costs {}, more than its Panji-Max-Credits allows.",
                in_credits(price)
            ),
        )
        .param("Panji-Max-Credits"),
        Refusal::SpendCapReached { cap, spent } => ApiError::new(
            ErrorCode::SpendCapReached,
            format!(
                "The key has spent {spent} of its {} for this month: wait for the next one, or use \
                 another key.",
                in_credits(cap)
            ),
        ),
    }
}
