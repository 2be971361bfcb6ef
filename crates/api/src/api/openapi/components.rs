//! The components of the OpenAPI description: the generated schemas of the wire types, completed,
//! and the two envelopes.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use utoipa::{PartialSchema, ToSchema};

use super::headers;
use crate::api::enrich;
use crate::api::wire::enums::ErrorCode;
use crate::api::wire::{
    BulkPrice, CinVerification, DinVerification, GstinVerification, ItemError, PanVerification,
};
use crate::config::operation::{Operation, Tariff};

type Schemas = Map<String, Value>;

pub fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

pub fn complete(document: &mut Value) {
    let requests = request_schemas(document);
    document["components"]["headers"] = headers::components();
    document["components"]["securitySchemes"] = json!({
        "api_key": {
            "type": "http",
            "scheme": "bearer",
            "description": "A key of this service, `pk_test_…` or `pk_live_…`.",
        }
    });
    let schemas = document["components"]["schemas"].as_object_mut();
    let schemas = schemas.expect("the wire types are components");
    let generated = [
        (BulkPrice::name(), BulkPrice::schema()),
        (ItemError::name(), ItemError::schema()),
        (ErrorCode::name(), ErrorCode::schema()),
    ];
    for (name, schema) in generated {
        let schema = serde_json::to_value(schema).expect("a schema is plain data");
        schemas.insert(name.into_owned(), schema);
    }
    join_flattened(schemas, "MatchCandidate");
    for (name, schema) in schemas.iter_mut() {
        complete_object(schema, requests.contains(name));
    }
    split_verifications(schemas);
    add_sections(schemas);
    schemas["Account"]["properties"]["prices"] = reference("Prices");
    schemas.insert("Prices".into(), prices());
    if let Some(request) = schemas.get_mut("BulkEnrichRequest") {
        request["properties"]["fields"]["items"] =
            json!({ "type": "string", "enum": enrich::Selection::all_fields() });
    }
    schemas.insert("Envelope".into(), envelope());
    schemas.insert("ErrorEnvelope".into(), error_envelope());
    schemas.insert("Error".into(), error());
    let price = with_data("The price of a bulk call.", &reference("BulkPrice"));
    schemas.insert("DryRunResponse".into(), price);
    schemas.sort_keys();
}

/// Makes one object of a schema that has the properties of another type among its own.
fn join_flattened(schemas: &mut Schemas, name: &str) {
    let mut properties = Map::new();
    let parts = schemas[name]["allOf"].as_array().cloned().unwrap_or_default();
    for part in &parts {
        let of = part["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        let own = of.map_or(part, |of| &schemas[of])["properties"].as_object().cloned();
        properties.extend(own.unwrap_or_default());
    }
    let description = schemas[name]["description"].clone();
    schemas.insert(
        name.to_owned(),
        json!({ "type": "object", "description": description, "properties": properties }),
    );
}

/// Adds the schema of an operation's response.
pub fn add_response(document: &mut Value, name: &str, description: &str, data: &Value) {
    document["components"]["schemas"][name] = with_data(description, data);
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        schemas.sort_keys();
    }
}

/// The schema of the envelope with this data.
fn with_data(description: &str, data: &Value) -> Value {
    let data_schema =
        json!({ "type": "object", "required": ["data"], "properties": { "data": data } });
    json!({ "description": description, "allOf": [reference("Envelope"), data_schema] })
}

/// The schemas of request bodies, and the schemas they reference.
fn request_schemas(document: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let entries = document["paths"].as_object().into_iter().flat_map(Map::values);
    for entry in entries.filter_map(Value::as_object).flat_map(Map::values) {
        collect_references(document, &entry["requestBody"], &mut found);
    }
    found
}

fn collect_references(document: &Value, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            let name = members.get("$ref").and_then(Value::as_str);
            if let Some(name) = name.and_then(|name| name.rsplit('/').next())
                && found.insert(name.to_owned())
            {
                collect_references(document, &document["components"]["schemas"][name], found);
            }
            members.values().for_each(|inner| collect_references(document, inner, found));
        }
        Value::Array(list) => {
            list.iter().for_each(|inner| collect_references(document, inner, found));
        }
        _ => {}
    }
}

/// A request accepts no other fields. A response always has all fields, and new ones may be added.
fn complete_object(schema: &mut Value, request: bool) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (name, property) in properties.iter_mut() {
        if let Some(format) = format_of(name) {
            property["format"] = format.into();
        }
    }
    let names: Vec<Value> = properties.keys().cloned().map(Value::from).collect();
    if request {
        schema["additionalProperties"] = json!(false);
    } else {
        schema["required"] = Value::Array(names);
    }
}

/// The format of dates and times, recognized by the name of the field.
fn format_of(name: &str) -> Option<&'static str> {
    let date = ["_on", "_date"].iter().any(|ending| name.ends_with(ending));
    match name {
        _ if date => Some("date"),
        "as_of" | "until" => Some("date"),
        _ if name.ends_with("_at") => Some("date-time"),
        _ => None,
    }
}

