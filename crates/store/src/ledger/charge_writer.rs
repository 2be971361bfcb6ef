//! The charge writer: one writer per node. It commits all waiting debits in one transaction and
//! notifies a caller only when the debit is on disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::unresolved::UnresolvedCharges;
use super::usage::UsageRow;
use super::{Debit, DebitOutcome, Ledger};
use crate::error::{Result, StoreError};

/// The largest number of charges in one transaction.
const MAX_BATCH: usize = 512;
/// If the last batch had this many rows, several callers are active and the next batch waits for
/// more.
const BATCH_THRESHOLD: usize = 4;
/// A batch of this size is committed without waiting.
const BATCH_TARGET: usize = 64;
/// How long a batch waits for more debits under load. A commit costs the same for one debit as for
/// many, so callers that share one commit wait less.
const BATCH_WINDOW: Duration = Duration::from_micros(400);
/// Written batches that wait until their callers are notified.
const MAX_WRITTEN: usize = 64;
/// Time limit for one batch. After it the callers get an error: a hung engine cannot be
/// distinguished from a slow one.
const BATCH_TIME: Duration = Duration::from_secs(10);
/// How long the writer tries to find out whether a commit with a lost response took place.
const RESOLVE_COMMIT_TIME: Duration = Duration::from_secs(5);
/// The pause between two attempts.
const RESOLVE_COMMIT_PAUSE: Duration = Duration::from_millis(100);
/// How often unresolved charges are checked when no calls arrive.
const RESOLVE_PAUSE: Duration = Duration::from_secs(1);
const IDLE_PAUSE: Duration = Duration::from_secs(3600);

#[derive(Clone, Copy, Debug)]
pub struct ChargeWriterOptions {
    /// Queue length; further charges are rejected at once.
    pub queue: usize,
    pub free_calls_per_day: i64,
    /// How long unresolved charges are checked. Tests use a shorter time than `RESOLVE_TIME`.
    pub resolve_time: Duration,
    /// How many unresolved charges are checked. Tests use a lower limit than `MAX_UNRESOLVED`.
    pub max_unresolved: usize,
}

/// One attempt to write a batch, reported to the observer of the writer.
#[derive(Clone, Copy, Debug)]
pub struct WriteAttempt {
    /// Charges and failed calls in the batch.
    pub rows: usize,
    /// Duration, including the wait for the disk.
    pub took: Duration,
    /// Whether the batch is on disk.
    pub written: bool,
}

type OnAttempt = Box<dyn Fn(WriteAttempt) + Send>;

/// Why a debit was not decided. In this case nothing was charged.
#[derive(Debug, thiserror::Error)]
pub enum DebitError {
    #[error("too many debits are waiting")]
    Overloaded,
    #[error(transparent)]
    Store(#[from] StoreError),
}

type Reply = oneshot::Sender<std::result::Result<DebitOutcome, DebitError>>;

/// The callers of a batch that is on disk, each with the outcome of its debit.
type Outcomes = Vec<(Reply, DebitOutcome)>;

/// A request to the write thread.
enum WriteRequest {
    Debit(Box<Debit>, Reply),
    FailedCall(UsageRow),
}

pub struct ChargeWriter {
    ledger: Arc<Ledger>,
    // Whether the last batch was written to disk.
    healthy: Arc<AtomicBool>,
    // `None` once the writer is closed.
    requests: std::sync::Mutex<Option<mpsc::Sender<WriteRequest>>>,
    writer: std::sync::Mutex<Option<JoinHandle<()>>>,
}

impl ChargeWriter {
    /// Starts the writer on its own thread, because a commit waits for the disk. Callers are notified
    /// from the runtime in which this is called.
    pub fn open(ledger: Arc<Ledger>, options: ChargeWriterOptions) -> Result<ChargeWriter> {
        ChargeWriter::open_with_observer(ledger, options, Box::new(|_| {}))
    }

    /// Like `open`; calls `on_attempt` after every attempt to write a batch.
    pub fn open_with_observer(
        ledger: Arc<Ledger>,
        options: ChargeWriterOptions,
        on_attempt: OnAttempt,
    ) -> Result<ChargeWriter> {
        let (sender, receiver) = mpsc::channel(options.queue);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| StoreError::Unavailable(format!("the charge writer: {error}")))?;
        let healthy = Arc::new(AtomicBool::new(true));
        let (outcomes, batches) = mpsc::channel(MAX_WRITTEN);
        tokio::spawn(notify_callers(batches));
        let worker = Writer {
            ledger: ledger.clone(),
            options,
            unresolved: UnresolvedCharges::new(
                ledger.clone(),
                options.resolve_time,
                options.max_unresolved,
            ),
            healthy: healthy.clone(),
            on_attempt,
            outcomes,
        };
        let writer = std::thread::Builder::new()
            .name("charge-writer".into())
            .spawn(move || runtime.block_on(worker.run(receiver)))
            .map_err(|error| StoreError::Unavailable(format!("the charge writer: {error}")))?;
        Ok(ChargeWriter {
            ledger,
            healthy,
            requests: std::sync::Mutex::new(Some(sender)),
            writer: std::sync::Mutex::new(Some(writer)),
        })
    }

