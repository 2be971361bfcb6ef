//! `panji account`: manages accounts.

use std::process::ExitCode;

use clap::Subcommand;
use panji_api::accounts::email::is_email;
use panji_api::config::Config;
use panji_api::databases::{IfAbsent, open_ledger};
use panji_store::Ledger;
use panji_store::calendar::{now_ms, rfc3339};
use panji_store::ledger::Account;
use panji_web::console::links::PersonalLink;
use panji_web::console::log_in_link;
use panji_web::console::reset::make_link;
use serde_json::json;

use super::account_data;
use super::error::{AccountError, CommandError};
use super::log::log_command;
use super::output::{note, print, print_table};

#[derive(Subcommand)]
pub enum AccountCommand {
    /// Create an account
    #[command(after_help = "Example:
  panji account create --email asha@firm.example --name \"Asha & Co\"")]
    Create {
        /// The owner's email address
        #[arg(long, value_name = "EMAIL")]
        email: String,
        /// The account's name
        #[arg(long, value_name = "NAME")]
        name: String,
    },
    /// List the accounts
    #[command(after_help = "Examples:
  panji account list
  panji account list --json")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Suspend an account: its keys stop working
    #[command(after_help = "Example:
  panji account suspend asha@firm.example")]
    Suspend {
        /// The owner's email address
        #[arg(value_name = "EMAIL")]
        email: String,
    },
    /// Resume a suspended account
    #[command(after_help = "Example:
  panji account resume asha@firm.example")]
    Resume {
        /// The owner's email address
        #[arg(value_name = "EMAIL")]
        email: String,
    },
    /// Print a link to set a new password for the console
    #[command(after_help = "Examples:
  panji account log-in-link asha@firm.example
  panji account log-in-link asha@firm.example --drop-second-factor
  panji account log-in-link asha@firm.example --without-password")]
    LogInLink {
        /// The person's email address
        #[arg(value_name = "EMAIL")]
        email: String,
        /// Print a link that logs in once and sets no password; it also opens an account that requires
        /// single sign-on
        #[arg(long)]
        without_password: bool,
        /// Also turn off the person's two-factor authentication
        #[arg(long)]
        drop_second_factor: bool,
    },
    /// Confirm an account's email address, which enables the daily free calls in live mode
    #[command(after_help = "Example:
  panji account confirm asha@firm.example")]
    Confirm {
        /// The owner's email address
        #[arg(value_name = "EMAIL")]
        email: String,
    },
    /// Print all data of an account as JSON
    #[command(after_help = "Example:
  panji account export asha@firm.example > account.json")]
    Export {
        /// The owner's email address
        #[arg(value_name = "EMAIL")]
        email: String,
    },
    /// Erase an account: its people, keys, billing details and jobs; ledger entries and invoices are kept
    #[command(after_help = "Example:
  panji account erase asha@firm.example")]
    Erase {
        /// The owner's email address
        #[arg(value_name = "EMAIL")]
        email: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Make an account an operator account: its owners see every account in the console
    #[command(after_help = "Examples:
  panji account operator asha@firm.example
  panji account operator asha@firm.example --off")]
    Operator {
        /// The owner's email address
        #[arg(value_name = "EMAIL")]
        email: String,
        /// Make it a normal account again
        #[arg(long)]
        off: bool,
    },
}

