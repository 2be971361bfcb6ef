//! When a failed delivery is tried again.

/// The pauses after the first nine attempts, in seconds: ten attempts in about three days.
const PAUSES: [i64; 9] =
    [5, 5 * 60, 30 * 60, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
const HOUR: i64 = 3600;
/// Attempts of one delivery.
pub const MAX_ATTEMPTS: i64 = PAUSES.len() as i64 + 1;
/// The most by which a pause is lengthened, in thousandths, so that the deliveries that failed together are not
/// tried again together.
pub const MAX_JITTER: i64 = 100;

/// How long to wait after this attempt, counted from 1; none after the last. `jitter` is a random number from 0
/// to `MAX_JITTER`.
pub fn pause_ms(attempt: i64, jitter: i64) -> Option<i64> {
    let index = usize::try_from(attempt - 1).ok()?;
    let seconds = PAUSES.get(index)?;
    Some(seconds * (1_000 + jitter.clamp(0, MAX_JITTER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_attempts_take_about_three_days_with_growing_pauses() {
        let pauses: Vec<i64> = (1..).map_while(|attempt| pause_ms(attempt, 0)).collect();
        assert_eq!(pauses.len() as i64, MAX_ATTEMPTS - 1);
        assert!(pauses.is_sorted_by(|one, next| one < next), "{pauses:?}");
        let days = pauses.iter().sum::<i64>() as f64 / 86_400_000.0;
        assert!((2.8..3.3).contains(&days), "{days}");
        assert_eq!((pause_ms(0, 0), pause_ms(MAX_ATTEMPTS, 0)), (None, None));
    }

    #[test]
    fn jitter_only_lengthens_a_pause() {
        assert_eq!(pause_ms(1, 0), Some(5_000));
        assert_eq!(pause_ms(1, MAX_JITTER), Some(5_500));
        assert_eq!(pause_ms(1, 1_000_000), Some(5_500));
    }
}
