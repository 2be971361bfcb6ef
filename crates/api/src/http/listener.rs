//! Accepts connections up to a limit, with TLS if there is a certificate, and closes them on
//! shutdown.

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

use crate::config::LimitSettings;
use crate::http::malformed_request::RejectUnreadable;
use crate::http::service::HttpService;
use crate::http::tls::Tls;
use crate::http::write_timeout::WriteTimeout;
use crate::telemetry::metrics::Metrics;

/// The buffer for a request's headers. Headers above the configured limit that fit here still get
/// an error response with the envelope.
const HEADER_BUFFER_BYTES: usize = 64 * 1024;
/// Concurrent streams of one HTTP/2 connection.
const MAX_STREAMS: u32 = 256;
/// How long connected clients may still send a request after the process was asked to stop.
pub const LAST_REQUEST_TIME: Duration = Duration::from_millis(500);

/// One listening address with the service on it.
pub struct Listener<S> {
    handler: ConnectionHandler<S>,
    permits: Arc<Semaphore>,
    graceful: GracefulShutdown,
    public: Option<PublicListenerOptions>,
}

/// The parts that only the public address has, not the operator's own address.
#[derive(Clone)]
pub struct PublicListenerOptions {
    /// Counts open connections.
    pub metrics: Arc<Metrics>,
    /// None where HTTPS is off.
    pub tls: Option<Arc<Tls>>,
}

/// Serves single connections.
#[derive(Clone)]
struct ConnectionHandler<S> {
    builder: Arc<Builder<TokioExecutor>>,
    service: S,
    header_timeout: Duration,
    write_timeout: Duration,
}

impl<S: HttpService> Listener<S> {
    /// Without `public` the listener is for the operator's own network: plain HTTP, and its
    /// connections are not counted.
    pub fn new(
        service: S,
        limits: &LimitSettings,
        max_connections: usize,
        public: Option<PublicListenerOptions>,
    ) -> Listener<S> {
        let header_timeout = Duration::from_secs(limits.header_seconds.get());
        let write_timeout = Duration::from_secs(limits.write_seconds.get());
        let builder = Arc::new(builder(header_timeout));
        let handler = ConnectionHandler { builder, service, header_timeout, write_timeout };
        let permits = Arc::new(Semaphore::new(max_connections));
        Listener { handler, permits, graceful: GracefulShutdown::new(), public }
    }

    /// Accepts connections until `stop` is true, then closes the listener.
    pub async fn accept(&self, listener: TcpListener, mut stop: watch::Receiver<bool>) {
        loop {
            let permit = tokio::select! {
                permit = self.permits.clone().acquire_owned() => permit,
                _ = stop.wait_for(|stop| *stop) => break,
            };
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stop.wait_for(|stop| *stop) => break,
            };
            match (accepted, permit) {
                (Ok((stream, address)), Ok(permit)) => self.spawn(stream, address, permit, &stop),
                (Err(error), _) => {
                    // Out of file descriptors, or a client that disconnected at once: the service
                    // continues.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                (_, Err(_closed)) => break,
            }
        }
        self.drain_backlog(listener, &stop);
    }

    /// Accepts the connections that the operating system has already completed. Closing the
    /// listener would reset them.
    fn drain_backlog(&self, listener: TcpListener, stop: &watch::Receiver<bool>) {
        let Ok(listener) = listener.into_std() else { return };
        // The listener does not block: an error means that the backlog is empty.
        while let Ok(permit) = self.permits.clone().try_acquire_owned()
            && let Ok((stream, address)) = listener.accept()
            && let Ok(()) = stream.set_nonblocking(true)
            && let Ok(stream) = TcpStream::from_std(stream)
        {
            self.spawn(stream, address, permit, stop);
        }
    }

    fn spawn(
        &self,
        stream: TcpStream,
        address: SocketAddr,
        permit: OwnedSemaphorePermit,
        stop: &watch::Receiver<bool>,
    ) {
        let serving = self.serve(stream, address, stop.clone());
        tokio::spawn(async move {
            serving.await;
            drop(permit);
        });
    }

    /// Waits until the requests in progress are finished.
    pub async fn close(self) {
        self.graceful.shutdown().await;
    }

    fn serve(
        &self,
        stream: TcpStream,
        address: SocketAddr,
        mut stop: watch::Receiver<bool>,
    ) -> impl Future<Output = ()> + Send + 'static {
        // Responses are small and complete: waiting to fill a packet would only delay them.
        let _ = stream.set_nodelay(true);
        let (handler, watcher) = (self.handler.clone(), self.graceful.watcher());
        let public = self.public.clone();
        async move {
            let Some(public) = public else { return handler.serve(stream, address, watcher).await };
            let _counted = Counted::new(&public.metrics);
            let Some(tls) = &public.tls else {
                return handler.serve(stream, address, watcher).await;
            };
            let stopping = async {
                let _ = stop.wait_for(|stop| *stop).await;
                tokio::time::sleep(LAST_REQUEST_TIME).await;
            };
            let handshake = tokio::select! {
                handshake = tls.handshake(stream) => handshake,
                () = stopping => return,
            };
            match handshake {
                Ok(stream) => handler.serve(stream, address, watcher).await,
                Err(reason) => {
                    public.metrics.failed_handshakes.inc();
                    tracing::debug!(%address, %reason, "the TLS handshake failed");
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
        let has_request = Arc::new(AtomicBool::new(false));
        let seen = has_request.clone();
        let inner = self.service;
        let refusing = inner.clone();
        let refuse = move |status| refusing.refuse_unreadable(status, address.ip());
        let service = service_fn(move |request: Request<Incoming>| {
            seen.store(true, Ordering::Relaxed);
            let mut request = request.map(with_body);
            request.extensions_mut().insert(ConnectInfo(address));
            let inner = inner.clone();
            // Boxed, so that an idle connection reserves no memory for a response.
            Box::pin(async move { Ok::<_, Infallible>(inner.respond(request).await) })
        });
        let stream = RejectUnreadable::new(WriteTimeout::new(stream, self.write_timeout), refuse);
        let connection = self.builder.serve_connection(TokioIo::new(stream), service).into_owned();
        let mut connection = std::pin::pin!(watcher.watch(connection));
        // The HTTP layer starts its header timeout only once it knows the HTTP version. A client that
        // never sends enough for that is dropped here.
        let ended = tokio::time::timeout(self.header_timeout, &mut connection).await;
        if ended.is_err() && has_request.load(Ordering::Relaxed) {
            let _ = connection.await;
        }
    }
}

/// The body of a request; an empty one allocates nothing.
fn with_body(incoming: Incoming) -> Body {
    if incoming.is_end_stream() { Body::empty() } else { Body::new(incoming) }
}

/// Counts an open connection until dropped.
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

fn builder(header_timeout: Duration) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .max_buf_size(HEADER_BUFFER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(HEADER_BUFFER_BYTES as u32)
        .keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(20));
    builder
}
