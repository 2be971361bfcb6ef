//! The nodes and edges of a drawing: a network, or a person's companies, and what was expanded.

use std::collections::{HashMap, HashSet};

use panji_api::api::network::layout::distances;
use panji_api::api::wire::{
    COMPANY, CompanyNetwork, DIRECTOR, DirectorCompanies, NetworkEdge, NetworkNode, NetworkPath,
    NetworkPaths, NetworkStep,
};

use super::super::labels;
use crate::console::language::amounts::counted;
use crate::console::language::{dates, in_hindi, t, t_with};

/// More nodes of the network itself, and of one that was expanded, are only in the table.
pub const MAX_DRAWN: usize = 60;
const MAX_ADDED: usize = 30;
/// The connections of one node that its row names.
const MAX_CONNECTIONS: usize = 4;

/// What is drawn around a company or a person, which is the first node.
#[derive(Clone, Default)]
pub struct DrawnNetwork {
    pub nodes: Vec<NetworkNode>,
    pub edges: Vec<NetworkEdge>,
    /// Which nodes are in the drawing.
    shown: Vec<bool>,
    by_id: HashMap<String, usize>,
    known: HashSet<(String, String, String)>,
}

/// A row of the table: a node and how it is connected with nearer ones.
pub struct NetworkRow<'a> {
    pub node: &'a NetworkNode,
    pub steps: usize,
    pub connections: Vec<String>,
    /// The further connections.
    pub more: usize,
}

impl DrawnNetwork {
    pub fn of_company(network: &CompanyNetwork) -> DrawnNetwork {
        let mut drawn = DrawnNetwork::default();
        drawn.add_network(network, MAX_DRAWN);
        drawn
    }

    /// A person with their companies. The status is that of the DIN.
    pub fn of_director(companies: &DirectorCompanies, status: Option<String>) -> DrawnNetwork {
        let mut drawn = DrawnNetwork::default();
        drawn.add_companies(companies, MAX_DRAWN);
        if let Some(person) = drawn.nodes.first_mut() {
            person.status = status;
        }
        drawn
    }

    /// Adds the neighbors of a company.
    pub fn expand_company(&mut self, network: &CompanyNetwork) {
        self.add_network(network, MAX_ADDED);
    }

    /// Adds the companies of a person.
    pub fn expand_director(&mut self, companies: &DirectorCompanies) {
        self.add_companies(companies, MAX_ADDED);
    }

    fn add_network(&mut self, network: &CompanyNetwork, limit: usize) {
        for (at, node) in network.nodes.iter().enumerate() {
            self.add_node(node.clone(), at < limit);
        }
        for edge in &network.edges {
            self.add_edge(edge.clone());
        }
    }

    fn add_companies(&mut self, companies: &DirectorCompanies, limit: usize) {
        let node = |id: &str, kind: &'static str, name: Option<String>, status: Option<String>| {
            let (as_of, source) = (companies.as_of.clone(), companies.source.clone());
            let id = id.to_owned();
            NetworkNode { id, kind: kind.into(), name, status, distance: 0, as_of, source }
        };
        let person = node(&companies.din, DIRECTOR, Some(companies.name.clone()), None);
        self.add_node(person, true);
        for (at, company) in companies.companies.iter().enumerate() {
            let other = node(&company.cin, COMPANY, company.name.clone(), company.status.clone());
            self.add_node(other, at < limit);
            self.add_edge(NetworkEdge {
                relation: "director_of".into(),
                from: companies.din.clone(),
                to: company.cin.clone(),
                current: Some(company.current),
                designation: Some(company.designation.clone()),
                designation_text: company.designation_text.clone(),
                appointed_on: company.appointed_on.clone(),
                ceased_on: company.ceased_on.clone(),
                as_of: companies.as_of.clone(),
                source: companies.source.clone(),
            });
        }
    }

    fn add_node(&mut self, node: NetworkNode, is_shown: bool) {
        match self.by_id.get(&node.id) {
            Some(known) => self.shown[*known] |= is_shown,
            None => {
                self.by_id.insert(node.id.clone(), self.nodes.len());
                self.nodes.push(node);
                self.shown.push(is_shown);
            }
        }
    }

    fn add_edge(&mut self, edge: NetworkEdge) {
        let (one, other) =
            (edge.from.clone().min(edge.to.clone()), edge.from.clone().max(edge.to.clone()));
        if self.known.insert((edge.relation.to_string(), one, other)) {
            self.edges.push(edge);
        }
    }

    pub fn find(&self, id: &str) -> Option<&NetworkNode> {
        self.by_id.get(id).map(|at| &self.nodes[*at])
    }

    /// The nodes of the drawing.
    pub fn shown(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|at| self.shown[*at]).collect()
    }

    /// The number of nodes that are only in the table.
    pub fn left_out(&self) -> usize {
        self.shown.iter().filter(|shown| !**shown).count()
    }

    /// The edges with the places of their nodes.
    pub fn links(&self) -> Vec<(usize, usize, &NetworkEdge)> {
        let place = |id: &str| self.by_id.get(id).copied();
        let edges = self.edges.iter();
        edges.filter_map(|edge| Some((place(&edge.from)?, place(&edge.to)?, edge))).collect()
    }

    /// The number of nodes without the first.
    pub fn count_text(&self) -> String {
        let others = i64::try_from(self.nodes.len().saturating_sub(1)).unwrap_or(i64::MAX);
        counted(others, "company or person", "companies and people")
    }

    /// All nodes but the first.
    pub fn rows(&self) -> Vec<NetworkRow<'_>> {
        let links = self.links();
        let pairs: Vec<(usize, usize)> =
            links.iter().map(|(one, other, _)| (*one, *other)).collect();
        let steps = distances(self.nodes.len(), &pairs);
        let mut nearer: Vec<Vec<(usize, &NetworkEdge)>> = vec![Vec::new(); self.nodes.len()];
        for (one, other, edge) in links {
            match (steps[one], steps[other]) {
                (Some(first), Some(second)) if first < second => nearer[other].push((one, edge)),
                (Some(first), Some(second)) if second < first => nearer[one].push((other, edge)),
                _ => {}
            }
        }
        let mut rows: Vec<NetworkRow<'_>> = (1..self.nodes.len())
            .map(|at| {
                let own = &nearer[at];
                let connections = own.iter().take(MAX_CONNECTIONS);
                NetworkRow {
                    node: &self.nodes[at],
                    steps: steps[at].unwrap_or_else(|| self.nodes[at].distance.into()),
                    connections: connections
                        .map(|(other, edge)| described(edge, &self.nodes[*other]))
                        .collect(),
                    more: own.len().saturating_sub(MAX_CONNECTIONS),
                }
            })
            .collect();
        rows.sort_by_key(|row| row.steps);
        rows
    }
}

