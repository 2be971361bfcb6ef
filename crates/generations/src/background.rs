//! Work on a thread of its own, with a low priority.

use tokio::sync::oneshot;

/// Added to the niceness of the thread.
const NICENESS: i32 = 10;

/// Why the work has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BackgroundError {
    #[error("{0}")]
    Thread(#[source] std::io::Error),
    #[error("the thread panicked")]
    Panicked,
}

/// Runs work on a separate thread, because building an index blocks. The thread and its child threads
/// have a low priority; if that is not permitted, the normal priority.
pub(crate) async fn at_low_priority<F, T>(
    name: &str,
    work: impl FnOnce() -> F + Send + 'static,
) -> Result<T, BackgroundError>
where
    F: Future<Output = T>,
    T: Send + 'static,
{
    let runtime = tokio::runtime::Handle::current();
    let (finished, result) = oneshot::channel();
    let run = move || {
        let _ = rustix::process::nice(NICENESS);
        // The future is dropped before the result is sent: the caller may close its resources then.
        let outcome = runtime.block_on(work());
        let _ = finished.send(outcome);
    };
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    started.map_err(BackgroundError::Thread)?;
    result.await.map_err(|_| BackgroundError::Panicked)
}
