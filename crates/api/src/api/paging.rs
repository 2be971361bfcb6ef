//! The pages of a list, and the Link header that leads to them.

use axum::http::{HeaderValue, header};

use super::call::Call;
use super::idempotency::ResponseHeader;

pub fn last_page(total: i64, per_page: i64) -> i64 {
    ((total + per_page - 1) / per_page).max(1)
}

/// The Link header: first, prev, next and last page, where they exist. `rest` is the rest of the
/// query, with a leading `&`.
pub fn page_links(
    call: &Call,
    path: &str,
    rest: &str,
    page: i64,
    last_page: i64,
) -> Option<ResponseHeader> {
    let link = |relation: &str, page: i64| {
        let base = &call.app.public_url;
        format!("<{base}{path}?page={page}{rest}>; rel=\"{relation}\"")
    };
    let mut links = vec![link("first", 1)];
    if page > 1 {
        links.push(link("prev", (page - 1).min(last_page)));
    }
    if page < last_page {
        links.push(link("next", page + 1));
    }
    links.push(link("last", last_page));
    HeaderValue::from_str(&links.join(", ")).ok().map(|links| (header::LINK, links))
}
