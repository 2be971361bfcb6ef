//! The shortest paths between two nodes, searched from both ends.

use rustc_hash::FxHashMap;

use crate::node::{Node, NodeId, Relation};
use crate::snapshot::{GraphSnapshot, Hub, HubList, MAX_NEIGHBORS};

/// The most steps of a path.
pub const MAX_STEPS: u8 = 6;
/// The most paths of a result.
pub const MAX_PATHS: usize = 5;
/// The nodes that a search visits at most, from both ends together.
const MAX_VISITED: usize = 200_000;

/// The shortest paths between two nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// Each from the first to the second node; all of the same length, in the order of their nodes.
    pub paths: Vec<Vec<Step>>,
    /// Whether there are more paths of this length.
    pub has_more: bool,
    /// Whether the search was ended by its limit of nodes: then paths may be missing.
    pub incomplete: bool,
    /// Hubs that were met and not followed.
    pub hubs: Vec<Hub>,
}

/// One step of a path: what connects two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub from: NodeId,
    pub to: NodeId,
    /// At least one.
    pub relations: Vec<Relation>,
}

impl GraphSnapshot {
    /// The shortest paths between two nodes, of at least one step. A node that is not in the graph has none.
    pub fn paths(&self, from: &NodeId, to: &NodeId) -> Paths {
        let (Some(from), Some(to)) = (self.find(from), self.find(to)) else {
            return Paths::default();
        };
        if from == to {
            return Paths::default();
        }
        let mut search = Search::new(self, [from, to]);
        search.run();
        search.finish()
    }
}

/// The nodes that were reached from one end.
struct Side {
    distances: FxHashMap<Node, u8>,
    frontier: Vec<Node>,
    depth: u8,
}

struct Search<'a> {
    snapshot: &'a GraphSnapshot,
    ends: [Node; 2],
    sides: [Side; 2],
    /// The length of the shortest paths.
    length: Option<u8>,
    incomplete: bool,
    hubs: HubList,
}

