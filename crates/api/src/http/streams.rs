//! The number of open streams of events, limited per account and mode.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

/// The open streams of this process.
#[derive(Clone)]
pub struct Streams {
    most: u32,
    open: Arc<Mutex<HashMap<String, u32>>>,
}

/// One open stream; released on drop.
pub struct StreamPermit {
    streams: Streams,
    name: String,
}

impl Streams {
    pub fn new(most: NonZeroU32) -> Streams {
        Streams { most: most.get(), open: Arc::default() }
    }

    /// A permit for a stream of an account and mode; none if it has too many.
    pub fn acquire(&self, account_id: &str, mode: &str) -> Option<StreamPermit> {
        let name = format!("{mode} {account_id}");
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(name.clone()).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(StreamPermit { streams: self.clone(), name })
    }

    /// The number of open streams.
    pub fn count(&self) -> u32 {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut open = self.streams.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.name) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_account_and_mode_has_its_own_limit_and_permits_are_released() {
        let streams = Streams::new(NonZeroU32::new(2).expect("2 is not 0"));
        let first = streams.acquire("acc_1", "live");
        let second = streams.acquire("acc_1", "live");
        assert!(first.is_some() && second.is_some());
        assert!(streams.acquire("acc_1", "live").is_none());
        let other = streams.acquire("acc_1", "test");
        assert!(other.is_some());
        assert_eq!(streams.count(), 3);
        drop(first);
        assert!(streams.acquire("acc_1", "live").is_some());
        drop((second, other));
        assert_eq!(streams.count(), 0);
    }
}
