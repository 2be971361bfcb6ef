//! Schema migrations: numbered scripts, each run once, forward only. Afterwards the tables are
//! sharded if the database has Citus workers.

use crate::engine::shard::shard;
use crate::engine::{Engine, EngineKind};
use crate::error::{Result, StoreError};

pub struct Migration {
    /// Consecutive, from 1.
    pub number: i64,
    pub script: &'static str,
}

const CREATE_HISTORY: &str = "create table if not exists schema_history (number bigint primary key, applied_at bigint not null)";

/// Runs the missing migrations. Concurrent starts are serialized by the write lock on SQLite and by
/// an advisory lock on PostgreSQL.
pub async fn migrate(engine: &Engine, migrations: &[Migration], now_ms: i64) -> Result<()> {
    let mut transaction = engine.transaction().await?;
    if engine.kind() == EngineKind::Postgres {
        // A script may read every row, and a node that starts meanwhile waits for it.
        transaction.run_script("set local statement_timeout = 0").await?;
        transaction.run_script("select pg_advisory_xact_lock(71860001)").await?;
    }
    transaction.run_script(CREATE_HISTORY).await?;
    let current = transaction
        .query_opt("select coalesce(max(number), 0) from schema_history", &[], |row| {
            row.get::<i64>(0)
        })
        .await?
        .unwrap_or(0);
    let newest = migrations.last().map_or(0, |migration| migration.number);
    if current > newest {
        return Err(StoreError::Unavailable(format!(
            "the data was written by a newer version of this program (schema {current}, this one \
             knows {newest}): start that version, or restore a backup made before the upgrade"
        )));
    }
    for migration in migrations.iter().filter(|migration| migration.number > current) {
        for statement in statements(&for_engine(migration.script, engine.kind())) {
            transaction.run_script(statement).await?;
        }
        transaction
            .execute(
                "insert into schema_history (number, applied_at) values ($1, $2)",
                &[migration.number.into(), now_ms.into()],
            )
            .await?;
    }
    shard(&mut transaction).await?;
    transaction.commit().await
}

/// The statements of a script, each with its preceding comments. Citus requires some statements to
/// run alone. A statement ends at a semicolon at the end of a line that is not a comment.
fn statements(script: &str) -> Vec<&str> {
    let (mut statements, mut start, mut end) = (Vec::new(), 0, 0);
    for line in script.split_inclusive('\n') {
        end += line.len();
        if line.trim_end().ends_with(';') && !line.trim_start().starts_with("--") {
            statements.push(&script[start..end]);
            start = end;
        }
    }
    statements
}

/// Replaces the two placeholders in the scripts by the engine's syntax.
fn for_engine(script: &str, kind: EngineKind) -> String {
    let (clustered, bytewise) = match kind {
        EngineKind::Sqlite => ("without rowid", ""),
        EngineKind::Postgres => ("", "collate \"C\""),
    };
    script.replace("/*clustered*/", clustered).replace("/*bytewise*/", bytewise)
}

#[cfg(test)]
mod tests {
    use super::statements;

    #[test]
    fn a_script_is_split_after_each_statement_only() {
        let script = "-- Things;\ncreate table things (\n    -- no end;\n    id bigint\n);\n\ndrop table old;\n";
        let things = "-- Things;\ncreate table things (\n    -- no end;\n    id bigint\n);\n";
        assert_eq!(statements(script), [things, "\ndrop table old;\n"]);
    }

    #[test]
    fn splitting_a_migration_loses_nothing() {
        for migration in crate::ledger::MIGRATIONS.iter().chain(crate::register::MIGRATIONS) {
            assert_eq!(statements(migration.script).concat(), migration.script);
        }
    }
}
