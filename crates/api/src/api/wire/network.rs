//! Networks of companies and people, and paths between them.

use std::borrow::Cow;

use panji_graph::{Hub, Relation};
use panji_store::register::Origin;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::enums;

/// The kinds of nodes.
pub const COMPANY: &str = "company";
pub const DIRECTOR: &str = "director";

/// The surroundings of a company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CompanyNetwork {
    /// The company's CIN, LLPIN or FCRN.
    pub cin: String,
    /// Its name.
    pub name: String,
    /// The steps from the company up to which nodes are listed.
    pub depth: u8,
    /// The company itself, then the nearest first; of the same distance the best connected first.
    pub nodes: Vec<NetworkNode>,
    /// What connects the nodes.
    pub edges: Vec<NetworkEdge>,
    /// Whether there are more nodes or edges than a response has.
    pub truncated: bool,
    /// Connections that were not followed, or only in part, because they have too many companies.
    pub limits: Vec<NetworkLimit>,
    /// The network as statements of the Beneficial Ownership Data Standard 0.4; null unless `format` is `bods`.
    #[schema(value_type = Option<Vec<Object>>)]
    pub bods: Option<Vec<Value>>,
    /// The network as entities of FollowTheMoney; null unless `format` is `ftm`.
    #[schema(value_type = Option<Vec<Object>>)]
    pub ftm: Option<Vec<Value>>,
    /// `partial`: a network is what this register knows, and there may be more. `none`: neither directors
    /// nor the office nor an email address of the company are known.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the newest source data in the network.
    pub as_of: Option<String>,
    /// The format of that source; null if nothing is known.
    pub source: Option<String>,
}

/// A company or a person in a network.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct NetworkNode {
    /// The CIN, LLPIN or FCRN of a company, or the DIN of a person.
    #[schema(example = "L17111MH1994PLC990011")]
    pub id: String,
    /// What it is.
    #[schema(value_type = enums::NetworkNodeKind)]
    pub kind: Cow<'static, str>,
    /// Its name; null if only its number is known.
    pub name: Option<String>,
    /// The status of the company or of the DIN; null if it is not in the register itself.
    pub status: Option<String>,
    /// The steps from the company or person that was asked for.
    pub distance: u8,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: Option<String>,
}

/// What connects two nodes.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct NetworkEdge {
    /// How they are connected.
    #[schema(value_type = enums::NetworkRelation)]
    pub relation: Cow<'static, str>,
    /// The person, or one of two companies; of `former_company` the current one.
    pub from: String,
    /// The company, or the other of two companies; of `former_company` the one with the former number.
    pub to: String,
    /// Whether the person is in office now; null if the edge is not an appointment.
    pub current: Option<bool>,
    /// The designation; null if the edge is not an appointment.
    #[schema(value_type = Option<enums::Designation>)]
    pub designation: Option<String>,
    /// The designation in the source's words.
    pub designation_text: Option<String>,
    /// The day of appointment.
    pub appointed_on: Option<String>,
    /// The day of cessation.
    pub ceased_on: Option<String>,
    /// The date of the source data; of two companies the older one.
    pub as_of: Option<String>,
    /// The format of that source.
    pub source: Option<String>,
}

/// A connection with too many companies to be followed.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct NetworkLimit {
    /// What they share.
    #[schema(value_type = enums::NetworkRelation)]
    pub relation: Cow<'static, str>,
    /// The person, or a company with the office or the email domain.
    pub id: String,
    /// How many companies share it.
    pub companies: usize,
    /// How many of them were followed.
    pub followed: usize,
    /// The same in a sentence.
    pub sentence: String,
}

/// The shortest paths between two companies or people.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct NetworkPaths {
    /// Where the paths begin.
    pub from: NetworkNode,
    /// Where they end.
    pub to: NetworkNode,
    /// The shortest paths, all of the same length; empty if there is none of at most `max_steps`.
    pub paths: Vec<NetworkPath>,
    /// Whether there are more paths of this length.
    pub has_more: bool,
    /// The most steps of a path that is searched for.
    pub max_steps: u8,
    /// Whether all paths of at most `max_steps` were searched, except through what `limits` names.
    pub complete: bool,
    /// Connections that were not followed, because they have too many companies.
    pub limits: Vec<NetworkLimit>,
    /// `partial`: a path is what this register knows, and there may be shorter ones. `none`: there is no path.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the newest source data on the paths.
    pub as_of: Option<String>,
    /// The format of that source; null if there is no path.
    pub source: Option<String>,
}

/// One path.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct NetworkPath {
    /// The nodes in order, both ends among them.
    pub nodes: Vec<NetworkNode>,
    /// The steps between them.
    pub steps: Vec<NetworkStep>,
}

/// One step of a path.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct NetworkStep {
    /// What connects the two nodes, in sentences.
    pub sentence: String,
    /// The same as data.
    pub edges: Vec<NetworkEdge>,
}

impl NetworkLimit {
    pub fn new(hub: Hub) -> NetworkLimit {
        let Hub { relation, at, companies, followed } = hub;
        let id = at.as_str().to_owned();
        let shared = match relation {
            Relation::DirectorOf => format!("{id} has appointments in {companies} companies"),
            Relation::SameEmailDomain => {
                format!("{companies} companies have the email domain of {id}")
            }
            _ => format!("{companies} companies have the registered office of {id}"),
        };
        let rest = match followed {
            0 => "They were not followed.".to_owned(),
            followed => format!("Only {followed} of them were followed."),
        };
        let (relation, sentence) = (relation.as_str().into(), format!("{shared}. {rest}"));
        NetworkLimit { relation, id, companies, followed, sentence }
    }
}

impl NetworkNode {
    pub fn is_company(&self) -> bool {
        self.kind == COMPANY
    }

    /// The name, or the number if there is none.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }

    pub fn origin(&self) -> Option<Origin> {
        let source = self.source.clone()?;
        Some(Origin { as_of: self.as_of.clone(), source })
    }
}

impl NetworkEdge {
    /// An edge that is not an appointment.
    pub fn between(relation: Relation, from: &NetworkNode, to: &NetworkNode) -> NetworkEdge {
        let older = [from.origin(), to.origin()].into_iter().flatten();
        let older = older.min_by(|one, other| one.as_of.cmp(&other.as_of));
        NetworkEdge {
            relation: relation.as_str().into(),
            from: from.id.clone(),
            to: to.id.clone(),
            current: None,
            designation: None,
            designation_text: None,
            appointed_on: None,
            ceased_on: None,
            as_of: older.as_ref().and_then(|origin| origin.as_of.clone()),
            source: older.map(|origin| origin.source),
        }
    }

    pub fn origin(&self) -> Option<Origin> {
        let source = self.source.clone()?;
        Some(Origin { as_of: self.as_of.clone(), source })
    }
}
