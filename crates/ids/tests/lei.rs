//! Legal entity identifiers: correct ones, wrong ones and what the errors say.

use panji_ids::{IdErrorKind, Lei};

/// Of GLEIF itself, of two large companies, and a fictitious one.
const CORRECT: [&str; 4] = [
    "506700GE1G29325QX363",
    "HWUPKR0MPOU8FGXBT394",
    "INR2EJN1ERAN0W5ZP974",
    "98450099PANJI0000184",
];

#[test]
fn correct_numbers_are_accepted_in_any_case_and_spacing() {
    for text in CORRECT {
        let lei = Lei::parse(text).expect(text);
        assert_eq!(lei.as_str(), text);
        let spaced = format!(" {}-{} {} ", &text[..4], &text[4..18].to_lowercase(), &text[18..]);
        assert_eq!(Lei::parse(&spaced), Ok(lei), "{spaced}");
        assert_eq!(Lei::check_digits_for(&text[..18]).as_deref(), Some(&text[18..]));
        assert!(Lei::resembles(text));
    }
}

#[test]
fn an_error_says_what_is_wrong() {
    for (text, kind, part) in [
        ("", IdErrorKind::Empty, "an LEI is needed here"),
        ("506700GE1G29325QX36", IdErrorKind::Length, "an LEI has 20 characters, this has 19"),
        ("506700GE1G29325QX36X", IdErrorKind::Character, "character 20 must be a digit, found X"),
        (
            "506700GE1G29325Q_363",
            IdErrorKind::Character,
            "character 17 must be a letter or a digit",
        ),
        ("506700GE1G29325QX346", IdErrorKind::CheckDigit, "must be 63, found 46"),
        ("U12345KA2015PTC000123", IdErrorKind::OtherIdentifier, "looks like a CIN, not an LEI"),
    ] {
        let error = Lei::parse(text).expect_err(text);
        assert_eq!(error.kind, kind, "{text}: {error}");
        assert!(error.message.contains(part), "{text}: {error}");
    }
}

#[test]
fn check_digits_below_ten_have_a_zero() {
    let body = "9999009900410000NL";
    assert_eq!(Lei::check_digits_for(body).as_deref(), Some("08"));
    assert!(Lei::parse(&format!("{body}08")).is_ok());
}

#[test]
fn an_lei_is_found_in_a_text_and_a_name_or_a_cin_is_none() {
    let lei = Lei::parse(CORRECT[3]).expect("a right one");
    for text in [
        "98450099panji0000184",
        "LEI 9845 0099 PANJ I000 0184",
        "lei:98450099PANJI0000184",
        "Kalpanik Industries, LEI 98450099PANJI0000184, Mumbai",
    ] {
        assert_eq!(Lei::find(text), Some(lei), "{text}");
    }
    for text in ["Kalpanik Industries", "U12345KA2015PTC000123", "98450099PANJI0000185", ""] {
        assert_eq!(Lei::find(text), None, "{text}");
    }
}
