//! The tools: the operations that each calls, and the names of its arguments.

use crate::config::operation::Operation;

/// The section of `company_profile` that is returned if none is named.
pub const DEFAULT_SECTION: &str = "profile";
/// The sections of `company_profile` and their operations.
pub const SECTIONS: [(&str, Operation); 7] = [
    (DEFAULT_SECTION, Operation::GetCompanyProfile),
    ("company", Operation::GetCompany),
    ("directors", Operation::GetCompanyDirectors),
    ("charges", Operation::GetCompanyCharges),
    ("compliance", Operation::GetCompanyCompliance),
    ("documents", Operation::ListCompanyDocuments),
    ("pan", Operation::GetCompanyPan),
];
/// The action of `watchlists` if none is named.
pub const DEFAULT_ACTION: &str = "list";
/// The actions of `watchlists` and their operations.
pub const ACTIONS: [(&str, Operation); 5] = [
    (DEFAULT_ACTION, Operation::ListWatchlists),
    ("create", Operation::CreateWatchlist),
    ("members", Operation::ListWatchMembers),
    ("add", Operation::AddWatchMembers),
    ("remove", Operation::RemoveWatchMembers),
];
/// The events of a response of `watch_events` if no limit is given; fewer than listEvents returns, so that the
/// call needs no confirmation at the default price.
pub const DEFAULT_EVENTS: i64 = 20;
/// The arguments of every tool that can cost credits.
pub const MAX_CREDITS: &str = "max_credits";
pub const IDEMPOTENCY_KEY: &str = "idempotency_key";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolName {
    FindCompany,
    MatchCompanies,
    CompanyProfile,
    CompanyFinancials,
    CompanyFindings,
    CompanyNetwork,
    Director,
    Verify,
    Watchlists,
    WatchEvents,
    Account,
}

impl ToolName {
    pub const ALL: [ToolName; 11] = [
        ToolName::FindCompany,
        ToolName::MatchCompanies,
        ToolName::CompanyProfile,
        ToolName::CompanyFinancials,
        ToolName::CompanyFindings,
        ToolName::CompanyNetwork,
        ToolName::Director,
        ToolName::Verify,
        ToolName::Watchlists,
        ToolName::WatchEvents,
        ToolName::Account,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            ToolName::FindCompany => "find_company",
            ToolName::MatchCompanies => "match_companies",
            ToolName::CompanyProfile => "company_profile",
            ToolName::CompanyFinancials => "company_financials",
            ToolName::CompanyFindings => "company_findings",
            ToolName::CompanyNetwork => "company_network",
            ToolName::Director => "director",
            ToolName::Verify => "verify",
            ToolName::Watchlists => "watchlists",
            ToolName::WatchEvents => "watch_events",
            ToolName::Account => "account",
        }
    }

    pub fn from_name(name: &str) -> Option<ToolName> {
        ToolName::ALL.into_iter().find(|tool| tool.as_str() == name)
    }

    /// The operations that the tool can call; the arguments choose one.
    pub fn operations(self) -> Vec<Operation> {
        use Operation as Op;
        match self {
            ToolName::FindCompany => vec![Op::SearchCompanies],
            ToolName::MatchCompanies => vec![Op::MatchCompanies],
            ToolName::CompanyProfile => SECTIONS.map(|(_, operation)| operation).to_vec(),
            ToolName::CompanyFinancials => vec![Op::GetCompanyFinancials],
            ToolName::CompanyFindings => vec![Op::GetCompanyFindings],
            ToolName::CompanyNetwork => vec![Op::GetCompanyNetwork, Op::FindPaths],
            ToolName::Director => vec![Op::GetDirector, Op::ListDirectorCompanies],
            ToolName::Verify => vec![Op::VerifyCin, Op::VerifyDin, Op::VerifyGstin, Op::VerifyPan],
            ToolName::Watchlists => ACTIONS.map(|(_, operation)| operation).to_vec(),
            ToolName::WatchEvents => vec![Op::ListEvents],
            ToolName::Account => vec![Op::GetAccount],
        }
    }

    /// The arguments that say what is asked for.
    pub fn subject_arguments(self) -> &'static [&'static str] {
        match self {
            ToolName::FindCompany => Operation::SearchCompanies.query_parameters(),
            ToolName::MatchCompanies => &["items", "limit"],
            ToolName::CompanyProfile => &["cin", "section", "page", "year"],
            ToolName::CompanyFinancials | ToolName::CompanyFindings => &["cin"],
            ToolName::CompanyNetwork => &["cin", "depth", "path_to"],
            ToolName::Director => &["din", "companies"],
            ToolName::Verify => &["value", "type"],
            ToolName::Watchlists => &["action", "id", "name", "members", "after", "limit"],
            ToolName::WatchEvents => Operation::ListEvents.query_parameters(),
            ToolName::Account => &[],
        }
    }

    /// Whether the tool only reads.
    pub fn is_read_only(self) -> bool {
        self != ToolName::Watchlists
    }

    /// The arguments about the price; none for a free tool.
    pub fn price_arguments(self) -> &'static [&'static str] {
        match self {
            ToolName::Account | ToolName::Watchlists => &[],
            _ => &[MAX_CREDITS, IDEMPOTENCY_KEY],
        }
    }
}
