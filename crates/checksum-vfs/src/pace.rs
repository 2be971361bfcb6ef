//! Limits how much is written to a file before it is synced. A system that must sync hundreds of
//! megabytes at once does nothing else meanwhile, and every other small write waits.

/// Bytes written between two syncs.
const STEP: u32 = 2 << 20;

/// Bytes written to a file since the last sync.
#[derive(Debug, Default)]
pub struct Pace {
    written: u32,
}

impl Pace {
    /// Counts written bytes; returns whether to sync now.
    pub fn add(&mut self, bytes: u32) -> bool {
        self.written = self.written.saturating_add(bytes);
        let due = self.written >= STEP;
        if due {
            self.written = 0;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_is_due_after_each_step() {
        let mut pace = Pace::default();
        let due: Vec<u32> = (1..=3 * 512).filter(|_| pace.add(4096)).collect();
        assert_eq!(due, [512, 1024, 1536]);
        assert!(pace.add(u32::MAX), "one large write is also a step");
    }
}
