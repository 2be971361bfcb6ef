//! Debits: the charge of one call as the ledger decides and writes it. A batch is one transaction,
//! each debit decided in order.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::balance::{BalanceSnapshot, LockedBalance};
use super::entries::Entry;
use super::event_debits::{EventDebit, due_price};
use super::idempotency::store_response;
use super::usage::{RequestDetails, StoredUsage, UsageRow, insert_usage};
use super::{Ledger, Mode, StoredResponse};
use crate::calendar::ist_month;
use crate::engine::Transaction;
use crate::error::Result;

#[derive(Clone, Debug)]
pub struct Debit {
    /// The request. It is charged at most once.
    pub request_id: Arc<str>,
    pub account_id: Arc<str>,
    pub mode: Mode,
    pub key_id: Arc<str>,
    pub operation: &'static str,
    /// The price of the data that is delivered; the highest price where `events` is given.
    pub price: i64,
    /// Events that are delivered: those that the account has not paid for make the price.
    pub events: Option<EventDebit>,
    /// The highest price of the call, checked before the lookup. The balance and the caps must
    /// cover it, so that a refusal does not disclose what was found.
    pub list_price: i64,
    /// Whether the daily free quota is used first.
    pub quota_eligible: bool,
    /// The caller's limit for this call.
    pub max_credits: Option<i64>,
    /// The key's limit for a calendar month.
    pub monthly_cap: Option<i64>,
    pub at_ms: i64,
    /// The address from which the key was used; none if its last use need not be updated.
    pub key_used_from: Option<String>,
    /// The response to store under the caller's idempotency key, committed with the debit.
    pub response: Option<StoredResponse>,
    pub details: RequestDetails,
}

/// The price of a call and its limits.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The highest price of the call.
    pub list_price: i64,
    /// Whether the daily free quota is used first.
    pub quota_eligible: bool,
    /// The caller's limit for this call.
    pub max_credits: Option<i64>,
    /// The key's limit for a calendar month.
    pub monthly_cap: Option<i64>,
}

impl Terms {
    /// Why a call is refused, given the balance and what the key has spent this month. Used by the
    /// check before the lookup and by the debit itself.
    pub fn refusal(
        &self,
        snapshot: BalanceSnapshot,
        spent: Option<i64>,
        quota_limit: i64,
    ) -> Option<Refusal> {
        let free = self.quota_eligible && snapshot.quota_used < quota_limit;
        let price = if free { 0 } else { self.list_price };
        if self.max_credits.is_some_and(|max| price > max) {
            return Some(Refusal::MaxCreditsExceeded { price });
        }
        if let (Some(cap), Some(spent)) = (self.monthly_cap, spent)
            && price > 0
            && spent + price > cap
        {
            return Some(Refusal::SpendCapReached { cap, spent });
        }
        (price > snapshot.balance).then_some(Refusal::InsufficientCredits { price })
    }
}

impl Debit {
    /// The terms of a debit with this price.
    fn terms(&self, price: i64) -> Terms {
        Terms {
            list_price: self.list_price.max(price),
            quota_eligible: self.quota_eligible,
            max_credits: self.max_credits,
            monthly_cap: self.monthly_cap,
        }
    }
}

/// The outcome of a debit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebitOutcome {
    /// Credits charged, or why the call is refused and must not return data.
    pub charged: std::result::Result<i64, Refusal>,
    /// The balance afterwards.
    pub remaining: i64,
    /// Free calls used today; [`super::NO_FREE_QUOTA`] if the account has no free quota.
    pub quota_used: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    InsufficientCredits {
        price: i64,
    },
    /// The price is above the caller's limit for this call.
    MaxCreditsExceeded {
        price: i64,
    },
    SpendCapReached {
        cap: i64,
        /// Credits the key has spent this month.
        spent: i64,
    },
}

