//! Why a command failed. Each error is the one line that the program prints on standard error.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use panji_api::accounts::new_keys::NoRandomBytes;
use panji_api::api::jobs::list::ListError;
use panji_api::app::StartError;
use panji_api::config::error::ConfigError;
use panji_api::databases::error::{BackupError, OpenError, SecretError, store_sentence};
use panji_generate::GenerateError;
use panji_graph::GraphError;
use panji_ids::IdError;
use panji_import::xbrl::{FilingListError, SymbolsError};
use panji_search::SearchError;
use panji_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Settings(#[from] ConfigError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error("{}", store_sentence(.0))]
    Store(#[from] StoreError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error("the program could not start its threads: {0}")]
    Threads(#[source] io::Error),
    #[error("standard output: {0}")]
    Output(#[source] io::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("{0}")]
    Completions(#[source] std::string::FromUtf8Error),
    #[error(
        "another process is building this index: wait until it ends, then run the command again"
    )]
    IndexInUse,
    #[error(transparent)]
    Generate(#[from] GenerateError),
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Company(#[from] CompanyError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("nothing was charged for the request {request}")]
    NotCharged { request: String },
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Restore(#[from] RestoreError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Match(#[from] MatchError),
    #[error(transparent)]
    Register(#[from] RegisterError),
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// Why the register's file is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    #[error("the register is in PostgreSQL, which has its own checksums")]
    OnPostgres,
    #[error(
        "{} is damaged and was not changed: {fault}. Move it away and import again, or restore the \
         last backup",
        .path.display()
    )]
    Damaged { path: PathBuf, fault: String },
}

/// Why a command about accounts failed.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    #[error("{email:?} is not a valid email address")]
    Email { email: String },
    #[error("the name must not be empty: give it with --name")]
    NoName,
    #[error("there is no account for {email}: see 'panji account list'")]
    NoAccount { email: String },
    #[error("there is no longer an account for {email}")]
    AccountGone { email: String },
    #[error("there is no person with the address {email}")]
    NoPerson { email: String },
    #[error("standard input: {0}")]
    Input(#[source] io::Error),
    #[error("nothing was erased: the address was not entered again (or use --yes)")]
    NotConfirmed,
}

/// Why a command about companies failed.
#[derive(Debug, thiserror::Error)]
pub enum CompanyError {
    #[error("{number:?} is not a company number: {cause}")]
    Number {
        number: String,
        #[source]
        cause: IdError,
    },
    #[error("the two numbers are the same")]
    SameNumber,
    #[error("no company has the number {cin} in this register")]
    NotFound { cin: String },
    #[error("{former_cin} is already a former number of {cin}")]
    Former { former_cin: String, cin: String },
}

/// Why a command about keys failed.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("there is no key {id}: see 'panji key list'")]
    NoKey { id: String },
    #[error("the key {id} is already revoked")]
    AlreadyRevoked { id: String },
    #[error("the key {id} is revoked: create a new one")]
    Revoked { id: String },
    #[error(transparent)]
    NoRandomBytes(#[from] NoRandomBytes),
}

/// Why a backup does not fit the settings.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error(
        "this backup is of the embedded engine and the settings name a database_url: restore it \
         without that setting"
    )]
    OfEmbedded,
    #[error("this backup is of PostgreSQL: name an empty database with --database-url")]
    OfPostgres,
    #[error(
        "the database has tables in the schema {schema} already: a restore needs a database \
         without them, so that nothing is overwritten"
    )]
    NotEmpty { schema: &'static str },
}

/// Why the names of a list were not matched.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    #[error("{}: {cause}", .path.display())]
    File {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("{}: the file is larger than {max_bytes} bytes: split it", .path.display())]
    TooLarge { path: PathBuf, max_bytes: u64 },
    #[error("{}: {cause}", .path.display())]
    List {
        path: PathBuf,
        #[source]
        cause: ListError,
    },
    #[error("{}: the name of the output must end in .csv, .xlsx or .jsonl", .path.display())]
    Ending { path: PathBuf },
    #[error(
        "there is no complete search index: run 'panji reindex' first, or wait until the service has built it"
    )]
    NoIndex,
    #[error("rows {first} to {last}: {sentence}")]
    Rows { first: usize, last: usize, sentence: String },
    #[error("{}: {sentence}", .path.display())]
    Output { path: PathBuf, sentence: String },
    #[error(transparent)]
    Workbook(#[from] rust_xlsxwriter::XlsxError),
}

/// Why an import failed as a whole.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("nothing was imported: {}", joined(.0))]
    Missing(Vec<MissingFile>),
    #[error("the temporary directory could not be created: {0}")]
    Scratch(#[source] io::Error),
    #[error("{}: {cause}", .path.display())]
    Symbols {
        path: PathBuf,
        #[source]
        cause: SymbolsError,
    },
    #[error("{}: {cause}", .path.display())]
    Filings {
        path: PathBuf,
        #[source]
        cause: FilingListError,
    },
    #[error("{}: {cause}", .path.display())]
    Rejects {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("all rows were rejected: see the rejects file")]
    AllRejected,
    /// The sentence of the import about its only failed file.
    #[error("{sentence}")]
    File { sentence: String },
    #[error("{count} files could not be imported; the first: {first}")]
    Files { count: usize, first: String },
}

/// A file or directory that was named and cannot be read.
#[derive(Debug)]
pub struct MissingFile {
    pub path: PathBuf,
    pub cause: io::Error,
}

fn joined(missing: &[MissingFile]) -> String {
    let sentence = |MissingFile { path, cause }: &MissingFile| match cause.kind() {
        io::ErrorKind::NotFound => {
            format!("{}: there is no such file or directory", path.display())
        }
        _ => format!("{}: {cause}", path.display()),
    };
    missing.iter().map(sentence).collect::<Vec<_>>().join("; ")
}

/// Why the service did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("the log could not be started: {0}")]
    Log(#[source] io::Error),
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        address: SocketAddr,
        #[source]
        cause: io::Error,
    },
    #[error("signals of the operating system cannot be received: {0}")]
    Signals(#[source] io::Error),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("the demo account has no owner")]
    NoDemoOwner,
}
