//! Whole reports: of a company with everything, and of one of which nothing is known.

use jiff::civil::date;
use panji_store::register::{Appointment, Company};
use panji_testkit::pdf_pages;

use super::write_pages;
use crate::api::company_records::{CompanyRecords, StoredRecords};
use crate::api::findings::findings;

fn pages(stored: StoredRecords) -> Vec<String> {
    let records = CompanyRecords::new(stored, date(2026, 6, 30));
    pdf_pages(&write_pages(&records, None, &findings(&records), false))
}

fn company(name: &str) -> Company {
    Company {
        cin: "U17120MH2004PTC990142".into(),
        name: name.into(),
        kind: "company".into(),
        status: "active".into(),
        former_names: "[]".into(),
        former_cins: "[]".into(),
        coverage: "{}".into(),
        source: "panji".into(),
        ..Company::default()
    }
}

#[test]
fn a_company_of_which_nothing_is_known_has_a_report_that_says_so() {
    let pages = pages(StoredRecords {
        company: company("Namuna Private Limited"),
        ..StoredRecords::default()
    });
    let text = pages.join(" ").replace('\n', " ");
    for part in [
        "Namuna Private Limited",
        "U17120MH2004PTC990142",
        "Nothing is known",
        "This does not mean that there is nothing.",
        "What could not be checked",
        "No source of charges was imported.",
        "How to read this report",
        &format!("page {0} of {0}", pages.len()),
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(!text.contains("sample"), "it is no sample");
}

#[test]
fn names_in_indian_scripts_are_shown_and_long_lists_continue_on_further_pages() {
    let appointment = |number: usize| Appointment {
        cin: "U17120MH2004PTC990142".into(),
        din: format!("99{number:06}"),
        name: format!("உதாரணம் நமூனா {number}"),
        appointed_on: "2020-01-01".into(),
        designation: "director".into(),
        source: "panji".into(),
        ..Appointment::default()
    };
    let stored = StoredRecords {
        company: company("नमूना उद्योग प्राइवेट लिमिटेड"),
        appointments: (0..120).map(appointment).collect(),
        ..StoredRecords::default()
    };
    let pages = pages(stored);
    assert!(pages.len() > 4, "{} pages", pages.len());
    let text = pages.join(" ");
    assert!(text.contains("नमूना उद्योग प्राइवेट लिमिटेड"));
    for number in [0, 57, 119] {
        assert!(text.contains(&format!("உதாரணம் நமூனா {number}")), "{number}");
    }
    assert!(pages[2].contains("DIN"), "the titles are repeated: {}", pages[2]);
}
