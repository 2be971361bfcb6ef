//! The ledger audit: recomputes every balance and quota from the entries.

use super::entries::{Entry, EntryKind, seal};
use super::entry_reader::{EntryReader, MAX_PAGE, Order, SealedEntry};
use super::{Ledger, MissingRefund, Mode, equal_in_constant_time};
use crate::error::Result;

/// Faults of one kind that are reported for an account.
const MAX_FAULTS: i64 = 10_000;

/// The result of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// Accounts checked, each in both modes.
    pub accounts: u64,
    /// Entries checked.
    pub entries: u64,
    /// Empty if the ledger is correct.
    pub differences: Vec<Difference>,
    /// Charges whose caller got an error and that were not refunded.
    pub missing_refunds: Vec<MissingRefund>,
}

/// A fault in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub account_id: String,
    pub mode: Mode,
    /// The number of the faulty entry, if there is one.
    pub seq: Option<i64>,
    /// Description of the fault, one sentence.
    pub what: String,
}

struct StoredBalance {
    balance: i64,
    owed: i64,
    seq: i64,
    quota_day: String,
    quota_used: i64,
    /// The first entry after the last one of the balance row, if there is one.
    added: Option<i64>,
}

impl Ledger {
    /// Checks the whole ledger while charging continues. Entries are append-only, so each account
    /// is compared with its state at the start of its check.
    pub async fn audit(&self) -> Result<Audit> {
        let mut audit = Audit::default();
        let mut accounts = self.list_accounts("").await?;
        while let Some(last) = accounts.last().map(|account| account.id.clone()) {
            for account in &accounts {
                for mode in Mode::ALL {
                    self.audit_balance(&account.id, mode, &mut audit).await?;
                }
                audit.accounts += 1;
            }
            accounts = self.list_accounts(&last).await?;
        }
        audit.missing_refunds = self.list_missing_refunds().await?;
        Ok(audit)
    }

    async fn audit_balance(&self, account_id: &str, mode: Mode, audit: &mut Audit) -> Result<()> {
        let mut found: Vec<(Option<i64>, String)> = Vec::new();
        let reversed = self.sum_payment_refunds(account_id).await?;
        let Some(stored) = self.stored_balance(account_id, mode).await? else {
            let what = "the account has no balance row".to_owned();
            audit.differences.push(difference(account_id, mode, (None, what)));
            return Ok(());
        };
        let (mut balance, mut seq, mut deducted) = (0, 0, 0);
        let mut reader =
            EntryReader::new(self, (account_id, mode), Order::OldestFirst, stored.seq, MAX_PAGE);
        while let Some(sealed) = reader.next().await? {
            audit.entries += 1;
            check_entry(self, account_id, mode, &sealed, (balance, seq), &mut found);
            balance += sealed.entry.amount;
            deducted += deducted_by(&sealed.entry);
            seq = seq.max(sealed.entry.seq);
        }
        if seq != stored.seq {
            found
                .push((None, format!("entries end at {seq}, the balance row says {}", stored.seq)));
        }
        if stored.added.is_some() {
            found.push((
                stored.added,
                format!("it was added: the balance row ends at {}", stored.seq),
            ));
        }
        if balance != stored.balance {
            let sum = format!("the entries sum up to {balance}, the balance is {}", stored.balance);
            found.push((None, sum));
        }
        if balance < 0 {
            found.push((None, format!("the entries sum up to {balance}, below 0")));
        }
        if mode == Mode::Live {
            let owed_and_deducted = (stored.owed, deducted);
            self.audit_payment_refunds(account_id, reversed, owed_and_deducted, &mut found).await?;
        }
        self.audit_requests(account_id, mode, &mut found).await?;
        self.audit_quota(account_id, mode, &stored, &mut found).await?;
        let named = found.into_iter().map(|what| difference(account_id, mode, what));
        audit.differences.extend(named);
        Ok(())
    }

    /// The credits of refunded payments must be deducted or owed. Refunds continue during the
    /// check, so the sum must be between two readings.
    async fn audit_payment_refunds(
        &self,
        account_id: &str,
        before: i64,
        (owed, taken): (i64, i64),
        found: &mut Vec<(Option<i64>, String)>,
    ) -> Result<()> {
        let after = self.sum_payment_refunds(account_id).await?;
        if owed < 0 || !(before..=after).contains(&(owed + taken)) {
            let what =
                format!("refunds reverse {after} credits, {taken} were taken and {owed} are owed");
            found.push((None, what));
        }
        Ok(())
    }

