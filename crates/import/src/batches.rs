//! Batches of records on their way into the register: one is stored while the next is read.

use std::sync::Arc;

use panji_store::register::Record;
use panji_store::{Register, StoreError};
use tokio::task::JoinHandle;

use crate::report::Report;

/// Records in one transaction.
const MAX_RECORDS: usize = 10_000;
/// Bytes of source text in one transaction; no row is longer than a tenth of it.
const MAX_BYTES: usize = 10 << 20;
/// The least that a record counts, however short its source text.
const MIN_RECORD_BYTES: usize = 256;

/// The batch that is being filled, and the one that is being stored.
pub struct Batches {
    register: Arc<Register>,
    now_ms: i64,
    dry_run: bool,
    filling: Vec<Record>,
    filling_bytes: usize,
    storing: Option<JoinHandle<Result<Report, StoreError>>>,
}

impl Batches {
    /// A dry run only asks what would change.
    pub fn new(register: Arc<Register>, now_ms: i64, dry_run: bool) -> Batches {
        Batches { register, now_ms, dry_run, filling: Vec::new(), filling_bytes: 0, storing: None }
    }

    /// Adds a record that was read from this many bytes.
    pub fn add(&mut self, record: Record, bytes: usize) {
        self.filling.push(record);
        self.filling_bytes += bytes.max(MIN_RECORD_BYTES);
    }

    /// Whether the batch is large enough to be stored.
    pub fn is_full(&self) -> bool {
        self.filling.len() >= MAX_RECORDS || self.filling_bytes >= MAX_BYTES
    }

    /// Starts to store the filled batch, and returns the sums of the batch before it.
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
                let mut sums = Report::default();
                for (record, stored) in records.iter().zip(&outcomes) {
                    sums.count(record, stored);
                }
                Ok(sums)
            }));
        }
        Ok(before)
    }

    /// Waits for the batch that is being stored and returns its sums.
    pub async fn wait(&mut self) -> Result<Report, StoreError> {
        match self.storing.take() {
            None => Ok(Report::default()),
            Some(storing) => storing.await.unwrap_or_else(|error| {
                Err(StoreError::Bug(format!("storing a batch was interrupted: {error}")))
            }),
        }
    }
}