impl Ledger {
    /// Decides and writes a batch of debits in one transaction; the outcomes are in the same order.
    /// When it returns, everything is on disk. `quota_limit` is the number of free calls per day.
    pub async fn debit_batch(
        &self,
        debits: &[Debit],
        failed_calls: &[UsageRow],
        quota_limit: i64,
    ) -> Result<Vec<DebitOutcome>> {
        let mut transaction = self.engine.transaction().await?;
        let mut outcomes: Vec<Option<DebitOutcome>> = vec![None; debits.len()];
        let mut usage: Vec<StoredUsage> =
            failed_calls.iter().cloned().map(StoredUsage::uncharged).collect();
        // Sorted, so that all nodes lock accounts in the same order and cannot deadlock.
        let mut groups: BTreeMap<(&str, Mode), Vec<usize>> = BTreeMap::new();
        for (index, debit) in debits.iter().enumerate() {
            groups.entry((&debit.account_id, debit.mode)).or_default().push(index);
        }
        let wanted: Vec<(&str, Mode, i64)> = groups
            .iter()
            .map(|((account_id, mode), members)| {
                let now_ms = members.iter().map(|index| debits[*index].at_ms).max().unwrap_or(0);
                (*account_id, *mode, now_ms)
            })
            .collect();
        let mut balances = LockedBalance::open_all(&mut transaction, &wanted).await?;
        for (((account_id, _), members), locked) in groups.into_iter().zip(&mut balances) {
            let mut spending = Spending::default();
            let day: Arc<str> = locked.today.as_str().into();
            for index in members {
                let debit = &debits[index];
                let spent = spending.of(&mut transaction, debit).await?;
                let due = due_price(&mut transaction, debit).await?;
                let (outcome, entry) = decide(locked, debit, due.price, spent, quota_limit);
                if let Ok(credits) = outcome.charged {
                    due.mark_paid(&mut transaction, debit).await?;
                    spending.add(debit, credits);
                    let row = UsageRow::of_charge(debit, credits);
                    usage.push(StoredUsage { row, day: day.clone(), entry });
                }
                if let Some(response) = debit.response.as_ref().filter(|_| outcome.charged.is_ok())
                {
                    store_response(&mut transaction, debit, response, &outcome).await?;
                }
                outcomes[index] = Some(outcome);
            }
            spending.write(&mut transaction, account_id).await?;
        }
        LockedBalance::write_all(&balances, &mut transaction, &self.secret).await?;
        insert_usage(&mut transaction, &self.secret, &usage).await?;
        update_last_use(&mut transaction, debits).await?;
        transaction.commit().await?;
        Ok(outcomes.into_iter().map(|outcome| outcome.expect("each debit is in a group")).collect())
    }
}

impl Ledger {
    /// Credits a key has spent in the month of `at_ms`; counted only for keys with a monthly cap.
    pub async fn find_spent(&self, account_id: &str, key_id: &str, at_ms: i64) -> Result<i64> {
        let spent = self
            .engine
            .query_opt(
                "select spent from key_spending \
                 where account_id = $1 and key_id = $2 and month = $3",
                &[account_id.into(), key_id.into(), (&ist_month(at_ms)).into()],
                |row| row.get(0),
            )
            .await?;
        Ok(spent.unwrap_or(0))
    }

    /// The outcome of a debit that may have been committed before its confirmation was lost; `None`
    /// if it was not committed or was refused.
    pub(super) async fn find_outcome(&self, debit: &Debit) -> Result<Option<DebitOutcome>> {
        let stored = self
            .engine
            .query_opt(
                "select credits, balance_after from usage \
                 where account_id = $1 and request_id = $2",
                &[(&debit.account_id).into(), (&debit.request_id).into()],
                |row| Ok((row.get::<i64>(0)?, row.get::<Option<i64>>(1)?)),
            )
            .await?;
        let Some((credits, balance_after)) = stored else { return Ok(None) };
        let snapshot = self.find_balance(&debit.account_id, debit.mode, debit.at_ms).await?;
        let Some(snapshot) = snapshot else { return Ok(None) };
        Ok(Some(DebitOutcome {
            charged: Ok(credits),
            remaining: balance_after.unwrap_or(snapshot.balance),
            quota_used: snapshot.quota_used,
        }))
    }
}

