//! A network as entities of FollowTheMoney: companies, people, directorships and other links.

use serde_json::{Map, Value, json};

use crate::api::wire::{CompanyNetwork, NetworkEdge, NetworkNode};

pub fn entities(network: &CompanyNetwork) -> Vec<Value> {
    let nodes = network.nodes.iter().map(node);
    nodes.chain(network.edges.iter().map(edge)).collect()
}

fn entity_id(id: &str) -> String {
    format!("in-mca-{}", id.to_ascii_lowercase())
}

/// An entity; properties without a value are left out.
fn entity(id: String, schema: &str, properties: &[(&str, Option<&str>)]) -> Value {
    let properties: Map<String, Value> = properties
        .iter()
        .filter_map(|(name, value)| Some(((*name).to_owned(), json!([(*value)?]))))
        .collect();
    json!({ "id": id, "schema": schema, "properties": properties })
}

fn node(node: &NetworkNode) -> Value {
    let (id, name) = (entity_id(&node.id), Some(node.label()));
    match node.is_company() {
        true => entity(
            id,
            "Company",
            &[
                ("name", name),
                ("registrationNumber", Some(&node.id)),
                ("jurisdiction", Some("in")),
                ("status", node.status.as_deref()),
                ("modifiedAt", node.as_of.as_deref()),
            ],
        ),
        false => entity(
            id,
            "Person",
            &[
                ("name", name),
                ("idNumber", Some(&node.id)),
                ("status", node.status.as_deref()),
                ("modifiedAt", node.as_of.as_deref()),
            ],
        ),
    }
}

fn edge(edge: &NetworkEdge) -> Value {
    let (from, to) = (entity_id(&edge.from), entity_id(&edge.to));
    let id = format!("{from}-{to}-{}", edge.relation.replace('_', "-"));
    let date = edge.as_of.as_deref();
    match edge.relation.as_ref() {
        "director_of" => entity(
            id,
            "Directorship",
            &[
                ("director", Some(&from)),
                ("organization", Some(&to)),
                ("role", edge.designation_text.as_deref().or(edge.designation.as_deref())),
                ("startDate", edge.appointed_on.as_deref()),
                ("endDate", edge.ceased_on.as_deref()),
                ("modifiedAt", date),
            ],
        ),
        "former_company" => entity(
            id,
            "Succession",
            &[("successor", Some(&from)), ("predecessor", Some(&to)), ("modifiedAt", date)],
        ),
        relation => entity(
            id,
            "UnknownLink",
            &[
                ("subject", Some(&from)),
                ("object", Some(&to)),
                ("role", Some(&relation.replace('_', " "))),
                ("modifiedAt", date),
            ],
        ),
    }
}
