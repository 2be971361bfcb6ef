//! CINs: their parts, and the errors about invalid ones.

use panji_ids::{Cin, CinClass, CompanyId, IdErrorKind};

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
fn a_cin_is_split_into_its_parts() {
    let check = |text: &str, listed, state, year, class, number: &str| {
        let cin = Cin::parse(text).expect(text);
        assert_eq!(cin.as_str(), text.trim().to_uppercase());
        assert_eq!(
            (cin.listed(), cin.state(), cin.year(), cin.class(), cin.registration_number()),
            (listed, state, year, class, number),
            "{text}"
        );
    };
    check(
        "L12345MH1973PLC000001",
        true,
        Some("Maharashtra"),
        1973,
        Some(CinClass::Public),
        "000001",
    );
    check(
        " u00000ts2023opc999999\n",
        false,
        Some("Telangana"),
        2023,
        Some(CinClass::OnePerson),
        "999999",
    );
    check(
        "U99999TZ1850GAT000000",
        false,
        Some("Tamil Nadu"),
        1850,
        Some(CinClass::GeneralAssociationPrivate),
        "000000",
    );
    check(
        "\u{a0}U12345PN2015NPL123456\u{3000}",
        false,
        Some("Maharashtra"),
        2015,
        Some(CinClass::NotForProfit),
        "123456",
    );
    // Unknown letters may be new ones.
    check("U12345QQ2015XYZ123456", false, None, 2015, None, "123456");
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn an_invalid_cin_gets_a_helpful_error() {
    use IdErrorKind::{Character, Empty, Length, OtherIdentifier, Reserved, Year};
    let check = |text: &str, kind, position, message: &str| {
        check_refused(Cin::parse(text), kind, position, message)
    };
    check(" \t", Empty, None, "a CIN is needed here, nothing was given");
    check("U12345KA2015PTC00012", Length, None, "a CIN has 21 characters, this has 20");
    check("U12345KA2015PTC0001234", Length, None, "a CIN has 21 characters, this has 22");
    check("X12345KA2015PTC000123", Character, Some(1), "character 1 must be L or U, found X");
    check(
        "112345KA2015PTC000123",
        Character,
        Some(1),
        "character 1 must be L or U, found 1: the letter L was probably meant",
    );
    check("U1234.KA2015PTC000123", Character, Some(6), "character 6 must be a digit, found '.'");
    check(
        "  U12345K02015PTC000123",
        Character,
        Some(8),
        "character 8 must be a letter, found 0: the letter O was probably meant",
    );
    check(
        "u12345ka2o15ptc000123",
        Character,
        Some(10),
        "character 10 must be a digit, found O: a zero was probably meant",
    );
    check(
        "U12345KA20l5PTC000123",
        Character,
        Some(11),
        "character 11 must be a digit, found L: a one was probably meant",
    );
    check(
        "U1234SKA2015PTC000123",
        Character,
        Some(6),
        "character 6 must be a digit, found S: a five was probably meant",
    );
    check(
        "U1234BKA2015PTC000123",
        Character,
        Some(6),
        "character 6 must be a digit, found B: an eight was probably meant",
    );
    check(
        "U12345KA2015P8C000123",
        Character,
        Some(14),
        "character 14 must be a letter, found 8: the letter B was probably meant",
    );
    check(
        "U1234\0KA2015PTC000123",
        Character,
        Some(6),
        "character 6 must be a digit, found U+0000",
    );
    check(
        "U12345KA2015PTC000123\0",
        Character,
        Some(22),
        "character 22 is U+0000, which a CIN cannot contain",
    );
    check(
        "U12345क2015PTC000123",
        Character,
        Some(7),
        "character 7 is U+0915, which a CIN cannot contain",
    );
    check("U1234५KA2015PTC000123", Character, Some(6), "character 6 must be a digit, found U+096B");
    check(
        "U12345 KA 2015 PTC 000123",
        Character,
        Some(7),
        "character 7 is a space, which a CIN cannot contain",
    );
    check(
        "U12345KA1849PTC000123",
        Year,
        Some(9),
        "characters 9 to 12 give the year as 1849, it cannot be earlier than 1850",
    );
    check("27AAPFU0939F1ZV", OtherIdentifier, None, "looks like a GSTIN, not a CIN");
    check("aaa-0001", OtherIdentifier, None, "looks like an LLPIN, not a CIN");
    check(
        "a99999aa9999llp999999",
        Reserved,
        None,
        "this is the RBI's dummy CIN that any LLP may write in its forms, it names no company",
    );
}

#[test]
fn a_cin_of_next_year_is_accepted_and_a_later_one_is_not() {
    assert!(Cin::parse_in_year("U12345KA2026PTC000123", 2025).is_ok());
    check_refused(
        Cin::parse_in_year("U12345KA2027PTC000123", 2025),
        IdErrorKind::Year,
        Some(9),
        "characters 9 to 12 give the year as 2027, it cannot be later than 2026",
    );
    assert!(Cin::parse("U12345KA9999PTC000123").is_ok());
    assert!(Cin::parse_in_year("U12345KA9999PTC000123", u16::MAX).is_ok());
    assert!(CompanyId::parse_in_year("U12345KA2027PTC000123", 2025).is_err());
}

#[test]
fn every_class_is_found_by_its_code_and_has_a_unique_name() {
    let names: std::collections::BTreeSet<_> =
        CinClass::ALL.iter().map(|class| class.name()).collect();
    assert_eq!(names.len(), 12);
    for class in CinClass::ALL {
        assert_eq!(CinClass::from_code(class.code()), Some(class));
    }
}
