//! The events of an account that watches their subjects: stored, and listed in order.

use super::watchlists::{Owner, lock_state};
use super::{Ledger, Mode};
use crate::engine::{Row, Transaction, Value};
use crate::error::Result;

/// The events of one page.
pub const MAX_EVENT_PAGE: i64 = 100;
/// Events that a page with a filter reads. Then the page ends, and the caller requests the next one, so
/// that a filter that few events match does not read all of them at once.
const MAX_SCANNED: i64 = 2_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWatchedEvent {
    /// Rising within the account.
    pub seq: i64,
    /// `evt_…`
    pub event_id: String,
    pub event_type: String,
    /// The CIN, DIN or GSTIN that it is about.
    pub subject: String,
    /// The DIN of an appointment.
    pub related: Option<String>,
    /// The event as the API shows it, as JSON.
    pub payload: String,
    pub recorded_at: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedEvent {
    pub seq: i64,
    pub event_id: String,
    pub event_type: String,
    pub subject: String,
    pub related: Option<String>,
    /// The event as the API shows it, as JSON.
    pub payload: String,
    pub recorded_at: i64,
    /// None if the account has not paid for it yet.
    pub charged_at: Option<i64>,
}

/// Which events are listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventFilter<'a> {
    /// Only events of the current members of this list.
    pub watchlist: Option<&'a str>,
    /// Only events of these types; empty for all.
    pub types: &'a [&'a str],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPage {
    pub events: Vec<WatchedEvent>,
    /// Every event up to this number has been looked at: the next page begins after it.
    pub scanned_to: i64,
    /// Whether there are more events after it, which the filter may exclude.
    pub more: bool,
}

/// A page of what an account has paid for, newest first.
#[derive(Clone, Copy, Debug)]
pub struct ReadEvents {
    /// Only events before this number.
    pub before: i64,
    pub limit: i64,
}

impl Ledger {
    /// The events of an account after a number, in order.
    pub async fn list_watched_events(
        &self,
        owner: Owner<'_>,
        after: i64,
        filter: EventFilter<'_>,
        limit: i64,
    ) -> Result<EventPage> {
        let limit = limit.clamp(1, MAX_EVENT_PAGE);
        let filtered = filter.watchlist.is_some() || !filter.types.is_empty();
        let scanned = if filtered { MAX_SCANNED } else { limit + 1 };
        // One more than asked for shows whether there are more.
        let mut events = self.scan_events(owner, after, filter, (scanned, limit + 1)).await?;
        let full = i64::try_from(events.len()).is_ok_and(|found| found > limit);
        if full {
            events.pop();
        }
        if full || !filtered {
            let scanned_to = events.last().map_or(after, |last| last.seq);
            return Ok(EventPage { events, scanned_to, more: full });
        }
        let (scanned_to, looked_at) = self.find_scan_end(owner, after).await?;
        Ok(EventPage { events, scanned_to, more: looked_at == MAX_SCANNED })
    }

    async fn scan_events(
        &self,
        (account_id, mode): Owner<'_>,
        after: i64,
        filter: EventFilter<'_>,
        (scanned, limit): (i64, i64),
    ) -> Result<Vec<WatchedEvent>> {
        self.engine
            .query(
                "select seq, event_id, type, subject, related, payload, recorded_at, charged_at \
                 from (select * from watched_events where account_id = $1 and mode = $2 \
                 and seq > $3 order by seq limit $4) as scanned \
                 where (cast($5 as text) = '' \
                 or replace(cast($5 as text), ' ' || type || ' ', '') <> cast($5 as text)) \
                 and (cast($6 as text) = '' or exists (select 1 from watch_members \
                 where watch_members.account_id = $1 and watch_members.mode = $2 \
                 and watchlist_id = $6 and member in (scanned.subject, scanned.related))) \
                 order by seq limit $7",
                &[
                    account_id.into(),
                    mode.as_str().into(),
                    after.into(),
                    scanned.into(),
                    (&word_list(filter.types)).into(),
                    filter.watchlist.unwrap_or("").into(),
                    limit.into(),
                ],
                watched_event,
            )
            .await
    }

