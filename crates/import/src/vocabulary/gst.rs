//! Words for GST registrations and returns.

use super::{OTHER, Table, UNKNOWN, look_up, words};

pub fn gst_status(text: &str) -> &'static str {
    look_up(GST_STATUS, text)
}

/// All words that the status of a GST registration can be.
pub fn gst_statuses() -> Vec<&'static str> {
    words(GST_STATUS, &[UNKNOWN, OTHER])
}

pub fn taxpayer_type(text: &str) -> &'static str {
    look_up(TAXPAYER_TYPE, text)
}

/// All words that the type of a GST taxpayer can be.
pub fn taxpayer_types() -> Vec<&'static str> {
    words(TAXPAYER_TYPE, &[UNKNOWN, OTHER])
}

pub fn constitution(text: &str) -> &'static str {
    look_up(CONSTITUTION, text)
}

/// All words that the constitution of a business can be.
pub fn constitutions() -> Vec<&'static str> {
    words(CONSTITUTION, &[UNKNOWN, OTHER])
}

pub fn return_status(text: &str) -> &'static str {
    look_up(RETURN_STATUS, text)
}

/// All words that the status of a GST return can be.
pub fn return_statuses() -> Vec<&'static str> {
    words(RETURN_STATUS, &[OTHER])
}

const GST_STATUS: Table = &[
    ("active", &["act"]),
    ("cancelled", &["cnl", "canceled"]),
    ("cancelled_suo_moto", &["cancelled suo moto"]),
    ("suspended", &["sus"]),
    ("inactive", &["ina"]),
    ("provisional", &["pro"]),
];

const TAXPAYER_TYPE: Table = &[
    ("regular", &["reg"]),
    ("composition", &["com"]),
    ("input_service_distributor", &["input service distributor isd", "isd"]),
    ("tax_deductor", &["tds"]),
    (
        "tax_collector",
        &["tax collector electronic commerce operator", "tax collector e commerce", "tcs"],
    ),
    ("sez_unit", &[]),
    ("sez_developer", &[]),
    ("un_body", &["united nation body", "united nations body"]),
    ("embassy", &["consulate or embassy of foreign country", "embassy", "consulate or embassy"]),
    ("casual", &["casual taxable person"]),
    ("non_resident", &["non resident taxable person"]),
    (
        "online_services",
        &["non resident online services provider", "non resident online services provider nrosp"],
    ),
    ("government_department", &["government department id"]),
];

const CONSTITUTION: Table = &[
    ("proprietorship", &["proprietor", "sole proprietorship"]),
    ("partnership", &["partnership firm"]),
    ("hindu_undivided_family", &["huf"]),
    ("private_limited_company", &["private limited"]),
    ("public_limited_company", &["public limited"]),
    (
        "society_club_trust_aop",
        &["society club trust aop", "society club trust association of persons"],
    ),
    ("government_department", &[]),
    ("public_sector_undertaking", &["psu"]),
    ("unlimited_company", &[]),
    ("limited_liability_partnership", &["llp"]),
    ("local_authority", &[]),
    ("statutory_body", &["created under special act of parliament"]),
    ("foreign_llp", &["foreign limited liability partnership"]),
    ("foreign_company", &[]),
    ("others", &["other"]),
];

const RETURN_STATUS: Table = &[("filed", &[]), ("not_filed", &["not filed", "to be filed"])];
