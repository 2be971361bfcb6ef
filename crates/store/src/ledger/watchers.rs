//! Which accounts watch the subjects of events.

use super::{Ledger, Mode};
use crate::engine::{EngineKind, Value};
use crate::error::Result;

/// Members looked up in one statement.
const MEMBERS_PER_STATEMENT: usize = 50;

/// Selects who watches any of up to 50 members.
macro_rules! watchers {
    () => {
        concat!(
            "select distinct member, account_id from watch_members where mode = $1 and member in (",
            "$2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, ",
            "$20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, ",
            "$37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49, $50, $51)"
        )
    };
}

/// An account that watches a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Watcher {
    pub member: String,
    pub account_id: String,
}

impl Ledger {
    /// Who watches any of these members.
    pub async fn list_watchers(&self, mode: Mode, members: &[&str]) -> Result<Vec<Watcher>> {
        let mut watchers = Vec::new();
        for chunk in members.chunks(MEMBERS_PER_STATEMENT) {
            let last = chunk.last().copied().unwrap_or("");
            let padded = chunk.iter().copied().chain(std::iter::repeat(last));
            let parameters: Vec<Value<'_>> = std::iter::once(mode.as_str().into())
                .chain(padded.take(MEMBERS_PER_STATEMENT).map(Value::Text))
                .collect();
            let found = self
                .engine
                .query(watchers!(), &parameters, |row| {
                    Ok(Watcher { member: row.get(0)?, account_id: row.get(1)? })
                })
                .await?;
            watchers.extend(found);
        }
        Ok(watchers)
    }

    /// The query plan of `list_watchers` as the database prints it, for tests and benchmarks.
    pub async fn explain_watchers(&self, member: &str) -> Result<String> {
        let parameters: Vec<Value<'_>> = std::iter::once(Mode::Live.as_str().into())
            .chain(std::iter::repeat_n(Value::Text(member), MEMBERS_PER_STATEMENT))
            .collect();
        let (explain, column) = match self.engine.kind() {
            EngineKind::Sqlite => (concat!("explain query plan ", watchers!()), 3),
            EngineKind::Postgres => (concat!("explain ", watchers!()), 0),
        };
        let lines =
            self.engine.query(explain, &parameters, |row| row.get::<String>(column)).await?;
        Ok(lines.join("\n"))
    }
}