    /// Where a page with a filter ends, and how many events it has looked at.
    async fn find_scan_end(&self, (account_id, mode): Owner<'_>, after: i64) -> Result<(i64, i64)> {
        let end = self
            .engine
            .query_opt(
                "select max(seq), count(*) from (select seq from watched_events \
                 where account_id = $1 and mode = $2 and seq > $3 order by seq limit $4) as scanned",
                &[account_id.into(), mode.as_str().into(), after.into(), MAX_SCANNED.into()],
                |row| Ok((row.get::<Option<i64>>(0)?, row.get::<i64>(1)?)),
            )
            .await?;
        let (last, count) = end.unwrap_or((None, 0));
        Ok((last.unwrap_or(after), count))
    }

    /// What an account has paid for, newest first.
    pub async fn list_read_events(
        &self,
        (account_id, mode): Owner<'_>,
        filter: EventFilter<'_>,
        page: ReadEvents,
    ) -> Result<Vec<WatchedEvent>> {
        self.engine
            .query(
                "select seq, event_id, type, subject, related, payload, recorded_at, charged_at \
                 from watched_events as scanned where account_id = $1 and mode = $2 and seq < $3 \
                 and charged_at is not null and (cast($4 as text) = '' \
                 or replace(cast($4 as text), ' ' || type || ' ', '') <> cast($4 as text)) \
                 and (cast($5 as text) = '' or exists (select 1 from watch_members \
                 where watch_members.account_id = $1 and watch_members.mode = $2 \
                 and watchlist_id = $5 and member in (scanned.subject, scanned.related))) \
                 order by seq desc limit $6",
                &[
                    account_id.into(),
                    mode.as_str().into(),
                    page.before.into(),
                    (&word_list(filter.types)).into(),
                    filter.watchlist.unwrap_or("").into(),
                    page.limit.clamp(1, MAX_EVENT_PAGE + 1).into(),
                ],
                watched_event,
            )
            .await
    }

    pub async fn find_watched_event_by_id(
        &self,
        (account_id, mode): Owner<'_>,
        event_id: &str,
    ) -> Result<Option<WatchedEvent>> {
        self.engine
            .query_opt(
                "select seq, event_id, type, subject, related, payload, recorded_at, charged_at \
                 from watched_events where account_id = $1 and mode = $2 and event_id = $3 \
                 order by seq desc limit 1",
                &[account_id.into(), mode.as_str().into(), event_id.into()],
                watched_event,
            )
            .await
    }

    /// The number of the newest event of an account; 0 without one.
    pub async fn newest_watched_event(&self, (account_id, mode): Owner<'_>) -> Result<i64> {
        let newest = self
            .engine
            .query_opt(
                "select max(seq) from watched_events where account_id = $1 and mode = $2",
                &[account_id.into(), mode.as_str().into()],
                |row| row.get::<Option<i64>>(0),
            )
            .await?;
        Ok(newest.flatten().unwrap_or(0))
    }

    /// The first unpaid event of an account after a number, and how many unpaid ones there are, at
    /// most `limit`.
    pub async fn count_unpaid_events(
        &self,
        (account_id, mode): Owner<'_>,
        limit: i64,
    ) -> Result<(Option<i64>, i64)> {
        let counted = self
            .engine
            .query_opt(
                "select min(seq), count(*) from (select seq from watched_events \
                 where account_id = $1 and mode = $2 and charged_at is null \
                 order by seq limit $3) as unpaid",
                &[account_id.into(), mode.as_str().into(), limit.into()],
                |row| Ok((row.get::<Option<i64>>(0)?, row.get::<i64>(1)?)),
            )
            .await?;
        Ok(counted.unwrap_or((None, 0)))
    }

