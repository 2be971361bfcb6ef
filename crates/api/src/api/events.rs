//! The history of a company: what imports changed.

use panji_store::calendar::rfc3339;

use super::call::Call;
use super::wire;
use crate::http::error::ApiResult;

/// Events on a page, unless the caller asks for fewer or more.
const DEFAULT_LIMIT: i64 = 50;
const MAX_LIMIT: i64 = 100;

/// History of a company
///
/// What imports changed in this register about the company, its directors, charges, filings, accounts and
/// ratings, newest first, each with the values before and after. A page begins before the number in `before`.
/// Costs nothing when there is no event.
#[utoipa::path(
    get,
    path = "/v1/companies/{cin}/events",
    operation_id = "listCompanyEvents",
    tag = "Events",
    params(
        ("cin" = String, Path, description = "A CIN, LLPIN or FCRN, current or former, or an LEI."),
        ("before" = Option<i64>, Query, minimum = 1, description = "Only events with a lower `seq`: `next_before` of the page before."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100, description = "The most events; 50 unless given."),
    ),
    responses((status = 200, body = wire::CompanyEvents)),
)]
pub async fn list_company_events(call: Call) -> ApiResult {
    let before = call.query.number("before", 1..=i64::MAX)?.unwrap_or(i64::MAX);
    let limit = call.query.number("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT);
    let (call, company) = call.company().await?;
    let register = call.register();
    let former: Vec<String> = wire::stored_list(&company.former_cins);
    let mut numbers = vec![company.cin.as_str()];
    numbers.extend(former.iter().map(String::as_str));
    let mut events = register.list_subject_events(&numbers, before, limit + 1).await?;
    let has_more = events.len() as i64 > limit;
    events.truncate(limit as usize);
    let since = register.events_since(&company.source).await?;
    drop(register);
    let history = wire::CompanyEvents {
        next_before: events.last().filter(|_| has_more).map(|event| event.seq),
        events: events
            .iter()
            .map(|event| wire::Event::new(event, Some(company.name.clone())))
            .collect(),
        recorded_since: since.map(rfc3339),
        cin: company.cin,
    };
    if history.events.is_empty() {
        return call.respond_free(&[], &history).await;
    }
    call.respond(&history).await
}
