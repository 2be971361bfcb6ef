//! Hubs are not followed, and the result says so; large networks are cut.

use panji_graph::{Graph, MAX_NEIGHBORS, MAX_NODES, NodeId, Relation};

use crate::plain::{PlainCompany, PlainRegister, cin, din};

fn at_office(office: u8, dins: &[u32]) -> PlainCompany {
    PlainCompany {
        office: Some(office),
        dins: dins.iter().copied().collect(),
        ..PlainCompany::default()
    }
}

fn ids(steps: &[panji_graph::Step]) -> Vec<&str> {
    steps.iter().map(|step| step.to.as_str()).collect()
}

#[test]
fn an_office_with_too_many_companies_is_not_followed_and_the_result_says_so() {
    let count = MAX_NEIGHBORS + 1;
    let mut companies: Vec<PlainCompany> = (0..count).map(|_| at_office(1, &[])).collect();
    companies[0].dins.insert(1);
    companies.push(at_office(2, &[1]));
    let snapshot = Graph::in_memory(PlainRegister(companies).builder()).snapshot().unwrap();
    let company = |number| NodeId::Company(cin(number));

    let paths = snapshot.paths(&company(0), &company(1));
    assert!(paths.paths.is_empty());
    assert_eq!(paths.hubs.len(), 1);
    let hub = &paths.hubs[0];
    assert_eq!(hub.relation, Relation::SameRegisteredOffice);
    assert_eq!((hub.companies, hub.followed), (count, 0));

    // The company itself has the first of its neighbors at the office; another's are left out.
    let own = snapshot.network(&cin(0), 1).unwrap();
    assert_eq!(own.nodes.len(), 1 + MAX_NEIGHBORS);
    assert_eq!((own.hubs[0].companies, own.hubs[0].followed), (count, MAX_NEIGHBORS));
    let other = snapshot.network(&cin(count), 3).unwrap();
    assert_eq!(other.nodes.len(), 3, "itself, the person and their other company");
    assert_eq!((other.hubs[0].companies, other.hubs[0].followed), (count, 0));
}

#[test]
fn a_person_with_too_many_companies_is_an_end_of_a_path_but_not_on_one() {
    let count = MAX_NEIGHBORS + 1;
    let companies: Vec<PlainCompany> =
        (0..count).map(|number| at_office(u8::try_from(number).unwrap(), &[7])).collect();
    let snapshot = Graph::in_memory(PlainRegister(companies).builder()).snapshot().unwrap();
    let (one, other) = (NodeId::Company(cin(0)), NodeId::Company(cin(1)));
    let hub = NodeId::Director(din(7));
    let between = snapshot.paths(&one, &other);
    assert!(between.paths.is_empty());
    assert_eq!((between.hubs[0].relation, &between.hubs[0].at), (Relation::DirectorOf, &hub));
    assert_eq!(ids(&snapshot.paths(&one, &hub).paths[0]), [din(7)]);
    assert_eq!(ids(&snapshot.paths(&hub, &other).paths[0]), [cin(1)]);
    assert_eq!(snapshot.network(&cin(0), 3).unwrap().nodes.len(), 2);
}

#[test]
fn a_large_network_is_cut_and_keeps_the_best_connected() {
    // A board of 8; each of them has 80 other companies; the last of those has them all.
    let mut companies = vec![at_office(200, &(0..8).collect::<Vec<u32>>())];
    for person in 0..8u32 {
        for place in 0..80u8 {
            companies.push(at_office(place, &[person]));
            companies.last_mut().unwrap().office = None;
        }
    }
    companies.push(PlainCompany { dins: (0..8).collect(), ..PlainCompany::default() });
    let last = cin(companies.len() - 1);
    let snapshot = Graph::in_memory(PlainRegister(companies).builder()).snapshot().unwrap();
    let network = snapshot.network(&cin(0), 2).unwrap();
    assert!(network.truncated);
    assert_eq!(network.nodes.len(), MAX_NODES);
    assert_eq!(
        network.nodes[9].id.as_str(),
        last,
        "the best connected of the second level is first"
    );
    assert!(!snapshot.network(&cin(0), 1).unwrap().truncated);
}

#[test]
fn a_company_that_is_not_in_the_graph_has_no_network_and_no_paths() {
    let snapshot =
        Graph::in_memory(PlainRegister(vec![at_office(1, &[1])]).builder()).snapshot().unwrap();
    assert!(snapshot.network(&cin(7), 2).is_none());
    assert!(snapshot.network("no number", 2).is_none());
    let (known, unknown) = (NodeId::Company(cin(0)), NodeId::Company(cin(7)));
    assert!(snapshot.paths(&known, &unknown).paths.is_empty());
    assert!(snapshot.paths(&known, &known).paths.is_empty());
    assert!(snapshot.paths(&known, &NodeId::Director(din(9))).paths.is_empty());
}
