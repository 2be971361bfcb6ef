//! Which events a change of a record makes, by its kind and its columns.

use crate::engine::Value;

/// A change of some columns of a record, as one event or, without a type, as none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) event_type: Option<&'static str>,
    pub(super) columns: Vec<&'static str>,
}

/// The values of a record by column.
pub(super) struct Fields<'a> {
    columns: &'static [&'static str],
    values: Vec<Value<'a>>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(columns: &'static [&'static str], values: Vec<Value<'a>>) -> Fields<'a> {
        Fields { columns, values }
    }

    pub(super) fn get(&self, column: &str) -> Value<'a> {
        let index = self.columns.iter().position(|known| *known == column);
        index.map_or(Value::Null, |index| self.values[index])
    }

    fn text(&self, column: &str) -> Option<&'a str> {
        match self.get(column) {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether a filing is not made and its due date has passed in the source.
    fn is_overdue(&self) -> bool {
        self.get("filed_on") == Value::Null
            && self.text("due_on").is_some_and(|due| Some(due) < self.text("as_of"))
    }
}

/// A group of columns whose change is an event, with the columns that belong to it but make none alone.
struct Group {
    event_type: &'static str,
    columns: &'static [&'static str],
    with: &'static [&'static str],
}

const COMPANY_GROUPS: &[Group] = &[
    Group { event_type: "company.status_changed", columns: &["status"], with: &["status_text"] },
    Group {
        event_type: "company.name_changed",
        columns: &["name"],
        with: &["name_text", "former_names"],
    },
    Group {
        event_type: "company.office_changed",
        columns: &["address", "city", "district", "state", "state_code", "pincode", "country"],
        with: &["address_text"],
    },
    Group {
        event_type: "company.capital_changed",
        columns: &["authorised_capital", "paid_up_capital"],
        with: &[],
    },
    Group {
        event_type: UPDATED,
        columns: &[
            "kind",
            "class",
            "category",
            "sub_category",
            "listed",
            "incorporated_on",
            "registration_number",
            "email",
            "roc_code",
            "roc_name",
            "nic_code",
            "nic_description",
            "former_names",
            "members",
            "last_agm_on",
            "last_balance_sheet_on",
            "last_annual_return_year",
        ],
        with: &["class_text", "category_text", "sub_category_text"],
    },
];

const DIRECTOR_GROUPS: &[Group] = &[
    Group { event_type: "director.status_changed", columns: &["status"], with: &["status_text"] },
    Group { event_type: "director.updated", columns: &["name", "nationality"], with: &[] },
];

const GST_GROUPS: &[Group] = &[
    Group {
        event_type: "gst.status_changed",
        columns: &["status", "cancelled_on"],
        with: &["status_text"],
    },
    Group {
        event_type: "gst.updated",
        columns: &[
            "legal_name",
            "trade_name",
            "taxpayer_type",
            "constitution",
            "registered_on",
            "principal_place",
            "additional_places",
            "nature_of_business",
            "e_invoice",
            "jurisdiction_centre",
            "jurisdiction_state",
        ],
        with: &["taxpayer_type_text", "constitution_text"],
    },
];

const UPDATED: &str = "company.updated";
const CEASED: &str = "director.ceased";
const APPOINTED: &str = "director.appointed";
const SATISFIED: &str = "charge.satisfied";
const OVERDUE: &str = "filing.overdue";
const FILED: &str = "filing.added";
pub(super) const NUMBER_CHANGED: &str = "company.number_changed";

/// Columns whose change says nothing about the subject.
const ORIGIN: &[&str] = &["as_of", "source", "coverage", "inferred_cins", "former_cins"];

