//! JSON of the MCA portal and of the GST system: fictitious documents with the difficulties of real
//! ones, and real documents if `PANJI_REAL_DATA` is set.

mod mangled;
mod real;

use std::path::PathBuf;

use panji_import::{Reason, gstn, mca_company_json};
use panji_store::register::{
    Appointment, Charge, Company, Director, GstFiling, GstRegistration, Record,
};
use serde_json::{Value, json};

const AS_OF: Option<&str> = Some("2025-07-01");

fn fixture(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/json").join(name);
    document(&path)
}

fn document(path: &PathBuf) -> Value {
    let text = std::fs::read_to_string(path).expect("the file is there");
    serde_json::from_str(&text).expect("the file is JSON")
}

/// The records of a document, by kind.
#[derive(Default)]
struct Read {
    companies: Vec<Company>,
    directors: Vec<Director>,
    seats: Vec<Appointment>,
    charges: Vec<Charge>,
    gst: Vec<GstRegistration>,
    filings: Vec<GstFiling>,
    rejects: Vec<String>,
}

impl Read {
    fn of(results: Vec<Result<Record, Reason>>) -> Read {
        let mut read = Read::default();
        for result in results {
            match result {
                Ok(Record::PartialCompany(company)) => read.companies.push(company),
                Ok(Record::Director(director)) => read.directors.push(director),
                Ok(Record::Appointment(seat)) => read.seats.push(seat),
                Ok(Record::Charge(charge)) => read.charges.push(charge),
                Ok(Record::Gst(registration)) => read.gst.push(registration),
                Ok(Record::GstFiling(filing)) => read.filings.push(filing),
                Ok(other) => panic!("unexpected {other:?}"),
                Err(reason) => read.rejects.push(reason.text),
            }
        }
        read
    }

    fn mca(document: &Value) -> Read {
        assert!(mca_company_json::recognizes(document) && !gstn::recognizes(document));
        Read::of(mca_company_json::parse_document(document, AS_OF, "2026-06-30"))
    }

    fn gst(document: &Value) -> Read {
        assert!(gstn::recognizes(document) && !mca_company_json::recognizes(document));
        Read::of(
            gstn::parse_document(document, AS_OF).into_iter().map(|(_, record)| record).collect(),
        )
    }

    /// Everything that was read, in one text.
    fn text(&self) -> String {
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            self.companies,
            self.directors,
            self.seats,
            self.charges,
            self.gst,
            self.filings,
            self.rejects
        )
    }

    fn assert_rejects(&self, expected: &[&str]) {
        for (sentence, part) in self.rejects.iter().zip(expected) {
            assert!(sentence.contains(part), "{sentence:?} does not say {part:?}");
        }
        assert_eq!(self.rejects.len(), expected.len(), "{:#?}", self.rejects);
    }

    fn assert_keys_are_unique(&self) {
        let mut keys: Vec<String> = Vec::new();
        keys.extend(self.directors.iter().map(|one| one.din.clone()));
        keys.extend(self.seats.iter().map(|s| format!("{} {} {}", s.cin, s.din, s.appointed_on)));
        keys.extend(self.charges.iter().map(|one| format!("charge {}", one.charge_id)));
        keys.extend(
            self.filings.iter().map(|f| format!("{} {} {}", f.gstin, f.period, f.return_type)),
        );
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count, "two records of one document have the same key");
    }
}

