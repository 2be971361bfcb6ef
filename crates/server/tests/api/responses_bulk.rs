//! Tests of bulk calls: results in the order of the request, repeats, and errors of single items.

use serde_json::{Value, json};

use crate::ask::post;
use crate::server::serve;
use crate::snapshots::assert_response;

const VERIFY: &str = "/v1/bulk/verify";
const ENRICH: &str = "/v1/bulk/enrich";
const LISTED: &str = "L17111MH1994PLC990011";
const SMALL: &str = "U72900KA2017PTC990462";
const NOTHING: &str = "U99999DL1956PTC990001";

#[test]
fn bulk_verification_returns_every_item_in_order() {
    serve(&[], async |server| {
        let body = json!({ "items": [
            { "type": "gstin", "value": "27ZZACK4368A1ZP", "ref": "supplier 1" },
            { "type": "gstin", "value": "27ZZACK4368A1ZQ", "ref": "supplier 2" },
            { "value": "l17111mh1994plc990011" },
            { "value": "zza1204", "ref": null },
            { "value": "F99101" },
            { "value": " 04990109 " },
            { "type": "din", "value": "4990109" },
            { "value": "ZZACK4368A" },
            { "value": "ZZACK4368A", "ref": "again" },
            { "type": "pan", "value": "nonsense" },
            { "value": "no identifier at all" },
            { "value": "what is this" },
            { "value": "" },
            { "type": "cin", "value": "U17111MH1994PTC999999" },
        ] });
        let response = assert_response(server, "bulk-verify", post(VERIFY, &body)).await;
        assert_eq!(response.charged(), 9, "equal items are charged once");
        assert_eq!(response.data()["total"], 14);
        let dry = post(VERIFY, &body).query("dry_run=true");
        assert_response(server, "bulk-verify-dry-run", dry).await;
    });
}

#[test]
fn bulk_verdicts_are_those_of_the_single_calls() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let cases = [
            ("cin", LISTED),
            ("cin", "U17111MH1994PTC999999"),
            ("din", "4990109"),
            ("gstin", "27ZZACK4368A1ZQ"),
            ("pan", "ZZAXK4368A"),
        ];
        let items: Vec<Value> =
            cases.iter().map(|(kind, value)| json!({ "type": kind, "value": value })).collect();
        let bulk = server.send(post(VERIFY, &json!({ "items": items })).key(&key)).await;
        for (index, (kind, value)) in cases.iter().enumerate() {
            let path = format!("/v1/verify/{kind}/{value}");
            let single = server.send(crate::ask::get(path).key(&key)).await;
            assert_eq!(&bulk.expect_data()["results"][index]["result"], single.expect_data());
        }
    });
}

#[test]
fn enrichment_returns_the_requested_sections() {
    serve(&[], async |server| {
        let members = json!({
            "cins": [SMALL, NOTHING],
            "fields": ["company.name", "pan", "company.status", "capital", "directors.current"],
        });
        assert_response(server, "bulk-enrich-members", post(ENRICH, &members)).await;
        let mixed = json!({
            "cins": [
                "u72900ka2017ptc990462",
                "U17111MH1994PTC999999",
                SMALL,
                "not a number",
                "U72900KA2017OPC990462",
                "ZZA1204",
            ],
            "fields": ["company.cin", "capital"],
        });
        let response = assert_response(server, "bulk-enrich-mixed", post(ENRICH, &mixed)).await;
        assert_eq!(response.data()["found"], 4);
        // One company under three numbers is charged once; the LLP's capital is not known.
        assert_eq!(response.charged(), 2 + 1);
        let dry = post(ENRICH, &mixed).query("dry_run=true");
        assert_response(server, "bulk-enrich-dry-run", dry).await;
    });
}

