//! The native format: one record per line.

use std::io::Write;

use jiff::civil::Date;

use crate::company::Company;
use crate::faults::Fault;
use crate::people::{Appointment, Director};
use crate::sections::{Accounts, Charge, Epfo, Filing, Rating, annual_forms};

/// The date of the history of companies. It is later than the master's, so that another import of
/// the master does not overwrite it.
const HISTORY_AS_OF: &str = "2026-07-01";

/// The former names of a company, as a line that keeps the rest of its record unchanged.
pub(crate) fn write_history(line: &mut Vec<u8>, company: &Company) {
    let Company { cin, name, .. } = company;
    let _ = write!(
        line,
        r#"{{"record":"company","partial":true,"cin":"{cin}","name":"{name}","former_names":["#
    );
    for (number, former) in company.former_names.iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        let _ = write!(line, r#"{comma}{{"name":"{}","until":"{}"}}"#, former.name, former.until);
    }
    let quote = if company.former_cin.is_some() { "\"" } else { "" };
    let former_cin = company.former_cin.as_deref().unwrap_or_default();
    let _ = writeln!(
        line,
        r#"],"former_cins":[{quote}{former_cin}{quote}],"as_of":"{HISTORY_AS_OF}"}}"#
    );
}

pub(crate) fn write_pan(line: &mut Vec<u8>, company: &Company) {
    let _ =
        writeln!(line, r#"{{"record":"pan","cin":"{}","pan":"{}"}}"#, company.cin, company.pan());
}

pub(crate) fn write_director(line: &mut Vec<u8>, director: &Director) {
    let Director { din, name, status, nationality } = director;
    let _ = writeln!(
        line,
        r#"{{"record":"director","din":"{din}","name":"{name}","status_text":"{status}","nationality":"{nationality}"}}"#
    );
}

pub(crate) fn write_appointment(
    line: &mut Vec<u8>,
    cin: &str,
    appointment: &Appointment,
    director: &Director,
    fault: Option<Fault>,
) {
    let Director { din, name, .. } = director;
    let designation = appointment.designation;
    let _ = write!(
        line,
        r#"{{"record":"appointment","cin":"{cin}","din":"{din}","name":"{name}","designation_text":"{designation}","appointed_on":"{}""#,
        appointed_on(appointment.appointed_on, fault)
    );
    write_day(line, "ceased_on", appointment.ceased_on);
    line.extend_from_slice(b"}\n");
}

fn appointed_on(day: Date, fault: Option<Fault>) -> String {
    if fault == Some(Fault::ForeignDate) {
        return format!("{:02}/{:02}/{}", day.day(), day.month(), day.year());
    }
    day.to_string()
}

fn write_day(line: &mut Vec<u8>, name: &str, day: Option<Date>) {
    if let Some(day) = day {
        let _ = write!(line, r#","{name}":"{day}""#);
    }
}

pub(crate) fn write_charge(line: &mut Vec<u8>, cin: &str, charge: &Charge) {
    let Charge { id, lender, amount, created_on, assets, .. } = charge;
    let _ = write!(
        line,
        r#"{{"record":"charge","cin":"{cin}","charge_id":"{id}","lender":"{lender}","amount":{amount},"created_on":"{created_on}","assets":"{assets}""#
    );
    write_day(line, "modified_on", charge.modified_on);
    write_day(line, "satisfied_on", charge.satisfied_on);
    line.extend_from_slice(b"}\n");
}

pub(crate) fn write_accounts(line: &mut Vec<u8>, company: &Company, accounts: &Accounts) {
    let cin = &company.cin;
    let [(form, ..), _] = annual_forms(company.form, accounts.year);
    let Accounts { year, revenue, other_income, finance_cost, depreciation, tax, .. } = accounts;
    let Accounts { share_capital, reserves, debt, current_assets, current_liabilities, .. } =
        accounts;
    let Accounts { total_assets, cash, other_expenses, .. } = accounts;
    let basis = if accounts.consolidated { "consolidated" } else { "standalone" };
    let total_income = revenue + other_income;
    let total_expenses = finance_cost + depreciation + other_expenses;
    let before_tax = total_income as i64 - total_expenses as i64;
    let ebitda = before_tax + (finance_cost + depreciation) as i64 - *other_income as i64;
    let profit = before_tax - *tax as i64;
    let net_worth = share_capital + reserves;
    let first_year = year - 1;
    let _ = writeln!(
        line,
        r#"{{"record":"financial_year","cin":"{cin}","from_date":"{first_year}-04-01","to_date":"{year}-03-31","basis":"{basis}","form_type":"{form}","filed_on":"{year}-10-15","revenue":{revenue},"other_income":{other_income},"total_income":{total_income},"total_expenses":{total_expenses},"finance_cost":{finance_cost},"depreciation":{depreciation},"ebitda":{ebitda},"profit_before_tax":{before_tax},"tax":{tax},"profit":{profit},"share_capital":{share_capital},"reserves":{reserves},"net_worth":{net_worth},"total_debt":{debt},"total_assets":{total_assets},"current_assets":{current_assets},"current_liabilities":{current_liabilities},"cash":{cash}}}"#
    );
}

pub(crate) fn write_filing(line: &mut Vec<u8>, cin: &str, filing: &Filing) {
    let Filing { form, description, due_on, .. } = filing;
    let _ = write!(
        line,
        r#"{{"record":"filing","cin":"{cin}","form_type":"{form}","description":"{description}","financial_year":"{}","due_on":"{due_on}""#,
        financial_year(filing.year)
    );
    write_day(line, "filed_on", filing.filed_on);
    line.extend_from_slice(b"}\n");
}

pub(crate) fn write_document(line: &mut Vec<u8>, cin: &str, document: &Filing) {
    let Filing { form, year, .. } = document;
    let day = document.filed_on.unwrap_or(document.due_on);
    let size = 40_000 + i64::from(day.day()) * 13_331 + i64::from(*year);
    let _ = writeln!(
        line,
        r#"{{"record":"document","cin":"{cin}","form_type":"{form}","file_name":"{form}_{year}.pdf","filing_date":"{day}","financial_year":"{}","file_size":{size}}}"#,
        financial_year(*year)
    );
}

fn financial_year(ends_in: i16) -> String {
    format!("{}-{:02}", ends_in - 1, ends_in % 100)
}

pub(crate) fn write_rating(line: &mut Vec<u8>, cin: &str, rating: &Rating) {
    let Rating { agency, instrument, rating: grade, outlook, action, amount, rated_on } = rating;
    let _ = writeln!(
        line,
        r#"{{"record":"rating","cin":"{cin}","agency":"{agency}","instrument":"{instrument}","rating":"{grade}","outlook":"{outlook}","action":"{action}","amount":{amount},"rated_on":"{rated_on}"}}"#
    );
}

pub(crate) fn write_epfo(line: &mut Vec<u8>, company: &Company, epfo: &Epfo) {
    let Epfo { establishment, employees, amount } = epfo;
    let Company { cin, name, .. } = company;
    let _ = writeln!(
        line,
        r#"{{"record":"epfo","cin":"{cin}","establishment_id":"{establishment}","name":"{name}","status":"Active","employees":{employees},"last_wage_month":"2026-05","amount":{amount},"paid_on":"2026-06-14"}}"#
    );
}
