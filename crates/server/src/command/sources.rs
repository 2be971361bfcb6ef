//! `panji sources`: lists the formats that import supports, with their columns.

use std::process::ExitCode;

use clap::Args;
use panji_import::Format;
use serde_json::{Value, json};

use super::output::print;

#[derive(Args)]
pub struct SourcesArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &SourcesArguments) -> ExitCode {
    if arguments.json {
        let formats: Vec<Value> = Format::ALL.into_iter().map(as_json).collect();
        print(&Value::from(formats).to_string());
        return ExitCode::SUCCESS;
    }
    for (index, format) in Format::ALL.into_iter().enumerate() {
        if index > 0 {
            print("");
        }
        print(&format!("{}: {}", format.name(), format.title()));
        let columns = format.columns();
        let width = columns.iter().map(|(column, _)| column.chars().count()).max().unwrap_or(0);
        for (column, becomes) in columns {
            print(&format!("  {column:<width$}  {becomes}"));
        }
    }
    ExitCode::SUCCESS
}

fn as_json(format: Format) -> Value {
    let columns: Vec<Value> = format
        .columns()
        .into_iter()
        .map(|(column, becomes)| json!({"column": column, "becomes": becomes}))
        .collect();
    json!({"format": format.name(), "title": format.title(), "columns": columns})
}
