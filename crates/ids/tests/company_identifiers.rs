//! LLPINs, FCRNs, and how they are distinguished from CINs.

use panji_ids::{CompanyId, CompanyKind, Fcrn, IdErrorKind, Llpin};

#[track_caller]
fn check_refused<T: core::fmt::Debug>(
    parsed: Result<T, panji_ids::IdError>,
    kind: IdErrorKind,
    position: Option<usize>,
    message: &str,
) {
    let error = parsed.expect_err("the value is wrong");
    assert_eq!(error.to_string(), message);
    assert_eq!((error.kind, error.position), (kind, position), "{message}");
}

#[test]
fn an_llpin_gets_its_hyphen() {
    let check = |text: &str, canonical: &str| {
        assert_eq!(Llpin::parse(text).expect(text).as_str(), canonical)
    };
    check("AAA-0001", "AAA-0001");
    check(" aaa0001 ", "AAA-0001");
    check("FAB1234", "FAB-1234");
}

#[test]
fn an_invalid_llpin_gets_a_helpful_error() {
    use IdErrorKind::{Character, Length, OtherIdentifier};
    let check = |text: &str, kind, position, message: &str| {
        check_refused(Llpin::parse(text), kind, position, message)
    };
    check(
        "AAA-00O1",
        Character,
        Some(7),
        "character 7 must be a digit, found O: a zero was probably meant",
    );
    check("AAA 0001", Character, Some(4), "character 4 must be a hyphen, found a space");
    check("AAA\u{2013}0001", Character, Some(4), "character 4 must be a hyphen, found U+2013");
    check("AAA--0001", Character, Some(5), "character 5 is '-', which an LLPIN cannot contain");
    check("AAA-001", Length, None, "an LLPIN has 4 digits after its hyphen, this has 3");
    check("AAA001", Length, None, "an LLPIN has 8 characters (7 without its hyphen), this has 6");
    check(
        "F000001",
        OtherIdentifier,
        Some(2),
        "character 2 must be a letter, found 0: the letter O was probably meant; this looks like an FCRN, not an LLPIN",
    );
}

#[test]
fn an_fcrn_has_five_or_six_digits() {
    let check = |text: &str, canonical: &str| {
        assert_eq!(Fcrn::parse(text).expect(text).as_str(), canonical)
    };
    check("F00001", "F00001");
    check("f123456", "F123456");
    let refused = |text: &str, kind, position, message: &str| {
        check_refused(Fcrn::parse(text), kind, position, message)
    };
    refused("F0001", IdErrorKind::Length, None, "an FCRN has 6 or 7 characters, this has 5");
    refused("G00001", IdErrorKind::Character, Some(1), "character 1 must be F, found G");
    refused(
        "F0000I",
        IdErrorKind::Character,
        Some(6),
        "character 6 must be a digit, found I: a one was probably meant",
    );
    assert!(Fcrn::parse("F00001").expect("right") < Fcrn::parse("F000010").expect("right"));
}

#[test]
fn a_company_is_identified_by_any_of_the_three() {
    let check = |text: &str, kind: CompanyKind, name: &str, canonical: &str| {
        let id = CompanyId::parse(text).expect(text);
        assert_eq!((id.kind(), id.kind().name(), id.as_str()), (kind, name, canonical));
        assert_eq!(id.cin().is_some(), kind == CompanyKind::Company);
    };
    check("u12345ka2015ptc000123", CompanyKind::Company, "company", "U12345KA2015PTC000123");
    check("aaa0001", CompanyKind::Llp, "llp", "AAA-0001");
    check("FAB-1234", CompanyKind::Llp, "llp", "FAB-1234");
    check("f00001", CompanyKind::ForeignCompany, "foreign_company", "F00001");
    check("F000001", CompanyKind::ForeignCompany, "foreign_company", "F000001");
}

#[test]
fn the_error_about_a_company_refers_to_the_intended_identifier() {
    let check = |text: &str, message: &str| {
        assert_eq!(CompanyId::parse(text).expect_err("the value is wrong").to_string(), message);
    };
    check("", "a CIN is needed here, nothing was given");
    check("U12345KA2015PTC00012", "a CIN has 21 characters, this has 20");
    check("FO0001", "character 2 must be a digit, found O: a zero was probably meant");
    check("F0001", "an FCRN has 6 or 7 characters, this has 5");
    check("AAA-0O01", "character 6 must be a digit, found O: a zero was probably meant");
    check("AAA-00011", "an LLPIN has 8 characters (7 without its hyphen), this has 9");
    check("27AAPFU0939F1ZV", "looks like a GSTIN, not a CIN");
    check("00000123", "looks like a DIN, not a CIN");
    check(
        "ALLA",
        "a company is named by a CIN (21 characters), an LLPIN (like AAA-0000) or an FCRN (F and 5 or 6 digits), this has 4",
    );
}
