//! `panji serve`: starts the service, prints its addresses, and serves until a signal stops it.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use panji_api::app::{App, open_sandbox};
use panji_api::config::Config;
use panji_api::databases::sandbox::DEMO_CIN;
use panji_api::telemetry::crash;
use panji_api::telemetry::log_lines::JsonLines;
use panji_api::telemetry::log_stream::{LogEnd, LogStream};
use panji_store::calendar::{now_ms, rfc3339};
use panji_store::ledger::{KeyKind, Mode, NewKey};
use panji_web::console::log_in_link;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tracing::Level;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::error::{CommandError, ServeError};
use super::key;
use super::output::announce;
use crate::serve::{serve, serve_metrics};

/// The demo account of an empty ledger.
const DEMO_EMAIL: &str = "demo@panji.example";

pub async fn run(config: Config) -> Result<ExitCode, CommandError> {
    let _log_end = start_logging()?;
    crash::report_panics(|report| tracing::error!("{report}"));
    if let Some(warning) = &config.warning {
        tracing::warn!("{warning}");
    }
    allow_open_files();
    let listen = config.listen;
    if !listen.ip().is_loopback() && !config.serves_tls() && !config.behind_proxy {
        tracing::warn!(
            "listening on {listen} without TLS: keys and data can be intercepted. Set a \
             certificate with --tls-cert and --tls-key, or use a proxy that terminates TLS and \
             set --behind-proxy"
        );
    }
    let listener = bind(listen).await?;
    let metrics_listener = match config.metrics_address()? {
        Some(address) => Some(bind(address).await?),
        None => None,
    };
    let sandbox = open_sandbox().await.map_err(ServeError::from)?;
    let app = Arc::new(App::open(config, sandbox).await.map_err(ServeError::from)?);
    // Installed before the banner is printed: the reader may send a signal at once.
    let mut terminate = signal(SignalKind::terminate()).map_err(ServeError::Signals)?;
    let mut hang_up = signal(SignalKind::hangup()).map_err(ServeError::Signals)?;
    let (stop, stopped) = watch::channel(false);
    let reloading = app.clone();
    print_banner(&app).await?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => break,
                _ = tokio::signal::ctrl_c() => break,
                // SIGHUP reloads the certificate; a closed terminal does not stop the service.
                _ = hang_up.recv() => reload_certificate(&reloading),
            }
        }
        tracing::info!("stopping: requests in progress are finished first");
        let _ = stop.send(true);
    });
    if let Some(listener) = metrics_listener {
        tokio::spawn(serve_metrics(app.clone(), listener));
    }
    serve(app, listener, stopped).await;
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

async fn bind(address: SocketAddr) -> Result<TcpListener, ServeError> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|cause| ServeError::Listen { address, cause })
}

fn reload_certificate(app: &App) {
    let Some(tls) = &app.tls else { return };
    match tls.reload(now_ms() / 1000) {
        Ok(validity) => {
            let until = rfc3339(validity.until * 1000);
            tracing::info!("the certificate was read again and is valid until {until}");
        }
        Err(error) => {
            tracing::error!(
                "the certificate was not replaced and the old one remains in use: {error}"
            );
        }
    }
}

/// Raises the limit of open files to the maximum: each connection needs one.
fn allow_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let highest = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(error) = setrlimit(Resource::Nofile, highest) {
        tracing::warn!(%error, "the limit of open files could not be raised");
    }
}

/// Logs to standard error: as JSON unless it is a terminal. Libraries log nothing below INFO,
/// whatever RUST_LOG says, because their debug output contains data such as statement parameters
/// and request heads. The library of MCP logs only errors: its other lines repeat what clients send,
/// and each of its requests has a line already.
fn start_logging() -> Result<LogEnd, ServeError> {
    let filter = EnvFilter::try_from_env("RUST_LOG")
        .unwrap_or_else(|_| EnvFilter::new("info,tantivy=warn,tokio_postgres=warn"));
    let (stream, end) = LogStream::to(Box::new(std::io::stderr())).map_err(ServeError::Log)?;
    // If standard error is closed, the service continues: reporting the failure would fail in the
    // same way and end the thread that logs.
    let logging = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stream)
        .log_internal_errors(false);
    let own_or_info = filter_fn(|line| {
        let least = if line.target().starts_with("rmcp") { Level::ERROR } else { Level::INFO };
        *line.level() <= least || line.target().starts_with("panji")
    });
    let started = if std::io::stderr().is_terminal() {
        logging.compact().finish().with(own_or_info).try_init()
    } else {
        logging.event_format(JsonLines).finish().with(own_or_info).try_init()
    };
    // A second start in one process (tests) keeps the first logger.
    let _ = started;
    Ok(end)
}

/// Prints the addresses. On an empty ledger, creates a demo account with a test key.
async fn print_banner(app: &App) -> Result<(), CommandError> {
    let url = &app.public_url;
    announce(&format!("Panji is running at {url}"));
    announce(&format!("  console    {url}/console"));
    announce(&format!("  reference  {url}/docs"));
    if app.ledger.list_accounts("").await?.is_empty() {
        let account = app.ledger.create_account(DEMO_EMAIL, "Demo", now_ms()).await?;
        let new = NewKey { name: "first key".into(), ..NewKey::default() };
        let key = key::create(&app.ledger, &account.id, (KeyKind::Api, Mode::Test), new).await?;
        let link = log_in_link::make(&app.ledger, url, DEMO_EMAIL).await?;
        let link = link.ok_or(ServeError::NoDemoOwner)?;
        announce("\nSign up in the console, or use the demo account, which has a test key:");
        announce(&format!("  log in     {}   (once, within an hour)", link.address));
        announce(&format!("  test key   {}   (shown only once)", key.as_str()));
        announce("\nTry it:");
        announce(&format!(
            "  curl -H \"Authorization: Bearer {}\" {url}/v1/companies/{DEMO_CIN}\n",
            key.as_str()
        ));
    } else {
        announce("  log in     panji account log-in-link EMAIL");
    }
    Ok(())
}
