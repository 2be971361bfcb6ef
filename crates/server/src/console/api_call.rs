//! Calls that people make in the console: the API's own routes, in process, on behalf of the account
//! they work in. They are checked, charged and logged as any other call.

use std::net::SocketAddr;

use axum::Extension;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::Request;
use panji_store::ledger::Mode;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::problem::Problem;
use super::session::SignedIn;
use crate::api::middleware::Middleware;
use crate::config::operation::Operation;
use crate::http::context::{Caller, InternalCall, Via};

/// Bytes of one answer; the largest real one is far below.
const MAX_ANSWER_BYTES: usize = 32 * 1024 * 1024;
/// What stays as it is in a part of a path.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// The API's routes, as the console calls them.
#[derive(Clone)]
pub struct ApiCalls(pub Middleware);

/// The extension under which handlers find them.
pub type Calls = Extension<ApiCalls>;

/// A call and its answer, as a page shows them.
pub struct Answered {
    /// The operation's id.
    pub operation: &'static str,
    /// The path with its query.
    pub path: String,
    /// What one call costs at most.
    pub price: i64,
    /// What this one cost.
    pub charged: i64,
    /// The HTTP status.
    pub status: u16,
    /// The answer as indented JSON.
    pub json: String,
    /// What was wrong, in a sentence.
    pub error: Option<String>,
    data: Value,
}

impl ApiCalls {
    /// Makes a call in the mode that the person works in.
    pub async fn get(
        &self,
        signed_in: &SignedIn,
        operation: Operation,
        path: String,
    ) -> Result<Answered, Problem> {
        let request = self.request(signed_in, signed_in.mode(), &path)?;
        // The page waits for the call however long it takes; the call has its own time.
        signed_in.context.set_paying();
        let response = self.0.answer(request).await;
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), MAX_ANSWER_BYTES)
            .await
            .map_err(|error| Problem::internal(error.to_string()))?;
        Answered::read(signed_in, operation, path, status, &bytes)
    }

    fn request(
        &self,
        signed_in: &SignedIn,
        mode: Mode,
        path: &str,
    ) -> Result<Request<Body>, Problem> {
        let mut request = Request::get(path).body(Body::empty()).map_err(|error| {
            Problem::bad_form(format!("The address cannot be asked for: {error}"))
        })?;
        let suspended = signed_in.session.account.suspended_at.is_some();
        let caller = Caller::internal(signed_in.account_id(), mode, suspended, Via::Console);
        request.extensions_mut().insert(InternalCall(caller));
        let address = SocketAddr::new(signed_in.context.address, 0);
        request.extensions_mut().insert(ConnectInfo(address));
        Ok(request)
    }
}

impl Answered {
    /// Reads an answer's body.
    pub fn read(
        signed_in: &SignedIn,
        operation: Operation,
        path: String,
        status: u16,
        bytes: &[u8],
    ) -> Result<Answered, Problem> {
        let mut body: Value = serde_json::from_slice(bytes)
            .map_err(|error| Problem::internal(format!("an answer is no JSON: {error}")))?;
        Ok(Answered {
            operation: operation.id(),
            path,
            price: signed_in.app.config.prices.of(operation),
            charged: body["credits_charged"].as_i64().unwrap_or(0),
            status,
            json: serde_json::to_string_pretty(&body).unwrap_or_default(),
            error: body["error"]["message"].as_str().map(str::to_owned),
            data: body.get_mut("data").map(Value::take).unwrap_or_default(),
        })
    }

    /// The answer's data in the shape that a page wants; none after an error.
    pub fn data<T: DeserializeOwned>(&self) -> Result<Option<T>, Problem> {
        if self.data.is_null() {
            return Ok(None);
        }
        serde_json::from_value(self.data.clone())
            .map(Some)
            .map_err(|error| Problem::internal(format!("{}: {error}", self.operation)))
    }

    /// Whether the service itself failed.
    pub fn failed(&self) -> bool {
        self.status >= 400
    }
}

/// A text as one part of a path or the value of a query.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text.trim(), PLAIN).to_string()
}
