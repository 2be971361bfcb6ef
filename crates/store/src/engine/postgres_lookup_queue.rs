//! The keys of one statement that wait to be sent. Up to `KEY_BATCH` of them become one query.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio_postgres::Row;

use super::postgres_pool::SHARED_CONNECTIONS;
use crate::error::{Result, StoreError};

/// Keys sent to a server at a time. Roughly, with pgbench on four connections, two busy cores and rows of
/// 1 KB (medians of three): 37,000 keys a second one by one, 79,000 in batches of 8, 107,000 of 32. Batches
/// of 64 and 128 gain at most 4 % and take two and four times as long (2.4 and 4.6 ms).
pub(crate) const KEY_BATCH: usize = 32;
/// The most keys of one statement that wait: one for each connection that the service accepts.
const MAX_WAITING: usize = 16_384;

#[derive(Default)]
pub(super) struct LookupQueue {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Whether a task sends queries on each shared connection. With one query on each, a connection
    /// that does not respond delays only the keys that were sent on it.
    sending: [bool; SHARED_CONNECTIONS],
    /// The connection that is tried first for the next task, so that all are used in turn.
    next: usize,
    waiting: VecDeque<WaitingKey>,
}

/// A key and its caller.
pub(super) struct WaitingKey {
    pub key: String,
    pub reply: oneshot::Sender<Result<Vec<Row>>>,
}

/// A task that sends the waiting keys on one shared connection. If it is dropped before it has ended
/// (a panic, or its runtime ends) and no other task is left, then the callers get an error: no task
/// would send their keys.
pub(super) struct SendingTask {
    queue: Arc<LookupQueue>,
    /// Its shared connection.
    slot: usize,
    ended: bool,
}

