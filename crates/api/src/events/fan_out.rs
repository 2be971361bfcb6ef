//! Stores the events of the live register for the accounts that watch their subjects. Every node tries;
//! a page is stored by one of them, together with the position up to which the feed was read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use panji_store::StoreError;
use panji_store::ledger::{EventPosition, FoundEvents, LIVE_FEED, Mode, NewWatchedEvent};
use panji_store::register::Event;
use tokio::sync::watch;

use crate::api::watch::member_id::SubjectKind;
use crate::api::wire;
use crate::app::App;

/// Events of the register that are stored in one transaction.
const PAGE: i64 = 500;
/// How often the feed is looked at: imports run in other processes.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Follows the feed until `stop` is true.
pub async fn run(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        match step(&app).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "events could not be stored for watchers"),
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }
}

/// Stores the next page of events; false if there is none.
pub async fn step(app: &App) -> Result<bool, StoreError> {
    let (register, ledger) = (&app.live.register, &app.ledger);
    let newest = register.newest_committed_change().await?;
    let position = ledger.find_or_begin_event_position(LIVE_FEED, newest).await?;
    if newest < position.seq {
        tracing::warn!("the register was rebuilt or restored: its events are read from the start");
        ledger.restart_event_position(LIVE_FEED, position).await?;
        return Ok(true);
    }
    if newest == position.seq {
        return Ok(false);
    }
    // What is no longer kept cannot be read.
    let from = position.seq.max(register.oldest_kept_change().await?);
    let events = register.list_events(from, PAGE).await?;
    let last = events.last().map_or(newest, |event| event.seq);
    let full = i64::try_from(events.len()).is_ok_and(|count| count == PAGE);
    let to = if full { last } else { last.max(newest) };
    let rows = rows_of(app, position, &events).await?;
    let renumbered: Vec<(String, String)> = events.iter().filter_map(renumbering).collect();
    let found = FoundEvents { events: &rows, renumbered: &renumbered };
    if ledger.store_events_and_numbers(LIVE_FEED, position, to, found).await? && !rows.is_empty() {
        app.metrics.watch.events.inc_by(rows.len() as u64);
        app.new_events.send_modify(|count| *count += 1);
    }
    Ok(true)
}

/// The former and the new number of a company whose number has changed.
fn renumbering(event: &Event) -> Option<(String, String)> {
    let former = event.related.clone().filter(|_| event.event_type == "company.number_changed")?;
    Some((former, event.subject.clone()))
}

/// The events with the accounts that watch their subjects.
async fn rows_of(
    app: &App,
    position: EventPosition,
    events: &[Event],
) -> Result<Vec<(String, NewWatchedEvent)>, StoreError> {
    let ids: BTreeSet<&str> = events.iter().flat_map(ids_of).collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    let mut accounts: HashMap<String, Vec<String>> = HashMap::new();
    for watcher in app.ledger.list_watchers(Mode::Live, &ids).await? {
        accounts.entry(watcher.member).or_default().push(watcher.account_id);
    }
    let is_watched = |event: &&Event| ids_of(event).any(|id| accounts.contains_key(id));
    let watched: Vec<&Event> = events.iter().filter(is_watched).collect();
    let names = names_of(app, &watched).await?;
    let mut rows = Vec::new();
    for event in watched {
        let name = names.get(event.subject.as_str()).cloned();
        let row = stored_event(event, name, position.offset)?;
        let watching = ids_of(event).filter_map(|id| accounts.get(id)).flatten();
        for account_id in watching.collect::<BTreeSet<_>>() {
            rows.push((account_id.clone(), row.clone()));
        }
    }
    Ok(rows)
}

/// The identifiers whose watchers get an event.
fn ids_of(event: &Event) -> impl Iterator<Item = &str> {
    std::iter::once(event.subject.as_str()).chain(event.related.as_deref())
}

fn stored_event(
    event: &Event,
    name: Option<String>,
    offset: i64,
) -> Result<NewWatchedEvent, StoreError> {
    let mut public = wire::Event::new(event, name);
    public.seq += offset;
    let payload = serde_json::to_string(&public);
    Ok(NewWatchedEvent {
        seq: public.seq,
        event_id: public.id,
        event_type: event.event_type.clone(),
        subject: event.subject.clone(),
        related: event.related.clone(),
        payload: payload.map_err(|error| StoreError::Bug(error.to_string()))?,
        recorded_at: event.recorded_at,
    })
}

/// The names of the subjects of events, as far as they are known.
async fn names_of(app: &App, events: &[&Event]) -> Result<BTreeMap<String, String>, StoreError> {
    let of_kind = |kind: SubjectKind| -> Vec<&str> {
        let subjects: BTreeSet<&str> = events.iter().map(|event| event.subject.as_str()).collect();
        subjects.into_iter().filter(|id| SubjectKind::of(id) == kind).collect()
    };
    let register = &app.live.register;
    let (companies, directors) = (of_kind(SubjectKind::Company), of_kind(SubjectKind::Director));
    let registrations = of_kind(SubjectKind::Gst);
    let mut names = BTreeMap::new();
    for (ids, found) in [
        (&companies, register.find_company_summaries(&companies).await?),
        (&directors, register.find_director_summaries(&directors).await?),
        (&registrations, register.find_gst_summaries(&registrations).await?),
    ] {
        for (id, summary) in ids.iter().zip(found) {
            if let Some(summary) = summary {
                names.insert((*id).to_owned(), summary.name);
            }
        }
    }
    Ok(names)
}
