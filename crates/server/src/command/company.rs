//! `panji company`: companies that are in the register under several numbers.

use std::process::ExitCode;

use clap::Subcommand;
use panji_api::config::Config;
use panji_api::databases::{IfAbsent, open_ledger, open_register};
use panji_ids::CompanyId;
use panji_import::{PossibleDuplicate, find_duplicates};
use panji_store::calendar::{now_ms, rfc3339};
use panji_store::engine::Workload;
use panji_store::register::{JoinBasis, JoinDecision, Separated};
use panji_store::{Register, StoreError};
use serde_json::{Value, json};

use super::error::{CommandError, CompanyError};
use super::log::log_command;
use super::output::{print, print_error, print_table};

#[derive(Subcommand)]
pub enum CompanyCommand {
    /// List the numbers that were joined, and those that may be of the same company
    #[command(after_help = "Example:
  panji company duplicates")]
    Duplicates {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a number a former number of a company; the records under it are moved to the company
    #[command(after_help = "Example:
  panji company join U17110MH2001PLC990501 U17110MH2001PTC990501")]
    Join {
        /// The current number
        #[arg(value_name = "CIN")]
        cin: String,
        /// The former number
        #[arg(value_name = "FORMER_CIN")]
        former_cin: String,
    },
    /// Declare two numbers to be of different companies; joined ones are separated again
    #[command(after_help = "Example:
  panji company separate U17110MH2001PLC990501 U17110MH2001PTC990501")]
    Separate {
        /// The number of one company
        #[arg(value_name = "CIN")]
        cin: String,
        /// The number of the other company, or the number that was joined to the first
        #[arg(value_name = "OTHER_CIN")]
        other_cin: String,
    },
}

pub async fn run(config: &Config, command: &CompanyCommand) -> Result<ExitCode, CommandError> {
    let register = open_register(config, Workload::Import, IfAbsent::Refuse).await?;
    match command {
        CompanyCommand::Duplicates { json } => duplicates(&register, *json).await?,
        CompanyCommand::Join { cin, former_cin } => {
            let (cin, former_cin) = (canonical(cin)?, canonical(former_cin)?);
            join(&register, &cin, &former_cin).await?;
            log_decision(config, "company.join", &cin, &former_cin).await;
        }
        CompanyCommand::Separate { cin, other_cin } => {
            let (cin, other_cin) = (canonical(cin)?, canonical(other_cin)?);
            separate(&register, &cin, &other_cin).await?;
            log_decision(config, "company.separate", &cin, &other_cin).await;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn canonical(number: &str) -> Result<String, CompanyError> {
    let parsed = CompanyId::parse(number);
    let wrong = |cause| CompanyError::Number { number: number.to_owned(), cause };
    parsed.map(|id| id.as_str().to_owned()).map_err(wrong)
}

async fn log_decision(config: &Config, action: &'static str, cin: &str, other_cin: &str) {
    match open_ledger(config, IfAbsent::Create).await {
        Ok(ledger) => {
            log_command(&ledger, action, None, cin, &json!({"other_cin": other_cin})).await;
        }
        Err(error) => print_error(&format!("the decision is not in the audit log: {error}")),
    }
}

async fn join(register: &Register, cin: &str, former_cin: &str) -> Result<(), CommandError> {
    if cin == former_cin {
        return Err(CompanyError::SameNumber.into());
    }
    for number in [cin, former_cin] {
        is_current(register, number).await?;
    }
    if !register.join_companies(cin, former_cin, JoinBasis::Operator, now_ms()).await? {
        return Err(CompanyError::NotFound { cin: former_cin.to_owned() }.into());
    }
    print(&format!("{former_cin} is a former number of {cin} now"));
    Ok(())
}

async fn separate(register: &Register, cin: &str, other_cin: &str) -> Result<(), CommandError> {
    if cin == other_cin {
        return Err(CompanyError::SameNumber.into());
    }
    // Either of the two may be the former number.
    let (cin, other_cin) = match is_current(register, other_cin).await {
        Ok(()) => (other_cin, cin),
        Err(_) => (cin, other_cin),
    };
    is_current(register, cin).await?;
    match register.separate_companies(cin, other_cin, now_ms()).await? {
        Separated::Restored => print(&format!(
            "{other_cin} is a separate company again. Its directors, charges and other records \
             are still with {cin}: import their files again with --recheck"
        )),
        Separated::Noted => {
            print(&format!("{cin} and {other_cin} stay different companies in later imports"));
        }
    }
    Ok(())
}

/// Checks that a company has this number now.
async fn is_current(register: &Register, number: &str) -> Result<(), CommandError> {
    let current = register.find_company_reference(number).await?.map(|company| company.cin);
    match current {
        Some(cin) if cin == number => Ok(()),
        Some(cin) => Err(CompanyError::Former { former_cin: number.to_owned(), cin }.into()),
        None => Err(CompanyError::NotFound { cin: number.to_owned() }.into()),
    }
}

async fn duplicates(register: &Register, json: bool) -> Result<(), StoreError> {
    let decisions = register.list_join_decisions().await?;
    let possible = find_duplicates(register).await?.possible_duplicates;
    if json {
        let decisions: Vec<Value> = decisions.iter().map(decision_json).collect();
        let possible: Vec<Value> = possible.iter().map(possible_duplicate_json).collect();
        print(&json!({"decisions": decisions, "possible_duplicates": possible}).to_string());
        return Ok(());
    }
    if decisions.is_empty() && possible.is_empty() {
        print("No company is in the register under several numbers.");
    }
    if !decisions.is_empty() {
        let rows: Vec<Vec<String>> = decisions.iter().map(decision_row).collect();
        print_table(&["NUMBER", "OTHER NUMBER", "DECISION", "BASIS", "AT"], &rows);
    }
    print_possible_duplicates(possible.iter(), usize::MAX);
    Ok(())
}

/// Prints the pairs that a person has to decide about.
pub fn print_possible_duplicates<'a>(
    pairs: impl ExactSizeIterator<Item = &'a PossibleDuplicate>,
    limit: usize,
) {
    let count = pairs.len();
    if count == 0 {
        return;
    }
    print(&format!("Numbers that may be of the same company, not joined: {count}"));
    for PossibleDuplicate { first, second, reason } in pairs.take(limit) {
        print(&format!(
            "  {} {} and {} {}: {reason}",
            first.cin, first.name, second.cin, second.name
        ));
    }
    if count > limit {
        print("  … see all with: panji company duplicates");
    }
    print(
        "  Decide with: panji company join CIN FORMER_CIN, or panji company separate CIN OTHER_CIN",
    );
}

fn word(decision: &JoinDecision) -> &'static str {
    if decision.is_same { "joined" } else { "separate" }
}

fn decision_row(decision: &JoinDecision) -> Vec<String> {
    vec![
        decision.cin.clone(),
        decision.former_cin.clone(),
        word(decision).to_owned(),
        decision.basis.as_str().to_owned(),
        rfc3339(decision.decided_at),
    ]
}

fn decision_json(decision: &JoinDecision) -> Value {
    json!({
        "cin": decision.cin, "other_cin": decision.former_cin, "decision": word(decision),
        "basis": decision.basis.as_str(), "decided_at": rfc3339(decision.decided_at),
    })
}

fn possible_duplicate_json(pair: &PossibleDuplicate) -> Value {
    let side = |side: &panji_import::NumberAndName| json!({"cin": side.cin, "name": side.name});
    json!({"first": side(&pair.first), "second": side(&pair.second), "reason": pair.reason})
}
