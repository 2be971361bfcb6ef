//! The growth of the change feed while what follows it is far behind.

use std::time::{Duration, Instant};

/// The feed must be unchanged for this time before a generation is built because it is far behind: a
/// running import would outdate it at once, and needs the processor itself.
const QUIET: Duration = Duration::from_secs(3);
/// After this time it is built anyway.
const MAX_WAIT: Duration = Duration::from_secs(600);

#[derive(Default)]
pub struct FeedGrowth {
    newest: i64,
    /// The time of the last growth, and the time since when the follower is far behind.
    since: Option<(Instant, Instant)>,
}

impl FeedGrowth {
    /// Whether the feed still grows, and the maximum wait has not passed.
    pub fn is_busy(&mut self, newest: i64, now: Instant) -> bool {
        let (grew, behind) = self.since.unwrap_or((now, now));
        let grew = if newest == self.newest { grew } else { now };
        (self.newest, self.since) = (newest, Some((grew, behind)));
        now - grew < QUIET && now - behind < MAX_WAIT
    }

    pub fn reset(&mut self) {
        self.since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_feed_delays_the_build_up_to_a_maximum() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut feed = FeedGrowth::default();
        assert!(feed.is_busy(300_000, at(0)));
        assert!(feed.is_busy(400_000, at(2)));
        assert!(feed.is_busy(400_000, at(4)), "it grew two seconds ago");
        assert!(!feed.is_busy(400_000, at(5)), "it is quiet");
        assert!(!feed.is_busy(500_000, at(601)), "it has gone on for too long");
        feed.reset();
        assert!(feed.is_busy(900_000, at(700)));
    }
}
