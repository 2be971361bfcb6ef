//! Try it: sends a call of an operation from its page. The call runs in test mode inside the process, so
//! no key is needed or shown. A signed-in user calls with their own account; other visitors share an
//! account of their own, which has test credits only.

use std::net::SocketAddr;

use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use panji_api::app::App;
use panji_api::config::operation::Operation;
use panji_api::http::context::{Caller, InternalCall, RequestContext, Via};
use panji_api::http::encoding::encoded;
use panji_api::locale::amounts::{counted, grouped};
use panji_store::StoreError;
use panji_store::ledger::{Account, EntryKind, Mode};
use serde_json::Value;

use super::reference::Reference;
use crate::console::api_call::ApiCalls;
use crate::console::page_error::PageError;
use crate::console::session::SignedIn;

/// The account of visitors without a log-in. It is no email address, so nobody can sign up with it.
const VISITORS: &str = "documentation";
const VISITORS_NAME: &str = "Visitors of the documentation";
/// The most that an anonymous call may cost.
const MAX_VISITOR_CREDITS: i64 = 100;
/// Below this balance the visitors' account gets `VISITOR_GRANT` more test credits.
const MIN_VISITOR_BALANCE: i64 = 1_000;
const VISITOR_GRANT: i64 = 10_000;
/// Far above the largest response in the sandbox.
const MAX_RESPONSE_BYTES: usize = 16 * 1024 * 1024;
/// Of a response that is shown, in characters.
const MAX_SHOWN: usize = 50_000;
/// The headers that are shown.
const SHOWN_HEADERS: [&str; 9] = [
    "request-id",
    "panji-mode",
    "panji-free-remaining",
    "ratelimit",
    "retry-after",
    "link",
    "idempotent-replayed",
    "panji-index",
    "content-type",
];

/// Who can send calls of an operation from its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    Everyone,
    /// It is about the caller's own account.
    SignedIn,
    /// It is about the key itself, which the page does not have.
    WithKey,
}

pub fn availability(operation: Operation) -> Availability {
    use Operation as Op;
    match operation {
        Op::GetAccount => Availability::WithKey,
        Op::GetUsage
        | Op::GetRequest
        | Op::CreateJob
        | Op::ListJobs
        | Op::GetJob
        | Op::ApproveJob
        | Op::CancelJob
        | Op::GetJobResults
        | Op::CreateWatchlist
        | Op::ListWatchlists
        | Op::GetWatchlist
        | Op::RenameWatchlist
        | Op::DeleteWatchlist
        | Op::AddWatchMembers
        | Op::ListWatchMembers
        | Op::RemoveWatchMembers
        | Op::ListEvents
        | Op::SimulateEvents
        | Op::CreateWebhook
        | Op::ListWebhooks
        | Op::GetWebhook
        | Op::UpdateWebhook
        | Op::DeleteWebhook
        | Op::RotateWebhookSecret
        | Op::TestWebhook
        | Op::ListWebhookAttempts
        | Op::ReplayWebhookEvents => Availability::SignedIn,
        Op::SearchCompanies
        | Op::GetCompany
        | Op::GetCompanyPan
        | Op::GetCompanyProfile
        | Op::GetCompanyFinancials
        | Op::GetCompanyDirectors
        | Op::GetCompanyCharges
        | Op::GetCompanyCompliance
        | Op::ListCompanyDocuments
        | Op::GetDirector
        | Op::ListDirectorCompanies
        | Op::VerifyCin
        | Op::VerifyDin
        | Op::VerifyGstin
        | Op::VerifyPan
        | Op::GetGst
        | Op::SearchByPan
        | Op::BulkVerify
        | Op::BulkEnrich
        | Op::MatchCompanies
        | Op::ListCompanyEvents
        | Op::GetCompanyNetwork
        | Op::FindPaths
        | Op::GetCompanyFindings
        | Op::SearchDirectors
        | Op::GetCompanyReport => Availability::Everyone,
    }
}

/// The values of a form.
pub struct Values {
    /// The parameters of path and query by name; those that are not set are empty.
    pub parameters: Vec<(String, String)>,
    pub body: Option<String>,
}

impl Values {
    /// Those of the example.
    pub fn example(reference: &Reference) -> Values {
        let shown = reference.parameters.iter().filter(|parameter| parameter.place != "header");
        Values {
            parameters: shown
                .map(|parameter| (parameter.name.clone(), parameter.example.clone()))
                .collect(),
            body: reference.example_body.clone(),
        }
    }

    /// Those of a sent form. Unknown names are ignored.
    pub fn sent(reference: &Reference, form: &[(String, String)]) -> Values {
        let find = |name: &str| form.iter().find(|(known, _)| known == name);
        let mut values = Values::example(reference);
        for (name, value) in &mut values.parameters {
            let sent = find(&format!("parameter-{name}"));
            *value = sent.map(|(_, text)| text.trim().to_owned()).unwrap_or_default();
        }
        if let Some(body) = &mut values.body {
            *body = find("body").map(|(_, text)| text.clone()).unwrap_or_default();
        }
        values
    }

