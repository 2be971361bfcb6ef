//! Undo: a page that says what was done offers the form that sets it back. What was before comes back
//! with the address of the page, signed for the session, so that no link from elsewhere can offer it.

use serde::{Deserialize, Serialize};

use super::session::SignedIn;

/// What was before, in the query of the page that says what was done.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Before {
    /// What was changed.
    of: String,
    was: String,
    signature: String,
}

impl Before {
    pub fn new(signed_in: &SignedIn, of: &str, was: &str) -> Before {
        let signature = signed_in.app.ledger.sign_ticket(&signed_text(signed_in, of, was));
        Before { of: of.to_owned(), was: was.to_owned(), signature }
    }

    /// The query string, to append to others.
    pub fn query(&self) -> String {
        serde_html_form::to_string(self).unwrap_or_default()
    }

    /// What was changed and its value before, if this session signed it.
    pub fn read(&self, signed_in: &SignedIn) -> Option<(&str, &str)> {
        let text = signed_text(signed_in, &self.of, &self.was);
        let known = signed_in.app.ledger.is_ticket_signature(&text, &self.signature);
        known.then_some((self.of.as_str(), self.was.as_str()))
    }
}

fn signed_text(signed_in: &SignedIn, of: &str, was: &str) -> String {
    format!("undo\n{}\n{}\n{of}\n{was}", signed_in.token, signed_in.account_id())
}
