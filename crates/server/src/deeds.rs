//! Writing to the audit log: who did what, without keys and without whole PANs or GSTINs.

use panji_store::Ledger;
use panji_store::calendar::now_ms;
use panji_store::ledger::Deed;
use serde_json::Value;

use crate::edge::hide_secrets;

/// Characters that are kept of a text that a person wrote.
const MAX_WRITTEN: usize = 200;

/// Who does something.
pub enum Actor<'a> {
    /// Someone at the command line of a node.
    CommandLine,
    /// Someone who signed in, by the id.
    Person(&'a str),
}

impl Actor<'_> {
    fn name(&self) -> String {
        match self {
            Actor::CommandLine => {
                let user = rustix::process::getuid().as_raw();
                let system = rustix::system::uname();
                format!("cli:{user}@{}", system.nodename().to_string_lossy())
            }
            Actor::Person(id) => (*id).to_owned(),
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
    let deed = Deed {
        actor: actor.name(),
        action,
        account_id: account_id.map(str::to_owned),
        subject: hide_secrets(subject),
        details: hide_secrets(&details.to_string()),
    };
    let logged = ledger.log_deed(&deed, now_ms()).await;
    logged
        .map(drop)
        .map_err(|error| format!("{action} was done and is not in the audit log: {error}"))
}

/// As much of a text that a person wrote as is kept.
pub fn written(text: &str) -> String {
    text.chars().take(MAX_WRITTEN).collect()
}