/// What the pages show of a node.
pub trait DisplayNetworkNode {
    /// The page of the node.
    fn page(&self) -> String;

    fn status_label(&self) -> String;

    fn status_style(&self) -> &'static str;
}

impl DisplayNetworkNode for NetworkNode {
    fn page(&self) -> String {
        let kind = if self.is_company() { "companies" } else { "directors" };
        format!("/console/{kind}/{}", self.id)
    }

    fn status_label(&self) -> String {
        self.status.as_deref().map(labels::label).unwrap_or_default()
    }

    fn status_style(&self) -> &'static str {
        self.status.as_deref().map_or("muted", labels::status_class)
    }
}

/// What the pages show of the paths.
pub trait DisplayNetworkPaths {
    /// The length of the paths.
    fn length_text(&self) -> String;
}

impl DisplayNetworkPaths for NetworkPaths {
    fn length_text(&self) -> String {
        let steps = self.paths.first().map_or(0, |path| path.steps.len());
        counted(i64::try_from(steps).unwrap_or(i64::MAX), "step", "steps")
    }
}

/// What the pages show of a path.
pub trait DisplayNetworkPath {
    /// What connects the nodes, step by step. The API's sentences are English; in another language
    /// they are written from its data.
    fn step_texts(&self) -> Vec<String>;
}

impl DisplayNetworkPath for NetworkPath {
    fn step_texts(&self) -> Vec<String> {
        let ends = self.nodes.iter().zip(self.nodes.iter().skip(1));
        let in_words = |(step, (from, to)): (&NetworkStep, (&NetworkNode, &NetworkNode))| {
            if !in_hindi() {
                return step.sentence.clone();
            }
            let (nearer, other) = if from.is_company() { (from, to) } else { (to, from) };
            let said = step
                .edges
                .iter()
                .map(|edge| t_with("{0}: {1}.", &[&other.label(), &described(edge, nearer)]));
            said.collect::<Vec<_>>().join(" ")
        };
        self.steps.iter().zip(ends).map(in_words).collect()
    }
}

/// How a node is connected with a nearer one, as in a cell of the table.
pub fn described(edge: &NetworkEdge, nearer: &NetworkNode) -> String {
    let other = nearer.label();
    match edge.relation.as_ref() {
        "director_of" => {
            let title = edge.designation_text.clone().filter(|_| !in_hindi());
            let title = title.or_else(|| edge.designation.as_deref().map(labels::label));
            let title = title.unwrap_or_else(|| t("Director").to_owned());
            let appointment = match nearer.is_company() {
                true => t_with("{0} of {1}|seat", &[&title, &other]),
                false => format!("{other}: {title}"),
            };
            let from = edge.appointed_on.as_deref().map(dates::day);
            let until = edge.ceased_on.as_deref().map(dates::day);
            match (from, until) {
                (Some(from), Some(until)) => {
                    t_with("{0}, {1} to {2}", &[&appointment, &from, &until])
                }
                (Some(from), None) => t_with("{0}, since {1}", &[&appointment, &from]),
                (None, Some(until)) => t_with("{0}, until {1}", &[&appointment, &until]),
                (None, None) => appointment,
            }
        }
        "same_registered_office" => t_with("Same registered office as {0}", &[&other]),
        "same_email_domain" => t_with("Same email domain as {0}", &[&other]),
        "former_company" => t_with("Former number of, or formerly, {0}", &[&other]),
        relation => format!("{}: {other}", labels::label(relation)),
    }
}
