//! Prepares the data of the benchmark: registers, databases, accounts, keys, the other systems'
//! tables. Results of earlier runs are reused.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use panji_bench::bare_table::{load_postgres, load_sqlite, psql, sync_commits};
use panji_bench::load::identifiers::Identifiers;
use panji_bench::program::{output, panji, remove, run_with_output};
use panji_bench::register::{AS_OF, MASTER, generate};
use panji_bench::report::print_progress;

use super::arguments::{Arguments, Part};

const EMAIL: &str = "bench@example.in";
/// More than any run spends.
const CREDITS: &str = "1000000000000";
/// Marks a complete data directory and contains the key.
const READY: &str = "bench-key";
/// A copy of the ledger before the first request; every start uses it.
const FRESH_LEDGER: &str = "bench-ledger.db";

/// The prepared data.
pub struct Workspace<'a> {
    pub arguments: &'a Arguments,
    /// One for each size of the register, the largest last.
    pub sites: Vec<Site>,
    pub postgres: Option<Postgres>,
}

/// One size of the register.
pub struct Site {
    pub companies: u64,
    /// The generated files.
    pub register: PathBuf,
    /// The data directory of the embedded engine.
    pub data: PathBuf,
    pub key: String,
    /// The company master in a bare SQLite table.
    pub table: PathBuf,
    pub identifiers: Identifiers,
}

/// The PostgreSQL server of this run.
pub struct Postgres {
    pub url: String,
    /// Its main process.
    pub process: u32,
    pub version: String,
}

impl Workspace<'_> {
    /// Creates what does not exist yet.
    pub fn prepare(arguments: &Arguments) -> anyhow::Result<Workspace<'_>> {
        let work = &arguments.work;
        std::fs::create_dir_all(work)?;
        let work = work.canonicalize()?;
        let sizes = arguments.sizes();
        let sizes = if arguments.wants(Part::Sizes) { &sizes[..] } else { &sizes[2..] };
        let mut workspace = Workspace { arguments, sites: Vec::new(), postgres: None };
        for companies in sizes {
            workspace.sites.push(Site::prepare(&work, *companies)?);
        }
        if let Some(url) = &arguments.postgres {
            sync_commits(url)?;
            workspace.postgres = Some(Postgres::look(url)?);
        }
        if workspace.with_alternatives() {
            workspace.prepare_alternatives()?;
        }
        Ok(workspace)
    }

    /// The largest register.
    pub fn largest(&self) -> &Site {
        self.sites.last().expect("there is always the largest register")
    }

    /// Whether the other systems are measured.
    pub fn with_alternatives(&self) -> bool {
        [Part::Alternatives, Part::Connections, Part::Sizes]
            .iter()
            .any(|part| self.arguments.wants(*part))
    }

    /// The PostgreSQL server, or an error that says how to provide one.
    pub fn postgres(&self) -> anyhow::Result<&Postgres> {
        let postgres = self.postgres.as_ref();
        postgres.context("this part needs PostgreSQL: run it as `./test target/dist/load`")
    }

    fn prepare_alternatives(&self) -> anyhow::Result<()> {
        let postgres = self.postgres()?;
        for site in &self.sites {
            let files = site.register.join(MASTER);
            if !site.table.is_file() {
                print_progress(&format!(
                    "loading {} companies into a bare SQLite table",
                    site.companies
                ));
                let draft = site.table.with_extension("draft");
                std::fs::create_dir_all(site.table.parent().unwrap_or(Path::new(".")))?;
                load_sqlite(&draft, "companies", &files)?;
                std::fs::rename(&draft, &site.table)?;
            }
            print_progress(&format!(
                "loading {} companies into a bare PostgreSQL table",
                site.companies
            ));
            load_postgres(&postgres.url, &site.postgres_table(), &files)?;
            psql(&postgres.url, &format!("vacuum analyze {}", site.postgres_table()))?;
        }
        Ok(())
    }
}

impl Site {
    fn prepare(work: &Path, companies: u64) -> anyhow::Result<Site> {
        let register = generate(work, companies)?;
        let data = work.join(format!("data-{companies}"));
        if !data.join(READY).is_file() {
            print_progress(&format!("importing {companies} companies and what belongs to them"));
            remove(&data);
            import(&data, &[], AS_OF, &register)?;
            let key = open_account(&data, &[])?;
            print_progress("building the search index");
            run_with_output(panji_in(&data)?.arg("reindex"))?;
            let copied = std::fs::copy(data.join("ledger.db"), data.join(FRESH_LEDGER));
            copied.and_then(|_| std::fs::write(data.join(READY), key))?;
        }
        let key = std::fs::read_to_string(data.join(READY))?;
        let identifiers = Identifiers::choose(&register, companies)?;
        let table = work.join(format!("table-{companies}")).join("companies.db");
        Ok(Site { companies, register, data, key, table, identifiers })
    }

    /// The name of the bare table in PostgreSQL.
    pub fn postgres_table(&self) -> String {
        format!("companies_{}", self.companies)
    }
}

/// Restores the ledger of a data directory to its state before the first request.
pub fn reset_ledger(data: &Path) -> anyhow::Result<()> {
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(data.join(format!("ledger.db{ending}")));
    }
    let copied = std::fs::copy(data.join(FRESH_LEDGER), data.join("ledger.db"));
    copied.map(drop).with_context(|| data.display().to_string())
}

/// A `panji` command with a data directory.
pub fn panji_in(data: &Path) -> anyhow::Result<Command> {
    let mut command = Command::new(panji()?);
    command.arg("--data-dir").arg(data);
    Ok(command)
}

/// Imports files as of a day.
pub fn import(data: &Path, flags: &[&str], as_of: &str, files: &Path) -> anyhow::Result<()> {
    let mut command = panji_in(data)?;
    run_with_output(command.args(flags).args(["import", "--as-of", as_of]).arg(files))
}

/// Creates an account with credits; returns a live key.
pub fn open_account(data: &Path, flags: &[&str]) -> anyhow::Result<String> {
    let run = |arguments: &[&str]| output(panji_in(data)?.args(flags).args(arguments));
    run(&["account", "create", "--email", EMAIL, "--name", "Bench"])?;
    run(&["credits", "grant", "--account", EMAIL, "--amount", CREDITS])?;
    run(&["key", "create", "--account", EMAIL, "--mode", "live"])
}

impl Postgres {
    fn look(url: &str) -> anyhow::Result<Postgres> {
        let ask = |statement: &str| {
            output(Command::new("psql").args(["--no-psqlrc", "-At", url, "-c", statement]))
        };
        let file = ask("select pg_read_file('postmaster.pid')")?;
        let process = file.lines().next().and_then(|line| line.trim().parse().ok());
        let process = process.context("PostgreSQL does not report its process id")?;
        let version = ask("show server_version")?;
        Ok(Postgres { url: url.to_owned(), process, version })
    }
}
