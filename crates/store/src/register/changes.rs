//! Following the register: the numbered change feed, and the names for the search index.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::Register;
use crate::error::Result;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Without gaps, in commit order.
    pub seq: i64,
    /// The kind of record, as in the native import format.
    pub resource: String,
    /// The record's key; its parts are joined by `|`.
    pub key: String,
}

/// The fields of a company in the search index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedCompany {
    pub cin: String,
    /// The current name.
    pub name: String,
    /// JSON text.
    pub former_names: String,
    /// JSON text.
    pub former_cins: String,
    /// `company`, `llp` or `foreign_company`.
    pub kind: String,
    pub status: String,
    /// Two letters, as in a CIN.
    pub state_code: Option<String>,
    pub state: Option<String>,
    pub incorporated_on: Option<String>,
    /// Whether its shares are listed.
    pub listed: Option<bool>,
    /// The city of the registered office.
    pub city: Option<String>,
    /// Its PIN code.
    pub pincode: Option<String>,
    pub class: Option<String>,
    /// The code of its industry, or the first digits of one.
    pub nic_code: Option<String>,
}

impl IndexedCompany {
    pub fn former_numbers(&self) -> Vec<String> {
        serde_json::from_str(&self.former_cins).unwrap_or_default()
    }
}

/// The fields of a director in the search index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexedDirector {
    pub din: String,
    pub name: String,
    /// Of the DIN; `unknown` if only appointments name the person.
    pub status: String,
    /// Other spellings of the name, in appointments.
    pub other_names: Vec<String>,
}

impl IndexedDirector {
    fn new(
        din: String,
        named: Option<NameAndStatus>,
        appointment_names: Vec<String>,
    ) -> IndexedDirector {
        let (name, status) = named.unwrap_or_else(|| {
            let name = appointment_names.first().cloned().unwrap_or_default();
            (name, UNKNOWN_STATUS.to_owned())
        });
        let mut other_names = appointment_names;
        other_names.retain(|other| !other.eq_ignore_ascii_case(&name));
        other_names.sort();
        other_names.dedup();
        IndexedDirector { din, name, status, other_names }
    }
}

type NameAndStatus = (String, String);

/// The status of a DIN that no source states.
const UNKNOWN_STATUS: &str = "unknown";

/// Selects companies, except records under a former number.
macro_rules! select_indexed {
    ($end:literal) => {
        concat!(
            "select cin, name, former_names, former_cins, kind, status, state_code, state, ",
            "incorporated_on, listed, city, pincode, class, nic_code from companies where not exists (select 1 from ",
            "company_aliases where former_cin = companies.cin) and ",
            $end
        )
    };
}

impl Register {
    /// The number of the newest change.
    pub async fn newest_change(&self) -> Result<i64> {
        let seq = self
            .engine
            .query_opt("select seq from change_head where id = 1", &[], |row| row.get(0))
            .await?;
        Ok(seq.unwrap_or(0))
    }

    /// The number up to which all changes are committed, and visible with their records. On one
    /// server that is the newest change. On several servers a commit becomes visible on one after
    /// another, but the lock on the head, which every writer holds, is released last.
    pub async fn newest_committed_change(&self) -> Result<i64> {
        if !self.is_sharded {
            return self.newest_change().await;
        }
        let mut transaction = self.engine.transaction().await?;
        let seq = transaction
            .query_opt("update change_head set seq = seq where id = 1 returning seq", &[], |row| {
                row.get(0)
            })
            .await?;
        transaction.commit().await?;
        Ok(seq.unwrap_or(0))
    }

