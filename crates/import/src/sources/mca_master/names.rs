//! The lists of the ministry and the names of their columns.

use super::columns::simplify;

/// A list of companies or LLPs that the ministry publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// The company master in 16 columns, one file per registrar, updated since 2023.
    Since2023,
    /// 17 columns, one file per state, as of 31 March 2021.
    Of2021,
    /// 13 columns, one file per state, of 2015.
    Of2015,
    /// Companies registered in a month, Indian or foreign.
    NewCompanies,
    /// LLPs registered in a month.
    NewLlps,
    /// The LLP master.
    LlpMaster,
}

impl Release {
    pub const ALL: [Release; 6] = [
        Release::Since2023,
        Release::Of2021,
        Release::Of2015,
        Release::NewCompanies,
        Release::NewLlps,
        Release::LlpMaster,
    ];

    /// The `source` of its records.
    pub const fn source(self) -> &'static str {
        match self {
            Release::Since2023 => "mca_master_2023",
            Release::Of2021 => "mca_master_2021",
            Release::Of2015 => "mca_master_2015",
            Release::NewCompanies => "mca_new_companies",
            Release::NewLlps => "mca_new_llps",
            Release::LlpMaster => "mca_llp_master",
        }
    }

    /// The date of its data, if it is the same for all its files.
    pub fn day(self) -> Option<&'static str> {
        match self {
            Release::Of2021 => Some("2021-03-31"),
            _ => None,
        }
    }

    /// Whether its short industry codes may be codes of divisions, instead of codes without leading
    /// zeros.
    pub fn has_codes_of_divisions(self) -> bool {
        matches!(self, Release::NewCompanies | Release::NewLlps | Release::LlpMaster)
    }

    /// The fields that a header of this list must have.
    pub fn required(self) -> &'static [Field] {
        match self {
            Release::Since2023 | Release::Of2021 | Release::Of2015 => {
                &[Field::Cin, Field::Name, Field::Status, Field::RegisteredOn, Field::Roc]
            }
            Release::NewCompanies | Release::NewLlps => {
                &[Field::Cin, Field::Name, Field::RegisteredOn]
            }
            Release::LlpMaster => &[Field::Cin, Field::Name, Field::Status, Field::RegisteredOn],
        }
    }

    /// The columns with the fields they map to.
    pub fn columns(self) -> Vec<(&'static str, &'static str)> {
        let named = |column: &Column| Some((column.name_in(self)?, column.becomes));
        COLUMNS.iter().filter_map(named).collect()
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
    District,
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
    Members,
    Origin,
    DesignatedPartners,
    Contribution,
    Month,
    Country,
    OfficeType,
    ForeignAddress,
    PreviousFirm,
}

const NOTHING: &str = "nothing: the register has no field for it";

pub struct Column {
    pub field: Field,
    /// In the order of `Release::ALL`.
    names: [Option<&'static str>; Release::ALL.len()],
    /// Other names that real files use, letters and digits only.
    aliases: &'static [&'static str],
    /// Ambiguous names; they count only if no other column has the field.
    ambiguous_names: &'static [&'static str],
    becomes: &'static str,
}

impl Column {
    pub fn name_in(&self, release: Release) -> Option<&'static str> {
        let at = Release::ALL.into_iter().position(|other| other == release)?;
        self.names[at]
    }

    pub fn is_used(&self) -> bool {
        !self.becomes.starts_with("nothing")
    }

    pub fn is_called(&self, simple: &str) -> bool {
        self.names.iter().flatten().any(|name| simplify(name) == simple)
            || self.aliases.contains(&simple)
    }

    pub fn may_be_called(&self, simple: &str) -> bool {
        self.ambiguous_names.contains(&simple)
    }
}

macro_rules! column {
    ($field:ident, [$($name:expr),*], $aliases:expr, $ambiguous_names:expr, $becomes:expr) => {
        Column {
            field: Field::$field,
            names: [$(name($name)),*],
            aliases: &$aliases,
            ambiguous_names: &$ambiguous_names,
            becomes: $becomes,
        }
    };
}

