//! The manifest: what the service offers and where.

use serde_json::{Value, json};

use super::properties::types;
use super::service_request::ServiceRequest;

/// The queries that a client should send at once: large batches make its progress coarse.
const BATCH_SIZE: usize = 50;
/// The size of a preview, in pixels.
const PREVIEW_WIDTH: u32 = 400;
const PREVIEW_HEIGHT: u32 = 180;

pub fn manifest(request: &ServiceRequest) -> Value {
    let app = &request.app;
    let (public_url, service_url) = (&app.public_url, &request.service_url);
    let suggest = |what: &str| json!({ "service_url": service_url, "service_path": format!("/suggest/{what}") });
    json!({
        "versions": ["0.1", "0.2"],
        "name": "Panji: companies of India",
        "identifierSpace": format!("{public_url}/v1/companies/"),
        "schemaSpace": format!("{public_url}/docs/"),
        "documentation": format!("{public_url}/docs/"),
        "serviceVersion": env!("CARGO_PKG_VERSION"),
        "batchSize": BATCH_SIZE.min(app.config.limits.match_items.get()),
        "defaultTypes": types(),
        "view": { "url": format!("{public_url}/console/companies/{{{{id}}}}") },
        "preview": {
            "url": format!("{service_url}/preview?id={{{{id}}}}"),
            "width": PREVIEW_WIDTH,
            "height": PREVIEW_HEIGHT,
        },
        "suggest": {
            "entity": suggest("entity"),
            "property": suggest("property"),
            "type": suggest("type"),
        },
        "extend": {
            "propose_properties": { "service_url": service_url, "service_path": "/properties" },
            "property_settings": [],
        },
    })
}
