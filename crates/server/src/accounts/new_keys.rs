//! Creates API keys.

use panji_store::calendar::rfc3339;
use panji_store::ledger::{Key, KeyText, Mode};
use serde_json::{Value, json};

use super::audit_log::truncate_input;

/// The system provides no random bytes, so no key was created.
#[derive(Debug, thiserror::Error)]
#[error("the system provides no random bytes: {0}")]
pub struct NoRandomBytes(#[source] getrandom::Error);

/// The audit details of a new key.
pub fn creation_event(key: &Key) -> Value {
    json!({
        "mode": key.mode.as_str(),
        "name": truncate_input(&key.name),
        "expires_at": key.expires_at.map(rfc3339),
        "allowed_ips": key.allowed_addresses.len(),
        "allowed_operations": key.allowed_operations.len(),
        "monthly_cap": key.monthly_cap,
    })
}

pub fn generate_key(mode: Mode) -> Result<KeyText, NoRandomBytes> {
    let mut failure = None;
    let text = KeyText::generate(mode, |bytes| {
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
