//! The result columns of bulk jobs: what an enrichment can return, and what a verification returns.

use serde_json::Value;

/// How a cell is computed from a result of the API.
#[derive(Clone, Copy, Debug)]
enum CellSource {
    /// The value at a JSON pointer.
    At(&'static str),
    /// The names in a list, joined.
    Names(&'static str),
    /// The length of a list.
    Count(&'static str),
    /// The number of list items with this status.
    CountOf(&'static str, &'static str),
}

/// A column that an enrichment can return.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name in forms and in the heading of the file.
    pub id: &'static str,
    /// The label in the console.
    pub title: &'static str,
    /// The field requested from the API for it.
    pub field: &'static str,
    pub numeric: bool,
    source: CellSource,
}

impl Column {
    const fn text(
        id: &'static str,
        title: &'static str,
        field: &'static str,
        pointer: &'static str,
    ) -> Column {
        Column { id, title, field, numeric: false, source: CellSource::At(pointer) }
    }

    const fn number(
        id: &'static str,
        title: &'static str,
        field: &'static str,
        pointer: &'static str,
    ) -> Column {
        Column { id, title, field, numeric: true, source: CellSource::At(pointer) }
    }

    pub fn section(&self) -> &'static str {
        self.field.split('.').next().unwrap_or(self.field)
    }

    pub fn cell(&self, result: &Value) -> String {
        let list = |pointer: &str| result.pointer(pointer).and_then(Value::as_array);
        match self.source {
            CellSource::At(pointer) => result.pointer(pointer).map_or(String::new(), text),
            CellSource::Names(pointer) => {
                let names = list(pointer).into_iter().flatten().map(|item| text(&item["name"]));
                names.collect::<Vec<_>>().join("; ")
            }
            CellSource::Count(pointer) => {
                list(pointer).map_or(String::new(), |list| list.len().to_string())
            }
            CellSource::CountOf(pointer, status) => list(pointer).map_or(String::new(), |list| {
                list.iter().filter(|item| item["status"] == status).count().to_string()
            }),
        }
    }
}

/// All columns that an enrichment can return.
pub const COLUMNS: [Column; 31] = [
    Column::text("company.name", "Name", "company.name", "/company/name"),
    Column::text("company.status", "Status", "company.status", "/company/status"),
    Column::text("company.kind", "Kind", "company.kind", "/company/kind"),
    Column::text("company.class", "Class", "company.class", "/company/class"),
    Column::text("company.category", "Category", "company.category", "/company/category"),
    Column::text("company.listed", "Listed", "company.listed", "/company/listed"),
    Column::text(
        "company.incorporated_on",
        "Incorporated on",
        "company.incorporated_on",
        "/company/incorporated_on",
    ),
    Column::text(
        "company.address",
        "Address",
        "company.registered_office",
        "/company/registered_office/address",
    ),
    Column::text(
        "company.state",
        "State",
        "company.registered_office",
        "/company/registered_office/state",
    ),
    Column::text(
        "company.pincode",
        "PIN code",
        "company.registered_office",
        "/company/registered_office/pincode",
    ),
    Column::text("company.email", "Email", "company.email", "/company/email"),
    Column::text(
        "company.industry",
        "Industry",
        "company.industry",
        "/company/industry/description",
    ),
    Column::text("company.roc", "Registrar", "company.roc", "/company/roc/name"),
    Column::text("pan", "PAN", "pan.pan", "/pan/pan"),
    Column::number(
        "capital.authorised",
        "Authorised capital",
        "capital.authorised",
        "/capital/authorised",
    ),
    Column::number("capital.paid_up", "Paid-up capital", "capital.paid_up", "/capital/paid_up"),
    Column {
        id: "directors.names",
        title: "Current directors",
        field: "directors.current",
        numeric: false,
        source: CellSource::Names("/directors/current"),
    },
    Column {
        id: "directors.count",
        title: "Number of directors",
        field: "directors.current",
        numeric: true,
        source: CellSource::Count("/directors/current"),
    },
    Column::number("charges.open_count", "Open charges", "charges.open", "/charges/open/count"),
    Column::number(
        "charges.open_amount",
        "Amount of open charges",
        "charges.open",
        "/charges/open/amount",
    ),
    Column::number("charges.total", "All charges", "charges.total", "/charges/total"),
    Column::text(
        "financials.year",
        "Latest year",
        "financials.years",
        "/financials/years/0/financial_year",
    ),
    Column::number(
        "financials.revenue",
        "Revenue",
        "financials.years",
        "/financials/years/0/revenue",
    ),
    Column::number("financials.profit", "Profit", "financials.years", "/financials/years/0/profit"),
    Column::number(
        "financials.net_worth",
        "Net worth",
        "financials.years",
        "/financials/years/0/net_worth",
    ),
    Column::number(
        "financials.total_debt",
        "Debt",
        "financials.years",
        "/financials/years/0/total_debt",
    ),
    Column::text(
        "compliance.last_agm_on",
        "Last general meeting",
        "compliance.last_agm_on",
        "/compliance/last_agm_on",
    ),
    Column::text(
        "compliance.last_balance_sheet_on",
        "Last balance sheet",
        "compliance.last_balance_sheet_on",
        "/compliance/last_balance_sheet_on",
    ),
    Column {
        id: "compliance.overdue",
        title: "Overdue filings",
        field: "compliance.roc_filings",
        numeric: true,
        source: CellSource::CountOf("/compliance/roc_filings", "overdue"),
    },
    Column::number(
        "documents.total",
        "Documents",
        "documents.total_documents",
        "/documents/total_documents",
    ),
    Column::text(
        "documents.latest",
        "Latest document on",
        "documents.documents",
        "/documents/documents/0/filing_date",
    ),
];

/// The columns of every enrichment, before the selected ones.
pub const ENRICH_HEADINGS: [&str; 3] = ["panji.cin", "panji.found", "panji.error"];
/// The columns of every verification.
pub const VERIFY_HEADINGS: [&str; 7] = [
    "verify.type",
    "verify.value",
    "verify.valid",
    "verify.found",
    "verify.status",
    "verify.name",
    "verify.reason",
];

pub fn find(id: &str) -> Option<&'static Column> {
    COLUMNS.iter().find(|column| column.id == id)
}