pub async fn run(config: &Config, command: AccountCommand) -> Result<ExitCode, CommandError> {
    let if_absent = match &command {
        AccountCommand::Create { email, name } => {
            check_email(email)?;
            check_name(name)?;
            IfAbsent::Create
        }
        _ => IfAbsent::Refuse,
    };
    let ledger = open_ledger(config, if_absent).await?;
    match command {
        AccountCommand::Create { email, name } => {
            let id = ledger.create_account(&email, name.trim(), now_ms()).await?.id;
            log_command(&ledger, "account.create", Some(&id), &id, &json!({})).await;
            print(&id);
        }
        AccountCommand::List { json } => list(&ledger, json).await?,
        AccountCommand::Suspend { email } => set_suspended(&ledger, &email, true).await?,
        AccountCommand::Resume { email } => set_suspended(&ledger, &email, false).await?,
        AccountCommand::LogInLink { email, without_password, drop_second_factor } => {
            let options = (without_password, drop_second_factor);
            print_link(config, &ledger, &email, options).await?;
        }
        AccountCommand::Confirm { email } => {
            let account = find(&ledger, &email).await?;
            ledger.confirm_account(&account.email, now_ms()).await?;
            log_command(&ledger, "account.confirm", Some(&account.id), &account.id, &json!({}))
                .await;
            print(&format!("{} is confirmed", account.email));
        }
        AccountCommand::Export { email } => account_data::export(&ledger, &email).await?,
        AccountCommand::Erase { email, yes } => {
            account_data::erase(&ledger, &email, yes).await?;
        }
        AccountCommand::Operator { email, off } => set_operator(&ledger, &email, !off).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The account with an email address.
pub async fn find(ledger: &Ledger, email: &str) -> Result<Account, CommandError> {
    let account = ledger.find_account(email).await?;
    Ok(account.ok_or_else(|| AccountError::NoAccount { email: email.to_owned() })?)
}

fn check_email(email: &str) -> Result<(), AccountError> {
    if is_email(email) { Ok(()) } else { Err(AccountError::Email { email: email.to_owned() }) }
}

fn check_name(name: &str) -> Result<(), AccountError> {
    match name.trim().is_empty() {
        true => Err(AccountError::NoName),
        false => Ok(()),
    }
}

async fn list(ledger: &Ledger, json: bool) -> Result<(), CommandError> {
    let mut accounts = ledger.list_accounts("").await?;
    while let Some(last) = accounts.last().map(|account| account.id.clone()) {
        let more = ledger.list_accounts(&last).await?;
        if more.is_empty() {
            break;
        }
        accounts.extend(more);
    }
    if json {
        let accounts: Vec<_> = accounts
            .iter()
            .map(|account| {
                json!({
                    "id": account.id,
                    "email": account.email,
                    "name": account.name,
                    "created_at": rfc3339(account.created_at),
                    "suspended_at": account.suspended_at.map(rfc3339),
                    "operator_since": account.operator_since.map(rfc3339),
                    "confirmed_at": account.confirmed_at.map(rfc3339),
                })
            })
            .collect();
        print(&serde_json::Value::from(accounts).to_string());
        return Ok(());
    }
    let rows: Vec<Vec<String>> = accounts
        .into_iter()
        .map(|account| {
            let state = if account.suspended_at.is_some() { "suspended" } else { "active" };
            let operator = if account.operator_since.is_some() { "yes" } else { "no" };
            vec![
                account.email,
                account.name,
                state.to_owned(),
                operator.to_owned(),
                rfc3339(account.created_at),
                account.id,
            ]
        })
        .collect();
    print_table(&["EMAIL", "NAME", "STATE", "OPERATOR", "CREATED", "ID"], &rows);
    Ok(())
}

async fn print_link(
    config: &Config,
    ledger: &Ledger,
    email: &str,
    (without_password, drop_second_factor): (bool, bool),
) -> Result<(), CommandError> {
    let public_url = config.public_url();
    let (link, action) = match without_password {
        true => (log_in_link::make(ledger, &public_url, email).await?, "log_in.link"),
        false => (make_link(ledger, &public_url, email).await?, "password.link"),
    };
    let PersonalLink { address, person_id } =
        link.ok_or_else(|| AccountError::NoPerson { email: email.to_owned() })?;
    log_command(ledger, action, None, &person_id, &json!({})).await;
    if drop_second_factor {
        ledger.set_totp(&person_id, None, None).await?;
        log_command(ledger, "second_factor.off", None, &person_id, &json!({})).await;
    }
    print(&address);
    if config.public_url.is_empty() {
        // On standard error, so that a script reads the link alone.
        note(&format!(
            "the link assumes that the service listens on {}, the value of the setting listen. If \
             it does not, set listen or public_url in the settings file that both commands read, \
             or repeat --listen here",
            config.listen
        ));
    }
    Ok(())
}

async fn set_suspended(ledger: &Ledger, email: &str, suspended: bool) -> Result<(), CommandError> {
    let account = find(ledger, email).await?;
    let at = suspended.then(now_ms);
    ledger.set_suspended(&account.id, at).await?;
    let action = if suspended { "account.suspend" } else { "account.resume" };
    log_command(ledger, action, Some(&account.id), &account.id, &json!({})).await;
    let email = &account.email;
    print(&match (suspended, account.suspended_at.is_some()) {
        (true, false) => {
            format!("{email} is suspended: its keys are refused within 5 seconds")
        }
        (true, true) => format!("{email} is already suspended: nothing was changed"),
        (false, true) => format!("{email} is resumed: within 5 seconds its keys work again"),
        (false, false) => format!("{email} was not suspended: nothing was changed"),
    });
    Ok(())
}

async fn set_operator(ledger: &Ledger, email: &str, on: bool) -> Result<(), CommandError> {
    let account = find(ledger, email).await?;
    let email = &account.email;
    if on == account.operator_since.is_some() {
        let state =
            if on { "is already an operator account" } else { "is not an operator account" };
        print(&format!("{email} {state}: nothing was changed"));
        return Ok(());
    }
    ledger.set_operator(&account.id, on.then(now_ms)).await?;
    let details = json!({"on": on});
    log_command(ledger, "account.operator", Some(&account.id), &account.id, &details).await;
    print(&if on {
        format!("{email} is now an operator account: its owners see every account in the console")
    } else {
        format!("{email} is no longer an operator account: its owners see only their own accounts")
    });
    Ok(())
}
