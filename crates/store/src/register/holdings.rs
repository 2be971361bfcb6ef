//! What the register holds: records by kind and source, counted as they come and go.

use std::collections::BTreeMap;

use super::Register;
use crate::engine::{Transaction, Value};
use crate::error::Result;

/// Records of one kind from one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// The kind, as in the own import format.
    pub resource: String,
    /// The name of the source's format.
    pub source: String,
    /// How many are held.
    pub records: i64,
    /// The newest date that any of them ever had.
    pub newest_as_of: Option<String>,
}

/// What a batch does to the counts.
#[derive(Default)]
pub(super) struct Holdings(BTreeMap<(&'static str, String), (i64, Option<String>)>);

impl Holdings {
    /// Counts records of a kind and source, and their date.
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
    /// How much of the disk the register takes.
    pub async fn size_bytes(&self) -> Result<i64> {
        self.engine.size_bytes().await
    }

    /// What is held, by kind and source.
    pub async fn list_holdings(&self) -> Result<Vec<Holding>> {
        self.engine
            .query(
                "select resource, source, records, newest_as_of from holdings \
                 where records > 0 order by resource, source",
                &[],
                |row| {
                    Ok(Holding {
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
