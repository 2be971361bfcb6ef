//! Undo: a page that confirms an action offers the form that reverts it. The previous value is in the
//! address of the page, signed for the session, so that no link from elsewhere can offer it.

use serde::{Deserialize, Serialize};

use super::session::SignedIn;

/// What was changed and its previous value, in the query of the page that confirms the action.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct UndoState {
    /// What was changed.
    #[serde(rename = "of")]
    object: String,
    #[serde(rename = "was")]
    previous: String,
    signature: String,
}

impl UndoState {
    pub fn new(signed_in: &SignedIn, object: &str, previous: &str) -> UndoState {
        let signature = signed_in.app.ledger.sign_ticket(&signed_text(signed_in, object, previous));
        UndoState { object: object.to_owned(), previous: previous.to_owned(), signature }
    }

    /// The query string, to append to others.
    pub fn query(&self) -> String {
        serde_html_form::to_string(self).unwrap_or_default()
    }

    /// What was changed and its previous value, if this session signed it.
    pub fn read(&self, signed_in: &SignedIn) -> Option<(&str, &str)> {
        let text = signed_text(signed_in, &self.object, &self.previous);
        let known = signed_in.app.ledger.is_ticket_signature(&text, &self.signature);
        known.then_some((self.object.as_str(), self.previous.as_str()))
    }
}

fn signed_text(signed_in: &SignedIn, object: &str, previous: &str) -> String {
    format!("undo\n{}\n{}\n{object}\n{previous}", signed_in.token, signed_in.account_id())
}
