//! The schemas of the tools, made from the OpenAPI description of the operations that they call.

use serde_json::{Map, Value, json};

use crate::api::openapi;
use crate::config::operation::Operation;

/// Where the description keeps the types, and where a schema that stands alone does.
const COMPONENTS: &str = "#/components/schemas/";
const DEFINITIONS: &str = "#/$defs/";

type Object = Map<String, Value>;

/// The description of the API.
pub struct ApiSchemas {
    document: Value,
}

impl ApiSchemas {
    pub fn new() -> ApiSchemas {
        ApiSchemas { document: openapi::document() }
    }

    /// A parameter in the path or query of an operation. Without its pattern: the API accepts more
    /// than one notation, and its errors say what is wrong.
    pub fn parameter(&self, operation: Operation, name: &str) -> Value {
        let parameters = self.operation(operation)["parameters"].as_array();
        let parameter = parameters.into_iter().flatten().find(|known| known["name"] == name);
        let parameter = parameter.expect("the operation has the parameter");
        let mut schema = plain(&parameter["schema"]);
        if let Some(fields) = schema.as_object_mut() {
            fields.remove("pattern");
            fields.insert("description".to_owned(), parameter["description"].clone());
        }
        schema
    }

    /// A field of the body of an operation, and the types that it uses.
    pub fn body_field(&self, operation: Operation, name: &str, used: &mut Object) -> Value {
        let content = &self.operation(operation)["requestBody"]["content"]["application/json"];
        let body = self.component(&content["schema"]);
        self.resolve(&body["properties"][name], used)
    }

    /// What a tool returns: the envelope with the data of one of these operations, and notes.
    pub fn output(&self, operations: &[Operation]) -> Object {
        let mut used = Object::new();
        let envelope = &self.document["components"]["schemas"]["Envelope"]["properties"];
        let mut properties = json!({
            "notes": {
                "type": "array",
                "items": { "type": "string" },
                "description": "What is not known or incomplete, in sentences.",
            },
        });
        for field in ["request_id", "credits_charged", "credits_remaining"] {
            properties[field] = plain(&envelope[field]);
        }
        let mut data: Vec<Value> =
            operations.iter().map(|operation| self.data(*operation, &mut used)).collect();
        properties["data"] = match data.len() {
            1 => data.remove(0),
            _ => json!({ "anyOf": data }),
        };
        let required = ["notes", "request_id", "credits_charged", "credits_remaining", "data"];
        object(properties, &required, used)
    }

    /// The type of an operation's `data`.
    fn data(&self, operation: Operation, used: &mut Object) -> Value {
        let response = &self.operation(operation)["responses"]["200"]["content"];
        let schema = &response["application/json"]["schema"];
        // A bulk operation can also return its price, to a dry run.
        let schema = schema["oneOf"].get(0).unwrap_or(schema);
        let parts = self.component(schema)["allOf"].as_array();
        let data = parts.into_iter().flatten().find_map(|part| part["properties"].get("data"));
        self.resolve(data.expect("a response has data"), used)
    }

    fn operation(&self, operation: Operation) -> &Value {
        let method = operation.method().as_str().to_ascii_lowercase();
        &self.document["paths"][operation.path()][method]
    }

    /// The component that a reference names.
    fn component(&self, reference: &Value) -> &Value {
        let name = reference["$ref"].as_str().and_then(|path| path.strip_prefix(COMPONENTS));
        &self.document["components"]["schemas"][name.unwrap_or_default()]
    }

    /// The schema with references into its own definitions, which are added to `used`.
    fn resolve(&self, schema: &Value, used: &mut Object) -> Value {
        let mut schema = plain(schema);
        self.resolve_in_place(&mut schema, used);
        schema
    }

    fn resolve_in_place(&self, schema: &mut Value, used: &mut Object) {
        match schema {
            Value::Array(items) => {
                items.iter_mut().for_each(|item| self.resolve_in_place(item, used));
            }
            Value::Object(fields) => {
                let reference = fields.get("$ref").and_then(Value::as_str);
                let named = reference.and_then(|path| path.strip_prefix(COMPONENTS));
                if let Some(name) = named.map(str::to_owned) {
                    fields.insert("$ref".to_owned(), format!("{DEFINITIONS}{name}").into());
                    if !used.contains_key(&name) {
                        // Added before its own references are resolved, which may refer to it.
                        used.insert(name.clone(), Value::Null);
                        let component = &self.document["components"]["schemas"][&name];
                        let component = self.resolve(component, used);
                        used.insert(name, component);
                    }
                }
                fields.values_mut().for_each(|value| self.resolve_in_place(value, used));
            }
            _ => {}
        }
    }
}

/// The schema of an object, with the types that it uses.
pub fn object(properties: Value, required: &[&str], used: Object) -> Object {
    let mut schema = Object::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties);
    schema.insert("required".to_owned(), required.into());
    if !used.is_empty() {
        schema.insert("$defs".to_owned(), used.into());
    }
    schema
}

/// The schema without what only OpenAPI knows, and without examples.
fn plain(schema: &Value) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) => {
            let known = |name: &str| {
                !name.starts_with("x-") && !["example", "examples", "discriminator"].contains(&name)
            };
            let fields = fields.iter().filter(|(name, _)| known(name));
            fields
                .map(|(name, value)| match (name.as_str(), value) {
                    // These are names of fields, not of keywords.
                    ("properties", Value::Object(properties)) => {
                        let properties: Object = properties
                            .iter()
                            .map(|(name, value)| (name.clone(), plain(value)))
                            .collect();
                        (name.clone(), properties.into())
                    }
                    _ => (name.clone(), plain(value)),
                })
                .collect()
        }
        other => other.clone(),
    }
}
