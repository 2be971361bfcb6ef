//! A call: an admitted request with its caller, its parameters and the way to pay for the answer.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use panji_ids::{CompanyId, Din, Gstin, IdError, Pan};
use panji_store::Register;
use panji_store::calendar::ist_year;
use panji_store::ledger::{Charge, Mode, Refusal, StoredAnswer, Verdict};
use panji_store::register::{Company, CompanyKey};
use percent_encoding::percent_decode_str;
use serde::Serialize;

use super::caller::{Caller, ConsoleCaller, admit, admit_console};
use super::query::Query;
use super::routes::operation_at;
use super::wire::IdentifierType;
use crate::context::RequestContext;
use crate::envelope;
use crate::error::{Answer, ApiError, ErrorCode};
use crate::operation::{Operation, Tariff};
use crate::simulation::{self, Effect, SLOW_ANSWER_MS, effect_of};
use crate::state::{App, Catalogue};
use crate::traces::Part;

/// How old "last used" may be before a call renews it.
const LAST_USED_STEP_MS: i64 = 60_000;

/// An admitted request. If it exists, the key is good, allowed to do this, and within its rate.
pub struct Call {
    /// The program's state.
    pub app: Arc<App>,
    /// The request's own facts.
    pub context: Arc<RequestContext>,
    /// Who is calling.
    pub caller: Caller,
    /// What is asked.
    pub operation: Operation,
    /// The query parameters.
    pub query: Query,
    /// The headers.
    pub headers: HeaderMap,
    path: Vec<(String, String)>,
}

/// The register while it is read, which is a part of the request's trace.
pub struct Reading<'a> {
    register: &'a Register,
    _part: Part,
}

impl Deref for Reading<'_> {
    type Target = Register;

    fn deref(&self) -> &Register {
        self.register
    }
}

impl FromRequestParts<Arc<App>> for Call {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Call, ApiError> {
        let context = parts
            .extensions
            .get::<Arc<RequestContext>>()
            .cloned()
            .ok_or_else(|| ApiError::internal("a call came past the edge"))?;
        let template = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
        let operation = operation_at(template)
            .ok_or_else(|| ApiError::internal("a route without an operation"))?;
        context.set_operation(operation);
        context.note_route(template);
        let path = path_values(template, parts.uri.path());
        let admitting = context.part("admit");
        let caller = match parts.extensions.get::<ConsoleCaller>() {
            Some(person) => admit_console(app, &context, person, operation)?,
            None => admit(app, &context, &parts.headers, operation).await?,
        };
        drop(admitting);
        let query = Query::parse(parts.uri.query().unwrap_or_default())?;
        query.allow_only(operation.query_parameters())?;
        // Nobody after this asks the request for them.
        let headers = std::mem::take(&mut parts.headers);
        Ok(Call { app: app.clone(), context, caller, operation, query, headers, path })
    }
}

impl Call {
    /// The catalogue that the caller's mode reads.
    pub fn catalogue(&self) -> &Catalogue {
        self.app.catalogue(self.caller.mode)
    }

