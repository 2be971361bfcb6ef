//! `panji ledger audit`: recomputes the ledger from its entries.

use std::process::ExitCode;

use clap::Subcommand;
use panji_api::api::call::in_credits;
use panji_api::config::Config;
use panji_api::databases::{IfAbsent, open_ledger};
use panji_store::calendar::rfc3339;

use super::error::CommandError;
use super::output::{counted, print, print_error};

#[derive(Subcommand)]
pub enum LedgerCommand {
    /// Recompute every balance and quota and compare; exit status 1 on any difference or refund
    /// that is owed
    #[command(after_help = "Example:
  panji ledger audit")]
    Audit,
}

pub async fn run(config: &Config, command: &LedgerCommand) -> Result<ExitCode, CommandError> {
    let LedgerCommand::Audit = command;
    audit(config).await
}

/// Audits the ledger and prints the result.
pub async fn audit(config: &Config) -> Result<ExitCode, CommandError> {
    let ledger = open_ledger(config, IfAbsent::Refuse).await?;
    let audit = ledger.audit().await?;
    for difference in &audit.differences {
        let entry = difference.seq.map_or(String::new(), |seq| format!(", entry {seq}"));
        let (account, mode) = (&difference.account_id, difference.mode.as_str());
        print(&format!("{account}, {mode}{entry}: {}", difference.what));
    }
    for missing in &audit.missing_refunds {
        let (account, mode, request) =
            (&missing.account_id, missing.mode.as_str(), &missing.request_id);
        print(&format!(
            "{account}, {mode}: {request} was charged {} at {}, and the \
             caller got an error: panji credits refund --request {request}",
            in_credits(missing.credits),
            rfc3339(missing.at)
        ));
    }
    let total = format!(
        "{}, {}",
        counted(audit.accounts as i64, "account", "accounts"),
        counted(audit.entries as i64, "entry", "entries")
    );
    if audit.differences.is_empty() && !audit.missing_refunds.is_empty() {
        let missing = counted(audit.missing_refunds.len() as i64, "refund", "refunds");
        print_error(&format!("the ledger is consistent ({total}); owed: {missing}"));
        return Ok(ExitCode::from(1));
    }
    if audit.differences.is_empty() {
        print(&format!(
            "The ledger is consistent: {total}, every balance and quota follows from them."
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let differences = counted(audit.differences.len() as i64, "difference", "differences");
    print_error(&format!("the ledger is not consistent: {differences} in {total}"));
    Ok(ExitCode::from(1))
}
