//! How much is written to a file before the disk is waited for. A system that is given hundreds of
//! megabytes and then asked to have them on the disk does nothing else for that long, and everybody
//! else's small write waits behind them.

/// Bytes that may be on their way to the disk at a time.
const STEP: u32 = 2 << 20;

/// What a file was given since the disk was last waited for.
#[derive(Debug, Default)]
pub struct Pace {
    written: u32,
}

impl Pace {
    /// Counts what was written; tells whether to wait for the disk now.
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
    fn the_disk_is_waited_for_step_by_step() {
        let mut pace = Pace::default();
        let due: Vec<u32> = (1..=3 * 512).filter(|_| pace.add(4096)).collect();
        assert_eq!(due, [512, 1024, 1536]);
        assert!(pace.add(u32::MAX), "much at once is a step too");
    }
}
