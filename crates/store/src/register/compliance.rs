//! Compliance: statutory filings, credit ratings and provident-fund establishments.

use super::Register;
use crate::error::Result;
use crate::table::table;

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
        /// The outlook, in the source's words.
        outlook: Option<String>,
        /// What the agency did, in the source's words.
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
        /// Its working status, in the source's words.
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

impl Filing {
    /// The day by which filings are listed.
    fn due_or_filed_on(&self) -> Option<&str> {
        self.due_on.as_deref().or(self.filed_on.as_deref())
    }
}

impl Register {
    /// All statutory filings of a company, latest due first.
    pub async fn list_filings(&self, cin: &str) -> Result<Vec<Filing>> {
        let mut filings = self.list_section::<Filing>(cin).await?;
        filings.sort_unstable_by(|one, other| {
            other
                .due_or_filed_on()
                .cmp(&one.due_or_filed_on())
                .then_with(|| one.filing_key.cmp(&other.filing_key))
        });
        Ok(filings)
    }

    /// All credit ratings of a company, newest first.
    pub async fn list_credit_ratings(&self, cin: &str) -> Result<Vec<CreditRating>> {
        let mut ratings = self.list_section::<CreditRating>(cin).await?;
        ratings.sort_unstable_by(|one, other| {
            let newest_first = other.rated_on.cmp(&one.rated_on);
            let agency_then_instrument =
                || (&one.agency, &one.instrument).cmp(&(&other.agency, &other.instrument));
            newest_first.then_with(agency_then_instrument)
        });
        Ok(ratings)
    }

    /// All provident-fund establishments of a company.
    pub async fn list_epfo_establishments(&self, cin: &str) -> Result<Vec<EpfoEstablishment>> {
        self.list_section(cin).await
    }
}
