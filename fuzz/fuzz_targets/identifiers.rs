//! Every identifier: no text makes a parser panic, and a parsed identifier parses again from its
//! canonical form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use panji_ids::{
    Cin, CompanyId, Din, Fcrn, Gstin, Identifier, IdentifierKind, Llpin, Pan, Tan, gstin,
    mask_pans, state_code_by_name,
};

fuzz_target!(|text: &str| {
    macro_rules! round_trip {
        ($kind:ty) => {
            if let Ok(read) = <$kind>::parse(text) {
                let again = <$kind>::parse(read.as_str()).expect("its own form is good");
                assert_eq!(again.as_str(), read.as_str());
            }
        };
    }
    round_trip!(Cin);
    round_trip!(CompanyId);
    round_trip!(Din);
    round_trip!(Fcrn);
    round_trip!(Gstin);
    round_trip!(Llpin);
    round_trip!(Pan);
    round_trip!(Tan);
    round_trip!(Identifier);
    if let Ok(read) = Gstin::parse_format(text) {
        assert_eq!(Gstin::parse(text).is_ok(), read.check_digit_valid());
        let _ = (read.pan(), read.tan(), read.state(), read.masked(), read.entity_number());
    }
    let _ = CompanyId::parse_in_year(text, 2026);
    let _ = (Gstin::check_digit_for(text), state_code_by_name(text));
    let _ = gstin::check_digit(&[b'0'; 14]);
    for kind in ["cin", "llpin", "fcrn", "din", "pan", "tan", "gstin"] {
        if let Some(kind) = IdentifierKind::from_name(kind) {
            let _ = Identifier::parse_as(kind, text);
        }
    }
    if let Some(kind) = Identifier::classify(text) {
        let _ = Identifier::parse_as(kind, text);
    }
    let masked = mask_pans(text);
    assert_eq!(mask_pans(&masked), masked, "nothing is left to mask");
});
