//! The columns of the company master, whatever their order and spelling.

use crate::input::csv::Cells;
use crate::values::text::is_blank;

/// A release of the company master.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// 17 columns, one file per state, as of 31 March 2021.
    Of2021,
    /// 16 columns, one file per registrar, updated since 2023.
    Since2023,
}

impl Release {
    /// The name under which its records are served as `source`.
    pub const fn source(self) -> &'static str {
        match self {
            Release::Of2021 => "mca_master_2021",
            Release::Since2023 => "mca_master_2023",
        }
    }

    /// The date of its data, if that is the same for all its files.
    pub fn day(self) -> Option<&'static str> {
        match self {
            Release::Of2021 => Some("2021-03-31"),
            Release::Since2023 => None,
        }
    }

    /// The columns with the fields they become.
    pub fn columns(self) -> Vec<(&'static str, &'static str)> {
        let name = |column: &Column| match self {
            Release::Of2021 => column.of_2021,
            Release::Since2023 => column.since_2023,
        };
        COLUMNS.iter().filter_map(|column| Some((name(column)?, column.becomes))).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Cin,
    Name,
    Status,
    Class,
    Category,
    SubCategory,
    RegisteredOn,
    State,
    AuthorisedCapital,
    PaidUpCapital,
    NicCode,
    Industry,
    Address,
    Roc,
    Email,
    AnnualReturn,
    BalanceSheet,
    Listing,
    Origin,
}

struct Column {
    field: Field,
    of_2021: Option<&'static str>,
    since_2023: Option<&'static str>,
    /// Other names that real files use, letters and digits only.
    also: &'static [&'static str],
    becomes: &'static str,
}

macro_rules! column {
    ($field:ident, $of_2021:expr, $since_2023:expr, $also:expr, $becomes:literal) => {
        Column {
            field: Field::$field,
            of_2021: $of_2021,
            since_2023: $since_2023,
            also: &$also,
            becomes: $becomes,
        }
    };
}

#[rustfmt::skip]
const COLUMNS: [Column; 19] = [
    column!(Cin, Some("CORPORATE_IDENTIFICATION_NUMBER"), Some("CIN"), ["cinfcrn", "cinllpin", "cinllpinfcrn"], "cin, kind, registration_number"),
    column!(Name, Some("COMPANY_NAME"), Some("CompanyName"), [], "name"),
    column!(Status, Some("COMPANY_STATUS"), Some("CompanyStatus"), [], "status, status_text"),
    column!(Class, Some("COMPANY_CLASS"), Some("CompanyClass"), [], "class, class_text"),
    column!(Category, Some("COMPANY_CATEGORY"), Some("CompanyCategory"), [], "category, category_text"),
    column!(SubCategory, Some("COMPANY_SUB_CATEGORY"), Some("CompanySubCategory"), [], "sub_category, sub_category_text"),
    column!(RegisteredOn, Some("DATE_OF_REGISTRATION"), Some("CompanyRegistrationdate_date"), ["companyregistrationdate"], "incorporated_on"),
    column!(State, Some("REGISTERED_STATE"), Some("CompanyStateCode"), [], "registered_office.state, .state_code"),
    column!(AuthorisedCapital, Some("AUTHORIZED_CAP"), Some("AuthorizedCapital"), ["authorisedcapital", "authorisedcap"], "capital.authorised"),
    column!(PaidUpCapital, Some("PAIDUP_CAPITAL"), Some("PaidupCapital"), ["paidupcap"], "capital.paid_up"),
    column!(NicCode, Some("INDUSTRIAL_CLASS"), Some("nic_code"), [], "industry.nic_code"),
    column!(Industry, Some("PRINCIPAL_BUSINESS_ACTIVITY_AS_PER_CIN"), Some("CompanyIndustrialClassification"), ["principalbusinessactivity"], "industry.description"),
    column!(Address, Some("REGISTERED_OFFICE_ADDRESS"), Some("Registered_Office_Address"), [], "registered_office.address, .pincode, .city, .district"),
    column!(Roc, Some("REGISTRAR_OF_COMPANIES"), Some("CompanyROCcode"), [], "roc.name, roc.code"),
    column!(Email, Some("EMAIL_ADDR"), None, ["email", "emailaddress"], "email"),
    column!(AnnualReturn, Some("LATEST_YEAR_ANNUAL_RETURN"), None, ["latestyearar"], "last_annual_return_year"),
    column!(BalanceSheet, Some("LATEST_YEAR_FINANCIAL_STATEMENT"), None, ["latestyearbs"], "last_balance_sheet_on"),
    column!(Listing, None, Some("Listingstatus"), [], "listed"),
    column!(Origin, None, Some("CompanyIndian/Foreign Company"), [], "nothing: the column is corrupt as published"),
];

