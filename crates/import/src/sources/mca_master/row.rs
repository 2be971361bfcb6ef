//! Converts one row of the company master to a record.

use panji_ids::{CompanyId, cin_state, state_code_by_name};
use panji_store::register::{Company, Coverage, CoverageLevel, CoverageStatement, CoveredSection};

use super::columns::Columns;
use super::names::{Field, Release};
use crate::input::csv::Cells;
use crate::values::address::{self, Parts};
use crate::values::date::{DateOrder, Day, is_ambiguous, read_day};
use crate::values::field::{company_id, financial_year_of, paise, required};
use crate::values::name::repaired;
use crate::values::reason::Reason;
use crate::values::rupees::read_amount;
use crate::values::text::cell_text;
use crate::vocabulary;

/// The properties of a file that are needed to read its rows.
#[derive(Clone, Debug)]
pub struct RowSettings {
    /// The date of its data.
    pub as_of: Option<String>,
    /// The order of day and month in dates with slashes.
    pub order: DateOrder,
    /// Whether the file or the operator determines that order.
    pub is_order_known: bool,
    pub release: Release,
}

/// Reported for a date that is read day first because its order is unknown.
const AMBIGUOUS_DATE: &str = "dates like 8/9/2020 that were read as day/month, in files that do not show the order: set it with --dates";

/// A company with the problems of its row.
pub struct ReadRow {
    pub company: Company,
    /// The columns that could not be read.
    pub unreadable: Vec<&'static str>,
    /// Descriptions of ambiguous values.
    pub ambiguities: Vec<&'static str>,
}

/// Reads a row that has the right number of cells.
pub fn read_row(
    cells: &Cells,
    columns: &Columns,
    settings: &RowSettings,
) -> Result<ReadRow, Reason> {
    let release = settings.release;
    let mut row =
        RowReader { cells, columns, settings, unreadable: Vec::new(), ambiguities: Vec::new() };
    let id = company_id(row.columns.cell(cells, Field::Cin))?;
    let cin_year = id.cin().map(|cin| cin.year());
    let (state, state_code) = row.state(&id);
    let address = row.address();
    // The cell, not the cleaned text: several spaces in it mark the end of a line.
    let parts = match &address {
        Some(_) => address::split(columns.cell(cells, Field::Address), state_code.as_deref()),
        None => Parts::default(),
    };
    let [status_text, class_text, category_text, sub_category_text] =
        [Field::Status, Field::Class, Field::Category, Field::SubCategory]
            .map(|field| row.text(field));
    let word = |look_up: fn(&str) -> &'static str, text: &Option<String>| {
        text.as_deref().map(look_up).map(str::to_owned)
    };
    let roc_name = row.classified(Field::Roc);
    let source_name = required("name", row.text(Field::Name).unwrap_or_default())?;
    let name = repaired(&source_name);
    let whole = |address: &String| address::without_breaks(address, state_code.as_deref());
    let (address, address_text) = match address.as_ref().and_then(whole) {
        Some(whole) => (Some(whole), address),
        None => (address, None),
    };
    let mut company = Company {
        cin: id.as_str().to_owned(),
        name_text: (name != source_name).then_some(source_name),
        name,
        kind: id.kind().name().to_owned(),
        status: word(vocabulary::company_status, &status_text).unwrap_or_else(|| "unknown".into()),
        class: word(vocabulary::company_class, &class_text),
        category: word(vocabulary::company_category, &category_text),
        sub_category: word(vocabulary::company_sub_category, &sub_category_text),
        status_text,
        class_text,
        category_text,
        sub_category_text,
        listed: row.listed(),
        incorporated_on: row.day(Field::RegisteredOn, "date of registration", cin_year),
        registration_number: id.cin().map(|cin| cin.registration_number().to_owned()),
        country: address.is_some().then(|| "India".to_owned()),
        address,
        address_text,
        city: parts.city,
        district: parts.district.or_else(|| row.text(Field::District)),
        state,
        state_code,
        pincode: parts.pincode,
        email: row.text(Field::Email).filter(|email| email.contains('@')),
        roc_code: roc_name.as_deref().and_then(roc_code),
        roc_name,
        nic_code: row.nic_code(),
        nic_description: row.classified(Field::Industry),
        former_names: "[]".to_owned(),
        former_cins: "[]".to_owned(),
        authorised_capital: row.amount(Field::AuthorisedCapital, "authorised capital"),
        paid_up_capital: row.amount(Field::PaidUpCapital, "paid-up capital"),
        members: row.members(),
        last_balance_sheet_on: row.day(Field::BalanceSheet, "latest balance sheet", None),
        last_annual_return_year: row.annual_return_year(),
        as_of: settings.as_of.clone(),
        source: release.source().to_owned(),
        ..Company::default()
    };
    company.coverage = stated_coverage(&company);
    Ok(ReadRow { company, unreadable: row.unreadable, ambiguities: row.ambiguities })
}

/// The master lists some of the last filings of a company, and nothing else of its sections.
fn stated_coverage(company: &Company) -> String {
    let mut coverage = Coverage::default();
    if company.last_balance_sheet_on.is_some() || company.last_annual_return_year.is_some() {
        let statement = CoverageStatement {
            coverage: CoverageLevel::Partial,
            as_of: company.as_of.clone(),
            source: company.source.clone(),
        };
        coverage.insert(CoveredSection::Compliance, statement);
    }
    coverage.to_stored()
}

