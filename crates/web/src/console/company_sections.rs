//! The sections of a company's page: which there are, the calls they need, and how their stored
//! responses are read.

use panji_api::api::wire::{Company, Profile};
use panji_api::config::operation::Operation;
use panji_api::http::encoding::encoded;
use panji_ids::{CompanyId, IdError};
use panji_store::calendar::ist_year;
use serde::Deserialize;

use super::api_call::ApiResponse;
use super::language::key;
use super::network::ExpandedNodes;
use super::page_cache::{CachedPage, Part};
use super::page_error::PageError;
use super::session::SignedIn;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    pub id: &'static str,
    pub title: &'static str,
    pub operation: Operation,
    path: &'static str,
    /// Whether it is selected by default.
    pub preselected: bool,
}

pub const SECTIONS: [Section; 8] = [
    Section {
        id: "identity",
        title: key("Identity"),
        operation: Operation::GetCompany,
        path: "",
        preselected: true,
    },
    Section {
        id: "profile",
        title: key("Profile: identity, capital, directors and charges"),
        operation: Operation::GetCompanyProfile,
        path: "/profile",
        preselected: false,
    },
    Section {
        id: "network",
        title: key("Network: directors, their other companies, shared offices"),
        operation: Operation::GetCompanyNetwork,
        path: "/network",
        preselected: false,
    },
    Section {
        id: "financials",
        title: key("Financials by year"),
        operation: Operation::GetCompanyFinancials,
        path: "/financials",
        preselected: false,
    },
    Section {
        id: "compliance",
        title: key("Compliance, ratings, provident fund"),
        operation: Operation::GetCompanyCompliance,
        path: "/compliance",
        preselected: false,
    },
    Section {
        id: "findings",
        title: key("Findings: what stands out"),
        operation: Operation::GetCompanyFindings,
        path: "/findings",
        preselected: false,
    },
    Section {
        id: "history",
        title: key("History: what has changed"),
        operation: Operation::ListCompanyEvents,
        path: "/events",
        preselected: false,
    },
    Section {
        id: "documents",
        title: key("Documents"),
        operation: Operation::ListCompanyDocuments,
        path: "/documents",
        preselected: false,
    },
];
/// The depths of a network that can be chosen.
pub const DEPTHS: std::ops::RangeInclusive<u8> = 1..=3;
pub const DEFAULT_DEPTH: u8 = 2;

#[derive(Default, Deserialize)]
pub struct Choice {
    #[serde(default)]
    pub sections: Vec<String>,
    pub page: Option<i64>,
    /// Of the network.
    pub depth: Option<u8>,
    /// Nodes of the network whose own connections are drawn too.
    #[serde(default)]
    pub expand: Vec<String>,
    /// Set by the redirect if another request was already loading a section.
    #[serde(default)]
    pub in_progress: bool,
    /// Set by the redirect if no section was selected.
    #[serde(default)]
    pub nothing_chosen: bool,
}

impl Choice {
    pub fn page(&self) -> i64 {
        self.page.unwrap_or(1).max(1)
    }

    pub fn depth(&self) -> u8 {
        self.depth.filter(|depth| DEPTHS.contains(depth)).unwrap_or(DEFAULT_DEPTH)
    }

    /// The name under which a response is stored. Each page of the documents and each depth of the network
    /// is stored separately.
    pub fn part_name(&self, id: &str) -> String {
        match id {
            "documents" => format!("{id}/{}", self.page()),
            "network" => format!("{id}/{}", self.depth()),
            id => id.to_owned(),
        }
    }

    /// The parameters of the page that the user is redirected to.
    pub fn query(&self) -> String {
        let depth = self.depth.map(|_| format!("&depth={}", self.depth()));
        format!("page={}{}", self.page(), depth.unwrap_or_default())
    }

    pub fn expanded(&self, signed_in: &SignedIn) -> ExpandedNodes {
        ExpandedNodes::read(&self.expand, ist_year(signed_in.context.at_ms))
    }
}

/// The CIN, LLPIN or FCRN in its canonical form, or why it is invalid.
pub fn read_company_id(signed_in: &SignedIn, text: &str) -> Result<String, IdError> {
    let year = ist_year(signed_in.context.at_ms);
    let number = CompanyId::parse_in_year(text, year);
    number.map(|number| number.as_str().to_owned())
}

pub fn subject(cin: &str) -> String {
    format!("companies/{cin}")
}

/// The calls of some sections; unknown ids are ignored.
pub fn parts(cin: &str, ids: &[&str], choice: &Choice) -> Vec<Part> {
    let selected = SECTIONS.into_iter().filter(|section| ids.contains(&section.id));
    selected
        .map(|section| {
            let query = match (section.id, choice.page()) {
                ("documents", page) if page > 1 => format!("?page={page}"),
                ("network", _) => format!("?depth={}", choice.depth()),
                _ => String::new(),
            };
            Part {
                name: choice.part_name(section.id),
                operation: section.operation,
                path: format!("/v1/companies/{}{}{query}", encoded(cin), section.path),
            }
        })
        .collect()
}

/// The call that returned the company, and its data.
pub type Identity = (Option<ApiResponse>, Option<Company<'static>>, Option<Profile<'static>>);

/// The company from the profile if there is one, else from the identity call.
pub fn identity(cached: &mut CachedPage<'_>) -> Result<Identity, PageError> {
    let by_profile = cached.has_response("profile") || !cached.has_response("identity");
    if by_profile && let Some(call) = cached.take("profile") {
        let profile: Option<Profile> = call.data()?;
        let company = profile.as_ref().map(|profile| profile.company.clone());
        return Ok((Some(call), company, profile));
    }
    let Some(call) = cached.take("identity") else { return Ok((None, None, None)) };
    let company = call.data()?;
    Ok((Some(call), company, None))
}

pub fn read<T: serde::de::DeserializeOwned>(
    call: Option<ApiResponse>,
) -> Result<Option<(ApiResponse, Option<T>)>, PageError> {
    let Some(call) = call else { return Ok(None) };
    let data = call.data()?;
    Ok(Some((call, data)))
}
