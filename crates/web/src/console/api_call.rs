//! API calls that users make in the console: served by the API's routes in the same process, and
//! checked, charged and logged like other calls.

use std::net::SocketAddr;

use axum::Extension;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Request, header};
use panji_api::api::middleware::Middleware;
use panji_api::config::operation::Operation;
use panji_api::http::context::{Caller, InternalCall};
use panji_store::ledger::Mode;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::language::{sentence, t};
use super::page_error::PageError;
use super::session::SignedIn;

/// Far above the largest real response.
const MAX_RESPONSE_BYTES: usize = 32 * 1024 * 1024;

/// The API's routes.
#[derive(Clone)]
pub struct ApiCalls(pub Middleware);

pub type Calls = Extension<ApiCalls>;

/// A call and its response, for display.
pub struct ApiResponse {
    pub operation: &'static str,
    /// With the query.
    pub path: String,
    /// The highest price of the call, in credits.
    pub price: i64,
    /// The credits charged.
    pub charged: i64,
    pub status: u16,
    /// The body as indented JSON.
    pub json: String,
    /// The error message of the API.
    pub error: Option<String>,
    /// Where the stored body is, if it is too long to be part of every page.
    pub address: Option<String>,
    data: Value,
}

/// A file that a call returned.
pub struct ApiFile {
    pub bytes: Bytes,
    /// The name under which to save it.
    pub name: Option<String>,
}

impl ApiCalls {
    /// Makes a call in the mode of the session.
    pub async fn get(
        &self,
        signed_in: &SignedIn,
        operation: Operation,
        path: String,
    ) -> Result<ApiResponse, PageError> {
        let request = self.request(signed_in, signed_in.mode(), &path)?;
        // The page sets no time limit: the call has one.
        signed_in.context.disable_timeout();
        let response = self.0.respond(request).await;
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), MAX_RESPONSE_BYTES)
            .await
            .map_err(|error| PageError::internal(error.to_string()))?;
        ApiResponse::read(signed_in, operation, path, status, &bytes)
    }

    /// Makes a call whose response is a file. An error of the API becomes an error page.
    pub async fn get_file(
        &self,
        signed_in: &SignedIn,
        operation: Operation,
        path: String,
    ) -> Result<ApiFile, PageError> {
        let request = self.request(signed_in, signed_in.mode(), &path)?;
        signed_in.context.disable_timeout();
        let (parts, body) = self.0.respond(request).await.into_parts();
        let bytes = to_bytes(body, MAX_RESPONSE_BYTES)
            .await
            .map_err(|error| PageError::internal(error.to_string()))?;
        if !parts.status.is_success() {
            let status = parts.status.as_u16();
            let response = ApiResponse::read(signed_in, operation, path, status, &bytes)?;
            return Err(PageError::failed_call(parts.status, response.failure()));
        }
        let disposition = parts.headers.get(header::CONTENT_DISPOSITION);
        let disposition = disposition.and_then(|value| value.to_str().ok());
        let name = disposition.and_then(|text| text.split('"').nth(1)).map(str::to_owned);
        Ok(ApiFile { bytes, name })
    }

    fn request(
        &self,
        signed_in: &SignedIn,
        mode: Mode,
        path: &str,
    ) -> Result<Request<Body>, PageError> {
        let mut request = Request::get(path)
            .body(Body::empty())
            .map_err(|error| PageError::bad_form(format!("The path is invalid: {error}")))?;
        let suspended = signed_in.session.account.suspended_at.is_some();
        let person_id = &signed_in.session.person.id;
        let caller = Caller::person(signed_in.account_id(), person_id, mode, suspended);
        request.extensions_mut().insert(InternalCall(caller));
        let address = SocketAddr::new(signed_in.context.address, 0);
        request.extensions_mut().insert(ConnectInfo(address));
        Ok(request)
    }
}

impl ApiResponse {
    pub fn read(
        signed_in: &SignedIn,
        operation: Operation,
        path: String,
        status: u16,
        bytes: &[u8],
    ) -> Result<ApiResponse, PageError> {
        let mut body: Value = serde_json::from_slice(bytes)
            .map_err(|error| PageError::internal(format!("a response is not JSON: {error}")))?;
        Ok(ApiResponse {
            operation: operation.id(),
            path,
            price: signed_in.app.config.prices.of(operation),
            charged: body["credits_charged"].as_i64().unwrap_or(0),
            status,
            json: serde_json::to_string_pretty(&body).unwrap_or_default(),
            address: None,
            error: body["error"]["message"].as_str().map(sentence),
            data: body.get_mut("data").map(Value::take).unwrap_or_default(),
        })
    }

    /// The `data` of the response; none after an error.
    pub fn data<T: DeserializeOwned>(&self) -> Result<Option<T>, PageError> {
        if self.data.is_null() {
            return Ok(None);
        }
        serde_json::from_value(self.data.clone())
            .map(Some)
            .map_err(|error| PageError::internal(format!("{}: {error}", self.operation)))
    }

    /// Why the call failed.
    pub fn failure(&self) -> &str {
        self.error.as_deref().unwrap_or(t("No response."))
    }

    pub fn failed(&self) -> bool {
        self.status >= 400
    }
}
