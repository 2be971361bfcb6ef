//! Charges on a company's assets.

use panji_store::register::{self, CompanyKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Rupees, stamp, words};

/// The charges of a company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CompanyCharges {
    /// The company.
    pub cin: String,
    /// How many charges there are, satisfied ones included.
    pub total: usize,
    /// The charges not satisfied yet.
    pub open: OpenCharges,
    /// All charges, newest first.
    pub charges: Vec<Charge>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}

/// The charges of a company, without the company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct ChargesSummary {
    /// How many charges there are, satisfied ones included.
    pub total: usize,
    /// The charges not satisfied yet.
    pub open: OpenCharges,
    /// All charges, newest first.
    pub charges: Vec<Charge>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}

/// The charges that are not satisfied yet.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct OpenCharges {
    /// The number of open charges.
    pub count: usize,
    /// The sum of their known amounts.
    pub amount: Rupees,
}

/// A charge.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Charge {
    /// The registry's number for the charge.
    pub charge_id: String,
    /// The charge holder.
    pub lender: String,
    /// The secured amount.
    pub amount: Option<Rupees>,
    /// The status.
    #[schema(value_type = words::ChargeStatus)]
    pub status: String,
    /// The day it was created.
    pub created_on: Option<String>,
    /// The day it was last modified.
    pub modified_on: Option<String>,
    /// The day it was satisfied.
    pub satisfied_on: Option<String>,
    /// The pledged assets.
    pub assets: Option<String>,
    /// The holder's address.
    pub address: Option<String>,
}

impl ChargesSummary {
    pub fn new(company: &CompanyKey, charges: Vec<register::Charge>) -> ChargesSummary {
        let (as_of, source) = stamp(&charges, company);
        let open: Vec<_> = charges.iter().filter(|charge| charge.status != "satisfied").collect();
        let amount = open.iter().filter_map(|charge| charge.amount).fold(0, i64::saturating_add);
        let open = OpenCharges { count: open.len(), amount: Rupees(amount) };
        let charges: Vec<Charge> = charges.into_iter().map(Charge::from).collect();
        ChargesSummary { total: charges.len(), open, charges, as_of, source }
    }
}

impl CompanyCharges {
    pub fn new(company: &CompanyKey, charges: Vec<register::Charge>) -> CompanyCharges {
        let ChargesSummary { total, open, charges, as_of, source } =
            ChargesSummary::new(company, charges);
        CompanyCharges { cin: company.cin.clone(), total, open, charges, as_of, source }
    }
}

impl From<register::Charge> for Charge {
    fn from(charge: register::Charge) -> Charge {
        Charge {
            charge_id: charge.charge_id,
            lender: charge.lender,
            amount: charge.amount.map(Rupees),
            status: charge.status,
            created_on: charge.created_on,
            modified_on: charge.modified_on,
            satisfied_on: charge.satisfied_on,
            assets: charge.assets,
            address: charge.address,
        }
    }
}
