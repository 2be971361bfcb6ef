//! When the balance ends, if spending stays as it was.

use jiff::ToSpan;
use panji_api::accounts::usage_days::sum_usage;
use panji_store::calendar::now_ms;
use panji_store::ledger::Mode;

use super::language::{amounts, dates, t, t_with};
use super::page_error::PageError;
use super::session::SignedIn;

/// The days before today over which the average spending is computed.
pub const AVERAGE_DAYS: usize = 7;
/// Days with spending without which nothing is forecast: one busy day says nothing about the next.
const MIN_DAYS: usize = 3;
/// A balance that lasts longer is not forecast to a day.
const MAX_FORECAST_DAYS: i64 = 365;

/// What a page says about the end of the balance.
pub struct Forecast {
    /// As "3 Dec 2026" or "not known".
    pub ends: String,
    /// How it is computed, or why it is not known.
    pub reason: String,
}

impl Forecast {
    /// None in test mode: test credits are renewed every day.
    pub async fn read(signed_in: &SignedIn) -> Result<Option<Forecast>, PageError> {
        let (app, mode, account_id) = (&signed_in.app, signed_in.mode(), signed_in.account_id());
        if mode == Mode::Test {
            return Ok(None);
        }
        let now_ms = now_ms();
        let today = dates::today(now_ms);
        let days: Vec<_> = (1..=AVERAGE_DAYS as i64)
            .rev()
            .map(|days_ago| today.saturating_sub(days_ago.days()))
            .collect();
        let span = (days[0], days[AVERAGE_DAYS - 1]);
        let groups = sum_usage(&app.ledger, &app.usage_days, account_id, mode, span).await?;
        let spent = |day: String| {
            let of_day = groups.iter().filter(|group| group.day == day);
            of_day.map(|group| group.credits).sum::<i64>()
        };
        let per_day: Vec<i64> = days.iter().map(|day| spent(day.to_string())).collect();
        let snapshot = app.ledger.find_balance(account_id, mode, now_ms).await?;
        let balance = snapshot.map_or(0, |snapshot| snapshot.balance);
        Ok(Some(Forecast::new(balance, &per_day, now_ms)))
    }

    fn new(balance: i64, per_day: &[i64], now_ms: i64) -> Forecast {
        let of_balance = amounts::counted(balance, "credit", "credits");
        let Some((days, average)) = days_left(balance, per_day) else {
            return Forecast {
                ends: t("not known").to_owned(),
                reason: t_with(
                    "Balance: {0}. A forecast needs credits spent on at least {1} of \
                     the last {2} days before today.",
                    &[&of_balance, &MIN_DAYS, &AVERAGE_DAYS],
                ),
            };
        };
        let ends = match days {
            ..=MAX_FORECAST_DAYS => {
                let day = dates::today(now_ms).saturating_add(days.days());
                t_with("about {0}", &[&dates::day(&day.to_string())])
            }
            _ => t("in more than a year").to_owned(),
        };
        let reason = t_with(
            "Balance: {0}, divided by {1} credits a day, the average of the last {2} days before \
             today.",
            &[&of_balance, &format!("{average:.1}"), &AVERAGE_DAYS],
        );
        Forecast { ends, reason }
    }
}

/// How many days a balance lasts, and the average spending of a day. None if too little is known.
pub fn days_left(balance: i64, per_day: &[i64]) -> Option<(i64, f64)> {
    let with_spending = per_day.iter().filter(|credits| **credits > 0).count();
    if with_spending < MIN_DAYS {
        return None;
    }
    let average = per_day.iter().sum::<i64>() as f64 / per_day.len() as f64;
    Some(((balance as f64 / average).floor() as i64, average))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noon in India on 15 January 2026.
    const NOW_MS: i64 = 1_768_458_600_000;

    #[test]
    fn the_balance_is_divided_by_the_average_of_a_week() {
        let forecast = Forecast::new(140, &[0, 10, 20, 30, 10, 0, 0], NOW_MS);
        assert_eq!(forecast.ends, "about 29 Jan 2026");
        assert!(forecast.reason.contains("140 credits, divided by 10.0 credits a day"));
        assert_eq!(Forecast::new(0, &[9; 7], NOW_MS).ends, "about 15 Jan 2026");
        assert_eq!(Forecast::new(1_000_000, &[1; 7], NOW_MS).ends, "in more than a year");
    }

    #[test]
    fn without_enough_days_the_end_is_not_known() {
        for per_day in [[0, 0, 0, 0, 0, 0, 900], [0; 7], [5, 0, 0, 0, 0, 0, 5]] {
            assert_eq!(Forecast::new(140, &per_day, NOW_MS).ends, "not known");
        }
    }
}
