//! Events: changes of records with their old and new values, by number and by subject.

use super::Register;
use crate::engine::{Engine, Row};
use crate::error::Result;

/// The most subjects whose events are listed together: a company with its former numbers.
pub const MAX_SUBJECTS: usize = 20;

/// How many entries one call deletes at most: on SQLite an import waits for it.
const ENTRIES_PER_DELETE: i64 = 5_000;

/// A change of a record that an import made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number in the change feed.
    pub seq: i64,
    /// As `company.status_changed`.
    pub event_type: String,
    /// The kind of the record, as in the native import format.
    pub resource: String,
    /// The record's key; its parts are joined by `|`.
    pub record_key: String,
    /// The number of the company, director or GST registration that it is about.
    pub subject: String,
    /// The DIN of an appointment, or the former number of a company.
    pub related: Option<String>,
    /// The values of the changed columns before, as a JSON object; `None` for a new record.
    pub old_values: Option<String>,
    /// The values after, as a JSON object, with columns that name the record.
    pub new_values: Option<String>,
    /// The date of the source data.
    pub as_of: Option<String>,
    pub source: String,
    /// The instant of the import, in milliseconds.
    pub recorded_at: i64,
}

macro_rules! select_event {
    ($end:literal) => {
        concat!(
            "select seq, event_type, resource, record_key, subject, related, old_values, ",
            "new_values, as_of, source, changed_at from changes where ",
            $end
        )
    };
}

impl Register {
    /// The events after a number, in order, up to the newest committed change.
    pub async fn list_events(&self, after: i64, limit: i64) -> Result<Vec<Event>> {
        let newest = self.newest_committed_change().await?;
        self.engine
            .query(
                select_event!(
                    "seq > $1 and seq <= $2 and event_type is not null order by seq limit $3"
                ),
                &[after.into(), newest.into(), limit.into()],
                event_of,
            )
            .await
    }

    /// The events of subjects, or of persons and numbers related to others, before a number, newest
    /// first.
    pub async fn list_subject_events(
        &self,
        subjects: &[&str],
        before: i64,
        limit: i64,
    ) -> Result<Vec<Event>> {
        let mut events = Vec::new();
        for subject in subjects.iter().take(MAX_SUBJECTS) {
            let parameters = [(*subject).into(), before.into(), limit.into()];
            let of_subject = select_event!(
                "subject = $1 and seq < $2 and event_type is not null order by seq desc limit $3"
            );
            let related = select_event!(
                "related = $1 and seq < $2 and event_type is not null order by seq desc limit $3"
            );
            for statement in [of_subject, related] {
                events.extend(self.engine.query(statement, &parameters, event_of).await?);
            }
        }
        events.sort_by_key(|event: &Event| std::cmp::Reverse(event.seq));
        events.dedup_by_key(|event| event.seq);
        events.truncate(usize::try_from(limit).unwrap_or(0));
        Ok(events)
    }

    /// Ends the first import of every kind of record of every source that is in the register now: from
    /// now on, new records of them are events.
    pub async fn start_events(&self, now_ms: i64) -> Result<()> {
        start_events(&self.engine, now_ms).await
    }

    /// Since when changes of companies of a source are recorded; `None` before its first import has
    /// ended.
    pub async fn events_since(&self, source: &str) -> Result<Option<i64>> {
        let find = "select since from event_sources where resource = 'company' and source = $1";
        let since: Option<i64> =
            self.engine.query_opt(find, &[source.into()], |row| row.get(0)).await?;
        let (_, start_ms) = self.history_start().await?;
        Ok(since.map(|since| since.max(start_ms)))
    }

    /// The number up to which the feed is not kept, or has no old values.
    pub async fn oldest_kept_change(&self) -> Result<i64> {
        Ok(self.history_start().await?.0)
    }

    /// The number and the instant up to which old values are not known.
    pub(super) async fn history_start(&self) -> Result<(i64, i64)> {
        let start = self
            .engine
            .query_opt("select seq, at from history_start where id = 1", &[], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .await?;
        Ok(start.unwrap_or((0, 0)))
    }

    /// Deletes entries of the feed from before an instant, a limited number at a time. Returns how
    /// many numbers were passed.
    pub async fn delete_expired_changes(&self, before_ms: i64) -> Result<i64> {
        let (start, _) = self.history_start().await?;
        // The feed is in the order of time, so the last entry of a slice decides.
        let slice: Vec<(i64, i64)> = self
            .engine
            .query(
                "select seq, changed_at from changes where seq > $1 order by seq limit $2",
                &[start.into(), ENTRIES_PER_DELETE.into()],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .await?;
        let Some((seq, at)) = slice.into_iter().take_while(|(_, at)| *at < before_ms).last() else {
            return Ok(0);
        };
        let mut transaction = self.engine.transaction().await?;
        transaction.execute("delete from changes where seq <= $1", &[seq.into()]).await?;
        transaction
            .execute(
                "update history_start set seq = $1, at = $2 where id = 1 and seq < $1",
                &[seq.into(), at.into()],
            )
            .await?;
        transaction.commit().await?;
        Ok(seq - start)
    }
}

pub(super) async fn start_events(engine: &Engine, now_ms: i64) -> Result<()> {
    engine
        .execute(
            "insert into event_sources (resource, source, since) \
             select resource, source, $1 from holdings where records > 0 \
             on conflict (resource, source) do nothing",
            &[now_ms.into()],
        )
        .await?;
    Ok(())
}

fn event_of(row: &Row<'_>) -> Result<Event> {
    Ok(Event {
        seq: row.get(0)?,
        event_type: row.get(1)?,
        resource: row.get(2)?,
        record_key: row.get(3)?,
        subject: row.get(4)?,
        related: row.get(5)?,
        old_values: row.get(6)?,
        new_values: row.get(7)?,
        as_of: row.get(8)?,
        source: row.get(9)?,
        recorded_at: row.get(10)?,
    })
}
