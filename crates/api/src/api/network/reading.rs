//! A company's network with what the register says about its nodes: for getCompanyNetwork and the report.

use std::collections::HashMap;
use std::sync::Arc;

use panji_graph::{GraphSnapshot, Network, NodeId, Relation};
use panji_store::Register;
use panji_store::register::{Company, CoveredSection, Origin};

use super::details::Details;
use crate::api::sections::BillableSection;
use crate::api::wire::{
    CompanyNetwork, NetworkEdge, NetworkLimit, NetworkNode, SectionOrigin, enums,
};
use crate::http::error::ApiError;

/// The network of a company up to a depth.
pub async fn read_network(
    register: &Register,
    snapshot: Arc<GraphSnapshot>,
    company: &Company,
    depth: u8,
) -> Result<BillableSection<CompanyNetwork>, ApiError> {
    let cin = company.cin.clone();
    let found = in_background(move || snapshot.network(&cin, depth)).await?;
    let found = found.unwrap_or_else(|| single_company_network(&company.cin));
    let director_edges = found.edges.iter().filter(|edge| edge.relation == Relation::DirectorOf);
    let director_edges = director_edges.map(|edge| (&edge.from, &edge.to));
    let ids = found.nodes.iter().map(|node| &node.id);
    let details = Details::read(register, ids, director_edges).await?;
    let nodes: Vec<NetworkNode> =
        found.nodes.iter().map(|node| details.node(&node.id, node.distance)).collect();
    let by_id: HashMap<&str, &NetworkNode> =
        nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let edges: Vec<NetworkEdge> = found
        .edges
        .iter()
        .filter_map(|edge| {
            let (from, to) = (by_id.get(edge.from.as_str())?, by_id.get(edge.to.as_str())?);
            Some(details.edge(edge.relation, from, to))
        })
        .collect();
    let is_known = !edges.is_empty()
        || company.address.is_some()
        || company.email.is_some()
        || company.coverage().get(CoveredSection::Directors).is_some();
    let origin = origin(is_known, &nodes, edges.iter());
    let data = CompanyNetwork {
        cin: company.cin.clone(),
        name: company.name.clone(),
        depth,
        edges,
        truncated: found.truncated,
        limits: found.hubs.into_iter().map(NetworkLimit::new).collect(),
        bods: None,
        ftm: None,
        coverage: origin.coverage,
        as_of: origin.as_of,
        source: origin.source,
        nodes,
    };
    Ok(BillableSection { data, billable: is_known })
}

/// The network of a company that the graph does not have yet.
fn single_company_network(cin: &str) -> Network {
    let id = NodeId::Company(cin.to_owned());
    let nodes = vec![panji_graph::NetworkNode { id, distance: 0 }];
    Network { nodes, ..Network::default() }
}

/// The newest source of what is known.
pub fn origin<'a>(
    is_known: bool,
    nodes: &[NetworkNode],
    edges: impl Iterator<Item = &'a NetworkEdge>,
) -> SectionOrigin {
    if !is_known {
        return SectionOrigin::known(enums::NONE, None);
    }
    let nodes = nodes.iter().filter_map(NetworkNode::origin);
    let all = nodes.chain(edges.filter_map(NetworkEdge::origin));
    let newest: Option<Origin> = all.max_by(|one, other| one.as_of.cmp(&other.as_of));
    SectionOrigin::known(enums::PARTIAL, newest)
}

/// Searches outside the threads that serve requests: it can take milliseconds.
pub async fn in_background<T: Send + 'static>(
    search: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    let found = tokio::task::spawn_blocking(search).await;
    found.map_err(|error| ApiError::internal(error.to_string()))
}
