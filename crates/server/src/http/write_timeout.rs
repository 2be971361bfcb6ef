//! A connection whose client must take what it has asked for: where an answer is not taken in time, the
//! connection ends, and with it the memory that the answer was kept in.

use std::future::Future;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream that waits only so long for its reader.
pub struct WriteTimeout<S> {
    stream: S,
    time: Duration,
    /// Since the reader first held up what is being written, until all of it is out. Reading it a byte
    /// at a time does not prolong it.
    until: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncWrite + Unpin> WriteTimeout<S> {
    /// A stream whose reader may take this long for what is written in one go.
    pub fn new(stream: S, time: Duration) -> WriteTimeout<S> {
        WriteTimeout { stream, time, until: None }
    }

    fn wait<T>(&mut self, context: &mut Context<'_>) -> Poll<Result<T>> {
        let until = self.until.get_or_insert_with(|| Box::pin(sleep(self.time)));
        ready!(until.as_mut().poll(context));
        Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the answer was not taken in time")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Pending => self.wait(context),
            written => written,
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        match Pin::new(&mut self.stream).poll_write_vectored(context, pieces) {
            Poll::Pending => self.wait(context),
            written => written,
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    // Whoever writes flushes when everything has been handed over.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        match Pin::new(&mut self.stream).poll_flush(context) {
            Poll::Pending => self.wait(context),
            flushed => {
                self.until = None;
                flushed
            }
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        match Pin::new(&mut self.stream).poll_shutdown(context) {
            Poll::Pending => self.wait(context),
            down => down,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_answer_taken_a_byte_at_a_time_ends_the_connection() {
        let (ours, mut theirs) = duplex(16);
        let mut stream = WriteTimeout::new(ours, Duration::from_secs(60));
        let reader = tokio::spawn(async move {
            let mut taken = 0;
            while theirs.read_u8().await.is_ok() {
                taken += 1;
                sleep(Duration::from_secs(1)).await;
            }
            taken
        });
        let error = stream.write_all(&[7; 10_000]).await.expect_err("it is not taken");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        drop(stream);
        let taken = reader.await.expect("it reads");
        assert!((50..100).contains(&taken), "{taken} bytes");
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_pauses_between_answers_is_waited_for() {
        let (ours, mut theirs) = duplex(16);
        let mut stream = WriteTimeout::new(ours, Duration::from_secs(60));
        let reader = tokio::spawn(async move {
            for _ in 0..5 {
                sleep(Duration::from_secs(50)).await;
                theirs.read_exact(&mut [0; 32]).await.expect("it comes");
            }
        });
        for _ in 0..5 {
            stream.write_all(&[7; 32]).await.expect("it is taken");
            stream.flush().await.expect("it is taken");
        }
        reader.await.expect("it reads");
    }
}
