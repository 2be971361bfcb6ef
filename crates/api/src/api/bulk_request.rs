//! Parses the bodies of bulk calls and finds equal items.

use std::borrow::Cow;
use std::collections::HashSet;

use panji_ids::{CompanyId, Din, Gstin, Identifier, IdentifierKind, Pan};

use super::body::{BodyPath, Fields, FromBody, Json, read_text};
use super::wire::{
    BulkEnrichCin, BulkEnrichItem, BulkEnrichRequest, BulkVerifyItem, BulkVerifyRequest,
    IdentifierType,
};
use crate::config::Prices;
use crate::config::operation::Operation;
use crate::http::error::ApiError;

/// The longest `ref` of an item, in characters.
const MAX_REFERENCE: usize = 64;

impl FromBody for BulkVerifyRequest {
    fn from_body(body: Json<'_>) -> Result<BulkVerifyRequest, ApiError> {
        let mut fields = Fields::of(body, &BodyPath::Root, &["items"])?;
        Ok(BulkVerifyRequest { items: fields.array("items", read_verify_item)? })
    }
}

fn read_verify_item(json: Json<'_>, at: &BodyPath<'_>) -> Result<BulkVerifyItem, ApiError> {
    let mut fields = Fields::of(json, at, &["type", "value", "ref"])?;
    let words = IdentifierType::ALL.map(|kind| (kind.as_str(), kind));
    Ok(BulkVerifyItem {
        kind: fields.optional_word("type", &words)?,
        value: fields.text("value")?,
        reference: read_reference(&mut fields, at)?,
    })
}

impl FromBody for BulkEnrichRequest {
    fn from_body(body: Json<'_>) -> Result<BulkEnrichRequest, ApiError> {
        let mut fields = Fields::of(body, &BodyPath::Root, &["cins", "fields"])?;
        Ok(BulkEnrichRequest {
            cins: fields.array("cins", read_enrich_cin)?,
            fields: fields.array("fields", read_text)?,
        })
    }
}

fn read_enrich_cin(json: Json<'_>, at: &BodyPath<'_>) -> Result<BulkEnrichCin, ApiError> {
    match json {
        Json::Text(cin) => Ok(BulkEnrichCin::Number(cin.into_owned())),
        Json::Object(_) => {
            let mut fields = Fields::of(json, at, &["cin", "ref"])?;
            let cin = fields.text("cin")?;
            let reference = read_reference(&mut fields, at)?;
            Ok(BulkEnrichCin::Named(BulkEnrichItem { cin, reference }))
        }
        _ => Err(at.must_be("a string, or an object with cin and ref")),
    }
}

pub fn read_reference(
    fields: &mut Fields<'_, '_>,
    at: &BodyPath<'_>,
) -> Result<Option<String>, ApiError> {
    let reference = fields.optional_text("ref")?;
    match &reference {
        Some(name) if name.chars().count() > MAX_REFERENCE => {
            let characters = format!("at most {MAX_REFERENCE} characters long");
            Err(BodyPath::Field(at, "ref").must_be(&characters))
        }
        _ => Ok(reference),
    }
}

/// The type of a value: the given one, or the one detected from its format.
pub fn kind_of(given: Option<IdentifierType>, value: &str) -> Option<IdentifierType> {
    given.or_else(|| {
        Identifier::classify(value).map(|kind| match kind {
            IdentifierKind::Cin => IdentifierType::Cin,
            IdentifierKind::Din => IdentifierType::Din,
            IdentifierKind::Gstin => IdentifierType::Gstin,
            IdentifierKind::Pan => IdentifierType::Pan,
        })
    })
}

/// Equal for equal items of a verification: the type, and the value in canonical form, or as sent
/// if it is malformed. None if the type cannot be detected.
pub fn identity_of(
    given: Option<IdentifierType>,
    value: &str,
    this_year: u16,
) -> Option<(IdentifierType, Cow<'_, str>)> {
    // Most values are sent in their canonical form, which is not copied.
    fn canonical<'a>(id: &str, value: &'a str) -> Cow<'a, str> {
        if id == value { Cow::Borrowed(value) } else { Cow::Owned(id.to_owned()) }
    }
    let kind = kind_of(given, value)?;
    let id = match kind {
        IdentifierType::Cin => {
            CompanyId::parse_in_year(value, this_year).map(|id| canonical(id.as_str(), value))
        }
        IdentifierType::Din => Din::parse(value).map(|din| canonical(din.as_str(), value)),
        IdentifierType::Gstin => {
            Gstin::parse_format(value).map(|gstin| canonical(gstin.as_str(), value))
        }
        IdentifierType::Pan => Pan::parse(value).map(|pan| canonical(pan.as_str(), value)),
    };
    Some((kind, id.unwrap_or_else(|_| Cow::Owned(value.trim().to_uppercase()))))
}

