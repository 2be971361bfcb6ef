//! The audit log: what people did. Each event is numbered and sealed.

use super::Ledger;
use super::seal::{Secret, equal_in_constant_time};
use crate::engine::Row;
use crate::error::{Result, StoreError};

/// Events read at a time.
const PAGE: i64 = 1_000;
/// Events deleted in one statement, so that charges do not wait.
const DELETE_BATCH: i64 = 10_000;
/// The longest text of an event, in bytes.
const MAX_TEXT: usize = 4_096;

/// Something that a person did. It contains no key and no whole PAN or GSTIN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    pub actor: String,
    /// The action, such as `key.create`.
    pub action: &'static str,
    /// The affected account.
    pub account_id: Option<String>,
    /// The id of the affected object, such as a key or an import.
    pub subject: String,
    /// Further data, as a JSON object.
    pub details: String,
}

/// An event in the audit log; the fields are those of [`AuditEvent`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    pub seq: i64,
    pub at: i64,
    pub actor: String,
    pub action: String,
    pub account_id: Option<String>,
    pub subject: String,
    pub details: String,
    seal: String,
}

impl Ledger {
    /// Adds an event and returns its number.
    pub async fn log_audit_event(&self, event: &AuditEvent, now_ms: i64) -> Result<i64> {
        let texts = [&event.actor, &event.subject, &event.details];
        if texts.iter().any(|text| text.len() > MAX_TEXT) {
            return Err(StoreError::Bug(format!(
                "an audit event has a text over {MAX_TEXT} bytes"
            )));
        }
        let mut transaction = self.engine.transaction().await?;
        transaction.execute("update audit_log_head set seq = seq + 1 where id = 1", &[]).await?;
        let seq = transaction
            .query_opt("select seq from audit_log_head where id = 1", &[], |row| row.get(0))
            .await?
            .ok_or_else(|| StoreError::Bug("the head of the audit log is missing".into()))?;
        let mut logged = LoggedEvent {
            seq,
            at: now_ms,
            actor: event.actor.clone(),
            action: event.action.to_owned(),
            account_id: event.account_id.clone(),
            subject: event.subject.clone(),
            details: event.details.clone(),
            seal: String::new(),
        };
        logged.seal = logged.expected_seal(&self.secret);
        transaction
            .execute(
                "insert into audit_log (seq, at, actor, action, account_id, subject, details, seal) \
                 values ($1, $2, $3, $4, $5, $6, $7, $8)",
                &[
                    seq.into(),
                    now_ms.into(),
                    (&logged.actor).into(),
                    (&logged.action).into(),
                    logged.account_id.as_deref().into(),
                    (&logged.subject).into(),
                    (&logged.details).into(),
                    (&logged.seal).into(),
                ],
            )
            .await?;
        transaction.commit().await?;
        Ok(seq)
    }

    /// Events after a number, in order.
    pub async fn list_audit_events(&self, after: i64, limit: i64) -> Result<Vec<LoggedEvent>> {
        self.engine
            .query(
                "select seq, at, actor, action, account_id, subject, details, seal from audit_log \
                 where seq > $1 order by seq limit $2",
                &[after.into(), limit.into()],
                logged_event,
            )
            .await
    }

    /// The number of the newest event; 0 if there is none.
    pub async fn newest_audit_seq(&self) -> Result<i64> {
        let seq =
            self.engine
                .query_opt("select seq from audit_log_head where id = 1", &[], |row| row.get(0));
        Ok(seq.await?.unwrap_or(0))
    }

    /// Deletes the events up to the last one before `before_ms`, a limited number at a time.
    /// Returns how many.
    pub async fn delete_expired_audit_events(&self, before_ms: i64) -> Result<u64> {
        self.engine
            .execute(
                "delete from audit_log where seq <= \
                 (select coalesce(max(seq), 0) from audit_log where at < $1 \
                 and seq < (select coalesce(min(seq), 0) from audit_log) + $2)",
                &[before_ms.into(), DELETE_BATCH.into()],
            )
            .await
    }

    /// Checks the whole log. Returns the number of events checked and one sentence per fault.
    pub async fn verify_audit_log(&self) -> Result<(u64, Vec<String>)> {
        let newest = self.newest_audit_seq().await?;
        let (mut checked, mut wrong) = (0, Vec::new());
        let mut last: Option<i64> = None;
        loop {
            let page = self.list_audit_events(last.unwrap_or(0), PAGE).await?;
            if page.is_empty() {
                break;
            }
            for event in page {
                if let Some(missing) = last.filter(|last| event.seq != last + 1) {
                    wrong.push(format!("events {} to {} are missing", missing + 1, event.seq - 1));
                }
                if !equal_in_constant_time(&event.seal, &event.expected_seal(&self.secret)) {
                    wrong.push(format!("event {}: it was changed or added", event.seq));
                }
                last = Some(event.seq);
                checked += 1;
            }
        }
        // Events written during the check are not a fault.
        if last.unwrap_or(newest) < newest {
            wrong.push(format!("events end at {}, {newest} were written", last.unwrap_or(0)));
        }
        Ok((checked, wrong))
    }
}

impl LoggedEvent {
    fn expected_seal(&self, secret: &Secret) -> String {
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

fn logged_event(row: &Row<'_>) -> Result<LoggedEvent> {
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