    /// The number of the last event that was deleted because of its age; 0 if none was.
    pub async fn find_trimmed_event(&self, (account_id, mode): Owner<'_>) -> Result<i64> {
        let trimmed = self
            .engine
            .query_opt(
                "select trimmed_seq from watch_states where account_id = $1 and mode = $2",
                &[account_id.into(), mode.as_str().into()],
                |row| row.get(0),
            )
            .await?;
        Ok(trimmed.unwrap_or(0))
    }

    /// Adds events that a script made to an account in test mode; they are numbered after its newest
    /// one, and `finish` completes each with its number. Returns their numbers.
    pub async fn add_simulated_events(
        &self,
        account_id: &str,
        count: usize,
        finish: impl Fn(usize, i64) -> NewWatchedEvent,
    ) -> Result<Vec<i64>> {
        let mut transaction = self.engine.transaction().await?;
        lock_state(&mut transaction, (account_id, Mode::Test)).await?;
        let newest = transaction
            .query_opt(
                "update watch_states set simulated_seq = simulated_seq + $1 \
                 where account_id = $2 and mode = 'test' returning simulated_seq",
                &[i64::try_from(count).unwrap_or(0).into(), account_id.into()],
                |row| row.get::<i64>(0),
            )
            .await?
            .unwrap_or(0);
        let first = newest - i64::try_from(count).unwrap_or(0) + 1;
        let seqs: Vec<i64> = (first..=newest).collect();
        let events: Vec<(String, NewWatchedEvent)> = seqs
            .iter()
            .enumerate()
            .map(|(index, seq)| (account_id.to_owned(), finish(index, *seq)))
            .collect();
        insert_watched_events(&mut transaction, Mode::Test, &events).await?;
        transaction.commit().await?;
        Ok(seqs)
    }
}

/// Words between spaces, so that one of them can be found whole; empty for none.
fn word_list(words: &[&str]) -> String {
    if words.is_empty() { String::new() } else { format!(" {} ", words.join("  ")) }
}

pub(super) async fn insert_watched_events(
    transaction: &mut Transaction,
    mode: Mode,
    events: &[(String, NewWatchedEvent)],
) -> Result<()> {
    let rows: Vec<Vec<Value<'_>>> = events
        .iter()
        .map(|(account_id, event)| {
            vec![
                account_id.into(),
                mode.as_str().into(),
                event.seq.into(),
                (&event.event_id).into(),
                (&event.event_type).into(),
                (&event.subject).into(),
                event.related.as_deref().into(),
                (&event.payload).into(),
                event.recorded_at.into(),
            ]
        })
        .collect();
    transaction
        .execute_each(
            "insert into watched_events (account_id, mode, seq, event_id, type, subject, related, \
             payload, recorded_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
             on conflict (account_id, mode, seq) do nothing",
            &rows,
        )
        .await
}

/// Those of some events that their account does not have yet, under whichever number.
pub(super) async fn find_absent(
    transaction: &mut Transaction,
    mode: Mode,
    events: &[(String, NewWatchedEvent)],
) -> Result<Vec<(String, NewWatchedEvent)>> {
    let mut absent = Vec::new();
    for (account_id, event) in events {
        let known = transaction
            .query_opt(
                "select seq from watched_events \
                 where account_id = $1 and mode = $2 and event_id = $3 limit 1",
                &[account_id.into(), mode.as_str().into(), (&event.event_id).into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        if known.is_none() {
            absent.push((account_id.clone(), event.clone()));
        }
    }
    Ok(absent)
}

fn watched_event(row: &Row<'_>) -> Result<WatchedEvent> {
    Ok(WatchedEvent {
        seq: row.get(0)?,
        event_id: row.get(1)?,
        event_type: row.get(2)?,
        subject: row.get(3)?,
        related: row.get(4)?,
        payload: row.get(5)?,
        recorded_at: row.get(6)?,
        charged_at: row.get(7)?,
    })
}
