//! The operations that a key may call, by groups, with what each returns: as the OpenAPI description
//! has them.

use std::sync::OnceLock;

use panji_api::api::openapi;
use panji_api::config::operation::Operation;
use serde_json::Value;

/// A group of operations.
pub struct Scope {
    pub name: String,
    pub description: String,
    pub operations: Vec<ScopedOperation>,
}

pub struct ScopedOperation {
    pub id: &'static str,
    /// What it returns or does.
    pub summary: String,
}

/// All groups, in the order of the documentation.
pub fn scopes() -> &'static [Scope] {
    static SCOPES: OnceLock<Vec<Scope>> = OnceLock::new();
    SCOPES.get_or_init(|| read(&openapi::document()))
}

fn read(document: &Value) -> Vec<Scope> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let paths = document["paths"].as_object().into_iter().flatten();
    let described: Vec<&Value> = paths
        .flat_map(|(_, methods)| methods.as_object().into_iter().flatten())
        .map(|(_, of)| of)
        .collect();
    let of_group = |name: &str| -> Vec<ScopedOperation> {
        let in_group = |operation: &&Operation| {
            described.iter().any(|described| {
                described["operationId"] == operation.id() && described["tags"][0] == name
            })
        };
        let summary = |id: &str| {
            let described = described.iter().find(|described| described["operationId"] == id);
            described.map(|described| text(&described["summary"])).unwrap_or_default()
        };
        let operations = Operation::ALL.iter().filter(in_group).map(|operation| operation.id());
        operations.map(|id| ScopedOperation { id, summary: summary(id) }).collect()
    };
    let tags = document["tags"].as_array().into_iter().flatten();
    tags.map(|tag| Scope {
        name: text(&tag["name"]),
        description: text(&tag["description"]),
        operations: of_group(tag["name"].as_str().unwrap_or_default()),
    })
    .filter(|scope| !scope.operations.is_empty())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_in_one_group_and_says_what_it_returns() {
        let listed: Vec<&ScopedOperation> =
            scopes().iter().flat_map(|scope| &scope.operations).collect();
        assert_eq!(listed.len(), Operation::ALL.len());
        for operation in Operation::ALL {
            let found = listed.iter().filter(|listed| listed.id == operation.id());
            let summaries: Vec<&str> = found.map(|found| found.summary.as_str()).collect();
            assert_eq!(summaries.len(), 1, "{}", operation.id());
            assert!(!summaries[0].is_empty(), "{}", operation.id());
        }
    }
}
