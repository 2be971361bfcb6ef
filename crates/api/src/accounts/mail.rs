//! Outgoing email over SMTP. Without a mail server in the settings, nothing is sent.

use lettre::address::AddressError;
use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};

use crate::accounts::audit_log::redacted_email;
use crate::config::MailSettings;

/// Which email setting is wrong.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    #[error("the setting mail.from: {0}")]
    From(#[source] AddressError),
    #[error("the setting mail.smtp_url: {0}")]
    SmtpUrl(#[source] smtp::Error),
}

pub struct Mailer {
    from: Mailbox,
    server: Option<AsyncSmtpTransport<Tokio1Executor>>,
}

impl Mailer {
    pub fn open(settings: &MailSettings) -> Result<Mailer, MailError> {
        let from = settings.from.parse().map_err(MailError::From)?;
        let server = match settings.smtp_url.as_str() {
            "" => None,
            url => {
                let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)
                    .map_err(MailError::SmtpUrl)?;
                Some(server.build())
            }
        };
        Ok(Mailer { from, server })
    }

    pub fn sends(&self) -> bool {
        self.server.is_some()
    }

    /// Sends an email in the background, so that the response time does not reveal whether one was
    /// sent. A failure is logged; the user can request another email.
    pub fn send(&self, to: &str, subject: &str, text: &str) {
        let Some(server) = self.server.clone() else {
            // The text is not logged: it may contain a log-in link.
            let to = redacted_email(to);
            tracing::warn!(to, subject, "no mail server is set: an email was not sent");
            return;
        };
        let to = match to.parse::<Mailbox>() {
            Ok(to) => to,
            Err(error) => {
                tracing::warn!(%error, "the address of an email is invalid");
                return;
            }
        };
        let message = Message::builder()
            .from(self.from.clone())
            .to(to)
            .subject(subject)
            .header(ContentType::TEXT_PLAIN)
            .body(text.to_owned());
        match message {
            Ok(message) => {
                tokio::spawn(async move {
                    if let Err(error) = server.send(message).await {
                        tracing::warn!(%error, "an email could not be sent");
                    }
                });
            }
            Err(error) => tracing::warn!(%error, "an email could not be created"),
        }
    }
}
