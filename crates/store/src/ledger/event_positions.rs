//! How far the change feed of a register has been read for watchers, and the events that were
//! stored for them: both in one transaction, so that several nodes store each event once.

use super::watched_events::{NewWatchedEvent, find_absent, insert_watched_events};
use super::watchlists::replace_member;
use super::{Ledger, Mode};
use crate::engine::Transaction;
use crate::error::Result;

/// The feed of the live register.
pub const LIVE_FEED: &str = "live";

/// A position in a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPosition {
    /// The number of the last change of the register that was read.
    pub seq: i64,
    /// Added to a change's number to get the number of an account's event.
    pub offset: i64,
}

/// What a page of the register's feed has for the accounts that watch.
pub struct FoundEvents<'a> {
    /// The events with the account of each.
    pub events: &'a [(String, NewWatchedEvent)],
    /// Former and new numbers of companies.
    pub renumbered: &'a [(String, String)],
}

impl Ledger {
    /// The position after which a feed is read; `newest` if it was never read.
    pub async fn find_or_begin_event_position(
        &self,
        feed: &str,
        newest: i64,
    ) -> Result<EventPosition> {
        if let Some(position) = self.find_event_position(feed).await? {
            return Ok(position);
        }
        self.engine
            .execute(
                "insert into event_positions (feed, seq, seq_offset) values ($1, $2, 0) \
                 on conflict (feed) do nothing",
                &[feed.into(), newest.into()],
            )
            .await?;
        let position = self.find_event_position(feed).await?;
        Ok(position.unwrap_or(EventPosition { seq: newest, offset: 0 }))
    }

    pub async fn find_event_position(&self, feed: &str) -> Result<Option<EventPosition>> {
        self.engine
            .query_opt(
                "select seq, seq_offset from event_positions where feed = $1",
                &[feed.into()],
                |row| Ok(EventPosition { seq: row.get(0)?, offset: row.get(1)? }),
            )
            .await
    }

    /// Stores the events up to a change, each with the account that watches it, and moves the
    /// position there. False if another node has moved it: nothing is stored then.
    pub async fn store_watched_events(
        &self,
        feed: &str,
        from: EventPosition,
        to_seq: i64,
        events: &[(String, NewWatchedEvent)],
    ) -> Result<bool> {
        let found = FoundEvents { events, renumbered: &[] };
        self.store_events_and_numbers(feed, from, to_seq, found).await
    }

    /// The same, and puts new numbers of companies on the lists in place of their former ones.
    pub async fn store_events_and_numbers(
        &self,
        feed: &str,
        from: EventPosition,
        to_seq: i64,
        found: FoundEvents<'_>,
    ) -> Result<bool> {
        let mut transaction = self.engine.transaction().await?;
        let to = EventPosition { seq: to_seq, offset: from.offset };
        if !move_position(&mut transaction, feed, from, to).await? {
            return Ok(false);
        }
        if from.offset == 0 {
            insert_watched_events(&mut transaction, Mode::Live, found.events).await?;
        } else {
            // A register that was restored from a backup has events that were stored before.
            let absent = find_absent(&mut transaction, Mode::Live, found.events).await?;
            insert_watched_events(&mut transaction, Mode::Live, &absent).await?;
        }
        for (former, present) in found.renumbered {
            replace_member(&mut transaction, Mode::Live, former, present).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Begins at the start of a register that was rebuilt or restored from a backup. Its changes count
    /// from a lower number again; the numbers of events continue after the last one. False if another node
    /// did it.
    pub async fn restart_event_position(&self, feed: &str, from: EventPosition) -> Result<bool> {
        let mut transaction = self.engine.transaction().await?;
        let to = EventPosition { seq: 0, offset: from.seq + from.offset };
        if !move_position(&mut transaction, feed, from, to).await? {
            return Ok(false);
        }
        transaction.commit().await?;
        Ok(true)
    }
}

/// Moves a position that is still where it is expected; locks it until the transaction ends.
async fn move_position(
    transaction: &mut Transaction,
    feed: &str,
    from: EventPosition,
    to: EventPosition,
) -> Result<bool> {
    let moved = transaction
        .execute(
            "update event_positions set seq = $1, seq_offset = $2 \
             where feed = $3 and seq = $4 and seq_offset = $5",
            &[to.seq.into(), to.offset.into(), feed.into(), from.seq.into(), from.offset.into()],
        )
        .await?;
    Ok(moved > 0)
}
