//! Account functions shared by the console and the command line: keys, passwords, email, the audit
//! log.

pub mod audit_log;
pub mod email;
pub mod key_expiry;
pub mod mail;
pub mod member_mail;
pub mod new_keys;
pub mod passkeys;
pub mod passwords;
pub mod personal_data;
pub mod roles;
pub mod sso;
pub mod usage_days;
