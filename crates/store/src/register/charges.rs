//! Charges: what a company has pledged to lenders.

use super::{MAX_SECTION_ROWS, Register};
use crate::error::Result;
use crate::table::{Table, table};

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
        self.engine
            .query(
                "select cin, charge_id, lender, amount, status, created_on, modified_on, \
                 satisfied_on, assets, address, as_of, source from charges where cin = $1 \
                 order by coalesce(created_on, '') desc, charge_id desc limit $2",
                &[cin.into(), MAX_SECTION_ROWS.into()],
                Charge::from_row,
            )
            .await
    }
}
