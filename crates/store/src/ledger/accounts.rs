//! Accounts: who pays.

use super::{Ledger, Mode, new_id};
use crate::engine::Row;
use crate::error::{Result, StoreError};

/// An account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Our name for it, `acc_…`.
    pub id: String,
    /// The owner's e-mail address, in lower case.
    pub email: String,
    /// The account's name.
    pub name: String,
    /// When it was made.
    pub created_at: i64,
    /// When it was suspended, if it is.
    pub suspended_at: Option<i64>,
}

/// Accounts that one listing gives at most; the next begins after its last.
const LISTED_AT_A_TIME: i64 = 1_000;

impl Ledger {
    /// Makes an account with an empty balance in both modes.
    pub async fn create_account(&self, email: &str, name: &str, now_ms: i64) -> Result<Account> {
        let email = email.trim().to_lowercase();
        let id = new_id("acc");
        let mut transaction = self.engine.transaction().await?;
        let made = transaction
            .execute(
                "insert into accounts (id, email, name, created_at) values ($1, $2, $3, $4)",
                &[(&id).into(), (&email).into(), name.into(), now_ms.into()],
            )
            .await;
        match made {
            Err(StoreError::Conflict(_)) => {
                return Err(StoreError::Conflict(format!(
                    "there is an account for {email} already"
                )));
            }
            other => other?,
        };
        for mode in Mode::ALL {
            transaction
                .execute(
                    "insert into balances \
                     (account_id, mode, balance, seq, play_day, quota_day, quota_used) \
                     values ($1, $2, 0, 0, '', '', 0)",
                    &[(&id).into(), mode.as_str().into()],
                )
                .await?;
        }
        transaction.commit().await?;
        Ok(Account { id, email, name: name.to_owned(), created_at: now_ms, suspended_at: None })
    }

    /// The account of an e-mail address.
    pub async fn find_account(&self, email: &str) -> Result<Option<Account>> {
        self.engine
            .query_opt(
                "select id, email, name, created_at, suspended_at from accounts where email = $1",
                &[(&email.trim().to_lowercase()).into()],
                account,
            )
            .await
    }

    /// Accounts in the order of their ids, after one of them; ids sort by age.
    pub async fn list_accounts(&self, after_id: &str) -> Result<Vec<Account>> {
        self.engine
            .query(
                "select id, email, name, created_at, suspended_at from accounts \
                 where id > $1 order by id limit $2",
                &[after_id.into(), LISTED_AT_A_TIME.into()],
                account,
            )
            .await
    }

    /// Suspends an account, or resumes it with `None`.
    pub async fn set_suspended(&self, account_id: &str, suspended_at: Option<i64>) -> Result<()> {
        self.engine
            .execute(
                "update accounts set suspended_at = $1 where id = $2",
                &[suspended_at.into(), account_id.into()],
            )
            .await?;
        Ok(())
    }
}

fn account(row: &Row<'_>) -> Result<Account> {
    Ok(Account {
        id: row.get(0)?,
        email: row.get(1)?,
        name: row.get(2)?,
        created_at: row.get(3)?,
        suspended_at: row.get(4)?,
    })
}
