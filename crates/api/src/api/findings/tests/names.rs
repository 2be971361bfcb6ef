//! Rules about names that are alike, and companies at one address.

use super::*;
use crate::api::company_records::{NameSimilarity, SimilarCompany};
use crate::api::registered_office::AddressCluster;

fn similar(change: impl FnOnce(&mut SimilarCompany)) -> StoredRecords {
    let mut other = SimilarCompany {
        company: Company {
            cin: "U17120MH1999PLC990999".into(),
            name: "Namuna Vastra Limited".into(),
            status: "struck_off".into(),
            ..Company::default()
        },
        matched_name: None,
        similarity: NameSimilarity::Same,
        shares_director: false,
    };
    change(&mut other);
    let mut stored = records_without_findings();
    stored.similar = Some(vec![other]);
    stored
}

#[test]
fn a_name_like_that_of_a_struck_off_or_regulated_company_is_a_finding() {
    let struck_off = |stored| outcome_of("name_like_struck_off_company", stored);
    let regulated = |stored| outcome_of("name_like_regulated_company", stored);
    assert_eq!(struck_off(similar(|_| ())), Found(1));
    assert_eq!(struck_off(similar(|other| other.shares_director = true)), Nothing, "one group");
    assert_eq!(struck_off(similar(|other| other.company.status = "active".into())), Nothing);
    let active = |other: &mut SimilarCompany| other.company.status = "active".into();
    assert_eq!(regulated(similar(active)), Nothing, "neither listed nor in finance");
    assert_eq!(
        regulated(similar(|other| {
            active(other);
            other.company.listed = Some(true);
        })),
        Found(1)
    );
    let in_finance = |code: &'static str| {
        similar(move |other| {
            active(other);
            other.company.nic_code = own(code);
        })
    };
    assert_eq!(regulated(in_finance("64990")), Found(1));
    assert_eq!(regulated(in_finance("63990")), Nothing);
    let mut bank = in_finance("64990");
    bank.company.nic_code = own("65110");
    assert_eq!(regulated(bank), Nothing, "it is regulated itself");
    let mut building = records_without_findings();
    building.similar = None;
    assert_eq!(struck_off(building), NotChecked, "the index is incomplete");
}

#[test]
fn twenty_companies_at_one_address_are_a_finding() {
    let rule = |total| {
        let mut stored = records_without_findings();
        stored.address = Some(AddressCluster { total, ..AddressCluster::default() });
        outcome_of("companies_at_address", stored)
    };
    assert_eq!(rule(20), Found(1));
    assert_eq!(rule(19), Nothing);
    assert_eq!(outcome_of("companies_at_address", records_without_findings()), NotChecked);
}

#[test]
fn risks_come_before_context_and_the_most_severe_first() {
    let mut stored = similar(|_| ());
    stored.company.status = "struck_off".into();
    stored.people = director(directorships(21, "PTC", "active")).people;
    stored.appointments = director(Vec::new()).appointments;
    let codes: Vec<_> =
        check(stored).findings.into_iter().map(|finding| finding.code.into_owned()).collect();
    let expected = ["company_status", "many_directorships", "name_like_struck_off_company"];
    assert_eq!(codes, expected);
}
