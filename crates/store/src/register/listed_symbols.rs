//! The symbols of listed companies, known from filings that contain several names of a company.

use super::Register;
use crate::engine::Value;
use crate::error::Result;

/// The most symbols that are read; both exchanges together have about ten thousand, including
/// ISINs.
const MAX_SYMBOLS: i64 = 200_000;

/// A symbol, a code or an ISIN, and its company.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSymbol {
    /// The symbol of an exchange, its code, or an ISIN, in capital letters.
    pub symbol: String,
    pub cin: String,
    /// The date of the filing.
    pub as_of: Option<String>,
}

impl Register {
    pub async fn list_symbols(&self) -> Result<Vec<ListedSymbol>> {
        let list = "select symbol, cin, as_of from listed_symbols order by symbol limit $1";
        self.engine
            .query(list, &[MAX_SYMBOLS.into()], |row| {
                Ok(ListedSymbol { symbol: row.get(0)?, cin: row.get(1)?, as_of: row.get(2)? })
            })
            .await
    }

    /// Stores symbols; a newer filing replaces the company of a symbol.
    pub async fn store_symbols(&self, symbols: &[ListedSymbol]) -> Result<()> {
        let rows: Vec<Vec<Value<'_>>> = symbols
            .iter()
            .map(|one| vec![(&one.symbol).into(), (&one.cin).into(), one.as_of.as_ref().into()])
            .collect();
        let mut transaction = self.engine.transaction().await?;
        transaction
            .execute_each(
                "insert into listed_symbols (symbol, cin, as_of) values ($1, $2, $3) \
                 on conflict (symbol) do update set cin = excluded.cin, as_of = excluded.as_of \
                 where coalesce(listed_symbols.as_of, '') <= coalesce(excluded.as_of, '')",
                &rows,
            )
            .await?;
        transaction.commit().await
    }
}
