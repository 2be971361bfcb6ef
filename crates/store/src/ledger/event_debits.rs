//! Charging events: each is paid for once by an account, whichever way it is read.

use super::{Debit, Mode};
use crate::engine::{Transaction, Value};
use crate::error::Result;

/// The events in one debit, and the event numbers in one statement.
pub(super) const MAX_EVENTS_PER_DEBIT: usize = 100;

/// Selects those of up to 100 events of an account that are not paid for.
const UNPAID: &str = concat!(
    "select seq from watched_events where account_id = $1 and mode = $2 ",
    "and charged_at is null and seq in (",
    "$3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, ",
    "$23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, ",
    "$41, $42, $43, $44, $45, $46, $47, $48, $49, $50, $51, $52, $53, $54, $55, $56, $57, $58, ",
    "$59, $60, $61, $62, $63, $64, $65, $66, $67, $68, $69, $70, $71, $72, $73, $74, $75, $76, ",
    "$77, $78, $79, $80, $81, $82, $83, $84, $85, $86, $87, $88, $89, $90, $91, $92, $93, $94, ",
    "$95, $96, $97, $98, $99, $100, $101, $102) order by seq"
);

/// The events that a debit pays for, as far as they are not paid for yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventDebit {
    /// Numbers of events of the account; at most as many as one page has.
    pub seqs: Vec<i64>,
    pub price_each: i64,
}

impl EventDebit {
    /// The price if none of the events is paid for.
    pub fn highest_price(&self) -> i64 {
        i64::try_from(self.seqs.len()).unwrap_or(i64::MAX).saturating_mul(self.price_each)
    }
}

/// What a debit pays for, decided on the locked balance.
pub(super) struct DuePrice {
    pub price: i64,
    unpaid: Vec<i64>,
}

/// The price of a debit now. The balance is locked, so that no other debit pays for the same events
/// meanwhile.
pub(super) async fn due_price(transaction: &mut Transaction, debit: &Debit) -> Result<DuePrice> {
    let Some(charge) = &debit.events else {
        return Ok(DuePrice { price: debit.price, unpaid: Vec::new() });
    };
    let mut unpaid = Vec::new();
    for chunk in charge.seqs.chunks(MAX_EVENTS_PER_DEBIT) {
        let parameters = chunk_parameters(&debit.account_id, debit.mode, chunk);
        unpaid.extend(transaction.query(UNPAID, &parameters, |row| row.get::<i64>(0)).await?);
    }
    let price = i64::try_from(unpaid.len()).unwrap_or(i64::MAX).saturating_mul(charge.price_each);
    Ok(DuePrice { price, unpaid })
}

impl DuePrice {
    /// Records that the events are paid for.
    pub async fn mark_paid(&self, transaction: &mut Transaction, debit: &Debit) -> Result<()> {
        let (account_id, mode) = (&debit.account_id, debit.mode.as_str());
        let rows: Vec<Vec<Value<'_>>> = self
            .unpaid
            .iter()
            .map(|seq| vec![debit.at_ms.into(), account_id.into(), mode.into(), (*seq).into()])
            .collect();
        transaction
            .execute_each(
                "update watched_events set charged_at = $1 \
                 where account_id = $2 and mode = $3 and seq = $4",
                &rows,
            )
            .await
    }
}

/// The parameters of a statement over at most 100 events; the last number fills the rest.
fn chunk_parameters<'a>(account_id: &'a str, mode: Mode, chunk: &[i64]) -> Vec<Value<'a>> {
    let last = chunk.last().copied().unwrap_or(0);
    let numbers = chunk.iter().copied().chain(std::iter::repeat(last)).take(MAX_EVENTS_PER_DEBIT);
    [account_id.into(), mode.as_str().into()].into_iter().chain(numbers.map(Value::Int)).collect()
}
