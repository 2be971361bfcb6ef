//! `panji account export` and `erase`: an account's data, and its erasure.

use std::io::BufRead;

use panji_api::accounts::personal_data::{ExportPosition, erasure_event, next_part};
use panji_api::api::call::in_credits;
use panji_store::Ledger;
use panji_store::calendar::now_ms;
use panji_store::ledger::Mode;
use serde_json::json;

use super::account;
use super::error::{AccountError, CommandError};
use super::log::log_command;
use super::output::{counted, print, print_part, prompt};

/// The most bytes that are read of what is typed at the prompt.
const MAX_TYPED: u64 = 1_000;

/// Prints all data of an account as JSON.
pub async fn export(ledger: &Ledger, email: &str) -> Result<(), CommandError> {
    let account = account::find(ledger, email).await?;
    log_command(ledger, "account.export", Some(&account.id), &account.id, &json!({})).await;
    let mut position = ExportPosition::start(&account.id);
    while let Some((part, next)) = next_part(ledger, position).await? {
        print_part(&part);
        position = next;
    }
    Ok(())
}

/// Erases an account after its address was typed again, or at once with `sure`.
pub async fn erase(ledger: &Ledger, email: &str, sure: bool) -> Result<(), CommandError> {
    let account = account::find(ledger, email).await?;
    let balance = ledger.find_balance(&account.id, Mode::Live, now_ms()).await;
    let credits = balance?.map_or(0, |balance| balance.balance);
    if !sure {
        prompt(&format!(
            "This erases the people, keys, billing details and jobs of {} permanently, together with {} \
             in live mode.\nType the address again to continue: ",
            account.email,
            in_credits(credits)
        ));
        let mut typed = String::new();
        let mut input = std::io::Read::take(std::io::stdin().lock(), MAX_TYPED);
        input.read_line(&mut typed).map_err(AccountError::Input)?;
        if typed.trim().to_lowercase() != account.email {
            return Err(AccountError::NotConfirmed.into());
        }
    }
    let erased = ledger.erase_account(&account.id, now_ms()).await?;
    let erased = erased.ok_or_else(|| AccountError::AccountGone { email: email.to_owned() })?;
    let details = erasure_event(&erased);
    log_command(ledger, "account.erase", Some(&account.id), &account.id, &details).await;
    print(&format!(
        "{} is erased: {}, {}, {}. Its ledger entries and invoices are kept.",
        account.id,
        counted(erased.people as i64, "person", "people"),
        counted(erased.keys as i64, "key", "keys"),
        counted(erased.jobs as i64, "job", "jobs")
    ));
    Ok(())
}
