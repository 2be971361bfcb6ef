//! Marks what was added after the first release with `x-since`, from the list in `additions.txt`.

use serde_json::Value;

/// Added to the operations that had none: every operation that is not a bulk call.
const IDEMPOTENCY_KEY: (&str, &str) = ("1.1.0", "Idempotency-Key");

/// A line of the list: the version, the schema or operation, and its added members.
fn additions() -> impl Iterator<Item = (&'static str, &'static str, Vec<&'static str>)> {
    include_str!("additions.txt").lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?, words.next()?, words.collect()))
    })
}

/// Marks schemas and their fields. A name that is not in the document is ignored; a test finds it.
pub fn mark_schemas(document: &mut Value) {
    for (version, name, fields) in additions() {
        let Some(schema) = document["components"]["schemas"].get_mut(name) else { continue };
        if fields.is_empty() {
            schema["x-since"] = version.into();
        }
        for field in fields {
            if let Some(field) = schema["properties"].get_mut(field) {
                field["x-since"] = version.into();
            }
        }
    }
}

/// Marks the added parameters of an operation.
pub fn mark_parameters(entry: &mut Value) {
    let id = entry["operationId"].as_str().unwrap_or_default().to_owned();
    let is_new = entry.get("x-since").is_some();
    let takes_body = entry.get("requestBody").is_some();
    let own: Vec<_> = additions().filter(|(_, name, _)| *name == id).collect();
    for parameter in entry["parameters"].as_array_mut().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        let listed = own.iter().find(|(.., names)| names.contains(&name.as_str()));
        let everywhere =
            (name == IDEMPOTENCY_KEY.1 && !is_new && !takes_body).then_some(IDEMPOTENCY_KEY.0);
        if let Some(version) = listed.map(|(version, ..)| *version).or(everywhere) {
            parameter["x-since"] = version.into();
        }
    }
}
