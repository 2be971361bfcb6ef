//! The tables and cases in `shared.json`, which the tests of both SDKs read too: all three give the same verdicts.

use panji_ids::{
    Cin, CinClass, CompanyId, HolderType, IdError, Identifier, IdentifierKind, cin_state_codes,
    gst_state,
};
use serde_json::{Map, Value, json};

fn shared() -> Value {
    serde_json::from_str(include_str!("shared.json")).expect("shared.json is JSON")
}

fn table(pairs: impl Iterator<Item = (String, &'static str)>) -> Value {
    Value::Object(pairs.map(|(code, word)| (code, Value::from(word))).collect::<Map<_, _>>())
}

fn verdict(
    kind: Option<IdentifierKind>,
    text: &str,
    this_year: u16,
) -> Result<Identifier, IdError> {
    match kind {
        Some(IdentifierKind::Cin) => CompanyId::parse_in_year(text, this_year).map(Identifier::Cin),
        Some(kind) => Identifier::parse_as(kind, text),
        None => Identifier::parse(text),
    }
}

/// The parts of a number, as the verifications of the service return them.
fn parts(id: &Identifier) -> Value {
    match id {
        Identifier::Cin(id) => {
            let cin = id.cin();
            json!({
                "kind": id.kind().name(),
                "listed": cin.map(Cin::listed),
                "nic_code": cin.map(Cin::nic_code),
                "state_code": cin.map(Cin::state_code),
                "state": cin.and_then(Cin::state),
                "year": cin.map(Cin::year),
                "class": cin.and_then(Cin::class).map(CinClass::name),
                "registration_number": cin.map(Cin::registration_number),
            })
        }
        Identifier::Din(_) => Value::Null,
        Identifier::Gstin(gstin) => json!({
            "state_code": gstin.state_code(),
            "state": gstin.state(),
            "pan": gstin.pan().map(|pan| pan.as_str().to_owned()),
            "entity_number": gstin.entity_number().map(String::from),
            "taxpayer_kind": gstin.family().name(),
        }),
        Identifier::Pan(pan) => json!({
            "holder_type": pan.holder_type().name(),
            "holder_type_text": pan.holder_type().text(),
        }),
    }
}

#[test]
fn the_tables_of_the_sdks_are_those_of_this_crate() {
    let tables = &shared()["tables"];
    let gst = (0..100).filter_map(|number| {
        let code = format!("{number:02}");
        let name = gst_state(&code)?;
        Some((code, name))
    });
    assert_eq!(tables["gst_states"], table(gst));
    let states = cin_state_codes().map(|(code, name)| (code.to_owned(), name));
    assert_eq!(tables["cin_states"], table(states));
    let classes = CinClass::ALL.into_iter().map(|class| (class.code().to_owned(), class.name()));
    assert_eq!(tables["cin_classes"], table(classes));
    let holders = HolderType::ALL.into_iter();
    let letters = holders.clone().map(|holder| (holder.letter().to_string(), holder.name()));
    assert_eq!(tables["holder_types"], table(letters));
    let texts = holders.map(|holder| (holder.letter().to_string(), holder.text()));
    assert_eq!(tables["holder_texts"], table(texts));
}

#[test]
fn the_cases_of_the_sdks_have_the_verdicts_of_this_crate() {
    let shared = shared();
    let year = shared["this_year"].as_u64().and_then(|year| u16::try_from(year).ok());
    let year = year.expect("a year");
    let cases = shared["cases"].as_array().expect("a list of cases");
    assert!(!cases.is_empty());
    for case in cases {
        let text = case["text"].as_str().expect("a text");
        let kind = match case["as"].as_str() {
            Some(name) => IdentifierKind::from_name(name),
            None => Identifier::classify(text),
        };
        assert_eq!(case["type"], json!(kind.map(IdentifierKind::name)), "{case}");
        match verdict(kind, text, year) {
            Ok(id) => {
                assert_eq!(case["canonical"], id.as_str(), "{case}");
                assert_eq!(case["parsed"], parts(&id), "{case}");
            }
            Err(error) => {
                assert_eq!(case["reason"], error.to_string(), "{case}");
                assert_eq!(case["fault"], error.kind.name(), "{case}");
                assert_eq!(case["position"], json!(error.position), "{case}");
            }
        }
    }
}
