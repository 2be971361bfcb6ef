//! The events of what an account watches.

use std::num::NonZeroI64;

use panji_store::ledger::{EventDebit, EventFilter, EventPage, WatchedEvent};

use super::pay::{Budget, MAX_TRIES};
use crate::api::call::Call;
use crate::api::charging::refusal_error;
use crate::api::query::Query;
use crate::api::wire::Events;
use crate::api::wire::event_fields::TYPES;
use crate::app::App;
use crate::config::operation::Operation;
use crate::http::error::{ApiError, ApiResult, ErrorCode};

const MAX_LIMIT: i64 = 100;
const DEFAULT_LIMIT: i64 = 50;

/// List events
///
/// The events of the members of the account's watch lists, in order: each a change of the register with the
/// values before and after. An event costs its price once per account, however often and by whichever way
/// it is read; a page that the balance does not cover ends before the first event that is not paid for, and
/// a call that cannot pay for any event delivers only those that were paid for, or is refused. Poll with
/// `after` set to the last `next_after`. `GET /v1/events/stream` sends the same events as soon as they are
/// recorded, as server-sent events.
#[utoipa::path(
    get,
    path = "/v1/events",
    operation_id = "listEvents",
    tag = "Watch",
    params(
        ("after" = Option<i64>, Query, minimum = 0, description = "Only events after this number; from the oldest that is kept if left out."),
        ("watchlist" = Option<String>, Query, description = "Only events of the current members of this watch list."),
        ("types" = Option<String>, Query, description = "Only events of these types, separated by commas, such as `company.status_changed,charge.created`."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100, description = "The most events in the response; 50 if left out."),
    ),
    responses((status = 200, body = Events)),
)]
pub async fn list_events(call: Call) -> ApiResult {
    let wanted = EventSelection::read(&call.query)?;
    let limit = call.query.number("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT);
    let after = wanted.check(&call.app, call.owner()).await?;
    let call = call.check_funds_for(0).await?;
    let price_each = call.app.config.prices.of(Operation::ListEvents);
    let mut tries = 0;
    loop {
        let page = wanted.page(&call.app, call.owner(), after, limit).await?;
        let budget = find_call_budget(&call, price_each).await?;
        let (events, page) = payable(page, &budget, after);
        if events.is_empty()
            && let Some(refusal) = budget.refusal()
        {
            let balance = call.caller.balance.get().map_or(0, |snapshot| snapshot.balance);
            return Err(refusal_error(refusal, balance));
        }
        let seqs = events.iter().map(|event| event.seq).collect();
        let charge = EventDebit { seqs, price_each };
        tries += 1;
        match call.respond_with_events(charge, to_data(&events, page)).await {
            // Other calls have spent from the balance meanwhile: only the rest can be spent.
            Err(error) if error.code.status().as_u16() == 402 && tries < MAX_TRIES => {}
            response => return response,
        }
    }
}

/// The events of a page that are paid for or can be, and where the response ends. A caller who cannot pay
/// gets the same response whether or not there is another event.
fn payable(page: EventPage, budget: &Budget, after: i64) -> (Vec<WatchedEvent>, (i64, bool)) {
    let covered = budget.covers(&page.events);
    let (mut events, end) = (page.events, (page.scanned_to, page.more));
    if covered == events.len() && budget.refusal().is_none() {
        return (events, end);
    }
    events.truncate(covered);
    let last = events.last().map_or(after, |event| event.seq);
    (events, (last, true))
}

/// What a call can pay for events: as its payer, and at most Panji-Max-Credits.
async fn find_call_budget(call: &Call, price_each: i64) -> Result<Budget, ApiError> {
    let snapshot = call.find_balance().await?;
    call.caller.balance.set(snapshot);
    let cap = call.caller.monthly_cap;
    let spent = match cap {
        Some(_) => Some(call.find_spent().await?),
        None => None,
    };
    Ok(Budget::new(snapshot, spent, call.max_credits()?, cap, price_each))
}

/// The response. The events are stored as the API shows them.
fn to_data(events: &[WatchedEvent], (next_after, has_more): (i64, bool)) -> String {
    let events: Vec<&str> = events.iter().map(|event| event.payload.as_str()).collect();
    format!(
        "{{\"events\":[{}],\"next_after\":{next_after},\"has_more\":{has_more}}}",
        events.join(",")
    )
}

/// Which events a caller wants.
#[derive(Clone, Debug)]
pub struct EventSelection {
    /// None for the oldest that are kept.
    pub after: Option<i64>,
    pub watchlist: Option<String>,
    pub types: Vec<String>,
}

impl EventSelection {
    pub fn read(query: &Query) -> Result<EventSelection, ApiError> {
        Ok(EventSelection {
            after: query.number("after", 0..=i64::MAX)?,
            watchlist: query.get("watchlist").map(str::to_owned),
            types: read_types(query.get("types"))?,
        })
    }

    /// Checks that the watch list exists and that the events after the cursor are still stored; returns the
    /// number after which the page begins.
    pub async fn check(
        &self,
        app: &App,
        owner: (&str, panji_store::ledger::Mode),
    ) -> Result<i64, ApiError> {
        if let Some(id) = &self.watchlist
            && app.ledger.find_watchlist(owner, id).await?.is_none()
        {
            return Err(ApiError::from_code(ErrorCode::WatchlistNotFound).param("watchlist"));
        }
        let trimmed = app.ledger.find_trimmed_event(owner).await?;
        let after = self.after.unwrap_or(trimmed);
        if after >= trimmed {
            return Ok(after);
        }
        let filter = EventFilter::default();
        let kept = app.ledger.list_watched_events(owner, trimmed, filter, 1).await?;
        let oldest = kept.events.first().map_or(trimmed + 1, |event| event.seq);
        let message = format!(
            "Events after {after} were deleted because of their age. The oldest that is kept is \
             {oldest}: continue with after={}.",
            oldest - 1
        );
        let error = ApiError::new(ErrorCode::CursorExpired, message).param("after");
        Err(ApiError { oldest: NonZeroI64::new(oldest), ..error })
    }

    pub async fn page(
        &self,
        app: &App,
        owner: (&str, panji_store::ledger::Mode),
        after: i64,
        limit: i64,
    ) -> Result<EventPage, ApiError> {
        let types: Vec<&str> = self.types.iter().map(String::as_str).collect();
        let filter = EventFilter { watchlist: self.watchlist.as_deref(), types: &types };
        Ok(app.ledger.list_watched_events(owner, after, filter, limit).await?)
    }
}

/// Types of events, separated by commas.
pub fn read_types(text: Option<&str>) -> Result<Vec<String>, ApiError> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let mut types = Vec::new();
    for word in text.split(',').map(str::trim) {
        if !TYPES.contains(&word) {
            let message = format!("types must be some of {}.", TYPES.join(", "));
            return Err(ApiError::parameter("types", message));
        }
        if !types.iter().any(|known| known == word) {
            types.push(word.to_owned());
        }
    }
    Ok(types)
}
