//! The current details of nodes and edges, from the register.

use std::collections::{BTreeSet, HashMap};

use panji_graph::{NodeId, Relation};
use panji_store::register::{Appointment, RecordSummary};
use panji_store::{Register, StoreError};

use crate::api::wire::{COMPANY, DIRECTOR, NetworkEdge, NetworkNode};

/// What the register says about some nodes, by number.
pub struct Details {
    companies: HashMap<String, RecordSummary>,
    directors: HashMap<String, RecordSummary>,
    /// The appointments by company and person.
    appointments: HashMap<(String, String), Vec<Appointment>>,
}

impl Details {
    /// Reads the companies and people with these ids, and the appointments of these edges.
    pub async fn read<'a>(
        register: &Register,
        ids: impl Iterator<Item = &'a NodeId> + Clone,
        director_edges: impl Iterator<Item = (&'a NodeId, &'a NodeId)>,
    ) -> Result<Details, StoreError> {
        let cins: Vec<&str> = ids.clone().filter_map(company).collect();
        let dins: Vec<&str> = ids.filter_map(director).collect();
        let companies = register.find_company_summaries(&cins).await?;
        let directors = register.find_director_summaries(&dins).await?;
        let mut details = Details {
            companies: by_number(&cins, companies),
            directors: by_number(&dins, directors),
            appointments: HashMap::new(),
        };
        let boards: BTreeSet<&str> =
            director_edges.flat_map(|(one, other)| [one, other]).filter_map(company).collect();
        let boards: Vec<&str> = boards.into_iter().collect();
        let appointments: Vec<Vec<Appointment>> = register.list_each(&boards).await?;
        for appointment in appointments.into_iter().flatten() {
            let key = (appointment.cin.clone(), appointment.din.clone());
            details.appointments.entry(key).or_default().push(appointment);
        }
        Ok(details)
    }

    pub fn node(&self, node_id: &NodeId, distance: u8) -> NetworkNode {
        let id = node_id.as_str();
        let (kind, found) = match node_id {
            NodeId::Company(_) => (COMPANY, self.companies.get(id)),
            NodeId::Director(_) => (DIRECTOR, self.directors.get(id)),
        };
        let mut node = NetworkNode {
            id: id.to_owned(),
            kind: kind.into(),
            name: found.map(|found| found.name.clone()),
            status: found.map(|found| found.status.clone()),
            distance,
            as_of: found.and_then(|found| found.origin.as_of.clone()),
            source: found.map(|found| found.origin.source.clone()),
        };
        if found.is_none() && kind == DIRECTOR {
            self.name_from_appointment(&mut node);
        }
        node
    }

    /// A person without a record of their own has the name of the first appointment.
    fn name_from_appointment(&self, node: &mut NetworkNode) {
        let appointments = self.appointments.iter().filter(|((_, din), _)| *din == node.id);
        let first = appointments
            .min_by_key(|((cin, _), _)| cin)
            .and_then(|(_, appointments)| appointments.first());
        if let Some(appointment) = first {
            node.name = Some(appointment.name.clone());
            node.as_of.clone_from(&appointment.as_of);
            node.source = Some(appointment.source.clone());
        }
    }

    /// The edge between two nodes. That of a director has the data of the current appointment, or else of
    /// the latest.
    pub fn edge(&self, relation: Relation, from: &NetworkNode, to: &NetworkNode) -> NetworkEdge {
        let mut edge = NetworkEdge::between(relation, from, to);
        if relation != Relation::DirectorOf {
            return edge;
        }
        let (person, company) = if from.is_company() { (to, from) } else { (from, to) };
        (edge.from, edge.to) = (person.id.clone(), company.id.clone());
        (edge.as_of, edge.source) = (None, None);
        let appointments = self.appointments.get(&(company.id.clone(), person.id.clone()));
        let appointments = appointments.map_or(&[][..], Vec::as_slice);
        let current = appointments.iter().find(|appointment| appointment.ceased_on.is_none());
        if let Some(appointment) = current.or(appointments.first()) {
            edge.current = Some(appointment.ceased_on.is_none());
            edge.designation = Some(appointment.designation.clone());
            edge.designation_text.clone_from(&appointment.designation_text);
            edge.appointed_on =
                Some(appointment.appointed_on.clone()).filter(|day| !day.is_empty());
            edge.ceased_on.clone_from(&appointment.ceased_on);
            edge.as_of.clone_from(&appointment.as_of);
            edge.source = Some(appointment.source.clone());
        }
        edge
    }
}

fn company(id: &NodeId) -> Option<&str> {
    matches!(id, NodeId::Company(_)).then(|| id.as_str())
}

fn director(id: &NodeId) -> Option<&str> {
    matches!(id, NodeId::Director(_)).then(|| id.as_str())
}

/// The summaries by the numbers that were asked for.
fn by_number(
    numbers: &[&str],
    found: Vec<Option<RecordSummary>>,
) -> HashMap<String, RecordSummary> {
    let pairs = numbers.iter().zip(found);
    pairs.filter_map(|(number, found)| Some(((*number).to_owned(), found?))).collect()
}
