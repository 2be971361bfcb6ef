//! Tests of verdicts on all four identifiers: valid, malformed, wrong, unknown.

use serde_json::{Value, json};

use crate::ask::get;
use crate::server::serve;
use crate::snapshots::assert_response;

#[test]
fn a_verdict_says_what_is_right_and_what_is_wrong() {
    serve(&[], async |server| {
        for (name, path) in [
            ("verify-cin-valid", "cin/l17111mh1994plc990011"),
            ("verify-cin-former", "cin/U17111MH1994PTC990011"),
            ("verify-cin-llp", "cin/ZZA1204"),
            ("verify-cin-foreign", "cin/F99101"),
            ("verify-cin-malformed", "cin/L17111MH1994PLC99001O"),
            ("verify-cin-unknown", "cin/U17111MH1994PTC999999"),
            ("verify-cin-of-no-known-state", "cin/U99999QQ2000ZZZ000001"),
            ("verify-cin-of-the-future", "cin/U17111MH2999PTC990011"),
            ("verify-din-valid", "din/4990109"),
            ("verify-din-disqualified", "din/99000220"),
            ("verify-din-malformed", "din/9900O101"),
            ("verify-din-unknown", "din/99999999"),
            ("verify-gstin-valid", "gstin/27zzack4368a1zp"),
            ("verify-gstin-wrong-check-digit", "gstin/27ZZACK4368A1ZQ"),
            ("verify-gstin-malformed", "gstin/27ZZACK4368A1"),
            ("verify-gstin-unknown", "gstin/27AAPFU0939F1ZV"),
            ("verify-gstin-uin", "gstin/0718UNO99003UNA"),
            ("verify-pan-valid", "pan/zzack4368a"),
            ("verify-pan-malformed", "pan/ZZAXK4368A"),
            ("verify-pan-unknown", "pan/ZZZPZ0001Z"),
        ] {
            let response = assert_response(server, name, get(format!("/v1/verify/{path}"))).await;
            assert_eq!((response.status, response.charged()), (200, 1), "{path}");
        }
    });
}

#[test]
fn every_text_gets_a_verdict() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for kind in ["cin", "din", "gstin", "pan"] {
            for text in
                ["x", "%20", "%00", "%2F", "%E0%A4%AA%E0%A4%82", "a%0Ab", &"9".repeat(1_000)]
            {
                let path = format!("/v1/verify/{kind}/{text}");
                let response = server.send(get(&path).key(&key)).await;
                let data = response.expect_data();
                assert_eq!(data["format_valid"], false, "{path}");
                assert_eq!(data["valid"], false, "{path}");
                assert_eq!(data["found"], false, "{path}");
                assert!(data["reason"].is_string(), "{path}");
                let echoed = data[kind].as_str().unwrap().chars().count();
                assert!(echoed <= 64, "{path} repeats {echoed} characters");
            }
        }
    });
}

#[test]
fn a_simulated_unknown_number_gets_a_verdict_too() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let path = "/v1/verify/cin/U99999XX2000PTC000404";
        let response = server.send(get(path).key(&key)).await;
        assert_eq!(response.expect_data()["found"], false);
        assert_eq!(response.data()["parsed"]["state"], Value::Null);
    });
}

#[test]
fn a_former_cin_is_superseded_by_the_present_one() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for (requested, superseded, current) in [
            ("L17111MH1994PLC990011", false, json!("L17111MH1994PLC990011")),
            ("u17111mh1994ptc990011", true, json!("L17111MH1994PLC990011")),
            ("U72900KA2017OPC990462", true, json!("U72900KA2017PTC990462")),
            ("U17111MH1994PTC999999", false, json!("U17111MH1994PTC999999")),
            ("zza1204", false, json!("ZZA-1204")),
            ("nonsense", false, Value::Null),
        ] {
            let response = server.send(get(format!("/v1/verify/cin/{requested}")).key(&key)).await;
            let data = response.expect_data();
            assert_eq!((&data["superseded"], &data["current_cin"]), (&json!(superseded), &current));
        }
    });
}

#[test]
fn a_verdict_has_a_reason_if_something_is_wrong_and_a_source_if_something_is_found() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for (path, reason) in [
            ("cin/L17111MH1994PLC990011", None),
            ("cin/U17111MH1994PTC990011", None),
            ("cin/U17111MH1994PTC999999", Some("no company with it is in the register")),
            ("cin/L17111MH1994PLC99001O", Some("haracter 21")),
            ("din/04990109", None),
            ("din/99999998", Some("no director with it is in the register")),
            ("din/9900O101", Some("haracter 5")),
            ("gstin/27ZZACK4368A1ZP", None),
            ("gstin/27AAPFU0939F1ZV", Some("no registration with it is in the register")),
            ("gstin/27ZZACK4368A1ZQ", Some("haracter 15")),
            ("pan/ZZACK4368A", None),
            ("pan/ZZVCD6404E", None),
            ("pan/ZZZPZ0001Z", Some("no company or registration with it is in the register")),
            ("pan/ZZAXK4368A", Some("haracter 4")),
        ] {
            let response = server.send(get(format!("/v1/verify/{path}")).key(&key)).await;
            let data = response.expect_data();
            let fine = data["valid"] == true && data["found"] == true;
            assert_eq!(data["reason"].is_null(), fine, "{path}: {data}");
            match reason {
                Some(part) => assert!(data["reason"].as_str().unwrap().contains(part), "{data}"),
                None => assert!(fine, "{path}: {data}"),
            }
            for member in ["as_of", "source"] {
                assert_eq!(data[member].is_string(), data["found"] == true, "{path}: {data}");
            }
        }
    });
}
