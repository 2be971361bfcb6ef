//! The command line: one file per subcommand.

mod account;
mod account_data;
mod backup;
mod check;
mod company;
mod completions;
mod credits;
mod doctor;
mod error;
mod generate;
mod import;
mod key;
mod ledger;
mod log;
mod matching;
mod output;
mod register;
mod reindex;
mod rejects;
mod restore;
mod serve;
mod settings;
mod sources;
mod status;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use error::CommandError;
use panji_api::telemetry::crash;
use settings::SettingFlags;

/// Indian company, director, GST and PAN data as a JSON API.
#[derive(Parser)]
#[command(
    name = "panji",
    version,
    about,
    disable_help_subcommand = true,
    after_help = "Examples:
  panji                                 Serve at http://127.0.0.1:8080; the first start prints a test key
  panji import downloads/               Load source files into the register
  panji key create --account asha@firm.example --mode live

Run 'panji COMMAND --help' for details of a command."
)]
struct CommandLine {
    #[command(flatten)]
    settings: SettingFlags,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the API (also without any command)
    #[command(after_help = "Examples:
  panji serve
  panji serve --data-dir /var/lib/panji --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem
  panji serve --database-url postgres://panji@db.internal/panji --behind-proxy")]
    Serve,
    /// Load source files into the live register
    #[command(after_help = "Examples:
  panji import downloads/ masters.zip list.csv.gz
  panji import --dry-run downloads/
  panji import - < records.jsonl")]
    Import(import::ImportArguments),
    /// Show what the register contains, how fresh it is, and the last imports
    #[command(after_help = "Examples:
  panji status
  panji status --json")]
    Status(status::StatusArguments),
    /// List the formats that import supports, with their columns
    #[command(after_help = "Example:
  panji sources")]
    Sources(sources::SourcesArguments),
    /// Join and separate companies that are listed under several numbers: duplicates, join, separate
    #[command(
        subcommand,
        after_help = "Examples:
  panji company duplicates
  panji company join U17110MH2001PLC990501 U17110MH2001PTC990501"
    )]
    Company(company::CompanyCommand),
    /// Match the names of a list (CSV, XLSX, JSON lines) with companies, without credits
    #[command(after_help = "Examples:
  panji match vendors.csv > matched.csv
  panji match vendors.xlsx --column name=Party --column state=Province --out matched.xlsx")]
    Match(matching::MatchArguments),
    /// Rebuild the search indexes and the graph of networks from the register
    #[command(
        after_help = "A running service builds and updates them automatically. This command is needed only before
'panji match' where no service runs, after 'panji register accept', and if search or networks lack
records that the register has.

It can run while the service runs, which uses the old ones until the new ones are complete. It takes
about a minute for each million companies.

Example:
  panji reindex --data-dir /var/lib/panji"
    )]
    Reindex,
    /// Write a synthetic register, for tests and trials
    #[command(after_help = "Example:
  panji generate --companies 20000 --seed 7 --out sample/")]
    Generate(generate::GenerateArguments),
    /// Manage accounts: create, list, suspend, resume, confirm, log-in-link, operator, export, erase
    #[command(
        subcommand,
        after_help = "Examples:
  panji account create --email asha@firm.example --name \"Asha & Co\"
  panji account list"
    )]
    Account(account::AccountCommand),
    /// Manage API keys: create, list, revoke, roll
    #[command(
        subcommand,
        after_help = "Examples:
  panji key create --account asha@firm.example --mode live
  panji key list --account asha@firm.example"
    )]
    Key(key::KeyCommand),
    /// Grant, refund and show credits: grant, refund, show, history
    #[command(
        subcommand,
        after_help = "Examples:
  panji credits grant --account asha@firm.example --amount 1000 --reference invoice-17
  panji credits show --account asha@firm.example"
    )]
    Credits(credits::CreditsCommand),
    /// Verify the ledger: audit
    #[command(
        subcommand,
        after_help = "Example:
  panji ledger audit"
    )]
    Ledger(ledger::LedgerCommand),
    /// Check the file of the embedded register after another program wrote to it: accept
    #[command(
        subcommand,
        after_help = "Example:
  panji register accept"
    )]
    Register(register::RegisterCommand),
    /// Read the audit log: show, export, verify
    #[command(
        subcommand,
        after_help = "Examples:
  panji log show --limit 20
  panji log verify"
    )]
    Log(log::LogCommand),
    /// Back up ledger, register and secret into a directory, also while serving
    #[command(after_help = "Example:
  panji backup /backups/2026-11-15")]
    Backup(backup::BackupArguments),
    /// Restore a backup into an empty data directory
    #[command(after_help = "Example:
  panji restore /backups/2026-11-15 --data-dir /var/lib/panji")]
    Restore(restore::RestoreArguments),
    /// Check the installation and report problems
    #[command(after_help = "Examples:
  panji doctor
  panji doctor --fast --data-dir /var/lib/panji")]
    Doctor(doctor::DoctorArguments),
    /// Check identifiers offline
    #[command(after_help = "Examples:
  panji check L17111MH1994PLC990011 99000101
  panji check --type pan - < pans.txt")]
    Check(check::CheckArguments),
    /// Print the OpenAPI description
    #[command(after_help = "Example:
  panji openapi > openapi.json")]
    Openapi,
    /// Print a script that completes commands and options in a shell
    #[command(after_help = "Examples:
  panji completions bash > ~/.local/share/bash-completion/completions/panji
  panji completions zsh > ~/.zfunc/_panji
  panji completions fish > ~/.config/fish/completions/panji.fish")]
    Completions(completions::CompletionsArguments),
}

