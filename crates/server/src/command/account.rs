//! `panji account`: who pays.

use std::process::ExitCode;

use clap::Subcommand;
use panji_store::Ledger;
use panji_store::calendar::{now_ms, rfc3339};
use panji_store::ledger::Account;
use serde_json::json;

use super::output::{print, print_table};
use crate::config::Config;
use crate::state::{open_ledger, store_sentence};

#[derive(Subcommand)]
pub enum AccountCommand {
    /// Make an account
    Create {
        /// The owner's e-mail address
        #[arg(long)]
        email: String,
        /// The account's name
        #[arg(long)]
        name: String,
    },
    /// List the accounts
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Suspend an account: its keys stop working
    Suspend {
        /// The owner's e-mail address
        #[arg(value_name = "EMAIL")]
        email: String,
    },
    /// Resume a suspended account
    Resume {
        /// The owner's e-mail address
        #[arg(value_name = "EMAIL")]
        email: String,
    },
}

pub async fn run(config: &Config, command: AccountCommand) -> Result<ExitCode, String> {
    let ledger = open_ledger(config).await?;
    match command {
        AccountCommand::Create { email, name } => {
            check_email(&email)?;
            let account = ledger.create_account(&email, &name, now_ms()).await;
            print(&account.map_err(|error| store_sentence(&error))?.id);
        }
        AccountCommand::List { json } => list(&ledger, json).await?,
        AccountCommand::Suspend { email } => set_suspended(&ledger, &email, true).await?,
        AccountCommand::Resume { email } => set_suspended(&ledger, &email, false).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The account of an e-mail address, or a sentence that there is none.
pub async fn find(ledger: &Ledger, email: &str) -> Result<Account, String> {
    let account = ledger.find_account(email).await.map_err(|error| store_sentence(&error))?;
    account.ok_or_else(|| format!("there is no account for {email}: see 'panji account list'"))
}

fn check_email(email: &str) -> Result<(), String> {
    let well_formed = email.split_once('@').is_some_and(|(user, domain)| {
        !user.is_empty()
            && domain.contains('.')
            && !domain.starts_with('.')
            && !domain.ends_with('.')
    });
    let clean = email.len() <= 254 && !email.trim().chars().any(|c| c.is_whitespace() || c == '<');
    if well_formed && clean { Ok(()) } else { Err(format!("{email:?} is no e-mail address")) }
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
            vec![
                account.email,
                account.name,
                state.to_owned(),
                rfc3339(account.created_at),
                account.id,
            ]
        })
        .collect();
    print_table(&["EMAIL", "NAME", "STATE", "CREATED", "ID"], &rows);
    Ok(())
}

async fn set_suspended(ledger: &Ledger, email: &str, suspended: bool) -> Result<(), String> {
    let account = find(ledger, email).await?;
    let at = suspended.then(now_ms);
    ledger.set_suspended(&account.id, at).await.map_err(|error| store_sentence(&error))
}
