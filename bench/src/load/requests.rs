//! The requests of each endpoint and each system, serialized before the load starts.

use serde_json::json;

use super::identifiers::{Identifiers, skewed_order};

/// Items of one bulkVerify: the maximum.
pub const BULK_VERIFY_ITEMS: usize = 1_000;
/// Companies of one bulkEnrich: the maximum.
pub const BULK_ENRICH_COMPANIES: usize = 100;
/// Different bodies of bulk calls.
const BODIES: usize = 64;
/// Every section of bulkEnrich.
const SECTIONS: [&str; 8] =
    ["company", "pan", "capital", "directors", "charges", "financials", "compliance", "documents"];

/// A serialized request.
pub struct Request {
    pub bytes: Vec<u8>,
    /// A text that the response must contain; checked in the first responses only.
    pub expects: String,
}

/// Requests and the order in which they are sent.
pub struct Requests {
    /// The distinct requests.
    pub all: Vec<Request>,
    /// Their indexes, in the order of sending.
    pub order: Vec<u32>,
}

impl Requests {
    fn new(all: Vec<Request>) -> Requests {
        let order = skewed_order(all.len());
        Requests { all, order }
    }

    /// The request at a position of the order, which repeats.
    pub fn at(&self, position: usize) -> &Request {
        &self.all[self.order[position % self.order.len()] as usize]
    }

    /// Lookups of companies without a key: the path before and after the number.
    pub fn lookups(
        identifiers: &Identifiers,
        before: &str,
        after: &str,
        checked: bool,
    ) -> Requests {
        let request = |cin: &String| Request {
            bytes: get(&format!("{before}{cin}{after}"), None),
            expects: if checked { cin.clone() } else { String::new() },
        };
        Requests::new(identifiers.cins.iter().map(request).collect())
    }
}

/// The kind of identifier of an endpoint.
#[derive(Clone, Copy)]
enum Key {
    Name,
    Cin,
    Din,
    Gstin,
    Pan,
    VerifyBatch,
    EnrichBatch,
}

#[derive(Clone, Copy)]
pub struct Endpoint {
    pub operation: &'static str,
    before: &'static str,
    after: &'static str,
    key: Key,
    /// The number of items per request.
    pub items: usize,
}

const fn endpoint(
    operation: &'static str,
    key: Key,
    before: &'static str,
    after: &'static str,
) -> Endpoint {
    Endpoint { operation, before, after, key, items: 1 }
}

pub const ENDPOINTS: [Endpoint; 19] = [
    endpoint("searchCompanies", Key::Name, "/v1/companies/search?q=", ""),
    endpoint("getCompany", Key::Cin, "/v1/companies/", ""),
    endpoint("getCompanyPan", Key::Cin, "/v1/companies/", "/pan"),
    endpoint("getCompanyProfile", Key::Cin, "/v1/companies/", "/profile"),
    endpoint("getCompanyFinancials", Key::Cin, "/v1/companies/", "/financials"),
    endpoint("getCompanyDirectors", Key::Cin, "/v1/companies/", "/directors"),
    endpoint("getCompanyCharges", Key::Cin, "/v1/companies/", "/charges"),
    endpoint("getCompanyCompliance", Key::Cin, "/v1/companies/", "/compliance"),
    endpoint("listCompanyDocuments", Key::Cin, "/v1/companies/", "/documents"),
    endpoint("getDirector", Key::Din, "/v1/directors/", ""),
    endpoint("listDirectorCompanies", Key::Din, "/v1/directors/", "/companies"),
    endpoint("verifyCin", Key::Cin, "/v1/verify/cin/", ""),
    endpoint("verifyDin", Key::Din, "/v1/verify/din/", ""),
    endpoint("verifyGstin", Key::Gstin, "/v1/verify/gstin/", ""),
    endpoint("verifyPan", Key::Pan, "/v1/verify/pan/", ""),
    endpoint("getGst", Key::Gstin, "/v1/gst/", ""),
    endpoint("searchByPan", Key::Pan, "/v1/search/pan/", ""),
    Endpoint {
        items: BULK_VERIFY_ITEMS,
        ..endpoint("bulkVerify", Key::VerifyBatch, "/v1/bulk/verify", "")
    },
    Endpoint {
        items: BULK_ENRICH_COMPANIES,
        ..endpoint("bulkEnrich", Key::EnrichBatch, "/v1/bulk/enrich", "")
    },
];

