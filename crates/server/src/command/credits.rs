//! `panji credits`: given, shown, and where they went.

use std::process::ExitCode;

use clap::Subcommand;
use panji_store::calendar::{now_ms, rfc3339};
use panji_store::ledger::{EntryKind, Mode};
use serde_json::json;

use super::account;
use super::key::ModeWord;
use super::log::log_command;
use super::output::{print, print_table};
use crate::api::call::in_credits;
use crate::config::Config;
use crate::deeds::written;
use crate::state::{open_ledger, store_sentence};

#[derive(Subcommand)]
pub enum CreditsCommand {
    /// Give an account live credits
    Grant {
        /// The account's e-mail address
        #[arg(long, value_name = "EMAIL")]
        account: String,
        /// How many
        #[arg(long, value_parser = clap::value_parser!(i64).range(1..))]
        amount: i64,
        /// Your own name for the grant; the same name counts once
        #[arg(long)]
        reference: Option<String>,
    },
    /// Show an account's balances
    Show {
        /// The account's e-mail address
        #[arg(long, value_name = "EMAIL")]
        account: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show an account's entries, newest first
    History {
        /// The account's e-mail address
        #[arg(long, value_name = "EMAIL")]
        account: String,
        /// Which balance
        #[arg(long, default_value = "live")]
        mode: ModeWord,
        /// How many entries
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(i64).range(1..=100_000))]
        limit: i64,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub async fn run(config: &Config, command: CreditsCommand) -> Result<ExitCode, String> {
    let ledger = open_ledger(config).await?;
    let sentence = |error| store_sentence(&error);
    match command {
        CreditsCommand::Grant { account, amount, reference } => {
            let account = account::find(&ledger, &account).await?;
            let now_ms = now_ms();
            let entry = ledger
                .enter_credits(
                    &account.id,
                    Mode::Live,
                    EntryKind::Grant,
                    amount,
                    reference.as_deref(),
                    now_ms,
                )
                .await
                .map_err(sentence)?;
            // A reference that was used before gives the first grant again.
            if entry.at != now_ms {
                let standing = ledger.find_standing(&account.id, Mode::Live, now_ms).await;
                let balance = standing.map_err(sentence)?.map_or(0, |standing| standing.balance);
                print(&format!(
                    "nothing granted: the reference {} was used before, for {} at {}; balance \
                     {balance}",
                    written(&entry.reference),
                    in_credits(entry.amount),
                    rfc3339(entry.at)
                ));
            } else {
                let reference = written(&entry.reference);
                let details = json!({"amount": amount, "reference": reference});
                log_command(&ledger, "credits.grant", Some(&account.id), &account.id, &details)
                    .await;
                let granted = in_credits(entry.amount);
                print(&format!("{granted} granted, balance {}", entry.balance_after));
            }
        }
        CreditsCommand::Show { account, json } => {
            let account = account::find(&ledger, &account).await?;
            let mut balances = Vec::new();
            for mode in [Mode::Live, Mode::Test] {
                let standing =
                    ledger.find_standing(&account.id, mode, now_ms()).await.map_err(sentence)?;
                balances.extend(standing.map(|standing| (mode, standing)));
            }
            if json {
                let of = |(mode, standing): &(Mode, panji_store::ledger::Standing)| {
                    json!({
                        "mode": mode.as_str(),
                        "balance": standing.balance,
                        "owed": standing.owed,
                        "free_calls_used_today": standing.quota_used,
                    })
                };
                print(
                    &serde_json::Value::from(balances.iter().map(of).collect::<Vec<_>>())
                        .to_string(),
                );
            } else {
                let row = |(mode, standing): &(Mode, panji_store::ledger::Standing)| {
                    let numbers = [standing.balance, standing.owed, standing.quota_used];
                    let numbers = numbers.map(|number| number.to_string());
                    [vec![mode.as_str().to_owned()], numbers.to_vec()].concat()
                };
                let rows: Vec<_> = balances.iter().map(row).collect();
                print_table(&["MODE", "BALANCE", "OWED", "FREE CALLS USED TODAY"], &rows);
            }
        }
        CreditsCommand::History { account, mode, limit, json } => {
            let account = account::find(&ledger, &account).await?;
            let entries = ledger.list_entries(&account.id, mode.into(), i64::MAX, limit).await;
            print_entries(&entries.map_err(sentence)?, json);
        }
    }
    Ok(ExitCode::SUCCESS)
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
                entry.reference.clone(),
            ]
        })
        .collect();
    print_table(&["SEQ", "AT", "KIND", "AMOUNT", "BALANCE AFTER", "REFERENCE"], &rows);
}
