//! Recognizing kinds by form, names of states, and masking PANs in texts.

use std::borrow::Cow;
use std::collections::BTreeSet;

use panji_ids::{
    IdErrorKind, Identifier, IdentifierKind, cin_state, cin_state_codes, gst_state, mask_pans,
    state_code_by_name,
};

#[test]
fn the_kind_is_recognized_by_the_form() {
    use IdentifierKind::{Cin, Din, Gstin, Pan};
    let check = |text: &str, kind: Option<IdentifierKind>| {
        assert_eq!(Identifier::classify(text), kind, "{text:?}")
    };
    check("U12345KA2015PTC000123", Some(Cin));
    check("u12345ka2o15ptc000123", Some(Cin));
    check("U1234.KA2015PTC000123", Some(Cin));
    check("A99999AA9999LLP999999", Some(Cin));
    check("AAA-0001", Some(Cin));
    check("aaa0001", Some(Cin));
    check("AAA-00O1", Some(Cin));
    check("F00001", Some(Cin));
    check("FO0001", Some(Cin));
    check("F000001", Some(Cin));
    check("1", Some(Din));
    check(" 00000123 ", Some(Din));
    check("0000012O", Some(Din));
    check("123456789", None);
    check("27AAPFU0939F1ZV", Some(Gstin));
    check("27-AAPFU-0939F-1ZV", Some(Gstin));
    check("27AAPFUO939F1ZV", Some(Gstin));
    check("27AAPFU0939F1Z*", Some(Gstin));
    check("O7AAPFU0939F1ZV", Some(Gstin));
    check("9917USA00001OS1", Some(Gstin));
    check("AAPPV1231K", Some(Pan));
    check("aappv 1231 k", Some(Pan));
    check("AAPPV123OK", Some(Pan));
    check("9876543210", None);
    check("PUPUN1753022000", None);
    check("", None);
    check("hello", None);
    check("नमस्ते", None);
    check(&"U".repeat(100_000), None);
}

#[test]
fn an_identifier_of_unknown_kind_is_parsed_by_its_form() {
    let id = Identifier::parse("27aapfu0939f1zv").expect("a right number");
    assert_eq!((id.kind(), id.as_str()), (IdentifierKind::Gstin, "27AAPFU0939F1ZV"));
    assert_eq!(Identifier::parse("7").expect("a right number").to_string(), "00000007");
    let refused = |text: &str| Identifier::parse(text).expect_err("the value is wrong").kind;
    assert_eq!(refused("  "), IdErrorKind::Empty);
    assert_eq!(refused("hello"), IdErrorKind::Unrecognised);
    assert_eq!(refused("27AAPFU0939F1ZO"), IdErrorKind::CheckDigit);
    for kind in IdentifierKind::ALL {
        assert_eq!(IdentifierKind::from_name(kind.name()), Some(kind));
    }
}

#[test]
fn old_and_new_letters_of_a_state_have_one_name() {
    let check = |codes: &[&str], name: &str| {
        for code in codes {
            assert_eq!(cin_state(code), Some(name), "{code}");
        }
    };
    check(&["OR", "OD", "od"], "Odisha");
    check(&["CT", "CG"], "Chhattisgarh");
    check(&["TG", "TS"], "Telangana");
    check(&["UR", "UT", "UK"], "Uttarakhand");
    check(&["LA", "LH"], "Ladakh");
    check(&["MH", "PN"], "Maharashtra");
    check(&["TN", "TZ"], "Tamil Nadu");
    assert_eq!(cin_state("XX"), None);
    assert_eq!(cin_state(""), None);
}

#[test]
fn every_state_of_a_cin_is_found_by_its_name() {
    let codes: Vec<_> = cin_state_codes().map(|(code, _)| code).collect();
    assert!(codes.is_sorted_by(|before, after| before < after), "in order, without repeats");
    let names: BTreeSet<_> = cin_state_codes().map(|(_, name)| name).collect();
    assert_eq!(names.len(), 37);
    for name in names {
        let code = state_code_by_name(name).expect(name);
        assert_eq!(cin_state(code), Some(name));
    }
}

