//! The names of stored columns in events: those of the responses of the other operations.

/// How a stored value is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Plain,
    /// Paise, shown in rupees.
    Money,
    /// A list stored as JSON text.
    Json,
}

/// The kinds of subjects.
pub const SUBJECT_KINDS: [&str; 3] = ["company", "director", "gst"];

/// The kinds of records that belong to a subject.
pub const RECORD_KINDS: [&str; 10] = [
    "appointment",
    "charge",
    "financial_year",
    "filing",
    "document",
    "rating",
    "epfo",
    "pan",
    "lei",
    "gst_filing",
];

/// The types of events.
pub const TYPES: [&str; 24] = [
    "company.added",
    "company.status_changed",
    "company.name_changed",
    "company.number_changed",
    "company.office_changed",
    "company.capital_changed",
    "company.updated",
    "director.appointed",
    "director.ceased",
    "director.status_changed",
    "director.updated",
    "charge.created",
    "charge.modified",
    "charge.satisfied",
    "financials.added",
    "filing.added",
    "filing.overdue",
    "document.added",
    "rating.changed",
    "gst.added",
    "gst.status_changed",
    "gst.updated",
    "gst.return_filed",
    "webhook.test",
];

pub fn subject_kind(resource: &str) -> &'static str {
    match resource {
        "director" => "director",
        "gst" | "gst_filing" => "gst",
        _ => "company",
    }
}

/// The public name of a column and how its value is shown; none for what is not shown.
pub fn public<'c>(resource: &str, column: &'c str) -> Option<(&'c str, Form)> {
    if matches!(column, "as_of" | "source" | "flags" | "filing" | "filing_key" | "filing_number") {
        return None;
    }
    match resource {
        "company" => company_field(column),
        "gst" => gst_field(column),
        "financial_year" => Some((column, financial_form(column))),
        _ if column == "amount" => Some((column, Form::Money)),
        _ => Some((column, Form::Plain)),
    }
}

fn company_field(column: &str) -> Option<(&str, Form)> {
    let field = match column {
        "address" => "registered_office.address",
        "city" => "registered_office.city",
        "district" => "registered_office.district",
        "state" => "registered_office.state",
        "state_code" => "registered_office.state_code",
        "pincode" => "registered_office.pincode",
        "country" => "registered_office.country",
        "roc_code" => "roc.code",
        "roc_name" => "roc.name",
        "nic_code" => "industry.nic_code",
        "nic_description" => "industry.description",
        "members" => "capital.members",
        "authorised_capital" => return Some(("capital.authorised", Form::Money)),
        "paid_up_capital" => return Some(("capital.paid_up", Form::Money)),
        "former_names" => return Some((column, Form::Json)),
        "coverage" | "inferred_cins" | "former_cins" | "name_text" | "address_text" => return None,
        _ => column,
    };
    Some((field, Form::Plain))
}

fn gst_field(column: &str) -> Option<(&str, Form)> {
    match column {
        "pan" => None,
        "principal_place" | "additional_places" | "nature_of_business" => {
            Some((column, Form::Json))
        }
        "jurisdiction_centre" => Some(("jurisdiction.centre", Form::Plain)),
        "jurisdiction_state" => Some(("jurisdiction.state", Form::Plain)),
        _ => Some((column, Form::Plain)),
    }
}

fn financial_form(column: &str) -> Form {
    match column {
        "to_date" | "basis" | "period_type" | "financial_year" | "from_date" | "form_type"
        | "filed_on" | "filed_at" => Form::Plain,
        _ => Form::Money,
    }
}
