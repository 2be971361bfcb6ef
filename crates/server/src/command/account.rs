//! `panji account`: manages accounts.

use std::process::ExitCode;

use clap::Subcommand;
use panji_store::Ledger;
use panji_store::calendar::{now_ms, rfc3339};
use panji_store::ledger::Account;
use serde_json::json;

use super::account_data;
use super::log::log_command;
use super::output::{print, print_table};
use crate::config::Config;
use crate::console::reset::make_link;
use crate::databases::store_sentence;
use crate::databases::{IfAbsent, open_ledger};

#[derive(Subcommand)]
pub enum AccountCommand {
    /// Create an account
    #[command(after_help = "Example:
  panji account create --email asha@firm.example --name \"Asha & Co\"")]
    Create {
        /// The owner's e-mail address
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
        /// The owner's e-mail address
        #[arg(value_name = "EMAIL")]
        email: String,
    },
    /// Resume a suspended account
    #[command(after_help = "Example:
  panji account resume asha@firm.example")]
    Resume {
        /// The owner's e-mail address
        #[arg(value_name = "EMAIL")]
        email: String,
    },
    /// Print a link with which a person sets a new password for the console
    #[command(after_help = "Examples:
  panji account log-in-link asha@firm.example
  panji account log-in-link asha@firm.example --drop-second-factor")]
    LogInLink {
        /// The person's e-mail address
        #[arg(value_name = "EMAIL")]
        email: String,
        /// Also turn off the person's second factor
        #[arg(long)]
        drop_second_factor: bool,
    },
    /// Confirm an account's e-mail address, which gives it the daily free calls in live mode
    #[command(after_help = "Example:
  panji account confirm asha@firm.example")]
    Confirm {
        /// The owner's e-mail address
        #[arg(value_name = "EMAIL")]
        email: String,
    },
    /// Print all data stored about an account as JSON
    #[command(after_help = "Example:
  panji account export asha@firm.example > account.json")]
    Export {
        /// The owner's e-mail address
        #[arg(value_name = "EMAIL")]
        email: String,
    },
    /// Erase an account: its people, keys, billing details and lists; ledger entries and invoices
    /// are kept
    #[command(after_help = "Example:
  panji account erase asha@firm.example")]
    Erase {
        /// The owner's e-mail address
        #[arg(value_name = "EMAIL")]
        email: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Mark an account as the operator's: its members see every account in the console
    #[command(after_help = "Examples:
  panji account operator asha@firm.example
  panji account operator asha@firm.example --off")]
    Operator {
        /// The owner's e-mail address
        #[arg(value_name = "EMAIL")]
        email: String,
        /// Remove the mark
        #[arg(long)]
        off: bool,
    },
}

pub async fn run(config: &Config, command: AccountCommand) -> Result<ExitCode, String> {
    let if_absent = match &command {
        AccountCommand::Create { email, .. } => {
            check_email(email)?;
            IfAbsent::Create
        }
        _ => IfAbsent::Refuse,
    };
    let ledger = open_ledger(config, if_absent).await?;
    match command {
        AccountCommand::Create { email, name } => {
            let account = ledger.create_account(&email, &name, now_ms()).await;
            let id = account.map_err(|error| store_sentence(&error))?.id;
            log_command(&ledger, "account.create", Some(&id), &id, &json!({})).await;
            print(&id);
        }
        AccountCommand::List { json } => list(&ledger, json).await?,
        AccountCommand::Suspend { email } => set_suspended(&ledger, &email, true).await?,
        AccountCommand::Resume { email } => set_suspended(&ledger, &email, false).await?,
        AccountCommand::LogInLink { email, drop_second_factor } => {
            print_link(config, &ledger, &email, drop_second_factor).await?;
        }
        AccountCommand::Confirm { email } => {
            let account = find(&ledger, &email).await?;
            let confirmed = ledger.confirm_account(&account.email, now_ms()).await;
            confirmed.map_err(|error| store_sentence(&error))?;
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

/// The account with an e-mail address, or an error sentence.
pub async fn find(ledger: &Ledger, email: &str) -> Result<Account, String> {
    let account = ledger.find_account(email).await.map_err(|error| store_sentence(&error))?;
    account.ok_or_else(|| format!("there is no account for {email}: see 'panji account list'"))
}

fn check_email(email: &str) -> Result<(), String> {
    if crate::accounts::email::is_email(email) {
        Ok(())
    } else {
        Err(format!("{email:?} is not an e-mail address"))
    }
}

async fn list(ledger: &Ledger, json: bool) -> Result<(), String> {
    let sentence = |error| store_sentence(&error);
    let mut accounts = ledger.list_accounts("").await.map_err(sentence)?;
    while let Some(last) = accounts.last().map(|account| account.id.clone()) {
        let more = ledger.list_accounts(&last).await.map_err(sentence)?;
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
    drop_second_factor: bool,
) -> Result<(), String> {
    let sentence = |error| store_sentence(&error);
    let link = make_link(ledger, &config.public_url(), email).await.map_err(sentence)?;
    let (link, person_id) =
        link.ok_or_else(|| format!("there is no person with the address {email}"))?;
    log_command(ledger, "password.link", None, &person_id, &json!({})).await;
    if drop_second_factor {
        ledger.set_totp(&person_id, None, None).await.map_err(sentence)?;
        log_command(ledger, "second_factor.off", None, &person_id, &json!({})).await;
    }
    print(&link);
    Ok(())
}

async fn set_suspended(ledger: &Ledger, email: &str, suspended: bool) -> Result<(), String> {
    let account = find(ledger, email).await?;
    let at = suspended.then(now_ms);
    ledger.set_suspended(&account.id, at).await.map_err(|error| store_sentence(&error))?;
    let action = if suspended { "account.suspend" } else { "account.resume" };
    log_command(ledger, action, Some(&account.id), &account.id, &json!({})).await;
    let email = &account.email;
    print(&match (suspended, account.suspended_at.is_some()) {
        (true, false) => {
            format!("{email} is suspended: its keys are refused within 3 seconds")
        }
        (true, true) => format!("{email} was already suspended"),
        (false, true) => format!("{email} is resumed: its keys work again within 3 seconds"),
        (false, false) => format!("{email} was not suspended: nothing was changed"),
    });
    Ok(())
}

async fn set_operator(ledger: &Ledger, email: &str, on: bool) -> Result<(), String> {
    let account = find(ledger, email).await?;
    let email = &account.email;
    if on == account.operator_since.is_some() {
        let state =
            if on { "is already an operator's account" } else { "is not an operator's account" };
        print(&format!("{email} {state}: nothing was changed"));
        return Ok(());
    }
    let marked = ledger.set_operator(&account.id, on.then(now_ms)).await;
    marked.map_err(|error| store_sentence(&error))?;
    let details = json!({"on": on});
    log_command(ledger, "account.operator", Some(&account.id), &account.id, &details).await;
    print(&if on {
        format!("{email} is an operator's account now: its owners see every account in the console")
    } else {
        format!(
            "{email} is no longer an operator's account: its owners see their own accounts only"
        )
    });
    Ok(())
}
