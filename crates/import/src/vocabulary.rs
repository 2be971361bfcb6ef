//! Maps the words of the sources to the values of enumerations.
//!
//! Each table maps the spellings in real files to one lower-case word. Texts are compared without
//! regard to case and punctuation. A text that is not in the table is `other`.

/// The word for a text that is not in the table.
pub const OTHER: &str = "other";

/// The word for a missing value in a required field.
pub(crate) const UNKNOWN: &str = "unknown";

type Table = &'static [(&'static str, &'static [&'static str])];

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

/// The status of a DIN.
pub fn director_status(text: &str) -> &'static str {
    let known = look_up(DIRECTOR_STATUS, text);
    // Long forms have the reason after the word: "Deactivated due to non-filing of …".
    let simple = simplify(text);
    let by_first_word = |&(word, _): &(&'static str, _)| simple.starts_with(word);
    match known {
        OTHER => DIRECTOR_STATUS.iter().find(|entry| by_first_word(entry)).map_or(OTHER, |e| e.0),
        known => known,
    }
}

/// All words that the status of a DIN can be.
pub fn director_statuses() -> Vec<&'static str> {
    words(DIRECTOR_STATUS, &[UNKNOWN, OTHER])
}

pub fn designation(text: &str) -> &'static str {
    look_up(DESIGNATION, text)
}

/// All words that a designation can be.
pub fn designations() -> Vec<&'static str> {
    words(DESIGNATION, &[OTHER])
}

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

pub fn rating_outlook(text: &str) -> &'static str {
    look_up(RATING_OUTLOOK, text)
}

/// The action of an agency on a credit rating.
pub fn rating_action(text: &str) -> &'static str {
    look_up(RATING_ACTION, text)
}

/// The working status of a provident-fund establishment.
pub fn establishment_status(text: &str) -> &'static str {
    look_up(ESTABLISHMENT_STATUS, text)
}

/// All words that the outlook of a credit rating can be.
pub fn rating_outlooks() -> Vec<&'static str> {
    words(RATING_OUTLOOK, &[OTHER])
}

/// All words for the action of an agency on a credit rating.
pub fn rating_actions() -> Vec<&'static str> {
    words(RATING_ACTION, &[OTHER])
}

/// All words that the status of a provident-fund establishment can be.
pub fn establishment_statuses() -> Vec<&'static str> {
    words(ESTABLISHMENT_STATUS, &[OTHER])
}

/// All words that the status of a GST return can be.
pub fn return_statuses() -> Vec<&'static str> {
    words(RETURN_STATUS, &[OTHER])
}

/// The words of a table, and the words for other texts.
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

fn words(table: Table, more: &[&'static str]) -> Vec<&'static str> {
    table.iter().map(|(word, _)| *word).chain(more.iter().copied()).collect()
}

fn look_up(table: Table, text: &str) -> &'static str {
    let simple = simplify(text);
    let known = table
        .iter()
        .find(|(word, spellings)| is_word(word, &simple) || spellings.contains(&simple.as_str()));
    known.map_or(OTHER, |(word, _)| word)
}

/// Whether a text equals a word with spaces instead of underscores.
fn is_word(word: &str, simple: &str) -> bool {
    let spaced = |byte| if byte == b'_' { b' ' } else { byte };
    word.len() == simple.len() && word.bytes().map(spaced).eq(simple.bytes())
}

/// Lower case, letters and digits only, single spaces.
fn simplify(text: &str) -> String {
    let mut simple = String::with_capacity(text.len());
    let mut at_gap = false;
    for character in text.chars() {
        if !character.is_alphanumeric() {
            at_gap = true;
            continue;
        }
        if at_gap && !simple.is_empty() {
            simple.push(' ');
        }
        at_gap = false;
        simple.extend(character.to_lowercase());
    }
    simple
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

const DIRECTOR_STATUS: Table = &[
    ("approved", &["active"]),
    ("provisional", &[]),
    ("rejected", &[]),
    ("lapsed", &[]),
    ("disabled", &[]),
    ("deactivated", &[]),
    ("inactive", &[]),
    ("surrendered", &[]),
    ("disqualified", &[]),
];

const DESIGNATION: Table = &[
    ("director", &[]),
    ("managing_director", &["md"]),
    ("whole_time_director", &["wholetime director", "whole time director", "wtd"]),
    ("nominee_director", &["nominee"]),
    ("alternate_director", &[]),
    ("additional_director", &[]),
    (
        "casual_vacancy_director",
        &["director appointed in casual vacancy", "director in casual vacancy"],
    ),
    ("manager", &[]),
    ("ceo", &["chief executive officer", "ceo kmp"]),
    ("cfo", &["chief financial officer", "cfo kmp"]),
    ("company_secretary", &["secretary"]),
    ("designated_partner", &[]),
    ("partner", &[]),
    (
        "body_corporate_nominee",
        &["body corporate dp nominee", "nominee of body corporate dp", "body corporate nominee"],
    ),
    ("authorised_representative", &["authorized representative"]),
];

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

const RATING_OUTLOOK: Table = &[
    ("stable", &[]),
    ("positive", &[]),
    ("negative", &[]),
    (
        "watch_positive",
        &["rating watch positive", "rating watch with positive implications", "positive watch"],
    ),
    (
        "watch_negative",
        &["rating watch negative", "rating watch with negative implications", "negative watch"],
    ),
    ("watch_developing", &["rating watch developing", "rating watch with developing implications"]),
];

const RATING_ACTION: Table = &[
    ("assigned", &[]),
    ("reaffirmed", &["re affirmed"]),
    ("upgraded", &["upgrade"]),
    ("downgraded", &["downgrade"]),
    ("withdrawn", &[]),
    ("suspended", &[]),
];

const ESTABLISHMENT_STATUS: Table =
    &[("live", &["live establishment"]), ("closed", &["closed establishment"])];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_real_files_are_recognised() {
        assert_eq!(company_status("Strike Off-AwaitingPublication"), "under_strike_off");
        assert_eq!(company_status("ACTIVE"), "active");
        assert_eq!(company_status("Dissolved under section 59(8)"), "liquidated");
        assert_eq!(company_class("Private(One Person Company)"), "one_person");
        assert_eq!(company_category("Company Limted by Shares"), "limited_by_shares");
        assert_eq!(company_sub_category("Subcidery of Foreing Company"), "foreign_subsidiary");
        assert_eq!(director_status("Deactivated due to non-filing of DIR-3 KYC"), "deactivated");
        assert_eq!(designation("Whole-time Director"), "whole_time_director");
        assert_eq!(constitution("Society/Club/Trust/AOP"), "society_club_trust_aop");
        assert_eq!(rating_outlook("Rating Watch Developing"), "watch_developing");
        assert_eq!(rating_action("Re-affirmed"), "reaffirmed");
        assert_eq!(establishment_status("LIVE ESTABLISHMENT"), "live");
    }

    #[test]
    fn an_unknown_text_is_other() {
        assert_eq!(company_status("Gone Fishing"), OTHER);
        assert_eq!(designation(""), OTHER);
    }
}
