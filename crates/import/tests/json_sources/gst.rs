//! Registrations and returns of the GST system's JSON.

use serde_json::json;

use super::{Read, fixture};

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
