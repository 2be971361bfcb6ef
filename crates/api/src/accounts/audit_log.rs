//! Writes audit events: who did what and from where, without keys and without whole PANs or GSTINs.

use std::net::IpAddr;

use panji_store::calendar::now_ms;
use panji_store::ledger::AuditEvent;
use panji_store::{Ledger, StoreError};
use serde_json::Value;

use crate::telemetry::redaction::redact;

/// The most characters of user input in an event.
const MAX_INPUT: usize = 200;
/// The length of a ULID, the unique part of our own ids.
const ID_CHARACTERS: usize = 26;

/// All actions that are logged. docs/secure.md describes each.
pub const ACTIONS: &[&str] = &[
    "sign_up",
    "log_in",
    "log_in.failed",
    "log_in.link",
    "log_out",
    "password.change",
    "password.link",
    "password.reset",
    "passkey.add",
    "passkey.remove",
    "second_factor.on",
    "second_factor.off",
    "second_factor.codes",
    "second_factor.recovery",
    "sessions.end",
    "invitation.create",
    "invitation.revoke",
    "member.join",
    "member.change",
    "member.remove",
    "account.create",
    "account.rename",
    "account.suspend",
    "account.resume",
    "account.operator",
    "account.confirm",
    "account.export",
    "account.erase",
    "key.create",
    "key.revoke",
    "key.roll",
    "credits.grant",
    "credits.refund",
    "credits.buy",
    "credits.reverse",
    "job.approve",
    "job.cancel",
    "job.retry",
    "match.decide",
    "match.undo",
    "match.delete",
    "match.enrich",
    "watch.delete",
    "watch.digest",
    "webhook.create",
    "webhook.change",
    "webhook.rotate",
    "webhook.enable",
    "webhook.disable",
    "webhook.delete",
    "company.join",
    "company.separate",
    "import",
];

/// An action that has been performed and is not in the audit log.
#[derive(Debug, thiserror::Error)]
#[error("{action} was done and is not in the audit log: {cause}")]
pub struct NotLogged {
    pub action: &'static str,
    #[source]
    pub cause: StoreError,
}

/// Who performs an action.
#[derive(Clone, Copy)]
pub enum Actor<'a> {
    /// A user of the command line on a node.
    CommandLine,
    /// A signed-in user: the id and the address.
    Person(&'a str, IpAddr),
    /// A user of the console who is not signed in.
    Anonymous(IpAddr),
    /// A payment provider that reports a payment, by name.
    PaymentProvider(&'static str),
}

impl Actor<'_> {
    fn name(&self) -> String {
        match self {
            Actor::CommandLine => {
                let user = rustix::process::getuid().as_raw();
                let system = rustix::system::uname();
                format!("cli:{user}@{}", system.nodename().to_string_lossy())
            }
            Actor::Person(id, _) => (*id).to_owned(),
            Actor::Anonymous(_) => "anonymous".to_owned(),
            Actor::PaymentProvider(name) => (*name).to_owned(),
        }
    }

    fn address(&self) -> Option<IpAddr> {
        match self {
            Actor::Person(_, address) | Actor::Anonymous(address) => Some(*address),
            Actor::CommandLine | Actor::PaymentProvider(_) => None,
        }
    }
}

/// Logs an action that has been performed. If logging fails, the action stays.
pub async fn log(
    ledger: &Ledger,
    actor: &Actor<'_>,
    action: &'static str,
    account_id: Option<&str>,
    subject: &str,
    details: &Value,
) -> Result<(), NotLogged> {
    debug_assert!(ACTIONS.contains(&action), "{action} is not in ACTIONS");
    let mut details = redact_value(details);
    if let (Some(address), Some(fields)) = (actor.address(), details.as_object_mut()) {
        fields.insert("address".to_owned(), Value::from(address.to_string()));
    }
    let event = AuditEvent {
        actor: actor.name(),
        action,
        account_id: account_id.map(str::to_owned),
        subject: redact_text(subject),
        details: details.to_string(),
    };
    let logged = ledger.log_audit_event(&event, now_ms()).await;
    logged.map(drop).map_err(|cause| NotLogged { action, cause })
}

/// Like `log`, for requests: a failure is written to the service's log.
pub async fn log_served(
    ledger: &Ledger,
    actor: &Actor<'_>,
    action: &'static str,
    account_id: Option<&str>,
    subject: &str,
    details: &Value,
) {
    if let Err(error) = log(ledger, actor, action, account_id, subject, details).await {
        tracing::error!(account = account_id, "{error}");
    }
}

/// Truncates user input to `MAX_INPUT`.
pub fn truncate_input(text: &str) -> String {
    text.chars().take(MAX_INPUT).collect()
}

/// A redacted email address: a reader who knows the address recognizes it; others learn little.
pub fn redacted_email(email: &str) -> String {
    let (user, domain) = email.split_once('@').unwrap_or((email, ""));
    let first: String = user.chars().take(1).collect();
    format!("{first}…@{}", truncate_input(domain))
}

/// Redacts every string in a value.
fn redact_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(redact_text(text)),
        Value::Array(values) => values.iter().map(redact_value).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), redact_value(value))).collect()
        }
        other => other.clone(),
    }
}

/// Our own ids are random and may look as if they contained a PAN. They are not redacted, so that
/// they can still be looked up.
fn redact_text(text: &str) -> String {
    let unique = text.rsplit_once('_').map_or(text, |(_, unique)| unique);
    let is_own_id = unique.len() == ID_CHARACTERS && ulid::Ulid::from_string(unique).is_ok();
    if is_own_id { text.to_owned() } else { redact(text) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn user_input_is_redacted_and_own_ids_are_not() {
        let id = "key_01M7ABCDE1234FGHJKMNPQRSTV";
        let redacted = redact_value(&json!({
            "name": "of ZZDCK9534Q", "in_place_of": id, "list": ["27ZZDCK9534Q1ZN"], "amount": 5,
        }));
        let expected = json!({
            "name": "of ZZDCKXXXXQ", "in_place_of": id, "list": ["27ZZDCKXXXXQ1ZN"], "amount": 5,
        });
        assert_eq!(redacted, expected);
        assert_eq!(redact_text("ZZDCK9534Q"), "ZZDCKXXXXQ");
    }

    #[test]
    fn every_text_is_redacted_as_an_address() {
        assert_eq!(redacted_email("asha@firm.example"), "a…@firm.example");
        assert_eq!(redacted_email("@firm.example"), "…@firm.example");
        assert_eq!(redacted_email("asha"), "a…@");
    }
}