/// The main fields of a seat.
fn summary(seat: &Appointment) -> (&str, &str, &str, Option<&str>) {
    (&seat.cin, &seat.appointed_on, &seat.designation, seat.ceased_on.as_deref())
}

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
fn roles_become_seats_and_an_invalid_director_does_not_reject_the_company() {
    let read = Read::mca(&fixture("company.json"));
    read.assert_keys_are_unique();
    let here = "L10799KA2012PLC990101";
    let seats: Vec<_> = read.seats.iter().map(summary).collect();
    let expected = [
        ("AAT-9967", "2021-01-02", "designated_partner", None),
        (here, "2012-04-09", "director", Some("2016-03-31")),
        (here, "2019-07-01", "whole_time_director", None),
        (here, "2020-06-14", "nominee_director", None),
    ];
    assert_eq!(seats, expected);
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
fn personal_data_is_not_read() {
    let company = Read::mca(&fixture("company.json")).text();
    let taxpayers = Read::gst(&fixture("taxpayers_api.json")).text();
    for private in [
        "ABCPD1234E",
        "ABCPS9876K",
        "ABCPT5555L",
        "Private Lane",
        "560999",
        "1971",
        "home.example",
        "98000000",
        "PITAJI",
        "PRIVATE MEMBER",
        "SOMEONE",
    ] {
        assert!(!company.contains(private) && !taxpayers.contains(private), "{private}");
    }
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

#[test]
fn a_taxpayer_is_read_in_the_format_of_the_portal() {
    let read = Read::gst(&fixture("taxpayer_portal.json"));
    let [one] = &read.gst[..] else { panic!("one taxpayer, not {:?}", read.gst) };
    assert_eq!((one.gstin.as_str(), one.pan.as_deref()), ("29ZZZCQ1234F1ZX", Some("ZZZCQ1234F")));
    assert_eq!(
        (one.status.as_str(), one.taxpayer_type.as_str()),
        ("cancelled_suo_moto", "regular")
    );
    assert_eq!(one.constitution, "public_limited_company");
    assert_eq!((one.registered_on.as_deref(), &one.cancelled_on), (Some("2018-04-05"), &None));
    assert_eq!((one.e_invoice, one.source.as_str()), (Some(true), "gstn_taxpayer"));
    assert_eq!(
        one.nature_of_business,
        json!(["Retail Business", "Supplier of Services"]).to_string()
    );
    let place = json!({
        "address": "1, Namuna Towers, Deva Road, BENGALURU, Bengaluru, Karnataka, 560103",
        "city": "BENGALURU", "district": "Bengaluru", "state": "Karnataka", "pincode": "560103",
        "nature": []
    });
    assert_eq!(one.principal_place, Some(place.to_string()));
    assert_eq!(one.additional_places, "[]");
    read.assert_rejects(&[]);
}

#[test]
fn taxpayers_are_read_in_the_formats_of_the_api_and_its_relays() {
    let read = Read::gst(&fixture("taxpayers_api.json"));
    let [company, body] = &read.gst[..] else { panic!("two taxpayers, not {:?}", read.gst) };
    assert_eq!((&company.trade_name, &company.cancelled_on), (&None, &None));
    assert_eq!((company.taxpayer_type.as_str(), company.e_invoice), ("sez_unit", Some(false)));
    assert_eq!(company.nature_of_business, json!(["Export", "Import"]).to_string());
    let place = json!({
        "address": "2nd FLOOR, 1, NAMUNA HOUSE, LONG ROAD", "city": "BENGALURU",
        "district": "Bengaluru Urban", "state": "Karnataka", "pincode": "560103",
        "nature": ["Factory / Manufacturing"]
    });
    assert_eq!(company.principal_place, Some(place.to_string()));
    let places = json!([{
        "address": "10, FORT", "city": null, "district": null, "state": "Maharashtra",
        "pincode": "400001", "nature": ["Wholesale Business"]
    }]);
    assert_eq!(company.additional_places, places.to_string());
    assert_eq!((body.pan.as_ref(), body.taxpayer_type.as_str()), (None, "un_body"));
    assert_eq!((body.constitution.as_str(), &body.principal_place), ("unknown", &None));
    read.assert_rejects(&[
        "taxpayer 2, 2917UNOXXXXXUNU: rgdt: \"31/31/2017\" is not a date",
        "taxpayer 3: GSTIN 29ZZZPQXXXXF1Z5: the check character is wrong",
        "taxpayer 4, 29ZZZPQXXXXF1Z4: it has no legal name",
        "entry 5: it has no response",
    ]);
}

#[test]
fn the_gstins_of_a_pan_without_a_legal_name_are_rejected() {
    let read = Read::gst(&fixture("registrations_by_pan.json"));
    read.assert_rejects(&["entry 1 of the PAN's GSTINs, 29ZZZCQXXXXF1ZX", "no legal name"]);
    assert!(read.gst.is_empty());
}

#[test]
fn returns_use_the_gstin_of_the_enclosing_object() {
    let read = Read::gst(&fixture("returns.json"));
    read.assert_keys_are_unique();
    let filings: Vec<_> = read
        .filings
        .iter()
        .map(|one| {
            let day = one.filed_on.as_deref();
            (
                one.return_type.as_str(),
                one.period.as_str(),
                one.financial_year.as_str(),
                day,
                one.status.as_str(),
            )
        })
        .collect();
    let expected = [
        ("GSTR-1", "2023-03", "2022-23", Some("2023-04-05"), "filed"),
        ("GSTR-3B", "2023-04", "2023-24", Some("2023-06-11"), "filed"),
        ("GSTR-3B", "2023-05", "2023-24", Some("2023-06-20"), "other"),
        ("CMP-08", "2023-06", "2023-24", None, "not_filed"),
        ("GSTR-9", "2022-03", "2021-22", None, "filed"),
    ];
    assert_eq!(filings, expected);
    assert!(read.filings.iter().all(|one| one.gstin == "29ZZZCQ1234F1ZX"));
    assert_eq!(read.filings[0].mode.as_deref(), Some("online"));
    assert_eq!(read.filings[0].source, "gstn_returns");
    read.assert_rejects(&[
        "return 5 of 29ZZZCQXXXXF1ZX: GSTR-3B for 2023-04 is in the list more than once",
        "return 6 of 29ZZZCQXXXXF1ZX: dof: \"31-31-2023\" is not a date",
        "return 7 of 29ZZZCQXXXXF1ZX: \"132023\" is not a period",
        "a list of 1 returns: GSTIN 29ZZZPQXXXXF1Z5: the check character is wrong",
    ]);

    let list = fixture("returns.json")["29ZZZCQ1234F1ZX"].clone();
    let wrapped = json!({"gstin": "29ZZZCQ1234F1ZX", "status_cd": "1", "data": list});
    assert_eq!(Read::gst(&wrapped).filings.len(), 5);
    Read::gst(&list).assert_rejects(&["a list of 7 returns: it has no GSTIN"]);
}

#[test]
fn returns_of_the_portal_page_are_read_with_month_names() {
    let page = json!({"gstin": "29ZZZCQ1234F1ZX", "data": {"filingStatus": [[
        {"fy": "2021-2022", "taxp": "December", "mof": "ONLINE", "dof": "19/01/2022",
            "rtntype": "GSTR3B", "arn": "NA", "status": "Filed"},
        {"fy": "2021-2022", "taxp": "March", "dof": "19/04/2022", "rtntype": "GSTR3B", "status": "Filed"},
        {"fy": "2021-2022", "taxp": "Sometime", "rtntype": "GSTR3B", "status": "Filed"}
    ], [
        {"fy": "2020-2021", "taxp": "Annual", "dof": "31/12/2021", "rtntype": "GSTR9", "status": "Filed"},
        {"fy": "2021-2022", "taxp": "Jul-Sep", "dof": "13/10/2021", "rtntype": "GSTR1", "status": "Filed"}
    ]]}});
    let read = Read::gst(&page);
    let periods: Vec<_> = read
        .filings
        .iter()
        .map(|one| (one.return_type.as_str(), one.period.as_str(), one.financial_year.as_str()))
        .collect();
    let expected = [
        ("GSTR-3B", "2021-12", "2021-22"),
        ("GSTR-3B", "2022-03", "2021-22"),
        ("GSTR-9", "2021-03", "2020-21"),
        ("GSTR-1", "2021-09", "2021-22"),
    ];
    assert_eq!(periods, expected);
    assert_eq!(
        (read.filings[0].filed_on.as_deref(), &read.filings[0].arn),
        (Some("2022-01-19"), &None)
    );
    read.assert_rejects(&[
        "return 3 of 29ZZZCQXXXXF1ZX: \"Sometime\" of \"2021-2022\" is not a period",
    ]);
}

#[test]
fn documents_of_other_kinds_are_not_recognized() {
    for other in [json!({"record": "gst", "gstin": "29ZZZCQ1234F1ZX"}), json!([]), json!("text")] {
        assert!(!gstn::recognizes(&other) && !mca_company_json::recognizes(&other), "{other}");
    }
}
