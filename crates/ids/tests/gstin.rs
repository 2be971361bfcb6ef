//! GSTINs: their check character, families and parts.

use panji_ids::gstin::check_digit;
use panji_ids::{Gstin, GstinFamily, IdErrorKind};

/// Fourteen characters with their check character.
fn complete(first_fourteen: &str) -> String {
    let check = Gstin::check_digit_for(first_fourteen).expect("fourteen letters and digits");
    format!("{first_fourteen}{check}")
}

#[test]
fn the_check_character_of_the_published_samples_is_correct() {
    let check = |gstin: &str| assert_eq!(complete(&gstin[..14]), gstin);
    check("27AAPFU0939F1ZV");
    // The sum is a multiple of 36 here.
    check("33AADCB2230M1Z0");
    check("27MUMA12345B1D5");
    assert_eq!(check_digit(b"27aapfu0939f1z"), Some('V'));
    assert_eq!(check_digit(b"27AAPFU0939F1*"), None);
    assert_eq!(Gstin::check_digit_for("27AAPFU0939F1é"), None);
    assert_eq!(Gstin::check_digit_for("27AAPFU0939F1Ze"), None);
}

#[test]
fn each_family_is_recognized_by_its_form() {
    use GstinFamily::*;
    let check = |first: &str,
                 family: GstinFamily,
                 name: &str,
                 pan: Option<&str>,
                 tan: Option<&str>,
                 entity| {
        let text = complete(first);
        let gstin = Gstin::parse(&text).expect(&text);
        assert_eq!((gstin.family(), gstin.family().name()), (family, name), "{text}");
        assert_eq!(gstin.pan().as_ref().map(AsRef::as_ref), pan, "{text}");
        assert_eq!(gstin.tan().as_ref().map(AsRef::as_ref), tan, "{text}");
        assert_eq!(gstin.entity_number(), entity, "{text}");
    };
    check("27AAPFU0939F1Z", Normal, "normal", Some("AAPFU0939F"), None, Some('1'));
    check("27AAPFU0939FBZ", Normal, "normal", Some("AAPFU0939F"), None, Some('B'));
    check("27AAPFU0939F1A", Normal, "normal", Some("AAPFU0939F"), None, Some('1'));
    check("27AAPFU0939F1D", TaxDeductor, "tax_deductor", Some("AAPFU0939F"), None, Some('1'));
    check("27MUMA12345B1D", TaxDeductor, "tax_deductor", None, Some("MUMA12345B"), Some('1'));
    check("27AAPFU0939F1C", TaxCollector, "tax_collector", Some("AAPFU0939F"), None, Some('1'));
    check("2717USA00001NR", NonResident, "non_resident", None, None, None);
    check("9917USA00001OS", OnlineServices, "online_services", None, None, None);
    check("0717UNO00001UN", UnBodyOrEmbassy, "un_body_or_embassy", None, None, None);
    check("0717UNO00001ON", UnBodyOrEmbassy, "un_body_or_embassy", None, None, None);
}

#[test]
fn a_government_department_has_digits_at_13_and_15() {
    let government = (1..=36)
        .map(|number| complete(&format!("27MUMA{number:05}B1Z")))
        .find(|text| text.ends_with(|last: char| last.is_ascii_digit()))
        .expect("one of 36 numbers in a row leads to a digit");
    let gstin = Gstin::parse(&government).expect("a right number");
    assert_eq!(gstin.family(), GstinFamily::GovernmentDepartment);
    assert_eq!(gstin.family().name(), "government_department");
    assert_eq!(gstin.tan().as_ref().map(AsRef::as_ref), Some(&government[2..12]));
    assert_eq!(gstin.pan(), None);
    // With a letter at the end it can only be a normal number with a digit among its PAN's letters.
    let error = Gstin::parse_format("27MUMA12345B1ZX").expect_err("neither family");
    assert_eq!(error.position, Some(7));
}

