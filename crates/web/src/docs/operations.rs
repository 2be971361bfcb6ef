//! The prices of the operations in words.

use panji_api::config::Config;
use panji_api::config::operation::{Operation, Tariff};
use panji_api::locale::amounts::counted;

/// What a call costs.
pub struct Price {
    /// As "3 credits".
    pub short: String,
    /// What the short form leaves out.
    pub note: String,
}

/// The sections of an enrichment with the operations that return them.
const SECTIONS: [(&str, Operation); 7] = [
    ("company", Operation::GetCompany),
    ("pan", Operation::GetCompanyPan),
    ("directors", Operation::GetCompanyDirectors),
    ("charges", Operation::GetCompanyCharges),
    ("financials", Operation::GetCompanyFinancials),
    ("compliance", Operation::GetCompanyCompliance),
    ("documents", Operation::ListCompanyDocuments),
];
const VERIFICATIONS: [(&str, Operation); 4] = [
    ("cin", Operation::VerifyCin),
    ("din", Operation::VerifyDin),
    ("gstin", Operation::VerifyGstin),
    ("pan", Operation::VerifyPan),
];

fn listed(config: &Config, priced: &[(&str, Operation)]) -> String {
    let price = |(name, operation): &(&str, Operation)| {
        format!("`{name}` {}", config.prices.of(*operation))
    };
    priced.iter().map(price).collect::<Vec<_>>().join(", ")
}

impl Price {
    pub fn of(config: &Config, operation: Operation) -> Price {
        let credits = counted(config.prices.of(operation), "credit", "credits");
        let (short, note) = match (operation.tariff(), operation) {
            (Tariff::FreeQuota, _) => {
                let free = config.free_quota.calls_per_day;
                let note = format!(
                    "The first {free} calls of searchCompanies and getCompany each day (Indian time) \
                     are free."
                );
                (credits, note)
            }
            (Tariff::Priced, Operation::ListEvents) => (
                format!("{credits} per event"),
                "An account pays for an event once, however it is read.".to_owned(),
            ),
            (Tariff::Priced, _) => (credits, String::new()),
            (Tariff::Free, Operation::CreateJob | Operation::ApproveJob) => {
                let note = "The rows of the job cost what they cost in a bulk call.";
                ("Free".to_owned(), note.to_owned())
            }
            (Tariff::Free, _) => ("Free".to_owned(), String::new()),
            (Tariff::Items, Operation::MatchCompanies) => (
                format!("{credits} per item"),
                "An item with the decision `none` costs nothing.".to_owned(),
            ),
            (Tariff::Items, Operation::BulkEnrich) => {
                let note = format!(
                    "Credits per company, or 0 where nothing is known: {}, `capital` {}.",
                    listed(config, &SECTIONS),
                    config.prices.capital()
                );
                ("Sum of its sections".to_owned(), note)
            }
            (Tariff::Items, _) => (
                "Sum of its items".to_owned(),
                format!("Credits per item: {}.", listed(config, &VERIFICATIONS)),
            ),
        };
        Price { short, note }
    }
}