#[test]
fn a_state_is_found_by_its_other_spellings() {
    let check =
        |name: &str, code: Option<&str>| assert_eq!(state_code_by_name(name), code, "{name}");
    check("KARNATAKA", Some("KA"));
    check("tamilnadu", Some("TN"));
    check("Jammu & Kashmir", Some("JK"));
    check("Jammu and  Kashmir", Some("JK"));
    check("Andaman & Nicobar", Some("AN"));
    check("Andaman & Nicobar Islands", Some("AN"));
    check("Dadra & Nagar Haveli and Daman & Diu", Some("DN"));
    check("Orissa", Some("OD"));
    check("Pondicherry", Some("PY"));
    check("Uttaranchal", Some("UT"));
    check("Chattisgarh", Some("CG"));
    check("Telangana", Some("TS"));
    check("Delhi (NCT)", Some("DL"));
    check("Maharashtra", Some("MH"));
    check("", None);
    check("Atlantis", None);
}

#[test]
fn gst_states_are_01_to_38_and_two_special_codes() {
    let known: Vec<String> = (0..100)
        .map(|code| format!("{code:02}"))
        .filter(|code| gst_state(code).is_some())
        .collect();
    assert_eq!(known.len(), 40);
    assert_eq!(known[0], "01");
    assert_eq!(known[37..], ["38", "97", "99"]);
    assert_eq!(gst_state("1"), None);
}

#[test]
fn pans_are_masked_at_any_position() {
    let check = |text: &str, masked: &str| {
        assert_eq!(mask_pans(text), masked);
        assert!(matches!(mask_pans(masked), Cow::Borrowed(_)), "masking twice changes nothing");
    };
    check("AAPPV1231K", "AAPPVXXXXK");
    check("pan=aappv1231k&x=1", "pan=aappvXXXXk&x=1");
    check("/v1/pan/AAPPV1231K/gstins", "/v1/pan/AAPPVXXXXK/gstins");
    check("xxAAPPV1231Kyy", "xxAAPPVXXXXKyy");
    check("AAPPV1231KABCD1234E", "AAPPVXXXXKABCDXXXXE");
    check("27AAPFU0939F1ZV,27AAPFU0939F1ZV", "27AAPFUXXXXF1ZV,27AAPFUXXXXF1ZV");
    check("id 06MUMA12345B1D5.", "id 06MUMAXXXXXB1D5.");
    check("क AAPPV1231K ख", "क AAPPVXXXXK ख");
    check("2717usa00001nr1", "2717usaXXXXXnr1");
    check("ZZDCKZZDCK9534Q9534Q", "ZZDCKZZDCKXXXXQXXXXQ");
    check("AAPPV1206MUMA12345B1D5", "AAPPVXXXXMUMAXXXXXB1D5");
}

#[test]
fn a_text_without_pans_is_not_copied() {
    let check = |text: &str| {
        assert!(matches!(mask_pans(text), Cow::Borrowed(same) if same == text), "{text}")
    };
    check("");
    check("U12345KA2015PTC000123");
    check("AAA-0001 F00001 00000123");
    check("req_01ARZ3NDEKTSV4RRFFQ69G5FAV");
    check("Calcutta700001 section455 companies/search order12 MHBAN9900128000");
    check("March2026 sheet2024.csv GSTR-3B AA331121000230J");
    // Two characters short, two too many, two that are wrong.
    check("AAPP1231 AAPPV123111K AAP11231K1 AAP1V12A1K");
    // A TAN by itself is not a PAN, and is masked only inside a GSTIN.
    check("MUMA12345B");
    check("27MUMA12345B1D");
}

#[test]
fn pans_with_one_typing_mistake_are_masked_too() {
    let check = |text: &str, masked: &str| {
        assert_eq!(mask_pans(text), masked);
        assert!(matches!(mask_pans(masked), Cow::Borrowed(_)), "masking twice changes nothing");
    };
    // One character is missing: the last letter, a digit, one of the first letters.
    check("AAPPV1231", "AAPPVXXXX");
    check("aappv123k", "aappvXXXk");
    check("/v1/verify/pan/AAPP1231K", "/v1/verify/pan/AAPPXXXXK");
    check("AAPPV1231é", "AAPPVXXXXé");
    // One is too many: a digit at the end, a digit among the letters, a letter among the digits, a
    // letter.
    check("AAPPV12311K", "AAPPVXXXXXK");
    check("AA1PPV1231K", "AAXPPVXXXXK");
    check("AAPPV12A31K", "AAPPVXXAXXK");
    check("AAPPVV1231K", "AAPPVVXXXXK");
    check("AAPPV1231KK", "AAPPVXXXXKK");
    // One is wrong: O for 0, 0 for O, a digit for the last letter.
    check("AAPPV12O1K", "AAPPVXXOXK");
    check("AAP0V1231K", "AAPXVXXXXK");
    check("AAPPV12310", "AAPPVXXXXX");
    check("pan AAPPV1231 and AAPPV1231K.", "pan AAPPVXXXX and AAPPVXXXXK.");
}
