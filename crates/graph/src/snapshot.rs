//! The graph as it is read: the base, and in place of its companies those of the overlay.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::base::{Base, Shared};
use crate::node::{CompanyNumber, Node, NodeId, Relation, pack_din};
use crate::overlay::Overlay;

/// An office, a domain or a person with more companies than this is a hub: a registered-office provider,
/// an accountant's domain, a nominee. Being linked by one says little, so it is not followed.
pub const MAX_NEIGHBORS: usize = 100;

/// A hub that was met and not followed, or only in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hub {
    pub relation: Relation,
    /// The company at the office or with the domain, or the person.
    pub at: NodeId,
    /// The companies of the hub.
    pub companies: usize,
    /// How many of them were followed.
    pub followed: usize,
}

/// The most hubs that a result names.
const MAX_HUBS: usize = 50;

/// Hubs, each once.
#[derive(Default)]
pub(crate) struct HubList {
    pub hubs: Vec<Hub>,
    known: FxHashSet<(Relation, u64)>,
}

impl HubList {
    pub fn note(
        &mut self,
        snapshot: &GraphSnapshot,
        relation: Relation,
        at: Node,
        companies: usize,
        followed: usize,
    ) {
        let key = match (relation, at) {
            (Relation::SameEmailDomain, Node::Company(company)) => snapshot.domain(company),
            (_, Node::Company(company)) => snapshot.office(company),
            (_, Node::Director(din)) => u64::from(din),
        };
        if self.hubs.len() < MAX_HUBS && self.known.insert((relation, key)) {
            self.hubs.push(Hub { relation, at: snapshot.id(at), companies, followed });
        }
    }
}

/// One state of the graph.
#[derive(Clone, Debug, Default)]
pub struct GraphSnapshot {
    pub(crate) base: Arc<Base>,
    pub(crate) overlay: Overlay,
    /// The last change of the register in it.
    pub(crate) seq: i64,
}

impl GraphSnapshot {
    pub(crate) fn of(base: Arc<Base>) -> GraphSnapshot {
        GraphSnapshot { seq: base.seq, base, overlay: Overlay::default() }
    }

    /// The bytes of its arrays in memory, without the overlay.
    pub fn bytes(&self) -> usize {
        self.base.bytes()
    }

    pub fn companies(&self) -> usize {
        self.base.numbers.len()
    }

    pub(crate) fn find(&self, id: &NodeId) -> Option<Node> {
        match id {
            NodeId::Company(cin) => self.find_number(CompanyNumber::pack(cin)?).map(Node::Company),
            NodeId::Director(din) => pack_din(din).map(Node::Director),
        }
    }

    fn find_number(&self, number: CompanyNumber) -> Option<u32> {
        let found = self.base.find(number).or_else(|| self.overlay.find(number));
        found.filter(|company| !self.overlay.is_removed(*company))
    }

    pub(crate) fn id(&self, node: Node) -> NodeId {
        match node {
            Node::Company(company) => {
                NodeId::Company(self.number(company).map(CompanyNumber::text).unwrap_or_default())
            }
            Node::Director(din) => NodeId::Director(format!("{din:08}")),
        }
    }

    fn number(&self, company: u32) -> Option<CompanyNumber> {
        let added =
            || self.overlay.number((company as usize).checked_sub(self.base.numbers.len())?);
        self.base.number(company).or_else(added)
    }

    pub(crate) fn directors_of(&self, company: u32) -> &[u32] {
        match self.overlay.get(company) {
            Some(entry) => &entry.dins,
            None => self.base.directors_of(company),
        }
    }

    /// Appends the companies of a person.
    pub(crate) fn companies_of(&self, din: u32, found: &mut Vec<u32>) {
        let in_base = self.base.companies_of(din).iter();
        found.extend(in_base.filter(|company| !self.overlay.is_replaced(**company)));
        found.extend(self.overlay.companies_of(din));
    }

    /// At least the number of companies of a person.
    pub(crate) fn count_companies(&self, din: u32) -> usize {
        self.base.companies_of(din).len() + self.overlay.companies_of(din).len()
    }

    /// Whether a person has more companies than are followed.
    pub(crate) fn is_hub(&self, din: u32) -> bool {
        if self.count_companies(din) <= MAX_NEIGHBORS {
            return false;
        }
        let mut companies = Vec::new();
        self.companies_of(din, &mut companies);
        companies.len() > MAX_NEIGHBORS
    }

    pub(crate) fn office(&self, company: u32) -> u64 {
        match self.overlay.get(company) {
            Some(entry) => entry.links.office,
            None => self.base.offices.key(company),
        }
    }

    pub(crate) fn domain(&self, company: u32) -> u64 {
        match self.overlay.get(company) {
            Some(entry) => entry.links.domain,
            None => self.base.domains.key(company),
        }
    }

    /// Appends the companies at the office of a company, itself among them.
    pub(crate) fn at_office_of(&self, company: u32, found: &mut Vec<u32>) {
        let key = self.office(company);
        self.sharing(&self.base.offices, key, company, self.overlay.at_office(key), found);
    }

    /// How many companies have the registered office of a company, itself among them, and the numbers of
    /// the first of them; none if the company or its office is not known.
    pub fn companies_at_office_of(&self, cin: &str, limit: usize) -> Option<(usize, Vec<String>)> {
        let company = self.find_number(CompanyNumber::pack(cin)?)?;
        let mut found = Vec::new();
        self.at_office_of(company, &mut found);
        if found.is_empty() {
            return None;
        }
        let numbers = found.iter().take(limit).filter_map(|company| self.number(*company));
        Some((found.len(), numbers.map(CompanyNumber::text).collect()))
    }

    /// Appends the companies with the email domain of a company, itself among them.
    pub(crate) fn in_domain_of(&self, company: u32, found: &mut Vec<u32>) {
        let key = self.domain(company);
        self.sharing(&self.base.domains, key, company, self.overlay.in_domain(key), found);
    }

    fn sharing(&self, base: &Shared, key: u64, near: u32, changed: &[u32], found: &mut Vec<u32>) {
        if key == 0 {
            return;
        }
        let in_base = base.with_key(key, Some(near)).iter();
        found.extend(in_base.filter(|company| !self.overlay.is_replaced(**company)));
        found.extend(changed);
    }

    /// Appends the companies with a former number of this one.
    pub(crate) fn former_companies_of(&self, company: u32, found: &mut Vec<u32>) {
        match self.overlay.get(company) {
            Some(entry) => {
                let former = entry.links.former.iter();
                found.extend(former.filter_map(|number| self.find_number(*number)));
            }
            None => {
                let former = &self.base.former;
                let start = former.partition_point(|(current, _)| *current < company);
                let own = former[start..].iter().take_while(|(current, _)| *current == company);
                found.extend(own.map(|(_, former)| *former));
            }
        }
        found.retain(|other| *other != company && !self.overlay.is_removed(*other));
    }

    /// Appends the companies with a former number of this one, and those whose former number it has.
    pub(crate) fn linked_by_former_number(&self, company: u32, found: &mut Vec<u32>) {
        self.former_companies_of(company, found);
        let start = self.base.successors.partition_point(|(former, _)| *former < company);
        let successors = self.base.successors[start..].iter();
        let successors = successors
            .take_while(|(former, _)| *former == company)
            .filter(|(_, current)| !self.overlay.is_replaced(*current));
        found.extend(successors.map(|(_, current)| *current));
        if self.overlay.len() > 0
            && let Some(number) = self.number(company)
        {
            found.extend(self.overlay.with_former(number));
        }
        found.retain(|other| *other != company);
        found.sort_unstable();
        found.dedup();
    }
}
