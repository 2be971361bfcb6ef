//! The enumerations in the OpenAPI description. They are open: the known values are listed, and a
//! client must expect others, because values are added within `/v1`.
//!
//! A field names its enumeration: `#[schema(value_type = enums::CompanyStatus)]`.

use panji_graph::Relation;
use panji_ids::{CinClass, CompanyKind as Kind, GstinFamily, HolderType as Holder};
use panji_import::vocabulary;
use panji_search::{Entity, Match, Verdict};
use panji_store::ledger::Mode;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::account::UsageGroupBy;
use super::event_fields;
use crate::config::operation::Operation;
use crate::http::error;

/// The word for a search result that an LEI in the text found.
pub const LEI_MATCH: &str = "lei";
/// The word for a director whose DIN was looked for.
pub const DIN_MATCH: &str = "din";

macro_rules! open_enums {
    ($( $(#[doc = $doc:literal])* $name:ident = $values:expr; )*) => { $(
        $(#[doc = $doc])*
        pub enum $name {}

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let title = concat!("Known", stringify!($name));
                open_enumeration(title, concat!($($doc),*).trim(), $values)
            }
        }

        impl ToSchema for $name {}
    )* };
}

/// Every record of the section is known: an empty list means that there is none.
pub const FULL: &str = "full";
/// Some records are known.
pub const PARTIAL: &str = "partial";
/// No source was imported: an empty list means nothing.
pub const NONE: &str = "none";

/// The fields of evidence: of the search, and the identifiers.
const EVIDENCE_FIELDS: [&str; 14] = [
    "cin",
    "pan",
    "gstin",
    "name",
    "former_name",
    "legal_form",
    "number",
    "state",
    "city",
    "pincode",
    "address",
    "incorporated_year",
    "director",
    "person_decision",
];

/// The kinds of findings.
pub const RISK: &str = "risk";
pub const CONTEXT: &str = "context";
/// Severities, and degrees of confidence.
pub const LOW: &str = "low";
pub const MEDIUM: &str = "medium";
pub const HIGH: &str = "high";

/// The codes of the rules, in the order in which they are checked.
pub const FINDING_CODES: [&str; 15] = [
    "company_status",
    "overdue_filings",
    "charges_above_net_worth",
    "gst_cancelled_while_active",
    "dormant_with_gst_returns",
    "director_disqualified",
    "directorships_in_struck_off_companies",
    "many_directorships",
    "companies_at_address",
    "name_like_struck_off_company",
    "name_like_regulated_company",
    "recent_name_change",
    "recent_office_change",
    "all_directors_changed",
    "new_with_high_capital",
];

/// The kinds of records that show a finding.
const FINDING_RECORDS: [&str; 9] = [
    "company",
    "director",
    "appointment",
    "charge",
    "financial_year",
    "filing",
    "gst_registration",
    "gst_return",
    "former_name",
];