impl LookupQueue {
    /// Adds a key. Returns a task if a shared connection has none.
    pub(super) fn add(self: &Arc<Self>, waiting: WaitingKey) -> Result<Option<SendingTask>> {
        let mut state = self.state();
        if state.waiting.len() >= MAX_WAITING {
            state.remove_abandoned();
        }
        if state.waiting.len() >= MAX_WAITING {
            return Err(StoreError::Unavailable("too many lookups wait for PostgreSQL".to_owned()));
        }
        state.waiting.push_back(waiting);
        let slot = state.take_slot();
        drop(state);
        Ok(slot.map(|slot| SendingTask { queue: self.clone(), slot, ended: false }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_slot(&mut self) -> Option<usize> {
        let mut slots = (0..SHARED_CONNECTIONS).map(|step| (self.next + step) % SHARED_CONNECTIONS);
        let slot = slots.find(|slot| !self.sending[*slot])?;
        self.sending[slot] = true;
        self.next = slot + 1;
        Some(slot)
    }

    fn remove_abandoned(&mut self) {
        self.waiting.retain(|each| !each.reply.is_closed());
    }
}

impl SendingTask {
    pub(super) fn slot(&self) -> usize {
        self.slot
    }

    /// The next keys to send; none if no key waits, which ends the task.
    pub(super) fn take(&mut self) -> Option<Vec<WaitingKey>> {
        let mut state = self.queue.state();
        state.remove_abandoned();
        let keys = state.waiting.len().min(KEY_BATCH);
        if keys == 0 {
            state.sending[self.slot] = false;
            self.ended = true;
            return None;
        }
        Some(state.waiting.drain(..keys).collect())
    }
}

impl Drop for SendingTask {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let mut state = self.queue.state();
        state.sending[self.slot] = false;
        if !state.sending.contains(&true) {
            state.waiting.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot::error::TryRecvError;

    use super::*;

    type Reply = oneshot::Receiver<Result<Vec<Row>>>;

    fn add(queue: &Arc<LookupQueue>, key: &str) -> (Option<SendingTask>, Reply) {
        let (reply, rows) = oneshot::channel();
        let added = queue.add(WaitingKey { key: key.to_owned(), reply });
        (added.expect("the queue has room"), rows)
    }

    fn add_many(queue: &Arc<LookupQueue>, count: usize) -> (Vec<SendingTask>, Vec<Reply>) {
        let added = (0..count).map(|number| add(queue, &number.to_string()));
        let (tasks, replies): (Vec<_>, Vec<_>) = added.unzip();
        (tasks.into_iter().flatten().collect(), replies)
    }

    fn keys(taken: Option<&Vec<WaitingKey>>) -> Vec<&str> {
        taken.into_iter().flatten().map(|each| each.key.as_str()).collect()
    }

    #[test]
    fn each_shared_connection_gets_one_task_and_further_keys_wait() {
        let queue = Arc::default();
        let (tasks, _replies) = add_many(&queue, SHARED_CONNECTIONS + 3);
        let slots: Vec<usize> = tasks.iter().map(SendingTask::slot).collect();
        assert_eq!(slots, (0..SHARED_CONNECTIONS).collect::<Vec<_>>());
        assert_eq!(queue.state().waiting.len(), SHARED_CONNECTIONS + 3);
    }

    #[test]
    fn keys_are_taken_in_order_and_at_most_a_batch_at_a_time() {
        let queue = Arc::default();
        let (mut tasks, _replies) = add_many(&queue, KEY_BATCH + 2);
        let (first, second) = (tasks[0].take(), tasks[1].take());
        let expected: Vec<String> = (0..KEY_BATCH + 2).map(|number| number.to_string()).collect();
        assert_eq!(keys(first.as_ref()), expected[..KEY_BATCH]);
        assert_eq!(keys(second.as_ref()), expected[KEY_BATCH..]);
        assert!(tasks[2].take().is_none());
    }

    #[test]
    fn a_task_that_has_ended_makes_room_for_one_on_the_next_connection() {
        let queue = Arc::default();
        let (first, _reply) = add(&queue, "a");
        let mut first = first.expect("no task runs yet");
        assert_eq!(first.slot(), 0);
        assert_eq!(keys(first.take().as_ref()), ["a"]);
        assert!(first.take().is_none());
        drop(first);
        let (second, _reply) = add(&queue, "b");
        assert_eq!(second.as_ref().map(SendingTask::slot), Some(1));
    }

    #[test]
    fn a_key_whose_caller_has_gone_is_not_sent() {
        let queue = Arc::default();
        let (task, abandoned) = add(&queue, "a");
        let (_second_task, _reply) = add(&queue, "b");
        drop(abandoned);
        let taken = task.and_then(|mut task| task.take());
        assert_eq!(keys(taken.as_ref()), ["b"]);
    }

    #[test]
    fn callers_fail_when_the_last_task_is_dropped() {
        let queue = Arc::default();
        let (mut tasks, mut replies) = add_many(&queue, KEY_BATCH + 1);
        // The first keys were sent by a task that is dropped before it replies.
        let sent = tasks[0].take();
        drop((tasks.remove(0), sent));
        assert!(matches!(replies[0].try_recv(), Err(TryRecvError::Closed)));
        let last = &mut replies[KEY_BATCH];
        assert!(matches!(last.try_recv(), Err(TryRecvError::Empty)), "another task can send it");
        drop(tasks);
        assert!(matches!(last.try_recv(), Err(TryRecvError::Closed)));
        // The next lookup starts a task again.
        assert!(add(&queue, "next").0.is_some());
    }

    #[test]
    fn a_full_queue_refuses_keys_until_others_have_gone() {
        let queue = Arc::default();
        let (_tasks, mut replies) = add_many(&queue, MAX_WAITING);
        let refused = || {
            let (reply, _rows) = oneshot::channel();
            queue.add(WaitingKey { key: "more".to_owned(), reply }).map(drop)
        };
        assert!(matches!(refused(), Err(StoreError::Unavailable(_))));
        assert_eq!(queue.state().waiting.len(), MAX_WAITING);
        replies.pop();
        assert!(refused().is_ok());
    }
}
