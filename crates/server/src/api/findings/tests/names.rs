//! Rules about names that are alike, and companies at one address.

use super::*;
use crate::api::company_records::SimilarCompany;
use crate::api::registered_office::AddressCluster;

fn similar(change: impl FnOnce(&mut SimilarCompany)) -> Held {
    let mut other = SimilarCompany {
        company: Company {
            cin: "U17120MH1999PLC990999".into(),
            name: "Namuna Vastra Limited".into(),
            status: "struck_off".into(),
            ..Company::default()
        },
        matched_name: None,
        is_same: true,
        shares_director: false,
    };
    change(&mut other);
    let mut held = quiet();
    held.similar = Some(vec![other]);
    held
}

#[test]
fn a_name_like_that_of_a_struck_off_or_regulated_company_is_a_finding() {
    let struck_off = |held| said("name_like_struck_off_company", held);
    let regulated = |held| said("name_like_regulated_company", held);
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
    let mut building = quiet();
    building.similar = None;
    assert_eq!(struck_off(building), NotChecked, "the index is incomplete");
}

#[test]
fn twenty_companies_at_one_address_are_a_finding() {
    let rule = |total| {
        let mut held = quiet();
        held.address = Some(AddressCluster { total, ..AddressCluster::default() });
        said("companies_at_address", held)
    };
    assert_eq!(rule(20), Found(1));
    assert_eq!(rule(19), Nothing);
    assert_eq!(said("companies_at_address", quiet()), NotChecked);
}

#[test]
fn risks_come_before_context_and_the_most_severe_first() {
    let mut held = similar(|_| ());
    held.company.status = "struck_off".into();
    held.people = director(seats(21, "PTC", "active")).people;
    held.appointments = director(Vec::new()).appointments;
    let codes: Vec<_> =
        check(held).findings.into_iter().map(|finding| finding.code.into_owned()).collect();
    let expected = ["company_status", "many_directorships", "name_like_struck_off_company"];
    assert_eq!(codes, expected);
}
