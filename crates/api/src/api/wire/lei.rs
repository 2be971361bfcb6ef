//! The legal entity identifier of a company, and its parents.

use panji_store::register::{self, LeiHolder};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::enums;

/// The legal entity identifier (LEI) of a company and what GLEIF publishes about it.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CompanyLei {
    /// The LEI.
    #[schema(example = "98450099KALP99001114")]
    pub lei: String,
    /// The name under which it is registered.
    pub legal_name: String,
    /// The status of the company, as the LEI record states it.
    #[schema(value_type = enums::LeiEntityStatus)]
    pub entity_status: String,
    /// The status of the company in the source's words.
    pub entity_status_text: Option<String>,
    /// The status of the LEI.
    #[schema(value_type = enums::LeiRegistrationStatus)]
    pub registration_status: String,
    /// The status of the LEI in the source's words.
    pub registration_status_text: Option<String>,
    /// The date of its first registration, in India.
    pub registered_on: Option<String>,
    /// The date by which it must be renewed, in India.
    pub next_renewal_on: Option<String>,
    /// The direct accounting consolidating parent; null if nothing is known.
    pub direct_parent: Option<LeiParent>,
    /// The ultimate accounting consolidating parent; null if nothing is known.
    pub ultimate_parent: Option<LeiParent>,
    /// The date of the last update of the record, in India.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}

/// A parent of a company, or the reason why the company reports none.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct LeiParent {
    /// The LEI of the parent; null if there is an exception.
    pub lei: Option<String>,
    /// Its name; null if it is not known.
    pub name: Option<String>,
    /// Its CIN, LLPIN or FCRN, if it is a company of India.
    pub cin: Option<String>,
    /// Why no parent is reported; null if there is one.
    #[schema(value_type = Option<enums::LeiException>)]
    pub exception: Option<String>,
    /// The reason in the source's words.
    pub exception_text: Option<String>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}

impl CompanyLei {
    pub fn new(
        record: register::CompanyLei,
        direct_parent: Option<LeiParent>,
        ultimate_parent: Option<LeiParent>,
    ) -> CompanyLei {
        CompanyLei {
            lei: record.lei,
            legal_name: record.legal_name,
            entity_status: record.entity_status,
            entity_status_text: record.entity_status_text,
            registration_status: record.registration_status,
            registration_status_text: record.registration_status_text,
            registered_on: record.registered_on,
            next_renewal_on: record.next_renewal_on,
            direct_parent,
            ultimate_parent,
            as_of: record.as_of,
            source: record.source,
        }
    }
}

impl LeiParent {
    pub fn new(record: register::LeiParent, holder: Option<LeiHolder>) -> LeiParent {
        let (name, cin) = holder.map_or((None, None), |holder| (Some(holder.name), holder.cin));
        LeiParent {
            lei: Some(record.parent_lei).filter(|lei| !lei.is_empty()),
            name,
            cin,
            exception: record.exception,
            exception_text: record.exception_text,
            as_of: record.as_of,
            source: record.source,
        }
    }
}
