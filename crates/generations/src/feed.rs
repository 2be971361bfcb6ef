//! The change feed as its followers see it: how many changes they are behind, and whether it still grows.

use std::time::{Duration, Instant};

/// The feed must be unchanged for this time before a generation is built because it is far behind: a
/// running import would outdate it at once, and needs the processor itself.
const QUIET: Duration = Duration::from_secs(3);
/// After this time it is built anyway.
const MAX_WAIT: Duration = Duration::from_secs(600);

/// The ends of the change feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feed {
    /// The oldest change whose followers need nothing that was deleted.
    pub oldest: i64,
    pub newest: i64,
}

/// What to do next with derived data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextStep {
    /// It has every change.
    UpToDate,
    CatchUp,
    /// It is far behind a feed that still grows.
    Wait,
    Rebuild,
}

impl Feed {
    /// What to do with derived data that has the changes up to `indexed_change`. `is_far_behind` says
    /// from which distance on a new generation is faster than single changes.
    pub fn next(
        self,
        indexed_change: Option<i64>,
        is_far_behind: impl Fn(i64) -> bool,
        growth: &mut FeedGrowth,
        now: Instant,
    ) -> NextStep {
        let Some(indexed_change) = indexed_change else { return NextStep::Rebuild };
        // Entries that it does not have were deleted, or it is of another register.
        if indexed_change < self.oldest || indexed_change > self.newest {
            return NextStep::Rebuild;
        }
        if is_far_behind(self.newest - indexed_change) {
            return if growth.is_growing(self.newest, now) {
                NextStep::Wait
            } else {
                NextStep::Rebuild
            };
        }
        growth.reset();
        if indexed_change == self.newest { NextStep::UpToDate } else { NextStep::CatchUp }
    }
}

/// The growth of the feed while what follows it is far behind.
#[derive(Default)]
pub(crate) struct FeedGrowth {
    newest: i64,
    /// The time of the last growth, and the time since when the follower is far behind.
    since: Option<(Instant, Instant)>,
}

impl FeedGrowth {
    /// Whether the feed still grows, and the maximum wait has not passed.
    pub fn is_growing(&mut self, newest: i64, now: Instant) -> bool {
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

    fn check(indexed_change: Option<i64>, expected: NextStep) {
        let (feed, mut growth) = (Feed { oldest: 10, newest: 100 }, FeedGrowth::default());
        let next = feed.next(indexed_change, |behind| behind > 50, &mut growth, Instant::now());
        assert_eq!(next, expected, "{indexed_change:?}");
    }

    #[test]
    fn single_changes_are_applied_unless_they_are_too_many_or_were_deleted() {
        check(Some(100), NextStep::UpToDate);
        check(Some(50), NextStep::CatchUp);
        check(Some(49), NextStep::Wait);
        check(Some(9), NextStep::Rebuild);
        check(Some(101), NextStep::Rebuild);
        check(None, NextStep::Rebuild);
    }

    #[test]
    fn a_growing_feed_delays_the_build_up_to_a_maximum() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut feed = FeedGrowth::default();
        assert!(feed.is_growing(300_000, at(0)));
        assert!(feed.is_growing(400_000, at(2)));
        assert!(feed.is_growing(400_000, at(4)), "it grew two seconds ago");
        assert!(!feed.is_growing(400_000, at(5)), "it is quiet");
        assert!(!feed.is_growing(500_000, at(601)), "it has gone on for too long");
        feed.reset();
        assert!(feed.is_growing(900_000, at(700)));
    }
}
