//! A request of a test and its response.

use std::net::{IpAddr, SocketAddr};

use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::server::Key;

#[derive(Clone, Debug)]
pub struct Ask {
    pub method: Method,
    pub path: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Vec<u8>,
    address: Option<IpAddr>,
}

pub fn get(path: impl Into<String>) -> Ask {
    ask(Method::GET, path)
}

/// A bulk request with a JSON body.
pub fn post(path: impl Into<String>, body: &Value) -> Ask {
    ask(Method::POST, path).header("content-type", "application/json").body(body.to_string())
}

pub fn ask(method: Method, path: impl Into<String>) -> Ask {
    Ask { method, path: path.into(), headers: Vec::new(), body: Vec::new(), address: None }
}

impl Ask {
    pub fn key(self, key: &Key) -> Ask {
        self.header("authorization", format!("Bearer {}", key.text))
    }

    /// Adds a header; a second one with the same name is appended.
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Ask {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        self.headers.push((name, HeaderValue::from_bytes(value.as_ref()).unwrap()));
        self
    }

    pub fn without_header(mut self, name: &str) -> Ask {
        self.headers.retain(|(known, _)| known.as_str() != name);
        self
    }

    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Ask {
        self.body = body.into();
        self
    }

    pub fn query(mut self, query: &str) -> Ask {
        self.path.push(if self.path.contains('?') { '&' } else { '?' });
        self.path.push_str(query);
        self
    }

    pub fn method(mut self, method: Method) -> Ask {
        self.method = method;
        self
    }

    /// Sets the address of the client.
    pub fn from(mut self, address: &str) -> Ask {
        self.address = Some(address.parse().unwrap());
        self
    }

    pub fn into_request(self) -> Request<Body> {
        let mut request =
            Request::builder().method(self.method).uri(self.path).body(Body::empty()).unwrap();
        for (name, value) in self.headers {
            request.headers_mut().append(name, value);
        }
        if let Some(address) = self.address {
            request.headers_mut().insert("host", HeaderValue::from_static("panji"));
            request.extensions_mut().insert(ConnectInfo(SocketAddr::new(address, 40_000)));
        }
        request.map(|_| Body::from(self.body))
    }
}

#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    pub bytes: Bytes,
    /// The body if it is JSON, else null.
    pub json: Value,
}

/// The headers in snapshots.
const SNAPSHOT_HEADERS: [&str; 4] =
    ["link", "panji-mode", "panji-free-remaining", "idempotent-replayed"];

impl Response {
    pub async fn read(response: axum::response::Response) -> Response {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let number =
            |name: &str| -> Option<i64> { parts.headers.get(name)?.to_str().unwrap().parse().ok() };
        // A file has the fields of the envelope in its headers.
        let json = match number("panji-credits-charged") {
            Some(charged) => json!({
                "success": true,
                "request_id": parts.headers["request-id"].to_str().unwrap(),
                "credits_charged": charged,
                "credits_remaining": number("panji-credits-remaining").unwrap(),
                "data": null,
            }),
            None => serde_json::from_slice(&bytes).unwrap_or_default(),
        };
        Response { status: parts.status.as_u16(), headers: parts.headers, bytes, json }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The error's code; empty on success.
    pub fn code(&self) -> &str {
        self.json["error"]["code"].as_str().unwrap_or_default()
    }

    pub fn data(&self) -> &Value {
        &self.json["data"]
    }

    pub fn charged(&self) -> i64 {
        self.json["credits_charged"].as_i64().unwrap()
    }

    pub fn remaining(&self) -> i64 {
        self.json["credits_remaining"].as_i64().unwrap()
    }

    /// The data; panics if the call failed.
    pub fn expect_data(&self) -> &Value {
        assert_eq!(self.status, 200, "{}", self.json);
        self.data()
    }

    /// The whole response for a snapshot, without values that change with each call.
    pub fn snapshot(&self) -> Value {
        let mut body = self.json.clone();
        body["request_id"] = json!("[request_id]");
        for name in ["checked_on", "recorded_since"] {
            if let Some(day) = body["data"].get_mut(name) {
                *day = json!("[day]");
            }
        }
        // The exact score is not guaranteed; its bounds and order are, and have a test.
        for company in body["data"]["companies"].as_array_mut().into_iter().flatten() {
            if let Some(score) = company.get_mut("score") {
                *score = json!("[score]");
            }
        }
        let headers: serde_json::Map<String, Value> = SNAPSHOT_HEADERS
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), Value::from(self.header(name)?))))
            .collect();
        json!({ "status": self.status, "headers": headers, "body": body })
    }
}
