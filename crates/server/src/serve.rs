//! Listening: accepting connections with their bounds, and stopping without losing a request.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use panji_store::calendar::{ist_day, now_ms};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tower::ServiceExt;

use crate::api::routes::{calls, router};
use crate::bulk_jobs::worker;
use crate::payments::low_balance;
use crate::state::App;

/// Connections that are open at a time; further ones wait to be accepted.
const MAX_CONNECTIONS: usize = 16_384;
/// Room for a request's head; what is larger than the contract's limit but fits here still gets the
/// envelope.
const HEAD_BUFFER_BYTES: usize = 64 * 1024;
/// Streams of one HTTP/2 connection.
const MAX_STREAMS: u32 = 256;
/// How long requests under way may take after the process was asked to stop.
const DRAIN_TIME: Duration = Duration::from_secs(65);
/// How often old usage is summed up, old answers and sessions dropped and idle rate limits forgotten.
const HOUSEKEEPING: Duration = Duration::from_secs(60);
const DAY_MS: i64 = 24 * 3600 * 1000;

/// Serves until `stop` is true, then finishes what is under way and flushes the ledger.
pub async fn serve(app: Arc<App>, listener: TcpListener, mut stop: watch::Receiver<bool>) {
    let follower = tokio::spawn(panji_search::follow(
        app.live.search.clone(),
        app.live.register.clone(),
        stop.clone(),
    ));
    let housekeeper = tokio::spawn(keep_house(app.clone(), stop.clone()));
    let workers = start_workers(&app, &stop);
    let router = router(app.clone());
    let builder = Arc::new(connection_builder(&app));
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let head_time = Duration::from_secs(app.config.limits.head_seconds);
    loop {
        let place = tokio::select! {
            place = room.clone().acquire_owned() => place,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, or a client that left at once: neither ends the service.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let asked = Arc::new(AtomicBool::new(false));
        let connection = connection(&builder, &router, stream, address, asked.clone());
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // The HTTP layer times a head only once it has told the version; a client that never
            // says enough for that is dropped here.
            let mut connection = std::pin::pin!(connection);
            let ended = tokio::time::timeout(head_time, &mut connection).await;
            if ended.is_err() && asked.load(Ordering::Relaxed) {
                let _ = connection.await;
            }
            drop(place);
        });
    }
    app.accepting.store(false, Ordering::Relaxed);
    drop(listener);
    if tokio::time::timeout(DRAIN_TIME, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in time");
    }
    let _ = follower.await;
    let _ = housekeeper.await;
    for worker in workers {
        let _ = worker.await;
    }
    app.desk.close();
}

/// Starts those who work off bulk jobs.
pub fn start_workers(app: &Arc<App>, stop: &watch::Receiver<bool>) -> Vec<JoinHandle<()>> {
    let calls = calls(app);
    let start = |_| tokio::spawn(worker::work(app.clone(), calls.clone(), stop.clone()));
    (0..worker::WORKERS).map(start).collect()
}

fn connection_builder(app: &App) -> Builder<TokioExecutor> {
    let head_time = Duration::from_secs(app.config.limits.head_seconds);
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(head_time)
        .max_buf_size(HEAD_BUFFER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(HEAD_BUFFER_BYTES as u32)
        .keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(20));
    builder
}

/// A connection; `asked` becomes true with its first request.
fn connection(
    builder: &Arc<Builder<TokioExecutor>>,
    router: &Router,
    stream: TcpStream,
    address: SocketAddr,
    asked: Arc<AtomicBool>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error: Send> + Send + 'static {
    // Answers are small and complete: waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
    let router = router.clone().map_request(move |mut request: hyper::Request<_>| {
        asked.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(ConnectInfo(address));
        request
    });
    let service = TowerToHyperService::new(router);
    builder.serve_connection(TokioIo::new(stream), service).into_owned()
}

/// Sums up usage past its age, drops answers past their time, forgets idle rate limits.
async fn keep_house(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(HOUSEKEEPING) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        app.limits.forget_idle();
        let now_ms = now_ms();
        let before = ist_day(now_ms - i64::from(app.config.usage.keep_days) * DAY_MS);
        if let Err(error) = app.ledger.roll_up_usage(&before).await {
            tracing::warn!(%error, "old usage could not be summed up");
        }
        if let Err(error) = app.ledger.drop_old_answers(now_ms).await {
            tracing::warn!(%error, "old answers could not be dropped");
        }
        if let Err(error) = app.ledger.drop_old_sessions(now_ms).await {
            tracing::warn!(%error, "old sessions could not be dropped");
        }
        let old_ms = now_ms - i64::from(app.config.bulk_jobs.keep_days) * DAY_MS;
        if let Err(error) = app.ledger.drop_old_bulk_jobs(old_ms, now_ms).await {
            tracing::warn!(%error, "old lists could not be dropped");
        }
        if let Err(error) = app.ledger.drop_old_payment_events(now_ms).await {
            tracing::warn!(%error, "old events of payments could not be dropped");
        }
        if let Err(error) = low_balance::warn(&app, now_ms).await {
            tracing::warn!(%error, "low balances could not be looked for");
        }
    }
}
