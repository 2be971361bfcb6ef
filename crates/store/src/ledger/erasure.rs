//! Erasing an account: personal data is deleted; what accounting and law require stays.

use super::Ledger;
use super::orders::ERASED_BUYER;
use crate::engine::{Transaction, Value};
use crate::error::Result;

/// The domain of the addresses of erased accounts. No email is delivered to it (RFC 2606).
const ERASED_DOMAIN: &str = "@erased.invalid";
/// The name of erased accounts.
const ERASED_NAME: &str = "erased";

/// Counts of erased objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Erasure {
    /// People who belonged to no other account.
    pub people: u64,
    /// Members who also belong to other accounts; they stay as people.
    pub memberships: u64,
    /// Keys that were active.
    pub keys: u64,
    /// Jobs with their results.
    pub jobs: u64,
}

impl Ledger {
    /// Erases an account. Its row stays, without a name and suspended permanently, because its
    /// entries and invoices refer to it. `None` if there is no such account. A repeat erases what
    /// is left.
    ///
    /// Rows are locked in the same order as by payments and charges: order, balance, response.
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
        erasure.keys = revoke_keys(&mut transaction, account_id, now_ms).await?;
        transaction
            .execute(
                "delete from idempotency where account_id = $1 and data is not null",
                &[account_id.into()],
            )
            .await?;
        transaction
            .execute("delete from view_answers where account_id = $1", &[account_id.into()])
            .await?;
        transaction
            .execute("delete from match_decisions where account_id = $1", &[account_id.into()])
            .await?;
        erase_watching(&mut transaction, account_id).await?;
        transaction.commit().await?;
        // No more jobs can be added now. A job can be large, so each is deleted in its own
        // transaction.
        erasure.jobs = self.delete_bulk_jobs_of(account_id).await?;
        Ok(Some(erasure))
    }
}

/// The account's address. Locks the account.
async fn find_email(transaction: &mut Transaction, account_id: &str) -> Result<Option<String>> {
    transaction
        .query_opt(
            "update accounts set name = name where id = $1 returning email",
            &[account_id.into()],
            |row| row.get(0),
        )
        .await
}

/// Removes the members, and erases those who belong to no other account.
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
    for statement in [
        "delete from sessions where account_id = $1",
        "delete from links where account_id = $1",
        "delete from sso_identities where account_id = $1",
    ] {
        transaction.execute(statement, &account).await?;
    }
    let removed =
        transaction.execute("delete from members where account_id = $1", &account).await?;
    for (person_id, email) in &only_here {
        for (statement, key) in [
            ("delete from sessions where person_id = $1", person_id),
            ("delete from links where email = $1", email),
            ("delete from recovery_codes where person_id = $1", person_id),
            ("delete from passkeys where person_id = $1", person_id),
            ("delete from people where id = $1", person_id),
        ] {
            transaction.execute(statement, &[key.into()]).await?;
        }
    }
    // An owner whose account the operator created and who never followed the emailed link.
    transaction
        .execute(
            "delete from links where account_id = '' and email = $1 \
             and not exists (select 1 from people where people.email = links.email)",
            &[account_email.into()],
        )
        .await?;
    let people = only_here.len() as u64;
    Ok(Erasure { people, memberships: removed.saturating_sub(people), ..Erasure::default() })
}

/// Erases data of purchases. Paid orders and their invoices stay; the law requires the buyer on the
/// invoice.
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

/// Erases what the account watches, the events that were collected for it, and where they are sent to.
async fn erase_watching(transaction: &mut Transaction, account_id: &str) -> Result<()> {
    for statement in [
        "delete from watchlists where account_id = $1",
        "delete from watch_members where account_id = $1",
        "delete from watched_events where account_id = $1",
        "delete from watch_states where account_id = $1",
        "delete from webhooks where account_id = $1",
        "delete from webhook_deliveries where account_id = $1",
        "delete from webhook_attempts where account_id = $1",
    ] {
        transaction.execute(statement, &[account_id.into()]).await?;
    }
    Ok(())
}

/// Revokes the active keys, and deletes the names and settings of all keys.
async fn revoke_keys(transaction: &mut Transaction, account_id: &str, now_ms: i64) -> Result<u64> {
    let revoked = transaction
        .execute(
            "update api_keys set revoked_at = $1 where account_id = $2 and revoked_at is null",
            &[now_ms.into(), account_id.into()],
        )
        .await?;
    transaction
        .execute(
            "update api_keys set name = '', allowed_addresses = '', last_used_address = null \
             where account_id = $1",
            &[account_id.into()],
        )
        .await?;
    Ok(revoked)
}
