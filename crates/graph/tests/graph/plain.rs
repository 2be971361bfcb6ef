//! A register in plain maps, and the slow computation of networks and paths by their definitions.

use std::collections::{BTreeMap, BTreeSet};

use panji_graph::{Builder, CompanyLinks, MAX_NEIGHBORS, NodeId, Relation};
use panji_store::register::LinkedCompany;

/// A company by what links it.
#[derive(Clone, Debug, Default)]
pub struct PlainCompany {
    pub office: Option<u8>,
    pub domain: Option<u8>,
    pub former: Option<usize>,
    pub dins: BTreeSet<u32>,
}

#[derive(Clone, Debug, Default)]
pub struct PlainRegister(pub Vec<PlainCompany>);

/// The CIN of the company with this index.
pub fn cin(number: usize) -> String {
    format!("U17110MH2001PTC{:06}", 990_000 + number)
}

pub fn din(number: u32) -> String {
    format!("{:08}", 99_000_000 + number)
}

pub fn linked(number: usize, company: &PlainCompany) -> LinkedCompany {
    let former: Vec<String> = company.former.map(cin).into_iter().collect();
    LinkedCompany {
        cin: cin(number),
        address: company.office.map(|office| format!("{} Namuna Road, Kalpana Nagar", office + 1)),
        city: Some("Mumbai".to_owned()),
        pincode: Some("400013".to_owned()),
        email: company.domain.map(|domain| format!("cs@domain{domain}.example")),
        former_cins: format!("{former:?}"),
    }
}

impl PlainRegister {
    pub fn builder(&self) -> Builder {
        let mut builder = Builder::default();
        for (number, company) in self.0.iter().enumerate() {
            let links = CompanyLinks::of(&linked(number, company));
            builder.add_company(&cin(number), &links).unwrap();
        }
        for (number, company) in self.0.iter().enumerate() {
            for person in &company.dins {
                builder.add_appointment(&cin(number), &din(*person)).unwrap();
            }
        }
        builder
    }

    /// All relations of two different nodes, each in both directions, without hubs.
    pub fn relations(&self, ends: &[NodeId]) -> BTreeMap<NodeId, BTreeSet<(NodeId, Relation)>> {
        let mut relations: BTreeMap<NodeId, BTreeSet<(NodeId, Relation)>> = BTreeMap::new();
        let mut add = |one: &NodeId, other: &NodeId, relation| {
            relations.entry(one.clone()).or_default().insert((other.clone(), relation));
            relations.entry(other.clone()).or_default().insert((one.clone(), relation));
        };
        let company = |number: usize| NodeId::Company(cin(number));
        let count =
            |same: &dyn Fn(&PlainCompany) -> bool| self.0.iter().filter(|c| same(c)).count();
        for (number, one) in self.0.iter().enumerate() {
            for person in &one.dins {
                let director = NodeId::Director(din(*person));
                let is_hub = count(&|other| other.dins.contains(person)) > MAX_NEIGHBORS;
                if !is_hub || ends.contains(&director) {
                    add(&company(number), &director, Relation::DirectorOf);
                }
            }
            for (at, other) in self.0.iter().enumerate().filter(|(at, _)| *at != number) {
                let few = |same: &dyn Fn(&PlainCompany) -> bool| count(same) <= MAX_NEIGHBORS;
                if one.office.is_some()
                    && one.office == other.office
                    && few(&|c| c.office == one.office)
                {
                    add(&company(number), &company(at), Relation::SameRegisteredOffice);
                }
                if one.domain.is_some()
                    && one.domain == other.domain
                    && few(&|c| c.domain == one.domain)
                {
                    add(&company(number), &company(at), Relation::SameEmailDomain);
                }
                if one.former == Some(at) {
                    add(&company(number), &company(at), Relation::FormerCompany);
                }
            }
        }
        relations
    }

    /// The distance of every node within reach.
    pub fn distances(&self, from: &NodeId, ends: &[NodeId], depth: u8) -> BTreeMap<NodeId, u8> {
        let relations = self.relations(ends);
        let mut distances = BTreeMap::from([(from.clone(), 0)]);
        for step in 0..depth {
            let level: Vec<NodeId> = distances
                .iter()
                .filter(|(_, distance)| **distance == step)
                .map(|(id, _)| id.clone())
                .collect();
            for id in level {
                for (near, _) in relations.get(&id).into_iter().flatten() {
                    distances.entry(near.clone()).or_insert(step + 1);
                }
            }
        }
        distances
    }

    /// All shortest paths, in the order of their nodes.
    pub fn shortest_paths(&self, from: &NodeId, to: &NodeId, max_steps: u8) -> Vec<Vec<NodeId>> {
        let ends = [from.clone(), to.clone()];
        let relations = self.relations(&ends);
        let distances = self.distances(from, &ends, max_steps);
        if from == to || !distances.contains_key(to) {
            return Vec::new();
        }
        let mut paths = vec![vec![to.clone()]];
        while paths[0][0] != *from {
            let mut longer = Vec::new();
            for path in paths {
                let distance = distances[&path[0]];
                let near: BTreeSet<&NodeId> =
                    relations[&path[0]].iter().map(|(id, _)| id).collect();
                let before = near
                    .into_iter()
                    .filter(|id| distances.get(*id).is_some_and(|nearer| nearer + 1 == distance));
                for id in before {
                    longer.push([vec![id.clone()], path.clone()].concat());
                }
            }
            paths = longer;
        }
        paths.sort();
        paths
    }
}
