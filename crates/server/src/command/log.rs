//! `panji log`: displays, exports and verifies the audit log.

use std::process::ExitCode;

use clap::Subcommand;
use panji_api::accounts::audit_log::{self, Actor};
use panji_api::config::Config;
use panji_api::databases::{IfAbsent, open_ledger};
use panji_store::Ledger;
use panji_store::calendar::rfc3339;
use panji_store::ledger::LoggedEvent;
use serde_json::{Value, json};

use super::error::CommandError;
use super::output::{counted, print, print_error, print_table};
use super::values::whole_number;

/// Events per page.
const PAGE: i64 = 1_000;

#[derive(Subcommand)]
pub enum LogCommand {
    /// Show the newest events
    #[command(after_help = "Example:
  panji log show --limit 20")]
    Show {
        /// How many events
        #[arg(long, value_name = "N", default_value_t = 50, allow_negative_numbers = true)]
        #[arg(value_parser = whole_number(1, 100_000))]
        limit: i64,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print every event as JSON, oldest first
    #[command(after_help = "Examples:
  panji log export > audit-log.jsonl
  panji log export --after 1200 > audit-log.jsonl")]
    Export {
        /// Only events after this number, to continue after the last export
        #[arg(long, value_name = "SEQ", default_value_t = 0, allow_negative_numbers = true)]
        #[arg(value_parser = whole_number(0, i64::MAX))]
        after: i64,
    },
    /// Verify the events by their numbers and seals; exit status 1 if any is wrong
    #[command(after_help = "Example:
  panji log verify")]
    Verify,
}

pub async fn run(config: &Config, command: &LogCommand) -> Result<ExitCode, CommandError> {
    let ledger = open_ledger(config, IfAbsent::Refuse).await?;
    match command {
        LogCommand::Show { limit, json } => {
            let newest = ledger.newest_audit_seq().await?;
            let mut events = ledger.list_audit_events(newest - limit, *limit).await?;
            events.reverse();
            show(&events, *json);
        }
        LogCommand::Export { after } => {
            let mut after = *after;
            loop {
                let page = ledger.list_audit_events(after, PAGE).await?;
                let Some(last) = page.last() else { break };
                after = last.seq;
                page.iter().for_each(|event| print(&as_json(event).to_string()));
            }
        }
        LogCommand::Verify => {
            let (events, wrong) = ledger.verify_audit_log().await?;
            let events = counted(events as i64, "event", "events");
            wrong.iter().for_each(|sentence| print(sentence));
            if !wrong.is_empty() {
                let faults = counted(wrong.len() as i64, "fault", "faults");
                print_error(&format!("the audit log is not consistent: {faults} in {events}"));
                return Ok(ExitCode::from(1));
            }
            print(&format!("The audit log is consistent: {events}."));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Logs an action of a command. The action has been performed, so a failure to log it is only
/// printed.
pub async fn log_command(
    ledger: &Ledger,
    action: &'static str,
    account_id: Option<&str>,
    subject: &str,
    details: &Value,
) {
    let logged =
        audit_log::log(ledger, &Actor::CommandLine, action, account_id, subject, details).await;
    if let Err(error) = logged {
        print_error(&error.to_string());
    }
}

fn show(events: &[LoggedEvent], json: bool) {
    if json {
        print(&Value::from(events.iter().map(as_json).collect::<Vec<_>>()).to_string());
        return;
    }
    let rows: Vec<Vec<String>> = events
        .iter()
        .map(|event| {
            vec![
                event.seq.to_string(),
                rfc3339(event.at),
                event.actor.clone(),
                event.action.clone(),
                event.subject.clone(),
                event.details.clone(),
            ]
        })
        .collect();
    print_table(&["SEQ", "AT", "ACTOR", "ACTION", "SUBJECT", "DETAILS"], &rows);
}

fn as_json(event: &LoggedEvent) -> Value {
    // Stored by this program as JSON; if it is malformed, it is printed as text.
    let details: Value = serde_json::from_str(&event.details)
        .unwrap_or_else(|_| Value::from(event.details.as_str()));
    json!({
        "seq": event.seq,
        "at": rfc3339(event.at),
        "actor": event.actor,
        "action": event.action,
        "account_id": event.account_id,
        "subject": event.subject,
        "details": details,
    })
}
