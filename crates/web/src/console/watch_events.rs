//! The page of events: what was paid for, newest first, as sentences; and a button that pays for the
//! events that wait.

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::api::watch::pay::{EventPayer, pay_leading};
use panji_api::api::wire::Event;
use panji_api::api::wire::event_fields::TYPES;
use panji_api::config::operation::Operation;
use panji_api::events::sentence::Sentence;
use panji_api::http::context::CONSOLE_KEY_ID;
use panji_api::http::encoding::encoded;
use panji_store::ledger::{EventFilter, ReadEvents};
use serde::Deserialize;

use super::forms::{AuthenticatedForm, Empty};
use super::labels;
use super::language::{amounts, dates, filters, t};
use super::layout::{Layout, Tab, respond};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;
use super::watched_lists::owner;

/// Events on one page.
const PAGE: i64 = 50;
/// Events that one click pays for.
const MAX_EVENTS_PER_READ: i64 = 100;

#[derive(Template)]
#[template(path = "watch_events.html")]
struct EventsPage {
    layout: Layout,
    may_call: bool,
    events: Vec<EventRow>,
    /// The lists for the filter: id, name, and whether it is chosen.
    lists: Vec<(String, String, bool)>,
    types: Vec<(&'static str, bool)>,
    filtered: bool,
    unread: i64,
    price: i64,
    /// The rest of the address of the next page.
    older: Option<String>,
}

struct EventRow {
    sentence: Sentence,
    event_type: String,
    /// The page of the company or director.
    href: Option<String>,
    subject: String,
    recorded: String,
    source: String,
    as_of: String,
}

#[derive(Default, Deserialize)]
pub struct EventsQuery {
    #[serde(default)]
    list: String,
    #[serde(default, rename = "type")]
    event_type: String,
    #[serde(default)]
    before: String,
    #[serde(default)]
    done: String,
}

pub async fn show(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<EventsQuery>,
) -> Result<Response, PageError> {
    let ledger = &signed_in.app.ledger;
    let types: Vec<&str> =
        [query.event_type.as_str()].into_iter().filter(|chosen| TYPES.contains(chosen)).collect();
    let list = Some(query.list.as_str()).filter(|list| !list.is_empty());
    let filter = EventFilter { watchlist: list, types: &types };
    let before = query.before.parse().unwrap_or(i64::MAX);
    let page = ReadEvents { before, limit: PAGE + 1 };
    let mut stored = ledger.list_read_events(owner(&signed_in), filter, page).await?;
    let has_more = stored.len() as i64 > PAGE;
    stored.truncate(PAGE as usize);
    let last = stored.last().filter(|_| has_more).map(|event| event.seq);
    let older = last.map(|seq| {
        format!("before={seq}&list={}&type={}", encoded(&query.list), encoded(&query.event_type))
    });
    let events: Vec<EventRow> = stored
        .iter()
        .filter_map(|event| serde_json::from_str::<Event>(&event.payload).ok())
        .map(|event| row_of(&event))
        .collect();
    let lists = ledger.list_watchlists(owner(&signed_in)).await?;
    let (_, unread) = ledger.count_unpaid_events(owner(&signed_in), 1_000).await?;
    Ok(respond(&EventsPage {
        layout: signed_in.layout(Tab::Watch, t("Events")).with_notice(notice_of(&query.done)),
        may_call: signed_in.may(Permission::MakeCalls),
        events,
        lists: lists
            .into_iter()
            .map(|one| (one.id.clone(), one.name, Some(one.id.as_str()) == list))
            .collect(),
        types: TYPES.iter().map(|word| (*word, types.contains(word))).collect(),
        filtered: list.is_some() || !types.is_empty(),
        unread,
        price: signed_in.app.config.prices.of(Operation::ListEvents),
        older,
    }))
}

fn notice_of(word: &str) -> Option<&'static str> {
    match word {
        "short" => Some(t(
            "The balance does not cover all unread events. The remaining events stay unread.",
        )),
        "read" => Some(t("The events are below.")),
        _ => None,
    }
}

fn row_of(event: &Event) -> EventRow {
    let href = match event.subject.kind.as_str() {
        "company" => Some(format!("/console/companies/{}", event.subject.id)),
        "director" => Some(format!("/console/directors/{}", event.subject.id)),
        _ => None,
    };
    EventRow {
        sentence: Sentence::of(event),
        event_type: event.event_type.clone(),
        href,
        subject: event.subject.id.clone(),
        recorded: dates::instant(&event.recorded_at).map(dates::minute).unwrap_or_default(),
        source: event.source.clone(),
        as_of: event.as_of.as_deref().map(dates::day).unwrap_or_default(),
    }
}

/// Pays for the oldest waiting events.
pub async fn read(
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    if signed_in.session.account.suspended_at.is_some() {
        return Err(PageError::conflict(t("This account is suspended.")));
    }
    let ledger = &signed_in.app.ledger;
    let (first, _) = ledger.count_unpaid_events(owner(&signed_in), 1).await?;
    let Some(first) = first else {
        return Ok(Redirect::to("/console/watch/events").into_response());
    };
    let filter = EventFilter::default();
    let page = ledger
        .list_watched_events(owner(&signed_in), first - 1, filter, MAX_EVENTS_PER_READ)
        .await?;
    let payer = EventPayer {
        account_id: signed_in.account_id().into(),
        mode: signed_in.mode(),
        key_id: CONSOLE_KEY_ID.into(),
        monthly_cap: None,
        max_credits: None,
    };
    let at_ms = signed_in.context.at_ms;
    let paid = pay_leading(&signed_in.app, &payer, &page.events, at_ms)
        .await
        .map_err(|error| PageError::internal(error.message))?;
    let done = if paid.refusal.is_some() { "short" } else { "read" };
    Ok(Redirect::to(&format!("/console/watch/events?done={done}")).into_response())
}
