//! Charges: what a company has pledged to lenders.

use super::Register;
use crate::error::Result;
use crate::table::table;

table! {
    /// A charge on a company's assets.
    Charge in "charges", key 2 {
        /// The company.
        cin: String,
        /// The registry's number of the charge.
        charge_id: String,
        /// Who holds it.
        lender: String,
        /// The secured amount in paise.
        amount: Option<i64>,
        /// `open`, `modified` or `satisfied`.
        status: String,
        /// When it was created.
        created_on: Option<String>,
        /// When it was last modified.
        modified_on: Option<String>,
        /// When it was satisfied.
        satisfied_on: Option<String>,
        /// What is pledged.
        assets: Option<String>,
        /// The holder's address.
        address: Option<String>,
    }
}

impl Register {
    /// All charges of a company, newest first.
    pub async fn list_charges(&self, cin: &str) -> Result<Vec<Charge>> {
        let mut charges = self.list_section::<Charge>(cin).await?;
        charges.sort_unstable_by(|one, other| {
            let newest_first = other.created_on.cmp(&one.created_on);
            newest_first.then_with(|| other.charge_id.cmp(&one.charge_id))
        });
        Ok(charges)
    }
}