open_enums! {
    /// What an empty list of the section means. `full`: a source that lists everything of this kind
    /// for this company was imported, so that there is none. `partial`: only a part is known. `none`:
    /// no source of this kind was imported, so that nothing is known; totals, `as_of` and `source`
    /// are null.
    Coverage = [FULL, PARTIAL, NONE];
    /// The operation of a job.
    JobOperation = Operation::IN_JOBS.map(Operation::id);
    /// The status of a job. `awaiting_approval`: its price is known and not accepted yet. `running`: it
    /// is processed, or waits for its turn. `paused`: `reason` says what is needed, and an approval
    /// continues it. `done`, `cancelled` and `failed`: it has ended.
    JobStatus = ["awaiting_approval", "running", "paused", "done", "cancelled", "failed"];
    /// Whether messages are sent to a webhook.
    WebhookStatus = ["enabled", "disabled"];
    /// Why nothing is sent to a webhook. `by_user`: it was disabled by you. `failing`: all attempts to
    /// deliver an event failed. `gone`: your server returned 410.
    WebhookDisabledReason = ["by_user", "failing", "gone"];
    /// The kind of a company: with a CIN, an LLPIN or an FCRN.
    CompanyKind = Kind::ALL.map(Kind::name);
    /// The status of a company; `other` if `status_text` is not a known status.
    CompanyStatus = vocabulary::company_statuses();
    /// The class of a company, as the source states it.
    CompanyClass = vocabulary::company_classes();
    /// The category of a company.
    CompanyCategory = vocabulary::company_categories();
    /// The sub-category of a company.
    CompanySubCategory = vocabulary::company_sub_categories();
    /// How a search result matched, best first.
    MatchKind = [LEI_MATCH].into_iter().chain(Match::ALL.map(Match::as_str));
    /// How a director that was found matched, best first.
    DirectorMatchKind = [DIN_MATCH].into_iter().chain(
        Match::ALL.into_iter().filter(|kind| *kind != Match::Cin).map(Match::as_str),
    );
    /// What a text seems to name.
    EntityKind = Entity::ALL.map(Entity::as_str);
    /// Whether an item means a company. `match`: the first candidate is meant. `review`: a person should
    /// decide. `none`: no company of the register is meant.
    MatchDecision = panji_search::MatchDecision::ALL.map(panji_search::MatchDecision::as_str);
    /// Whether an item and a company agree in a field; `unknown` if one side does not have it.
    EvidenceVerdict = Verdict::ALL.map(Verdict::as_str);
    /// A field of evidence.
    EvidenceField = EVIDENCE_FIELDS;
    /// What became of a member of a watch list.
    MemberResult = ["added", "present", "removed", "absent", "invalid"];
    /// What has changed.
    EventType = event_fields::TYPES;
    /// The kind of the subject of an event.
    EventSubjectKind = event_fields::SUBJECT_KINDS;
    /// The kind of a record that belongs to the subject of an event, as in the import format.
    EventRecordKind = event_fields::RECORD_KINDS;
    /// The status of the holder of an LEI.
    LeiEntityStatus = vocabulary::lei_entity_statuses();
    /// The status of an LEI.
    LeiRegistrationStatus = vocabulary::lei_registration_statuses();
    /// Why a company reports no parent.
    LeiException = vocabulary::lei_exceptions();
    /// The class in a CIN.
    CinClassName = CinClass::ALL.map(CinClass::name);
    /// The kind of a node in a network.
    NetworkNodeKind = ["company", "director"];
    /// How two nodes of a network are connected. `director_of`: a person has or had an appointment in a company.
    /// `same_registered_office`, `same_email_domain`: two companies share it. `former_company`: a company has
    /// the number that was another company's before.
    NetworkRelation = Relation::ALL.map(Relation::as_str);
    /// The designation of an appointment.
    Designation = vocabulary::designations();
    /// The status of a DIN.
    DirectorStatus = vocabulary::director_statuses();
    /// The status of a charge.
    ChargeStatus = ["open", "modified", "satisfied"];
    /// The figures of a financial year: of the company alone, or of its group.
    FinancialBasis = ["standalone", "consolidated"];
    /// How long the period is that figures are of.
    PeriodType = ["year", "half_year", "nine_months", "quarter"];
    /// Whether a statutory filing was made in time.
    FilingStatus = ["filed", "filed_late", "overdue"];
    /// The outlook of a credit rating; `other` if `outlook_text` is not a known outlook.
    RatingOutlook = vocabulary::rating_outlooks();
    /// The action of an agency on a credit rating.
    RatingAction = vocabulary::rating_actions();
    /// The status of a provident-fund establishment.
    EstablishmentStatus = vocabulary::establishment_statuses();
    /// The status of a GST registration.
    GstStatus = vocabulary::gst_statuses();
    /// The type of a GST taxpayer.
    TaxpayerType = vocabulary::taxpayer_types();
    /// The constitution of a business.
    Constitution = vocabulary::constitutions();
    /// The status of a GST return.
    GstReturnStatus = vocabulary::return_statuses();
    /// The kind of holder, from the format of a GSTIN.
    TaxpayerKind = GstinFamily::ALL.map(GstinFamily::name);
    /// The type of holder, from the fourth letter of a PAN.
    HolderType = Holder::ALL.map(Holder::name);
    /// The mode of a key: `live` or `test`.
    KeyMode = Mode::ALL.map(Mode::as_str);
    /// What the rows of a usage report are about.
    UsageGroups = UsageGroupBy::WORDS;
    /// The rule of a finding.
    FindingCode = FINDING_CODES;
    /// What a finding is: a risk, or context for a decision.
    FindingKind = [RISK, CONTEXT];
    /// How much a finding matters.
    FindingSeverity = [LOW, MEDIUM, HIGH];
    /// How certain a finding is. `high`: its sources state it. `medium`: the sources may be incomplete. `low`: a
    /// date or an identity that matters is not known.
    FindingConfidence = [LOW, MEDIUM, HIGH];
    /// What kind of record shows a finding.
    FindingRecord = FINDING_RECORDS;
    /// The error code; stable, so programs can rely on it.
    ErrorCode = error::ErrorCode::ALL.iter().map(|code| code.as_str());
}

/// The known values, or any other string.
fn open_enumeration(
    title: &str,
    description: &str,
    values: impl IntoIterator<Item = &'static str>,
) -> RefOr<Schema> {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    // Client generators name the type of the known values after the title.
    let known = text().title(Some(title)).enum_values(Some(values));
    AnyOfBuilder::new().description(Some(description)).item(known).item(text()).into()
}
