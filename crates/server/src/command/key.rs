//! `panji key`: create, list, revoke and roll keys. Only a new key is written to
//! standard output, once.

use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use panji_api::accounts::new_keys::{creation_event, generate_key, reconcile_settings};
use panji_api::config::Config;
use panji_api::config::ip_networks::parse_network;
use panji_api::config::operation::Operation;
use panji_api::databases::{IfAbsent, open_ledger};
use panji_store::Ledger;
use panji_store::calendar::{now_ms, rfc3339};
use panji_store::ledger::{Key, KeyKind, KeyText, Mode, NewKey};
use serde_json::{Value, json};

use super::account;
use super::error::{CommandError, KeyError};
use super::log::log_command;
use super::output::{note, print, print_table};
use super::values::{ValueError, whole_number};

#[derive(Subcommand)]
pub enum KeyCommand {
    /// Create a key and print it; it cannot be displayed again
    #[command(after_help = "Examples:
  panji key create --account asha@firm.example --mode live
  panji key create --account asha@firm.example --mode test --name staging --expires 2999-03-31 --allow-ip 203.0.113.0/24
  panji key create --reconcile --account asha@firm.example --mode live --monthly-cap 5000")]
    Create {
        /// Create a token of the reconciliation service, for OpenRefine: it may only match and extend,
        /// within its monthly cap
        #[arg(long, conflicts_with = "allow_operation")]
        reconcile: bool,
        /// The account's email address
        #[arg(long, value_name = "EMAIL")]
        account: String,
        /// test returns sample data, live reads the register
        #[arg(long)]
        mode: ModeWord,
        /// A name for the key
        #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
        name: String,
        /// When it expires: a date (2027-03-31, the end of that day in India) or a time
        /// (2027-03-31T12:00:00Z)
        #[arg(long, value_name = "DATE", value_parser = parse_expiry)]
        expires: Option<i64>,
        /// An address or network (CIDR) it may be used from; may be repeated
        #[arg(long, value_name = "CIDR", value_parser = parse_address)]
        allow_ip: Vec<String>,
        /// An operation it may call, such as getCompany; may be repeated
        #[arg(long, value_name = "OPERATION", value_parser = parse_operation)]
        allow_operation: Vec<String>,
        /// Credits it may spend in one calendar month
        #[arg(long, value_name = "CREDITS", allow_negative_numbers = true)]
        #[arg(value_parser = whole_number(0, i64::MAX))]
        monthly_cap: Option<i64>,
    },
    /// List an account's keys
    #[command(after_help = "Example:
  panji key list --account asha@firm.example")]
    List {
        /// The account's email address
        #[arg(long, value_name = "EMAIL")]
        account: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key permanently
    #[command(after_help = "Example:
  panji key revoke key_01KA0000000000000000000000")]
    Revoke {
        /// The key's id, as in the list
        #[arg(value_name = "KEY_ID")]
        key: String,
    },
    /// Create a key with the same permissions as another, which expires later
    #[command(after_help = "Example:
  panji key roll key_01KA0000000000000000000000 --overlap-minutes 1440")]
    Roll {
        /// The key's id, as in the list
        #[arg(value_name = "KEY_ID")]
        key: String,
        /// How many minutes the old key stays valid
        #[arg(long, value_name = "MINUTES", default_value_t = 60, allow_negative_numbers = true)]
        #[arg(value_parser = whole_number(0, 525_600))]
        overlap_minutes: i64,
    },
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ModeWord {
    Test,
    Live,
}

impl From<ModeWord> for Mode {
    fn from(word: ModeWord) -> Mode {
        match word {
            ModeWord::Test => Mode::Test,
            ModeWord::Live => Mode::Live,
        }
    }
}

fn parse_address(text: &str) -> Result<String, ValueError> {
    let expected = ValueError::Expected("an address or a network such as 203.0.113.0/24");
    let network = parse_network(text).ok_or(expected)?;
    Ok(network.to_string())
}

fn parse_operation(text: &str) -> Result<String, ValueError> {
    let ids: Vec<&str> = Operation::ALL.iter().map(|operation| operation.id()).collect();
    let known =
        Operation::from_id(text).ok_or_else(|| ValueError::OneOf { names: ids.join(", ") })?;
    Ok(known.id().to_owned())
}

/// A key that is already expired is a mistake.
fn parse_expiry(text: &str) -> Result<i64, ValueError> {
    let at = parse_instant(text)?;
    if at <= now_ms() {
        return Err(ValueError::Past);
    }
    Ok(at)
}

/// A date means the end of that day in India.
fn parse_instant(text: &str) -> Result<i64, ValueError> {
    let instant: Result<jiff::Timestamp, _> = text.parse();
    let end_of_day = || format!("{text}T23:59:59.999+05:30").parse::<jiff::Timestamp>();
    instant.or_else(|_| end_of_day()).map(jiff::Timestamp::as_millisecond).map_err(|_| {
        ValueError::Expected("a date such as 2027-03-31 or a time such as 2027-03-31T12:00:00Z")
    })
}

pub async fn run(config: &Config, command: KeyCommand) -> Result<ExitCode, CommandError> {
    let ledger = open_ledger(config, IfAbsent::Refuse).await?;
    match command {
        KeyCommand::Create {
            reconcile,
            account,
            mode,
            name,
            expires,
            allow_ip,
            allow_operation,
            monthly_cap,
        } => {
            let account = account::find(&ledger, &account).await?;
            let new = NewKey {
                name,
                expires_at: expires,
                allowed_addresses: allow_ip,
                allowed_operations: allow_operation,
                monthly_cap,
            };
            let (kind, new) = match reconcile {
                true => (KeyKind::Reconcile, reconcile_settings(new)),
                false => (KeyKind::Api, new),
            };
            let capped = new.monthly_cap.filter(|_| reconcile && monthly_cap.is_none());
            print(create(&ledger, &account.id, (kind, mode.into()), new).await?.as_str());
            if let Some(cap) = capped {
                note(&format!(
                    "the token may spend {cap} credits a month; --monthly-cap sets another cap"
                ));
            }
            if reconcile {
                note(
                    "a client calls the address of the service followed by /reconcile/ and the token",
                );
            }
        }
        KeyCommand::List { account, json } => {
            let account = account::find(&ledger, &account).await?;
            list(&ledger, &account.id, json).await?;
        }
        KeyCommand::Revoke { key } => {
            let key = find(&ledger, &key).await?;
            if !ledger.revoke_key(&key.id, now_ms()).await? {
                return Err(KeyError::AlreadyRevoked { id: key.id }.into());
            }
            log_command(&ledger, "key.revoke", Some(&key.account_id), &key.id, &json!({})).await;
            print(&format!("the key {} is revoked: it is refused within 5 seconds", key.id));
        }
        KeyCommand::Roll { key, overlap_minutes } => {
            let old = find(&ledger, &key).await?;
            if old.revoked_at.is_some() {
                return Err(KeyError::Revoked { id: old.id }.into());
            }
            let (text, now_ms) =
                (generate_key(old.kind(), old.mode).map_err(KeyError::from)?, now_ms());
            let rolled =
                ledger.roll_key(&old, &text, now_ms + overlap_minutes * 60_000, now_ms).await;
            let new = rolled?;
            let details = json!({"in_place_of": old.id, "overlap_minutes": overlap_minutes});
            log_command(&ledger, "key.roll", Some(&old.account_id), &new.id, &details).await;
            print(text.as_str());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Creates and stores a key.
pub async fn create(
    ledger: &Ledger,
    account_id: &str,
    (kind, mode): (KeyKind, Mode),
    new: NewKey,
) -> Result<KeyText, CommandError> {
    let text = generate_key(kind, mode).map_err(KeyError::from)?;
    let created = ledger.create_key(account_id, &text, new, now_ms()).await;
    let key = created?;
    log_command(ledger, "key.create", Some(account_id), &key.id, &creation_event(&key)).await;
    Ok(text)
}

async fn find(ledger: &Ledger, key_id: &str) -> Result<Key, CommandError> {
    let key = ledger.find_key_by_id(key_id).await?;
    Ok(key.ok_or_else(|| KeyError::NoKey { id: key_id.to_owned() })?)
}

async fn list(ledger: &Ledger, account_id: &str, json: bool) -> Result<(), CommandError> {
    let keys = ledger.list_keys(account_id).await?;
    if json {
        print(&Value::from(keys.iter().map(as_json).collect::<Vec<_>>()).to_string());
        return Ok(());
    }
    let rows: Vec<Vec<String>> = keys
        .into_iter()
        .map(|key| {
            let state = state(&key);
            let last_used = key.last_used_at.map_or("never".to_owned(), rfc3339);
            vec![key.id, key.hint, key.name, state, rfc3339(key.created_at), last_used]
        })
        .collect();
    print_table(&["ID", "KEY", "NAME", "STATE", "CREATED", "LAST USED"], &rows);
    Ok(())
}

fn state(key: &Key) -> String {
    match (key.revoked_at, key.expires_at) {
        (Some(_), _) => "revoked".to_owned(),
        (None, Some(at)) if at <= now_ms() => "expired".to_owned(),
        (None, Some(at)) => format!("until {}", rfc3339(at)),
        (None, None) => "active".to_owned(),
    }
}

fn as_json(key: &Key) -> Value {
    json!({
        "id": key.id,
        "key": key.hint,
        "kind": key.kind().as_str(),
        "mode": key.mode.as_str(),
        "name": key.name,
        "created_at": rfc3339(key.created_at),
        "expires_at": key.expires_at.map(rfc3339),
        "revoked_at": key.revoked_at.map(rfc3339),
        "last_used_at": key.last_used_at.map(rfc3339),
        "allowed_ips": key.allowed_addresses,
        "allowed_operations": key.allowed_operations,
        "monthly_cap": key.monthly_cap,
    })
}
