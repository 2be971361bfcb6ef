//! A client of Razorpay's HTTP API: orders, payments, and the verification of signatures.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{Method, Request, header};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use panji_store::StoreError;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::config::PaymentSettings;

/// A page waits for the call.
const CALL_TIMEOUT: Duration = Duration::from_secs(8);
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;
/// Characters; a longer error description is truncated in the log.
const MAX_DESCRIPTION: usize = 200;
const CURRENCY: &str = "INR";

/// A client with the merchant's keys.
pub struct Razorpay {
    pub key_id: String,
    /// The URL of the checkout script.
    pub checkout_url: String,
    key_secret: String,
    webhook_secret: String,
    url: String,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

/// The system's certificates, which prove the provider's identity, cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("Razorpay: the system's certificates: {0}")]
pub struct NoCertificates(#[source] std::io::Error);

/// Why a request to the provider failed.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// No connection, or an unusable response.
    #[error("the payment provider cannot be reached: {0}")]
    Unreachable(String),
    /// The provider rejects the request.
    #[error("the payment provider refused: {0}")]
    Refused(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A payment in Razorpay's responses and events.
#[derive(Clone, Debug, Deserialize)]
pub struct RazorpayPayment {
    pub id: String,
    /// In paise.
    pub amount: i64,
    pub currency: String,
    /// `created`, `authorized`, `captured`, `refunded` or `failed`.
    pub status: String,
    /// None for payments without an order.
    pub order_id: Option<String>,
}

impl RazorpayPayment {
    /// Whether the payment is captured, in rupees. A refund happens later.
    pub fn is_paid(&self) -> bool {
        self.currency == CURRENCY && self.status == "captured"
    }
}

/// A refund in Razorpay's events.
#[derive(Clone, Debug, Deserialize)]
pub struct RazorpayRefund {
    pub id: String,
    /// In paise.
    pub amount: i64,
    pub currency: String,
    /// The refunded payment.
    pub payment_id: String,
    /// `pending`, `processed` or `failed`.
    pub status: String,
}

impl RazorpayRefund {
    /// Whether the refund is processed, in rupees. Before that, it may still fail.
    pub fn is_done(&self) -> bool {
        self.currency == CURRENCY && self.status == "processed"
    }
}

#[derive(Deserialize)]
struct CreatedOrder {
    id: String,
    amount: i64,
}

#[derive(Deserialize)]
struct Payments {
    items: Vec<RazorpayPayment>,
}

impl Razorpay {
    /// The client trusts the system's certificates.
    pub fn open(settings: &PaymentSettings) -> Result<Razorpay, NoCertificates> {
        let connector = HttpsConnectorBuilder::new()
            .with_native_roots()
            .map_err(NoCertificates)?
            .https_or_http()
            .enable_http1()
            .build();
        Ok(Razorpay {
            key_id: settings.razorpay_key_id.clone(),
            checkout_url: settings.razorpay_checkout_url.clone(),
            key_secret: settings.razorpay_key_secret.clone(),
            webhook_secret: settings.razorpay_webhook_secret.clone(),
            url: settings.razorpay_url.trim_end_matches('/').to_owned(),
            client: Client::builder(TokioExecutor::new()).build(connector),
        })
    }

    /// Creates an order for an amount in paise; returns its id.
    pub async fn create_order(
        &self,
        amount: i64,
        account_id: &str,
    ) -> Result<String, ProviderError> {
        let body = json!({
            "amount": amount,
            "currency": CURRENCY,
            "payment_capture": 1,
            "notes": { "account": account_id },
        });
        let order: CreatedOrder = self.call(Method::POST, "/v1/orders", Some(&body)).await?;
        if order.amount != amount || !is_razorpay_id(&order.id) {
            return Err(ProviderError::Unreachable("the order differs from the request".into()));
        }
        Ok(order.id)
    }

    /// The payment of an order, if there is one. An authorized payment is captured now.
    pub async fn find_payment(
        &self,
        order_id: &str,
        amount: i64,
    ) -> Result<Option<RazorpayPayment>, ProviderError> {
        let path = format!("/v1/orders/{order_id}/payments");
        let payments: Payments = self.call(Method::GET, &path, None).await?;
        let is_of_order =
            |payment: &&RazorpayPayment| payment.order_id.as_deref() == Some(order_id);
        if let Some(paid) =
            payments.items.iter().filter(is_of_order).find(|payment| payment.is_paid())
        {
            return Ok(Some(paid.clone()));
        }
        let is_authorized = |payment: &&RazorpayPayment| {
            payment.status == "authorized"
                && payment.amount == amount
                && is_razorpay_id(&payment.id)
        };
        let Some(authorized) = payments.items.iter().filter(is_of_order).find(is_authorized) else {
            return Ok(None);
        };
        let path = format!("/v1/payments/{}/capture", authorized.id);
        let body = json!({ "amount": amount, "currency": CURRENCY });
        let captured: RazorpayPayment = self.call(Method::POST, &path, Some(&body)).await?;
        Ok(Some(captured).filter(RazorpayPayment::is_paid))
    }

    /// Whether Razorpay has signed that this payment belongs to this order.
    pub fn verify_signature(&self, order_id: &str, payment_id: &str, signature: &str) -> bool {
        let text = format!("{order_id}|{payment_id}");
        is_signature(&self.key_secret, text.as_bytes(), signature)
    }

    /// Whether Razorpay has signed this webhook body.
    pub fn verify_webhook_signature(&self, body: &[u8], signature: &str) -> bool {
        is_signature(&self.webhook_secret, body, signature)
    }

    async fn call<T: serde::de::DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<T, ProviderError> {
        let exchange = self.exchange(method, path, body);
        let timed_out = |_| ProviderError::Unreachable("no response in time".into());
        let (status, bytes) =
            tokio::time::timeout(CALL_TIMEOUT, exchange).await.map_err(timed_out)??;
        if status.is_client_error() {
            let response: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            let reason = response["error"]["description"].as_str().unwrap_or("no reason given");
            let reason: String = reason.chars().take(MAX_DESCRIPTION).collect();
            return Err(ProviderError::Refused(format!("{status}: {reason}")));
        }
        if !status.is_success() {
            return Err(ProviderError::Unreachable(format!("status {status}")));
        }
        serde_json::from_slice(&bytes)
            .map_err(|error| ProviderError::Unreachable(format!("its response: {error}")))
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(hyper::StatusCode, Bytes), ProviderError> {
        let unreachable =
            |error: &dyn std::fmt::Display| ProviderError::Unreachable(error.to_string());
        let pair = BASE64_STANDARD.encode(format!("{}:{}", self.key_id, self.key_secret));
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header(header::AUTHORIZATION, format!("Basic {pair}"))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| unreachable(&error))?;
        let response = self.client.request(request).await.map_err(|error| unreachable(&error))?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await;
        Ok((status, body.map_err(|error| unreachable(&error))?.to_bytes()))
    }
}

/// Whether a text is safe as an id of Razorpay in a URL path.
pub fn is_razorpay_id(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a hexadecimal signature matches a text, compared in constant time.
fn is_signature(secret: &str, text: &[u8], signature: &str) -> bool {
    let Some(bytes) = from_hex(signature) else { return false };
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(text);
    mac.verify_slice(&bytes).is_ok()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| {
            let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
            // `from_str_radix` would accept a sign.
            pair.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(())?;
            u8::from_str_radix(pair, 16).ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_valid_for_one_secret_and_one_text() {
        // HMAC-SHA256, checked against another implementation.
        let other_text = "43b0cef99265f9e34c10ea9d3501926d27b39f57c6d674561d8ba236e7a819fb";
        assert!(is_signature(
            "key",
            b"message",
            "6e9ef29b75fffc5b7abae527d58fdadb2fe42e7219011976917343065f58ed4a"
        ));
        assert!(!is_signature("key", b"message", other_text));
        assert!(!is_signature(
            "key",
            b"messagE",
            "6e9ef29b75fffc5b7abae527d58fdadb2fe42e7219011976917343065f58ed4a"
        ));
        for wrong in [
            "",
            "6e",
            "zz",
            "6e9ef29b75fffc5b7abae527d58fdadb2fe42e7219011976917343065f58ed4",
            "+e",
        ] {
            assert!(!is_signature("key", b"message", wrong), "{wrong}");
        }
    }

    #[test]
    fn an_id_cannot_change_the_url_path() {
        assert!(is_razorpay_id("order_DESlLckIVRkHWj"));
        for wrong in ["", "order/../payments", "order?x=1", &"a".repeat(65)] {
            assert!(!is_razorpay_id(wrong), "{wrong}");
        }
    }
}
