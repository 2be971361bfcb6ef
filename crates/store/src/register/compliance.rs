//! Compliance: statutory filings, credit ratings and provident-fund establishments.

use super::{MAX_SECTION_ROWS, Register};
use crate::error::Result;
use crate::table::{Table, table};

table! {
    /// A statutory filing: what was due, and when it was made.
    Filing in "filings", key 2 {
        /// The company.
        cin: String,
        /// What tells this filing from the company's others: form, year and due date.
        filing_key: String,
        /// The form.
        form_type: String,
        /// The form in words.
        description: String,
        /// The financial year it is for.
        financial_year: Option<String>,
        /// The last day to file it.
        due_on: Option<String>,
        /// The day it was filed; none while it is not.
        filed_on: Option<String>,
    }
}

table! {
    /// A credit rating of one instrument on one day.
    CreditRating in "credit_ratings", key 4 {
        /// The company.
        cin: String,
        /// The agency.
        agency: String,
        /// What is rated.
        instrument: String,
        /// The day of the rating.
        rated_on: String,
        /// The rating's symbol.
        rating: String,
        /// The outlook.
        outlook: Option<String>,
        /// What the agency did: assigned, reaffirmed, upgraded, …
        action: Option<String>,
        /// The rated amount in paise.
        amount: Option<i64>,
    }
}

table! {
    /// An establishment registered with the provident fund (EPFO).
    EpfoEstablishment in "epfo_establishments", key 2 {
        /// The company.
        cin: String,
        /// The fund's number of the establishment.
        establishment_id: String,
        /// Its name there.
        name: String,
        /// Its working status.
        status: Option<String>,
        /// Employees in the last wage month.
        employees: Option<i64>,
        /// The last wage month paid for, `2026-02`.
        last_wage_month: Option<String>,
        /// The amount paid, in paise.
        amount: Option<i64>,
        /// The day it was paid.
        paid_on: Option<String>,
    }
}

impl Register {
    /// All statutory filings of a company, latest due first.
    pub async fn list_filings(&self, cin: &str) -> Result<Vec<Filing>> {
        self.engine
            .query(
                "select cin, filing_key, form_type, description, financial_year, due_on, filed_on, \
                 as_of, source from filings where cin = $1 \
                 order by coalesce(due_on, filed_on, '') desc, filing_key limit $2",
                &[cin.into(), MAX_SECTION_ROWS.into()],
                Filing::from_row,
            )
            .await
    }

    /// All credit ratings of a company, newest first.
    pub async fn list_credit_ratings(&self, cin: &str) -> Result<Vec<CreditRating>> {
        self.engine
            .query(
                "select cin, agency, instrument, rated_on, rating, outlook, action, amount, as_of, \
                 source from credit_ratings where cin = $1 \
                 order by rated_on desc, agency, instrument limit $2",
                &[cin.into(), MAX_SECTION_ROWS.into()],
                CreditRating::from_row,
            )
            .await
    }

    /// All provident-fund establishments of a company.
    pub async fn list_epfo_establishments(&self, cin: &str) -> Result<Vec<EpfoEstablishment>> {
        self.engine
            .query(
                "select cin, establishment_id, name, status, employees, last_wage_month, amount, \
                 paid_on, as_of, source from epfo_establishments where cin = $1 \
                 order by establishment_id limit $2",
                &[cin.into(), MAX_SECTION_ROWS.into()],
                EpfoEstablishment::from_row,
            )
            .await
    }
}
