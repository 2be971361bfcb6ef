//! A network as statements of the Beneficial Ownership Data Standard 0.4: companies, people, and their
//! appointments. The standard has no form for a shared office or email domain; those edges are left out.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::api::wire::{CompanyNetwork, NetworkEdge, NetworkNode};

const VERSION: &str = "0.4";
const PUBLISHER: &str = "Panji";

/// The statements in the order that the standard asks for: a relationship follows both of its nodes.
pub fn statements(network: &CompanyNetwork, published_on: &str, url: &str) -> Vec<Value> {
    let publication = json!({
        "publicationDate": published_on,
        "bodsVersion": VERSION,
        "publisher": { "name": PUBLISHER, "url": url },
    });
    let frame = Frame { publication, subject: record_of(&network.cin), published_on };
    let nodes = network.nodes.iter().map(|node| frame.node(node));
    let appointments = network.edges.iter().filter(|edge| edge.current.is_some());
    nodes.chain(appointments.map(|edge| frame.relationship(edge))).collect()
}

fn record_of(id: &str) -> String {
    format!("in-mca-{id}")
}

struct Frame<'a> {
    publication: Value,
    /// The record of the company that was asked for.
    subject: String,
    published_on: &'a str,
}

impl Frame<'_> {
    fn node(&self, node: &NetworkNode) -> Value {
        let record = record_of(&node.id);
        match node.is_company() {
            true => {
                let mut details = json!({
                    "isComponent": false,
                    "entityType": { "type": "registeredEntity" },
                    "jurisdiction": { "name": "India", "code": "IN" },
                    "identifiers": [{
                        "id": node.id,
                        "scheme": "IN-MCA",
                        "schemeName": "Ministry of Corporate Affairs (India)",
                    }],
                });
                if let Some(name) = &node.name {
                    details["name"] = name.as_str().into();
                }
                self.statement(&record, "entity", node.as_of.as_deref(), details)
            }
            // The standard knows only passports, tax numbers and identity cards of people: the DIN is in the
            // id of the record.
            false => {
                let mut details = json!({
                    "isComponent": false,
                    "personType": "knownPerson",
                });
                if let Some(name) = &node.name {
                    details["names"] = json!([{ "type": "legal", "fullName": name }]);
                }
                self.statement(&record, "person", node.as_of.as_deref(), details)
            }
        }
    }

    fn relationship(&self, edge: &NetworkEdge) -> Value {
        let designation = edge.designation.as_deref().unwrap_or_default();
        let kind = match designation {
            word if word.contains("partner") => "otherInfluenceOrControl",
            _ => "boardMember",
        };
        let mut interest = json!({
            "type": kind,
            "directOrIndirect": "direct",
            "beneficialOwnershipOrControl": false,
        });
        let title = edge.designation_text.clone().unwrap_or_else(|| designation.replace('_', " "));
        if !title.is_empty() {
            interest["details"] = title.into();
        }
        if let Some(day) = &edge.appointed_on {
            interest["startDate"] = day.as_str().into();
        }
        if let Some(day) = &edge.ceased_on {
            interest["endDate"] = day.as_str().into();
        }
        let record = format!("{}-{}", record_of(&edge.to), edge.from);
        let details = json!({
            "isComponent": false,
            "subject": record_of(&edge.to),
            "interestedParty": record_of(&edge.from),
            "interests": [interest],
        });
        self.statement(&record, "relationship", edge.as_of.as_deref(), details)
    }

    fn statement(&self, record: &str, kind: &str, as_of: Option<&str>, details: Value) -> Value {
        // The day in India can be one after the day in UTC; no statement is dated after its publication.
        let date = as_of.map_or(self.published_on, |day| day.min(self.published_on));
        let digest = Sha256::digest(format!("{record}\n{date}\n{details}").as_bytes());
        let id: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        json!({
            "statementId": id,
            "declarationSubject": self.subject,
            "statementDate": date,
            "recordId": record,
            "recordType": kind,
            "recordStatus": "new",
            "recordDetails": details,
            "publicationDetails": self.publication,
            "source": { "type": ["officialRegister"] },
        })
    }
}