/// The event of a new record, if it makes one.
pub(super) fn of_new(resource: &str, record: &Fields<'_>) -> Option<&'static str> {
    match resource {
        "company" => Some("company.added"),
        "appointment" if record.get("ceased_on") != Value::Null => Some(CEASED),
        "appointment" => Some(APPOINTED),
        "charge" if record.text("status") == Some("satisfied") => Some(SATISFIED),
        "charge" => Some("charge.created"),
        "financial_year" => Some("financials.added"),
        "filing" if record.is_overdue() => Some(OVERDUE),
        "filing" => (record.get("filed_on") != Value::Null).then_some(FILED),
        "document" => Some("document.added"),
        "rating" => Some("rating.changed"),
        "epfo" | "pan" | "lei" => Some(UPDATED),
        "gst" => Some("gst.added"),
        "gst_filing" => Some("gst.return_filed"),
        _ => None,
    }
}

/// The events of a changed record: each changed column is in one part, so that the parts together undo
/// the change.
pub(super) fn of_change(
    resource: &str,
    changed: &[&'static str],
    old: &Fields<'_>,
    new: &Fields<'_>,
) -> Vec<Part> {
    match resource {
        "company" => grouped(COMPANY_GROUPS, changed),
        "director" => grouped(DIRECTOR_GROUPS, changed),
        "gst" => grouped(GST_GROUPS, changed),
        _ => {
            let is_news = changed.iter().any(|column| !is_ignored(column));
            let event_type = section_event(resource, changed, old, new).filter(|event_type| {
                // A filing becomes overdue by the date of the source alone.
                is_news || *event_type == OVERDUE
            });
            vec![Part { event_type, columns: changed.to_vec() }]
        }
    }
}

fn is_ignored(column: &str) -> bool {
    ORIGIN.contains(&column) || column.ends_with("_text")
}

fn grouped(groups: &[Group], changed: &[&'static str]) -> Vec<Part> {
    let mut left = changed.to_vec();
    let mut parts = Vec::new();
    for group in groups {
        if !left.iter().any(|column| group.columns.contains(column)) {
            continue;
        }
        let belongs = |column: &&str| group.columns.contains(column) || group.with.contains(column);
        let (columns, others) = left.into_iter().partition(belongs);
        left = others;
        parts.push(Part { event_type: Some(group.event_type), columns });
    }
    match parts.first_mut() {
        Some(first) => first.columns.extend(left),
        None => parts.push(Part { event_type: None, columns: left }),
    }
    parts
}

fn section_event(
    resource: &str,
    changed: &[&'static str],
    old: &Fields<'_>,
    new: &Fields<'_>,
) -> Option<&'static str> {
    let has = |column: &str| changed.contains(&column);
    match resource {
        "appointment" if has("ceased_on") => match new.get("ceased_on") {
            Value::Null => Some(APPOINTED),
            _ => Some(CEASED),
        },
        "charge" if has("status") && new.text("status") == Some("satisfied") => Some(SATISFIED),
        "charge" => Some("charge.modified"),
        "filing" if has("filed_on") && old.get("filed_on") == Value::Null => Some(FILED),
        "filing" if new.is_overdue() && !old.is_overdue() => Some(OVERDUE),
        "rating" => Some("rating.changed"),
        "gst_filing" => Some("gst.return_filed"),
        "lei_parent" | "lei_entity" => None,
        _ => Some(UPDATED),
    }
}

/// Columns that say which record of a section an event is about, in addition to its key.
pub(super) fn naming_columns(resource: &str) -> &'static [&'static str] {
    match resource {
        "appointment" => &["name", "designation"],
        "charge" => &["lender"],
        "financial_year" => &["financial_year"],
        "filing" => &["form_type", "financial_year", "due_on"],
        "document" => &["form_type"],
        "epfo" => &["name"],
        _ => &[],
    }
}

/// Whether the records of a kind are owned by a company, a director or a GSTIN.
pub(super) fn has_subject(resource: &str) -> bool {
    !matches!(resource, "lei_parent" | "lei_entity")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(resource: &str, changed: &[&'static str]) -> Vec<(Option<&'static str>, usize)> {
        let none = || Fields::new(&[], Vec::new());
        let parts = of_change(resource, changed, &none(), &none());
        parts.into_iter().map(|part| (part.event_type, part.columns.len())).collect()
    }

    #[test]
    fn each_group_of_columns_is_an_event_and_the_rest_goes_with_the_first() {
        let changed = ["status", "status_text", "address", "pincode", "as_of", "source"];
        assert_eq!(
            parts("company", &changed),
            [(Some("company.status_changed"), 4), (Some("company.office_changed"), 2)]
        );
        assert_eq!(parts("company", &["as_of", "status_text"]), [(None, 2)]);
        assert_eq!(
            parts("company", &["name", "former_names", "email"]),
            [(Some("company.name_changed"), 2), (Some("company.updated"), 1)]
        );
        assert_eq!(parts("company", &["former_names"]), [(Some("company.updated"), 1)]);
        assert_eq!(parts("gst", &["trade_name"]), [(Some("gst.updated"), 1)]);
        assert_eq!(parts("director", &["status", "as_of"]), [(Some("director.status_changed"), 2)]);
        assert_eq!(parts("charge", &["as_of"]), [(None, 1)]);
        assert_eq!(parts("charge", &["amount"]), [(Some("charge.modified"), 1)]);
    }

    const FILING: &[&str] = &["due_on", "filed_on", "as_of"];

    fn filing<'a>(due: &'a str, filed: Option<&'a str>, as_of: &'a str) -> Fields<'a> {
        Fields::new(FILING, vec![due.into(), filed.into(), as_of.into()])
    }

    #[test]
    fn a_filing_becomes_overdue_when_the_date_of_the_source_passes_its_due_date() {
        let due = "2026-10-30";
        let before = filing(due, None, "2026-10-01");
        let after = filing(due, None, "2026-11-01");
        let later = filing(due, None, "2026-12-01");
        let filed = filing(due, Some("2026-12-05"), "2027-01-01");
        let only = |old, new, changed: &[&'static str]| {
            of_change("filing", changed, old, new)[0].event_type
        };
        assert_eq!(of_new("filing", &before), None);
        assert_eq!(of_new("filing", &after), Some("filing.overdue"));
        assert_eq!(only(&before, &after, &["as_of"]), Some("filing.overdue"));
        assert_eq!(only(&after, &later, &["as_of"]), None);
        assert_eq!(only(&later, &filed, &["filed_on", "as_of"]), Some("filing.added"));
    }
}