    /// A request that cost credits must have one entry: its own row, or one of the entries where an
    /// earlier version wrote it.
    async fn audit_requests(
        &self,
        account_id: &str,
        mode: Mode,
        found: &mut Vec<(Option<i64>, String)>,
    ) -> Result<()> {
        let lost = self
            .engine
            .query(
                "select usage.request_id, usage.credits, entries.seq from usage left join entries \
                 on entries.account_id = usage.account_id and entries.mode = usage.mode \
                 and entries.seq = usage.entry_seq and entries.amount = -usage.credits \
                 and entries.kind = $1 and entries.reference = usage.request_id \
                 where usage.account_id = $2 and usage.mode = $3 and usage.credits > 0 \
                 and (usage.seal is null) = (entries.seq is null) limit $4",
                &[
                    EntryKind::Charge.as_str().into(),
                    account_id.into(),
                    mode.as_str().into(),
                    MAX_FAULTS.into(),
                ],
                |row| {
                    let (id, credits): (String, i64) = (row.get(0)?, row.get(1)?);
                    let what = match row.get::<Option<i64>>(2)? {
                        Some(_) => format!("{id} is stored twice, as a request and as an entry"),
                        None => format!("{id} cost {credits} but has no entry"),
                    };
                    Ok((None, what))
                },
            )
            .await?;
        found.extend(lost);
        Ok(())
    }

    /// The quota used today must equal the number of free calls of the day. Calls continue during
    /// the check, so the count must be between two readings of the balance row.
    async fn audit_quota(
        &self,
        account_id: &str,
        mode: Mode,
        before: &StoredBalance,
        found: &mut Vec<(Option<i64>, String)>,
    ) -> Result<()> {
        let counted = self
            .engine
            .query_opt(
                "select (select count(*) from usage where account_id = $1 and mode = $2 \
                 and day = $3 and free) + coalesce((select cast(sum(free_calls) as bigint) \
                 from usage_by_day where account_id = $1 and mode = $2 and day = $3), 0)",
                &[account_id.into(), mode.as_str().into(), (&before.quota_day).into()],
                |row| row.get::<i64>(0),
            )
            .await?
            .unwrap_or(0);
        let after: Option<i64> = self
            .engine
            .query_opt(
                "select quota_used from balances \
                 where account_id = $1 and mode = $2 and quota_day = $3",
                &[account_id.into(), mode.as_str().into(), (&before.quota_day).into()],
                |row| row.get(0),
            )
            .await?;
        let Some(after) = after else { return Ok(()) };
        if !(before.quota_used..=after).contains(&counted) {
            found.push((
                None,
                format!(
                    "{counted} free calls are recorded for {}, the quota says {}",
                    before.quota_day, after
                ),
            ));
        }
        Ok(())
    }

    async fn stored_balance(&self, account_id: &str, mode: Mode) -> Result<Option<StoredBalance>> {
        self.engine
            .query_opt(
                "select balance, seq, quota_day, quota_used, owed, \
                 (select min(entries.seq) from entries where entries.account_id = $1 \
                 and entries.mode = $2 and entries.seq > balances.seq), \
                 (select min(usage.entry_seq) from usage where usage.account_id = $1 \
                 and usage.mode = $2 and usage.entry_seq > balances.seq) \
                 from balances where account_id = $1 and mode = $2",
                &[account_id.into(), mode.as_str().into()],
                |row| {
                    Ok(StoredBalance {
                        balance: row.get(0)?,
                        seq: row.get(1)?,
                        quota_day: row.get(2)?,
                        quota_used: row.get(3)?,
                        owed: row.get(4)?,
                        added: row
                            .get::<Option<i64>>(5)?
                            .into_iter()
                            .chain(row.get::<Option<i64>>(6)?)
                            .min(),
                    })
                },
            )
            .await
    }
}

/// Credits that an entry takes back because a payment was refunded.
fn deducted_by(entry: &Entry) -> i64 {
    match entry.kind {
        EntryKind::Refund => (-entry.amount).max(0),
        _ => 0,
    }
}

fn check_entry(
    ledger: &Ledger,
    account_id: &str,
    mode: Mode,
    sealed: &SealedEntry,
    (balance, seq): (i64, i64),
    found: &mut Vec<(Option<i64>, String)>,
) {
    let SealedEntry { entry, seal: stored_seal } = sealed;
    let here = Some(entry.seq);
    if entry.seq <= seq {
        found.push((here, "its number was used before".into()));
    } else if entry.seq != seq + 1 {
        found.push((here, format!("entries {} to {} are missing", seq + 1, entry.seq - 1)));
    }
    if entry.balance_after != balance + entry.amount {
        found.push((
            here,
            format!(
                "the balance after it is {}, but {balance} and {} make {}",
                entry.balance_after,
                entry.amount,
                balance + entry.amount
            ),
        ));
    }
    if !equal_in_constant_time(stored_seal, &seal(&ledger.secret, account_id, mode, entry)) {
        found.push((here, "its seal does not match: it was changed after it was written".into()));
    }
}

fn difference(account_id: &str, mode: Mode, (seq, what): (Option<i64>, String)) -> Difference {
    Difference { account_id: account_id.to_owned(), mode, seq, what }
}
