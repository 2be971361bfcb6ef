//! The register: public data about companies, directors and GST registrations.

mod batch;
mod changes;
mod charges;
mod companies;
mod compliance;
mod connections;
mod coverage;
mod directors;
mod documents;
mod duplicate_groups;
mod duplicates;
mod event_types;
mod events;
mod feed_entries;
mod financials;
mod former_numbers;
mod gst;
mod history;
mod imports;
mod leis;
mod listed_symbols;
mod record_counts;
mod replica;

pub use crate::table::Stored;
pub use batch::Record;
pub use changes::{Change, IndexedCompany, IndexedDirector};
pub use charges::Charge;
pub use companies::{Company, CompanyOf, CompanyPan, CompanyReference, Origin, RecordSummary};
pub use compliance::{CreditRating, EpfoEstablishment, Filing};
pub use connections::{AppointmentKey, LinkedCompany};
pub use coverage::{Coverage, CoverageLevel, CoverageStatement, CoveredSection};
pub use directors::{Appointment, Director, Directorship};
pub use documents::{Document, DocumentFilter};
pub use duplicates::{JoinBasis, JoinDecision, Separated, company_number};
pub use events::{Event, MAX_SUBJECTS};
pub use financials::{FinancialYear, ReportedPeriod, reported_periods};
pub use gst::{GstFiling, GstRegistration};
pub use history::PastRecords;
pub use imports::{ImportRun, ImportedFile, SourceImport, StoredReject};
pub use leis::{CompanyLei, DIRECT_PARENT, LeiEntity, LeiHolder, LeiParent, ULTIMATE_PARENT};
pub use listed_symbols::ListedSymbol;
pub use record_counts::RecordCount;
pub use replica::{Replica, ReplicaCheck, ReplicaFault, ReplicaReads};

use std::cmp::Ordering;
use std::sync::atomic::AtomicI64;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::engine::shard::{Sharding, find_sharding, has_citus, is_sharded};
use crate::engine::{Engine, PoolStats, Row, Value};
use crate::error::Result;
use crate::migrate::{Migration, migrate};
use crate::table::{MAX_SECTION_ROWS, Table};

pub const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, script: include_str!("../../migrations/register/0001_register.sql") },
    Migration { number: 2, script: include_str!("../../migrations/register/0002_holdings.sql") },
    Migration {
        number: 3,
        script: include_str!("../../migrations/register/0003_rejects_by_source.sql"),
    },
    Migration {
        number: 4,
        script: include_str!("../../migrations/register/0004_filings_of_results.sql"),
    },
    Migration {
        number: 5,
        script: include_str!("../../migrations/register/0005_incomplete_imports.sql"),
    },
    Migration { number: 6, script: include_str!("../../migrations/register/0006_coverage.sql") },
    Migration { number: 7, script: include_str!("../../migrations/register/0007_lei.sql") },
    Migration {
        number: 8,
        script: include_str!("../../migrations/register/0008_joined_numbers.sql"),
    },
    Migration {
        number: 9,
        script: include_str!("../../migrations/register/0009_source_words.sql"),
    },
    Migration { number: 10, script: include_str!("../../migrations/register/0010_events.sql") },
    Migration {
        number: 11,
        script: include_str!("../../migrations/register/0011_import_updated_at.sql"),
    },
];

/// A record of a section of a company, or of a GST registration.
pub trait SectionRecord: Table {
    /// The order of the records of one owner in a response.
    fn list_order(&self, other: &Self) -> Ordering;
}

pub struct Register {
    engine: Engine,
    replica: Option<Replica>,
    /// Whether its tables are sharded over several servers.
    is_sharded: bool,
    entries_written: AtomicI64,
    feed: batch::Feed,
}

impl Register {
    /// The schema version that this program writes.
    pub const SCHEMA: i64 = MIGRATIONS.len() as i64;

