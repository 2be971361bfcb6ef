//! Creates API keys.

use panji_store::calendar::rfc3339;
use panji_store::ledger::{Key, KeyKind, KeyText, Mode, NewKey};
use serde_json::{Value, json};

use super::audit_log::truncate_input;
use crate::config::operation::Operation;

/// What a reconciliation token may spend in a month, if its creator does not say. It is part of an
/// address, so it is less well protected than an API key.
pub const RECONCILE_CAP: i64 = 10_000;

/// The system provides no random bytes, so no key was created.
#[derive(Debug, thiserror::Error)]
#[error("the operating system gave no random bytes: {0}")]
pub struct NoRandomBytes(#[source] getrandom::Error);

/// The audit details of a new key.
pub fn creation_event(key: &Key) -> Value {
    json!({
        "kind": key.kind().as_str(),
        "mode": key.mode.as_str(),
        "name": truncate_input(&key.name),
        "expires_at": key.expires_at.map(rfc3339),
        "allowed_ips": key.allowed_addresses.len(),
        "allowed_operations": key.allowed_operations.len(),
        "monthly_cap": key.monthly_cap,
    })
}

/// The settings of a reconciliation token: it may only match and extend, and has a cap.
pub fn reconcile_settings(new: NewKey) -> NewKey {
    let operations = Operation::IN_RECONCILIATION.map(|operation| operation.id().to_owned());
    NewKey {
        allowed_operations: operations.to_vec(),
        monthly_cap: new.monthly_cap.or(Some(RECONCILE_CAP)),
        ..new
    }
}

pub fn generate_key(kind: KeyKind, mode: Mode) -> Result<KeyText, NoRandomBytes> {
    let mut failure = None;
    let text = KeyText::generate(kind, mode, |bytes| {
        if let Err(error) = getrandom::fill(bytes) {
            failure = Some(error);
            // Any non-zero bytes end the generator's loop; the key is discarded.
            bytes.fill(1);
        }
    });
    match failure {
        None => Ok(text),
        Some(error) => Err(NoRandomBytes(error)),
    }
}