#[test]
fn enriched_sections_are_those_of_the_single_calls() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let sections = ["pan", "directors", "charges", "financials", "compliance", "documents"];
        let mut fields = vec!["company", "capital"];
        fields.extend(sections);
        for cin in [LISTED, NOTHING, "ZZA-1204"] {
            let body = json!({ "cins": [cin], "fields": fields });
            let bulk = server.send(post(ENRICH, &body).key(&key)).await;
            let result = &bulk.expect_data()["results"][0];
            // A company without known capital pays for its identity alone.
            let capital = i64::from(result["capital"]["coverage"] != "none");
            let mut credits = 1 + capital;
            for section in sections {
                let path = format!("/v1/companies/{cin}/{section}");
                let single = server.send(crate::ask::get(path).key(&key)).await;
                assert_eq!(&result[section], single.expect_data(), "{cin} {section}");
                credits += single.charged();
            }
            let path = format!("/v1/companies/{cin}/profile");
            let profile = server.send(crate::ask::get(path).key(&key)).await;
            assert_eq!(result["company"], profile.expect_data()["company"]);
            assert_eq!(result["capital"], profile.data()["capital"]);
            assert_eq!(result["credits"], credits, "{cin}");
            assert_eq!(bulk.charged(), credits, "{cin}");
        }
    });
}

#[test]
fn every_member_of_every_section_can_be_requested_by_itself() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let sections = [
            "company",
            "pan",
            "capital",
            "directors",
            "charges",
            "financials",
            "compliance",
            "documents",
        ];
        let whole = json!({ "cins": [LISTED], "fields": sections });
        let whole = server.send(post(ENRICH, &whole).key(&key)).await;
        for section in sections {
            let given = whole.expect_data()["results"][0][section].as_object().unwrap();
            for (member, value) in given {
                let field = format!("{section}.{member}");
                let body = json!({ "cins": [LISTED], "fields": [field] });
                // A member costs as much as its section, so this needs its own account.
                let key = server.test_key().await;
                let response = server.send(post(ENRICH, &body).key(&key)).await;
                assert_eq!(
                    &response.expect_data()["results"][0][section][member],
                    value,
                    "{field}"
                );
                let picked = response.data()["results"][0][section].as_object().unwrap();
                assert_eq!(picked.len(), 1, "{field}");
            }
        }
    });
}

#[test]
fn enrichment_repeats_the_requested_numbers_and_references() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let body = json!({
            "cins": [
                " u72900ka2017ptc990462 ",
                { "cin": SMALL, "ref": "mine" },
                { "cin": "not a number", "ref": null },
                { "cin": "U72900KA2017OPC990462" },
            ],
            "fields": ["company.name"],
        });
        let response = server.send(post(ENRICH, &body).key(&key)).await;
        let seen: Vec<Value> = response.expect_data()["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| {
                json!([result["requested"], result["cin"], result["ref"], result["credits"]])
            })
            .collect();
        assert_eq!(
            seen,
            [
                json!([" u72900ka2017ptc990462 ", SMALL, null, 1]),
                json!([SMALL, SMALL, "mine", 0]),
                json!(["not a number", null, null, 0]),
                json!(["U72900KA2017OPC990462", SMALL, null, 0]),
            ]
        );
    });
}

#[test]
fn equal_items_are_each_returned_and_charged_once() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let body = json!({ "items": [
            { "value": "04990109", "ref": "a" },
            { "type": "din", "value": " 4990109", "ref": "b" },
            { "value": "27ZZACK4368A1ZP" },
            { "value": "27-zzack-4368a-1zp" },
            { "type": "pan", "value": "nonsense" },
            { "type": "pan", "value": "NONSENSE" },
            { "type": "din", "value": "nonsense" },
        ] });
        let dry = server.send(post(VERIFY, &body).query("dry_run=true").key(&key)).await;
        assert_eq!(dry.expect_data()["credits"], 4);
        let response = server.send(post(VERIFY, &body).key(&key)).await;
        assert_eq!(response.charged(), 4);
        let results = response.expect_data()["results"].as_array().unwrap();
        assert_eq!(results.len(), 7);
        assert_eq!(results[0]["result"], results[1]["result"]);
        assert_eq!((&results[0]["ref"], &results[1]["ref"]), (&json!("a"), &json!("b")));
    });
}
