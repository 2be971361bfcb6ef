//! `panji credits`: grant, refund and display credits.

use std::process::ExitCode;

use clap::Subcommand;
use panji_api::accounts::audit_log::truncate_input;
use panji_api::api::call::in_credits;
use panji_api::config::Config;
use panji_api::databases::{IfAbsent, open_ledger};
use panji_store::Ledger;
use panji_store::calendar::{now_ms, rfc3339};
use panji_store::ledger::{
    Account, BalanceSnapshot, CreditOutcome, EntryKind, Mode, RefundOutcome,
};
use serde_json::json;

use super::account;
use super::error::CommandError;
use super::key::ModeWord;
use super::log::log_command;
use super::output::{print, print_table};
use super::values::whole_number;

#[derive(Subcommand)]
pub enum CreditsCommand {
    /// Grant live credits to an account
    #[command(after_help = "Example:
  panji credits grant --account asha@firm.example --amount 1000 --reference invoice-17")]
    Grant {
        /// The account's email address
        #[arg(long, value_name = "EMAIL")]
        account: String,
        /// How many credits
        #[arg(long, value_name = "CREDITS", allow_negative_numbers = true)]
        #[arg(value_parser = whole_number(1, i64::MAX))]
        amount: i64,
        /// Your own reference for the grant; the same reference is granted once
        #[arg(long, value_name = "TEXT")]
        reference: Option<String>,
    },
    /// Refund the charge of one request, once
    #[command(after_help = "Example:
  panji credits refund --request req_01M7EPKS4ME68NYEFSAVB8ZH81 --account asha@firm.example")]
    Refund {
        /// The request's id, such as req_01M7EPKS4ME68NYEFSAVB8ZH81
        #[arg(long, value_name = "REQUEST_ID")]
        request: String,
        /// The account's email address; without it the entries of all accounts are searched
        #[arg(long, value_name = "EMAIL")]
        account: Option<String>,
    },
    /// Show an account's balances
    #[command(after_help = "Example:
  panji credits show --account asha@firm.example")]
    Show {
        /// The account's email address
        #[arg(long, value_name = "EMAIL")]
        account: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show an account's entries, newest first
    #[command(after_help = "Example:
  panji credits history --account asha@firm.example --limit 20")]
    History {
        /// The account's email address
        #[arg(long, value_name = "EMAIL")]
        account: String,
        /// Which balance
        #[arg(long, default_value = "live")]
        mode: ModeWord,
        /// How many entries
        #[arg(long, value_name = "N", default_value_t = 50, allow_negative_numbers = true)]
        #[arg(value_parser = whole_number(1, 100_000))]
        limit: i64,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub async fn run(config: &Config, command: CreditsCommand) -> Result<ExitCode, CommandError> {
    let ledger = open_ledger(config, IfAbsent::Refuse).await?;
    match command {
        CreditsCommand::Grant { account, amount, reference } => {
            let account = account::find(&ledger, &account).await?;
            grant(&ledger, &account, amount, reference.as_deref()).await?;
        }
        CreditsCommand::Refund { request, account } => {
            refund(&ledger, &request, account.as_deref()).await?;
        }
        CreditsCommand::Show { account, json } => {
            let account = account::find(&ledger, &account).await?;
            show_balances(&ledger, &account.id, json).await?;
        }
        CreditsCommand::History { account, mode, limit, json } => {
            let account = account::find(&ledger, &account).await?;
            let entries = ledger.list_entries(&account.id, mode.into(), limit).await;
            print_entries(&entries?, json);
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn show_balances(ledger: &Ledger, account_id: &str, json: bool) -> Result<(), CommandError> {
    let mut balances = Vec::new();
    for mode in [Mode::Live, Mode::Test] {
        let balance = ledger.find_balance(account_id, mode, now_ms()).await?;
        // Only live credits are bought, so only they can be refunded and owed.
        let owed = match mode {
            Mode::Live => ledger.find_owed(account_id).await?,
            Mode::Test => 0,
        };
        balances.extend(balance.map(|balance| (mode, balance, owed)));
    }
    if json {
        let of = |(mode, balance, owed): &(Mode, BalanceSnapshot, i64)| {
            json!({
                "mode": mode.as_str(),
                "balance": balance.balance,
                "owed": owed,
                "free_calls_used_today": balance.free_calls_used(),
            })
        };
        let balances: Vec<serde_json::Value> = balances.iter().map(of).collect();
        print(&serde_json::Value::from(balances).to_string());
        return Ok(());
    }
    let row = |(mode, balance, owed): &(Mode, BalanceSnapshot, i64)| {
        let numbers = [balance.balance, *owed, balance.free_calls_used()];
        let numbers = numbers.map(|number| number.to_string());
        [vec![mode.as_str().to_owned()], numbers.to_vec()].concat()
    };
    let rows: Vec<_> = balances.iter().map(row).collect();
    print_table(&["MODE", "BALANCE", "OWED", "FREE CALLS USED TODAY"], &rows);
    Ok(())
}

async fn grant(
    ledger: &Ledger,
    account: &Account,
    amount: i64,
    reference: Option<&str>,
) -> Result<(), CommandError> {
    let (kind, now_ms) = (EntryKind::Grant, now_ms());
    let granted = ledger.add_entry(&account.id, Mode::Live, kind, amount, reference, now_ms);
    match granted.await? {
        CreditOutcome::Added(entry) => {
            let details = json!({"amount": amount, "reference": truncate_input(&entry.reference)});
            log_command(ledger, "credits.grant", Some(&account.id), &account.id, &details).await;
            let granted = in_credits(entry.amount);
            print(&format!("{granted} granted, balance {}", entry.balance_after));
        }
        CreditOutcome::AlreadyAdded(entry) => {
            let balance = ledger.find_balance(&account.id, Mode::Live, now_ms).await;
            let balance = balance?.map_or(0, |balance| balance.balance);
            print(&format!(
                "nothing granted: the reference {} was used before, for {} at {}; balance \
                 {balance}",
                truncate_input(&entry.reference),
                in_credits(entry.amount),
                rfc3339(entry.at)
            ));
        }
    }
    Ok(())
}

async fn refund(
    ledger: &Ledger,
    request_id: &str,
    email: Option<&str>,
) -> Result<(), CommandError> {
    let account_id = match email {
        Some(email) => Some(account::find(ledger, email).await?.id),
        None => ledger.find_debited_account(request_id).await?,
    };
    let not_charged = || CommandError::NotCharged { request: truncate_input(request_id) };
    let account_id = account_id.ok_or_else(not_charged)?;
    let refunded = ledger.refund_debit(&account_id, request_id, now_ms()).await;
    match refunded? {
        RefundOutcome::Refunded(entry) => {
            let details = json!({"amount": entry.amount, "request": request_id});
            log_command(ledger, "credits.refund", Some(&account_id), &account_id, &details).await;
            let refunded = in_credits(entry.amount);
            print(&format!("{refunded} refunded, balance {}", entry.balance_after));
        }
        RefundOutcome::AlreadyRefunded(entry) => print(&format!(
            "nothing refunded: {} were refunded for this request at {}",
            in_credits(entry.amount),
            rfc3339(entry.at)
        )),
        RefundOutcome::NotCharged => return Err(not_charged()),
    }
    Ok(())
}

fn print_entries(entries: &[panji_store::ledger::Entry], json: bool) {
    if json {
        let of = |entry: &panji_store::ledger::Entry| {
            json!({
                "seq": entry.seq,
                "at": rfc3339(entry.at),
                "kind": entry.kind.as_str(),
                "amount": entry.amount,
                "balance_after": entry.balance_after,
                "reference": entry.reference,
            })
        };
        print(&serde_json::Value::from(entries.iter().map(of).collect::<Vec<_>>()).to_string());
        return;
    }
    let rows: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            vec![
                entry.seq.to_string(),
                rfc3339(entry.at),
                entry.kind.as_str().to_owned(),
                entry.amount.to_string(),
                entry.balance_after.to_string(),
                entry.reference.to_string(),
            ]
        })
        .collect();
    print_table(&["SEQ", "AT", "KIND", "AMOUNT", "BALANCE AFTER", "REFERENCE"], &rows);
}
