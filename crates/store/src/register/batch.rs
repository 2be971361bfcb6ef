//! Storing records: a batch in one transaction, with its entries in the change feed.

mod renumbering;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::feed_entries::{EventSources, FeedEntry, append};
use super::former_numbers::{find_current, register_former_numbers, remove_outdated};
use super::record_counts::CountChanges;
use super::{
    Appointment, Charge, Company, CompanyLei, CompanyPan, CreditRating, Director, Document,
    EpfoEstablishment, Filing, FinancialYear, GstFiling, GstRegistration, LeiEntity, LeiParent,
    Register,
};
use crate::engine::{Engine, Transaction};
use crate::error::Result;
use crate::table::{Incoming, Outcome, Replaced, Stored, Table, store_all};

macro_rules! records {
    ($( $variant:ident($kind:ty) = $word:literal $(completed by $complete:path)?, )*) => {
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[allow(clippy::large_enum_variant, reason = "records live for one batch only")]
        pub enum Record {
            Company(Company),
            /// A company from a source with partial data: missing fields keep their stored values.
            PartialCompany(Company),
            $( $variant($kind), )*
        }

        impl Record {
            /// The kind's name in the native import format and in the change feed.
            pub fn resource(&self) -> &'static str {
                match self {
                    Record::Company(_) | Record::PartialCompany(_) => COMPANY,
                    $( Record::$variant(_) => $word, )*
                }
            }

            pub fn source(&self) -> &str {
                match self {
                    Record::Company(company) | Record::PartialCompany(company) => &company.source,
                    $( Record::$variant(record) => &record.source, )*
                }
            }

            /// The key as one text, as in the change feed.
            pub fn key_text(&self) -> String {
                match self {
                    Record::Company(company) | Record::PartialCompany(company) => company.key_text(),
                    $( Record::$variant(record) => record.key_text(), )*
                }
            }

            /// Sets the date of the record if its source has none.
            pub fn date_if_undated(&mut self, as_of: &str) {
                match self {
                    Record::Company(company) | Record::PartialCompany(company) => {
                        company.date_if_undated(as_of);
                    }
                    $( Record::$variant(record) => {
                        record.as_of.get_or_insert_with(|| as_of.to_owned());
                    } )*
                }
            }

            /// The company that the record belongs to, if it is a section of a company.
            fn section_of(&self) -> Option<&str> {
                match self {
                    Record::Company(_) | Record::PartialCompany(_) => None,
                    $( Record::$variant(record) => is_section::<$kind>().then(|| record.owner()), )*
                }
            }

            /// Assigns the record to another company.
            fn move_to(&mut self, cin: &str) {
                match self {
                    Record::Company(_) | Record::PartialCompany(_) => {}
                    $( Record::$variant(record) => record.set_owner(cin), )*
                }
            }
        }

        impl BatchWriter<'_> {
            /// Stores all records other than companies.
            async fn store_sections(
                &mut self,
                records: &[Record],
                outcomes: &mut [Option<Stored>],
            ) -> Result<()> {
                $(
                    let (indexes, incoming): (Vec<usize>, Vec<Incoming<'_, $kind>>) = records
                        .iter()
                        .enumerate()
                        .filter_map(|(index, record)| match record {
                            Record::$variant(record) => {
                                let complete: Option<fn(&mut $kind, &$kind)> =
                                    [$( $complete as fn(&mut $kind, &$kind) )?].first().copied();
                                Some((index, Incoming { record, complete }))
                            }
                            _ => None,
                        })
                        .unzip();
                    let stored = self.store($word, &incoming).await?;
                    for (index, stored) in indexes.into_iter().zip(stored) {
                        outcomes[index] = Some(stored);
                    }
                )*
                Ok(())
            }

            /// Moves the records of a former company number to the current one.
            pub(super) async fn move_sections(&mut self, from: &str, to: &str) -> Result<()> {
                $( if is_section::<$kind>() {
                    self.move_owned::<$kind>($word, from, to).await?;
                } )*
                Ok(())
            }
        }
    };
}

pub(super) const COMPANY: &str = "company";

