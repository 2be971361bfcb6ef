//! The network on the page of a company or a person. A node can be expanded: its own connections are one
//! more API call, and are drawn too.

use askama::Template;
use panji_api::api::wire::{CompanyNetwork, DirectorCompanies, NetworkNode};
use panji_api::config::operation::Operation;
use panji_api::http::encoding::encoded;
use panji_ids::{CompanyId, Din};
use panji_store::ledger::Mode;

use super::drawing::{Button, Links};
use super::drawn_network::{DisplayNetworkNode, DrawnNetwork, MAX_DRAWN};
use crate::console::api_call::ApiResponse;
use crate::console::language::{amounts, dates, filters, t_with};
use crate::console::page_cache::{CachedPage, Part};
use crate::console::page_error::PageError;
use crate::console::session::SignedIn;

/// The most nodes that are expanded at the same time.
const MAX_EXPANDED: usize = 8;

/// The nodes that a page is asked to expand, each once and in canonical form; others are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpandedNodes(Vec<String>);

impl ExpandedNodes {
    pub fn read(ids: &[String], this_year: u16) -> ExpandedNodes {
        let mut chosen: Vec<String> = Vec::new();
        for id in ids {
            let company =
                || CompanyId::parse_in_year(id, this_year).map(|id| id.as_str().to_owned());
            let person = Din::parse(id).map(|din| din.as_str().to_owned());
            if let Ok(id) = person.or_else(|_| company())
                && !chosen.contains(&id)
                && chosen.len() < MAX_EXPANDED
            {
                chosen.push(id);
            }
        }
        ExpandedNodes(chosen)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As parameters of an address, each with `&` before it.
    pub fn query(&self) -> String {
        self.0.iter().map(|id| format!("&expand={}", encoded(id))).collect()
    }

    fn has(&self, id: &str) -> bool {
        self.0.iter().any(|chosen| chosen == id)
    }

    /// With this node if it was not among them, else without it.
    fn toggled(&self, id: &str) -> ExpandedNodes {
        let others = self.0.iter().filter(|chosen| *chosen != id).cloned();
        let added = (!self.has(id)).then(|| id.to_owned());
        ExpandedNodes(others.chain(added).collect())
    }
}

fn is_din(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_digit())
}

fn operation(id: &str) -> Operation {
    if is_din(id) { Operation::ListDirectorCompanies } else { Operation::GetCompanyNetwork }
}

fn part_name(id: &str) -> String {
    format!("expand/{id}")
}

/// The calls that the chosen nodes need.
pub fn expansion_parts(chosen: &ExpandedNodes) -> Vec<Part> {
    let path = |id: &str| match is_din(id) {
        true => format!("/v1/directors/{}/companies", encoded(id)),
        false => format!("/v1/companies/{}/network?depth=1", encoded(id)),
    };
    let parts = chosen.0.iter();
    parts.map(|id| Part { name: part_name(id), operation: operation(id), path: path(id) }).collect()
}

/// The nodes that were expanded, with their responses, and those that have to be bought first.
#[derive(Default)]
struct Expanded {
    responses: Vec<ApiResponse>,
    missing: Vec<String>,
}

/// Adds the stored responses of the chosen nodes to a drawing.
fn read_expanded(
    cached: &mut CachedPage<'_>,
    chosen: &ExpandedNodes,
    drawn: &mut DrawnNetwork,
) -> Result<Expanded, PageError> {
    let mut expanded = Expanded::default();
    for id in &chosen.0 {
        let Some(response) = cached.take(&part_name(id)) else {
            expanded.missing.push(id.clone());
            continue;
        };
        if is_din(id) {
            if let Some(companies) = response.data::<DirectorCompanies>()? {
                drawn.expand_director(&companies);
            }
        } else if let Some(network) = response.data::<CompanyNetwork>()? {
            drawn.expand_company(&network);
        }
        expanded.responses.push(response);
    }
    Ok(expanded)
}

/// A node whose connections have to be bought first.
struct UnloadedNode {
    label: String,
    price: i64,
}

impl UnloadedNode {
    fn price_text(&self) -> String {
        credits(self.price)
    }
}

fn credits(price: i64) -> String {
    amounts::counted(price, "credit", "credits")
}

/// The drawing, the table and what belongs to them.
#[derive(Template)]
#[template(path = "network.html")]
pub struct NetworkSection {
    /// The address of the page, without a query.
    page: String,
    /// The parameters of the page that stay, each with `&` after it.
    query: String,
    is_live: bool,
    form_token: String,
    /// Whether nodes can be expanded.
    may_expand: bool,
    drawn: DrawnNetwork,
    chosen: ExpandedNodes,
    expanded: Expanded,
    unloaded: Vec<UnloadedNode>,
    /// The depth that can be chosen, and its price: only of a company.
    depth: Option<(u8, i64)>,
    /// The response of the network itself; none if another section of the page has it.
    response: Option<ApiResponse>,
    network: Option<CompanyNetwork>,
    number: String,
}

/// The depths of a network that can be chosen.
const DEPTHS: std::ops::RangeInclusive<u8> = 1..=3;

