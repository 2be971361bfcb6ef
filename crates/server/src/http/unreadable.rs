//! Answers to what the HTTP layer cannot read as a request. It writes a bare status line by itself; here the
//! envelope takes its place, so that every answer has it.

use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::http::Response;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream on which the HTTP layer's own refusals are written out as `refuse` says for their status.
pub struct RejectUnreadable<S, F> {
    stream: S,
    refuse: F,
    /// What is being written in place of a bare refusal.
    instead: Option<Instead>,
}

struct Instead {
    bytes: Vec<u8>,
    written: usize,
    /// How many bytes of the HTTP layer it stands for.
    stands_for: usize,
}

impl<S, F> RejectUnreadable<S, F>
where
    S: AsyncWrite + Unpin,
    F: FnMut(u16) -> Option<Response<String>> + Unpin,
{
    /// Wraps a stream.
    pub fn new(stream: S, refuse: F) -> RejectUnreadable<S, F> {
        RejectUnreadable { stream, refuse, instead: None }
    }

    fn write_instead(&mut self, context: &mut Context<'_>) -> Poll<Result<usize>> {
        while let Some(instead) = &mut self.instead {
            let rest = &instead.bytes[instead.written..];
            if rest.is_empty() {
                let stands_for = instead.stands_for;
                self.instead = None;
                return Poll::Ready(Ok(stands_for));
            }
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, rest))?;
            if written == 0 {
                return Poll::Ready(Ok(0));
            }
            instead.written += written;
        }
        Poll::Ready(Ok(0))
    }
}

impl<S: AsyncRead + Unpin, F: Unpin> AsyncRead for RejectUnreadable<S, F> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S, F> AsyncWrite for RejectUnreadable<S, F>
where
    S: AsyncWrite + Unpin,
    F: FnMut(u16) -> Option<Response<String>> + Unpin,
{
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        if self.instead.is_none()
            && let Some(refusal) = BareRefusal::at_end_of(bytes)
        {
            if refusal.start > 0 {
                // What came before it goes out first.
                return Pin::new(&mut self.stream).poll_write(context, &bytes[..refusal.start]);
            }
            if let Some(response) = (self.refuse)(refusal.status) {
                let stands_for = bytes.len();
                let bytes = refusal.written_as(response);
                self.instead = Some(Instead { bytes, written: 0, stands_for });
            }
        }
        match self.instead {
            Some(_) => self.write_instead(context),
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        // A head is always the first piece.
        let first = pieces.iter().find(|piece| !piece.is_empty());
        match first {
            Some(first) if self.instead.is_some() || BareRefusal::at_end_of(first).is_some() => {
                self.poll_write(context, first)
            }
            _ => Pin::new(&mut self.stream).poll_write_vectored(context, pieces),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// A refusal that the HTTP layer wrote by itself: the head of an error without a body. All of our own answers
/// have a request id.
struct BareRefusal<'a> {
    start: usize,
    status: u16,
    head: &'a str,
}

impl<'a> BareRefusal<'a> {
    fn at_end_of(bytes: &'a [u8]) -> Option<BareRefusal<'a>> {
        const VERSION: &[u8] = b"HTTP/1.";
        if !bytes.ends_with(b"\r\n\r\n") {
            return None;
        }
        let start = bytes.windows(VERSION.len()).rposition(|window| window == VERSION)?;
        let head = std::str::from_utf8(&bytes[start..]).ok()?;
        let status = head.split(' ').nth(1)?.parse().ok().filter(|status| *status >= 400)?;
        let bare = head.contains("\r\ncontent-length: 0\r\n") && !head.contains("\r\nrequest-id:");
        bare.then_some(BareRefusal { start, status, head })
    }

    /// The bytes of an answer in its place, after which the connection is closed.
    fn written_as(&self, response: Response<String>) -> Vec<u8> {
        let (parts, body) = response.into_parts();
        let version = self.head.split(' ').next().unwrap_or("HTTP/1.1");
        let mut bytes = format!("{version} {}\r\n", parts.status).into_bytes();
        for (name, value) in &parts.headers {
            let line = [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"];
            bytes.extend(line.concat());
        }
        if let Some(date) = self.head.lines().find(|line| line.starts_with("date:")) {
            bytes.extend([date.as_bytes(), b"\r\n"].concat());
        }
        let length = body.len();
        let end = format!("content-length: {length}\r\nconnection: close\r\n\r\n{body}");
        bytes.extend(end.into_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const OURS: &str = "HTTP/1.1 404 Not Found\r\nrequest-id: req_1\r\ncontent-length: 0\r\n\r\n";
    const BARE: &str = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\
                        date: Mon, 16 Nov 2026 00:00:00 GMT\r\n\r\n";
    const INSTEAD: &str = "HTTP/1.1 418 I'm a teapot\r\nrequest-id: req_2\r\n\
                           date: Mon, 16 Nov 2026 00:00:00 GMT\r\ncontent-length: 5\r\n\
                           connection: close\r\n\r\n{400}";

    fn refuse(status: u16) -> Option<Response<String>> {
        let response = Response::builder().status(418).header("request-id", "req_2");
        response.body(format!("{{{status}}}")).ok()
    }

    /// What a client receives that takes a few bytes at a time.
    async fn received(writes: &[&str]) -> String {
        let (ours, mut theirs) = duplex(7);
        let reader = tokio::spawn(async move {
            let mut text = String::new();
            theirs.read_to_string(&mut text).await.expect("texts");
            text
        });
        let mut stream = RejectUnreadable::new(ours, refuse);
        for bytes in writes {
            stream.write_all(bytes.as_bytes()).await.expect("it is taken");
        }
        stream.shutdown().await.expect("it ends");
        drop(stream);
        reader.await.expect("it reads")
    }

    #[tokio::test]
    async fn a_bare_refusal_is_written_as_an_answer_of_ours() {
        assert_eq!(received(&[BARE]).await, INSTEAD);
        let behind_another = format!("{OURS}{BARE}");
        assert_eq!(received(&[&behind_another]).await, format!("{OURS}{INSTEAD}"));
    }

    #[tokio::test]
    async fn everything_else_goes_through_as_it_is() {
        for text in [
            OURS,
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}",
            "a chunk\r\n0\r\n\r\n",
            "",
        ] {
            assert_eq!(received(&[text]).await, text);
        }
    }
}
