//! Reading a watch list of the account, and the way back to its page.

use axum::response::{IntoResponse, Redirect, Response};
use panji_api::http::encoding::encoded;
use panji_store::ledger::{Mode, Watchlist};

use super::language::t;
use super::page_error::PageError;
use super::session::SignedIn;

pub fn owner(signed_in: &SignedIn) -> (&str, Mode) {
    (signed_in.account_id(), signed_in.mode())
}

pub async fn find(signed_in: &SignedIn, id: &str) -> Result<Watchlist, PageError> {
    let found = signed_in.app.ledger.find_watchlist(owner(signed_in), id).await?;
    found.ok_or_else(no_list)
}

pub fn no_list() -> PageError {
    PageError::not_found(t("This watch list does not exist in this mode."))
}

/// Back to the page of a list. The notice is a sentence; `text` is what was searched for.
pub fn to_list(id: &str, notice: &str, text: &str) -> Response {
    let mut address = format!("/console/watch/{}", encoded(id));
    let given =
        [("notice", notice), ("q", text)].into_iter().filter(|(_, value)| !value.is_empty());
    for (separator, (name, value)) in ["?", "&"].into_iter().zip(given) {
        address.push_str(&format!("{separator}{name}={}", encoded(value)));
    }
    if !text.is_empty() {
        address.push_str("#add");
    }
    Redirect::to(&address).into_response()
}
