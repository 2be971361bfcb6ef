//! `panji import`: source files into the live register.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use panji_import::{Reject, Report, import_lines};
use panji_store::calendar::now_ms;

use super::output::{Progress, print};
use crate::config::Config;
use crate::state::open_register;

#[derive(Args)]
pub struct ImportArguments {
    /// Files in Panji's own format (one JSON record a line); `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Where rows that cannot be used are written [default: import-rejects.jsonl in the data directory]
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
}

pub async fn run(config: &Config, arguments: &ImportArguments) -> Result<ExitCode, String> {
    let register = open_register(config).await?;
    let rejects_path =
        arguments.rejects.clone().unwrap_or_else(|| config.data_dir.join("import-rejects.jsonl"));
    let mut rejects = Rejects { path: rejects_path, file: None, failure: None };
    let mut report = Report::default();
    let mut progress = Progress::new();
    for path in &arguments.files {
        let name = path.display().to_string();
        let source: Box<dyn BufRead> = if name == "-" {
            Box::new(BufReader::new(std::io::stdin()))
        } else {
            let file = File::open(path).map_err(|error| format!("{name}: {error}"))?;
            Box::new(BufReader::with_capacity(1 << 20, file))
        };
        let imported = import_lines(
            &register,
            &name,
            source,
            &mut report,
            now_ms(),
            |reject| rejects.write(&reject),
            |report| progress.show(&format!("{name}: {} rows read", report.read)),
        );
        imported.await.map_err(|error| error.to_string())?;
    }
    progress.finish();
    if let Some(error) = rejects.failure {
        return Err(format!("{}: {error}", rejects.path.display()));
    }
    summarise(&report, &rejects.path);
    if report.read > 0 && report.rejected == report.read {
        return Err("none of the rows could be used: see the rejects".to_owned());
    }
    Ok(ExitCode::SUCCESS)
}

/// The file of rejected rows, made when the first one comes.
struct Rejects {
    path: PathBuf,
    file: Option<File>,
    failure: Option<std::io::Error>,
}

impl Rejects {
    fn write(&mut self, reject: &Reject) {
        let line = serde_json::json!({
            "file": reject.file, "line": reject.line, "reason": reject.reason, "raw": reject.raw,
        });
        let written = match &mut self.file {
            Some(file) => writeln!(file, "{line}"),
            None => File::create(&self.path).and_then(|mut file| {
                writeln!(file, "{line}")?;
                self.file = Some(file);
                Ok(())
            }),
        };
        if let Err(error) = written {
            self.failure.get_or_insert(error);
        }
    }
}

fn summarise(report: &Report, rejects: &std::path::Path) {
    print(&format!(
        "read {}, new {}, changed {}, unchanged {}, older {}, rejected {}",
        report.read, report.new, report.changed, report.unchanged, report.older, report.rejected
    ));
    for (resource, count) in &report.by_resource {
        print(&format!("  {resource}: {count}"));
    }
    if report.rejected > 0 {
        print(&format!("The rejected rows, each with its reason: {}", rejects.display()));
    }
}
