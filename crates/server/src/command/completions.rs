//! `panji completions`: prints a completion script for a shell.

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use super::error::CommandError;
use super::output::print_part;

#[derive(Args)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub fn run(arguments: &CompletionsArguments) -> Result<ExitCode, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut super::command_line(), "panji", &mut script);
    print_part(&String::from_utf8(script).map_err(CommandError::Completions)?);
    Ok(ExitCode::SUCCESS)
}