impl<'a> Search<'a> {
    fn new(snapshot: &'a GraphSnapshot, ends: [Node; 2]) -> Search<'a> {
        let side = |end: Node| Side {
            distances: FxHashMap::from_iter([(end, 0)]),
            frontier: vec![end],
            depth: 0,
        };
        let sides = [side(ends[0]), side(ends[1])];
        Search { snapshot, ends, sides, length: None, incomplete: false, hubs: HubList::default() }
    }

    /// Widens the smaller side level by level until both meet.
    fn run(&mut self) {
        while self.length.is_none() && self.sides[0].depth + self.sides[1].depth < MAX_STEPS {
            let at = usize::from(self.sides[1].frontier.len() < self.sides[0].frontier.len());
            if self.sides[at].frontier.is_empty() {
                return;
            }
            self.widen(at);
            if self.incomplete {
                return;
            }
        }
    }

    fn widen(&mut self, at: usize) {
        let frontier = std::mem::take(&mut self.sides[at].frontier);
        let depth = self.sides[at].depth + 1;
        let mut near = Vec::new();
        let mut next = Vec::new();
        for node in frontier {
            near.clear();
            self.neighbors(node, &mut near, true);
            for other in &near {
                if self.sides[at].distances.contains_key(other) {
                    continue;
                }
                self.sides[at].distances.insert(*other, depth);
                next.push(*other);
                if let Some(rest) = self.sides[1 - at].distances.get(other) {
                    let length = depth + rest;
                    self.length = Some(self.length.map_or(length, |known| known.min(length)));
                }
            }
            if self.sides[0].distances.len() + self.sides[1].distances.len() > MAX_VISITED {
                self.incomplete = true;
                return;
            }
        }
        (self.sides[at].frontier, self.sides[at].depth) = (next, depth);
    }

    /// The nodes one step away that a path may lead through. Hubs lie on no path, except as its ends.
    fn neighbors(&mut self, node: Node, found: &mut Vec<Node>, note_hubs: bool) {
        let mut companies = Vec::new();
        match node {
            Node::Director(din) => {
                // A hub is here only as an end of the path: its companies are all followed.
                self.snapshot.companies_of(din, &mut companies);
                found.extend(companies.drain(..).map(Node::Company));
            }
            Node::Company(company) => {
                for din in self.snapshot.directors_of(company) {
                    let director = Node::Director(*din);
                    if self.ends.contains(&director) || !self.snapshot.is_hub(*din) {
                        found.push(director);
                    } else if note_hubs {
                        let count = self.snapshot.count_companies(*din);
                        self.note(Relation::DirectorOf, director, count);
                    }
                }
                for relation in [Relation::SameRegisteredOffice, Relation::SameEmailDomain] {
                    companies.clear();
                    match relation {
                        Relation::SameRegisteredOffice => {
                            self.snapshot.at_office_of(company, &mut companies);
                        }
                        _ => self.snapshot.in_domain_of(company, &mut companies),
                    }
                    if companies.len() <= MAX_NEIGHBORS {
                        let others = companies.iter().filter(|other| **other != company);
                        found.extend(others.map(|other| Node::Company(*other)));
                    } else if note_hubs {
                        self.note(relation, node, companies.len());
                    }
                }
                companies.clear();
                self.snapshot.linked_by_former_number(company, &mut companies);
                found.extend(companies.drain(..).map(Node::Company));
            }
        }
    }

    fn note(&mut self, relation: Relation, at: Node, companies: usize) {
        self.hubs.note(self.snapshot, relation, at, companies, 0);
    }

    fn finish(mut self) -> Paths {
        let mut found = Vec::new();
        if let Some(length) = self.length {
            let on_paths = self.nodes_on_paths(length);
            let mut path = vec![self.ends[0]];
            self.extend(&on_paths, &mut path, &mut found);
        }
        let has_more = found.len() > MAX_PATHS;
        found.truncate(MAX_PATHS);
        let paths = found.iter().map(|path| self.steps(path)).collect();
        let incomplete = self.incomplete;
        Paths { paths, has_more, incomplete, hubs: self.hubs.hubs }
    }

    /// The nodes that lie on the shortest paths, with their distance from the first end: from those where
    /// both sides met, back to both ends.
    fn nodes_on_paths(&mut self, length: u8) -> FxHashMap<Node, u8> {
        let [first, second] = &self.sides;
        let met = first.distances.iter().filter(|(node, distance)| {
            second.distances.get(node).is_some_and(|rest| *distance + rest == length)
        });
        let mut on_paths: FxHashMap<Node, u8> =
            met.map(|(node, distance)| (*node, *distance)).collect();
        let met: Vec<Node> = on_paths.keys().copied().collect();
        let mut near = Vec::new();
        for at in [0, 1] {
            let mut level = met.clone();
            while let Some(node) = level.pop() {
                let distance = self.sides[at].distances[&node];
                if distance == 0 {
                    continue;
                }
                near.clear();
                self.neighbors(node, &mut near, false);
                for other in &near {
                    if self.sides[at].distances.get(other) != Some(&(distance - 1)) {
                        continue;
                    }
                    let position = if at == 0 { distance - 1 } else { length - (distance - 1) };
                    if on_paths.insert(*other, position).is_none() {
                        level.push(*other);
                    }
                }
            }
        }
        on_paths
    }

    /// Appends the paths that continue this one, in the order of their nodes, until there is one more than
    /// a result has.
    fn extend(
        &mut self,
        on_paths: &FxHashMap<Node, u8>,
        path: &mut Vec<Node>,
        found: &mut Vec<Vec<Node>>,
    ) {
        let last = path[path.len() - 1];
        if last == self.ends[1] {
            found.push(path.clone());
            return;
        }
        let walked = u8::try_from(path.len()).unwrap_or(u8::MAX);
        let mut near = Vec::new();
        self.neighbors(last, &mut near, false);
        near.retain(|node| on_paths.get(node) == Some(&walked));
        near.sort_unstable();
        near.dedup();
        for node in near {
            if found.len() > MAX_PATHS {
                return;
            }
            path.push(node);
            self.extend(on_paths, path, found);
            path.pop();
        }
    }

    fn steps(&self, path: &[Node]) -> Vec<Step> {
        let step = |pair: &[Node]| Step {
            from: self.snapshot.id(pair[0]),
            to: self.snapshot.id(pair[1]),
            relations: self.snapshot.relations(pair[0], pair[1]),
        };
        path.windows(2).map(step).collect()
    }
}

impl GraphSnapshot {
    /// What connects two neighbors on a path.
    fn relations(&self, one: Node, other: Node) -> Vec<Relation> {
        let (one, other) = match (one, other) {
            (Node::Company(one), Node::Company(other)) => (one, other),
            _ => return vec![Relation::DirectorOf],
        };
        let mut relations = Vec::new();
        let mut companies = Vec::new();
        if self.office(one) != 0 && self.office(one) == self.office(other) {
            self.at_office_of(one, &mut companies);
            if companies.len() <= MAX_NEIGHBORS {
                relations.push(Relation::SameRegisteredOffice);
            }
            companies.clear();
        }
        if self.domain(one) != 0 && self.domain(one) == self.domain(other) {
            self.in_domain_of(one, &mut companies);
            if companies.len() <= MAX_NEIGHBORS {
                relations.push(Relation::SameEmailDomain);
            }
            companies.clear();
        }
        self.linked_by_former_number(one, &mut companies);
        if companies.contains(&other) {
            relations.push(Relation::FormerCompany);
        }
        relations
    }
}
