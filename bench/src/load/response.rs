//! Finds the end of an HTTP/1.1 response from its first bytes.

use anyhow::{Context, bail};

/// The length of a response: known in advance, or chunked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Length {
    /// All bytes of the response, including the head.
    Whole(usize),
    /// The head's bytes; the body ends with an empty chunk.
    Chunked(usize),
}

/// A response that is being received.
#[derive(Debug, Default)]
pub struct PartialResponse {
    length: Option<Length>,
}

impl PartialResponse {
    /// Whether the received bytes contain the whole response. The error describes malformed HTTP.
    pub fn complete(&mut self, bytes: &[u8]) -> anyhow::Result<bool> {
        if self.length.is_none() {
            self.length = read_head(bytes)?;
        }
        Ok(match self.length {
            None => false,
            Some(Length::Whole(length)) => bytes.len() >= length,
            Some(Length::Chunked(head)) => bytes[head..].ends_with(b"0\r\n\r\n"),
        })
    }
}

/// Whether the status is 200.
pub fn is_ok(bytes: &[u8]) -> bool {
    bytes.starts_with(b"HTTP/1.1 200")
}

fn read_head(bytes: &[u8]) -> anyhow::Result<Option<Length>> {
    let Some(end) = memchr::memmem::find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let head = end + 4;
    for line in bytes[..end].split(|byte| *byte == b'\n').skip(1) {
        if let Some(value) = value_of(line, b"content-length:") {
            let text = String::from_utf8_lossy(value);
            let length: usize =
                text.trim().parse().with_context(|| format!("a content length of {text}"))?;
            return Ok(Some(Length::Whole(head + length)));
        }
        if value_of(line, b"transfer-encoding:").is_some() {
            return Ok(Some(Length::Chunked(head)));
        }
    }
    bail!("a response without a length: {}", String::from_utf8_lossy(&bytes[..end]))
}

fn value_of<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (begin, value) = line.split_at_checked(name.len())?;
    begin.eq_ignore_ascii_case(name).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::PartialResponse;

    /// Feeds a response byte by byte; returns after how many bytes it was complete.
    fn complete_after(response: &[u8]) -> Option<usize> {
        let mut arriving = PartialResponse::default();
        (0..=response.len()).find(|end| matches!(arriving.complete(&response[..*end]), Ok(true)))
    }

    #[test]
    fn a_response_ends_at_its_content_length() {
        let response =
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(complete_after(response), Some(response.len()));
        assert_eq!(complete_after(&response[..response.len() - 1]), None);
    }

    #[test]
    fn a_chunked_response_ends_with_an_empty_chunk() {
        let response =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
        assert_eq!(complete_after(response), Some(response.len()));
    }

    #[test]
    fn a_response_without_a_length_is_an_error() {
        let response = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
        assert!(PartialResponse::default().complete(response).is_err());
    }
}
