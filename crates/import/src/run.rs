//! The record of an import run in the register, saved while the import runs.

use std::time::{Duration, Instant};

use panji_store::register::{ImportRun, StoredReject};
use panji_store::{Register, StoreError};

use crate::report::{Reject, Report};

/// How often the counts are saved.
const SAVE_INTERVAL: Duration = Duration::from_secs(2);
/// The most rejects of one run in the register; the rejects file has all of them.
const MAX_STORED_REJECTS: i64 = 1_000;

pub struct Run {
    id: String,
    started_at: i64,
    clock: Instant,
    last_saved: Instant,
    rejects: Vec<StoredReject>,
    rejects_saved: i64,
}

impl Run {
    pub async fn begin(register: &Register, id: String, now_ms: i64) -> Result<Run, StoreError> {
        register.begin_import(&id, now_ms).await?;
        let now = Instant::now();
        let (rejects, rejects_saved) = (Vec::new(), 0);
        let (clock, last_saved) = (now, now);
        Ok(Run { id, started_at: now_ms, clock, last_saved, rejects, rejects_saved })
    }

    /// Adds a reject, up to a limit.
    pub fn add_reject(&mut self, reject: &Reject) {
        if self.rejects_saved + (self.rejects.len() as i64) < MAX_STORED_REJECTS {
            self.rejects.push(StoredReject {
                file: reject.file.clone(),
                line: reject.line as i64,
                reason: reject.reason.clone(),
                raw: reject.raw.clone(),
            });
        }
    }

    /// Saves the counts if the interval has passed or the run is finished.
    pub async fn save(
        &mut self,
        register: &Register,
        report: &Report,
        finished: bool,
    ) -> Result<(), StoreError> {
        if !finished && self.last_saved.elapsed() < SAVE_INTERVAL {
            return Ok(());
        }
        self.last_saved = Instant::now();
        let run = ImportRun {
            id: self.id.clone(),
            started_at: self.started_at,
            updated_at: self.started_at + self.clock.elapsed().as_millis() as i64,
            finished,
            files: report.files as i64,
            read: report.read as i64,
            new: report.new as i64,
            changed: report.changed as i64,
            unchanged: report.unchanged as i64,
            older: report.older as i64,
            rejected: report.rejected as i64,
            reasons: serde_json::json!(report.by_reason).to_string(),
            failed_files: report.failures.len() as i64,
            first_failure: report.failures.first().cloned(),
        };
        let sources = report.rejects_of_sources().into_iter();
        let sources = sources.map(|(source, rejected)| (source, rejected as i64));
        register.record_import(&run, sources, &self.rejects, self.rejects_saved).await?;
        self.rejects_saved += self.rejects.len() as i64;
        self.rejects.clear();
        Ok(())
    }
}
