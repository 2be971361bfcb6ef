//! The real files, each with its counts and irregularities. Without `PANJI_REAL_DATA` nothing is
//! tested.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::{Read, document, summary};

const COMPANY: &str = "mca_v3_json/company_with_directors_and_charges.json";

/// A file of the real data; none if `PANJI_REAL_DATA` is not set.
#[allow(clippy::disallowed_methods, reason = "names the real files, if there are any")]
fn real(name: &str) -> Option<Value> {
    let folder = std::env::var_os("PANJI_REAL_DATA")?;
    Some(document(&PathBuf::from(folder).join(name)))
}

fn people(document: &Value) -> Vec<&Map<String, Value>> {
    let list = document["data"]["masterData"]["directorData"].as_array().expect("a list");
    list.iter().filter_map(Value::as_object).collect()
}

#[test]
fn the_company_is_read_from_the_real_file() {
    let Some(document) = real(COMPANY) else { return };
    let read = Read::mca(&document);
    let [company] = &read.companies[..] else { panic!("one company") };
    assert_eq!(company.cin, "L74110KA2013PLC096530");
    assert_eq!((company.name.as_str(), company.status.as_str()), ("SWIGGY LIMITED", "active"));
    assert_eq!(company.incorporated_on.as_deref(), Some("2013-12-26"));
    assert_eq!(company.last_agm_on.as_deref(), Some("2024-09-26"));
    assert_eq!(company.last_balance_sheet_on.as_deref(), Some("2024-03-31"));
    assert_eq!(company.last_annual_return_year.as_deref(), Some("2021-22"));
    assert_eq!(company.authorised_capital, Some(16_699_802_499_000));
    assert_eq!(company.paid_up_capital, Some(229_011_314_500));
    assert_eq!(
        (company.pincode.as_deref(), company.state_code.as_deref()),
        (Some("560103"), Some("KA"))
    );
    let address = company.address.as_deref().unwrap_or_default();
    assert!(address.ends_with("Outer Ring Road, Devarbisanahalli"), "{address}");
    assert_eq!(company.former_cins, r#"["U72200AP2013PTC091938","U74110KA2013PTC096530"]"#);
    assert!(company.former_names.contains("BUNDL TECHNOLOGIES PRIVATE LIMITED"));
    assert_eq!((company.listed, &company.email), (Some(true), &None));
    assert_eq!(company.nic_code.as_deref(), Some("74"));
}

#[test]
fn seventeen_directors_and_119_roles_are_accounted_for() {
    let Some(document) = real(COMPANY) else { return };
    let read = Read::mca(&document);
    read.assert_keys_are_unique();
    let people = people(&document);
    let mut roles: BTreeMap<&str, usize> = BTreeMap::new();
    for person in &people {
        for role in person["MCAUserRole"].as_array().expect("a list") {
            let designation = role["designation"].as_str().expect("a text");
            let kind = match role["personType"].as_str().expect("a text") {
                "FO User" => "portal account",
                _ if designation.ends_with("Subscriber") => "founder",
                _ if designation.ends_with("Promoter") => "founder",
                _ if person["DIN"] == "" => "no DIN",
                _ => "appointment",
            };
            *roles.entry(kind).or_default() += 1;
        }
    }
    let expected = [("appointment", 78), ("founder", 10), ("no DIN", 3), ("portal account", 28)];
    assert_eq!(roles.into_iter().collect::<Vec<_>>(), expected);
    // One person is managing director and CEO of a company since the same day: one appointment.
    assert_eq!(read.appointments.len(), 77);
    assert_eq!((people.len(), read.directors.len()), (17, 14));
    assert!(
        read.appointments
            .iter()
            .all(|appointment| appointment.ceased_on.is_none()
                && !appointment.appointed_on.is_empty())
    );
    assert!(read.appointments.iter().all(|appointment| appointment.designation != "other"));
    let both =
        read.appointments.iter().filter(|appointment| appointment.cin == "L74950MH1982PLC028947");
    let both: Vec<_> = both.map(summary).collect();
    assert_eq!(both, [("L74950MH1982PLC028947", "2021-08-18", "managing_director", None)]);
    let here: Vec<_> = read
        .appointments
        .iter()
        .filter(|appointment| appointment.cin == "L74110KA2013PLC096530")
        .collect();
    assert_eq!(here.len(), 10);
    // The original appointment, not the day of the current designation.
    let founder =
        here.iter().find(|appointment| appointment.din == "97811851").expect("an appointment");
    assert_eq!(
        (founder.appointed_on.as_str(), founder.designation.as_str()),
        ("2013-12-26", "managing_director")
    );
    read.assert_rejects(&[
        "director 15 of L74110KA2013PLC096530",
        "director 16 of L74110KA2013PLC096530",
        "director 17 of L74110KA2013PLC096530",
        "director 90486626: listed by",
        "director 90869953: listed by",
        "director 91899280: listed by",
        "director 94136805: listed by",
    ]);
}

#[test]
fn nine_charges_are_accounted_for() {
    let Some(document) = real(COMPANY) else { return };
    let read = Read::mca(&document);
    let count = |status: &str| read.charges.iter().filter(|one| one.status == status).count();
    assert_eq!((read.charges.len(), count("satisfied"), count("open")), (9, 6, 3));
    assert!(read.charges.iter().all(|one| one.lender != "Others" && one.created_on.is_some()));
    let total: i64 = read.charges.iter().filter_map(|one| one.amount).sum();
    assert_eq!(total, 195_250_000_000);
    let open = read.charges.iter().filter(|one| one.status == "open");
    assert!(open.clone().all(|one| one.satisfied_on.is_none()));
    let modified = read.charges.iter().find(|one| one.charge_id == "100312838").expect("a charge");
    assert_eq!(modified.modified_on.as_deref(), Some("2020-01-17"));
    assert_eq!(modified.satisfied_on.as_deref(), Some("2021-07-28"));
}

#[test]
fn personal_data_of_directors_is_not_read() {
    let Some(document) = real(COMPANY) else { return };
    let text = Read::mca(&document).text();
    const PRIVATE: &[&str] = &[
        "PAN",
        "dob",
        "emailAddress",
        "mobileNumber",
        "passportNumber",
        "drivingLicenseNumber",
        "fathersFirstName",
        "fathersMiddleName",
        "fathersLastName",
        "birthPlace",
        "membershipNumber",
    ];
    let mut values: Vec<&str> = Vec::new();
    for person in people(&document) {
        let roles = person["MCAUserRole"].as_array().expect("a list");
        let addresses = person["contactAddress"].as_array().expect("a list");
        for object in roles.iter().filter_map(Value::as_object).chain([person]) {
            values.extend(PRIVATE.iter().filter_map(|name| object.get(*name)?.as_str()));
        }
        for address in addresses.iter().filter_map(Value::as_object) {
            values.extend(address.values().filter_map(Value::as_str));
        }
    }
    values.retain(|value| value.len() >= 4);
    assert!(values.len() > 500, "the file has {} such values", values.len());
    for value in values {
        assert!(!text.contains(value), "{value}");
    }
}

#[test]
fn every_response_of_the_gst_portal_and_its_relays_is_accounted_for() {
    // The file, its registrations, and a part of each reject.
    let no_name = "the list gives no legal name";
    let scheme = "only says when they joined";
    let files: &[(&str, usize, &[&str])] = &[
        ("portal_captures/composition_list.json", 0, &[scheme; 2]),
        ("portal_captures/goods_live.json", 0, &["goods and services without a GSTIN"]),
        ("portal_captures/registrations_by_pan.json", 0, &[no_name; 7]),
        ("portal_captures/taxpayer_cancelled.json", 1, &[]),
        ("portal_captures/taxpayer_composition.json", 1, &[]),
        ("portal_captures/taxpayer_live.json", 1, &[]),
        ("portal_captures/taxpayer_manufacturer.json", 1, &[]),
        ("portal_captures/taxpayer_statutory_body.json", 1, &[]),
        ("portal_captures/taxpayer_uin.json", 1, &[]),
        ("vendor_samples/commonapi_v1.1_search_company_multi_address.json", 1, &[]),
        ("vendor_samples/gstn_developer_portal_sample_search_v1.1.json", 1, &[]),
        ("vendor_samples/karza_style_2_companies.json", 2, &[]),
    ];
    for (name, registrations, rejects) in files {
        let Some(document) = real(&format!("gst/{name}")) else { return };
        let read = Read::gst(&document);
        assert_eq!(read.gst.len(), *registrations, "{name}");
        read.assert_rejects(rejects);
        for one in &read.gst {
            assert!(one.status != "other" && one.constitution != "other", "{one:?}");
            assert!(one.taxpayer_type != "other" && one.registered_on.is_some(), "{one:?}");
            let place = one.principal_place.as_deref().expect("a principal place");
            let place: Value = serde_json::from_str(place).expect("JSON");
            assert!(place["pincode"].is_string() && place["state"].is_string(), "{place}");
            assert!(!read.text().contains("REDACTED") && !read.text().contains("redacted"));
        }
    }
}

#[test]
fn irregular_taxpayers_are_read() {
    let Some(document) = real("gst/portal_captures/taxpayer_cancelled.json") else { return };
    let read = Read::gst(&document);
    assert_eq!(read.gst[0].status, "cancelled_suo_moto");
    assert_eq!(read.gst[0].cancelled_on.as_deref(), Some("2023-07-01"));

    let uin = Read::gst(&real("gst/portal_captures/taxpayer_uin.json").expect("the file"));
    let uin = &uin.gst[0];
    assert_eq!((&uin.pan, uin.constitution.as_str(), &uin.trade_name), (&None, "unknown", &None));
    let place = uin.principal_place.as_deref().unwrap_or_default();
    assert!(place.contains("Polytechnic Colony, Shyamla Hills, Bhopal"), "{place}");

    let name = "gst/vendor_samples/commonapi_v1.1_search_company_multi_address.json";
    let several = Read::gst(&real(name).expect("the file"));
    let places: Value = serde_json::from_str(&several.gst[0].additional_places).expect("JSON");
    assert_eq!(places.as_array().map(Vec::len), Some(3));
    assert_eq!(places[0]["nature"], serde_json::json!(["Factory / Manufacturing"]));

    let relayed = Read::gst(&real("gst/vendor_samples/karza_style_2_companies.json").expect("it"));
    let places: Vec<Value> = relayed
        .gst
        .iter()
        .map(|one| serde_json::from_str(&one.additional_places).expect("JSON"))
        .collect();
    assert_eq!(places.iter().map(|list| list.as_array().map_or(0, Vec::len)).sum::<usize>(), 5);
    assert_eq!(places[0][0]["nature"].as_array().map(Vec::len), Some(3));
    assert!(relayed.gst.iter().all(|one| one.e_invoice == Some(true)));
}

#[test]
fn the_749_returns_are_accounted_for() {
    let Some(document) = real("gst/returns/efiledlist_scrubbed.json") else { return };
    let lists = document.as_object().expect("an object");
    let unmarked = lists
        .values()
        .flat_map(|list| list["EFiledlist"].as_array().expect("a list"))
        .filter(|one| one.get("valid").is_none())
        .count();
    assert_eq!((lists.len(), unmarked), (5, 44));
    let read = Read::gst(&document);
    read.assert_keys_are_unique();
    read.assert_rejects(&[]);
    let mut by_taxpayer: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_return: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &read.filings {
        *by_taxpayer.entry(&one.gstin).or_default() += 1;
        *by_return.entry(&one.return_type).or_default() += 1;
        assert!(one.filed_on.is_some() && one.arn.is_some() && one.status == "filed", "{one:?}");
        assert_eq!(one.mode.as_deref(), Some("online"));
        // No return is filed before its period begins; this detects a wrong order of day and month.
        assert!(one.filed_on.as_deref() > Some(one.period.as_str()), "{one:?}");
    }
    assert_eq!(by_taxpayer.into_values().collect::<Vec<_>>(), [153, 146, 147, 152, 151]);
    let expected = [("GSTR-1", 366), ("GSTR-2", 1), ("GSTR-3B", 372), ("GSTR-9", 10)];
    assert_eq!(by_return.into_iter().collect::<Vec<_>>(), expected);
    // The year of the period, not of the filing: March 2018 belongs to 2017-18.
    let march = read.filings.iter().filter(|one| one.period == "2018-03");
    assert!(march.clone().count() > 0);
    assert!(march.clone().all(|one| one.financial_year == "2017-18"));
}
