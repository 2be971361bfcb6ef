//! The rules of the JSON Schemas of the Reconciliation Service API 0.2, as assertions.

use serde_json::Value;

fn text(value: &Value, name: &str) {
    assert!(value[name].as_str().is_some_and(|text| !text.is_empty()), "{name} of {value}");
}

fn optional_text(value: &Value, name: &str) {
    assert!(value.get(name).is_none_or(Value::is_string), "{name} of {value}");
}

fn types(value: &Value) {
    for kind in value.as_array().unwrap() {
        text(kind, "id");
        optional_text(kind, "name");
    }
}

pub fn check_manifest(manifest: &Value) {
    let versions = manifest["versions"].as_array().unwrap();
    assert!(versions.iter().any(|version| version == "0.2"));
    for name in ["name", "identifierSpace", "schemaSpace", "documentation", "serviceVersion"] {
        text(manifest, name);
    }
    types(&manifest["defaultTypes"]);
    for page in ["view", "preview"] {
        assert!(manifest[page]["url"].as_str().unwrap().contains("{{id}}"), "{page}");
    }
    assert!(manifest["preview"]["width"].is_u64() && manifest["preview"]["height"].is_u64());
    for what in ["entity", "property", "type"] {
        text(&manifest["suggest"][what], "service_url");
        text(&manifest["suggest"][what], "service_path");
        assert!(manifest["suggest"][what].get("flyout_service_path").is_none());
    }
    text(&manifest["extend"]["propose_properties"], "service_url");
    text(&manifest["extend"]["propose_properties"], "service_path");
    assert!(manifest["extend"]["property_settings"].is_array());
    assert!(manifest["batchSize"].as_u64().is_some_and(|size| size > 0));
}

/// The results of a batch, and that there is one for each of the ids.
pub fn check_results(results: &Value, ids: &[&str]) {
    let returned: Vec<&str> = results.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(returned, ids);
    for result in results.as_object().unwrap().values() {
        for candidate in result["result"].as_array().unwrap() {
            text(candidate, "id");
            text(candidate, "name");
            optional_text(candidate, "description");
            let score = candidate["score"].as_f64().unwrap();
            assert!((0.0..=100.0).contains(&score), "{candidate}");
            assert!(candidate["match"].is_boolean(), "{candidate}");
            types(&candidate["type"]);
            let features = candidate["features"].as_array().unwrap();
            for (at, feature) in features.iter().enumerate() {
                text(feature, "id");
                assert!(feature["value"].is_number() || feature["value"].is_boolean());
                let repeated = features[..at].iter().any(|other| other["id"] == feature["id"]);
                assert!(!repeated, "{feature} is there twice");
            }
        }
    }
}

pub fn check_suggestions(response: &Value) {
    for suggested in response["result"].as_array().unwrap() {
        text(suggested, "id");
        text(suggested, "name");
        optional_text(suggested, "description");
        if let Some(notable) = suggested.get("notable") {
            types(notable);
        }
    }
}

pub fn check_proposal(response: &Value) {
    text(response, "type");
    for property in response["properties"].as_array().unwrap() {
        text(property, "id");
        text(property, "name");
        optional_text(property, "description");
    }
}

/// Each id has each property, each value one member that says what it is.
pub fn check_extension(response: &Value, ids: &[&str], properties: &[&str]) {
    let meta: Vec<&str> = response["meta"]
        .as_array()
        .unwrap()
        .iter()
        .map(|meta| {
            text(meta, "name");
            meta["id"].as_str().unwrap()
        })
        .collect();
    assert_eq!(meta, properties);
    let rows = response["rows"].as_object().unwrap();
    assert_eq!(rows.keys().map(String::as_str).collect::<Vec<_>>(), ids);
    for row in rows.values() {
        let row = row.as_object().unwrap();
        assert_eq!(row.keys().map(String::as_str).collect::<Vec<_>>(), properties);
        for value in row.values().flat_map(|values| values.as_array().unwrap()) {
            let members: Vec<(&str, &Value)> = value
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, value)| (name.as_str(), value))
                .collect();
            match members.as_slice() {
                [("str", value)] => assert!(value.is_string()),
                [("int", value)] => assert!(i32::try_from(value.as_i64().unwrap()).is_ok()),
                [("float", value)] => assert!(value.is_f64()),
                other => panic!("{other:?}"),
            }
        }
    }
}
