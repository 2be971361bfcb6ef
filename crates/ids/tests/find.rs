//! Identifiers of companies found in texts.

use panji_ids::{CompanyId, find_company_ids};

fn found(text: &str) -> Vec<String> {
    find_company_ids(text).iter().map(CompanyId::as_str).map(str::to_owned).collect()
}

#[test]
fn a_cin_is_found_in_any_dress() {
    for text in [
        "U12345MH2001PTC000123",
        "u12345mh2001ptc000123",
        "CIN: U12345MH2001PTC000123",
        "CIN:U12345MH2001PTC000123.",
        "CINU12345MH2001PTC000123",
        "U 12345 MH 2001 PTC 000123",
        "U-12345-MH-2001-PTC-000123",
        "U12345 MH2001 PTC000123",
        "U12345MH2001PTCOOO123",
        "UI2345MH2OO1PTC000123",
        "Kalpanik Mills Private Limited (CIN U12345MH2001PTC000123), Mumbai",
        "please check U12345MH2001PTC000123 today",
        "कंपनी U12345MH2001PTC000123",
    ] {
        assert_eq!(found(text), ["U12345MH2001PTC000123"], "{text}");
    }
}

#[test]
fn llpins_and_fcrns_are_found() {
    let cases = [
        ("AAB-1234", "AAB-1234"),
        ("aab1234", "AAB-1234"),
        ("LLPIN AAB 1234", "AAB-1234"),
        ("LLPIN: AAB-1234 of Jugnu Consulting", "AAB-1234"),
        ("AAB-12O4", "AAB-1204"),
        ("FCRN F00123", "F00123"),
        ("Example Incorporated F01234, Delhi", "F01234"),
    ];
    for (text, id) in cases {
        assert_eq!(found(text), [id], "{text}");
    }
}

#[test]
fn names_and_other_numbers_hold_none() {
    for text in [
        "",
        "Kalpanik Mills Private Limited",
        "MAX 1234 FOODS",
        "ABC SOIL",
        "27AAPFU0939F1ZV",
        "U12345XX2001PTC000123",
        "U12345MH2001PTC00012",
        "U12345MH2001PTC0001234",
        "+91 98765 43210",
        "🦀",
    ] {
        assert_eq!(found(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn several_are_found_in_their_order_and_no_more_than_a_few() {
    let two = "U12345MH2001PTC000123 and L12345KA1999PLC000456";
    assert_eq!(found(two), ["U12345MH2001PTC000123", "L12345KA1999PLC000456"]);
    let many = "U12345MH2001PTC000123 ".repeat(30);
    assert_eq!(found(&many).len(), 8);
}
