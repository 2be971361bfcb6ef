//! The steps of a path in sentences: facts with their dates.

use panji_graph::Relation;
use panji_store::register::Company;

use crate::api::wire::{NetworkEdge, NetworkNode};

/// What an edge says. `record` is the company's whole record, for the office or the domain.
pub fn sentence(
    relation: Relation,
    edge: &NetworkEdge,
    from: &NetworkNode,
    to: &NetworkNode,
    record: Option<&Company>,
) -> String {
    match relation {
        Relation::DirectorOf => {
            let (person, company) = if from.is_company() { (to, from) } else { (from, to) };
            appointment(edge, person.label(), company.label())
        }
        Relation::SameRegisteredOffice => {
            let office = record.and_then(office).map(|office| format!(": {office}"));
            format!(
                "{} and {} have the same registered office{}.",
                from.label(),
                to.label(),
                office.unwrap_or_default()
            )
        }
        Relation::SameEmailDomain => {
            let domain = record.and_then(|company| company.email.as_deref());
            let domain = domain.and_then(panji_graph::email_domain);
            format!(
                "{} and {} have email addresses of the same domain{}.",
                from.label(),
                to.label(),
                domain.map(|domain| format!(": {domain}")).unwrap_or_default()
            )
        }
        Relation::FormerCompany => format!(
            "{} ({}) had the number of {} ({}) before, or the other way round.",
            from.label(),
            from.id,
            to.label(),
            to.id
        ),
    }
}

fn office(company: &Company) -> Option<String> {
    let address = company.address.as_deref()?.trim().trim_end_matches(['.', ',']);
    let pincode = company.pincode.as_deref().filter(|pincode| !address.contains(*pincode));
    Some(pincode.map_or_else(|| address.to_owned(), |pincode| format!("{address}, {pincode}")))
}

/// An appointment with its dates, as far as they are known.
fn appointment(edge: &NetworkEdge, person: &str, company: &str) -> String {
    let words = edge.designation.as_deref().map(|word| word.replace('_', " "));
    let title = edge.designation_text.clone().or(words);
    let title = title.filter(|title| title != "other" && title != "unknown");
    let title = title.unwrap_or_else(|| "director".to_owned());
    let (from, until) = (edge.appointed_on.as_deref(), edge.ceased_on.as_deref());
    match (edge.current, from, until) {
        (Some(true), Some(from), _) => {
            format!("{person} has been {title} of {company} since {from}.")
        }
        (Some(true), None, _) => format!("{person} is {title} of {company}."),
        (Some(false), Some(from), Some(until)) => {
            format!("{person} was {title} of {company} from {from} until {until}.")
        }
        (Some(false), _, Some(until)) => {
            format!("{person} was {title} of {company} until {until}.")
        }
        _ => format!("{person} is or was {title} of {company}."),
    }
}
