//! What the register contained at an earlier instant, worked out backwards from its current records.

use std::collections::{BTreeMap, HashMap};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value as Json};

use super::event_types::NUMBER_CHANGED;
use super::{
    Appointment, Charge, Company, CompanyLei, CompanyPan, CreditRating, Director,
    EpfoEstablishment, Filing, FinancialYear, LeiEntity, LeiParent, MAX_SECTION_ROWS, Record,
    Register,
};
use crate::engine::Row;
use crate::error::Result;
use crate::table::Table;

/// The most entries of one subject that are undone. No company has as many in the time that the feed
/// is kept; the bound protects against a damaged source.
const MAX_REVERSED_ENTRIES: i64 = 100_000;
/// The most companies of a director whose earlier records are read.
const MAX_COMPANIES: usize = 1_000;

/// What the register contained at an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PastRecords {
    /// The records of a company with its sections, or of a director with the companies.
    Records(Vec<Record>),
    /// The register did not have it then.
    NotRecorded,
    /// Changes of that time are no longer stored, or have no old values.
    NotKept,
}

/// An entry of the feed whose change is reversed.
struct ReversedEntry {
    seq: i64,
    resource: String,
    key: String,
    fields: String,
    event_type: Option<String>,
    old_values: Option<String>,
}

impl ReversedEntry {
    fn from_row(row: &Row<'_>) -> Result<ReversedEntry> {
        Ok(ReversedEntry {
            seq: row.get(0)?,
            resource: row.get(1)?,
            key: row.get(2)?,
            fields: row.get(3)?,
            event_type: row.get(4)?,
            old_values: row.get(5)?,
        })
    }

    fn old_values(&self) -> Map<String, Json> {
        let parsed = self.old_values.as_deref().and_then(|text| serde_json::from_str(text).ok());
        parsed.unwrap_or_default()
    }

    /// Undoes the change on the records by key.
    fn undo<T: Table>(&self, records: &mut BTreeMap<String, T>, key: &str) {
        if self.fields.is_empty() {
            records.remove(key);
            return;
        }
        if self.event_type.as_deref() == Some(NUMBER_CHANGED) {
            return;
        }
        let old_values = self.old_values();
        let is_removal = self.fields == T::COLUMNS[0];
        if is_removal && !old_values.is_empty() {
            records.insert(key.to_owned(), T::default());
        }
        if let Some(record) = records.get_mut(key) {
            for (column, value) in &old_values {
                record.set(column, value);
            }
        }
    }
}

/// Since when new records of each kind and source are events: what was there before came with the
/// first import.
struct Sources(HashMap<(String, String), i64>);

impl Sources {
    fn had<T: Table>(&self, resource: &str, record: &T, at_ms: i64) -> bool {
        let pair = (resource.to_owned(), record.source().to_owned());
        self.0.get(&pair).is_some_and(|since| *since <= at_ms)
    }
}

/// The history of one company.
struct CompanyHistory<'a> {
    register: &'a Register,
    at_ms: i64,
    sources: &'a Sources,
    /// The current number and the former ones.
    numbers: Vec<String>,
    /// Newest first.
    undone: Vec<ReversedEntry>,
}

