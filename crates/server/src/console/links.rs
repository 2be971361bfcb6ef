//! Links that a person follows to prove who they are: each works once, for a while.

use panji_store::calendar::now_ms;
use panji_store::ledger::{Link, LinkPurpose, Role};
use panji_store::{Ledger, StoreError};

use super::session::random_token;

/// A link for a person, as an address to follow.
pub struct PersonalLink {
    /// The address.
    pub address: String,
    /// Whose it is.
    pub person_id: String,
}

/// Stores a link for an e-mail address and gives its token.
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

/// Makes a link for the person of an e-mail address that leads to a page; none where there is nobody.
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