/// An empty name means that the list has no such column.
const fn name(name: &'static str) -> Option<&'static str> {
    if name.is_empty() { None } else { Some(name) }
}

#[rustfmt::skip]
pub const COLUMNS: [Column; 28] = [
    column!(Cin, ["CIN", "CORPORATE_IDENTIFICATION_NUMBER", "CORPORATE_IDENTIFICATION_NUMBER", "CIN", "LLPIN", "LLPIN"], ["cinfcrn", "cinllpin", "cinllpinfcrn", "fcrn", "fllpin"], [], "cin, kind, registration_number"),
    column!(Name, ["CompanyName", "COMPANY_NAME", "COMPANY_NAME", "Company Name", "LLP Name", "LLP Name"], ["limitedliabilitypartnershipname", "foreignlimitedliabilitypartnership", "nameofthecompany", "nameofcompany", "nameofllp", "nameofthellp"], [], "name"),
    column!(Status, ["CompanyStatus", "COMPANY_STATUS", "COMPANY_STATUS", "Company Status", "LLP Status", "LLP Status"], ["companystatusforefiling"], ["status", "company"], "status, status_text"),
    column!(Class, ["CompanyClass", "COMPANY_CLASS", "COMPANY_CLASS", "Company Class", "", ""], ["class", "classofcompany"], [], "class, class_text"),
    column!(Category, ["CompanyCategory", "COMPANY_CATEGORY", "COMPANY_CATEGORY", "Company Category", "", ""], ["category"], [], "category, category_text"),
    column!(SubCategory, ["CompanySubCategory", "COMPANY_SUB_CATEGORY", "SUB_CATEGORY", "Company Sub-category", "", ""], [], ["companytype"], "sub_category, sub_category_text"),
    column!(RegisteredOn, ["CompanyRegistrationdate_date", "DATE_OF_REGISTRATION", "DATE_OF_REGISTRATION", "Date of Registration", "Date of Incorporation", "Date of Incorporation"], ["companyregistrationdate"], ["founded"], "incorporated_on"),
    column!(State, ["CompanyStateCode", "REGISTERED_STATE", "REGISTERED_STATE", "State", "State", ""], ["stateofprincipalplaceofbusinessinindia"], [], "registered_office.state, .state_code"),
    column!(District, ["", "", "", "", "District", ""], [], [], "registered_office.district"),
    column!(AuthorisedCapital, ["AuthorizedCapital", "AUTHORIZED_CAP", "AUTHORIZED_CAPITAL", "Authorized Capital", "", ""], ["authorisedcapital", "authorisedcap"], ["authorized", "authorised"], "capital.authorised"),
    column!(PaidUpCapital, ["PaidupCapital", "PAIDUP_CAPITAL", "PAIDUP_CAPITAL", "Paidup Capital", "", ""], ["paidupcap", "paidcapital"], ["paidup"], "capital.paid_up"),
    column!(NicCode, ["nic_code", "INDUSTRIAL_CLASS", "", "Activity Code", "Industrial Activity Code", "Main division of business activity to be carried out in India"], ["maindivision"], [], "industry.nic_code"),
    column!(Industry, ["CompanyIndustrialClassification", "PRINCIPAL_BUSINESS_ACTIVITY_AS_PER_CIN", "PRINCIPAL_BUSINESS_ACTIVITY", "Activity Description", "Activity Description", "Description of main division"], ["industrialactivitydescription", "industrialdescription", "descriptionactivity", "activitydesc"], ["description"], "industry.description"),
    column!(Address, ["Registered_Office_Address", "REGISTERED_OFFICE_ADDRESS", "REGISTERED_OFFICE_ADDRESS", "Registered Office Address", "Address", "Registered Address"], ["companyaddress", "foreigncompanypresentaddressinindia"], [], "registered_office.address, .pincode, .city, .district"),
    column!(Roc, ["CompanyROCcode", "REGISTRAR_OF_COMPANIES", "REGISTRAR_OF_COMPANIES", "ROC", "ROC", "ROC Code"], ["roclocation"], [], "roc.name, roc.code"),
    column!(Email, ["", "EMAIL_ADDR", "", "Company Email Id", "Email", "Email Id"], ["emailaddress"], [], "email"),
    column!(AnnualReturn, ["", "LATEST_YEAR_ANNUAL_RETURN", "", "", "", "Date of last financial year end date for which Annual Return filed"], ["latestyearar"], [], "last_annual_return_year"),
    column!(BalanceSheet, ["", "LATEST_YEAR_FINANCIAL_STATEMENT", "", "", "", "Date of last financial year end date for which Statement of Accounts and Solvency filed"], ["latestyearbs"], [], "last_balance_sheet_on"),
    column!(Listing, ["Listingstatus", "", "", "", "", ""], [], ["listedflag"], "listed"),
    column!(Members, ["", "", "", "Number of Members", "Number of Partners", "Number of Partners"], ["noofpartners", "noofmembers"], [], "capital.members; of an LLP the partners"),
    column!(Origin, ["CompanyIndian/Foreign Company", "", "", "", "", ""], [], [], "nothing: the column is corrupt as published"),
    column!(DesignatedPartners, ["", "", "", "", "Number of Designated Partners", "Number of Designated Partners"], ["noofdesignatedpartners"], [], NOTHING),
    column!(Contribution, ["", "", "", "", "Obligation of Contribution", "Total Obligation of Contribution"], [], [], NOTHING),
    column!(Month, ["", "", "", "Month", "Month", ""], ["monthname"], [], "nothing: it is the month of the list"),
    column!(Country, ["", "", "", "Country of Incorporation", "", ""], ["country"], [], NOTHING),
    column!(OfficeType, ["", "", "", "Type of Office", "", ""], [], [], NOTHING),
    column!(ForeignAddress, ["", "", "", "Foreign Office Address", "", ""], [], [], NOTHING),
    column!(PreviousFirm, ["", "", "", "", "", "Previous firm/ company details, if applicable"], [], [], NOTHING),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_in_the_order_of_their_columns() {
        for (index, column) in COLUMNS.iter().enumerate() {
            assert_eq!(column.field as usize, index);
        }
        let counts = Release::ALL.map(|release| release.columns().len());
        assert_eq!(counts[..3], [16, 17, 13]);
    }

    #[test]
    fn no_name_means_two_fields() {
        for column in &COLUMNS {
            for name in column.names.iter().flatten() {
                let simple = simplify(name);
                let called = COLUMNS.iter().filter(|other| other.is_called(&simple)).count();
                assert_eq!(called, 1, "{name}");
            }
        }
    }
}