impl Register {
    /// What the register contained at an instant about a company that it has now.
    pub fn company_at<'a>(
        &'a self,
        company: &'a Company,
        at_ms: i64,
    ) -> BoxFuture<'a, Result<PastRecords>> {
        async move {
            let Some(sources) = self.sources_at(at_ms).await? else {
                return Ok(PastRecords::NotKept);
            };
            let history = CompanyHistory::load(self, company, &sources, at_ms).await?;
            let Some(then) = history.company(company) else { return Ok(PastRecords::NotRecorded) };
            let mut records = Vec::new();
            history
                .add::<Appointment>("appointment", &then, Record::Appointment, &mut records)
                .await?;
            history.add::<Charge>("charge", &then, Record::Charge, &mut records).await?;
            let year = Record::FinancialYear;
            history.add::<FinancialYear>("financial_year", &then, year, &mut records).await?;
            history.add::<Filing>("filing", &then, Record::Filing, &mut records).await?;
            history.add::<CreditRating>("rating", &then, Record::Rating, &mut records).await?;
            history.add::<EpfoEstablishment>("epfo", &then, Record::Epfo, &mut records).await?;
            history.add::<CompanyPan>("pan", &then, Record::Pan, &mut records).await?;
            history.add::<CompanyLei>("lei", &then, Record::Lei, &mut records).await?;
            for parent in self.lei_parents_at(&records, &sources, at_ms).await? {
                records.push(parent);
            }
            records.push(Record::Company(then));
            Ok(PastRecords::Records(records))
        }
        .boxed()
    }

    /// What the register contained at an instant about a director that it has now.
    pub fn director_at<'a>(
        &'a self,
        director: &'a Director,
        at_ms: i64,
    ) -> BoxFuture<'a, Result<PastRecords>> {
        async move {
            let Some(sources) = self.sources_at(at_ms).await? else { return Ok(PastRecords::NotKept) };
            let din = director.din.as_str();
            let mut directors = BTreeMap::from([(din.to_owned(), director.clone())]);
            for entry in self.list_undone(OF_SUBJECT, din, at_ms).await? {
                entry.undo(&mut directors, din);
            }
            let then = directors.remove(din).filter(|then| sources.had("director", then, at_ms));
            let Some(then) = then else { return Ok(PastRecords::NotRecorded) };
            let mut appointments: BTreeMap<String, Appointment> = self
                .look_up(
                    "select cin, din, appointed_on, name, designation, designation_text, ceased_on, \
                     as_of, source from appointments where din = $1 order by cin limit $2",
                    &[din.into(), MAX_SECTION_ROWS.into()],
                    Appointment::from_row,
                )
                .await?
                .into_iter()
                .map(|appointment| (appointment.key_text(), appointment))
                .collect();
            for entry in self.list_undone(OF_RELATED, din, at_ms).await? {
                entry.undo(&mut appointments, &entry.key);
            }
            let mut records = Vec::new();
            let mut cins: Vec<String> =
                appointments.values().map(|appointment| appointment.cin.clone()).collect();
            cins.dedup();
            cins.truncate(MAX_COMPANIES);
            for cin in cins {
                if let Some(company) = self.find_company(&cin).await? {
                    let history = CompanyHistory::load(self, &company, &sources, at_ms).await?;
                    records.extend(history.company(&company).map(Record::Company));
                }
            }
            let appointments = appointments
                .into_values()
                .filter(|appointment| sources.had("appointment", appointment, at_ms));
            records.extend(appointments.map(Record::Appointment));
            records.push(Record::Director(then));
            Ok(PastRecords::Records(records))
        }
        .boxed()
    }

    /// The sources of the register, or `None` if changes since the instant are not all stored.
    async fn sources_at(&self, at_ms: i64) -> Result<Option<Sources>> {
        let (start_seq, start_ms) = self.history_start().await?;
        if start_seq > 0 && at_ms < start_ms {
            return Ok(None);
        }
        let rows = self
            .engine
            .query("select resource, source, since from event_sources", &[], |row| {
                Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
            })
            .await?;
        Ok(Some(Sources(rows.into_iter().collect())))
    }

    async fn list_undone(
        &self,
        list: &'static str,
        subject: &str,
        at_ms: i64,
    ) -> Result<Vec<ReversedEntry>> {
        let parameters = [subject.into(), at_ms.into(), MAX_REVERSED_ENTRIES.into()];
        self.engine.query(list, &parameters, ReversedEntry::from_row).await
    }

    /// The parents of the holders of these LEIs. Their history is not stored.
    async fn lei_parents_at(
        &self,
        records: &[Record],
        sources: &Sources,
        at_ms: i64,
    ) -> Result<Vec<Record>> {
        let mut found = Vec::new();
        for record in records {
            let Record::Lei(lei) = record else { continue };
            for parent in self.list_section::<LeiParent>(&lei.lei).await? {
                if !sources.had("lei_parent", &parent, at_ms) {
                    continue;
                }
                if let Some(holder) = self.find_lei_holder(&parent.parent_lei).await? {
                    found.push(Record::LeiEntity(LeiEntity {
                        lei: parent.parent_lei.clone(),
                        name: holder.name,
                        source: parent.source.clone(),
                        ..LeiEntity::default()
                    }));
                }
                found.push(Record::LeiParent(parent));
            }
        }
        Ok(found)
    }
}

const OF_SUBJECT: &str = "select seq, resource, record_key, fields, event_type, old_values \
    from changes where subject = $1 and changed_at > $2 order by seq desc limit $3";
const OF_RELATED: &str = "select seq, resource, record_key, fields, event_type, old_values \
    from changes where related = $1 and resource = 'appointment' and changed_at > $2 \
    order by seq desc limit $3";

impl<'a> CompanyHistory<'a> {
    async fn load(
        register: &'a Register,
        company: &Company,
        sources: &'a Sources,
        at_ms: i64,
    ) -> Result<CompanyHistory<'a>> {
        let mut numbers = vec![company.cin.clone()];
        let former: Vec<String> = serde_json::from_str(&company.former_cins).unwrap_or_default();
        numbers.extend(former.into_iter().take(super::MAX_SUBJECTS - 1));
        let mut undone = Vec::new();
        for number in &numbers {
            undone.extend(register.list_undone(OF_SUBJECT, number, at_ms).await?);
        }
        undone.sort_by_key(|entry| std::cmp::Reverse(entry.seq));
        Ok(CompanyHistory { register, at_ms, sources, numbers, undone })
    }

    /// The record of the company then, under the number that it had.
    fn company(&self, present: &Company) -> Option<Company> {
        let mut records = BTreeMap::from([(present.cin.clone(), present.clone())]);
        for entry in self.undone.iter().filter(|entry| entry.resource == "company") {
            entry.undo(&mut records, &entry.key);
        }
        let then = self.numbers.iter().find_map(|number| records.remove(number))?;
        self.sources.had("company", &then, self.at_ms).then_some(then)
    }

    /// Adds the records of a section.
    async fn add<T: Table>(
        &self,
        resource: &str,
        company: &Company,
        into_record: fn(T) -> Record,
        records: &mut Vec<Record>,
    ) -> Result<()> {
        let present = self.register.list_section::<T>(&self.numbers[0]).await?;
        let mut rows: BTreeMap<String, T> =
            present.into_iter().map(|row| (self.key_in_section(&row.key_text()), row)).collect();
        for entry in self.undone.iter().filter(|entry| entry.resource == resource) {
            entry.undo(&mut rows, &self.key_in_section(&entry.key));
        }
        let known = rows.into_values().filter(|row| self.sources.had(resource, row, self.at_ms));
        records.extend(known.map(|mut row| {
            row.set_owner(&company.cin);
            into_record(row)
        }));
        Ok(())
    }

    /// The key without the number of the company, which may have changed since.
    fn key_in_section(&self, key: &str) -> String {
        let number = self.numbers.iter().find(|number| key.starts_with(number.as_str()));
        number.map_or(key, |number| &key[number.len()..]).to_owned()
    }
}
