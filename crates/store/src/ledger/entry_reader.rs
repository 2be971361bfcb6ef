//! Reads the entries of a balance in the order of their numbers.
//!
//! A charge is the usage row of its request until its day is rolled up; then it moves to the table
//! of entries, which has all other kinds. Usage rows are sorted by request id, that is by time,
//! which is nearly the order of the numbers: a charge that is read too early waits for its turn.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use super::entries::{Entry, EntryKind, entry};
use super::{Ledger, Mode};
use crate::engine::{Row, Value};
use crate::error::Result;

/// How many pages of charges wait for their turn at most. Usually they are those of a few seconds.
const MAX_WAITING_PAGES: i64 = 5;

/// Rows read at a time, at most.
pub(super) const MAX_PAGE: i64 = 10_000;

/// An entry with its stored seal.
pub(super) struct SealedEntry {
    pub entry: Entry,
    pub seal: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    OldestFirst,
    NewestFirst,
}

pub(super) struct EntryReader<'a> {
    ledger: &'a Ledger,
    account_id: &'a str,
    mode: Mode,
    order: Order,
    /// The number of the newest entry to read.
    last: i64,
    /// Rows read at a time.
    page: i64,
    /// The number of the entry that was returned last.
    seq: i64,
    entries: VecDeque<SealedEntry>,
    entries_ended: bool,
    /// Charges that wait for their turn, by position and request.
    charges: BTreeMap<(i64, Arc<str>), SealedEntry>,
    /// The request up to which charges were read.
    charges_read: String,
    charges_ended: bool,
    /// Requests whose charges were read by their number, before their turn among the requests.
    read_by_number: HashSet<Arc<str>>,
}

impl<'a> EntryReader<'a> {
    pub fn new(
        ledger: &'a Ledger,
        (account_id, mode): (&'a str, Mode),
        order: Order,
        last: i64,
        page: i64,
    ) -> EntryReader<'a> {
        let (seq, charges_read) = match order {
            Order::OldestFirst => (0, ""),
            // Sorts after every request id.
            Order::NewestFirst => (last + 1, "~"),
        };
        EntryReader {
            ledger,
            account_id,
            mode,
            order,
            last,
            page,
            seq,
            entries: VecDeque::new(),
            entries_ended: false,
            charges: BTreeMap::new(),
            charges_read: charges_read.to_owned(),
            charges_ended: false,
            read_by_number: HashSet::new(),
        }
    }

    /// The next entry. Where a number is missing, the one after it; where a number occurs twice,
    /// both.
    pub async fn next(&mut self) -> Result<Option<SealedEntry>> {
        let wanted = self.position(self.seq) + 1;
        let mut looked_for_missing = false;
        loop {
            if self.entries.is_empty() && !self.entries_ended {
                let after = self.after(self.seq);
                let entries = self.list_entries(after).await?;
                self.entries_ended = entries.is_empty();
                self.entries = entries.into();
            }
            if let Some(found) = self.take_up_to(wanted) {
                return Ok(Some(found));
            }
            if !self.charges_ended && self.waiting() < MAX_WAITING_PAGES * self.page {
                self.read_charges().await?;
            } else if !looked_for_missing {
                looked_for_missing = true;
                self.read_missing_entries().await?;
            } else {
                return Ok(self.take_up_to(i64::MAX));
            }
        }
    }

    fn waiting(&self) -> i64 {
        i64::try_from(self.charges.len()).unwrap_or(i64::MAX)
    }

    /// Numbers sort by their position in either order.
    fn position(&self, seq: i64) -> i64 {
        match self.order {
            Order::OldestFirst => seq,
            Order::NewestFirst => -seq,
        }
    }

    /// The first entry or charge, unless it comes after this position.
    fn take_up_to(&mut self, position: i64) -> Option<SealedEntry> {
        let entry = self.entries.front().map(|front| self.position(front.entry.seq));
        let charge = self.charges.first_key_value().map(|((position, _), _)| *position);
        let first = entry.into_iter().chain(charge).min().filter(|first| *first <= position)?;
        let found = match entry {
            Some(entry) if entry == first => {
                let found = self.entries.pop_front()?;
                // Read as a charge, then moved to the entries and read again.
                let key = (entry, found.entry.reference.clone());
                if self.charges.get(&key).is_some_and(|charge| charge.seal == found.seal) {
                    self.charges.remove(&key);
                }
                found
            }
            _ => self.charges.pop_first()?.1,
        };
        // A number that was used before does not turn the reader back.
        if self.position(found.entry.seq) > self.position(self.seq) {
            self.seq = found.entry.seq;
        }
        Some(found)
    }

    /// The first number that is known to follow; none at the end.
    fn first_known(&self) -> Option<i64> {
        let entry = self.entries.front().map(|front| front.entry.seq);
        let charge = self.charges.first_key_value().map(|(_, charge)| charge.entry.seq);
        entry.into_iter().chain(charge).min_by_key(|seq| self.position(*seq))
    }

    /// The numbers that follow one, both ends excluded.
    fn after(&self, seq: i64) -> (i64, i64) {
        match self.order {
            Order::OldestFirst => (seq, self.last + 1),
            Order::NewestFirst => (0, seq),
        }
    }

