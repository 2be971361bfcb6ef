//! A run of an import as the register remembers it, noted as it goes.

use std::time::{Duration, Instant};

use panji_store::register::{ImportRun, KeptReject};
use panji_store::{Register, StoreError};

use crate::report::{Reject, Report};

/// How often the sums are noted.
const NOTE_PAUSE: Duration = Duration::from_secs(2);
/// Rejects of one run that the register keeps; all of them are in the rejects file.
const MAX_KEPT_REJECTS: i64 = 1_000;

/// The notes of one run.
pub struct Run {
    id: String,
    started_at: i64,
    clock: Instant,
    last_noted: Instant,
    rejects: Vec<KeptReject>,
    rejects_noted: i64,
}

impl Run {
    /// Begins a run under this id.
    pub async fn begin(register: &Register, id: String, now_ms: i64) -> Result<Run, StoreError> {
        register.begin_import(&id, now_ms).await?;
        let now = Instant::now();
        let (rejects, rejects_noted) = (Vec::new(), 0);
        let (clock, last_noted) = (now, now);
        Ok(Run { id, started_at: now_ms, clock, last_noted, rejects, rejects_noted })
    }

    /// Keeps a reject, unless many are kept already.
    pub fn see_reject(&mut self, reject: &Reject) {
        if self.rejects_noted + (self.rejects.len() as i64) < MAX_KEPT_REJECTS {
            self.rejects.push(KeptReject {
                file: reject.file.clone(),
                line: reject.line as i64,
                reason: reject.reason.clone(),
                raw: reject.raw.clone(),
            });
        }
    }

    /// Notes the sums, if it is time or the run is at its end.
    pub async fn note(
        &mut self,
        register: &Register,
        report: &Report,
        finished: bool,
    ) -> Result<(), StoreError> {
        if !finished && self.last_noted.elapsed() < NOTE_PAUSE {
            return Ok(());
        }
        self.last_noted = Instant::now();
        let run = ImportRun {
            id: self.id.clone(),
            started_at: self.started_at,
            noted_at: self.started_at + self.clock.elapsed().as_millis() as i64,
            finished,
            files: report.files as i64,
            read: report.read as i64,
            new: report.new as i64,
            changed: report.changed as i64,
            unchanged: report.unchanged as i64,
            older: report.older as i64,
            rejected: report.rejected as i64,
            reasons: serde_json::json!(report.by_reason).to_string(),
        };
        let sources = report.rejects_of_sources().into_iter();
        let sources = sources.map(|(source, rejected)| (source, rejected as i64));
        register.note_import(&run, sources, &self.rejects, self.rejects_noted).await?;
        self.rejects_noted += self.rejects.len() as i64;
        self.rejects.clear();
        Ok(())
    }
}
