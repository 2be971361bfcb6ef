//! The surroundings of a company: the nearest nodes up to a depth, the best connected first, and what
//! connects them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::node::{Node, NodeId, Relation};
use crate::snapshot::{GraphSnapshot, Hub, HubList, MAX_NEIGHBORS};

pub const MAX_DEPTH: u8 = 3;
/// The most nodes of a network.
pub const MAX_NODES: usize = 500;
/// The most edges of a network.
pub const MAX_EDGES: usize = 5_000;

/// The surroundings of a company.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// The company itself first.
    pub nodes: Vec<NetworkNode>,
    pub edges: Vec<Edge>,
    /// Whether there are more nodes or edges.
    pub truncated: bool,
    pub hubs: Vec<Hub>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkNode {
    pub id: NodeId,
    /// Steps from the company that was asked for.
    pub distance: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub relation: Relation,
    /// The person, or the nearer of two companies; of former companies the current one.
    pub from: NodeId,
    pub to: NodeId,
}

impl GraphSnapshot {
    /// The network of a company; none if it is not in the graph.
    pub fn network(&self, cin: &str, depth: u8) -> Option<Network> {
        let root = self.find(&NodeId::Company(cin.to_owned()))?;
        let mut walk = Walk::new(self, root);
        for _ in 0..depth.min(MAX_DEPTH) {
            walk.next_level();
        }
        Some(walk.finish())
    }
}

struct Walk<'a> {
    snapshot: &'a GraphSnapshot,
    /// In the order of the result, with their distances.
    nodes: Vec<(Node, u8)>,
    known: FxHashSet<Node>,
    /// Where the last level begins, and its distance.
    level: usize,
    distance: u8,
    truncated: bool,
    hubs: HubList,
}

impl<'a> Walk<'a> {
    fn new(snapshot: &'a GraphSnapshot, root: Node) -> Walk<'a> {
        let known = FxHashSet::from_iter([root]);
        let (nodes, hubs) = (vec![(root, 0)], HubList::default());
        Walk { snapshot, nodes, known, level: 0, distance: 0, truncated: false, hubs }
    }

    /// Adds the neighbors of the last level: those with the most links to it first, then those with the
    /// most links at all.
    fn next_level(&mut self) {
        let start = self.level;
        self.level = self.nodes.len();
        self.distance += 1;
        let mut links: FxHashMap<Node, u32> = FxHashMap::default();
        let mut near = Vec::new();
        for at in start..self.level {
            near.clear();
            self.neighbors(self.nodes[at].0, self.distance == 1, &mut near);
            for node in near.iter().filter(|node| !self.known.contains(node)) {
                *links.entry(*node).or_default() += 1;
            }
        }
        let mut found: Vec<(u32, usize, Node)> =
            links.into_iter().map(|(node, count)| (count, self.degree(node), node)).collect();
        found.sort_unstable_by(|one, other| {
            (other.0, other.1).cmp(&(one.0, one.1)).then(one.2.cmp(&other.2))
        });
        if self.nodes.len() + found.len() > MAX_NODES {
            self.truncated = true;
            found.truncate(MAX_NODES - self.nodes.len());
        }
        for (_, _, node) in found {
            self.known.insert(node);
            self.nodes.push((node, self.distance));
        }
    }

    fn degree(&self, node: Node) -> usize {
        match node {
            Node::Company(company) => self.snapshot.directors_of(company).len(),
            Node::Director(din) => self.snapshot.count_companies(din),
        }
    }

    fn neighbors(&mut self, node: Node, of_root: bool, found: &mut Vec<Node>) {
        let mut companies = Vec::new();
        match node {
            Node::Director(din) => {
                self.snapshot.companies_of(din, &mut companies);
                self.limit(Relation::DirectorOf, node, false, &mut companies);
                found.extend(companies.drain(..).map(Node::Company));
            }
            Node::Company(company) => {
                found.extend(
                    self.snapshot.directors_of(company).iter().copied().map(Node::Director),
                );
                self.snapshot.at_office_of(company, &mut companies);
                self.limit(Relation::SameRegisteredOffice, node, of_root, &mut companies);
                found.extend(companies.drain(..).map(Node::Company));
                self.snapshot.in_domain_of(company, &mut companies);
                self.limit(Relation::SameEmailDomain, node, of_root, &mut companies);
                found.extend(companies.drain(..).map(Node::Company));
                self.snapshot.linked_by_former_number(company, &mut companies);
                found.extend(companies.drain(..).map(Node::Company));
            }
        }
    }

    /// Leaves out the companies of a hub, except the first of the office and the domain that the company
    /// which was asked for has.
    fn limit(&mut self, relation: Relation, at: Node, of_root: bool, companies: &mut Vec<u32>) {
        if companies.len() <= MAX_NEIGHBORS {
            return;
        }
        let count = companies.len();
        companies.truncate(if of_root { MAX_NEIGHBORS } else { 0 });
        self.hubs.note(self.snapshot, relation, at, count, companies.len());
    }

    fn finish(self) -> Network {
        let mut edges = Vec::new();
        let mut truncated = self.truncated;
        for edge in self.edges() {
            if edges.len() == MAX_EDGES {
                truncated = true;
                break;
            }
            edges.push(edge);
        }
        let nodes = self.nodes.iter();
        let nodes = nodes
            .map(|(node, distance)| NetworkNode {
                id: self.snapshot.id(*node),
                distance: *distance,
            })
            .collect();
        Network { nodes, edges, truncated, hubs: self.hubs.hubs }
    }

    /// The edges between the nodes. Companies that share an office or a domain are each connected with
    /// the first of them, because all pairs would be too many.
    fn edges(&self) -> Vec<Edge> {
        let id = |node: Node| self.snapshot.id(node);
        let mut edges = Vec::new();
        let mut offices: FxHashMap<u64, u32> = FxHashMap::default();
        let mut domains: FxHashMap<u64, u32> = FxHashMap::default();
        let mut former = Vec::new();
        for (node, _) in &self.nodes {
            let Node::Company(company) = *node else { continue };
            for din in self.snapshot.directors_of(company) {
                let director = Node::Director(*din);
                if self.known.contains(&director) {
                    let (from, to) = (id(director), id(*node));
                    edges.push(Edge { relation: Relation::DirectorOf, from, to });
                }
            }
            let groups = [
                (Relation::SameRegisteredOffice, &mut offices, self.snapshot.office(company)),
                (Relation::SameEmailDomain, &mut domains, self.snapshot.domain(company)),
            ];
            for (relation, firsts, key) in groups {
                if key == 0 {
                    continue;
                }
                let first = *firsts.entry(key).or_insert(company);
                if first != company {
                    let (from, to) = (id(Node::Company(first)), id(*node));
                    edges.push(Edge { relation, from, to });
                }
            }
            former.clear();
            self.snapshot.former_companies_of(company, &mut former);
            for other in former.iter().map(|other| Node::Company(*other)) {
                if self.known.contains(&other) {
                    let (from, to) = (id(*node), id(other));
                    edges.push(Edge { relation: Relation::FormerCompany, from, to });
                }
            }
        }
        edges
    }
}
