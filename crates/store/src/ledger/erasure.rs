//! Erasing an account: what tells who somebody is goes, what the books and the law need stays.

use super::Ledger;
use super::orders::ERASED_BUYER;
use crate::engine::{Transaction, Value};
use crate::error::Result;

/// What the addresses of erased accounts end in; no mail goes there (RFC 2606).
const ERASED_DOMAIN: &str = "@erased.invalid";
/// What erased accounts are called.
const ERASED_NAME: &str = "erased";

/// What was erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Erasure {
    /// People who belonged to no other account.
    pub people: u64,
    /// Members who belong to other accounts too, and are still people there.
    pub memberships: u64,
    /// Keys that worked until now.
    pub keys: u64,
    /// Lists with their results.
    pub lists: u64,
}

impl Ledger {
    /// Erases an account. Its row stays, without a name and suspended for good, because the entries
    /// and invoices of its book belong to it. None if there is no such account. Doing it again does
    /// what is left to do.
    ///
    /// Rows are locked in the order in which payments and charges lock them: order, balance, answer.
    pub async fn erase_account(&self, account_id: &str, now_ms: i64) -> Result<Option<Erasure>> {
        let mut transaction = self.engine.transaction().await?;
        let Some(email) = find_email(&mut transaction, account_id).await? else { return Ok(None) };
        let erased_email = format!("{}{ERASED_DOMAIN}", account_id.to_lowercase());
        transaction
            .execute(
                "update accounts set email = $1, name = $2, operator_since = null, \
                 suspended_at = coalesce(suspended_at, $3) where id = $4",
                &[(&erased_email).into(), ERASED_NAME.into(), now_ms.into(), account_id.into()],
            )
            .await?;
        let mut erasure = erase_people(&mut transaction, account_id, &email).await?;
        erase_purchases(&mut transaction, account_id).await?;
        erasure.keys = end_keys(&mut transaction, account_id, now_ms).await?;
        transaction
            .execute(
                "delete from idempotency where account_id = $1 and data is not null",
                &[account_id.into()],
            )
            .await?;
        transaction
            .execute("delete from view_answers where account_id = $1", &[account_id.into()])
            .await?;
        transaction.commit().await?;
        // Nobody can add one any more. A list can be large, so each goes by itself.
        erasure.lists = self.drop_bulk_jobs_of(account_id).await?;
        Ok(Some(erasure))
    }
}

/// The account's address, with the account locked.
async fn find_email(transaction: &mut Transaction, account_id: &str) -> Result<Option<String>> {
    transaction
        .query_opt(
            "update accounts set name = name where id = $1 returning email",
            &[account_id.into()],
            |row| row.get(0),
        )
        .await
}

/// Takes the members out, and erases those who belong to no other account.
async fn erase_people(
    transaction: &mut Transaction,
    account_id: &str,
    account_email: &str,
) -> Result<Erasure> {
    let only_here = transaction
        .query(
            "select id, email from members join people on people.id = person_id \
             where account_id = $1 and not exists (select 1 from members as others \
             where others.person_id = members.person_id and others.account_id <> $1)",
            &[account_id.into()],
            |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)),
        )
        .await?;
    let account: [Value<'_>; 1] = [account_id.into()];
    for statement in
        ["delete from sessions where account_id = $1", "delete from links where account_id = $1"]
    {
        transaction.execute(statement, &account).await?;
    }
    let left = transaction.execute("delete from members where account_id = $1", &account).await?;
    for (person_id, email) in &only_here {
        for (statement, whose) in [
            ("delete from sessions where person_id = $1", person_id),
            ("delete from links where email = $1", email),
            ("delete from recovery_codes where person_id = $1", person_id),
            ("delete from people where id = $1", person_id),
        ] {
            transaction.execute(statement, &[whose.into()]).await?;
        }
    }
    // An owner whom the operator made, and who was mailed a link but never came.
    transaction
        .execute(
            "delete from links where account_id = '' and email = $1 \
             and not exists (select 1 from people where people.email = links.email)",
            &[account_email.into()],
        )
        .await?;
    let people = only_here.len() as u64;
    Ok(Erasure { people, memberships: left.saturating_sub(people), ..Erasure::default() })
}

/// Erases what was noted for purchases. Paid orders and their invoices stay; the buyer stands on the
/// invoice, which the law wants kept.
async fn erase_purchases(transaction: &mut Transaction, account_id: &str) -> Result<()> {
    for statement in [
        "delete from orders where account_id = $1 and paid_at is null",
        "update balances set warn_below = 0 where account_id = $1",
        "delete from billing_details where account_id = $1",
    ] {
        transaction.execute(statement, &[account_id.into()]).await?;
    }
    transaction
        .execute(
            "update orders set buyer = $1 where account_id = $2",
            &[ERASED_BUYER.into(), account_id.into()],
        )
        .await?;
    Ok(())
}

/// Revokes the keys that still work, and takes from all of them what their owner wrote.
async fn end_keys(transaction: &mut Transaction, account_id: &str, now_ms: i64) -> Result<u64> {
    let ended = transaction
        .execute(
            "update api_keys set revoked_at = $1 where account_id = $2 and revoked_at is null",
            &[now_ms.into(), account_id.into()],
        )
        .await?;
    transaction
        .execute(
            "update api_keys set name = '', allowed_addresses = '' where account_id = $1",
            &[account_id.into()],
        )
        .await?;
    Ok(ended)
}
