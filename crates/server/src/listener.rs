//! Connections: accepted within bounds, made private where there is a certificate, and let go.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::metrics::Metrics;
use crate::site::HttpService;
use crate::state::App;
use crate::unreadable::RejectUnreadable;
use crate::write_timeout::WriteTimeout;

/// Room for a request's head; what is larger than the contract's limit but fits here still gets the
/// envelope.
const HEAD_BUFFER_BYTES: usize = 64 * 1024;
/// Streams of one HTTP/2 connection.
const MAX_STREAMS: u32 = 256;
/// How long those who are connected when the process is asked to stop have for the request that they
/// were about to send.
pub const LAST_REQUEST_TIME: Duration = Duration::from_millis(500);

/// Where connections come in: one address with what is served on it.
pub struct Listener<S> {
    app: Arc<App>,
    host: ConnectionHandler<S>,
    room: Arc<Semaphore>,
    graceful: GracefulShutdown,
    /// Whether this is the API's door, with its certificate and its count of connections.
    public: bool,
}

/// What serves a connection.
#[derive(Clone)]
struct ConnectionHandler<S> {
    builder: Arc<Builder<TokioExecutor>>,
    site: S,
    head_time: Duration,
    answer_time: Duration,
}

impl<S: HttpService> Listener<S> {
    /// The door of the API.
    pub fn public(app: Arc<App>, site: S, max_connections: usize) -> Listener<S> {
        Listener::new(app, site, max_connections, true)
    }

    /// A door for the operator's own network: plain HTTP, not counted.
    pub fn private(app: Arc<App>, site: S, max_connections: usize) -> Listener<S> {
        Listener::new(app, site, max_connections, false)
    }

    fn new(app: Arc<App>, site: S, max_connections: usize, public: bool) -> Listener<S> {
        let limits = &app.config.limits;
        let head_time = Duration::from_secs(limits.head_seconds);
        let answer_time = Duration::from_secs(limits.answer_seconds);
        let builder = Arc::new(builder(head_time));
        let host = ConnectionHandler { builder, site, head_time, answer_time };
        let room = Arc::new(Semaphore::new(max_connections));
        Listener { app, host, room, graceful: GracefulShutdown::new(), public }
    }

    /// Lets connections in until `stop` is true, then closes the listener.
    pub async fn accept(&self, listener: TcpListener, mut stop: watch::Receiver<bool>) {
        loop {
            let place = tokio::select! {
                place = self.room.clone().acquire_owned() => place,
                _ = stop.wait_for(|stop| *stop) => break,
            };
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stop.wait_for(|stop| *stop) => break,
            };
            match (accepted, place) {
                (Ok((stream, address)), Ok(place)) => self.spawn(stream, address, place, &stop),
                (Err(error), _) => {
                    // Out of file descriptors, or a client that left at once: neither ends the
                    // service.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                (_, Err(_closed)) => break,
            }
        }
        self.drain_backlog(listener, &stop);
    }

    /// Lets in whoever the operating system has already told that they are connected: closing the
    /// listener would hang up on them.
    fn drain_backlog(&self, listener: TcpListener, stop: &watch::Receiver<bool>) {
        let Ok(listener) = listener.into_std() else { return };
        // It does not block: an error says that nobody is waiting any more.
        while let Ok(place) = self.room.clone().try_acquire_owned()
            && let Ok((stream, address)) = listener.accept()
            && let Ok(()) = stream.set_nonblocking(true)
            && let Ok(stream) = TcpStream::from_std(stream)
        {
            self.spawn(stream, address, place, stop);
        }
    }

    fn spawn(
        &self,
        stream: TcpStream,
        address: SocketAddr,
        place: OwnedSemaphorePermit,
        stop: &watch::Receiver<bool>,
    ) {
        let serving = self.serve(stream, address, stop.clone());
        tokio::spawn(async move {
            serving.await;
            drop(place);
        });
    }

    /// Waits until the requests under way are finished.
    pub async fn close(self) {
        self.graceful.shutdown().await;
    }

    fn serve(
        &self,
        stream: TcpStream,
        address: SocketAddr,
        mut stop: watch::Receiver<bool>,
    ) -> impl Future<Output = ()> + Send + 'static {
        // Answers are small and complete: waiting to fill a packet only delays them.
        let _ = stream.set_nodelay(true);
        let (app, host, watcher) = (self.app.clone(), self.host.clone(), self.graceful.watcher());
        let public = self.public;
        async move {
            if !public {
                return host.serve(stream, address, watcher).await;
            }
            let _counted = Counted::new(&app.metrics);
            let Some(tls) = &app.tls else { return host.serve(stream, address, watcher).await };
            let stopping = async {
                let _ = stop.wait_for(|stop| *stop).await;
                tokio::time::sleep(LAST_REQUEST_TIME).await;
            };
            let shaken = tokio::select! {
                shaken = tls.handshake(stream) => shaken,
                () = stopping => return,
            };
            match shaken {
                Ok(stream) => host.serve(stream, address, watcher).await,
                Err(reason) => {
                    app.metrics.failed_handshakes.inc();
                    tracing::debug!(%address, reason, "no TLS handshake");
                }
            }
        }
    }
}

impl<S: HttpService> ConnectionHandler<S> {
    async fn serve<C>(self, stream: C, address: SocketAddr, watcher: Watcher)
    where
        C: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let asked = Arc::new(AtomicBool::new(false));
        let first = asked.clone();
        let site = self.site;
        let refusing = site.clone();
        let refuse = move |status| refusing.refuse_unreadable(status, address.ip());
        let service = service_fn(move |request: Request<Incoming>| {
            first.store(true, Ordering::Relaxed);
            let mut request = request.map(with_body);
            request.extensions_mut().insert(ConnectInfo(address));
            let site = site.clone();
            // Boxed, so that a connection that asks for nothing has no room for an answer.
            Box::pin(async move { Ok::<_, Infallible>(site.answer(request).await) })
        });
        let stream = RejectUnreadable::new(WriteTimeout::new(stream, self.answer_time), refuse);
        let connection = self.builder.serve_connection(TokioIo::new(stream), service).into_owned();
        let mut connection = std::pin::pin!(watcher.watch(connection));
        // The HTTP layer times a head only once it has told the version; a client that never says
        // enough for that is dropped here.
        let ended = tokio::time::timeout(self.head_time, &mut connection).await;
        if ended.is_err() && asked.load(Ordering::Relaxed) {
            let _ = connection.await;
        }
    }
}

/// The body of a request; where there is none, nothing is kept for it.
fn with_body(incoming: Incoming) -> Body {
    if incoming.is_end_stream() { Body::empty() } else { Body::new(incoming) }
}

/// A connection in the count of those that are open.
struct Counted<'a>(&'a Metrics);

impl Counted<'_> {
    fn new(metrics: &Metrics) -> Counted<'_> {
        metrics.connections.inc();
        Counted(metrics)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.connections.dec();
    }
}

fn builder(head_time: Duration) -> Builder<TokioExecutor> {
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