    /// Charges a call. The outcome is on disk when this returns.
    pub async fn charge(&self, debit: Debit) -> std::result::Result<DebitOutcome, DebitError> {
        let (reply, outcome) = oneshot::channel();
        self.send(WriteRequest::Debit(Box::new(debit), reply))?;
        outcome.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Number of debits and failed calls that wait to be written.
    pub fn waiting(&self) -> usize {
        let requests = self.requests.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        requests.as_ref().map_or(0, |requests| requests.max_capacity() - requests.capacity())
    }

    /// Whether debits can be written: the ledger responds and, if the last write failed, accepts a
    /// write.
    pub async fn can_write(&self) -> bool {
        if self.healthy.load(Ordering::Relaxed) {
            return self.ledger.ping().await.is_ok();
        }
        let written = self.ledger.ping_write().await.is_ok();
        self.healthy.store(written, Ordering::Relaxed);
        written
    }

    /// Records a call that failed and cost nothing. The row is dropped when the queue is full: it
    /// is for information only.
    pub fn record_failed_call(&self, row: UsageRow) {
        let _ = self.send(WriteRequest::FailedCall(row));
    }

    fn send(&self, request: WriteRequest) -> std::result::Result<(), DebitError> {
        let requests = self.requests.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let sender = requests.as_ref().ok_or_else(closed)?;
        sender.try_send(request).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => DebitError::Overloaded,
            mpsc::error::TrySendError::Closed(_) => closed(),
        })
    }

    /// Accepts no more debits, writes the waiting ones and ends the writer.
    pub fn close(&self) {
        drop(self.requests.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take());
        let writer = self.writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(writer) = writer {
            let _ = writer.join();
        }
    }
}

fn closed() -> DebitError {
    DebitError::Store(StoreError::Unavailable("the charge writer is closed".into()))
}

struct Writer {
    ledger: Arc<Ledger>,
    options: ChargeWriterOptions,
    unresolved: UnresolvedCharges,
    healthy: Arc<AtomicBool>,
    on_attempt: OnAttempt,
    outcomes: mpsc::Sender<Outcomes>,
}

impl Writer {
    async fn run(mut self, mut requests: mpsc::Receiver<WriteRequest>) {
        let mut waiting = Vec::with_capacity(MAX_BATCH);
        let mut last_rows = 0;
        loop {
            let receiving = requests.recv_many(&mut waiting, MAX_BATCH);
            // Unresolved charges are checked also when no calls arrive.
            let pause = if self.unresolved.is_empty() { IDLE_PAUSE } else { RESOLVE_PAUSE };
            if let Ok(0) = tokio::time::timeout(pause, receiving).await {
                break;
            }
            if last_rows >= BATCH_THRESHOLD {
                collect_batch(&mut requests, &mut waiting);
            }
            last_rows = waiting.len();
            let (mut debits, mut replies, mut failed_calls) = (Vec::new(), Vec::new(), Vec::new());
            for request in waiting.drain(..) {
                match request {
                    WriteRequest::Debit(debit, reply) => {
                        debits.push(*debit);
                        replies.push(reply);
                    }
                    WriteRequest::FailedCall(row) => failed_calls.push(row),
                }
            }
            if !debits.is_empty() || !failed_calls.is_empty() {
                self.serve(debits, replies, &failed_calls).await;
            }
            self.unresolved.check().await;
        }
        self.unresolved.check().await;
        self.unresolved.close();
    }

