//! The operations getCompanyNetwork and findPaths.

use std::collections::HashMap;
use std::sync::Arc;

use panji_graph::{GraphSnapshot, MAX_DEPTH, MAX_STEPS, NodeId, Paths, Relation};
use panji_ids::{CompanyId, Din};
use panji_store::calendar::utc_day;
use panji_store::register::Company;

use super::details::Details;
use super::reading::{in_background, origin, read_network};
use super::{bods, ftm, sentences};
use crate::api::call::Call;
use crate::api::charging::ChargeableCall;
use crate::api::company_in_path::company_not_found;
use crate::api::sections::BillableSection;
use crate::api::simulation::effect_of;
use crate::api::wire::{
    CompanyNetwork, IdentifierType, NetworkLimit, NetworkNode, NetworkPath, NetworkPaths,
    NetworkStep,
};
use crate::http::error::{ApiError, ApiResult, ErrorCode};
use crate::telemetry::redaction::redacted_line;

/// The longest DIN.
const DIN_DIGITS: usize = 8;

/// The forms of a network.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Json,
    Bods,
    Ftm,
}

/// Who is connected with a company
///
/// The directors and companies around a company: shared directors, current and former, the same registered
/// office, the same email domain, and former numbers, up to three steps away. Facts with their dates and
/// sources; a network is what this register knows. At most 500 nodes, the nearest and best connected first.
/// With `format` the same also as statements of BODS 0.4 or entities of FollowTheMoney. Costs nothing when nothing is known (`coverage` is `none`).
#[utoipa::path(
    get,
    path = "/v1/companies/{cin}/network",
    operation_id = "getCompanyNetwork",
    tag = "Networks",
    params(
        ("cin" = String, Path, description = "A CIN, LLPIN or FCRN, current or former, or an LEI."),
        ("depth" = Option<i64>, Query, minimum = 1, maximum = 3, description = "How many steps from the company, 1 to 3; default 1. From a company to a director is one step, and so is from a company to another at the same office."),
        ("format" = Option<String>, Query, description = "`json` (default), or also `bods` or `ftm`: the network as statements of the Beneficial Ownership Data Standard 0.4, or as entities of FollowTheMoney."),
    ),
    responses((status = 200, body = CompanyNetwork)),
)]
pub async fn get_company_network(call: Call) -> ApiResult {
    let depth = call.query.number("depth", 1..=i64::from(MAX_DEPTH))?.unwrap_or(1);
    let depth = u8::try_from(depth).unwrap_or(1);
    let format = read_format(&call)?;
    let (call, company) = call.company().await?;
    let snapshot = current_snapshot(&call)?;
    let graph_span = call.context.span("graph");
    let mut section = read_network(&call.register(), snapshot, &company, depth).await?;
    drop(graph_span);
    let data = &mut section.data;
    let published_on = utc_day(call.context.at_ms);
    match format {
        Format::Json => {}
        Format::Bods => {
            data.bods = Some(bods::statements(data, &published_on, &call.app.public_url))
        }
        Format::Ftm => data.ftm = Some(ftm::entities(data)),
    }
    call.respond_with_section(&section).await
}

/// Paths between two companies or people
///
/// Up to five shortest paths of at most six steps between two companies, two people, or a company and a person,
/// each step with a sentence. An office, an email domain or a person with more than 100 companies is not
/// followed, and `limits` says so. Costs nothing when there is no path.
#[utoipa::path(
    get,
    path = "/v1/network/paths",
    operation_id = "findPaths",
    tag = "Networks",
    params(
        ("from" = String, Query, description = "A CIN, LLPIN or FCRN, current or former, or a DIN."),
        ("to" = String, Query, description = "A CIN, LLPIN or FCRN, current or former, or a DIN; another than `from`."),
    ),
    responses((status = 200, body = NetworkPaths)),
)]
pub async fn find_paths(call: Call) -> ApiResult {
    let from = read_end(&call, "from").await?;
    let to = read_end(&call, "to").await?;
    call.context.set_subject(redacted_line(&format!("{} {}", from.as_str(), to.as_str())));
    let call = call.check_funds().await?;
    let from = find_end(&call, from, "from").await?;
    let to = find_end(&call, to, "to").await?;
    if from == to {
        let message = "from and to are the same: give two different companies or people.";
        return Err(ApiError::parameter("to", message));
    }
    let snapshot = current_snapshot(&call)?;
    let graph_span = call.context.span("graph");
    let (first, last) = (from.clone(), to.clone());
    let found = in_background(move || snapshot.paths(&first, &last)).await?;
    drop(graph_span);
    let data = paths(&call, &from, &to, found).await?;
    let billable = !data.paths.is_empty();
    call.respond_with_section(&BillableSection { data, billable }).await
}

/// The graph of the caller's mode; `unavailable` before it is built, because "no path" would not be true.
fn current_snapshot(call: &ChargeableCall) -> Result<Arc<GraphSnapshot>, ApiError> {
    call.dataset().graph.snapshot().ok_or_else(|| {
        let message = "The network of companies is being built. Try again later.";
        ApiError::new(ErrorCode::Unavailable, message)
    })
}