    /// Opens the register on an engine and migrates its schema.
    pub fn open(mut engine: Engine, now_ms: i64) -> BoxFuture<'static, Result<Register>> {
        async move {
            migrate(&engine, MIGRATIONS, now_ms).await?;
            if !has_citus(&engine).await? {
                engine.combine_lookups();
            }
            let is_sharded = is_sharded(&engine).await?;
            Ok(Register { is_sharded, ..Register::on_engine(engine) })
        }
        .boxed()
    }

    /// Records changes without their values from now on. Only a benchmark does, to measure what events cost.
    #[must_use]
    pub fn without_events(self) -> Register {
        Register { feed: batch::Feed::WithoutEvents, ..self }
    }

    /// A register in memory with these records, for one task. Its memory is freed with it.
    pub fn in_memory(records: &[Record], now_ms: i64) -> BoxFuture<'_, Result<Register>> {
        async move {
            let engine = Engine::in_memory(async |engine: &Engine| {
                migrate(engine, MIGRATIONS, now_ms).await?;
                batch::store_batch(engine, records, batch::Feed::Events, now_ms).await.map(drop)
            })
            .await?;
            Ok(Register::on_engine(engine))
        }
        .boxed()
    }

    /// A read-only register in memory for any number of threads, with a history: the records as they
    /// were imported at several instants, in order. Its memory is never freed.
    pub fn static_with_history(imports: &[(i64, Vec<Record>)]) -> BoxFuture<'_, Result<Register>> {
        async move {
            let engine = Engine::static_image(async |engine: &Engine| {
                let first_ms = imports.first().map_or(0, |(at_ms, _)| *at_ms);
                migrate(engine, MIGRATIONS, first_ms).await?;
                for (at_ms, records) in imports {
                    batch::store_batch(engine, records, batch::Feed::Events, *at_ms).await?;
                    events::start_events(engine, *at_ms).await?;
                }
                Ok(())
            })
            .await?;
            Ok(Register::on_engine(engine))
        }
        .boxed()
    }

    fn on_engine(engine: Engine) -> Register {
        Register {
            engine,
            replica: None,
            is_sharded: false,
            entries_written: AtomicI64::new(0),
            feed: batch::Feed::default(),
        }
    }

    /// Reads records from the replica if there is a usable one. The search index, imports and
    /// information about the register itself read from the primary, through `engine`.
    async fn look_up<T: Send>(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
        mut map: impl FnMut(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        if let Some(replica) = &self.replica {
            let mut rows = Vec::new();
            let mut each = |row: &Row<'_>| {
                rows.push(map(row)?);
                Ok(())
            };
            if replica.for_each_row(sql, parameters, &mut each).await {
                return Ok(rows);
            }
        }
        self.engine.look_up(sql, parameters, map).await
    }

    async fn look_up_one<T: Send>(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        let mut rows = self.look_up(sql, parameters, map).await?;
        debug_assert!(rows.len() <= 1, "more than one row from: {sql}");
        Ok(rows.pop())
    }

    /// Reads the record of each key.
    async fn look_up_each<T: Send>(
        &self,
        sql: &'static str,
        keys: &[&str],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Option<T>>> {
        let found = self.look_up_all(sql, keys, &[], map).await?;
        Ok(found.into_iter().map(|mut rows| rows.pop()).collect())
    }

    /// Reads the records of each key, which is the first parameter; `rest` are the others.
    async fn look_up_all<T: Send>(
        &self,
        sql: &'static str,
        keys: &[&str],
        rest: &[Value<'_>],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(replica) = &self.replica {
            let mut found = Vec::new();
            found.resize_with(keys.len(), Vec::new);
            let mut each = |index: usize, row: &Row<'_>| {
                found[index].push(map(row)?);
                Ok(())
            };
            if replica.for_each_row_of(sql, keys, rest, &mut each).await {
                return Ok(found);
            }
        }
        self.engine.query_keys(sql, keys, rest, map).await
    }

    /// Checks that the engine responds.
    pub async fn ping(&self) -> Result<()> {
        self.engine.query_opt("select seq from change_head", &[], |row| row.get::<i64>(0)).await?;
        Ok(())
    }

    /// The rows of a section, ordered by key. Callers that need another order sort them: they are
    /// few, and an engine would build a temporary table first.
    async fn list_section<T: Table>(&self, owner: &str) -> Result<Vec<T>> {
        self.look_up(&T::statements().list_section, &[owner.into()], T::from_row).await
    }

    /// The rows of a section, in the order of a response.
    async fn list<T: SectionRecord>(&self, owner: &str) -> Result<Vec<T>> {
        let mut rows = self.list_section(owner).await?;
        rows.sort_by(T::list_order);
        Ok(rows)
    }

    /// The rows of a section of each owner, in the order of a response.
    pub async fn list_each<T: SectionRecord>(&self, owners: &[&str]) -> Result<Vec<Vec<T>>> {
        let list = &T::statements().list_section;
        let mut found = self.look_up_all(list, owners, &[], T::from_row).await?;
        found.iter_mut().for_each(|rows| rows.sort_by(T::list_order));
        Ok(found)
    }

    /// How the database is sharded, including the ledger's schema if it is in the same database;
    /// `None` without Citus.
    pub async fn find_sharding(&self) -> Result<Option<Sharding>> {
        find_sharding(&self.engine).await
    }

    pub fn pool_use(&self) -> PoolStats {
        self.engine.pool_use()
    }
}