/// Splits the result of a bulk verification into one schema per type, and one for items of unknown
/// type. The two groups are separate because a discriminator cannot be null.
fn split_verifications(schemas: &mut Schemas) {
    let general = schemas["BulkVerifyResult"].take();
    let verdicts = [
        ("Cin", CinVerification::name()),
        ("Din", DinVerification::name()),
        ("Gstin", GstinVerification::name()),
        ("Pan", PanVerification::name()),
    ];
    let mut mapping = Map::new();
    for (kind, verdict) in verdicts {
        let name = format!("BulkVerify{kind}Result");
        let word = kind.to_lowercase();
        let fields = [
            ("type", json!({ "type": "string", "const": word })),
            ("result", reference(&verdict)),
            ("error", json!({ "type": "null" })),
        ];
        let description = format!("The result for an item that is a {}.", kind.to_uppercase());
        schemas.insert(name.clone(), variant(&general, &description, fields));
        mapping.insert(word, reference(&name)["$ref"].take());
    }
    let fields = [
        ("type", json!({ "type": "null" })),
        ("result", json!({ "type": "null" })),
        ("error", reference(&ItemError::name())),
    ];
    let unknown = variant(&general, "The result for an item of unknown type.", fields);
    schemas.insert("BulkVerifyUnknownResult".into(), unknown);
    let choices: Vec<Value> = mapping.values().map(|name| json!({ "$ref": name })).collect();
    let verdict = json!({
        "description": "The result for an item of known type.",
        "oneOf": choices,
        "discriminator": { "propertyName": "type", "mapping": mapping },
    });
    schemas.insert("BulkVerifyVerdict".into(), verdict);
    let any = json!({
        "description": general["description"],
        "oneOf": [reference("BulkVerifyVerdict"), reference("BulkVerifyUnknownResult")],
    });
    schemas.insert("BulkVerifyResult".into(), any);
}

/// A copy of a schema with some narrower properties; each keeps its description.
fn variant(general: &Value, description: &str, narrowed: [(&str, Value); 3]) -> Value {
    let mut variant = general.clone();
    variant["description"] = description.into();
    for (name, mut schema) in narrowed {
        let known = &general["properties"][name];
        // The description of a nullable property is in one of its choices.
        let choices = known["oneOf"].as_array().into_iter().flatten();
        let mut texts = std::iter::once(known).chain(choices).map(|part| &part["description"]);
        schema["description"] = texts.find(|text| text.is_string()).cloned().into();
        variant["properties"][name] = schema;
    }
    variant
}

/// Adds one member per section to the result of an enrichment. A section may contain only the
/// requested members, so none is required.
fn add_sections(schemas: &mut Schemas) {
    for (section, served) in enrich::sections() {
        let mut name = format!("{section}Section");
        name[..1].make_ascii_uppercase();
        let mut part = schemas[&*served].clone();
        if let Some(part) = part.as_object_mut() {
            part.remove("required");
        }
        part["description"] = format!("The section `{section}`, whole or in part.").into();
        let mut member = reference(&name);
        member["description"] = format!(
            "The section `{section}`, if requested; null if the company is not in the register."
        )
        .into();
        schemas.insert(name, part);
        schemas["BulkEnrichResult"]["properties"][section] =
            json!({ "oneOf": [member, { "type": "null" }] });
    }
}

/// One price per operation. New operations may be added, as to any response.
fn prices() -> Value {
    let price = |operation: &Operation| {
        let schema = match operation.tariff() {
            Tariff::Items => json!({
                "type": ["integer", "null"],
                "description": "Null: a call costs the sum of its items.",
            }),
            Tariff::FreeQuota | Tariff::Priced | Tariff::Free => json!({
                "type": "integer",
                "format": "int64",
                "minimum": 0,
                "description": format!("Credits per call of {}.", operation.id()),
            }),
        };
        (operation.id().to_owned(), schema)
    };
    let ids: Vec<&str> = Operation::ALL.iter().map(|operation| operation.id()).collect();
    json!({
        "type": "object",
        "description": "Credits per call, by operation id.",
        "required": ids,
        "properties": Operation::ALL.iter().map(price).collect::<Schemas>(),
    })
}

fn request_id() -> Value {
    json!({
        "type": "string",
        "pattern": "^req_[0-9A-HJKMNP-TV-Z]{26}$",
        "description": "The id of the request; sortable by time.",
    })
}

fn envelope() -> Value {
    json!({
        "type": "object",
        "description": "The envelope of every response with data.",
        "required": ["success", "request_id", "credits_charged", "credits_remaining"],
        "properties": {
            "success": { "type": "boolean", "const": true, "description": "Always true." },
            "request_id": request_id(),
            "credits_charged": {
                "type": "integer",
                "format": "int64",
                "minimum": 0,
                "description": "For this call.",
            },
            "credits_remaining": {
                "type": "integer",
                "format": "int64",
                "minimum": 0,
                "description": "The balance after this call.",
            },
        },
    })
}

fn error_envelope() -> Value {
    json!({
        "type": "object",
        "description": "An error. Nothing was charged.",
        "required": ["success", "request_id", "credits_charged", "credits_remaining", "data", "error"],
        "properties": {
            "success": { "type": "boolean", "const": false, "description": "Always false." },
            "request_id": request_id(),
            "credits_charged": {
                "type": "integer",
                "format": "int64",
                "const": 0,
                "description": "Always 0.",
            },
            "credits_remaining": {
                "type": ["integer", "null"],
                "format": "int64",
                "description": "The balance; null if the caller is unknown.",
            },
            "data": { "type": "null", "description": "Always null." },
            "error": reference("Error"),
        },
    })
}

fn error() -> Value {
    json!({
        "type": "object",
        "description": "What went wrong.",
        "required": ["code", "message", "param", "docs_url"],
        "properties": {
            "code": reference(&ErrorCode::name()),
            "message": { "type": "string", "description": "What is wrong and what to do." },
            "param": { "type": ["string", "null"], "description": "The wrong field." },
            "docs_url": { "type": "string", "description": "The documentation of this code." },
            "oldest": {
                "type": "integer",
                "format": "int64",
                "description": "Only with `cursor_expired`: the number of the oldest event that is kept.",
            },
        },
    })
}