pub fn find_endpoint(operation: &str) -> Option<Endpoint> {
    ENDPOINTS.into_iter().find(|endpoint| endpoint.operation == operation)
}

impl Endpoint {
    /// The requests of this endpoint with this API key.
    pub fn requests(&self, identifiers: &Identifiers, api_key: &str) -> Requests {
        let path = |value: &str| format!("{}{value}{}", self.before, self.after);
        let plain = |values: &[String]| -> Vec<Request> {
            let request = |value: &String| Request {
                bytes: get(&path(value), Some(api_key)),
                expects: value.clone(),
            };
            values.iter().map(request).collect()
        };
        Requests::new(match self.key {
            Key::Cin => plain(&identifiers.cins),
            Key::Din => plain(&identifiers.dins),
            Key::Gstin => plain(&identifiers.gstins),
            Key::Pan => plain(&identifiers.pans),
            Key::Name => {
                let request = |name: &String| Request {
                    bytes: get(&path(&percent_encoded(name)), Some(api_key)),
                    expects: "\"companies\":[{".to_owned(),
                };
                identifiers.names.iter().map(request).collect()
            }
            Key::VerifyBatch => self.batches(api_key, |body| verify_body(identifiers, body)),
            Key::EnrichBatch => self.batches(api_key, |body| enrich_body(identifiers, body)),
        })
    }

    fn batches(&self, api_key: &str, body: impl Fn(usize) -> (String, String)) -> Vec<Request> {
        let request = |number| {
            let (body, expects) = body(number);
            Request { bytes: post(self.before, api_key, &body), expects }
        };
        (0..BODIES).map(request).collect()
    }
}

/// A body with all four kinds of identifiers, and one of them, which the response must contain.
fn verify_body(identifiers: &Identifiers, number: usize) -> (String, String) {
    let kinds = [
        ("cin", &identifiers.cins),
        ("din", &identifiers.dins),
        ("gstin", &identifiers.gstins),
        ("pan", &identifiers.pans),
    ];
    let item = |index: usize| {
        let (kind, values) = kinds[index % kinds.len()];
        json!({"type": kind, "value": values[(number * BULK_VERIFY_ITEMS + index) % values.len()]})
    };
    let items: Vec<_> = (0..BULK_VERIFY_ITEMS).map(item).collect();
    let expects = items.first().and_then(|item| item["value"].as_str()).unwrap_or("").to_owned();
    (json!({ "items": items }).to_string(), expects)
}

fn enrich_body(identifiers: &Identifiers, number: usize) -> (String, String) {
    let cins = &identifiers.cins;
    let cin = |index: usize| &cins[(number * BULK_ENRICH_COMPANIES + index) % cins.len()];
    let requested: Vec<&String> = (0..BULK_ENRICH_COMPANIES).map(cin).collect();
    (json!({"cins": requested, "fields": SECTIONS}).to_string(), cin(0).clone())
}

fn get(path: &str, api_key: Option<&str>) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\n{}\r\n", authorization(api_key)).into_bytes()
}

fn post(path: &str, api_key: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: bench\r\n{}Content-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        authorization(Some(api_key)),
        body.len(),
    )
    .into_bytes()
}

fn authorization(api_key: Option<&str>) -> String {
    api_key.map(|key| format!("Authorization: Bearer {key}\r\n")).unwrap_or_default()
}

fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() + 16);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