records! {
    Director(Director) = "director" completed by Director::complete_from,
    Appointment(Appointment) = "appointment",
    Charge(Charge) = "charge",
    FinancialYear(FinancialYear) = "financial_year" completed by FinancialYear::complete_from,
    Filing(Filing) = "filing",
    Document(Document) = "document",
    Rating(CreditRating) = "rating",
    Epfo(EpfoEstablishment) = "epfo",
    Gst(GstRegistration) = "gst",
    GstFiling(GstFiling) = "gst_filing",
    Pan(CompanyPan) = "pan",
    Lei(CompanyLei) = "lei",
    LeiParent(LeiParent) = "lei_parent",
    LeiEntity(LeiEntity) = "lei_entity",
}

impl Record {
    /// The day of a filing or a return, once it is made.
    pub fn happened_on(&self) -> Option<&str> {
        match self {
            Record::Filing(filing) => filing.filed_on.as_deref(),
            Record::GstFiling(filing) => filing.filed_on.as_deref(),
            Record::Document(document) => Some(&document.filing_date),
            _ => None,
        }
    }
}

fn is_section<T: Table>() -> bool {
    T::COLUMNS[0] == "cin"
}

impl Register {
    /// Stores a batch of records, all or none. Returns the outcome of each.
    pub async fn store_batch(&self, records: &[Record], now_ms: i64) -> Result<Vec<Stored>> {
        let (outcomes, entries) = store_batch(&self.engine, records, self.feed, now_ms).await?;
        self.entries_written.fetch_add(entries, Ordering::Relaxed);
        Ok(outcomes)
    }

    /// How many entries this process has added to the change feed with batches of records.
    pub fn entries_written(&self) -> i64 {
        self.entries_written.load(Ordering::Relaxed)
    }

    /// Returns what storing a batch would change, without storing it.
    pub fn dry_run<'a>(&'a self, records: &'a [Record]) -> BoxFuture<'a, Result<Vec<Stored>>> {
        async move {
            // The transaction is dropped without a commit and rolled back.
            let mut transaction = self.engine.transaction().await?;
            let (outcomes, _) = store_records(&mut transaction, records, self.feed).await?;
            Ok(outcomes)
        }
        .boxed()
    }
}

/// What the change feed contains about a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Feed {
    /// The values before and after, as events.
    #[default]
    Events,
    /// Which record it was. Only a benchmark stores this, to measure what events cost.
    WithoutEvents,
}

/// A batch being stored, with its entries for the change feed and its changes of the counts.
pub(super) struct BatchWriter<'t> {
    pub(super) transaction: &'t mut Transaction,
    entries: Vec<FeedEntry>,
    counts: CountChanges,
    sources: EventSources,
    /// Whether records are moved to another number, which is no event of each.
    is_moving: bool,
    omits_events: bool,
}

/// The entries for the change feed and the changes of the counts.
pub(super) type Changes = (Vec<FeedEntry>, CountChanges);

/// Returns the outcome of each record, and the number of entries in the change feed.
pub(super) fn store_batch<'a>(
    engine: &'a Engine,
    records: &'a [Record],
    feed: Feed,
    now_ms: i64,
) -> BoxFuture<'a, Result<(Vec<Stored>, i64)>> {
    async move {
        let mut transaction = engine.transaction().await?;
        let (outcomes, writer) = store_records(&mut transaction, records, feed).await?;
        let changes = writer.into_changes();
        let entries = changes.0.len() as i64;
        commit(transaction, changes, now_ms).await?;
        Ok((outcomes, entries))
    }
    .boxed()
}

/// Commits a batch with its entries in the change feed.
pub(super) async fn commit(
    mut transaction: Transaction,
    (entries, counts): Changes,
    now_ms: i64,
) -> Result<()> {
    if !entries.is_empty() {
        append(&mut transaction, &entries, now_ms).await?;
    }
    counts.store(&mut transaction).await?;
    transaction.commit().await
}

async fn store_records<'t>(
    transaction: &'t mut Transaction,
    records: &[Record],
    feed: Feed,
) -> Result<(Vec<Stored>, BatchWriter<'t>)> {
    let mut writer = BatchWriter::begin(transaction).await?;
    if feed == Feed::WithoutEvents {
        writer.omit_events();
    }
    let mut outcomes = vec![None; records.len()];
    writer.store_companies(records, &mut outcomes).await?;
    let records = with_current_numbers(writer.transaction, records).await?;
    writer.store_sections(&records, &mut outcomes).await?;
    let outcomes = outcomes.into_iter().map(|stored| stored.unwrap_or(Stored::Unchanged));
    Ok((outcomes.collect(), writer))
}

