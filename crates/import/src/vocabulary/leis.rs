//! Words for legal entity identifiers and their holders.

use super::{OTHER, Table, UNKNOWN, look_up, words};

/// The status of the holder of an LEI.
pub fn lei_entity_status(text: &str) -> &'static str {
    look_up(LEI_ENTITY_STATUS, text)
}

pub fn lei_entity_statuses() -> Vec<&'static str> {
    words(LEI_ENTITY_STATUS, &[UNKNOWN, OTHER])
}

/// The status of the registration of an LEI.
pub fn lei_registration_status(text: &str) -> &'static str {
    look_up(LEI_REGISTRATION_STATUS, text)
}

pub fn lei_registration_statuses() -> Vec<&'static str> {
    words(LEI_REGISTRATION_STATUS, &[UNKNOWN, OTHER])
}

/// Why the holder of an LEI reports no parent.
pub fn lei_exception(text: &str) -> &'static str {
    look_up(LEI_EXCEPTION, text)
}

pub fn lei_exceptions() -> Vec<&'static str> {
    words(LEI_EXCEPTION, &[OTHER])
}

const LEI_ENTITY_STATUS: Table = &[("active", &[]), ("inactive", &[])];

const LEI_REGISTRATION_STATUS: Table = &[
    ("issued", &[]),
    ("lapsed", &[]),
    ("pending_validation", &[]),
    ("pending_transfer", &[]),
    ("pending_archival", &[]),
    ("transferred", &[]),
    ("merged", &[]),
    ("retired", &[]),
    ("annulled", &[]),
    ("cancelled", &[]),
    ("duplicate", &[]),
];

/// The last five are no longer used for new reports.
const LEI_EXCEPTION: Table = &[
    ("non_consolidating", &[]),
    ("natural_persons", &[]),
    ("no_known_person", &[]),
    ("no_lei", &[]),
    ("non_public", &[]),
    ("binding_legal_commitments", &[]),
    ("legal_obstacles", &[]),
    ("consent_not_obtained", &[]),
    ("disclosure_detrimental", &[]),
    ("detriment_not_excluded", &[]),
];
