//! The health of the service by hour, as its nodes recorded it.

use super::Ledger;
use crate::error::Result;

/// Hours in one response: 100 days.
const MAX_HOURS: i64 = 2_400;

/// Minutes by what was found in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HealthMinutes {
    pub operational: i64,
    pub degraded: i64,
    pub down: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthHour {
    /// Hours of Indian time since 1970.
    pub hour: i64,
    pub minutes: HealthMinutes,
}

impl Ledger {
    /// Adds minutes to an hour. Several nodes add to the same hour.
    pub async fn add_health(&self, added: HealthHour) -> Result<()> {
        let minutes = added.minutes;
        self.engine
            .execute(
                "insert into health_hours (hour, operational, degraded, down) \
                 values ($1, $2, $3, $4) on conflict (hour) do update set \
                 operational = health_hours.operational + excluded.operational, \
                 degraded = health_hours.degraded + excluded.degraded, \
                 down = health_hours.down + excluded.down",
                &[
                    added.hour.into(),
                    minutes.operational.into(),
                    minutes.degraded.into(),
                    minutes.down.into(),
                ],
            )
            .await?;
        Ok(())
    }

    /// The hours from one on, oldest first.
    pub async fn list_health(&self, from_hour: i64) -> Result<Vec<HealthHour>> {
        self.engine
            .query(
                "select hour, operational, degraded, down from health_hours where hour >= $1 \
                 order by hour limit $2",
                &[from_hour.into(), MAX_HOURS.into()],
                |row| {
                    let (operational, degraded) = (row.get(1)?, row.get(2)?);
                    let minutes = HealthMinutes { operational, degraded, down: row.get(3)? };
                    Ok(HealthHour { hour: row.get(0)?, minutes })
                },
            )
            .await
    }

    pub async fn delete_expired_health(&self, before_hour: i64) -> Result<u64> {
        self.engine.execute("delete from health_hours where hour < $1", &[before_hour.into()]).await
    }
}
