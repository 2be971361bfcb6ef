//! Fictitious cases that trigger each rule, and near misses that do not.

mod changes;
mod money;
mod names;
mod people;
mod status;

use jiff::civil::{Date, date};
use panji_store::register::{
    Appointment, Company, Coverage, CoverageLevel, CoverageStatement, CoveredSection, Directorship,
    Origin,
};

use super::{findings, rules};
use crate::api::company_records::{CompanyRecords, Person, PersonDirectorship, StoredRecords};
use crate::api::wire::{CompanyFindings, enums};

pub const TODAY: Date = date(2026, 6, 30);
pub const AS_OF: &str = "2026-05-31";
pub const CIN: &str = "U17120MH2004PTC990142";

pub fn own(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub fn origin(as_of: &str) -> Origin {
    Origin { as_of: own(as_of), source: "panji".to_owned() }
}

/// An active company all of whose sections are covered, with nothing in them.
pub fn records_without_findings() -> StoredRecords {
    let mut coverage = Coverage::default();
    for section in CoveredSection::ALL {
        let (as_of, source) = (own(AS_OF), "panji".to_owned());
        let statement = CoverageStatement { coverage: CoverageLevel::Full, as_of, source };
        coverage.insert(section, statement);
    }
    StoredRecords {
        company: Company {
            cin: CIN.into(),
            name: "Namuna Vastra Private Limited".into(),
            kind: "company".into(),
            status: "active".into(),
            incorporated_on: own("2004-06-11"),
            former_names: "[]".into(),
            former_cins: "[]".into(),
            coverage: coverage.to_stored(),
            as_of: own(AS_OF),
            source: "panji".into(),
            ..Company::default()
        },
        similar: Some(Vec::new()),
        ..StoredRecords::default()
    }
}

pub fn check(stored: StoredRecords) -> CompanyFindings {
    findings(&CompanyRecords::new(stored, TODAY))
}

#[derive(Debug, PartialEq)]
pub enum RuleOutcome {
    Found(usize),
    Nothing,
    NotChecked,
}
pub use RuleOutcome::{Found, NotChecked, Nothing};

/// The outcome of one rule for a company.
pub fn outcome_of(code: &str, stored: StoredRecords) -> RuleOutcome {
    let checked = check(stored);
    if checked.not_checked.iter().any(|rule| rule.code == code) {
        return NotChecked;
    }
    assert!(checked.checked.iter().any(|rule| rule.code == code), "{code} is no rule");
    match checked.findings.iter().filter(|finding| finding.code == code).count() {
        0 => Nothing,
        number => Found(number),
    }
}

pub fn company(change: impl FnOnce(&mut Company)) -> StoredRecords {
    let mut stored = records_without_findings();
    change(&mut stored.company);
    stored
}

pub fn directorship(cin: &str, status: &str) -> PersonDirectorship {
    PersonDirectorship {
        directorship: Directorship {
            cin: cin.into(),
            company_name: own("Udaharan Limited"),
            company_status: own(status),
            designation: "director".into(),
            designation_text: None,
            appointed_on: "2015-04-01".into(),
            ceased_on: None,
            origin: origin(AS_OF),
        },
        company_origin: Some(origin(AS_OF)),
        struck_off_on: None,
    }
}

/// A company with one director who has these directorships.
pub fn director(directorships: Vec<PersonDirectorship>) -> StoredRecords {
    let mut stored = records_without_findings();
    stored.appointments = vec![appointment("99000101", "2015-04-01", None)];
    let (din, name) = ("99000101".into(), "Udaharan Namuna".into());
    stored.people = vec![Person { din, name, status: None, directorships }];
    stored
}

pub fn appointment(din: &str, appointed_on: &str, ceased_on: Option<&str>) -> Appointment {
    Appointment {
        cin: CIN.into(),
        din: din.into(),
        appointed_on: appointed_on.into(),
        name: "Udaharan Namuna".into(),
        designation: "director".into(),
        ceased_on: ceased_on.map(str::to_owned),
        as_of: own(AS_OF),
        source: "panji".into(),
        ..Appointment::default()
    }
}

pub fn directorships(number: usize, class: &str, status: &str) -> Vec<PersonDirectorship> {
    (0..number).map(|at| directorship(&format!("U17120MH2004{class}{at:06}"), status)).collect()
}

#[test]
fn a_quiet_company_has_no_findings_and_the_codes_are_those_of_the_contract() {
    let checked = check(records_without_findings());
    assert_eq!(checked.findings, []);
    let mut codes: Vec<&str> = checked.checked.iter().map(|rule| rule.code.as_ref()).collect();
    codes.extend(checked.not_checked.iter().map(|rule| rule.code.as_ref()));
    assert_eq!(codes.len(), enums::FINDING_CODES.len());
    assert!(codes.iter().all(|code| enums::FINDING_CODES.contains(code)), "{codes:?}");
    let in_order: Vec<&str> = rules().iter().map(|rule| rule.code).collect();
    assert_eq!(in_order, enums::FINDING_CODES);
}

#[test]
fn a_company_of_which_nothing_is_known_is_not_checked_instead_of_clean() {
    let checked = check(company(|company| {
        company.coverage = Coverage::EMPTY.into();
        company.incorporated_on = None;
    }));
    let unknown: Vec<&str> = checked.not_checked.iter().map(|rule| rule.code.as_ref()).collect();
    for code in [
        "overdue_filings",
        "charges_above_net_worth",
        "many_directorships",
        "directorships_in_struck_off_companies",
        "director_disqualified",
        "all_directors_changed",
        "gst_cancelled_while_active",
        "recent_name_change",
        "new_with_high_capital",
        "companies_at_address",
        "recent_office_change",
    ] {
        assert!(unknown.contains(&code), "{code} {unknown:?}");
    }
    assert!(checked.not_checked.iter().all(|rule| rule.reason.ends_with('.')));
}
