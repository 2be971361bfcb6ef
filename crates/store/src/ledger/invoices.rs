//! Invoices: numbered without gaps in each financial year, stored unchanged.

use super::{Ledger, Order};
use crate::calendar::ist_financial_year;
use crate::engine::{Row, Transaction};
use crate::error::{Result, StoreError};

const MAX_INVOICES: i64 = 200;

/// A new invoice, without its number and date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInvoice {
    /// The letters that the number starts with.
    pub series: String,
    /// Seller, buyer and amounts, as JSON.
    pub content: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invoice {
    /// Series, financial year and running number. The GST rules allow at most 16 characters.
    pub number: String,
    pub order_id: String,
    pub issued_at: i64,
    /// Seller, buyer and amounts, as JSON.
    pub content: String,
}

impl Ledger {
    /// Newest first.
    pub async fn list_invoices(&self, account_id: &str) -> Result<Vec<Invoice>> {
        self.engine
            .query(
                "select number, order_id, issued_at, content from invoices \
                 where account_id = $1 order by issued_at desc, number desc limit $2",
                &[account_id.into(), MAX_INVOICES.into()],
                invoice,
            )
            .await
    }

    /// The invoice of an order, if the order belongs to this account and is paid.
    pub async fn find_invoice(&self, account_id: &str, order_id: &str) -> Result<Option<Invoice>> {
        self.engine
            .query_opt(
                "select number, order_id, issued_at, content from invoices \
                 where account_id = $1 and order_id = $2",
                &[account_id.into(), order_id.into()],
                invoice,
            )
            .await
    }
}

/// Issues the invoice of an order with the next number.
pub(super) async fn issue(
    transaction: &mut Transaction,
    order: &Order,
    new: &NewInvoice,
    now_ms: i64,
) -> Result<()> {
    let year = ist_financial_year(now_ms);
    let last = transaction
        .query_opt(
            "insert into invoice_numbers (series, financial_year, last_number) \
             values ($1, $2, 1) on conflict (series, financial_year) \
             do update set last_number = invoice_numbers.last_number + 1 returning last_number",
            &[(&new.series).into(), (&year).into()],
            |row| row.get::<i64>(0),
        )
        .await?;
    let last = last.ok_or_else(|| StoreError::Bug("an invoice got no number".into()))?;
    // 2026-27 becomes 2627.
    let short_year: String = year.chars().skip(2).filter(char::is_ascii_digit).collect();
    let number = format!("{}/{short_year}/{last:07}", new.series);
    transaction
        .execute(
            "insert into invoices (account_id, number, order_id, issued_at, content) \
             values ($1, $2, $3, $4, $5)",
            &[
                (&order.account_id).into(),
                (&number).into(),
                (&order.id).into(),
                now_ms.into(),
                (&new.content).into(),
            ],
        )
        .await?;
    Ok(())
}

fn invoice(row: &Row<'_>) -> Result<Invoice> {
    Ok(Invoice {
        number: row.get(0)?,
        order_id: row.get(1)?,
        issued_at: row.get(2)?,
        content: row.get(3)?,
    })
}