    /// The register that the caller's mode reads. Hold it for as long as it is read, and no longer.
    pub fn register(&self) -> Reading<'_> {
        Reading { register: &self.catalogue().register, _part: self.context.part("register") }
    }

    /// An identifier in the path, as it was sent.
    pub fn path_value(&self, name: &str) -> &str {
        self.path.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The company's number in the path.
    pub async fn company_id(&self) -> Result<CompanyId, ApiError> {
        let id = self.parse("cin", |text| CompanyId::parse_in_year(text, self.this_year()))?;
        self.simulate(effect_of(IdentifierType::Cin, id.as_str())).await?;
        Ok(id)
    }

    /// The DIN in the path.
    pub async fn din(&self) -> Result<Din, ApiError> {
        let din = self.parse("din", Din::parse)?;
        self.simulate(effect_of(IdentifierType::Din, din.as_str())).await?;
        Ok(din)
    }

    /// The GSTIN in the path.
    pub async fn gstin(&self) -> Result<Gstin, ApiError> {
        let gstin = self.parse("gstin", Gstin::parse)?;
        self.simulate(effect_of(IdentifierType::Gstin, gstin.as_str())).await?;
        Ok(gstin)
    }

    /// The PAN in the path.
    pub async fn pan(&self) -> Result<Pan, ApiError> {
        let pan = self.parse("pan", Pan::parse)?;
        self.simulate(effect_of(IdentifierType::Pan, pan.as_str())).await?;
        Ok(pan)
    }

    fn parse<T>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, IdError>,
    ) -> Result<T, ApiError> {
        parse(self.path_value(name)).map_err(|error| ApiError::identifier(name, &error))
    }

    /// The year by which a CIN's year is judged.
    pub fn this_year(&self) -> u16 {
        ist_year(self.context.at_ms)
    }

    /// In test mode some identifiers make something happen, so that clients can be tested. In a job of the
    /// console they are like any others, since it would try again for ever.
    pub async fn simulate(&self, effect: Effect) -> Result<(), ApiError> {
        if self.caller.mode != Mode::Test || self.caller.holds_answers {
            return Ok(());
        }
        match effect {
            Effect::Fail(code) => {
                let error = simulation::error(code);
                if code == ErrorCode::RateLimited {
                    self.context.exhaust_rate(error.retry_after.unwrap_or(1));
                }
                Err(error)
            }
            Effect::Wait => {
                self.context.grant_time_ms(SLOW_ANSWER_MS);
                let slow = tokio::time::sleep(Duration::from_millis(SLOW_ANSWER_MS));
                // Whoever only waits keeps nobody out.
                self.app.in_flight.wait_outside(slow).await;
                Ok(())
            }
            Effect::NotHeld => Ok(()),
        }
    }

    /// The company in the path, or the error that it is not held.
    pub async fn company(&self) -> Result<Company, ApiError> {
        let id = self.company_id().await?;
        let company = self.register().find_company(id.as_str()).await?;
        company.ok_or_else(|| company_not_found(id.as_str()))
    }

    /// That the company in the path is held, under which number, or the error that it is not.
    pub async fn company_key(&self) -> Result<CompanyKey, ApiError> {
        let id = self.company_id().await?;
        let company = self.register().find_company_key(id.as_str()).await?;
        company.ok_or_else(|| company_not_found(id.as_str()))
    }

    /// Pays the operation's price and answers.
    pub async fn answer(&self, data: &impl Serialize) -> Answer {
        self.answer_for(self.app.config.prices.of(self.operation), data).await
    }

    /// Pays this price and answers.
    pub async fn answer_for(&self, price: i64, data: &impl Serialize) -> Answer {
        let data = serde_json::to_string(data).map_err(|e| ApiError::internal(e.to_string()))?;
        self.pay(price, data, None).await
    }

    /// Pays this price and answers with data that is JSON already. With an idempotency key the
    /// answer is kept under it, in the same commit as the charge.
    pub async fn pay(&self, price: i64, data: String, idempotency_key: Option<String>) -> Answer {
        let max_credits = self.max_credits()?;
        let answer = idempotency_key
            .map(|idempotency_key| StoredAnswer { idempotency_key, data: data.clone() });
        self.context.set_paying();
        let charging = self.context.part("charge");
        let verdict = self.app.desk.charge(self.charge(price, max_credits, answer)).await?;
        drop(charging);
        let charged = verdict.charged.map_err(|refusal| refused(refusal, &verdict))?;
        self.context.set_credits(charged);
        let mut response =
            envelope::success(&self.context.request_id, charged, verdict.remaining, &data);
        if self.operation.tariff() == Tariff::FreeQuota {
            let limit = i64::from(self.app.config.free_quota.calls_per_day);
            insert(&mut response, "panji-free-remaining", (limit - verdict.quota_used).max(0));
        }
        Ok(response)
    }

    fn charge(&self, price: i64, max_credits: Option<i64>, answer: Option<StoredAnswer>) -> Charge {
        let at_ms = self.context.at_ms;
        let touch_key =
            self.caller.last_used_at.is_none_or(|last| at_ms - last > LAST_USED_STEP_MS);
        Charge {
            request_id: self.context.request_id.clone(),
            account_id: self.caller.account_id.clone(),
            mode: self.caller.mode,
            key_id: self.caller.key_id.clone(),
            operation: self.operation.id(),
            price,
            quota_eligible: self.operation.tariff() == Tariff::FreeQuota,
            max_credits,
            monthly_cap: self.caller.monthly_cap,
            at_ms,
            touch_key,
            answer,
        }
    }

    /// The most the caller is ready to pay for this call.
    fn max_credits(&self) -> Result<Option<i64>, ApiError> {
        const HEADER: &str = "Panji-Max-Credits";
        let mut values = self.headers.get_all(HEADER).iter();
        let Some(value) = values.next() else { return Ok(None) };
        let digits = value
            .to_str()
            .ok()
            .map(str::trim)
            .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
        // A number that is too long to hold allows more than any call costs.
        let number = digits.map(|digits| digits.parse().unwrap_or(i64::MAX));
        match number.filter(|_| values.next().is_none()) {
            Some(number) => Ok(Some(number)),
            None => Err(ApiError::parameter(
                HEADER,
                "The header Panji-Max-Credits must be one whole number of credits, 0 or more.",
            )),
        }
    }
}

/// The values in the path, by their names in the route. What is no UTF-8 is kept as marks of it, so
/// that an identifier made of it is judged like any other malformed one.
fn path_values(template: &str, path: &str) -> Vec<(String, String)> {
    let given = template.split('/').zip(path.split('/'));
    given
        .filter_map(|(part, given)| {
            let name = part.strip_prefix('{')?.strip_suffix('}')?;
            let value = percent_decode_str(given).decode_utf8_lossy();
            Some((name.to_owned(), value.into_owned()))
        })
        .collect()
}

/// The error for a company that is not held.
pub fn company_not_found(cin: &str) -> ApiError {
    ApiError::new(ErrorCode::CompanyNotFound, format!("No company with the number {cin} is held."))
        .param("cin")
}

/// Adds a header made from a number.
pub fn insert(response: &mut Response, name: &'static str, number: i64) {
    response.headers_mut().insert(name, number.into());
}

/// A number of credits in words: 1 credit, 2 credits.
pub fn in_credits(number: i64) -> String {
    format!("{number} {}", if number == 1 { "credit" } else { "credits" })
}

fn refused(refusal: Refusal, verdict: &Verdict) -> ApiError {
    let balance = verdict.remaining;
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
