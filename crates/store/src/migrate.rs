//! Brings a schema up to date: numbered scripts, each run once, forward only.

use crate::engine::{Engine, EngineKind};
use crate::error::{Result, StoreError};

/// One numbered script.
pub struct Migration {
    /// Its place in the order, from 1 without gaps.
    pub number: i64,
    /// The statements.
    pub script: &'static str,
}

const CREATE_HISTORY: &str = "create table if not exists schema_history (number bigint primary key, applied_at bigint not null)";

/// Runs what is missing. The transaction's write lock keeps two starters apart on SQLite; on
/// PostgreSQL an advisory lock does.
pub async fn migrate(engine: &Engine, migrations: &[Migration], now_ms: i64) -> Result<()> {
    let mut transaction = engine.transaction().await?;
    if engine.kind() == EngineKind::Postgres {
        transaction.run_script("select pg_advisory_xact_lock(71860001)").await?;
    }
    transaction.run_script(CREATE_HISTORY).await?;
    let current = transaction
        .query_opt("select coalesce(max(number), 0) from schema_history", &[], |row| {
            row.get::<i64>(0)
        })
        .await?
        .unwrap_or(0);
    let newest = migrations.len() as i64;
    if current > newest {
        return Err(StoreError::Unavailable(format!(
            "the data was written by a newer version of this program (schema {current}, this one \
             knows {newest}): start that version, or restore a backup made before the upgrade"
        )));
    }
    for migration in migrations.iter().filter(|migration| migration.number > current) {
        transaction.run_script(&for_engine(migration.script, engine.kind())).await?;
        transaction
            .execute(
                "insert into schema_history (number, applied_at) values ($1, $2)",
                &[migration.number.into(), now_ms.into()],
            )
            .await?;
    }
    transaction.commit().await
}

/// Puts each engine's own words for the two marks that the scripts use.
fn for_engine(script: &str, kind: EngineKind) -> String {
    let (clustered, bytewise) = match kind {
        EngineKind::Sqlite => ("without rowid", ""),
        EngineKind::Postgres => ("", "collate \"C\""),
    };
    script.replace("/*clustered*/", clustered).replace("/*bytewise*/", bytewise)
}
