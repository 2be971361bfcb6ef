//! Properties of all values, not only of the examples.

use panji_ids::{
    Cin, CompanyId, Din, Fcrn, Gstin, IdError, Identifier, Lei, Llpin, Pan, Tan, mask_pans,
    state_code_by_name,
};
use proptest::prelude::*;

const CIN: &str = "[LU][0-9]{5}[A-Z]{2}(18[5-9][0-9]|19[0-9]{2}|20[0-9]{2})[A-Z]{3}[0-9]{6}";
const PAN: &str = "[A-Z]{3}[ABCFGHJKLPT][A-Z]([1-9][0-9]{3}|0[0-9]{2}[1-9])[A-Z]";
const GSTIN_STATE: &str = "(0[1-9]|[12][0-9]|3[0-8]|97|99)";

/// The errors of all parsers about one text.
fn errors(text: &str) -> Vec<IdError> {
    [
        Cin::parse(text).err(),
        Cin::parse_in_year(text, 2025).err(),
        Llpin::parse(text).err(),
        Fcrn::parse(text).err(),
        CompanyId::parse(text).err(),
        Din::parse(text).err(),
        Pan::parse(text).err(),
        Tan::parse(text).err(),
        Gstin::parse(text).err(),
        Gstin::parse_format(text).err(),
        Lei::parse(text).err(),
        Identifier::parse(text).err(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn check_errors_are_usable(text: &str) {
    let characters = text.trim().chars().count();
    for error in errors(text) {
        assert!(error.message.len() < 200, "{}", error.message);
        assert!(
            error.message.is_ascii() && !error.message.contains(char::is_control),
            "{}",
            error.message
        );
        if let Some(position) = error.position {
            assert!((1..=characters).contains(&position), "{} of {characters}", error.message);
        }
    }
    let _ = Lei::find(text);
    let _ = mask_pans(text);
    let _ = state_code_by_name(text);
}

#[test]
fn a_very_long_text_gets_a_short_error() {
    for unit in ["9", "A", "-", " A", "क", "\0", "27AAPFU0939F1ZV"] {
        check_errors_are_usable(&unit.repeat(20_000));
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in any::<String>()) {
        check_errors_are_usable(&text);
    }

    #[test]
    fn no_text_of_nearly_valid_characters_makes_a_parser_panic(text in "[ .\\-0-9A-Za-zक\u{0}]{0,24}") {
        check_errors_are_usable(&text);
    }

    #[test]
    fn a_cin_is_equal_after_a_round_trip_through_text(text in CIN) {
        let cin = Cin::parse(&text).expect("a right form");
        prop_assert_eq!(cin.to_string(), text.as_str());
        prop_assert_eq!(Cin::parse(&text.to_lowercase()), Ok(cin));
        prop_assert_eq!(CompanyId::parse(&text), Ok(CompanyId::Cin(cin)));
        prop_assert_eq!(
            [&text[..1], cin.nic_code(), cin.state_code(), &cin.year().to_string(), cin.class_code(), cin.registration_number()].concat(),
            text.as_str()
        );
        prop_assert_eq!(mask_pans(&text), text.as_str());
    }

    #[test]
    fn llpins_fcrns_and_dins_are_equal_after_a_round_trip_through_text(llpin in "[A-Z]{3}-?[0-9]{4}", fcrn in "F[0-9]{5,6}", din in 1..100_000_000_u32) {
        let llpin = Llpin::parse(&llpin).expect("a right form");
        prop_assert_eq!(Llpin::parse(llpin.as_str()), Ok(llpin));
        prop_assert_eq!(CompanyId::parse(llpin.as_str()), Ok(CompanyId::Llpin(llpin)));
        let parsed = Fcrn::parse(&fcrn).expect("a right form");
        prop_assert_eq!(parsed.as_str(), fcrn.as_str());
        prop_assert_eq!(CompanyId::parse(&fcrn), Ok(CompanyId::Fcrn(parsed)));
        let parsed = Din::parse(&din.to_string()).expect("a right form");
        prop_assert_eq!(parsed.number(), din);
        prop_assert_eq!(Din::parse(parsed.as_str()), Ok(parsed));
    }

    #[test]
    fn a_pan_is_equal_after_a_round_trip_and_is_always_masked(text in PAN, before in "[ -~]{0,12}", after in "[ -~]{0,12}") {
        let pan = Pan::parse(&text).expect("a right form");
        prop_assert_eq!(pan.as_str(), text.as_str());
        prop_assert_eq!(Pan::parse(&format!("{}-{} {}", &text[..5], &text[5..9], &text[9..])), Ok(pan));
        prop_assert_eq!(mask_pans(&text), pan.masked());
        let surrounded = format!("{before}{text}{after}");
        let masked = mask_pans(&surrounded);
        prop_assert_eq!(masked.len(), surrounded.len());
        prop_assert_eq!(&masked[before.len()..before.len() + 10], pan.masked());
    }

    #[test]
    fn exactly_one_check_character_is_correct(state in GSTIN_STATE, pan in PAN, entity in "[1-9A-Z]", fourteenth in "[Z1-9A-J]") {
        let first = format!("{state}{pan}{entity}{fourteenth}");
        let right = Gstin::check_digit_for(&first).expect("fourteen letters and digits");
        for last in ('0'..='9').chain('A'..='Z') {
            let text = format!("{first}{last}");
            let gstin = Gstin::parse_format(&text).expect("a right form");
            prop_assert_eq!(gstin.check_digit_valid(), last == right);
            prop_assert_eq!(gstin.expected_check_digit(), right);
            prop_assert_eq!(Gstin::parse(&text).is_ok(), last == right);
            prop_assert_eq!(gstin.pan(), Pan::parse(&pan).ok());
            prop_assert_eq!(mask_pans(&text), gstin.masked());
        }
        let text = format!("{first}{right}");
        let gstin: Gstin = text.parse().expect("a right number");
        prop_assert_eq!(gstin.to_string().parse(), Ok(gstin));
        prop_assert_eq!(Identifier::parse(&text), Ok(Identifier::Gstin(gstin)));
    }

    #[test]
    fn the_check_character_detects_any_single_wrong_character(pan in PAN, index in 2..12_usize, other in "[0-9A-Z]") {
        let first = format!("27{pan}1Z");
        let right = Gstin::check_digit_for(&first);
        let mut wrong = first.clone();
        wrong.replace_range(index..=index, &other);
        prop_assume!(wrong != first);
        prop_assert_ne!(Gstin::check_digit_for(&wrong), right);
    }

    #[test]
    fn an_lei_is_equal_after_a_round_trip_through_text(body in "[0-9A-Z]{18}") {
        let digits = Lei::check_digits_for(&body).expect("18 letters and digits");
        let text = format!("{body}{digits}");
        let lei = Lei::parse(&text).expect("right check digits");
        prop_assert_eq!(lei.to_string(), text.as_str());
        prop_assert_eq!(Lei::parse(&text.to_lowercase()), Ok(lei));
        prop_assert_eq!(Lei::find(&format!("LEI {text}")), Some(lei));
    }

    // A digit in the place of a letter changes the length of the number, and is found in 96 of 97 cases only.
    #[test]
    fn the_check_digits_of_an_lei_detect_a_wrong_letter_a_wrong_digit_and_swapped_neighbors(
        body in "[0-9A-Z]{18}", index in 0..20_usize, letter in "[A-Z]", digit in "[0-9]",
    ) {
        let right = format!("{body}{}", Lei::check_digits_for(&body).expect("18 letters and digits"));
        let is_digit = |at: usize| right.as_bytes()[at].is_ascii_digit();
        let mut flipped = right.clone();
        flipped.replace_range(index..=index, if is_digit(index) { &digit } else { &letter });
        let mut wrong = vec![flipped];
        if index < 19 && is_digit(index) == is_digit(index + 1) {
            let mut swapped = right.clone().into_bytes();
            swapped.swap(index, index + 1);
            wrong.push(String::from_utf8(swapped).expect("ASCII"));
        }
        for wrong in wrong.iter().filter(|wrong| **wrong != right) {
            prop_assert!(Lei::parse(wrong).is_err(), "{} of {}", wrong, right);
        }
    }

    #[test]
    fn masking_changes_digits_only_and_leaves_no_pan(text in "[A-Za-z0-9/ ]{0,60}") {
        let masked = mask_pans(&text);
        for (before, after) in text.chars().zip(masked.chars()) {
            prop_assert!(before == after || before.is_ascii_digit() && after == 'X');
        }
        let left = masked.as_bytes().windows(10).any(|window| {
            window[..5].iter().all(u8::is_ascii_alphabetic)
                && window[5..9].iter().all(u8::is_ascii_digit)
                && window[9].is_ascii_alphabetic()
        });
        prop_assert!(!left);
    }
}
