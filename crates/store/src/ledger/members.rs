//! Members: which people belong to an account, and as what.

use super::{Account, Ledger};
use crate::engine::Transaction;
use crate::error::{Result, StoreError};

/// Members that one account can have, and accounts that one person can belong to.
const MAX_MEMBERS: i64 = 200;

/// What a member is to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// May do everything.
    Owner,
    /// Makes keys and calls.
    Developer,
    /// Buys credits and sees invoices.
    Billing,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 3] = [Role::Owner, Role::Developer, Role::Billing];

    /// The role as a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Owner => "owner",
            Role::Developer => "developer",
            Role::Billing => "billing",
        }
    }

    /// The role that a word names.
    pub fn from_word(word: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.as_str() == word)
    }
}

/// A member of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The person.
    pub person_id: String,
    /// Their e-mail address.
    pub email: String,
    /// What they are called.
    pub name: String,
    /// What they are to the account.
    pub role: Role,
    /// Since when.
    pub added_at: i64,
}

impl Ledger {
    /// The members of an account, oldest first.
    pub async fn list_members(&self, account_id: &str) -> Result<Vec<Member>> {
        self.engine
            .query(
                "select person_id, email, name, role, added_at \
                 from members join people on people.id = person_id \
                 where account_id = $1 order by added_at, person_id limit $2",
                &[account_id.into(), MAX_MEMBERS.into()],
                |row| {
                    Ok(Member {
                        person_id: row.get(0)?,
                        email: row.get(1)?,
                        name: row.get(2)?,
                        role: stored_role(&row.get::<String>(3)?)?,
                        added_at: row.get(4)?,
                    })
                },
            )
            .await
    }

    /// The accounts that a person belongs to, in the order they joined them.
    pub async fn list_accounts_of(&self, person_id: &str) -> Result<Vec<(Account, Role)>> {
        self.engine
            .query(
                "select id, email, name, created_at, suspended_at, operator_since, \
                 confirmed_at, role \
                 from members join accounts on accounts.id = account_id \
                 where person_id = $1 order by added_at, account_id limit $2",
                &[person_id.into(), MAX_MEMBERS.into()],
                |row| Ok((super::accounts::account(row, 0)?, stored_role(&row.get::<String>(7)?)?)),
            )
            .await
    }

    /// Adds a person to an account; one who belongs to it already keeps their role.
    pub async fn add_member(
        &self,
        account_id: &str,
        person_id: &str,
        role: Role,
        now_ms: i64,
    ) -> Result<()> {
        if self.list_members(account_id).await?.len() as i64 >= MAX_MEMBERS {
            return Err(StoreError::Conflict(format!("an account can have {MAX_MEMBERS} members")));
        }
        let mut transaction = self.engine.transaction().await?;
        insert(&mut transaction, account_id, person_id, role, now_ms).await?;
        transaction.commit().await
    }

    /// Gives a member another role, or removes them with `None`. An account keeps an owner: false
    /// if this would take the last one.
    pub async fn change_member(
        &self,
        account_id: &str,
        person_id: &str,
        role: Option<Role>,
    ) -> Result<bool> {
        let mut transaction = self.engine.transaction().await?;
        // With the account locked, two owners cannot remove each other at once.
        transaction
            .execute("update accounts set name = name where id = $1", &[account_id.into()])
            .await?;
        match role {
            Some(role) => {
                transaction
                    .execute(
                        "update members set role = $1 where account_id = $2 and person_id = $3",
                        &[role.as_str().into(), account_id.into(), person_id.into()],
                    )
                    .await?
            }
            None => {
                transaction
                    .execute(
                        "delete from members where account_id = $1 and person_id = $2",
                        &[account_id.into(), person_id.into()],
                    )
                    .await?
            }
        };
        let owners = transaction
            .query_opt(
                "select count(*) from members where account_id = $1 and role = 'owner'",
                &[account_id.into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        if owners.unwrap_or(0) == 0 {
            return Ok(false);
        }
        if role.is_none() {
            transaction
                .execute(
                    "delete from sessions where person_id = $1 and account_id = $2",
                    &[person_id.into(), account_id.into()],
                )
                .await?;
        }
        transaction.commit().await?;
        Ok(true)
    }
}

pub(super) async fn insert(
    transaction: &mut Transaction,
    account_id: &str,
    person_id: &str,
    role: Role,
    now_ms: i64,
) -> Result<()> {
    transaction
        .execute(
            "insert into members (account_id, person_id, role, added_at) values ($1, $2, $3, $4) \
             on conflict (account_id, person_id) do nothing",
            &[account_id.into(), person_id.into(), role.as_str().into(), now_ms.into()],
        )
        .await?;
    Ok(())
}

/// The role that a word in the store names.
pub(super) fn stored_role(word: &str) -> Result<Role> {
    Role::from_word(word).ok_or_else(|| StoreError::Bug(format!("there is no role {word}")))
}
