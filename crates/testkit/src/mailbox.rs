//! A mail server of the test's own, on loopback, that keeps what it is sent.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long a mail may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// The mail server with what it was sent.
pub struct Mailbox {
    /// For the setting mail.smtp_url.
    pub url: String,
    mails: Receiver<String>,
}

impl Mailbox {
    /// A mail server on a free port, for as long as the test runs.
    #[allow(clippy::disallowed_methods, reason = "a test sends few mails")]
    pub fn open() -> Mailbox {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a listener has an address");
        let url = format!("smtp://{address}");
        let (sender, mails) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mail = stream.and_then(receive).unwrap_or_default();
                if sender.send(mail).is_err() {
                    return;
                }
            }
        });
        Mailbox { url, mails }
    }

    /// The next mail.
    pub fn next(&self) -> String {
        self.mails.recv_timeout(PATIENCE).expect("a mail comes")
    }

    /// The path of the link in the next mail to somebody.
    pub fn next_link(&self, to: &str) -> String {
        let mail = self.next();
        assert!(mail.contains(to), "{mail}");
        let link = mail.split_whitespace().find(|word| word.starts_with("http://"));
        let path = link.and_then(|link| link.splitn(4, '/').nth(3)).expect("a link with a path");
        format!("/{path}")
    }

    /// Whether nothing has come.
    pub fn is_empty(&self) -> bool {
        self.mails.try_recv().is_err()
    }
}

/// As much of SMTP as one mail takes.
fn receive(stream: std::net::TcpStream) -> std::io::Result<String> {
    let mut out = stream.try_clone()?;
    out.write_all(b"220 mailbox\r\n")?;
    let (mut mail, mut in_data) = (String::new(), false);
    for line in BufReader::new(stream).lines() {
        let line = line?;
        let reply: &[u8] = match (in_data, line.as_str()) {
            (true, ".") => {
                out.write_all(b"250 kept\r\n")?;
                break;
            }
            (true, text) => {
                // A line that ends in = goes on in the next.
                let text = text.replace("=3D", "=");
                mail.push_str(text.strip_suffix('=').unwrap_or(&format!("{text}\n")));
                continue;
            }
            (false, "DATA") => {
                in_data = true;
                b"354 go on\r\n"
            }
            (false, _) => b"250 fine\r\n",
        };
        out.write_all(reply)?;
    }
    Ok(mail)
}
