//! Networks and paths are those of a plain computation, on random registers.

use std::collections::{BTreeMap, BTreeSet};

use panji_graph::{Graph, MAX_PATHS, MAX_STEPS, NodeId, Relation};
use proptest::prelude::*;

use crate::plain::{PlainCompany, PlainRegister, cin, din};

prop_compose! {
    fn plain_company()(
        office in prop::option::weighted(0.5, 0..8u8),
        domain in prop::option::weighted(0.3, 0..6u8),
        former in prop::option::weighted(0.1, 0..24usize),
        dins in prop::collection::btree_set(0..30u32, 0..4),
    ) -> PlainCompany {
        PlainCompany { office, domain, former, dins }
    }
}

fn plain_register() -> impl Strategy<Value = PlainRegister> {
    prop::collection::vec(plain_company(), 1..24).prop_map(PlainRegister)
}

/// What an edge says, without its direction.
type Undirected = (Relation, BTreeSet<NodeId>);

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_network_has_the_nodes_and_edges_of_a_plain_computation(
        register in plain_register(),
        depth in 1..=3u8,
    ) {
        let snapshot = Graph::in_memory(register.builder()).snapshot().unwrap();
        let root = NodeId::Company(cin(0));
        let network = snapshot.network(&cin(0), depth).unwrap();
        let distances: BTreeMap<NodeId, u8> =
            network.nodes.iter().map(|node| (node.id.clone(), node.distance)).collect();
        prop_assert_eq!(&distances, &register.distances(&root, &[], depth));
        prop_assert_eq!(network.nodes.len(), distances.len(), "each node is listed once");
        prop_assert!(network.nodes.is_sorted_by_key(|node| node.distance));
        prop_assert!(!network.truncated && network.hubs.is_empty());
        check_edges(&register, &distances, &network.edges)?;
    }

    #[test]
    fn the_shortest_paths_are_those_of_a_plain_computation(
        register in plain_register(),
        from in 0..24usize,
        to in 0..30u32,
        to_company in any::<bool>(),
    ) {
        let snapshot = Graph::in_memory(register.builder()).snapshot().unwrap();
        let from = NodeId::Company(cin(from % register.0.len()));
        let to = match to_company {
            true => NodeId::Company(cin(to as usize % register.0.len())),
            false => NodeId::Director(din(to)),
        };
        let found = snapshot.paths(&from, &to);
        let expected = register.shortest_paths(&from, &to, MAX_STEPS);
        let paths: Vec<Vec<NodeId>> = found.paths.iter().map(|steps| {
            let first = steps.iter().take(1).map(|step| step.from.clone());
            first.chain(steps.iter().map(|step| step.to.clone())).collect()
        }).collect();
        prop_assert_eq!(found.has_more, expected.len() > MAX_PATHS);
        prop_assert_eq!(&paths[..], &expected[..expected.len().min(MAX_PATHS)]);
        prop_assert!(!found.incomplete);
        let relations = register.relations(&[from, to]);
        for step in found.paths.iter().flatten() {
            let expected: Vec<Relation> = relations[&step.from]
                .iter()
                .filter(|(id, _)| *id == step.to)
                .map(|(_, relation)| *relation)
                .collect();
            prop_assert_eq!(&step.relations, &expected);
        }
    }
}

/// Every edge is a relation of the register. Appointments and former numbers are all there; companies that share
/// an office or a domain are connected with the first of them.
fn check_edges(
    register: &PlainRegister,
    nodes: &BTreeMap<NodeId, u8>,
    edges: &[panji_graph::Edge],
) -> Result<(), TestCaseError> {
    let mut expected: BTreeSet<Undirected> = BTreeSet::new();
    for (one, near) in register.relations(&[]) {
        for (other, relation) in near {
            if nodes.contains_key(&one) && nodes.contains_key(&other) {
                expected.insert((relation, BTreeSet::from([one.clone(), other])));
            }
        }
    }
    let found: BTreeSet<Undirected> = edges
        .iter()
        .map(|edge| (edge.relation, BTreeSet::from([edge.from.clone(), edge.to.clone()])))
        .collect();
    // Two companies may each have the number of the other as a former one.
    prop_assert!(edges.len() <= found.len() * 2);
    prop_assert!(found.is_subset(&expected), "{found:?} is more than {expected:?}");
    for relation in Relation::ALL {
        let of = |edges: &BTreeSet<Undirected>| -> Vec<BTreeSet<NodeId>> {
            edges
                .iter()
                .filter(|(kind, _)| *kind == relation)
                .map(|(_, pair)| pair.clone())
                .collect()
        };
        let (found, expected) = (of(&found), of(&expected));
        match relation {
            Relation::DirectorOf | Relation::FormerCompany => prop_assert_eq!(found, expected),
            _ => prop_assert_eq!(groups(found), groups(expected)),
        }
    }
    Ok(())
}

/// The groups of nodes that these pairs connect.
fn groups(pairs: Vec<BTreeSet<NodeId>>) -> BTreeSet<BTreeSet<NodeId>> {
    let mut groups: Vec<BTreeSet<NodeId>> = Vec::new();
    for pair in pairs {
        let (near, rest): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| !group.is_disjoint(&pair));
        groups = rest;
        groups.push(near.into_iter().flatten().chain(pair).collect());
    }
    groups.into_iter().collect()
}
