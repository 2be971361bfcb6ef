//! Writing to the audit log: who did what and from where, without keys and without whole PANs or GSTINs.

use std::net::IpAddr;

use panji_store::Ledger;
use panji_store::calendar::now_ms;
use panji_store::ledger::AuditEvent;
use serde_json::Value;

use crate::telemetry::redaction::redact;

/// Characters that are kept of a text that a person wrote.
const MAX_WRITTEN: usize = 200;
/// Characters of the unique part of our own ids.
const ID_CHARACTERS: usize = 26;

/// Who does something.
#[derive(Clone, Copy)]
pub enum Actor<'a> {
    /// Someone at the command line of a node.
    CommandLine,
    /// Someone who signed in, by the id, and their address.
    Person(&'a str, IpAddr),
    /// Someone at the console of whom only the address is known.
    Anonymous(IpAddr),
    /// A payment provider that tells of a payment, by its name.
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
            Actor::Anonymous(_) => "stranger".to_owned(),
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

/// Logs what was done. The deed is done already, so that a failure here is for the operator's eyes and
/// not for the doer's: it is given back to be shown.
pub async fn log(
    ledger: &Ledger,
    actor: &Actor<'_>,
    action: &'static str,
    account_id: Option<&str>,
    subject: &str,
    details: &Value,
) -> Result<(), String> {
    let mut details = hide(details);
    if let (Some(address), Some(fields)) = (actor.address(), details.as_object_mut()) {
        fields.insert("address".to_owned(), Value::from(address.to_string()));
    }
    let deed = AuditEvent {
        actor: actor.name(),
        action,
        account_id: account_id.map(str::to_owned),
        subject: hide_in_text(subject),
        details: details.to_string(),
    };
    let logged = ledger.log_audit_event(&deed, now_ms()).await;
    logged
        .map(drop)
        .map_err(|error| format!("{action} was done and is not in the audit log: {error}"))
}

/// Logs what was done while serving; a failure goes to the log of the service.
pub async fn log_served(
    ledger: &Ledger,
    actor: &Actor<'_>,
    action: &'static str,
    account_id: Option<&str>,
    subject: &str,
    details: &Value,
) {
    if let Err(reason) = log(ledger, actor, action, account_id, subject, details).await {
        tracing::error!(account = account_id, "{reason}");
    }
}

/// As much of a text that a person wrote as is kept.
pub fn written(text: &str) -> String {
    text.chars().take(MAX_WRITTEN).collect()
}

/// An e-mail address of which a reader who knows it is reminded, and others learn little.
pub fn masked_email(email: &str) -> String {
    let (user, domain) = email.split_once('@').unwrap_or((email, ""));
    let first: String = user.chars().take(1).collect();
    format!("{first}…@{}", written(domain))
}

/// The same with every text in it hidden as far as it must be.
fn hide(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(hide_in_text(text)),
        Value::Array(values) => values.iter().map(hide).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), hide(value))).collect()
        }
        other => other.clone(),
    }
}

/// An id of ours is chance, and may look as if a PAN were inside: it stays, or nobody would find
/// what it names.
fn hide_in_text(text: &str) -> String {
    let unique = text.rsplit_once('_').map_or(text, |(_, unique)| unique);
    let ours = unique.len() == ID_CHARACTERS && ulid::Ulid::from_string(unique).is_ok();
    if ours { text.to_owned() } else { redact(text) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_people_wrote_is_hidden_and_our_own_ids_are_not() {
        let id = "key_01M7ABCDE1234FGHJKMNPQRSTV";
        let hidden = hide(&json!({
            "name": "of ZZDCK9534Q", "in_place_of": id, "list": ["27ZZDCK9534Q1ZN"], "amount": 5,
        }));
        let expected = json!({
            "name": "of ZZDCKXXXXQ", "in_place_of": id, "list": ["27ZZDCKXXXXQ1ZN"], "amount": 5,
        });
        assert_eq!(hidden, expected);
        assert_eq!(hide_in_text("ZZDCK9534Q"), "ZZDCKXXXXQ");
    }

    #[test]
    fn an_address_is_masked_whatever_it_looks_like() {
        assert_eq!(masked_email("asha@firm.example"), "a…@firm.example");
        assert_eq!(masked_email("@firm.example"), "…@firm.example");
        assert_eq!(masked_email("asha"), "a…@");
    }
}