impl NetworkSection {
    /// The network of a company. `response` has no data if the call failed.
    pub fn of_company(
        signed_in: &SignedIn,
        cached: &mut CachedPage<'_>,
        (cin, depth, chosen): (&str, u8, &ExpandedNodes),
        response: ApiResponse,
    ) -> Result<NetworkSection, PageError> {
        let network: Option<CompanyNetwork> = response.data()?;
        let mut drawn = network.as_ref().map(DrawnNetwork::of_company).unwrap_or_default();
        let expanded = read_expanded(cached, chosen, &mut drawn)?;
        let price = response.price;
        let mut section = NetworkSection::new(signed_in, drawn, chosen.clone(), expanded);
        section.page = format!("/console/companies/{cin}");
        section.query = format!("depth={depth}&");
        section.depth = Some((depth, price));
        section.number = cin.to_owned();
        (section.network, section.response) = (network, Some(response));
        Ok(section)
    }

    /// The companies of a person, and what was expanded.
    pub fn of_director(
        signed_in: &SignedIn,
        cached: &mut CachedPage<'_>,
        chosen: &ExpandedNodes,
        companies: &DirectorCompanies,
        status: Option<String>,
    ) -> Result<NetworkSection, PageError> {
        let mut drawn = DrawnNetwork::of_director(companies, status);
        let expanded = read_expanded(cached, chosen, &mut drawn)?;
        let mut section = NetworkSection::new(signed_in, drawn, chosen.clone(), expanded);
        section.page = format!("/console/directors/{}", companies.din);
        section.number = companies.din.clone();
        Ok(section)
    }

    fn new(
        signed_in: &SignedIn,
        drawn: DrawnNetwork,
        chosen: ExpandedNodes,
        expanded: Expanded,
    ) -> NetworkSection {
        let node = |id: &String| UnloadedNode {
            label: drawn.find(id).map_or(id.as_str(), NetworkNode::label).to_owned(),
            price: signed_in.app.config.prices.of(operation(id)),
        };
        let unloaded = expanded.missing.iter().map(node).collect();
        NetworkSection {
            page: String::new(),
            query: String::new(),
            is_live: signed_in.mode() == Mode::Live,
            form_token: signed_in.form_token(),
            may_expand: signed_in.may(panji_api::accounts::roles::Permission::MakeCalls),
            drawn,
            chosen,
            expanded,
            unloaded,
            depth: None,
            response: None,
            network: None,
            number: String::new(),
        }
    }

    fn svg(&self) -> String {
        self.drawn.svg(self)
    }

    fn is_alone(&self) -> bool {
        self.drawn.nodes.len() < 2
    }

    /// Whether the network has more than the response.
    fn is_truncated(&self) -> bool {
        self.network.as_ref().is_some_and(|network| network.truncated)
    }

    /// The price of another depth.
    fn depth_price(&self) -> String {
        credits(self.depth.map_or(0, |(_, price)| price))
    }

    fn price_of_unloaded(&self) -> String {
        credits(self.unloaded.iter().map(|node| node.price).sum())
    }

    /// The nodes whose connections are drawn, with the address without them.
    fn shown_expanded(&self) -> Vec<(&str, String)> {
        let shown = self.chosen.0.iter().filter(|id| !self.expanded.missing.contains(id));
        shown
            .filter_map(|id| {
                Some((self.drawn.find(id)?.label(), self.address(&self.chosen.toggled(id))))
            })
            .collect()
    }

    fn address(&self, chosen: &ExpandedNodes) -> String {
        let query = format!("{}{}", self.query, chosen.query().trim_start_matches('&'));
        format!("{}?{}#network", self.page, query.trim_end_matches('&'))
    }
}

impl Links for NetworkSection {
    fn button(&self, node: &NetworkNode) -> Option<Button> {
        let is_expanded = self.chosen.has(&node.id);
        let is_full = !is_expanded && self.chosen.0.len() >= MAX_EXPANDED;
        if !self.may_expand || is_full || node.id == self.number {
            return None;
        }
        let label = node.label();
        let title = match is_expanded {
            true => t_with("Hide the connections of {0}", &[&label]),
            false => t_with("Expand the connections of {0}", &[&label]),
        };
        let address = self.address(&self.chosen.toggled(&node.id));
        Some(Button { address, title, is_expanded })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(ids: &[&str]) -> ExpandedNodes {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        ExpandedNodes::read(&ids, 2026)
    }

    #[test]
    fn numbers_are_read_in_canonical_form_and_each_once() {
        let chosen = read(&["99000101", "u17120mh2004ptc990142", "nothing", "99000101"]);
        assert_eq!(chosen.query(), "&expand=99000101&expand=U17120MH2004PTC990142");
        assert_eq!(chosen.toggled("99000101").query(), "&expand=U17120MH2004PTC990142");
        let many: Vec<String> = (0..20).map(|number| format!("990001{number:02}")).collect();
        assert_eq!(ExpandedNodes::read(&many, 2026).0.len(), MAX_EXPANDED);
    }
}