/// Which cell of a row has which field.
#[derive(Clone, Debug)]
pub struct Columns {
    indices: [Option<usize>; COLUMNS.len()],
    /// Cells up to the last one whose column has a name.
    count: usize,
    release: Release,
}

impl Columns {
    /// None if it is not the header of a company master.
    pub fn from_header(cells: &Cells) -> Option<Columns> {
        let mut indices = [None; COLUMNS.len()];
        for (index, cell) in cells.iter().enumerate() {
            if let Some(field) = field_called(cell) {
                indices[field as usize].get_or_insert(index);
            }
        }
        let has = |field: Field| indices[field as usize].is_some();
        let is_master = has(Field::Cin)
            && has(Field::Name)
            && has(Field::Status)
            && has(Field::RegisteredOn)
            && has(Field::Roc);
        let older = [Field::Email, Field::AnnualReturn, Field::BalanceSheet].into_iter().any(has);
        let newer = has(Field::Listing) || has(Field::Origin) || !older;
        let release = if newer { Release::Since2023 } else { Release::Of2021 };
        let count = cells.iter().rposition(|cell| !is_blank(cell)).map_or(0, |last| last + 1);
        is_master.then_some(Columns { indices, count, release })
    }

    pub fn release(&self) -> Release {
        self.release
    }

    /// A row's cell for a field; empty if the file has no such column.
    pub fn cell<'a>(&self, cells: &'a Cells, field: Field) -> &'a str {
        self.indices[field as usize].and_then(|index| cells.get(index)).unwrap_or_default()
    }

    /// Checks that a row has the cells that the header has; blank ones may follow.
    pub fn check_count(&self, cells: &Cells) -> Result<(), String> {
        let mut surplus = cells.iter().skip(self.count);
        if cells.len() < self.count || surplus.any(|cell| !is_blank(cell)) {
            return Err(format!(
                "the row has {} cells, the header {}: a quote or a comma is out of place",
                cells.len(),
                self.count
            ));
        }
        Ok(())
    }
}

fn field_called(header: &str) -> Option<Field> {
    let simple = simplify(header);
    let called = |column: &&Column| {
        let names = [column.of_2021, column.since_2023];
        names.into_iter().flatten().any(|name| simplify(name) == simple)
            || column.also.contains(&simple.as_str())
    };
    COLUMNS.iter().find(called).map(|column| column.field)
}

/// Letters and digits only, in lower case.
fn simplify(header: &str) -> String {
    header.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_in_the_order_of_their_columns() {
        for (index, column) in COLUMNS.iter().enumerate() {
            assert_eq!(column.field as usize, index);
        }
        assert_eq!(Release::Of2021.columns().len(), 17);
        assert_eq!(Release::Since2023.columns().len(), 16);
    }

    #[test]
    fn headers_are_recognised_in_any_case_and_order() {
        let header = [
            "company roc code",
            "COMPANYNAME",
            "cin",
            "companystatus",
            "listing_status",
            "CompanyRegistrationDate_Date",
            "",
            "",
        ];
        let columns = Columns::from_header(&header.into_iter().collect()).expect("a header");
        assert_eq!(columns.release(), Release::Since2023);
        let row = ["ROC Goa", "Namuna Limited", "U1", "Active", "Unlisted", "2020-01-01"];
        let whole: Cells = row.into_iter().collect();
        assert_eq!(columns.cell(&whole, Field::Cin), "U1");
        assert_eq!(columns.cell(&whole, Field::Email), "");
        let with = |more: &[&'static str]| -> Cells {
            row.into_iter().chain(more.iter().copied()).collect()
        };
        assert_eq!(columns.check_count(&whole), Ok(()));
        assert_eq!(columns.check_count(&with(&[" "])), Ok(()));
        assert!(columns.check_count(&with(&[" ", "more"])).is_err());
        assert!(columns.check_count(&row[..5].iter().copied().collect()).is_err());
        assert!(Columns::from_header(&["cin", "name"].into_iter().collect()).is_none());
    }
}
