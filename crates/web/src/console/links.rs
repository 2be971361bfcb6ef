//! Personal links that prove a person's identity. Each is valid once, for a limited time.

use panji_store::calendar::now_ms;
use panji_store::ledger::{Link, LinkPurpose, Role};
use panji_store::{Ledger, StoreError};

use super::session::random_token;

pub struct PersonalLink {
    /// The URL.
    pub address: String,
    pub person_id: String,
}

/// Stores a link for an email address and returns its token.
pub async fn create(
    ledger: &Ledger,
    purpose: LinkPurpose,
    email: &str,
    lifetime_ms: i64,
) -> Result<String, StoreError> {
    let token = random_token().map_err(|_| StoreError::Unavailable("no random bytes".into()))?;
    let now_ms = now_ms();
    let link = Link {
        email: email.to_owned(),
        account_id: String::new(),
        role: Role::Owner,
        created_at: now_ms,
        expires_at: now_ms + lifetime_ms,
    };
    ledger.create_link(&token, purpose, &link).await?;
    Ok(token)
}

/// Creates a link to a page for the person with an email address; none if there is no such person.
pub async fn create_for_person(
    ledger: &Ledger,
    (purpose, lifetime_ms): (LinkPurpose, i64),
    email: &str,
    page: &str,
) -> Result<Option<PersonalLink>, StoreError> {
    let Some(person) = ledger.find_or_create_person(email, now_ms()).await? else {
        return Ok(None);
    };
    let token = create(ledger, purpose, &person.email, lifetime_ms).await?;
    Ok(Some(PersonalLink { address: format!("{page}?link={token}"), person_id: person.id }))
}
