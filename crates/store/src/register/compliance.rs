//! Compliance: statutory filings, credit ratings and provident-fund establishments.

use std::cmp::Ordering;

use super::{Register, SectionRecord};
use crate::error::Result;
use crate::table::table;

table! {
    /// A statutory filing: its due date and its filing date.
    Filing in "filings", key 2 {
        cin: String,
        /// Unique within the company: form, year and due date.
        filing_key: String,
        form_type: String,
        /// The form in words.
        description: String,
        financial_year: Option<String>,
        due_on: Option<String>,
        /// Null if it is not filed.
        filed_on: Option<String>,
    }
}

table! {
    /// A credit rating of one instrument on one day.
    CreditRating in "credit_ratings", key 4 {
        cin: String,
        agency: String,
        /// What is rated.
        instrument: String,
        rated_on: String,
        /// The rating's symbol.
        rating: String,
        /// In the source's words.
        outlook: Option<String>,
        /// In the source's words.
        action: Option<String>,
        /// The rated amount in paise.
        amount: Option<i64>,
    }
}

table! {
    /// An establishment registered with the provident fund (EPFO).
    EpfoEstablishment in "epfo_establishments", key 2 {
        cin: String,
        /// The fund's number of the establishment.
        establishment_id: String,
        name: String,
        /// In the source's words.
        status: Option<String>,
        /// Employees in the last wage month.
        employees: Option<i64>,
        /// The last wage month paid for, such as `2026-02`.
        last_wage_month: Option<String>,
        /// The amount paid, in paise.
        amount: Option<i64>,
        paid_on: Option<String>,
    }
}

impl Filing {
    /// The sort key of the list.
    fn due_or_filed_on(&self) -> Option<&str> {
        self.due_on.as_deref().or(self.filed_on.as_deref())
    }
}

impl SectionRecord for Filing {
    /// Latest due date first.
    fn list_order(&self, other: &Filing) -> Ordering {
        let latest_first = other.due_or_filed_on().cmp(&self.due_or_filed_on());
        latest_first.then_with(|| self.filing_key.cmp(&other.filing_key))
    }
}

impl SectionRecord for CreditRating {
    /// Newest first.
    fn list_order(&self, other: &CreditRating) -> Ordering {
        let newest_first = other.rated_on.cmp(&self.rated_on);
        let agency_then_instrument =
            || (&self.agency, &self.instrument).cmp(&(&other.agency, &other.instrument));
        newest_first.then_with(agency_then_instrument)
    }
}

impl SectionRecord for EpfoEstablishment {
    fn list_order(&self, other: &EpfoEstablishment) -> Ordering {
        self.establishment_id.cmp(&other.establishment_id)
    }
}

impl Register {
    /// Latest due date first.
    pub async fn list_filings(&self, cin: &str) -> Result<Vec<Filing>> {
        self.list(cin).await
    }

    /// Newest first.
    pub async fn list_credit_ratings(&self, cin: &str) -> Result<Vec<CreditRating>> {
        self.list(cin).await
    }

    pub async fn list_epfo_establishments(&self, cin: &str) -> Result<Vec<EpfoEstablishment>> {
        self.list(cin).await
    }
}