    async fn list_entries(&self, (above, below): (i64, i64)) -> Result<Vec<SealedEntry>> {
        let sql = match self.order {
            Order::OldestFirst => {
                "select seq, kind, amount, balance_after, at, reference, seal from entries \
                 where account_id = $1 and mode = $2 and seq > $3 and seq < $4 \
                 order by seq limit $5"
            }
            Order::NewestFirst => {
                "select seq, kind, amount, balance_after, at, reference, seal from entries \
                 where account_id = $1 and mode = $2 and seq > $3 and seq < $4 \
                 order by seq desc limit $5"
            }
        };
        let parameters: [Value<'_>; 5] = [
            self.account_id.into(),
            self.mode.as_str().into(),
            above.into(),
            below.into(),
            self.page.into(),
        ];
        let map = |row: &Row<'_>| Ok(SealedEntry { entry: entry(row)?, seal: row.get(6)? });
        self.ledger.engine.query(sql, &parameters, map).await
    }

    /// Looks for the numbers before the first that is known. A roll-up may have moved them to the
    /// entries since those were read; or they are far behind in the order of their requests,
    /// because a clock was wrong.
    async fn read_missing_entries(&mut self) -> Result<()> {
        let missing = match (self.order, self.first_known()) {
            (_, None) => self.after(self.seq),
            (Order::OldestFirst, Some(known)) => (self.seq, known),
            (Order::NewestFirst, Some(known)) => (known, self.seq),
        };
        for moved in self.list_entries(missing).await?.into_iter().rev() {
            self.entries.push_front(moved);
        }
        if self.charges_ended {
            return Ok(());
        }
        let (above, below) = missing;
        let parameters: [Value<'_>; 5] = [
            self.account_id.into(),
            self.mode.as_str().into(),
            above.into(),
            below.into(),
            self.page.into(),
        ];
        let charges = self
            .ledger
            .engine
            .query(
                "select request_id, entry_seq, credits, balance_after, at, seal from usage \
                 where account_id = $1 and mode = $2 and seal is not null \
                 and entry_seq > $3 and entry_seq < $4 order by entry_seq limit $5",
                &parameters,
                charge,
            )
            .await?;
        self.read_by_number.extend(charges.iter().map(|charge| charge.entry.reference.clone()));
        self.add_charges(charges);
        Ok(())
    }

    async fn read_charges(&mut self) -> Result<()> {
        let sql = match self.order {
            Order::OldestFirst => {
                "select request_id, entry_seq, credits, balance_after, at, seal from usage \
                 where account_id = $1 and request_id > $2 and mode = $3 and seal is not null \
                 order by request_id limit $4"
            }
            Order::NewestFirst => {
                "select request_id, entry_seq, credits, balance_after, at, seal from usage \
                 where account_id = $1 and request_id < $2 and mode = $3 and seal is not null \
                 order by request_id desc limit $4"
            }
        };
        let parameters: [Value<'_>; 4] = [
            self.account_id.into(),
            (&self.charges_read).into(),
            self.mode.as_str().into(),
            self.page.into(),
        ];
        let rows = self.ledger.engine.query(sql, &parameters, charge).await?;
        // Newer charges than the last are not read, so a page that is not full is the end.
        self.charges_ended = i64::try_from(rows.len()).is_ok_and(|read| read < self.page);
        if let Some(last) = rows.last() {
            self.charges_read = last.entry.reference.to_string();
        }
        let mut rows = rows;
        rows.retain(|charge| !self.read_by_number.remove(&charge.entry.reference));
        self.add_charges(rows);
        Ok(())
    }

    fn add_charges(&mut self, charges: Vec<SealedEntry>) {
        for charge in charges.into_iter().filter(|charge| charge.entry.seq <= self.last) {
            let position = self.position(charge.entry.seq);
            self.charges.insert((position, charge.entry.reference.clone()), charge);
        }
    }
}

/// The entry in a usage row. A number or balance that is missing does not match the seal.
fn charge(row: &Row<'_>) -> Result<SealedEntry> {
    let entry = Entry {
        seq: row.get::<Option<i64>>(1)?.unwrap_or(0),
        kind: EntryKind::Charge,
        amount: -row.get::<i64>(2)?,
        balance_after: row.get::<Option<i64>>(3)?.unwrap_or(0),
        at: row.get(4)?,
        reference: row.get::<String>(0)?.into(),
    };
    Ok(SealedEntry { entry, seal: row.get(5)? })
}

impl Ledger {
    /// The newest entries, newest first.
    pub async fn list_entries(
        &self,
        account_id: &str,
        mode: Mode,
        limit: i64,
    ) -> Result<Vec<Entry>> {
        let last = self
            .engine
            .query_opt(
                "select seq from balances where account_id = $1 and mode = $2",
                &[account_id.into(), mode.as_str().into()],
                |row| row.get::<i64>(0),
            )
            .await?
            .unwrap_or(0);
        let page = limit.clamp(100, MAX_PAGE);
        let mut reader = EntryReader::new(self, (account_id, mode), Order::NewestFirst, last, page);
        let limit = usize::try_from(limit).unwrap_or(0);
        let mut entries = Vec::new();
        while entries.len() < limit
            && let Some(sealed) = reader.next().await?
        {
            entries.push(sealed.entry);
        }
        Ok(entries)
    }
}