/// The cells of one company.
pub fn enriched(result: &Value, columns: &[&Column]) -> Vec<String> {
    // A malformed number has no canonical form and is repeated as sent.
    let number = if result["cin"].is_null() { &result["requested"] } else { &result["cin"] };
    let common = [number, &result["found"], &result["error"]["message"]];
    let found = result["found"] == true;
    let selected =
        columns.iter().map(|column| if found { column.cell(result) } else { String::new() });
    common.into_iter().map(text).chain(selected).collect()
}

/// The cells of one verdict.
pub fn verified(item: &Value) -> Vec<String> {
    let (kind, result) = (text(&item["type"]), &item["result"]);
    let first = |names: &[&str]| {
        names
            .iter()
            .map(|name| text(&result[*name]))
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    };
    let canonical = first(&[kind.as_str()]);
    let reason = first(&["reason"]);
    vec![
        if canonical.is_empty() { text(&item["value"]) } else { canonical },
        text(&result["valid"]),
        text(&result["found"]),
        first(&["company_status", "director_status", "status"]),
        first(&["legal_name", "director_name"]),
        if reason.is_empty() { text(&item["error"]["message"]) } else { reason },
    ]
    .into_iter()
    .fold(vec![kind], |mut cells, cell| {
        cells.push(cell);
        cells
    })
}

/// The text of a value in a cell.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::enrich::Selection;

    #[test]
    fn every_column_requests_a_field_of_the_api() {
        let fields: Vec<String> = COLUMNS.iter().map(|column| column.field.to_owned()).collect();
        assert!(Selection::parse(&fields).is_ok());
        for (position, column) in COLUMNS.iter().enumerate() {
            assert!(COLUMNS[..position].iter().all(|other| other.id != column.id), "{}", column.id);
        }
    }

    #[test]
    fn cells_are_read_from_results() {
        let result = json!({
            "cin": "U17110MH2001PTC990501", "found": true, "error": null,
            "company": { "name": "Udaharan", "listed": false },
            "directors": { "current": [{ "name": "A" }, { "name": "B" }] },
            "compliance": { "roc_filings": [{ "status": "overdue" }, { "status": "filed" }] },
            "financials": { "years": [] },
        });
        let columns: Vec<&Column> = [
            "company.name",
            "company.listed",
            "directors.names",
            "directors.count",
            "compliance.overdue",
            "financials.revenue",
        ]
        .iter()
        .map(|id| find(id).expect("a column"))
        .collect();
        assert_eq!(
            enriched(&result, &columns),
            ["U17110MH2001PTC990501", "yes", "", "Udaharan", "no", "A; B", "2", "1", ""]
        );
        let missing =
            json!({ "requested": "X", "cin": null, "found": false, "error": { "message": "No." } });
        assert_eq!(enriched(&missing, &columns)[..3], ["X", "no", "No."]);
        let verdict = json!({ "type": "din", "value": "1", "result": { "din": "00000001", "valid": false, "found": false, "reason": "Not found." } });
        assert_eq!(verified(&verdict), ["din", "00000001", "no", "no", "", "", "Not found."]);
        let unknown_kind =
            json!({ "type": null, "value": "?", "result": null, "error": { "message": "What?" } });
        assert_eq!(verified(&unknown_kind), ["", "?", "", "", "", "", "What?"]);
    }
}
