//! Under which symbols companies are listed: learnt from filings that name a company in several ways.

use super::Register;
use crate::engine::Value;
use crate::error::Result;

/// Symbols that are read at most; both exchanges together have some ten thousand, ISINs included.
const MAX_SYMBOLS: i64 = 200_000;

/// A symbol, a code or an ISIN, and the company that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSymbol {
    /// The symbol of an exchange, its code, or an ISIN, in capital letters.
    pub symbol: String,
    /// The company.
    pub cin: String,
    /// The date of the filing that says so.
    pub as_of: Option<String>,
}

impl Register {
    /// All symbols that were learnt.
    pub async fn list_symbols(&self) -> Result<Vec<ListedSymbol>> {
        let list = "select symbol, cin, as_of from listed_symbols order by symbol limit $1";
        self.engine
            .query(list, &[MAX_SYMBOLS.into()], |row| {
                Ok(ListedSymbol { symbol: row.get(0)?, cin: row.get(1)?, as_of: row.get(2)? })
            })
            .await
    }

    /// Keeps symbols; a newer filing tells what a symbol stands for now.
    pub async fn learn_symbols(&self, symbols: &[ListedSymbol]) -> Result<()> {
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
