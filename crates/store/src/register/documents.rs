//! The list of public documents of a company, paged.

use super::{Origin, Register};
use crate::error::Result;
use crate::table::{Table, table};

table! {
    /// A document in the registry's public list.
    Document in "documents", key 3 {
        cin: String,
        filing_date: String,
        file_name: String,
        form_type: String,
        financial_year: Option<String>,
        /// In bytes.
        file_size: Option<i64>,
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentFilter {
    All,
    /// Filed in a calendar year.
    FiledIn(u16),
    /// For a financial year, such as `2023-24`.
    ForFinancialYear(String),
}

const LAST_DAY: &str = "9999-12-31";

impl Register {
    /// One page of a company's documents, newest first.
    pub async fn list_documents(
        &self,
        cin: &str,
        filter: &DocumentFilter,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<Document>> {
        if let DocumentFilter::ForFinancialYear(year) = filter {
            return self
                .look_up(
                    "select cin, filing_date, file_name, form_type, financial_year, file_size, \
                     as_of, source from documents where cin = $1 and financial_year = $2 \
                     order by filing_date desc, file_name desc limit $3 offset $4",
                    &[cin.into(), year.into(), limit.into(), offset.into()],
                    Document::from_row,
                )
                .await;
        }
        let (first, last) = filed_between(filter);
        self.look_up(
            "select cin, filing_date, file_name, form_type, financial_year, file_size, as_of, \
                 source from documents where cin = $1 and filing_date >= $2 and filing_date <= $3 \
                 order by filing_date desc, file_name desc limit $4 offset $5",
            &[cin.into(), (&first).into(), (&last).into(), limit.into(), offset.into()],
            Document::from_row,
        )
        .await
    }

    /// The newest documents of each company.
    pub async fn list_newest_documents(
        &self,
        cins: &[&str],
        limit: i64,
    ) -> Result<Vec<Vec<Document>>> {
        let list = "select cin, filing_date, file_name, form_type, financial_year, file_size, as_of, \
                    source from documents where cin = $1 \
                    order by filing_date desc, file_name desc limit $2";
        self.look_up_all(list, cins, &[limit.into()], Document::from_row).await
    }

    /// The source of the newest document of a company.
    pub async fn find_newest_document_origin(&self, cin: &str) -> Result<Option<Origin>> {
        let find = "select as_of, source from documents where cin = $1 \
                    order by filing_date desc, file_name desc limit 1";
        self.look_up_one(find, &[cin.into()], Origin::from_row).await
    }

    /// The number of matching documents of a company.
    pub async fn count_documents(&self, cin: &str, filter: &DocumentFilter) -> Result<i64> {
        let count = if let DocumentFilter::ForFinancialYear(year) = filter {
            self.look_up_one(
                "select count(*) from documents where cin = $1 and financial_year = $2",
                &[cin.into(), year.into()],
                |row| row.get(0),
            )
            .await?
        } else {
            let (first, last) = filed_between(filter);
            self.look_up_one(
                "select count(*) from documents \
                     where cin = $1 and filing_date >= $2 and filing_date <= $3",
                &[cin.into(), (&first).into(), (&last).into()],
                |row| row.get(0),
            )
            .await?
        };
        Ok(count.unwrap_or(0))
    }
}

fn filed_between(filter: &DocumentFilter) -> (String, String) {
    match filter {
        DocumentFilter::FiledIn(year) => (format!("{year:04}-01-01"), format!("{year:04}-12-31")),
        _ => (String::new(), LAST_DAY.to_owned()),
    }
}
