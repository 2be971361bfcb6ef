//! The audit log: what people did, line after line, each numbered and sealed.

use super::Ledger;
use super::seal::{Secret, equal_in_constant_time};
use crate::engine::Row;
use crate::error::{Result, StoreError};

/// Lines that are read at a time when all are gone through.
const PAGE: i64 = 1_000;
/// Lines that are dropped at a time, so that charges do not wait.
const DROPPED_AT_A_TIME: i64 = 10_000;
/// The longest text of a line.
const MAX_TEXT: usize = 4_096;

/// Something that a person did. Its texts hold no key and no whole PAN or GSTIN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    /// Who did it.
    pub actor: String,
    /// What it was, as `key.create`.
    pub action: &'static str,
    /// The account it was done to.
    pub account_id: Option<String>,
    /// The thing it was done to: the id of a key, of an import.
    pub subject: String,
    /// The rest, as a JSON object.
    pub details: String,
}

/// A line of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// Its number.
    pub seq: i64,
    /// When it was done.
    pub at: i64,
    /// See `AuditEvent`.
    pub actor: String,
    /// See `AuditEvent`.
    pub action: String,
    /// See `AuditEvent`.
    pub account_id: Option<String>,
    /// See `AuditEvent`.
    pub subject: String,
    /// See `AuditEvent`.
    pub details: String,
    seal: String,
}

impl Ledger {
    /// Adds a line and gives its number.
    pub async fn log_audit_event(&self, deed: &AuditEvent, now_ms: i64) -> Result<i64> {
        let texts = [&deed.actor, &deed.subject, &deed.details];
        if texts.iter().any(|text| text.len() > MAX_TEXT) {
            return Err(StoreError::Bug(format!("a text of the audit log over {MAX_TEXT} bytes")));
        }
        let mut transaction = self.engine.transaction().await?;
        transaction.execute("update audit_log_head set seq = seq + 1 where id = 1", &[]).await?;
        let seq = transaction
            .query_opt("select seq from audit_log_head where id = 1", &[], |row| row.get(0))
            .await?
            .ok_or_else(|| StoreError::Bug("the head of the audit log is missing".into()))?;
        let mut line = LoggedEvent {
            seq,
            at: now_ms,
            actor: deed.actor.clone(),
            action: deed.action.to_owned(),
            account_id: deed.account_id.clone(),
            subject: deed.subject.clone(),
            details: deed.details.clone(),
            seal: String::new(),
        };
        line.seal = line.proper_seal(&self.secret);
        transaction
            .execute(
                "insert into audit_log (seq, at, actor, action, account_id, subject, details, seal) \
                 values ($1, $2, $3, $4, $5, $6, $7, $8)",
                &[
                    seq.into(),
                    now_ms.into(),
                    (&line.actor).into(),
                    (&line.action).into(),
                    line.account_id.as_deref().into(),
                    (&line.subject).into(),
                    (&line.details).into(),
                    (&line.seal).into(),
                ],
            )
            .await?;
        transaction.commit().await?;
        Ok(seq)
    }

    /// Lines behind a number, in their order.
    pub async fn list_audit_events(&self, after: i64, limit: i64) -> Result<Vec<LoggedEvent>> {
        self.engine
            .query(
                "select seq, at, actor, action, account_id, subject, details, seal from audit_log \
                 where seq > $1 order by seq limit $2",
                &[after.into(), limit.into()],
                line_of,
            )
            .await
    }

    /// The number of the newest line; 0 before the first.
    pub async fn newest_audit_event(&self) -> Result<i64> {
        let seq =
            self.engine
                .query_opt("select seq from audit_log_head where id = 1", &[], |row| row.get(0));
        Ok(seq.await?.unwrap_or(0))
    }

    /// Drops the lines from the beginning up to the last one that is older than an instant, some at a
    /// time. Gives how many.
    pub async fn purge_audit_events(&self, before_ms: i64) -> Result<u64> {
        self.engine
            .execute(
                "delete from audit_log where seq <= \
                 (select coalesce(max(seq), 0) from audit_log where at < $1 \
                 and seq < (select coalesce(min(seq), 0) from audit_log) + $2)",
                &[before_ms.into(), DROPPED_AT_A_TIME.into()],
            )
            .await
    }

    /// Goes through the log and gives what is wrong with it, one sentence each, and how many lines
    /// were looked at.
    pub async fn verify_audit_log(&self) -> Result<(u64, Vec<String>)> {
        let newest = self.newest_audit_event().await?;
        let (mut looked_at, mut wrong) = (0, Vec::new());
        let mut last: Option<i64> = None;
        loop {
            let page = self.list_audit_events(last.unwrap_or(0), PAGE).await?;
            if page.is_empty() {
                break;
            }
            for line in page {
                if let Some(missing) = last.filter(|last| line.seq != last + 1) {
                    wrong.push(format!("lines {} to {} are missing", missing + 1, line.seq - 1));
                }
                if !equal_in_constant_time(&line.seal, &line.proper_seal(&self.secret)) {
                    wrong.push(format!("line {}: it was changed or added", line.seq));
                }
                last = Some(line.seq);
                looked_at += 1;
            }
        }
        // Lines that were written while this went through the log are no fault.
        if last.unwrap_or(newest) < newest {
            wrong.push(format!("lines end at {}, {newest} were written", last.unwrap_or(0)));
        }
        Ok((looked_at, wrong))
    }
}

impl LoggedEvent {
    fn proper_seal(&self, secret: &Secret) -> String {
        let account_id = self.account_id.as_deref();
        secret.seal_audit_event(&[
            &self.seq.to_le_bytes(),
            &self.at.to_le_bytes(),
            self.actor.as_bytes(),
            self.action.as_bytes(),
            &[u8::from(account_id.is_some())],
            account_id.unwrap_or_default().as_bytes(),
            self.subject.as_bytes(),
            self.details.as_bytes(),
        ])
    }
}

fn line_of(row: &Row<'_>) -> Result<LoggedEvent> {
    Ok(LoggedEvent {
        seq: row.get(0)?,
        at: row.get(1)?,
        actor: row.get(2)?,
        action: row.get(3)?,
        account_id: row.get(4)?,
        subject: row.get(5)?,
        details: row.get(6)?,
        seal: row.get(7)?,
    })
}