#[test]
fn separators_between_characters_are_ignored() {
    let check =
        |text: &str| assert_eq!(Gstin::parse(text).expect(text).as_str(), "27AAPFU0939F1ZV");
    check("27-AAPFU-0939F-1ZV");
    check(" 27 aapfu 0939f 1zv ");
    check("2.7.A.A.P.F.U.0.9.3.9.F.1.Z.V");
    check("\t27AAPFU0939F1ZV\r\n");
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn an_invalid_gstin_gets_a_helpful_error() {
    use IdErrorKind::{Character, CheckDigit, Empty, Length, OtherIdentifier, Reserved, State};
    let check = |text: &str, kind, position, message: &str| {
        let error = Gstin::parse(text).expect_err("the value is wrong");
        assert_eq!(error.to_string(), message);
        assert_eq!((error.kind, error.position), (kind, position), "{message}");
    };
    check("", Empty, None, "a GSTIN is needed here, nothing was given");
    check("27AAPFU0939F1Z", Length, None, "a GSTIN has 15 characters, this has 14");
    check("AAPFU0939F", OtherIdentifier, None, "looks like a PAN, not a GSTIN");
    check(
        "27AAPFU0939F1ZO",
        CheckDigit,
        Some(15),
        "the check character is wrong: character 15 must be V to fit the others, found O",
    );
    check(
        "27-AAPFU-0939F-1ZO",
        CheckDigit,
        Some(18),
        "the check character is wrong: character 18 must be V to fit the others, found O",
    );
    check(
        "49AAPFU0939F1ZV",
        State,
        Some(1),
        "49, the first two characters, is not a GST state code",
    );
    check(
        "96AAPFU0939F1ZV",
        State,
        Some(1),
        "96, the first two characters, is not a GST state code",
    );
    check(
        "2717USA00001OS0",
        State,
        Some(1),
        "a GSTIN for online services from abroad begins with 99, found 27",
    );
    check(
        "Z7AAPFU0939F1ZV",
        Character,
        Some(1),
        "character 1 must be a digit, found Z: a two was probably meant",
    );
    check(
        "27AAPFUO939F1ZV",
        Character,
        Some(8),
        "character 8 must be a digit, found O: a zero was probably meant",
    );
    check(
        "27-AAPFU-O939F-1ZV",
        Character,
        Some(10),
        "character 10 must be a digit, found O: a zero was probably meant",
    );
    check(
        "27AAPFU0939F0ZV",
        Character,
        Some(13),
        "character 13 must be a letter or a digit from 1 to 9, found 0: the letter O was probably meant",
    );
    check(
        "27AAPFU0939F1QV",
        Character,
        Some(14),
        "character 14 must be Z or another mark of a registration type, found Q",
    );
    check(
        "27AAPFU0939F12*",
        Character,
        Some(15),
        "character 15 must be a letter or a digit, found '*'",
    );
    check(
        "27AAPFU0000F1ZV",
        Reserved,
        Some(8),
        "the four digits from character 8 on cannot all be zero in a PAN",
    );
    check(
        "27--AAPFU0939F1ZV",
        Character,
        Some(3),
        "character 3 is '-', which a GSTIN cannot contain",
    );
    check(
        "27AAPFU0939F1ZV-",
        Character,
        Some(16),
        "character 16 is '-', which a GSTIN cannot contain",
    );
    check(
        "27AAPFU\u{200b}0939F1ZV",
        Character,
        Some(8),
        "character 8 is U+200B, which a GSTIN cannot contain",
    );
}

#[test]
fn parse_format_leaves_the_check_character_to_the_caller() {
    let gstin = Gstin::parse_format("27AAPFU0939F1ZO").expect("a right form");
    assert!(!gstin.check_digit_valid());
    assert_eq!(gstin.expected_check_digit(), 'V');
    assert!(Gstin::parse_format("27AAPFU0939F1Z*").is_err());
}

#[test]
fn the_masked_form_keeps_letters_and_the_state() {
    let check = |text: &str, masked: &str| {
        let gstin = Gstin::parse_format(text).expect(text);
        assert_eq!(gstin.masked(), masked);
        assert_eq!(format!("{gstin:?}"), format!("Gstin(\"{masked}\")"));
        assert_eq!(panji_ids::mask_pans(text), masked);
    };
    check("27AAPFU0939F1ZV", "27AAPFUXXXXF1ZV");
    check("27MUMA12345B1D5", "27MUMAXXXXXB1D5");
    check("9917USA00001OS1", "9917USAXXXXXOS1");
    check("0717UNO00001UN1", "0717UNOXXXXXUN1");
}
