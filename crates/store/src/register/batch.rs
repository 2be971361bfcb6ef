//! Storing records: a batch in one transaction, with its entries in the change feed.

use super::{
    Appointment, Charge, Company, CompanyPan, CreditRating, Director, Document, EpfoEstablishment,
    Filing, FinancialYear, GstFiling, GstRegistration, Register,
};
use crate::engine::{Engine, Transaction, Value};
use crate::error::{Result, StoreError};
use crate::table::{Stored, Table, store};

macro_rules! records {
    ($( $variant:ident($kind:ty) = $word:literal, )*) => {
        /// A record of any kind that the register holds.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each variant is named after the record it holds")]
        #[allow(clippy::large_enum_variant, reason = "records live for one batch only")]
        pub enum Record {
            $( $variant($kind), )*
        }

        impl Record {
            /// The kind's name in the own import format and in the change feed.
            pub fn resource(&self) -> &'static str {
                match self {
                    $( Record::$variant(_) => $word, )*
                }
            }

            async fn store(&self, transaction: &mut Transaction) -> Result<(Stored, String, &str)> {
                Ok(match self {
                    $( Record::$variant(record) => {
                        (store(transaction, record).await?, record.key_text(), record.source())
                    } )*
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
    // Writers take turns from here on: two imports of the same records would otherwise insert the
    // same keys, or wait for each other in a ring.
    transaction.execute("update change_head set seq = seq where id = 1", &[]).await?;
    let mut outcomes = Vec::with_capacity(records.len());
    let mut entries = Vec::new();
    for record in records {
        let (stored, key, source) = record.store(&mut transaction).await?;
        let fields = match &stored {
            Stored::New => Some(String::new()),
            Stored::Changed(fields) => Some(fields.join(",")),
            Stored::Unchanged | Stored::Older => None,
        };
        if let Some(fields) = fields {
            let source = source.to_owned();
            entries.push(Entry { resource: record.resource(), key, fields, source });
            if let Record::Company(company) = record {
                company.store_aliases(&mut transaction).await?;
            }
        }
        outcomes.push(stored);
    }
    if !entries.is_empty() {
        append_changes(&mut transaction, &entries, now_ms).await?;
    }
    transaction.commit().await?;
    Ok(outcomes)
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