    /// Whether a record of this kind that existed at a change number has changed since, or may have
    /// because entries since then were deleted. New records do not count.
    pub async fn has_changed_since(&self, seq: i64, resource: &str) -> Result<bool> {
        if self.oldest_kept_change().await? > seq {
            return Ok(true);
        }
        let found = self
            .engine
            .query_opt(
                "select seq from changes where resource = $1 and seq > $2 and fields <> '' limit 1",
                &[resource.into(), seq.into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        Ok(found.is_some())
    }

    /// The changes after a number, in order; without gaps up to the newest committed one.
    pub fn list_changes(&self, after: i64, limit: i64) -> BoxFuture<'_, Result<Vec<Change>>> {
        async move {
            self.engine
                .query(
                    "select seq, resource, record_key from changes where seq > $1 order by seq limit $2",
                    &[after.into(), limit.into()],
                    |row| Ok(Change { seq: row.get(0)?, resource: row.get(1)?, key: row.get(2)? }),
                )
                .await
        }
        .boxed()
    }

    /// Companies ordered by CIN, after a given one.
    pub fn list_indexed<'a>(
        &'a self,
        after: &'a str,
        limit: i64,
    ) -> BoxFuture<'a, Result<Vec<IndexedCompany>>> {
        async move {
            self.engine
                .query(
                    select_indexed!("cin > $1 order by cin limit $2"),
                    &[after.into(), limit.into()],
                    indexed_company,
                )
                .await
        }
        .boxed()
    }

    /// People ordered by DIN, after a given one, including those whom only appointments name. A page has up
    /// to twice as many as the limit.
    pub fn list_indexed_directors<'a>(
        &'a self,
        after: &'a str,
        limit: i64,
    ) -> BoxFuture<'a, Result<Vec<IndexedDirector>>> {
        async move {
            let parameters = [after.into(), limit.into()];
            let named = self
                .engine
                .query(
                    "select din, name, status from directors where din > $1 order by din limit $2",
                    &parameters,
                    |row| Ok((row.get::<String>(0)?, (row.get(1)?, row.get(2)?))),
                )
                .await?;
            let appointment_names = self
                .engine
                .query(
                    "select din, min(name), max(name) from appointments where din > $1 \
                     group by din order by din limit $2",
                    &parameters,
                    |row| Ok((row.get::<String>(0)?, vec![row.get(1)?, row.get(2)?])),
                )
                .await?;
            // After the last DIN of a full page, the other list may have people whom this list has only on its
            // next page.
            let is_full = |length: usize| i64::try_from(length).is_ok_and(|length| length >= limit);
            let ends = [
                named.last().map(|(din, _)| din.clone()).filter(|_| is_full(named.len())),
                appointment_names
                    .last()
                    .map(|(din, _)| din.clone())
                    .filter(|_| is_full(appointment_names.len())),
            ];
            let end = ends.into_iter().flatten().min();
            let mut people: BTreeMap<String, (Option<NameAndStatus>, Vec<String>)> =
                BTreeMap::new();
            for (din, record) in named {
                people.entry(din).or_default().0 = Some(record);
            }
            for (din, names) in appointment_names {
                people.entry(din).or_default().1 = names;
            }
            let people =
                people.into_iter().filter(|(din, _)| end.as_ref().is_none_or(|end| din <= end));
            Ok(people
                .map(|(din, (named, appointment_names))| {
                    IndexedDirector::new(din, named, appointment_names)
                })
                .collect())
        }
        .boxed()
    }

    pub async fn find_indexed_director(&self, din: &str) -> Result<Option<IndexedDirector>> {
        let named = self
            .engine
            .query_opt("select name, status from directors where din = $1", &[din.into()], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .await?;
        let appointment_names: Option<Vec<Option<String>>> = self
            .engine
            .query_opt(
                "select min(name), max(name) from appointments where din = $1",
                &[din.into()],
                |row| Ok(vec![row.get(0)?, row.get(1)?]),
            )
            .await?;
        let appointment_names: Vec<String> =
            appointment_names.into_iter().flatten().flatten().collect();
        let is_known = named.is_some() || !appointment_names.is_empty();
        Ok(is_known.then(|| IndexedDirector::new(din.to_owned(), named, appointment_names)))
    }

    pub async fn find_indexed(&self, cin: &str) -> Result<Option<IndexedCompany>> {
        self.engine.query_opt(select_indexed!("cin = $1"), &[cin.into()], indexed_company).await
    }
}

fn indexed_company(row: &crate::engine::Row<'_>) -> Result<IndexedCompany> {
    Ok(IndexedCompany {
        cin: row.get(0)?,
        name: row.get(1)?,
        former_names: row.get(2)?,
        former_cins: row.get(3)?,
        kind: row.get(4)?,
        status: row.get(5)?,
        state_code: row.get(6)?,
        state: row.get(7)?,
        incorporated_on: row.get(8)?,
        listed: row.get(9)?,
        city: row.get(10)?,
        pincode: row.get(11)?,
        class: row.get(12)?,
        nic_code: row.get(13)?,
    })
}
