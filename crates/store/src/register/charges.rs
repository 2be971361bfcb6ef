//! Charges: assets that a company has pledged to lenders.

use std::cmp::Ordering;

use super::{Register, SectionRecord};
use crate::error::Result;
use crate::table::table;

table! {
    /// A charge on a company's assets.
    Charge in "charges", key 2 {
        cin: String,
        /// The registry's number of the charge.
        charge_id: String,
        lender: String,
        /// The secured amount in paise.
        amount: Option<i64>,
        /// `open`, `modified` or `satisfied`.
        status: String,
        created_on: Option<String>,
        modified_on: Option<String>,
        satisfied_on: Option<String>,
        /// The pledged assets, in the source's words.
        assets: Option<String>,
        /// The lender's address.
        address: Option<String>,
    }
}

impl SectionRecord for Charge {
    /// Newest first.
    fn list_order(&self, other: &Charge) -> Ordering {
        let newest_first = other.created_on.cmp(&self.created_on);
        newest_first.then_with(|| other.charge_id.cmp(&self.charge_id))
    }
}

impl Register {
    /// Newest first.
    pub async fn list_charges(&self, cin: &str) -> Result<Vec<Charge>> {
        self.list(cin).await
    }
}
