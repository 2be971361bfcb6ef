//! Measures steal time: CPU time that the host of a virtual machine used for other machines.

/// The columns of `/proc/stat` that add up to the total; later columns are included in these.
const KINDS_OF_TIME: usize = 8;
/// The column of steal time.
const STEAL: usize = 7;

/// The CPU time of all processors since boot.
#[derive(Clone, Copy, Debug, Default)]
pub struct MachineTime {
    all: u64,
    steal: u64,
}

impl MachineTime {
    /// The current values; zero if the system does not report them.
    pub fn now() -> MachineTime {
        let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        let columns = text.lines().next().unwrap_or_default().split_whitespace().skip(1);
        let times: Vec<u64> =
            columns.take(KINDS_OF_TIME).filter_map(|time| time.parse().ok()).collect();
        MachineTime {
            all: times.iter().sum(),
            steal: times.get(STEAL).copied().unwrap_or_default(),
        }
    }

    /// The share of steal time since then.
    pub fn steal_since(self) -> f64 {
        self.steal_until(MachineTime::now())
    }

    /// The share of steal time until a later reading.
    pub fn steal_until(self, later: MachineTime) -> f64 {
        let all = later.all.saturating_sub(self.all).max(1);
        later.steal.saturating_sub(self.steal) as f64 / all as f64
    }
}
