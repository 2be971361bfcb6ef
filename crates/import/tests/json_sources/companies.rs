//! Companies, directors and charges of the MCA portal's JSON.

use panji_import::mca_company_json;
use panji_store::register::Company;
use serde_json::json;

use super::{Read, fixture, summary};

/// The coverage statements of a document, as stored.
fn stated<const N: usize>(sections: [(&str, &str); N]) -> String {
    let statement = |coverage| {
        format!(r#"{{"coverage":"{coverage}","as_of":"2025-07-01","source":"mca_company_json"}}"#)
    };
    let entries = sections.map(|(section, level)| format!(r#""{section}":{}"#, statement(level)));
    format!("{{{}}}", entries.join(","))
}

#[test]
fn a_company_is_read_with_its_history() {
    let read = Read::mca(&fixture("company.json"));
    let line = "No.1 Namuna Towers, Ground Floor, Second Block, Kalpana Tech Village, Outer Ring \
                Road, Devanagara";
    let some = |text: &str| Some(text.to_owned());
    let expected = Company {
        cin: "L10799KA2012PLC990101".to_owned(),
        name: "NAMUNA FOODS LIMITED".to_owned(),
        kind: "company".to_owned(),
        status: "active".to_owned(),
        status_text: some("Active"),
        class: some("public"),
        class_text: some("Public"),
        category: some("limited_by_shares"),
        category_text: some("Company limited by shares"),
        sub_category: some("non_government"),
        sub_category_text: some("Non-government company"),
        listed: Some(true),
        incorporated_on: some("2012-04-09"),
        registration_number: some("990101"),
        address: some(line),
        city: some("Bengaluru"),
        district: some("Bangalore"),
        state: some("Karnataka"),
        state_code: some("KA"),
        pincode: some("560103"),
        country: some("India"),
        email: some("office@namuna-foods.example"),
        roc_code: None,
        roc_name: some("ROC Bangalore"),
        nic_code: some("01"),
        nic_description: some("Agriculture and Allied Activities"),
        former_names: json!([
            {"name": "NAMUNA SWEETS PRIVATE LIMITED", "until": null},
            {"name": "NAMUNA MITHAI PRIVATE LIMITED", "until": null}
        ])
        .to_string(),
        inferred_cins: None,
        name_text: None,
        address_text: None,
        former_cins: json!(["U10799TG2012PTC990077"]).to_string(),
        authorised_capital: Some(16_699_802_499_000),
        paid_up_capital: Some(229_011_314_500),
        members: Some(1204),
        last_agm_on: None,
        last_balance_sheet_on: some("2024-03-31"),
        last_annual_return_year: some("2021-22"),
        coverage: stated([
            ("company", "full"),
            ("directors", "partial"),
            ("charges", "partial"),
            ("compliance", "partial"),
        ]),
        as_of: some("2025-07-01"),
        source: "mca_company_json".to_owned(),
    };
    assert_eq!(read.companies, [expected]);
}

#[test]
fn a_document_without_a_date_is_dated_by_its_newest_event_that_is_not_in_the_future() {
    let document = fixture("company.json");
    let dated = |today: &str| {
        let read = Read::of(mca_company_json::parse_document(&document, None, today));
        let as_of = read.companies[0].as_of.clone().expect("a date");
        assert!(read.charges.iter().all(|charge| charge.as_of.as_ref() == Some(&as_of)));
        assert!(read.companies[0].coverage.contains(&format!(r#""as_of":"{as_of}""#)));
        as_of
    };
    let all = Read::mca(&document);
    let steps = all.charges.iter().flat_map(|charge| [&charge.created_on, &charge.satisfied_on]);
    let newest_charge = steps.flatten().max().expect("a charge");
    assert!(dated("2026-06-30") >= *newest_charge);
    assert_eq!(dated("2012-04-09"), "2012-04-09", "the day of incorporation");
}

#[test]
fn roles_become_appointments_and_an_invalid_director_does_not_reject_the_company() {
    let read = Read::mca(&fixture("company.json"));
    read.assert_keys_are_unique();
    let here = "L10799KA2012PLC990101";
    let appointments: Vec<_> = read.appointments.iter().map(summary).collect();
    let expected = [
        ("AAT-9967", "2021-01-02", "designated_partner", None),
        (here, "2012-04-09", "director", Some("2016-03-31")),
        (here, "2019-07-01", "whole_time_director", None),
        (here, "2020-06-14", "nominee_director", None),
    ];
    assert_eq!(appointments, expected);
    let directors: Vec<_> = read
        .directors
        .iter()
        .map(|one| (one.din.as_str(), one.name.as_str(), one.status.as_str()))
        .collect();
    let expected = [
        ("01234567", "ASHA NAMUNA", "unknown"),
        ("09999991", "BINA NAMUNA", "disqualified"),
        ("09999992", "CHETAN NAMUNA", "unknown"),
    ];
    assert_eq!(directors, expected);
    assert_eq!(read.directors[0].nationality.as_deref(), Some("Indian"));
    read.assert_rejects(&[
        "director 2 of L10799KA2012PLC990101: a placeholder",
        "director 3 of L10799KA2012PLC990101: \"ABCPSXXXXK\" as the DIN",
        "director 4 of L10799KA2012PLC990101: no DIN",
        "director 01234567: a role in \"U93190KA20X5PTC990102\"",
        "director 09999991: listed by L10799KA2012PLC990101 without a role",
        "director 09999992, role in L10799KA2012PLC990101: currentDesignationDate",
        "director 09999992: the role in U93190KA2025PTC990102 has ended",
        "charge 990000002 of L10799KA2012PLC990101: amount: \"fifty\" is not an amount",
        "charge 990000003 of L10799KA2012PLC990101: it is in the index more than once",
        "charge 990000004 of L10799KA2012PLC990101: it has no charge holder",
        "charge 6 of L10799KA2012PLC990101: it has no charge id",
        "former number \"U10799KA2012PTC990I01\"",
    ]);
}

#[test]
fn charges_are_open_modified_or_satisfied() {
    let read = Read::mca(&fixture("company.json"));
    let charges: Vec<_> = read
        .charges
        .iter()
        .map(|one| (one.charge_id.as_str(), one.lender.as_str(), one.status.as_str(), one.amount))
        .collect();
    let expected = [
        ("990000001", "NAMUNA CAPITAL LIMITED", "satisfied", Some(33_000_000_000)),
        ("990000002", "NAMUNA BANK LIMITED", "open", None),
        ("990000003", "NAMUNA BANK LIMITED", "modified", Some(7_500_000_050)),
    ];
    assert_eq!(charges, expected);
    let first = &read.charges[0];
    assert_eq!(first.created_on.as_deref(), Some("2016-12-21"));
    assert_eq!(first.satisfied_on.as_deref(), Some("2018-02-23"));
    let address = "12th FLOOR, NAMUNA TOWERS, NAMUNA POINT, MUMBAI, 400021, India";
    assert_eq!(first.address.as_deref(), Some(address));
}

#[test]
fn llps_and_foreign_companies_are_read_from_lists() {
    let read = Read::mca(&fixture("companies_bare.json"));
    let llp = &read.companies[0];
    assert_eq!((llp.cin.as_str(), llp.kind.as_str()), ("AAZ-9901", "llp"));
    assert_eq!((llp.status.as_str(), llp.members), ("struck_off", Some(3)));
    assert_eq!((llp.incorporated_on.as_deref(), &llp.email), (Some("2016-05-02"), &None));
    read.assert_rejects(&[
        "company F09901: it has no name",
        "company \"L10799\"",
        "entry 4: it is not a company",
    ]);
}
