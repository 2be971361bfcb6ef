//! Identities at an identity provider: who logged in through it, and as which member of an account.

use super::members::{MAX_MEMBERS, stored_role};
use super::people::{PERSON_BY_EMAIL, PERSON_BY_ID};
use super::{Ledger, Person, Role};
use crate::engine::Transaction;
use crate::error::{Result, StoreError};

/// What the identity provider of an account says about a person.
#[derive(Clone, Copy, Debug)]
pub struct SsoIdentity<'a> {
    pub account_id: &'a str,
    pub issuer: &'a str,
    /// The person's permanent id at the provider.
    pub subject: &'a str,
    /// Verified by the provider.
    pub email: &'a str,
    pub name: &'a str,
    pub role: Role,
}

/// What a log-in changed in the membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SsoMembership {
    Joined,
    RoleChanged,
    Unchanged,
    /// The role stays, because the account would lose its last owner.
    LastOwner,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SsoOutcome {
    Member(Person, SsoMembership),
    /// The address belongs to a member with another identity at the same provider.
    OtherIdentity,
    /// The account has the maximum number of members.
    Full,
}

impl Ledger {
    /// Finds or creates the member of an identity, with the role that it has now.
    pub async fn join_by_sso(&self, identity: SsoIdentity<'_>, now_ms: i64) -> Result<SsoOutcome> {
        let mut transaction = self.engine.transaction().await?;
        // With the account locked, two first log-ins at the same time do not create two members.
        transaction
            .execute("update accounts set name = name where id = $1", &[identity.account_id.into()])
            .await?;
        let known = touch(&mut transaction, &identity, now_ms).await?;
        let person = match known {
            Some(person) => person,
            None => match link(&mut transaction, &identity, now_ms).await? {
                Some(person) => person,
                None => return Ok(SsoOutcome::OtherIdentity),
            },
        };
        let Some(change) = set_role(&mut transaction, &identity, &person.id, now_ms).await? else {
            return Ok(SsoOutcome::Full);
        };
        transaction.commit().await?;
        Ok(SsoOutcome::Member(person, change))
    }

    /// The person of an identity; `None` before their first log-in.
    pub async fn find_sso_person(
        &self,
        account_id: &str,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<String>> {
        self.engine
            .query_opt(
                "select person_id from sso_identities \
                 where account_id = $1 and issuer = $2 and subject = $3",
                &[account_id.into(), issuer.into(), subject.into()],
                |row| row.get(0),
            )
            .await
    }

    /// Whether a person has logged in to an account through this provider.
    pub async fn has_sso_identity(
        &self,
        account_id: &str,
        issuer: &str,
        person_id: &str,
    ) -> Result<bool> {
        let found = self
            .engine
            .query_opt(
                "select count(*) from sso_identities \
                 where account_id = $1 and issuer = $2 and person_id = $3",
                &[account_id.into(), issuer.into(), person_id.into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        Ok(found.unwrap_or(0) > 0)
    }
}

/// The person of a known identity; updates the time of its last use.
async fn touch(
    transaction: &mut Transaction,
    identity: &SsoIdentity<'_>,
    now_ms: i64,
) -> Result<Option<Person>> {
    let person_id: Option<String> = transaction
        .query_opt(
            "update sso_identities set last_used_at = $1 \
             where account_id = $2 and issuer = $3 and subject = $4 returning person_id",
            &[
                now_ms.into(),
                identity.account_id.into(),
                identity.issuer.into(),
                identity.subject.into(),
            ],
            |row| row.get(0),
        )
        .await?;
    let Some(person_id) = person_id else { return Ok(None) };
    let person = transaction
        .query_opt(PERSON_BY_ID, &[(&person_id).into()], |row| super::people::person(row, 0))
        .await?;
    person.map(Some).ok_or_else(|| StoreError::Bug(format!("{person_id} has an identity only")))
}

/// Stores a new identity of the person with its address, who is created if necessary. `None` if that
/// person has another identity at this provider: an address can be given to somebody else.
async fn link(
    transaction: &mut Transaction,
    identity: &SsoIdentity<'_>,
    now_ms: i64,
) -> Result<Option<Person>> {
    let email = identity.email.trim().to_lowercase();
    let found = transaction
        .query_opt(PERSON_BY_EMAIL, &[(&email).into()], |row| super::people::person(row, 0))
        .await?;
    let person = match found {
        Some(person) => person,
        None => super::people::insert(transaction, &email, identity.name, None, now_ms).await?,
    };
    let others = transaction
        .query_opt(
            "select count(*) from sso_identities \
             where account_id = $1 and issuer = $2 and person_id = $3",
            &[identity.account_id.into(), identity.issuer.into(), (&person.id).into()],
            |row| row.get::<i64>(0),
        )
        .await?;
    if others.unwrap_or(0) > 0 {
        return Ok(None);
    }
    transaction
        .execute(
            "insert into sso_identities \
             (account_id, issuer, subject, person_id, created_at, last_used_at) \
             values ($1, $2, $3, $4, $5, $5)",
            &[
                identity.account_id.into(),
                identity.issuer.into(),
                identity.subject.into(),
                (&person.id).into(),
                now_ms.into(),
            ],
        )
        .await?;
    Ok(Some(person))
}

/// Adds the member or changes their role. `None` if the account is full.
async fn set_role(
    transaction: &mut Transaction,
    identity: &SsoIdentity<'_>,
    person_id: &str,
    now_ms: i64,
) -> Result<Option<SsoMembership>> {
    let members = transaction
        .query(
            "select person_id, role from members where account_id = $1",
            &[identity.account_id.into()],
            |row| Ok((row.get::<String>(0)?, stored_role(&row.get::<String>(1)?)?)),
        )
        .await?;
    let Some((_, present)) = members.iter().find(|(member, _)| member == person_id) else {
        if members.len() as i64 >= MAX_MEMBERS {
            return Ok(None);
        }
        super::members::insert(transaction, identity.account_id, person_id, identity.role, now_ms)
            .await?;
        return Ok(Some(SsoMembership::Joined));
    };
    if *present == identity.role {
        return Ok(Some(SsoMembership::Unchanged));
    }
    let owners = members.iter().filter(|(_, role)| *role == Role::Owner).count();
    if *present == Role::Owner && owners == 1 {
        return Ok(Some(SsoMembership::LastOwner));
    }
    transaction
        .execute(
            "update members set role = $1 where account_id = $2 and person_id = $3",
            &[identity.role.as_str().into(), identity.account_id.into(), person_id.into()],
        )
        .await?;
    Ok(Some(SsoMembership::RoleChanged))
}
