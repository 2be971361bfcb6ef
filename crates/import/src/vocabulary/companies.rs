//! Words for the status, class and category of a company.

use super::{OTHER, Table, look_up, words};

pub fn company_status(text: &str) -> &'static str {
    look_up(COMPANY_STATUS, text)
}

/// All words that a company's status can be.
pub fn company_statuses() -> Vec<&'static str> {
    words(COMPANY_STATUS, &[OTHER])
}

pub fn company_class(text: &str) -> &'static str {
    look_up(COMPANY_CLASS, text)
}

/// All words that a company's class can be.
pub fn company_classes() -> Vec<&'static str> {
    words(COMPANY_CLASS, &[OTHER])
}

pub fn company_category(text: &str) -> &'static str {
    look_up(COMPANY_CATEGORY, text)
}

/// All words that a company's category can be.
pub fn company_categories() -> Vec<&'static str> {
    words(COMPANY_CATEGORY, &[OTHER])
}

pub fn company_sub_category(text: &str) -> &'static str {
    look_up(COMPANY_SUB_CATEGORY, text)
}

/// All words that a company's sub-category can be.
pub fn company_sub_categories() -> Vec<&'static str> {
    words(COMPANY_SUB_CATEGORY, &[OTHER])
}

const COMPANY_STATUS: Table = &[
    ("active", &["active in progress", "actv"]),
    ("dormant", &["dormant under section 455", "d455"]),
    ("inactive", &["inactive for e filing", "inactive for efiling"]),
    ("not_available_for_efiling", &["not available for e filing"]),
    (
        "under_strike_off",
        &[
            "under process of striking off",
            "strike off awaitingpublication",
            "strike off awaiting publication",
        ],
    ),
    ("struck_off", &["strike off"]),
    ("defunct", &[]),
    ("under_liquidation", &[]),
    ("under_cirp", &[]),
    ("liquidated", &["dissolved liquidated", "dissolved under section 59 8"]),
    ("dissolved", &["dissolved under section 54"]),
    ("amalgamated", &[]),
    ("converted_to_llp", &["converted to llp and dissolved", "converted and dissolved"]),
    ("converted_to_company", &["converted to cmp and dissolved"]),
    ("vanished", &[]),
    ("unknown", &["captured", "capt", "to be migrated", "unclassified"]),
];

const COMPANY_CLASS: Table = &[
    ("private", &[]),
    ("public", &["publlic"]),
    (
        "one_person",
        &["one person company", "private one person company", "private one person", "opc"],
    ),
];

const COMPANY_CATEGORY: Table = &[
    (
        "limited_by_shares",
        &["company limited by shares", "companies limited by shares", "company limted by shares"],
    ),
    (
        "limited_by_guarantee",
        &[
            "company limited by guarantee",
            "companies limited by guarantee",
            "company limited by guarentee",
        ],
    ),
    ("unlimited", &["unlimited company", "company unlimited"]),
];

const COMPANY_SUB_CATEGORY: Table = &[
    (
        "non_government",
        &["non government company", "non govt company", "indian non government company"],
    ),
    ("union_government", &["union government company", "union govt company"]),
    ("state_government", &["state government company", "state govt company"]),
    (
        "foreign_subsidiary",
        &[
            "subsidiary of company incorporated outside india",
            "subsidiary of foreign company",
            "subcidery of foreing company",
        ],
    ),
    (
        "guarantee_and_association",
        &["guarantee and association company", "guarantee and association comp"],
    ),
];
