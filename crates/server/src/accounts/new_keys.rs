//! Making a key.

use panji_store::calendar::rfc3339;
use panji_store::ledger::{Key, KeyText, Mode};
use serde_json::{Value, json};

use super::audit_log::written;

/// What the audit log says of a new key.
pub fn creation_event(key: &Key) -> Value {
    json!({
        "mode": key.mode.as_str(),
        "name": written(&key.name),
        "expires_at": key.expires_at.map(rfc3339),
        "allowed_ips": key.allowed_addresses.len(),
        "allowed_operations": key.allowed_operations.len(),
        "monthly_cap": key.monthly_cap,
    })
}

/// A new key from the operating system's generator.
pub fn generate_key(mode: Mode) -> Result<KeyText, String> {
    let mut failure = None;
    let text = KeyText::generate(mode, |bytes| {
        if let Err(error) = getrandom::fill(bytes) {
            failure = Some(error);
            // Any bytes end the loop; the key is thrown away.
            bytes.fill(1);
        }
    });
    match failure {
        None => Ok(text),
        Some(error) => Err(format!("the system gives no random bytes: {error}")),
    }
}
