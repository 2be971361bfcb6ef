//! Verdicts of all four kinds on all four identifiers: valid, malformed, wrong, unknown.

use serde_json::Value;

use crate::ask::get;
use crate::server::serve;
use crate::snapshots::assert_answer;

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
            let answer = assert_answer(server, name, get(format!("/v1/verify/{path}"))).await;
            assert_eq!((answer.status, answer.charged()), (200, 1), "{path}");
        }
    });
}

#[test]
fn anything_at_all_gets_a_verdict() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for kind in ["cin", "din", "gstin", "pan"] {
            for text in
                ["x", "%20", "%00", "%2F", "%E0%A4%AA%E0%A4%82", "a%0Ab", &"9".repeat(1_000)]
            {
                let path = format!("/v1/verify/{kind}/{text}");
                let answer = server.send(get(&path).key(&key)).await;
                let data = answer.expect_data();
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
fn a_number_whose_company_is_rehearsed_as_not_held_is_a_verdict_too() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let path = "/v1/verify/cin/U99999XX2000PTC000404";
        let answer = server.send(get(path).key(&key)).await;
        assert_eq!(answer.expect_data()["found"], false);
        assert_eq!(answer.data()["parsed"]["state"], Value::Null);
    });
}
