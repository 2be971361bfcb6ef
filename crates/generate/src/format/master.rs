//! The company master of a state: a CSV of 16 columns.

use std::io::Write;

use jiff::civil::Date;

use crate::company::Company;
use crate::faults::Fault;
use crate::layout::Kind;
use crate::names::LegalForm;

pub(crate) const HEADER: &str = "CIN,CompanyName,CompanyROCcode,CompanyCategory,CompanySubCategory,CompanyClass,\
AuthorizedCapital,PaidupCapital,CompanyRegistrationdate_date,Registered_Office_Address,Listingstatus,CompanyStatus,\
CompanyStateCode,CompanyIndian/Foreign Company,nic_code,CompanyIndustrialClassification";

/// The state whose file was saved by a spreadsheet.
const SPREADSHEET_STATE: &str = "Tamil Nadu";
/// Empty rows at the end of that file.
const SPREADSHEET_EMPTY_ROWS: usize = 50;
const EMPTY_ROW: &str = ",,,,,,,,,,,,,,,";
const GARBAGE: &[u8] =
    b"\x00\x01\xFF\xFEPK\x03\x04\x14\x00\x00\x00\x08\x00,\x00\x8A\x02\"\x10\xE2\x80\x00\x07";

/// The format of one file.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    spreadsheet: bool,
}

impl Style {
    /// The format of a state's file; spreadsheets change files only if faults are enabled.
    pub fn of(state: &str, with_faults: bool) -> Style {
        Style { spreadsheet: with_faults && state == SPREADSHEET_STATE }
    }

    pub fn line_end(self) -> &'static str {
        if self.spreadsheet { "\r\n" } else { "\n" }
    }

    /// The bytes after the last row.
    pub fn end_of_file(self) -> String {
        let empty = format!("{EMPTY_ROW}{}", self.line_end());
        if self.spreadsheet { empty.repeat(SPREADSHEET_EMPTY_ROWS) } else { String::new() }
    }

    fn day(self, day: Date) -> String {
        if self.spreadsheet {
            format!("{}/{}/{}", day.month(), day.day(), day.year())
        } else {
            day.to_string()
        }
    }

    fn amount(self, rupees: u64) -> String {
        if self.spreadsheet { rupees.to_string() } else { format!("{rupees}.00") }
    }

    fn nic(self, nic: &str) -> &str {
        if self.spreadsheet { without_zeros(nic) } else { nic }
    }
}

fn without_zeros(nic: &str) -> &str {
    let bare = nic.trim_start_matches('0');
    if bare.is_empty() { "0" } else { bare }
}

/// Writes the row of a company, with its fault.
pub(crate) fn write_row(line: &mut Vec<u8>, company: &Company, style: Style, fault: Option<Fault>) {
    let (category, sub_category, class) = words(company);
    let mut cin = company.cin.clone();
    let mut nic = style.nic(company.nic).to_owned();
    let mut authorised = style.amount(company.authorised);
    let mut paid_up = style.amount(company.paid_up);
    let mut day = company.registered_on;
    let mut quote = ("\"", "\"");
    let mut street = company.address.clone();
    match fault {
        Some(Fault::LetterInCin) => cin = with_letter(&cin),
        Some(Fault::BrokenQuote) => quote.1 = "",
        Some(Fault::BareCommas) => quote = ("", ""),
        Some(Fault::LostZeros) if company.nic.starts_with('0') => {
            nic = without_zeros(company.nic).to_owned()
        }
        Some(Fault::LostZeros) => nic = format!("{}.0", company.nic),
        Some(Fault::NotAvailable) => (nic, authorised) = ("NA".to_owned(), "NA".to_owned()),
        Some(Fault::Exponent) => authorised = "2.73E+11".to_owned(),
        Some(Fault::LostCharacter) => street.insert_str(0, "BLOCK \u{FFFD}x80x93II "),
        Some(Fault::PaidUpOverAuthorised) => paid_up = style.amount(company.authorised + 100_000),
        Some(Fault::OtherYear) => {
            day = day.with().year(day.year() - 1).day(1).build().unwrap_or(day)
        }
        _ => {}
    }
    let Company { registrar, town, .. } = company;
    let (open, close) = quote;
    let origin = if company.kind == Kind::Foreign { "Foreign" } else { "Indian" };
    let listing = if company.listed { "Listed" } else { "Unlisted" };
    let state = registrar.state.to_lowercase();
    let name = &company.name;
    let name_quote = if name.contains(',') { "\"" } else { "" };
    let industry = company.industry;
    let industry_quote = if industry.contains(',') { "\"" } else { "" };
    let _ = write!(
        line,
        "{cin},{name_quote}{name}{name_quote},{},{category},{sub_category},{class},{authorised},{paid_up},{},\
         {open}{street},{},{},{},{}-India{close},{listing},{},{state},{origin},{nic},\
         {industry_quote}{industry}{industry_quote}",
        registrar.name,
        style.day(day),
        town.0,
        town.1,
        registrar.state,
        company.pincode,
        company.status,
    );
    if fault == Some(Fault::OtherEncoding) {
        // An accented letter in Windows-1252, which is not valid UTF-8.
        if let Some(at) = line.windows(6).position(|bytes| bytes == b"-India") {
            line.insert(at, 0xE9);
        }
    }
    line.extend_from_slice(style.line_end().as_bytes());
    let suffix: &[u8] = match fault {
        Some(Fault::Garbage) => GARBAGE,
        Some(Fault::EmptyRow) => EMPTY_ROW.as_bytes(),
        _ => return,
    };
    line.extend_from_slice(suffix);
    line.extend_from_slice(style.line_end().as_bytes());
}

/// The number with a letter O for a zero or for the last digit.
fn with_letter(cin: &str) -> String {
    let at = cin.rfind('0').unwrap_or(cin.len() - 1);
    format!("{}O{}", &cin[..at], &cin[at + 1..])
}

/// Category, sub-category and class in the words of the master.
fn words(company: &Company) -> (&'static str, &'static str, &'static str) {
    if company.kind != Kind::Company {
        return ("", "", "");
    }
    let category = match company.form {
        LegalForm::Charity => "Company limited by guarantee",
        LegalForm::Unlimited => "Unlimited company",
        _ => "Company limited by shares",
    };
    let sub_category = match company.class_code {
        "FTC" | "FLC" => "subsidiary of company incorporated outside India",
        "GOI" => "Union government company",
        "SGC" => "State government company",
        "GAP" => "Guarantee and association Company",
        _ => "Non-government company",
    };
    let class = match company.form {
        LegalForm::OnePerson => "One Person Company",
        LegalForm::Public | LegalForm::Nidhi => "Public",
        _ if company.class_code == "ULL" => "Public",
        _ => "Private",
    };
    (category, sub_category, class)
}
