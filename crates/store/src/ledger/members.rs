//! Members: the people of an account, and their roles.

use super::{Account, Ledger};
use crate::engine::Transaction;
use crate::error::{Result, StoreError};

/// Members per account, and accounts per person.
pub(super) const MAX_MEMBERS: i64 = 200;

/// The role of a member in an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// All permissions.
    Owner,
    /// Creates keys and makes calls.
    Developer,
    /// Buys credits and reads invoices.
    Billing,
}

impl Role {
    pub const ALL: [Role; 3] = [Role::Owner, Role::Developer, Role::Billing];

    pub fn as_str(self) -> &'static str {
        match self {
            Role::Owner => "owner",
            Role::Developer => "developer",
            Role::Billing => "billing",
        }
    }

    pub fn from_name(word: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.as_str() == word)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub person_id: String,
    pub email: String,
    pub name: String,
    pub role: Role,
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

    /// The accounts of a person, in the order of joining.
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

    /// Adds a person to an account. The role of an existing member is unchanged.
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

    /// Changes the role of a member; `None` removes the member. False if the account would lose its
    /// last owner.
    pub async fn change_member(
        &self,
        account_id: &str,
        person_id: &str,
        role: Option<Role>,
    ) -> Result<bool> {
        let mut transaction = self.engine.transaction().await?;
        // With the account locked, two owners cannot remove each other concurrently.
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
            for statement in [
                "delete from sessions where person_id = $1 and account_id = $2",
                "delete from sso_identities where person_id = $1 and account_id = $2",
            ] {
                transaction.execute(statement, &[person_id.into(), account_id.into()]).await?;
            }
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

/// Parses a stored role.
pub(super) fn stored_role(word: &str) -> Result<Role> {
    Role::from_name(word).ok_or_else(|| StoreError::Bug(format!("unknown role {word}")))
}
