//! A local mail server for a test, which stores the emails it receives.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::pause;

/// How long a test waits for an email.
const TIMEOUT: Duration = Duration::from_secs(300);

pub struct Mailbox {
    /// For the setting mail.smtp_url.
    pub url: String,
    mails: Receiver<String>,
}

impl Mailbox {
    /// A mail server on a free port that runs until the test ends.
    #[allow(clippy::disallowed_methods, reason = "a test sends few emails")]
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

    pub fn next(&self) -> String {
        self.mails.recv_timeout(TIMEOUT).expect("an email arrives")
    }

    /// The next email, for a test whose only thread also sends it.
    pub async fn next_in_this_thread(&self) -> String {
        let started = Instant::now();
        loop {
            if let Ok(mail) = self.mails.try_recv() {
                return mail;
            }
            assert!(started.elapsed() < TIMEOUT, "an email arrives");
            pause().await;
        }
    }

    /// The path of the link in the next email to this address.
    pub fn next_link(&self, to: &str) -> String {
        let mail = self.next();
        assert!(mail.contains(to), "{mail}");
        let link = mail.split_whitespace().find(|word| word.starts_with("http://"));
        let path = link.and_then(|link| link.splitn(4, '/').nth(3)).expect("a link with a path");
        format!("/{path}")
    }

    /// Whether no email has arrived.
    pub fn is_empty(&self) -> bool {
        self.mails.try_recv().is_err()
    }
}

/// The part of SMTP that one email needs.
fn receive(stream: std::net::TcpStream) -> std::io::Result<String> {
    let mut out = stream.try_clone()?;
    out.write_all(b"220 mailbox\r\n")?;
    let (mut mail, mut in_data) = (String::new(), false);
    for line in BufReader::new(stream).lines() {
        let line = line?;
        let reply: &[u8] = match (in_data, line.as_str()) {
            (true, ".") => {
                out.write_all(b"250 stored\r\n")?;
                break;
            }
            (true, text) => {
                // A line that ends with = continues on the next line.
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
