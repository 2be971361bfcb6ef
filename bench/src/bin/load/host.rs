//! What the host of a virtual machine takes away: processor time for which there was work, and which went to
//! somebody else's machine.

/// Columns of `/proc/stat` that make up all time; what follows them is counted in them already.
const KINDS_OF_TIME: usize = 8;
/// The column of what was taken away.
const STOLEN: usize = 7;

/// Time of all processors since the machine's start.
#[derive(Clone, Copy, Debug, Default)]
pub struct MachineTime {
    all: u64,
    stolen: u64,
}

impl MachineTime {
    /// As it is now; nothing where the system does not tell.
    pub fn now() -> MachineTime {
        let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        let columns = text.lines().next().unwrap_or_default().split_whitespace().skip(1);
        let times: Vec<u64> =
            columns.take(KINDS_OF_TIME).filter_map(|time| time.parse().ok()).collect();
        MachineTime {
            all: times.iter().sum(),
            stolen: times.get(STOLEN).copied().unwrap_or_default(),
        }
    }

    /// The share that has been taken away since then.
    pub fn stolen_since(self) -> f64 {
        let now = MachineTime::now();
        let all = now.all.saturating_sub(self.all).max(1);
        now.stolen.saturating_sub(self.stolen) as f64 / all as f64
    }
}
