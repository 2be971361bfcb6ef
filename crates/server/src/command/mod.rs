//! The command line: one file per subcommand.

mod account;
mod account_data;
mod backup;
mod check;
mod credits;
mod doctor;
mod generate;
mod import;
mod key;
mod ledger;
mod log;
mod output;
mod reindex;
mod restore;
mod serve;
mod sources;
mod status;

pub use account::is_email;
pub use key::{deed_of_new as deed_of_new_key, generate as generate_key};

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::config::{Config, Overrides};
use crate::crash;

/// Indian company, director, GST and PAN data as a JSON API.
#[derive(Parser)]
#[command(name = "panji", version, about, disable_help_subcommand = true)]
struct CommandLine {
    #[command(flatten)]
    settings: SettingFlags,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the API (also without any command)
    Serve,
    /// Load source files into the live register
    Import(import::ImportArguments),
    /// What the register holds, per source, how fresh it is, and the last imports
    Status(status::StatusArguments),
    /// List the formats that import knows, with their columns
    Sources(sources::SourcesArguments),
    /// Build the search index anew from the register, also while serving
    Reindex,
    /// Write a synthetic register, all invented, for tests and trials
    Generate(generate::GenerateArguments),
    /// Accounts: create, list, suspend, resume, log-in-link, operator, export, erase
    #[command(subcommand)]
    Account(account::AccountCommand),
    /// Keys: create, list, revoke, roll
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Credits: grant, show, history
    #[command(subcommand)]
    Credits(credits::CreditsCommand),
    /// The ledger: audit
    #[command(subcommand)]
    Ledger(ledger::LedgerCommand),
    /// The audit log of what people did: show, export, verify
    #[command(subcommand)]
    Log(log::LogCommand),
    /// Copy everything into a directory, also while serving
    Backup(backup::BackupArguments),
    /// Bring such a copy back into an empty data directory
    Restore(restore::RestoreArguments),
    /// Look at the set-up and say what is wrong
    Doctor(doctor::DoctorArguments),
    /// Check identifiers offline
    Check(check::CheckArguments),
    /// Print the interface description
    Openapi,
}

/// Settings that every command takes.
#[derive(Args)]
struct SettingFlags {
    /// A settings file [default: panji.toml, where there is one]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where the data lives [default: ./panji-data]
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<String>,
    /// Where to listen [default: 127.0.0.1:8080]
    #[arg(long, global = true, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Where to serve metrics for Prometheus [default: nowhere]
    #[arg(long, global = true, value_name = "ADDRESS")]
    metrics_listen: Option<String>,
    /// PostgreSQL's address, postgres://…; without it the embedded engine is used
    #[arg(long, global = true, value_name = "URL")]
    database_url: Option<String>,
    /// The address of PostgreSQL's standbys, for look-ups in the register
    #[arg(long, global = true, value_name = "URL")]
    read_database_url: Option<String>,
    /// The certificate chain for HTTPS, in PEM
    #[arg(long, global = true, value_name = "FILE")]
    tls_cert: Option<String>,
    /// Its private key, in PEM
    #[arg(long, global = true, value_name = "FILE")]
    tls_key: Option<String>,
    /// A proxy in front ends TLS
    #[arg(long, global = true)]
    behind_proxy: bool,
}

impl SettingFlags {
    fn load(&self) -> Result<Config, String> {
        let named = [
            ("data_dir", self.data_dir.clone()),
            ("listen", self.listen.clone()),
            ("database_url", self.database_url.clone()),
            ("read_database_url", self.read_database_url.clone()),
            ("metrics_listen", self.metrics_listen.clone()),
            ("tls_cert", self.tls_cert.clone()),
            ("tls_key", self.tls_key.clone()),
            ("behind_proxy", self.behind_proxy.then(|| "true".to_owned())),
        ];
        let settings = named
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| (name.to_owned(), value)))
            .collect();
        Config::load(&Overrides { file: self.config.clone(), settings }, std::env::vars())
    }
}

/// Runs the program: exit status 0, or 1 with one line on standard error, or 2 for wrong usage.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    crash::report_panics(output::complain);
    let command_line = match CommandLine::try_parse_from(arguments) {
        Ok(command_line) => command_line,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    match dispatch(command_line) {
        Ok(code) => code,
        Err(reason) => {
            output::complain(&reason);
            ExitCode::from(1)
        }
    }
}

fn dispatch(command_line: CommandLine) -> Result<ExitCode, String> {
    let CommandLine { settings, command } = command_line;
    // These need no settings and must work where those are wrong.
    match &command {
        Some(Command::Check(arguments)) => return check::run(arguments),
        Some(Command::Sources(arguments)) => return Ok(sources::run(arguments)),
        Some(Command::Generate(arguments)) => return generate::run(arguments),
        Some(Command::Openapi) => {
            output::print(crate::api::openapi::document_text().trim_end());
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    let config = settings.load()?;
    if matches!(command, Some(Command::Import(_) | Command::Reindex)) {
        step_back();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("the program could not start its threads: {error}"))?;
    runtime.block_on(async {
        match command {
            None | Some(Command::Serve) => serve::run(config).await,
            Some(Command::Import(arguments)) => import::run(&config, &arguments).await,
            Some(Command::Status(arguments)) => status::run(&config, &arguments).await,
            Some(Command::Reindex) => reindex::run(&config).await,
            Some(Command::Account(command)) => account::run(&config, command).await,
            Some(Command::Key(command)) => key::run(&config, command).await,
            Some(Command::Credits(command)) => credits::run(&config, command).await,
            Some(Command::Ledger(command)) => ledger::run(&config, &command).await,
            Some(Command::Log(command)) => log::run(&config, &command).await,
            Some(Command::Backup(arguments)) => backup::run(&config, &arguments).await,
            Some(Command::Doctor(arguments)) => doctor::run(&config, &arguments).await,
            Some(Command::Restore(arguments)) => restore::run(&config, &arguments).await,
            Some(
                Command::Check(_) | Command::Sources(_) | Command::Generate(_) | Command::Openapi,
            ) => Ok(ExitCode::SUCCESS),
        }
    })
}

/// Gives way to a node that serves on the same machine. What this process starts from here on does
/// the same; where it may not, it works as any other.
fn step_back() {
    const BEHIND_SERVING: i32 = 10;
    let _ = rustix::process::nice(BEHIND_SERVING);
}
