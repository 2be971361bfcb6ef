//! DIN, PAN and TAN.

use panji_ids::{Din, HolderType, IdError, IdErrorKind, Pan, Tan};

#[track_caller]
fn check_refused<T: core::fmt::Debug>(
    parsed: Result<T, IdError>,
    kind: IdErrorKind,
    position: Option<usize>,
    message: &str,
) {
    let error = parsed.expect_err("the value is wrong");
    assert_eq!(error.to_string(), message);
    assert_eq!((error.kind, error.position), (kind, position), "{message}");
}

#[test]
fn a_din_is_padded_to_eight_digits() {
    let check = |text: &str, canonical: &str, number: u32| {
        let din = Din::parse(text).expect(text);
        assert_eq!((din.as_str(), din.number()), (canonical, number));
    };
    check("00000123", "00000123", 123);
    check("7", "00000007", 7);
    check(" 99999999 ", "99999999", 99_999_999);
}

#[test]
fn an_invalid_din_gets_a_helpful_error() {
    use IdErrorKind::{Character, Empty, Length, OtherIdentifier, Reserved};
    let check = |text: &str, kind, position, message: &str| {
        check_refused(Din::parse(text), kind, position, message)
    };
    check("", Empty, None, "a DIN is needed here, nothing was given");
    check("123456789", Length, None, "a DIN has at most 8 digits, this has 9");
    check("0012-3456", Character, Some(5), "character 5 is '-', which a DIN cannot contain");
    check("12.34", Character, Some(3), "character 3 must be a digit, found '.'");
    check(
        "0000012B",
        Character,
        Some(8),
        "character 8 must be a digit, found B: an eight was probably meant",
    );
    check("0000XXXX", Character, Some(5), "character 5 must be a digit, found X");
    check("AAAPA0001A", OtherIdentifier, None, "looks like a PAN, not a DIN");
    check(
        "AAA-0001",
        OtherIdentifier,
        Some(1),
        "character 1 must be a digit, found A; this looks like an LLPIN, not a DIN",
    );
    check("0", Reserved, None, "a DIN of only zeros is never issued");
    check("00000000", Reserved, None, "a DIN of only zeros is never issued");
    check("-1", Character, Some(1), "character 1 must be a digit, found '-'");
}

#[test]
fn a_pan_is_accepted_in_any_case_and_with_separators() {
    let check = |text: &str, canonical: &str, masked: &str| {
        let pan = Pan::parse(text).expect(text);
        assert_eq!((pan.as_str(), pan.masked().as_str()), (canonical, masked));
    };
    check("AAPPV1231K", "AAPPV1231K", "AAPPVXXXXK");
    check(" aappv1231k ", "AAPPV1231K", "AAPPVXXXXK");
    check("AAPPV-1231-K", "AAPPV1231K", "AAPPVXXXXK");
    check("A.A.A C.A 0001.Z", "AAACA0001Z", "AAACAXXXXZ");
}

#[test]
fn an_invalid_pan_gets_a_helpful_error() {
    use IdErrorKind::{Character, Length, OtherIdentifier, Reserved};
    let check = |text: &str, kind, position, message: &str| {
        check_refused(Pan::parse(text), kind, position, message)
    };
    check("AAPPV1231", Length, None, "a PAN has 10 characters, this has 9");
    check("AAPPV1231KK", Length, None, "a PAN has 10 characters, this has 11");
    check(
        "AAPPV123OK",
        Character,
        Some(9),
        "character 9 must be a digit, found O: a zero was probably meant",
    );
    check(
        "AAPPV-123O-K",
        Character,
        Some(10),
        "character 10 must be a digit, found O: a zero was probably meant",
    );
    check("AAPPV--1231K", Character, Some(6), "character 6 is '-', which a PAN cannot contain");
    check(
        "AAPPV12311",
        Character,
        Some(10),
        "character 10 must be a letter, found 1: the letter I was probably meant",
    );
    check(
        "AAPXV1231K",
        Character,
        Some(4),
        "character 4 must be the letter of a holder type (A, B, C, F, G, H, J, K, L, P or T), found X",
    );
    check(
        "AAPPV0000K",
        Reserved,
        Some(6),
        "the four digits from character 6 on cannot all be zero in a PAN",
    );
    check("27AAPFU0939F1ZV", OtherIdentifier, None, "looks like a GSTIN, not a PAN");
    check(
        "AAAA00001A",
        OtherIdentifier,
        Some(5),
        "character 5 must be a letter, found 0: the letter O was probably meant; this looks like a TAN, not a PAN",
    );
    check("AAPPVXXXXK", Character, Some(6), "character 6 must be a digit, found X");
}

#[test]
fn each_holder_type_is_recognized_by_its_letter() {
    for holder in HolderType::ALL {
        let pan = Pan::parse(&format!("AAA{}A0001A", holder.letter())).expect("a right form");
        assert_eq!(pan.holder_type(), holder);
        let personal = matches!(holder.name(), "individual" | "hindu_undivided_family");
        assert_eq!(pan.is_personal(), personal, "{holder}");
    }
}

#[test]
fn debug_output_contains_no_digits() {
    let pan = Pan::parse("AAPPV1231K").expect("a right form");
    assert_eq!(format!("{pan:?} {:?}", Some(pan)), r#"Pan("AAPPVXXXXK") Some(Pan("AAPPVXXXXK"))"#);
    assert_eq!(format!("{pan}"), "AAPPV1231K");
    let tan = Tan::parse("AAAA00001A").expect("a right form");
    assert_eq!(format!("{tan:?}"), r#"Tan("AAAAXXXXXA")"#);
}

#[test]
fn a_pan_is_not_a_tan() {
    assert_eq!(Tan::parse("aaaa-00001-a").expect("a right form").as_str(), "AAAA00001A");
    let error = Tan::parse("AAPPV1231K").expect_err("this is a PAN");
    assert_eq!(error.kind, IdErrorKind::OtherIdentifier);
}
