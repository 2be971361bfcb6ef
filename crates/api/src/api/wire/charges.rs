//! Charges on a company's assets.

use std::borrow::Cow;

use panji_store::register::{self, CompanyReference, CoveredSection};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Rupees, SectionOrigin, enums};

/// The charges of a company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CompanyCharges {
    /// The company's CIN, LLPIN or FCRN.
    pub cin: String,
    /// How many charges there are, satisfied ones included; null if nothing is known.
    pub total: Option<usize>,
    /// The charges not satisfied yet.
    pub open: OpenCharges,
    /// All charges, newest first.
    pub charges: Vec<Charge>,
    /// What an empty list means.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing is known.
    pub source: Option<String>,
}

/// The charges of a company, without the company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct ChargesSummary {
    /// How many charges there are, satisfied ones included; null if nothing is known.
    pub total: Option<usize>,
    /// The charges not satisfied yet.
    pub open: OpenCharges,
    /// All charges, newest first.
    pub charges: Vec<Charge>,
    /// What an empty list means.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing is known.
    pub source: Option<String>,
}

/// The charges that are not satisfied yet.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct OpenCharges {
    /// The number of open charges; null if nothing is known.
    pub count: Option<usize>,
    /// The sum of their known amounts; null if nothing is known.
    pub amount: Option<Rupees>,
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
    #[schema(value_type = enums::ChargeStatus)]
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
    pub fn new(company: &CompanyReference, charges: Vec<register::Charge>) -> ChargesSummary {
        let origin =
            SectionOrigin::of_list(company.coverage.get(CoveredSection::Charges), &charges);
        let open: Vec<_> = charges.iter().filter(|charge| charge.status != "satisfied").collect();
        let amount = open.iter().filter_map(|charge| charge.amount).fold(0, i64::saturating_add);
        let open = OpenCharges {
            count: origin.known_count(open.len()),
            amount: origin.known_count(Rupees(amount)),
        };
        let total = origin.known_count(charges.len());
        let charges: Vec<Charge> = charges.into_iter().map(Charge::from).collect();
        let SectionOrigin { coverage, as_of, source } = origin;
        ChargesSummary { total, open, charges, coverage, as_of, source }
    }
}

impl CompanyCharges {
    pub fn new(company: &CompanyReference, charges: Vec<register::Charge>) -> CompanyCharges {
        let ChargesSummary { total, open, charges, coverage, as_of, source } =
            ChargesSummary::new(company, charges);
        let cin = company.cin.clone();
        CompanyCharges { cin, total, open, charges, coverage, as_of, source }
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
