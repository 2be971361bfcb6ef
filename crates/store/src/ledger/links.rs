//! Links sent by email: each works once, for one purpose, for a limited time.

use super::{Ledger, Role};
use crate::error::{Result, StoreError};

/// Open invitations per account.
const MAX_INVITATIONS: i64 = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPurpose {
    /// To set a new password.
    Reset,
    Invitation,
    Confirmation,
    LogIn,
}

impl LinkPurpose {
    fn as_str(self) -> &'static str {
        match self {
            LinkPurpose::Reset => "reset",
            LinkPurpose::Invitation => "invitation",
            LinkPurpose::Confirmation => "confirmation",
            LinkPurpose::LogIn => "log_in",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub email: String,
    /// The account to join; empty for other purposes.
    pub account_id: String,
    /// The role in the account to join; owner for other purposes.
    pub role: Role,
    pub created_at: i64,
    pub expires_at: i64,
}

impl Ledger {
    /// Stores a link before it is sent. An earlier link to the same address for the same purpose
    /// and account stops working.
    pub async fn create_link(&self, token: &str, purpose: LinkPurpose, link: &Link) -> Result<()> {
        let mut transaction = self.engine.transaction().await?;
        transaction
            .execute(
                "delete from links where account_id = $1 and purpose = $2 and email = $3",
                &[(&link.account_id).into(), purpose.as_str().into(), (&link.email).into()],
            )
            .await?;
        let open = transaction
            .query_opt(
                "select count(*) from links where account_id = $1 and purpose = $2",
                &[(&link.account_id).into(), purpose.as_str().into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        if purpose == LinkPurpose::Invitation && open.unwrap_or(0) >= MAX_INVITATIONS {
            return Err(StoreError::Conflict(format!(
                "an account can have {MAX_INVITATIONS} open invitations"
            )));
        }
        transaction
            .execute(
                "insert into links (hash, purpose, email, account_id, role, created_at, \
                 expires_at) values ($1, $2, $3, $4, $5, $6, $7)",
                &[
                    (&self.hash_link(token)).into(),
                    purpose.as_str().into(),
                    (&link.email).into(),
                    (&link.account_id).into(),
                    link.role.as_str().into(),
                    link.created_at.into(),
                    link.expires_at.into(),
                ],
            )
            .await?;
        transaction.commit().await
    }

    /// A link that is unused and has not expired.
    pub async fn find_link(
        &self,
        token: &str,
        purpose: LinkPurpose,
        now_ms: i64,
    ) -> Result<Option<Link>> {
        self.find_link_by_hash(&self.hash_link(token), purpose, now_ms).await
    }

    async fn find_link_by_hash(
        &self,
        hash: &str,
        purpose: LinkPurpose,
        now_ms: i64,
    ) -> Result<Option<Link>> {
        self.engine
            .query_opt(
                "select email, account_id, role, created_at, expires_at from links \
                 where hash = $1 and purpose = $2 and used_at is null and expires_at > $3",
                &[hash.into(), purpose.as_str().into(), now_ms.into()],
                link,
            )
            .await
    }

    /// Names an invitation without giving its token, and so without proving an address.
    pub fn invitation_reference(&self, link: &Link) -> String {
        self.hash_link(&self.invitation_token(link))
    }

    /// The open invitation with a reference.
    pub async fn find_invitation(&self, reference: &str, now_ms: i64) -> Result<Option<Link>> {
        self.find_link_by_hash(reference, LinkPurpose::Invitation, now_ms).await
    }

    /// Confirms the address that a link was emailed to, and marks the link as used. Returns the
    /// address; `None` if the link is not valid.
    pub async fn confirm_by_link(&self, token: &str, now_ms: i64) -> Result<Option<String>> {
        let mut transaction = self.engine.transaction().await?;
        let email: Option<String> = transaction
            .query_opt(
                "update links set used_at = $1 where hash = $2 and purpose = $3 \
                 and used_at is null and expires_at > $1 returning email",
                &[
                    now_ms.into(),
                    (&self.hash_link(token)).into(),
                    LinkPurpose::Confirmation.as_str().into(),
                ],
                |row| row.get(0),
            )
            .await?;
        let Some(email) = email else { return Ok(None) };
        if !super::accounts::confirm(&mut transaction, &email, now_ms).await? {
            return Ok(None);
        }
        transaction.commit().await?;
        Ok(Some(email))
    }

    /// The token of an invitation. It is derived from the invitation and the ledger's secret, so
    /// that it can be displayed again without being stored.
    pub fn invitation_token(&self, link: &Link) -> String {
        let Link { email, account_id, role, created_at, expires_at } = link;
        let text = format!("{account_id} {} {created_at} {expires_at} {email}", role.as_str());
        self.secret.token(b"invitation", &text)
    }

    /// Marks a link as used. False if it was used before.
    pub async fn use_link(&self, token: &str, now_ms: i64) -> Result<bool> {
        let changed = self
            .engine
            .execute(
                "update links set used_at = $1 where hash = $2 and used_at is null",
                &[now_ms.into(), (&self.hash_link(token)).into()],
            )
            .await?;
        Ok(changed > 0)
    }

    /// The open invitations of an account, oldest first.
    pub async fn list_invitations(&self, account_id: &str, now_ms: i64) -> Result<Vec<Link>> {
        self.engine
            .query(
                "select email, account_id, role, created_at, expires_at from links \
                 where account_id = $1 and purpose = $2 and used_at is null and expires_at > $3 \
                 order by created_at, email limit $4",
                &[
                    account_id.into(),
                    LinkPurpose::Invitation.as_str().into(),
                    now_ms.into(),
                    MAX_INVITATIONS.into(),
                ],
                link,
            )
            .await
    }

    /// False if there was none.
    pub async fn revoke_invitation(&self, account_id: &str, email: &str) -> Result<bool> {
        let deleted = self
            .engine
            .execute(
                "delete from links where account_id = $1 and purpose = $2 and email = $3",
                &[account_id.into(), LinkPurpose::Invitation.as_str().into(), email.into()],
            )
            .await?;
        Ok(deleted > 0)
    }

    fn hash_link(&self, token: &str) -> String {
        self.secret.token(b"link", token)
    }
}

fn link(row: &crate::engine::Row<'_>) -> Result<Link> {
    Ok(Link {
        email: row.get(0)?,
        account_id: row.get(1)?,
        role: super::members::stored_role(&row.get::<String>(2)?)?,
        created_at: row.get(3)?,
        expires_at: row.get(4)?,
    })
}