/// Moves sections of companies whose number has changed to the current number.
async fn with_current_numbers<'r>(
    transaction: &mut Transaction,
    records: &'r [Record],
) -> Result<Cow<'r, [Record]>> {
    let numbers: BTreeSet<&str> = records.iter().filter_map(Record::section_of).collect();
    let current = find_current(transaction, &numbers).await?;
    if current.is_empty() {
        return Ok(Cow::Borrowed(records));
    }
    let mut records = records.to_vec();
    for record in &mut records {
        if let Some(cin) = record.section_of().and_then(|cin| current.get(cin)) {
            record.move_to(cin);
        }
    }
    Ok(Cow::Owned(records))
}

impl<'t> BatchWriter<'t> {
    pub(super) async fn begin(transaction: &'t mut Transaction) -> Result<BatchWriter<'t>> {
        // Serializes the writers: two imports of the same records would otherwise insert the same
        // keys, or deadlock.
        transaction.execute("update change_head set seq = seq where id = 1", &[]).await?;
        let sources = EventSources::load(transaction).await?;
        Ok(BatchWriter {
            transaction,
            entries: Vec::new(),
            counts: CountChanges::default(),
            sources,
            is_moving: false,
            omits_events: false,
        })
    }

    fn omit_events(&mut self) {
        self.omits_events = true;
        self.sources = EventSources::default();
    }

    pub(super) fn into_changes(self) -> Changes {
        (self.entries, self.counts)
    }

    async fn store_companies(
        &mut self,
        records: &[Record],
        outcomes: &mut [Option<Stored>],
    ) -> Result<()> {
        let mut companies: Vec<(usize, Incoming<'_, Company>)> = Vec::new();
        for (index, record) in records.iter().enumerate() {
            let incoming = match record {
                Record::Company(record) => Incoming { record, complete: None },
                Record::PartialCompany(record) => {
                    Incoming { record, complete: Some(Company::complete_from) }
                }
                _ => continue,
            };
            companies.push((index, incoming));
        }
        for index in remove_outdated(self.transaction, &mut companies).await? {
            outcomes[index] = Some(Stored::Older);
        }
        let (indexes, incoming): (Vec<usize>, Vec<Incoming<'_, Company>>) =
            companies.into_iter().unzip();
        let stored = self.store(COMPANY, &incoming).await?;
        for ((index, incoming), stored) in indexes.into_iter().zip(&incoming).zip(stored) {
            if matches!(stored, Stored::New | Stored::Changed(_)) {
                register_former_numbers(self, incoming.record).await?;
            }
            outcomes[index] = Some(stored);
        }
        Ok(())
    }

    /// Stores records of one kind and records the changes.
    pub(super) async fn store<T: Table>(
        &mut self,
        resource: &'static str,
        incoming: &[Incoming<'_, T>],
    ) -> Result<Vec<Stored>> {
        if incoming.is_empty() {
            return Ok(Vec::new());
        }
        let outcomes = store_all(self.transaction, incoming).await?;
        let pairs = incoming.iter().zip(outcomes);
        Ok(pairs
            .map(|(incoming, outcome)| self.record_change(resource, incoming.record, outcome))
            .collect())
    }

    fn record_change<T: Table>(
        &mut self,
        resource: &'static str,
        record: &T,
        outcome: Outcome<T>,
    ) -> Stored {
        match (&outcome.stored, &outcome.replaced) {
            (Stored::New, _) => {
                self.counts.add(resource, record.source(), 1, record.as_of());
                let is_event = !self.is_moving && self.sources.has(resource, record.source());
                self.entries.push(match is_event {
                    true => FeedEntry::of_new(resource, record),
                    false => FeedEntry::without_event(resource, record, String::new()),
                });
            }
            (Stored::Changed(fields), Some(replaced)) => {
                let Replaced { old, new } = replaced.as_ref();
                let is_other = old.source() != record.source();
                self.counts.add(resource, record.source(), i64::from(is_other), record.as_of());
                if is_other {
                    self.counts.add(resource, old.source(), -1, None);
                }
                if self.is_moving || self.omits_events {
                    self.entries.push(FeedEntry::without_event(resource, record, fields.join(",")));
                } else {
                    let is_event = self.sources.has(resource, old.source());
                    self.entries.extend(FeedEntry::of_change(resource, fields, old, new, is_event));
                }
            }
            _ => {}
        }
        outcome.stored
    }
}
