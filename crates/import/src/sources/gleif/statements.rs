//! What a record of GLEIF says, and the row that it becomes.

use jiff::civil::Date;
use panji_ids::{CompanyId, mask_pans};
use panji_store::register::{
    CompanyLei, DIRECT_PARENT, LeiEntity, LeiParent, Record, ULTIMATE_PARENT,
};

use super::SOURCE;
use crate::sources::source::RowOutcome;
use crate::values::date::day_in_india;
use crate::values::field::{canonical_lei, word};
use crate::values::reason::Reason;
use crate::vocabulary;

/// GLEIF's code of the registry of the Ministry of Corporate Affairs.
const MCA: &str = "RA000394";
/// What is skipped of Level 2: funds, branches and the like.
const OTHER_RELATION: &str = "a relationship of another kind than that to a consolidating parent";
/// Registrations of a relationship that say that it was never right, or is over.
const WITHDRAWN: [&str; 4] = ["annulled", "cancelled", "duplicate", "retired"];

/// The holder of an LEI (Level 1). Texts are as the source writes them, without blanks around.
#[derive(Clone, Debug, Default)]
pub(super) struct Holder {
    pub lei: String,
    pub name: Option<String>,
    pub country: Option<String>,
    /// GLEIF's code of the registry.
    pub registered_at: Option<String>,
    /// The number there.
    pub registered_as: Option<String>,
    pub entity_status: Option<String>,
    pub registration_status: Option<String>,
    pub registered: Option<String>,
    pub updated: Option<String>,
    pub next_renewal: Option<String>,
}

/// A relationship between two holders (Level 2).
#[derive(Clone, Debug, Default)]
pub(super) struct Relationship {
    pub start: String,
    pub end: String,
    pub kind: String,
    pub status: Option<String>,
    pub registration_status: Option<String>,
    pub updated: Option<String>,
}

/// Why a holder reports no parent (Level 2).
#[derive(Clone, Debug, Default)]
pub(super) struct ReportingException {
    pub lei: String,
    pub category: String,
    pub reason: Option<String>,
    pub as_of: Option<String>,
}

impl Holder {
    pub fn into_outcome(self) -> RowOutcome {
        let raw = format!("{} {}", self.lei, self.registered_as.as_deref().unwrap_or_default());
        self.read().unwrap_or_else(|reason| reject(reason, &raw))
    }

    fn read(self) -> Result<RowOutcome, Reason> {
        let lei = canonical_lei("lei", &self.lei)?;
        let name = self.name.ok_or_else(|| Reason::fixed("it has no legal name"))?;
        let mut unreadable_columns = Vec::new();
        let mut day = |column, text: Option<String>| {
            let day = text.as_deref().map(day_in_india);
            if day == Some(None) {
                unreadable_columns.push(column);
            }
            day.flatten().map(|day| day.to_string())
        };
        let as_of = day("Registration.LastUpdateDate", self.updated);
        if self.registered_at.as_deref() != Some(MCA) {
            let (country, source) = (self.country, SOURCE.to_owned());
            let entity = LeiEntity { lei, name, country, as_of, source };
            return Ok(RowOutcome::LeiRecord(Record::LeiEntity(entity)));
        }
        let number = CompanyId::parse(self.registered_as.as_deref().unwrap_or_default())
            .map_err(|error| Reason::of_id("registeredAs", &error))?;
        let record = Record::Lei(CompanyLei {
            cin: number.as_str().to_owned(),
            lei,
            legal_name: name,
            entity_status: word(
                vocabulary::lei_entity_status,
                self.entity_status.as_deref(),
                vocabulary::UNKNOWN,
            ),
            entity_status_text: self.entity_status,
            registration_status: word(
                vocabulary::lei_registration_status,
                self.registration_status.as_deref(),
                vocabulary::UNKNOWN,
            ),
            registration_status_text: self.registration_status,
            registered_on: day("Registration.InitialRegistrationDate", self.registered),
            next_renewal_on: day("Registration.NextRenewalDate", self.next_renewal),
            as_of,
            source: SOURCE.to_owned(),
        });
        Ok(RowOutcome::Record { record, unreadable_columns, ambiguities: Vec::new() })
    }
}

impl Relationship {
    pub fn into_outcome(self) -> RowOutcome {
        let raw = format!("{} {} {}", self.start, self.kind, self.end);
        self.read().unwrap_or_else(|reason| reject(reason, &raw))
    }

    fn read(self) -> Result<RowOutcome, Reason> {
        let relation = match self.kind.as_str() {
            "IS_DIRECTLY_CONSOLIDATED_BY" => DIRECT_PARENT,
            "IS_ULTIMATELY_CONSOLIDATED_BY" => ULTIMATE_PARENT,
            _ => return Ok(RowOutcome::Skipped(OTHER_RELATION)),
        };
        let registration =
            self.registration_status.as_deref().map(vocabulary::lei_registration_status);
        let is_withdrawn = registration.is_some_and(|status| WITHDRAWN.contains(&status));
        let parent = LeiParent {
            lei: canonical_lei("StartNode", &self.start)?,
            relation: relation.to_owned(),
            parent_lei: canonical_lei("EndNode", &self.end)?,
            active: self.status.as_deref() == Some("ACTIVE") && !is_withdrawn,
            exception: None,
            exception_text: None,
            as_of: self.updated.as_deref().and_then(day_in_india).map(|day| day.to_string()),
            source: SOURCE.to_owned(),
        };
        Ok(RowOutcome::LeiRecord(Record::LeiParent(parent)))
    }
}

impl ReportingException {
    /// `published` is the day of its list, where it has no day of its own.
    pub fn into_outcome(self, published: Option<Date>) -> RowOutcome {
        let raw = format!("{} {}", self.lei, self.category);
        self.read(published).unwrap_or_else(|reason| reject(reason, &raw))
    }

    fn read(self, published: Option<Date>) -> Result<RowOutcome, Reason> {
        let relation = match self.category.as_str() {
            "DIRECT_ACCOUNTING_CONSOLIDATION_PARENT" => DIRECT_PARENT,
            "ULTIMATE_ACCOUNTING_CONSOLIDATION_PARENT" => ULTIMATE_PARENT,
            _ => return Ok(RowOutcome::Skipped(OTHER_RELATION)),
        };
        let reason = self.reason.ok_or_else(|| Reason::fixed("it has no reason"))?;
        let parent = LeiParent {
            lei: canonical_lei("lei", &self.lei)?,
            relation: relation.to_owned(),
            parent_lei: String::new(),
            active: true,
            exception: Some(vocabulary::lei_exception(&reason).to_owned()),
            exception_text: Some(reason),
            as_of: self
                .as_of
                .as_deref()
                .and_then(day_in_india)
                .or(published)
                .map(|day| day.to_string()),
            source: SOURCE.to_owned(),
        };
        Ok(RowOutcome::LeiRecord(Record::LeiParent(parent)))
    }
}

/// The numbers are enough to find the record at GLEIF. A number may be a person's PAN by mistake.
fn reject(reason: Reason, raw: &str) -> RowOutcome {
    RowOutcome::Reject { source: Some(SOURCE), reason, raw: mask_pans(raw).into_owned() }
}