    async fn serve(&mut self, debits: Vec<Debit>, replies: Vec<Reply>, failed: &[UsageRow]) {
        let limit = self.options.free_calls_per_day;
        let started = Instant::now();
        let written =
            with_timeout(BATCH_TIME, self.ledger.debit_batch(&debits, failed, limit)).await;
        let engine_failed =
            matches!(written, Err(StoreError::Unavailable(_) | StoreError::Undecided(_)));
        self.healthy.store(!engine_failed, Ordering::Relaxed);
        (self.on_attempt)(WriteAttempt {
            rows: debits.len() + failed.len(),
            took: started.elapsed(),
            written: written.is_ok(),
        });
        match written {
            Ok(outcomes) => {
                let outcomes: Outcomes = replies.into_iter().zip(outcomes).collect();
                // If their runtime is busy or has ended, they are notified here.
                if let Err(error) = self.outcomes.try_send(outcomes) {
                    send_all(error.into_inner());
                }
            }
            // One debit makes the whole batch fail: each is tried alone, so that only that one
            // fails.
            Err(StoreError::Conflict(_) | StoreError::Bug(_))
                if debits.len() + failed.len() > 1 =>
            {
                for (debit, reply) in debits.into_iter().zip(replies) {
                    Box::pin(self.serve(vec![debit], vec![reply], &[])).await;
                }
                for row in failed {
                    let alone = std::slice::from_ref(row);
                    Box::pin(self.serve(Vec::new(), Vec::new(), alone)).await;
                }
            }
            Err(StoreError::Undecided(reason)) => {
                tracing::warn!(reason, debits = debits.len(), "the result of a commit is unknown");
                self.resolve_commit(debits, replies, &reason).await;
            }
            Err(StoreError::Unavailable(reason)) => {
                tracing::warn!(reason, debits = debits.len(), "debits were not written");
                for reply in replies {
                    let unavailable = StoreError::Unavailable(reason.clone());
                    let _ = reply.send(Err(DebitError::Store(unavailable)));
                }
            }
            Err(error) => {
                tracing::error!(%error, "a charge failed");
                if let Some(reply) = replies.into_iter().next() {
                    let _ = reply.send(Err(DebitError::Store(error)));
                }
            }
        }
    }

    /// The connection was lost in the middle of a batch, perhaps after the commit. A batch is
    /// atomic, so one of its requests in the ledger proves the commit of all.
    async fn resolve_commit(&mut self, debits: Vec<Debit>, replies: Vec<Reply>, reason: &str) {
        let committed = self.was_committed(&debits).await;
        for (debit, reply) in debits.into_iter().zip(replies) {
            if committed == Some(true)
                && let Ok(Some(outcome)) =
                    with_timeout(RESOLVE_COMMIT_TIME, self.ledger.find_outcome(&debit)).await
            {
                let _ = reply.send(Ok(outcome));
                continue;
            }
            let _ = reply.send(Err(DebitError::Store(StoreError::Unavailable(reason.to_owned()))));
            // The caller got an error: if the commit did take place, it is refunded. With an
            // idempotency key the caller's retry gets the response that was paid for.
            if debit.response.is_none() {
                self.unresolved.add(debit);
            }
        }
    }

    async fn was_committed(&self, debits: &[Debit]) -> Option<bool> {
        let until = Instant::now() + RESOLVE_COMMIT_TIME;
        while Instant::now() < until {
            // A refused debit leaves no usage row, so every debit of the batch is checked.
            let mut all_checked = true;
            for debit in debits {
                match with_timeout(RESOLVE_COMMIT_TIME, self.find_usage(debit)).await {
                    Ok(Some(_)) => return Some(true),
                    Ok(None) => {}
                    Err(_) => {
                        all_checked = false;
                        break;
                    }
                }
            }
            if all_checked {
                return Some(false);
            }
            tokio::time::sleep(RESOLVE_COMMIT_PAUSE).await;
        }
        None
    }

    /// Credits that a debit took, if it took place.
    async fn find_usage(&self, debit: &Debit) -> Result<Option<i64>> {
        self.ledger.find_usage(&debit.account_id, &debit.request_id).await
    }
}

/// Notifies the callers of each batch on a thread of their runtime, which is woken once per batch and
/// not once per caller.
async fn notify_callers(mut batches: mpsc::Receiver<Outcomes>) {
    while let Some(outcomes) = batches.recv().await {
        send_all(outcomes);
    }
}

fn send_all(outcomes: Outcomes) {
    for (reply, outcome) in outcomes {
        let _ = reply.send(Ok(outcome));
    }
}

/// Collects the requests that arrive within the batch window. The thread sleeps, because nothing else
/// runs on it and the runtime's timer is too coarse.
fn collect_batch(requests: &mut mpsc::Receiver<WriteRequest>, waiting: &mut Vec<WriteRequest>) {
    if waiting.len() >= BATCH_TARGET {
        return;
    }
    std::thread::sleep(BATCH_WINDOW);
    while waiting.len() < MAX_BATCH
        && let Ok(request) = requests.try_recv()
    {
        waiting.push(request);
    }
}

/// Runs `work` with a time limit. The abandoned work may still take effect.
pub(super) async fn with_timeout<T>(
    time: Duration,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let late = || StoreError::Undecided(format!("no response within {} seconds", time.as_secs()));
    tokio::time::timeout(time, work).await.unwrap_or_else(|_| Err(late()))
}
