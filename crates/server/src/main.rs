//! `panji`: see `panji --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    panji_server::command::run(std::env::args_os())
}
