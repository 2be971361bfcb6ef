//! Error responses to malformed requests. The HTTP layer itself writes only a status line for them;
//! this replaces it by a response with the envelope.

use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::http::Response;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The HTTP layer's own error responses have their length in these last bytes of the head, before the
/// date.
const LAST_HEADERS_BYTES: usize = 96;

/// A stream that replaces the HTTP layer's own error responses by what `refuse` returns for their
/// status.
pub struct RejectUnreadable<S, F> {
    stream: S,
    refuse: F,
    /// The replacement that is being written.
    replacement: Option<Replacement>,
}

struct Replacement {
    bytes: Vec<u8>,
    written: usize,
    /// How many bytes of the HTTP layer's output it replaces.
    replaces: usize,
}

impl<S, F> RejectUnreadable<S, F>
where
    S: AsyncWrite + Unpin,
    F: FnMut(u16) -> Option<Response<String>> + Unpin,
{
    pub fn new(stream: S, refuse: F) -> RejectUnreadable<S, F> {
        RejectUnreadable { stream, refuse, replacement: None }
    }

    fn write_replacement(&mut self, context: &mut Context<'_>) -> Poll<Result<usize>> {
        while let Some(replacement) = &mut self.replacement {
            let rest = &replacement.bytes[replacement.written..];
            if rest.is_empty() {
                let replaces = replacement.replaces;
                self.replacement = None;
                return Poll::Ready(Ok(replaces));
            }
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, rest))?;
            if written == 0 {
                return Poll::Ready(Ok(0));
            }
            replacement.written += written;
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
        if self.replacement.is_none()
            && let Some(bare) = EmptyErrorResponse::at_end_of(bytes)
        {
            if bare.start > 0 {
                // Earlier output is written first.
                return Pin::new(&mut self.stream).poll_write(context, &bytes[..bare.start]);
            }
            if let Some(response) = (self.refuse)(bare.status) {
                let replaces = bytes.len();
                let bytes = bare.replaced_by(response);
                self.replacement = Some(Replacement { bytes, written: 0, replaces });
            }
        }
        match self.replacement {
            Some(_) => self.write_replacement(context),
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        // The head of a response is always the first non-empty piece.
        let first = pieces.iter().find(|piece| !piece.is_empty());
        match first {
            Some(first)
                if self.replacement.is_some() || EmptyErrorResponse::at_end_of(first).is_some() =>
            {
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

/// An error response of the HTTP layer itself: a head without a body or a request id. All responses
/// of the application have a request id.
struct EmptyErrorResponse<'a> {
    start: usize,
    status: u16,
    head: &'a str,
}

impl<'a> EmptyErrorResponse<'a> {
    fn at_end_of(bytes: &'a [u8]) -> Option<EmptyErrorResponse<'a>> {
        const VERSION: &[u8] = b"HTTP/1.";
        const EMPTY: &[u8] = b"\r\ncontent-length: 0\r\n";
        if !bytes.ends_with(b"\r\n\r\n") {
            return None;
        }
        // The last headers rule out nearly all responses, so the rest of the head is not searched.
        let tail = &bytes[bytes.len().saturating_sub(LAST_HEADERS_BYTES)..];
        if !tail.windows(EMPTY.len()).any(|window| window == EMPTY) {
            return None;
        }
        let start = bytes.windows(VERSION.len()).rposition(|window| window == VERSION)?;
        let head = std::str::from_utf8(&bytes[start..]).ok()?;
        let status = head.split(' ').nth(1)?.parse().ok().filter(|status| *status >= 400)?;
        let has_request_id = head.contains("\r\nrequest-id:");
        (!has_request_id).then_some(EmptyErrorResponse { start, status, head })
    }

    /// The bytes of `response`, with the date of this error. The connection is closed after it.
    fn replaced_by(&self, response: Response<String>) -> Vec<u8> {
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

    const APPLICATION_ERROR: &str =
        "HTTP/1.1 404 Not Found\r\nrequest-id: req_1\r\ncontent-length: 0\r\n\r\n";
    const BARE_ERROR: &str = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\
                        date: Mon, 16 Nov 2026 00:00:00 GMT\r\n\r\n";
    const REPLACEMENT: &str = "HTTP/1.1 418 I'm a teapot\r\nrequest-id: req_2\r\n\
                           date: Mon, 16 Nov 2026 00:00:00 GMT\r\ncontent-length: 5\r\n\
                           connection: close\r\n\r\n{400}";

    fn refuse(status: u16) -> Option<Response<String>> {
        let response = Response::builder().status(418).header("request-id", "req_2");
        response.body(format!("{{{status}}}")).ok()
    }

    /// The bytes received by a client that reads a few at a time.
    async fn received(writes: &[&str]) -> String {
        let (ours, mut theirs) = duplex(7);
        let reader = tokio::spawn(async move {
            let mut text = String::new();
            theirs.read_to_string(&mut text).await.expect("text");
            text
        });
        let mut stream = RejectUnreadable::new(ours, refuse);
        for bytes in writes {
            stream.write_all(bytes.as_bytes()).await.expect("a write");
        }
        stream.shutdown().await.expect("a shutdown");
        drop(stream);
        reader.await.expect("the reader ends")
    }

    #[tokio::test]
    async fn an_error_of_the_http_layer_is_replaced() {
        assert_eq!(received(&[BARE_ERROR]).await, REPLACEMENT);
        let pipelined = format!("{APPLICATION_ERROR}{BARE_ERROR}");
        assert_eq!(received(&[&pipelined]).await, format!("{APPLICATION_ERROR}{REPLACEMENT}"));
    }

    #[tokio::test]
    async fn everything_else_is_passed_through_unchanged() {
        for text in [
            APPLICATION_ERROR,
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