/// Decides one debit on the locked balance, and makes its entry if it costs something.
fn decide(
    locked: &mut LockedBalance<'_>,
    debit: &Debit,
    price: i64,
    spent: Option<i64>,
    quota_limit: i64,
) -> (DebitOutcome, Option<Entry>) {
    let snapshot = BalanceSnapshot { balance: locked.balance, quota_used: locked.quota_used };
    let refusal = debit.terms(price).refusal(snapshot, spent, quota_limit);
    let free = debit.quota_eligible && price > 0 && locked.quota_used < quota_limit;
    let price = if free { 0 } else { price };
    let mut entry = None;
    if refusal.is_none() {
        locked.quota_used += i64::from(free);
        entry = (price > 0).then(|| locked.charge(debit, price));
    }
    let outcome = DebitOutcome {
        charged: refusal.map_or(Ok(price), Err),
        remaining: locked.balance,
        quota_used: locked.quota_used,
    };
    (outcome, entry)
}

/// What capped keys have spent: read once per batch, then written back.
#[derive(Default)]
struct Spending {
    by_key_and_month: HashMap<(Arc<str>, String), (i64, i64)>,
}

impl Spending {
    async fn of(&mut self, transaction: &mut Transaction, debit: &Debit) -> Result<Option<i64>> {
        if debit.monthly_cap.is_none() {
            return Ok(None);
        }
        let key_and_month = (debit.key_id.clone(), ist_month(debit.at_ms));
        if let Some((before, added)) = self.by_key_and_month.get(&key_and_month) {
            return Ok(Some(before + added));
        }
        let before: i64 = transaction
            .query_opt(
                "select spent from key_spending \
                 where account_id = $1 and key_id = $2 and month = $3",
                &[(&debit.account_id).into(), (&key_and_month.0).into(), (&key_and_month.1).into()],
                |row| row.get(0),
            )
            .await?
            .unwrap_or(0);
        self.by_key_and_month.insert(key_and_month, (before, 0));
        Ok(Some(before))
    }

    fn add(&mut self, debit: &Debit, credits: i64) {
        if debit.monthly_cap.is_none() {
            return;
        }
        let key_and_month = (debit.key_id.clone(), ist_month(debit.at_ms));
        if let Some((_, added)) = self.by_key_and_month.get_mut(&key_and_month) {
            *added += credits;
        }
    }

    async fn write(self, transaction: &mut Transaction, account_id: &str) -> Result<()> {
        for ((key_id, month), (_, added)) in self.by_key_and_month {
            transaction
                .execute(
                    "insert into key_spending (account_id, key_id, month, spent) \
                     values ($1, $2, $3, $4) on conflict (account_id, key_id, month) \
                     do update set spent = key_spending.spent + excluded.spent",
                    &[account_id.into(), (&key_id).into(), (&month).into(), added.into()],
                )
                .await?;
        }
        Ok(())
    }
}

async fn update_last_use(transaction: &mut Transaction, debits: &[Debit]) -> Result<()> {
    let mut used: BTreeMap<&str, (i64, &str, &str)> = BTreeMap::new();
    for debit in debits {
        if let Some(address) = &debit.key_used_from {
            used.insert(&debit.key_id, (debit.at_ms, address, debit.operation));
        }
    }
    for (key_id, (at_ms, address, operation)) in used {
        transaction
            .execute(
                "update api_keys set last_used_at = $1, last_used_address = $2, \
                 last_used_operation = $3 where id = $4",
                &[at_ms.into(), address.into(), operation.into(), key_id.into()],
            )
            .await?;
    }
    Ok(())
}