fn read_format(call: &Call) -> Result<Format, ApiError> {
    match call.query.get("format") {
        None | Some("json") => Ok(Format::Json),
        Some("bods") => Ok(Format::Bods),
        Some("ftm") => Ok(Format::Ftm),
        Some(_) => Err(ApiError::parameter("format", "format must be json, bods or ftm.")),
    }
}

/// A company number or a DIN in the query.
async fn read_end(call: &Call, param: &'static str) -> Result<NodeId, ApiError> {
    let text = call.query.get(param).map(str::trim).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| {
        ApiError::parameter(param, format!("{param} is missing: give a CIN or a DIN."))
    })?;
    let malformed = |error: &dyn std::fmt::Display| {
        ApiError::parameter(param, format!("{param} is malformed: {error}."))
    };
    let is_din = text.len() <= DIN_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
    let (kind, id) = if is_din {
        let din = Din::parse(text).map_err(|error| malformed(&error))?;
        (IdentifierType::Din, NodeId::Director(din.as_str().to_owned()))
    } else {
        let id = CompanyId::parse_in_year(text, call.this_year());
        let id = id.map_err(|error| malformed(&error))?;
        (IdentifierType::Cin, NodeId::Company(id.as_str().to_owned()))
    };
    call.simulate(|| effect_of(kind, id.as_str())).await?;
    Ok(id)
}

/// The current number of a company, or the DIN; `not_found` if it is not in the register.
async fn find_end(
    call: &ChargeableCall,
    id: NodeId,
    param: &'static str,
) -> Result<NodeId, ApiError> {
    match id {
        NodeId::Company(cin) => {
            let company = call.register().find_company_reference(&cin).await?;
            let company = company.ok_or_else(|| company_not_found(&cin).param(param))?;
            Ok(NodeId::Company(company.cin))
        }
        NodeId::Director(din) => match call.register().find_director(&din).await? {
            Some(_) => Ok(NodeId::Director(din)),
            None => {
                let message = format!("No director with the DIN {din} is in the register.");
                Err(ApiError::new(ErrorCode::DirectorNotFound, message).param(param))
            }
        },
    }
}

async fn paths(
    call: &ChargeableCall,
    from: &NodeId,
    to: &NodeId,
    found: Paths,
) -> Result<NetworkPaths, ApiError> {
    let steps = || found.paths.iter().flatten();
    let director_steps = steps().filter(|step| step.relations.contains(&Relation::DirectorOf));
    let director_steps = director_steps.map(|step| (&step.from, &step.to));
    let ids: Vec<&NodeId> = [from, to].into_iter().chain(steps().map(|step| &step.to)).collect();
    let details = Details::read(&call.register(), ids.into_iter(), director_steps).await?;
    let records = read_records(call, &found).await?;
    let path = |steps: &Vec<panji_graph::Step>| {
        let all = steps.iter().take(1).map(|step| &step.from).chain(steps.iter().map(|s| &s.to));
        let nodes: Vec<NetworkNode> =
            (0u8..).zip(all).map(|(distance, id)| details.node(id, distance)).collect();
        let steps = steps
            .iter()
            .zip(nodes.windows(2))
            .map(|(step, pair)| explained(&details, &records, &step.relations, pair))
            .collect();
        NetworkPath { nodes, steps }
    };
    let paths: Vec<NetworkPath> = found.paths.iter().map(path).collect();
    let nodes: Vec<NetworkNode> = paths.iter().flat_map(|path| path.nodes.clone()).collect();
    let edges = paths.iter().flat_map(|path| &path.steps).flat_map(|step| &step.edges);
    let origin = origin(!paths.is_empty(), &nodes, edges);
    let length =
        paths.first().map_or(0, |path| u8::try_from(path.steps.len()).unwrap_or(MAX_STEPS));
    Ok(NetworkPaths {
        from: details.node(from, 0),
        to: details.node(to, length),
        has_more: found.has_more,
        max_steps: MAX_STEPS,
        complete: !found.incomplete,
        limits: found.hubs.into_iter().map(NetworkLimit::new).collect(),
        coverage: origin.coverage,
        as_of: origin.as_of,
        source: origin.source,
        paths,
    })
}

/// The whole records of companies that share an office or a domain with the next one.
async fn read_records(
    call: &ChargeableCall,
    found: &Paths,
) -> Result<HashMap<String, Company>, ApiError> {
    let mut records = HashMap::new();
    let shared = found.paths.iter().flatten().filter(|step| {
        !step.relations.contains(&Relation::DirectorOf)
            && step.relations.iter().any(|relation| *relation != Relation::FormerCompany)
    });
    for step in shared {
        let cin = step.from.as_str();
        if !records.contains_key(cin)
            && let Some(company) = call.register().find_company(cin).await?
        {
            records.insert(cin.to_owned(), company);
        }
    }
    Ok(records)
}

fn explained(
    details: &Details,
    records: &HashMap<String, Company>,
    relations: &[Relation],
    pair: &[NetworkNode],
) -> NetworkStep {
    let (from, to) = (&pair[0], &pair[1]);
    let mut step = NetworkStep { sentence: String::new(), edges: Vec::new() };
    for relation in relations {
        let edge = details.edge(*relation, from, to);
        let said = sentences::sentence(*relation, &edge, from, to, records.get(&from.id));
        if !step.sentence.is_empty() {
            step.sentence.push(' ');
        }
        step.sentence.push_str(&said);
        step.edges.push(edge);
    }
    step
}