/// The command line, with unused options hidden in the help.
fn command_line() -> clap::Command {
    settings::hide_where_unused(CommandLine::command())
}

fn parse(arguments: impl Iterator<Item = OsString>) -> Result<CommandLine, clap::Error> {
    let mut command = command_line();
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    CommandLine::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Runs the program. The exit status is 0, or 1 with one line on standard error, or 2 for wrong
/// usage.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    crash::report_panics(output::print_error);
    let command_line = match parse(arguments) {
        Ok(command_line) => command_line,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    match dispatch(command_line) {
        Ok(code) => code,
        Err(error) => {
            output::print_error(&error.to_string());
            ExitCode::from(1)
        }
    }
}

fn dispatch(command_line: CommandLine) -> Result<ExitCode, CommandError> {
    let CommandLine { settings, command } = command_line;
    // These need no settings and must work even if the settings are wrong.
    match &command {
        Some(Command::Check(arguments)) => return check::run(arguments),
        Some(Command::Sources(arguments)) => return Ok(sources::run(arguments)),
        Some(Command::Generate(arguments)) => return generate::run(arguments),
        Some(Command::Completions(arguments)) => return completions::run(arguments),
        Some(Command::Openapi) => {
            output::print(panji_api::api::openapi::document_text().trim_end());
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    let config = settings.load()?;
    let serves = matches!(command, None | Some(Command::Serve));
    if let Some(warning) = config.warning.as_deref().filter(|_| !serves) {
        output::print_error(&format!("warning: {warning}"));
    }
    if matches!(command, Some(Command::Import(_) | Command::Reindex)) {
        lower_priority();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CommandError::Threads)?;
    runtime.block_on(async {
        match command {
            None | Some(Command::Serve) => serve::run(config).await,
            Some(Command::Import(arguments)) => import::run(&config, &arguments).await,
            Some(Command::Status(arguments)) => status::run(&config, &arguments).await,
            Some(Command::Company(command)) => company::run(&config, &command).await,
            Some(Command::Match(arguments)) => matching::run(&config, arguments).await,
            Some(Command::Reindex) => reindex::run(&config).await,
            Some(Command::Account(command)) => account::run(&config, command).await,
            Some(Command::Key(command)) => key::run(&config, command).await,
            Some(Command::Credits(command)) => credits::run(&config, command).await,
            Some(Command::Ledger(command)) => ledger::run(&config, &command).await,
            Some(Command::Register(command)) => register::run(&config, &command).await,
            Some(Command::Log(command)) => log::run(&config, &command).await,
            Some(Command::Backup(arguments)) => backup::run(&config, &arguments).await,
            Some(Command::Doctor(arguments)) => doctor::run(&config, &arguments).await,
            Some(Command::Restore(arguments)) => restore::run(&config, &arguments).await,
            Some(
                Command::Check(_)
                | Command::Sources(_)
                | Command::Generate(_)
                | Command::Completions(_)
                | Command::Openapi,
            ) => Ok(ExitCode::SUCCESS),
        }
    })
}

/// Lowers the priority below that of a node on the same machine. Threads and processes started
/// later inherit it. A failure is ignored.
fn lower_priority() {
    const BELOW_SERVING: i32 = 10;
    let _ = rustix::process::nice(BELOW_SERVING);
}

#[cfg(test)]
mod tests;
