//! The preview of a company: a small page without scripts, for a frame in the client.

use std::sync::OnceLock;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use panji_ids::CompanyId;
use panji_store::register::Company;
use sha2::{Digest, Sha256};

use super::service_request::ServiceRequest;
use crate::http::error::ApiResult;
use crate::locale::dates;
use crate::locale::html::escape_html;

const STYLE: &str = "\
body{font:13px/18px system-ui,sans-serif;margin:8px 12px;color:#1d1a16;background:#fff}\
h1{font-size:15px;line-height:20px;margin:0 0 6px}p{margin:0}\
dl{display:grid;grid-template-columns:auto 1fr;gap:2px 12px;margin:0}dt{color:#6b6258}dd{margin:0}";

/// Free, within the daily limit: it shows what the candidates of a query show.
pub async fn preview(request: ServiceRequest) -> ApiResult {
    let (call, parameters) = request.into_free_call().await?;
    let id = parameters.get("id").unwrap_or_default();
    let company = match CompanyId::parse_in_year(id, call.this_year()) {
        Ok(id) => call.register().find_company(id.as_str()).await?,
        Err(_) => None,
    };
    call.charge_for(0).await?;
    Ok(match company {
        Some(company) => page(StatusCode::OK, &body(&company)),
        None => page(StatusCode::NOT_FOUND, "<p>No company of the register has this number.</p>"),
    })
}

fn body(company: &Company) -> String {
    let kind = match company.kind.as_str() {
        "llp" => "LLP",
        "foreign_company" => "Foreign company",
        _ => "Company",
    };
    let status = company.status.replace('_', " ");
    let office = [&company.city, &company.state, &company.pincode];
    let office: Vec<&str> = office.into_iter().filter_map(|part| part.as_deref()).collect();
    let incorporated = company.incorporated_on.as_deref().map(dates::day);
    let known_as_of = company.as_of.as_deref().map(dates::day);
    let lines = [
        ("Number", Some(company.cin.clone())),
        ("Kind", Some(kind.to_owned())),
        ("Status", Some(status)),
        ("Office", Some(office.join(", ")).filter(|office| !office.is_empty())),
        ("Incorporated", incorporated),
        ("As of", known_as_of),
    ];
    let lines: String = lines
        .into_iter()
        .filter_map(|(name, value)| {
            Some(format!("<dt>{name}</dt><dd>{}</dd>", escape_html(&value?)))
        })
        .collect();
    format!("<h1>{}</h1><dl>{lines}</dl>", escape_html(&company.name))
}

fn page(status: StatusCode, body: &str) -> Response {
    let page = format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Company</title>\
         <style>{STYLE}</style></head><body>{body}</body></html>"
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, policy()),
        // The address contains the token, which must not be sent to other sites.
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (status, headers, page).into_response()
}

/// Permits only the style. Any page may frame the preview: it has no links, no forms and no session, and a
/// page that frames it has the token already.
fn policy() -> &'static str {
    static POLICY: OnceLock<String> = OnceLock::new();
    POLICY.get_or_init(|| {
        let digest = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
        format!(
            "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; \
             frame-ancestors *"
        )
    })
}