/// The price of a verification: equal items are charged once, and an item of unknown type costs
/// nothing.
pub fn verification_price<'a>(
    prices: &Prices,
    items: impl Iterator<Item = (Option<IdentifierType>, &'a str)>,
    this_year: u16,
) -> i64 {
    let mut distinct = HashSet::with_capacity(items.size_hint().0);
    distinct.extend(items.filter_map(|(given, value)| identity_of(given, value, this_year)));
    distinct.iter().map(|(kind, _)| prices.of(operation_of(*kind))).sum()
}

/// The operation that verifies identifiers of a type.
pub fn operation_of(kind: IdentifierType) -> Operation {
    match kind {
        IdentifierType::Cin => Operation::VerifyCin,
        IdentifierType::Din => Operation::VerifyDin,
        IdentifierType::Gstin => Operation::VerifyGstin,
        IdentifierType::Pan => Operation::VerifyPan,
    }
}

#[cfg(test)]
mod tests {
    use super::super::body::parse;
    use super::*;

    /// Checks the parameter and the message of the error of each body.
    fn check<T: FromBody>(cases: &[(&str, &str, &str)]) {
        for (body, param, message) in cases {
            let error = parse::<T>(body.as_bytes()).err().expect(body);
            assert_eq!(error.code.as_str(), "invalid_body", "{body}");
            assert_eq!(error.param.as_deref(), Some(*param), "{body}");
            assert_eq!(error.message, *message, "{body}");
        }
    }

