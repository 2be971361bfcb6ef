//! Record counts of the register by kind and source, updated with every batch.

use std::collections::BTreeMap;

use super::Register;
use crate::engine::{Transaction, Value};
use crate::error::Result;

/// Records of one kind from one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordCount {
    /// The kind, as in the native import format.
    pub resource: String,
    /// The name of the source format.
    pub source: String,
    pub records: i64,
    /// The newest date that any of them has had.
    pub newest_as_of: Option<String>,
}

/// The changes of the counts by one batch.
#[derive(Default)]
pub(super) struct CountChanges(BTreeMap<(&'static str, String), (i64, Option<String>)>);

impl CountChanges {
    pub(super) fn add(
        &mut self,
        resource: &'static str,
        source: &str,
        records: i64,
        as_of: Option<&str>,
    ) {
        let (sum, newest) = self.0.entry((resource, source.to_owned())).or_default();
        *sum += records;
        if as_of > newest.as_deref() {
            *newest = as_of.map(str::to_owned);
        }
    }

    pub(super) async fn store(&self, transaction: &mut Transaction) -> Result<()> {
        let rows: Vec<Vec<Value<'_>>> = self
            .0
            .iter()
            .map(|((resource, source), (records, newest))| {
                vec![(*resource).into(), source.into(), (*records).into(), newest.as_ref().into()]
            })
            .collect();
        transaction
            .execute_each(
                "insert into holdings (resource, source, records, newest_as_of) \
                 values ($1, $2, $3, $4) on conflict (resource, source) do update set \
                 records = holdings.records + excluded.records, newest_as_of = case \
                 when excluded.newest_as_of > coalesce(holdings.newest_as_of, '') \
                 then excluded.newest_as_of else holdings.newest_as_of end",
                &rows,
            )
            .await
    }
}

impl Register {
    /// Disk space of the register.
    pub async fn size_bytes(&self) -> Result<i64> {
        self.engine.size_bytes().await
    }

    /// Record counts by kind and source.
    pub async fn list_record_counts(&self) -> Result<Vec<RecordCount>> {
        self.engine
            .query(
                "select resource, source, records, newest_as_of from holdings \
                 where records > 0 order by resource, source",
                &[],
                |row| {
                    Ok(RecordCount {
                        resource: row.get(0)?,
                        source: row.get(1)?,
                        records: row.get(2)?,
                        newest_as_of: row.get(3)?,
                    })
                },
            )
            .await
    }
}