    pub fn get(&self, name: &str) -> &str {
        self.parameters.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// A parameter of the path without a value.
    pub fn missing<'a>(&self, reference: &'a Reference) -> Option<&'a str> {
        let mut required = reference.parameters.iter().filter(|parameter| parameter.required);
        required.find(|parameter| self.get(&parameter.name).is_empty()).map(|it| it.name.as_str())
    }

    /// The path with its query.
    fn path(&self, reference: &Reference) -> String {
        let mut path = reference.path.to_owned();
        let mut query = Vec::new();
        for (name, value) in &self.parameters {
            let marker = format!("{{{name}}}");
            match path.contains(&marker) {
                true => path = path.replace(&marker, &encoded(value)),
                false if value.is_empty() => {}
                false => query.push(format!("{name}={}", encoded(value))),
            }
        }
        if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
    }
}

/// A call and its response, for display.
pub struct Trial {
    pub method: Method,
    pub path: String,
    pub status: StatusCode,
    pub headers: Vec<(String, String)>,
    /// The credits charged and the balance after the call; none if the response does not say.
    charged: Option<i64>,
    remaining: Option<i64>,
    pub text: String,
    /// Whether the text is only the beginning.
    pub shortened: bool,
}

/// Sends the call of a signed-in or an anonymous user.
pub async fn send(
    app: &App,
    calls: &ApiCalls,
    context: &RequestContext,
    signed_in: Option<&SignedIn>,
    (reference, values): (&Reference, &Values),
) -> Result<Trial, PageError> {
    let path = values.path(reference);
    let mut request = Request::builder().method(reference.method.clone()).uri(&path);
    if values.body.is_some() {
        request = request.header(header::CONTENT_TYPE, "application/json");
    }
    let (account_id, suspended) = match signed_in {
        Some(signed_in) => {
            let account = &signed_in.session.account;
            (account.id.clone(), account.suspended_at.is_some())
        }
        None => {
            request = request.header("panji-max-credits", MAX_VISITOR_CREDITS);
            let account = visitors(app, context.at_ms).await?;
            (account.id, account.suspended_at.is_some())
        }
    };
    let body = values.body.clone().map_or(Body::empty(), Body::from);
    let request = request.body(body);
    let mut request =
        request.map_err(|error| PageError::bad_form(format!("Not a path: {error}")))?;
    let caller = Caller::internal(&account_id, Mode::Test, suspended, Via::Console);
    request.extensions_mut().insert(InternalCall(caller));
    request.extensions_mut().insert(ConnectInfo(SocketAddr::new(context.address, 0)));
    // The page sets no time limit: the call has one.
    context.disable_timeout();
    let response = calls.0.respond(request).await;
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, MAX_RESPONSE_BYTES).await;
    let bytes = bytes.map_err(|error| PageError::internal(error.to_string()))?;
    Ok(Trial::new(reference.method.clone(), path, parts.status, &parts.headers, &bytes))
}

impl Trial {
    fn new(
        method: Method,
        path: String,
        status: StatusCode,
        headers: &HeaderMap,
        bytes: &[u8],
    ) -> Trial {
        let json: Option<Value> = serde_json::from_slice(bytes).ok();
        let full = match (&json, std::str::from_utf8(bytes)) {
            (Some(json), _) => serde_json::to_string_pretty(json).unwrap_or_default(),
            (None, Ok(text)) => text.to_owned(),
            (None, Err(_)) => format!("A file of {} bytes.", bytes.len()),
        };
        let text: String = full.chars().take(MAX_SHOWN).collect();
        let in_header = |name: &str| {
            headers.get(format!("panji-{}", name.replace('_', "-")))?.to_str().ok()?.parse().ok()
        };
        let in_json = |name: &str| json.as_ref().and_then(|json| json[name].as_i64());
        let credits = |name: &str| in_json(name).or_else(|| in_header(name));
        let shown = SHOWN_HEADERS.iter().filter_map(|name| {
            let value = headers.get(*name)?.to_str().ok()?;
            Some(((*name).to_owned(), value.to_owned()))
        });
        Trial {
            method,
            path,
            status,
            headers: shown.collect(),
            charged: credits("credits_charged"),
            remaining: credits("credits_remaining"),
            shortened: text.len() < full.len(),
            text,
        }
    }

    /// What the call cost, in words.
    pub fn credits(&self) -> Option<String> {
        let charged = counted(self.charged?, "test credit", "test credits");
        Some(match self.remaining {
            Some(balance) => format!("Charged {charged}; {} remain.", grouped(balance)),
            None => format!("Charged {charged}."),
        })
    }

    pub fn failed(&self) -> bool {
        !self.status.is_success()
    }
}

/// The account of visitors, created when it is first needed, with enough test credits.
async fn visitors(app: &App, now_ms: i64) -> Result<Account, PageError> {
    let account = match app.ledger.find_account(VISITORS).await? {
        Some(account) => account,
        None => create_visitors(app, now_ms).await?,
    };
    let balance = app.ledger.find_balance(&account.id, Mode::Test, now_ms).await?;
    if balance.is_some_and(|snapshot| snapshot.balance < MIN_VISITOR_BALANCE) {
        let kind = EntryKind::Grant;
        app.ledger.add_entry(&account.id, Mode::Test, kind, VISITOR_GRANT, None, now_ms).await?;
    }
    Ok(account)
}

async fn create_visitors(app: &App, now_ms: i64) -> Result<Account, PageError> {
    match app.ledger.create_account(VISITORS, VISITORS_NAME, now_ms).await {
        // Another request has created it in the meantime.
        Err(StoreError::Conflict(_)) => {
            let account = app.ledger.find_account(VISITORS).await?;
            account.ok_or_else(|| PageError::internal("the account of visitors is missing"))
        }
        created => Ok(created?),
    }
}
