//! A timeout for writing: if the client does not read a response in time, the connection is closed
//! and the response's memory is freed.

use std::future::Future;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose writes fail if the client reads too slowly.
pub struct WriteTimeout<S> {
    stream: S,
    time: Duration,
    /// Started when a write first has to wait, and cleared when everything is flushed. Reading
    /// single bytes does not extend it.
    until: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncWrite + Unpin> WriteTimeout<S> {
    /// `time` is how long the client may take to read everything written between two flushes.
    pub fn new(stream: S, time: Duration) -> WriteTimeout<S> {
        WriteTimeout { stream, time, until: None }
    }

    fn wait<T>(&mut self, context: &mut Context<'_>) -> Poll<Result<T>> {
        let until = self.until.get_or_insert_with(|| Box::pin(sleep(self.time)));
        ready!(until.as_mut().poll(context));
        Poll::Ready(Err(Error::new(
            ErrorKind::TimedOut,
            "the client did not read the response in time",
        )))
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

    // The HTTP layer flushes when a response is written completely.
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
    async fn a_client_that_reads_single_bytes_times_out() {
        let (ours, mut theirs) = duplex(16);
        let mut stream = WriteTimeout::new(ours, Duration::from_secs(60));
        let reader = tokio::spawn(async move {
            let mut bytes_read = 0;
            while theirs.read_u8().await.is_ok() {
                bytes_read += 1;
                sleep(Duration::from_secs(1)).await;
            }
            bytes_read
        });
        let error = stream.write_all(&[7; 10_000]).await.expect_err("the write times out");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        drop(stream);
        let bytes_read = reader.await.expect("the reader ends");
        assert!((50..100).contains(&bytes_read), "{bytes_read} bytes");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_pauses_between_responses_does_not_time_out() {
        let (ours, mut theirs) = duplex(16);
        let mut stream = WriteTimeout::new(ours, Duration::from_secs(60));
        let reader = tokio::spawn(async move {
            for _ in 0..5 {
                sleep(Duration::from_secs(50)).await;
                theirs.read_exact(&mut [0; 32]).await.expect("a response");
            }
        });
        for _ in 0..5 {
            stream.write_all(&[7; 32]).await.expect("a write");
            stream.flush().await.expect("a write");
        }
        reader.await.expect("the reader ends");
    }
}
