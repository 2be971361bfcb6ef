//! Charges: assets that a company has pledged to lenders.

use super::Register;
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

impl Register {
    /// Newest first.
    pub async fn list_charges(&self, cin: &str) -> Result<Vec<Charge>> {
        let mut charges = self.list_section::<Charge>(cin).await?;
        charges.sort_unstable_by(|one, other| {
            let newest_first = other.created_on.cmp(&one.created_on);
            newest_first.then_with(|| other.charge_id.cmp(&one.charge_id))
        });
        Ok(charges)
    }
}
