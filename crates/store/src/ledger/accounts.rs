//! Accounts: they own credits and keys.

use super::{Ledger, Mode, new_id};
use crate::engine::{Row, Transaction};
use crate::error::{Result, StoreError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// `acc_…`
    pub id: String,
    /// The owner's email address, in lower case.
    pub email: String,
    pub name: String,
    pub created_at: i64,
    /// Null if it is not suspended.
    pub suspended_at: Option<i64>,
    /// Set for an operator's account, which can read every account.
    pub operator_since: Option<i64>,
    /// When the email address was confirmed; null until then.
    pub confirmed_at: Option<i64>,
}

/// Page size of a listing; the next page starts after the last account.
const PAGE: i64 = 1_000;

impl Ledger {
    /// Creates an account with an empty balance in both modes. The address counts as confirmed.
    pub async fn create_account(&self, email: &str, name: &str, now_ms: i64) -> Result<Account> {
        let mut transaction = self.engine.transaction().await?;
        let account = insert(&mut transaction, (email, name), true, now_ms).await?;
        transaction.commit().await?;
        Ok(account)
    }

    pub async fn find_account(&self, email: &str) -> Result<Option<Account>> {
        self.engine
            .query_opt(
                "select id, email, name, created_at, suspended_at, operator_since, \
                 confirmed_at from accounts where email = $1",
                &[(&email.trim().to_lowercase()).into()],
                |row| account(row, 0),
            )
            .await
    }

    pub async fn find_account_by_id(&self, account_id: &str) -> Result<Option<Account>> {
        self.engine
            .query_opt(
                "select id, email, name, created_at, suspended_at, operator_since, \
                 confirmed_at from accounts \
                 where id = $1",
                &[account_id.into()],
                |row| account(row, 0),
            )
            .await
    }

    /// Accounts sorted by id, and so by age, after `after_id`.
    pub async fn list_accounts(&self, after_id: &str) -> Result<Vec<Account>> {
        self.engine
            .query(
                "select id, email, name, created_at, suspended_at, operator_since, \
                 confirmed_at from accounts \
                 where id > $1 order by id limit $2",
                &[after_id.into(), PAGE.into()],
                |row| account(row, 0),
            )
            .await
    }

    /// Suspends an account; `None` resumes it.
    pub async fn set_suspended(&self, account_id: &str, suspended_at: Option<i64>) -> Result<()> {
        self.engine
            .execute(
                "update accounts set suspended_at = $1 where id = $2",
                &[suspended_at.into(), account_id.into()],
            )
            .await?;
        Ok(())
    }

    pub async fn rename_account(&self, account_id: &str, name: &str) -> Result<()> {
        self.engine
            .execute(
                "update accounts set name = $1 where id = $2",
                &[name.into(), account_id.into()],
            )
            .await?;
        Ok(())
    }

    /// Marks the address of an account as confirmed, so that the account has the live free quota.
    /// False if there is no account for the address; an earlier confirmation is unchanged.
    pub async fn confirm_account(&self, email: &str, now_ms: i64) -> Result<bool> {
        let mut transaction = self.engine.transaction().await?;
        let confirmed = confirm(&mut transaction, &email.trim().to_lowercase(), now_ms).await?;
        transaction.commit().await?;
        Ok(confirmed)
    }

    /// Makes an account an operator's account; `None` removes the mark.
    pub async fn set_operator(&self, account_id: &str, since: Option<i64>) -> Result<()> {
        self.engine
            .execute(
                "update accounts set operator_since = $1 where id = $2",
                &[since.into(), account_id.into()],
            )
            .await?;
        Ok(())
    }
}

/// Creates an account with an empty balance in both modes.
pub(super) async fn insert(
    transaction: &mut Transaction,
    (email, name): (&str, &str),
    confirmed: bool,
    now_ms: i64,
) -> Result<Account> {
    let confirmed_at = confirmed.then_some(now_ms);
    let email = email.trim().to_lowercase();
    let id = new_id("acc");
    let inserted = transaction
        .execute(
            "insert into accounts (id, email, name, created_at, confirmed_at) \
             values ($1, $2, $3, $4, $5)",
            &[(&id).into(), (&email).into(), name.into(), now_ms.into(), confirmed_at.into()],
        )
        .await;
    match inserted {
        Err(StoreError::Conflict(_)) => {
            return Err(StoreError::Conflict(format!("there is already an account for {email}")));
        }
        other => other?,
    };
    for mode in Mode::ALL {
        transaction
            .execute(
                "insert into balances (account_id, mode, balance, seq, test_credits_day, \
                 quota_day, quota_used, has_free_quota) \
                 values ($1, $2, 0, 0, '', '', 0, $3)",
                &[(&id).into(), mode.as_str().into(), (confirmed || mode == Mode::Test).into()],
            )
            .await?;
    }
    Ok(Account {
        id,
        email,
        name: name.to_owned(),
        created_at: now_ms,
        suspended_at: None,
        operator_since: None,
        confirmed_at,
    })
}

pub(super) async fn confirm(
    transaction: &mut Transaction,
    email: &str,
    now_ms: i64,
) -> Result<bool> {
    let account_id: Option<String> = transaction
        .query_opt(
            "update accounts set confirmed_at = coalesce(confirmed_at, $1) where email = $2 \
             returning id",
            &[now_ms.into(), email.into()],
            |row| row.get(0),
        )
        .await?;
    let Some(account_id) = account_id else { return Ok(false) };
    transaction
        .execute(
            "update balances set has_free_quota = true where account_id = $1",
            &[(&account_id).into()],
        )
        .await?;
    Ok(true)
}

/// Reads the seven columns of an account, starting at column `first`.
pub(super) fn account(row: &Row<'_>, first: usize) -> Result<Account> {
    Ok(Account {
        id: row.get(first)?,
        email: row.get(first + 1)?,
        name: row.get(first + 2)?,
        created_at: row.get(first + 3)?,
        suspended_at: row.get(first + 4)?,
        operator_since: row.get(first + 5)?,
        confirmed_at: row.get(first + 6)?,
    })
}
