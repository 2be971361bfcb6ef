//! Storing records: a batch in one transaction, with its entries in the change feed.

use super::{
    Appointment, Charge, Company, CompanyPan, CreditRating, Director, Document, EpfoEstablishment,
    Filing, FinancialYear, GstFiling, GstRegistration, Register,
};
use crate::engine::{Engine, Transaction, Value};
use crate::error::{Result, StoreError};
use crate::table::{Stored, Table, store, store_part};

macro_rules! records {
    ($( $variant:ident($kind:ty) = $word:literal, )*) => {
        /// A record of any kind that the register holds.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each variant is named after the record it holds")]
        #[allow(clippy::large_enum_variant, reason = "records live for one batch only")]
        pub enum Record {
            $( $variant($kind), )*
            /// A company as a source tells it that knows only part: what it does not say stays as
            /// it is held.
            PartialCompany(Company),
        }

        impl Record {
            /// The kind's name in the own import format and in the change feed.
            pub fn resource(&self) -> &'static str {
                match self {
                    $( Record::$variant(_) => $word, )*
                    Record::PartialCompany(_) => "company",
                }
            }

            /// Dates the record where its source did not.
            pub fn date_if_undated(&mut self, as_of: &str) {
                let own = match self {
                    $( Record::$variant(record) => &mut record.as_of, )*
                    Record::PartialCompany(company) => &mut company.as_of,
                };
                own.get_or_insert_with(|| as_of.to_owned());
            }

            async fn store(&self, transaction: &mut Transaction) -> Result<(Stored, String, &str)> {
                Ok(match self {
                    $( Record::$variant(record) => {
                        (store(transaction, record).await?, record.key_text(), record.source())
                    } )*
                    Record::PartialCompany(company) => {
                        let stored = store_part(transaction, company, Company::complete_from);
                        (stored.await?, company.key_text(), company.source())
                    }
                })
            }
        }
    };
}

records! {
    Company(Company) = "company",
    Director(Director) = "director",
    Appointment(Appointment) = "appointment",
    Charge(Charge) = "charge",
    FinancialYear(FinancialYear) = "financial_year",
    Filing(Filing) = "filing",
    Document(Document) = "document",
    Rating(CreditRating) = "rating",
    Epfo(EpfoEstablishment) = "epfo",
    Gst(GstRegistration) = "gst",
    GstFiling(GstFiling) = "gst_filing",
    Pan(CompanyPan) = "pan",
}

impl Register {
    /// Stores a batch of records; all of it or nothing. Tells for each what that changed.
    pub async fn store_batch(&self, records: &[Record], now_ms: i64) -> Result<Vec<Stored>> {
        store_batch(&self.engine, records, now_ms).await
    }

    /// Tells what storing a batch would change, and leaves everything as it is.
    pub async fn rehearse_batch(&self, records: &[Record]) -> Result<Vec<Stored>> {
        // The transaction is dropped without a commit, which undoes it.
        let mut transaction = self.engine.transaction().await?;
        let (outcomes, _) = store_each(&mut transaction, records).await?;
        Ok(outcomes)
    }
}

/// An entry of the change feed that has no number yet.
struct Entry {
    resource: &'static str,
    key: String,
    fields: String,
    source: String,
}

pub async fn store_batch(engine: &Engine, records: &[Record], now_ms: i64) -> Result<Vec<Stored>> {
    let mut transaction = engine.transaction().await?;
    let (outcomes, entries) = store_each(&mut transaction, records).await?;
    if !entries.is_empty() {
        append_changes(&mut transaction, &entries, now_ms).await?;
    }
    transaction.commit().await?;
    Ok(outcomes)
}

async fn store_each(
    transaction: &mut Transaction,
    records: &[Record],
) -> Result<(Vec<Stored>, Vec<Entry>)> {
    // Writers take turns from here on: two imports of the same records would otherwise insert the
    // same keys, or wait for each other in a ring.
    transaction.execute("update change_head set seq = seq where id = 1", &[]).await?;
    let mut outcomes = Vec::with_capacity(records.len());
    let mut entries = Vec::new();
    for record in records {
        let (stored, key, source) = record.store(transaction).await?;
        let fields = match &stored {
            Stored::New => Some(String::new()),
            Stored::Changed(fields) => Some(fields.join(",")),
            Stored::Unchanged | Stored::Older => None,
        };
        if let Some(fields) = fields {
            let source = source.to_owned();
            entries.push(Entry { resource: record.resource(), key, fields, source });
            if let Record::Company(company) | Record::PartialCompany(company) = record {
                company.store_aliases(transaction).await?;
            }
        }
        outcomes.push(stored);
    }
    Ok((outcomes, entries))
}

/// Numbers the entries from the head, whose row stays locked until the commit, so that a reader
/// of the feed never sees a number before a lower one.
async fn append_changes(
    transaction: &mut Transaction,
    entries: &[Entry],
    now_ms: i64,
) -> Result<()> {
    let count = entries.len() as i64;
    let head = transaction
        .query_opt(
            "update change_head set seq = seq + $1 where id = 1 returning seq",
            &[count.into()],
            |row| row.get::<i64>(0),
        )
        .await?
        .ok_or_else(|| StoreError::Bug("the change feed has no head".into()))?;
    let rows: Vec<Vec<Value<'_>>> = entries
        .iter()
        .zip(head - count + 1..)
        .map(|(entry, seq)| {
            vec![
                seq.into(),
                entry.resource.into(),
                (&entry.key).into(),
                (&entry.fields).into(),
                now_ms.into(),
                (&entry.source).into(),
            ]
        })
        .collect();
    transaction
        .execute_each(
            "insert into changes (seq, resource, record_key, fields, changed_at, source) \
             values ($1, $2, $3, $4, $5, $6)",
            &rows,
        )
        .await
}