struct RowReader<'a> {
    cells: &'a Cells,
    columns: &'a Columns,
    settings: &'a RowSettings,
    unreadable: Vec<&'static str>,
    ambiguities: Vec<&'static str>,
}

impl RowReader<'_> {
    fn text(&self, field: Field) -> Option<String> {
        cell_text(self.columns.cell(self.cells, field))
    }

    /// A text, unless it is `Unclassified`.
    fn classified(&self, field: Field) -> Option<String> {
        self.text(field).filter(|text| !text.eq_ignore_ascii_case("unclassified"))
    }

    /// The state's name and code: from its column, which has one of them, else from the CIN.
    fn state(&self, id: &CompanyId) -> (Option<String>, Option<String>) {
        let named = self.text(Field::State).and_then(|text| {
            let by_code = cin_state(&text).and_then(state_code_by_name);
            state_code_by_name(&text).or(by_code)
        });
        let by_cin = || id.cin().and_then(|cin| cin.state()).and_then(state_code_by_name);
        match named.or_else(by_cin) {
            Some(code) => (cin_state(code).map(str::to_owned), Some(code.to_owned())),
            None => (self.text(Field::State), None),
        }
    }

    /// The address, unless it consists only of placeholders.
    fn address(&self) -> Option<String> {
        let address = self.text(Field::Address)?;
        let front = address.split("Unclassified").next().unwrap_or_default();
        let has_text = front.chars().any(char::is_alphanumeric);
        has_text.then_some(address)
    }

    /// From the column only: the letter of a CIN does not change when the shares are listed or
    /// delisted.
    fn listed(&mut self) -> Option<bool> {
        let text = self.text(Field::Listing)?;
        match text.to_ascii_lowercase().as_str() {
            "listed" | "l" | "yes" | "y" => Some(true),
            "unlisted" | "u" | "no" | "n" => Some(false),
            _ => {
                self.unreadable.push("listing status");
                None
            }
        }
    }

    fn read_day(&mut self, text: &str, near: Option<u16>) -> Day {
        let day = read_day(text, self.settings.order, near);
        let is_read = matches!(day, Day::On(_));
        if is_read && !self.settings.is_order_known && is_ambiguous(text) {
            self.ambiguities.push(AMBIGUOUS_DATE);
        }
        day
    }

    fn day(&mut self, field: Field, name: &'static str, near: Option<u16>) -> Option<String> {
        let text = self.text(field)?;
        match self.read_day(&text, near) {
            Day::On(date) => Some(date.to_string()),
            Day::Unknown => None,
            Day::Unreadable => {
                self.unreadable.push(name);
                None
            }
        }
    }

    /// The financial year of a day, or the year in the cell.
    fn annual_return_year(&mut self) -> Option<String> {
        let text = self.text(Field::AnnualReturn)?;
        match self.read_day(&text, None) {
            Day::On(date) => return Some(financial_year_of(date)),
            Day::Unknown => return None,
            Day::Unreadable => {}
        }
        let is_year = matches!(text.len(), 4 | 7 | 9)
            && text.chars().all(|character| character.is_ascii_digit() || character == '-');
        if !is_year {
            self.unreadable.push("latest annual return");
        }
        is_year.then_some(text)
    }

    fn amount(&mut self, field: Field, name: &'static str) -> Option<i64> {
        let text = self.text(field)?;
        let rupees = self.columns.rupees(field);
        let amount = paise(read_amount(&text)).and_then(|paise| paise.checked_mul(rupees));
        if amount.is_none() {
            self.unreadable.push(name);
        }
        amount
    }

    /// The members of an LLP are its partners. Zero means that they are not counted.
    fn members(&mut self) -> Option<i64> {
        let text = self.text(Field::Members)?;
        let digits = text.strip_suffix(".0").unwrap_or(&text).replace(',', "");
        let members: Option<i64> = digits.parse().ok().filter(|members| *members >= 0);
        if members.is_none() {
            self.unreadable.push("members or partners");
        }
        members.filter(|members| *members > 0)
    }

    /// Five digits; a spreadsheet removes the leading zeros, and may add decimals.
    fn nic_code(&mut self) -> Option<String> {
        let text = self.classified(Field::NicCode)?;
        let digits = text.strip_suffix(".0").unwrap_or(&text);
        // A code of two digits is the code of a division, not a class without leading zeros.
        let is_short = self.settings.release.has_codes_of_divisions() && digits.len() < 4;
        if digits.is_empty() || is_short || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            self.unreadable.push("industry code");
            return None;
        }
        Some(format!("{digits:0>5}"))
    }
}

/// `ROC Goa` and `RoC-Goa` are `ROC-GOA`.
fn roc_code(name: &str) -> Option<String> {
    let upper = name.to_ascii_uppercase();
    let mut words: Vec<&str> =
        upper.split(|character: char| !character.is_ascii_alphanumeric()).collect();
    words.retain(|word| !word.is_empty() && !["ROC", "CUM", "OL"].contains(word));
    (!words.is_empty()).then(|| format!("ROC-{}", words.join("-")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_of_a_registrar_have_the_same_code() {
        for name in ["ROC Patna", "RoC-Patna", "ROC - PATNA", "ROC Cum OL Patna"] {
            assert_eq!(roc_code(name).as_deref(), Some("ROC-PATNA"), "{name}");
        }
        assert_eq!(roc_code("ROC Mumbai II").as_deref(), Some("ROC-MUMBAI-II"));
        assert_eq!(roc_code("ROC"), None);
    }
}
