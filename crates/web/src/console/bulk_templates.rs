//! Files to begin a list with: the headings that are recognized, and a row of the sandbox.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::language::{key, t};
use super::page_error::PageError;

/// The names of the files, and their labels.
pub const LINKS: [(&str, &str); 3] = [
    ("verify.csv", key("identifiers")),
    ("enrich.csv", key("companies")),
    ("match.csv", key("names")),
];

const VERIFY: &str = "identifier,note\nL17111MH1994PLC990011,a CIN\n99000101,a DIN\n";
const ENRICH: &str = "cin,note\nL17111MH1994PLC990011,customer 17\n";
const MATCH: &str = "name,state,city,pincode,pan,gstin\n\
                     Kalpanik Industries Ltd,Maharashtra,Mumbai,400013,,\n";

pub async fn serve(Path(name): Path<String>) -> Result<Response, PageError> {
    let text = match name.as_str() {
        "verify.csv" => VERIFY,
        "enrich.csv" => ENRICH,
        "match.csv" => MATCH,
        _ => return Err(PageError::not_found(t("This template does not exist."))),
    };
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, text).into_response())
}
