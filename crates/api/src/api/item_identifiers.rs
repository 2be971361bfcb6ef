//! The companies that the identifiers of an item name.

use panji_ids::{CompanyId, Gstin, Pan};
use panji_search::Verdict;
use panji_store::{Register, StoreError};

use super::wire::{Evidence, MatchRequestItem};

/// The weight of an identifier in the evidence, in logits.
const WEIGHT: f64 = 5.0;

/// What an identifier names.
enum Named {
    Malformed,
    /// No company of the register has it. Of a PAN or GSTIN, the PAN.
    NotFound(Option<String>),
    /// The current number of the company.
    Company(String),
}

/// The identifiers of an item, and the companies that they name.
pub struct ItemIdentifiers {
    /// The different companies, in the order of `cin`, `pan`, `gstin`.
    pub cins: Vec<String>,
    given: Vec<(&'static str, &'static str, Named)>,
}

/// Looks up the identifiers of an item.
pub async fn identify(
    register: &Register,
    item: &MatchRequestItem,
    this_year: u16,
) -> Result<ItemIdentifiers, StoreError> {
    let mut given = Vec::new();
    if let Some(text) = &item.cin {
        let named = match CompanyId::parse_in_year(text, this_year) {
            Err(_) => Named::Malformed,
            Ok(id) => match register.find_company_reference(id.as_str()).await? {
                Some(company) => Named::Company(company.cin),
                None => Named::NotFound(None),
            },
        };
        given.push(("cin", "CIN", named));
    }
    if let Some(text) = &item.pan {
        let pan = Pan::parse(text).ok().map(|pan| pan.as_str().to_owned());
        given.push(("pan", "PAN", of_pan(register, pan).await?));
    }
    if let Some(text) = &item.gstin {
        let gstin = Gstin::parse(text).ok();
        let pan = gstin.and_then(|gstin| gstin.pan().map(|pan| pan.as_str().to_owned()));
        given.push(("gstin", "GSTIN", of_pan(register, pan).await?));
    }
    let mut cins: Vec<String> = Vec::new();
    for (.., named) in &given {
        if let Named::Company(cin) = named
            && !cins.contains(cin)
        {
            cins.push(cin.clone());
        }
    }
    Ok(ItemIdentifiers { cins, given })
}

async fn of_pan(register: &Register, pan: Option<String>) -> Result<Named, StoreError> {
    let Some(pan) = pan else { return Ok(Named::Malformed) };
    let holder = match register.find_pan_company(&pan).await? {
        Some(cin) => register.find_company_reference(&cin).await?,
        None => None,
    };
    Ok(match holder {
        Some(company) => Named::Company(company.cin),
        None => Named::NotFound(Some(pan)),
    })
}

impl ItemIdentifiers {
    /// The evidence of the identifiers on a company, and whether one of them contradicts it.
    pub async fn evidence(
        &self,
        register: &Register,
        cin: &str,
    ) -> Result<(Vec<Evidence>, bool), StoreError> {
        let mut all = Vec::new();
        for (field, name, named) in &self.given {
            let (verdict, detail) = match named {
                Named::Malformed if *field == "gstin" => {
                    (Verdict::Unknown, "The GSTIN is malformed or contains no PAN.".to_owned())
                }
                Named::Malformed => (Verdict::Unknown, format!("The {name} is malformed.")),
                Named::Company(own) if own == cin => {
                    (Verdict::Agrees, format!("The {name} is this company's."))
                }
                Named::Company(_) => {
                    (Verdict::Differs, format!("The {name} belongs to another company."))
                }
                Named::NotFound(None) => (
                    Verdict::Differs,
                    format!("The company has another {name}; no company has the given one."),
                ),
                Named::NotFound(Some(pan)) => match register.find_company_pan(cin).await? {
                    Some(own) if own.pan == *pan => {
                        (Verdict::Agrees, format!("The {name} is this company's."))
                    }
                    Some(_) => (Verdict::Differs, "The company has another PAN.".to_owned()),
                    None => (Verdict::Unknown, "The company's PAN is not known.".to_owned()),
                },
            };
            let weight = match verdict {
                Verdict::Agrees => WEIGHT,
                Verdict::Differs => -WEIGHT,
                Verdict::Unknown => 0.0,
            };
            all.push(Evidence { field, verdict: verdict.as_str(), detail, weight });
        }
        let differs = all.iter().any(|one| one.verdict == Verdict::Differs.as_str());
        Ok((all, differs))
    }
}