    #[test]
    fn the_error_of_a_verification_body_names_the_problem_and_the_field() {
        let long = format!(r#"{{"items":[{{"value":"x","ref":"{}"}}]}}"#, "r".repeat(65));
        check::<BulkVerifyRequest>(&[
            ("", "body", "The body is empty."),
            (" \n", "body", "The body is empty."),
            ("[]", "body", "The body must be an object."),
            ("null", "body", "The body must be an object."),
            ("7", "body", "The body must be an object."),
            (r#"[[["pan","ZZACK4368A"]]]"#, "body", "The body must be an object."),
            ("{}", "items", "items is missing."),
            (r#"{"item":[]}"#, "item", r#"The body has no field "item": it takes items."#),
            (r#"{"items":[],"items":[]}"#, "items", "items is given twice."),
            (r#"{"items":null}"#, "items", "items must be an array."),
            (r#"{"items":{}}"#, "items", "items must be an array."),
            (r#"{"items":["x"]}"#, "items[0]", "items[0] must be an object."),
            (r#"{"items":[["pan","ZZACK4368A"]]}"#, "items[0]", "items[0] must be an object."),
            (r#"{"items":[{}]}"#, "items[0].value", "items[0].value is missing."),
            (
                r#"{"items":[{"value":"x"},{"value":1.5}]}"#,
                "items[1].value",
                "items[1].value must be a string.",
            ),
            (r#"{"items":[{"value":null}]}"#, "items[0].value", "items[0].value must be a string."),
            (
                r#"{"items":[{"value":"x","type":"tan"}]}"#,
                "items[0].type",
                "items[0].type must be one of cin, din, gstin, pan.",
            ),
            (
                r#"{"items":[{"value":"x","type":["pan"]}]}"#,
                "items[0].type",
                "items[0].type must be one of cin, din, gstin, pan.",
            ),
            (
                r#"{"items":[{"value":"x","kind":"pan"}]}"#,
                "items[0].kind",
                r#"items[0] has no field "kind": it takes type, value, ref."#,
            ),
            (
                r#"{"items":[{"value":"x","value":"y"}]}"#,
                "items[0].value",
                "items[0].value is given twice.",
            ),
            (
                r#"{"items":[{"value":"x","ref":true}]}"#,
                "items[0].ref",
                "items[0].ref must be a string.",
            ),
            (&long, "items[0].ref", "items[0].ref must be at most 64 characters long."),
        ]);
    }

    #[test]
    fn only_malformed_json_is_reported_as_malformed() {
        let deep = format!(r#"{{"items":{}{}}}"#, "[".repeat(500), "]".repeat(500));
        check::<BulkVerifyRequest>(&[
            (
                "hello",
                "body",
                "The body is not valid JSON: a value is expected at line 1, column 1.",
            ),
            (
                r#"{"items""#,
                "body",
                "The body is not valid JSON: it ends too early at line 1, column 8.",
            ),
            (
                r#"{"items":[]} {}"#,
                "body",
                "The body is not valid JSON: there is text after its end at line 1, column 14.",
            ),
            (
                "{\"items\":[{\"value\":\"\u{1}\"}]}",
                "items[0].value",
                "The body is not valid JSON: a control character in a string must be escaped at \
                 line 1, column 21.",
            ),
            (
                r#"{"items":[{"value":"\ud800"}]}"#,
                "items[0].value",
                "items[0].value has an escape (\\u…) that is only half of a character.",
            ),
            (
                r#"{"items":[{"value":1e999}]}"#,
                "items[0].value",
                "items[0].value has a number that is out of range.",
            ),
            (&deep, "body", "The body is nested too deeply."),
        ]);
        let error = parse::<BulkVerifyRequest>(b"\"\xFF\"").expect_err("no UTF-8");
        assert_eq!(error.message, "The body is not UTF-8: send JSON in UTF-8.");
    }

    #[test]
    fn the_error_of_an_enrichment_body_names_the_problem_and_the_field() {
        check::<BulkEnrichRequest>(&[
            (r#"{"fields":[]}"#, "cins", "cins is missing."),
            (r#"{"cins":["F99101"]}"#, "fields", "fields is missing."),
            (r#"{"cins":"F99101","fields":[]}"#, "cins", "cins must be an array."),
            (
                r#"{"cins":["a","b","c",7],"fields":[]}"#,
                "cins[3]",
                "cins[3] must be a string, or an object with cin and ref.",
            ),
            (
                r#"{"cins":[["F99101","r"]],"fields":[]}"#,
                "cins[0]",
                "cins[0] must be a string, or an object with cin and ref.",
            ),
            (r#"{"cins":[{"ref":"r"}],"fields":[]}"#, "cins[0].cin", "cins[0].cin is missing."),
            (
                r#"{"cins":["F99101"],"fields":["company",{}]}"#,
                "fields[1]",
                "fields[1] must be a string.",
            ),
        ]);
    }

    #[test]
    fn escapes_nulls_and_any_order_of_fields_are_accepted() {
        let body = r#"{"items":[{"ref":null,"value":"\u0046 99101","type":null},{"type":"pan","value":""}]}"#;
        let items = parse::<BulkVerifyRequest>(body.as_bytes()).expect("valid").items;
        assert_eq!((items[0].kind, items[0].value.as_str()), (None, "F 99101"));
        assert_eq!((items[1].kind, items[1].value.as_str()), (Some(IdentifierType::Pan), ""));
        let body = r#"{"fields":["company"],"cins":["F99101",{"ref":"7","cin":"ZZA1204"}]}"#;
        let request = parse::<BulkEnrichRequest>(body.as_bytes()).expect("valid");
        let requested: Vec<_> =
            request.cins.iter().map(|cin| (cin.as_ref(), cin.reference())).collect();
        assert_eq!(requested, [("F99101", None), ("ZZA1204", Some("7"))]);
    }

    #[test]
    fn items_are_equal_if_their_canonical_form_is_equal() {
        let same = |one: &str, other: &str, kind| {
            let identity = |value| identity_of(kind, value, 2026);
            identity(one).is_some() && identity(one) == identity(other)
        };
        assert!(same("4990109", "04990109", Some(IdentifierType::Din)));
        assert!(same("zza1204", " ZZA-1204 ", None));
        assert!(same("27zzack4368a1zp", "27-ZZACK-4368A-1ZP", None));
        assert!(same("nonsense", "NONSENSE ", Some(IdentifierType::Pan)));
        assert!(!same("nonsense", "nonsens", Some(IdentifierType::Pan)));
        assert!(!same("hello", "hello", None), "its type is unknown");
    }
}
