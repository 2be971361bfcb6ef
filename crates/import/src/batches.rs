//! Stores records in batches: one batch is stored while the next is read.

use std::sync::Arc;

use panji_store::register::Record;
use panji_store::{Register, StoreError};
use tokio::task::JoinHandle;

use crate::report::Report;

/// The most records in one transaction.
const MAX_RECORDS: usize = 10_000;
/// The most bytes of source text in one transaction; a row has at most a tenth of it.
const MAX_BYTES: usize = 10 << 20;
/// The fewest bytes that a record counts for, even if its source text is shorter.
const MIN_RECORD_BYTES: usize = 256;

/// One batch that is being filled, and one that is being stored.
pub struct Batches {
    register: Arc<Register>,
    now_ms: i64,
    dry_run: bool,
    filling: Vec<Record>,
    filling_bytes: usize,
    storing: Option<JoinHandle<Result<Report, StoreError>>>,
}

impl Batches {
    /// A dry run computes what would change and stores nothing.
    pub fn new(register: Arc<Register>, now_ms: i64, dry_run: bool) -> Batches {
        Batches { register, now_ms, dry_run, filling: Vec::new(), filling_bytes: 0, storing: None }
    }

    /// `bytes` is the length of the source text of the record.
    pub fn add(&mut self, record: Record, bytes: usize) {
        self.filling.push(record);
        self.filling_bytes += bytes.max(MIN_RECORD_BYTES);
    }

    pub fn is_full(&self) -> bool {
        self.filling.len() >= MAX_RECORDS || self.filling_bytes >= MAX_BYTES
    }

    /// Starts to store the filled batch, and returns the counts of the previous batch.
    pub async fn start_storing(&mut self) -> Result<Report, StoreError> {
        let before = self.wait().await?;
        self.filling_bytes = 0;
        let records = std::mem::take(&mut self.filling);
        if !records.is_empty() {
            let (register, now_ms, dry_run) = (self.register.clone(), self.now_ms, self.dry_run);
            self.storing = Some(tokio::spawn(async move {
                let outcomes = if dry_run {
                    register.dry_run(&records).await?
                } else {
                    register.store_batch(&records, now_ms).await?
                };
                let mut counts = Report::default();
                for (record, stored) in records.iter().zip(&outcomes) {
                    counts.count(record, stored);
                }
                Ok(counts)
            }));
        }
        Ok(before)
    }

    /// Waits for the batch that is being stored and returns its counts.
    pub async fn wait(&mut self) -> Result<Report, StoreError> {
        match self.storing.take() {
            None => Ok(Report::default()),
            Some(storing) => storing.await.unwrap_or_else(|error| {
                Err(StoreError::Bug(format!("storing a batch was interrupted: {error}")))
            }),
        }
    }
}
