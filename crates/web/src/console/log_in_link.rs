//! A link that logs a person in once, such as the one printed at the first start.

use axum::response::Response;
use panji_store::calendar::now_ms;
use panji_store::ledger::{LinkPurpose, LogInMethod};
use panji_store::{Ledger, StoreError};

use super::links::{self, PersonalLink};
use super::log_in;
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::reset::LinkQuery;
use super::session::Anonymous;

/// How long the link is valid.
const LINK_MS: i64 = 3_600_000;

/// Creates a log-in link for the person with an email address; none if there is no such person.
pub async fn make(
    ledger: &Ledger,
    public_url: &str,
    email: &str,
) -> Result<Option<PersonalLink>, StoreError> {
    let page = format!("{public_url}/console/log-in/link");
    links::create_for_person(ledger, (LinkPurpose::LogIn, LINK_MS), email, &page).await
}

/// Logs in with a link and invalidates it. A second factor is required as after a password.
pub async fn follow(
    anonymous: Anonymous,
    RepeatedQuery(query): RepeatedQuery<LinkQuery>,
) -> Result<Response, PageError> {
    let ledger = &anonymous.app.ledger;
    let now_ms = now_ms();
    let found = ledger.find_link(&query.link, LinkPurpose::LogIn, now_ms).await?;
    let link = found.ok_or_else(PageError::invalid_link)?;
    let person = ledger.find_person(&link.email).await?.ok_or_else(PageError::invalid_link)?;
    if !ledger.use_link(&query.link, now_ms).await? {
        return Err(PageError::invalid_link());
    }
    log_in::continue_log_in(&anonymous, &person, LogInMethod::Link, "/console").await
}
