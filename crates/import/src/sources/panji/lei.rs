//! Lines about legal entity identifiers and the parents of their holders.

use jiff::civil::Date;
use panji_store::register::{CompanyLei, DIRECT_PARENT, LeiEntity, LeiParent, ULTIMATE_PARENT};
use serde::Deserialize;

use super::source::SOURCE;
use crate::values::field::{canonical_cin, canonical_lei, date, required, word};
use crate::values::reason::Reason;
use crate::vocabulary;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeiLine {
    cin: String,
    lei: String,
    legal_name: String,
    entity_status_text: Option<String>,
    registration_status_text: Option<String>,
    registered_on: Option<Date>,
    next_renewal_on: Option<Date>,
    as_of: Option<Date>,
}

impl LeiLine {
    pub fn into_record(self) -> Result<CompanyLei, Reason> {
        let entity_status = self.entity_status_text.as_deref();
        let registration_status = self.registration_status_text.as_deref();
        Ok(CompanyLei {
            cin: canonical_cin(&self.cin)?,
            lei: canonical_lei("lei", &self.lei)?,
            legal_name: required("legal_name", self.legal_name)?,
            entity_status: word(vocabulary::lei_entity_status, entity_status, vocabulary::UNKNOWN),
            registration_status: word(
                vocabulary::lei_registration_status,
                registration_status,
                vocabulary::UNKNOWN,
            ),
            entity_status_text: self.entity_status_text,
            registration_status_text: self.registration_status_text,
            registered_on: date(self.registered_on),
            next_renewal_on: date(self.next_renewal_on),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeiParentLine {
    lei: String,
    relation: String,
    parent_lei: Option<String>,
    exception_text: Option<String>,
    active: Option<bool>,
    as_of: Option<Date>,
}

impl LeiParentLine {
    pub fn into_record(self) -> Result<LeiParent, Reason> {
        if ![DIRECT_PARENT, ULTIMATE_PARENT].contains(&self.relation.as_str()) {
            return Err(Reason::fixed("relation must be direct or ultimate"));
        }
        if self.parent_lei.is_some() == self.exception_text.is_some() {
            return Err(Reason::fixed("one of parent_lei and exception_text must be given"));
        }
        let parent_lei = self.parent_lei.map(|parent| canonical_lei("parent_lei", &parent));
        let exception = self.exception_text.as_deref().map(vocabulary::lei_exception);
        Ok(LeiParent {
            lei: canonical_lei("lei", &self.lei)?,
            relation: self.relation,
            parent_lei: parent_lei.transpose()?.unwrap_or_default(),
            active: self.active.unwrap_or(true),
            exception: exception.map(str::to_owned),
            exception_text: self.exception_text,
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeiEntityLine {
    lei: String,
    name: String,
    country: Option<String>,
    as_of: Option<Date>,
}

impl LeiEntityLine {
    pub fn into_record(self) -> Result<LeiEntity, Reason> {
        Ok(LeiEntity {
            lei: canonical_lei("lei", &self.lei)?,
            name: required("name", self.name)?,
            country: self.country,
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}
