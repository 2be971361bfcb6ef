//! The tools as clients see them: titles, descriptions with prices, and schemas.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::schemas::{ApiSchemas, object};
use super::tools::{
    ACTIONS, DEFAULT_ACTION, DEFAULT_EVENTS, DEFAULT_SECTION, IDEMPOTENCY_KEY, MAX_CREDITS,
    SECTIONS, ToolName,
};
use crate::api::call::in_credits;
use crate::api::wire::IdentifierType;
use crate::config::Config;
use crate::config::operation::Operation;

/// All tools, with the prices of this service.
pub fn tools(config: &Config) -> Vec<Tool> {
    let schemas = ApiSchemas::new();
    ToolName::ALL.into_iter().map(|tool| definition(tool, config, &schemas)).collect()
}

fn definition(tool: ToolName, config: &Config, schemas: &ApiSchemas) -> Tool {
    let description = format!("{}\n\n{}", purpose(tool), price(tool, config));
    // A tool that only reads changes nothing but the balance; each call is charged.
    let reads = tool.is_read_only();
    let annotations =
        ToolAnnotations::from_raw(None, Some(reads), Some(!reads), Some(false), Some(false));
    Tool::new(tool.as_str(), description, input(tool, schemas))
        .with_title(title(tool))
        .with_raw_output_schema(Arc::new(schemas.output(&tool.operations())))
        .with_annotations(annotations)
}

fn title(tool: ToolName) -> &'static str {
    match tool {
        ToolName::FindCompany => "Find an Indian company",
        ToolName::MatchCompanies => "Match a list of names with companies",
        ToolName::CompanyProfile => "Company profile",
        ToolName::CompanyFinancials => "Company financials",
        ToolName::CompanyNetwork => "Company network",
        ToolName::CompanyFindings => "What stands out about a company",
        ToolName::Director => "Director",
        ToolName::Verify => "Verify an identifier",
        ToolName::Watchlists => "Watch lists",
        ToolName::WatchEvents => "Events of watched companies",
        ToolName::Account => "Account and balance",
    }
}

fn purpose(tool: ToolName) -> &'static str {
    match tool {
        ToolName::FindCompany => {
            "Finds Indian companies, LLPs and foreign companies by a current or former name, or by a \
             number (CIN, LLPIN, FCRN, LEI). Use it first when you have a name and need the number that \
             the other tools take. Best match first; several companies can have similar names, so check \
             state, city and status before you choose."
        }
        ToolName::MatchCompanies => {
            "Tells for each item of a list (a name, or a CIN, PAN or GSTIN, with what else is known) which \
             company is meant: match, review or none, with a calibrated score and the evidence. Use it for \
             lists, and when a name alone is ambiguous. Do not treat review as a match."
        }
        ToolName::CompanyProfile => {
            "What the register says about one company. The section profile has identity, capital, directors \
             and charges; company is identity alone; the others are directors, charges (loans secured on \
             assets), compliance (filings, ratings, provident fund), documents (paged) and pan. Each section \
             has its source, its date (as_of) and its coverage: none means that nothing is known, not that \
             there is nothing."
        }
        ToolName::CompanyFinancials => {
            "The financial years of one company that the register has, newest first, with ratios and growth. \
             Amounts are in rupees. A null is unknown, not zero."
        }
        ToolName::CompanyNetwork => {
            "Who is connected with one company: directors, current and former, their other companies, and \
             companies with the same registered office or email domain, up to three steps. With path_to (a \
             CIN or DIN) the shortest paths to that company or person instead, each step with a sentence. \
             These are facts with dates from the imported sources, which may be incomplete; a shared office \
             or director alone proves nothing about conduct. limits names connections with too many \
             companies, which were not followed."
        }
        ToolName::CompanyFindings => {
            "What stands out about one company, by rules over everything in the register: status, overdue filings, \
             charges above net worth, GST registrations, the directors' other companies, similar names, recent changes. \
             Each finding has its evidence with source and date, and its rule with the threshold. not_checked lists the \
             rules whose data is not known: they found nothing because nothing is known. State findings as facts with \
             dates; they are not accusations."
        }
        ToolName::Director => {
            "One person by DIN: name, status and the number of companies; with companies true, the list of \
             companies with dates instead. The list is what imported sources say and may be incomplete."
        }
        ToolName::Verify => {
            "Says whether a CIN, DIN, GSTIN or PAN is well-formed, whether its check character is right, and \
             what the register knows of it. Not found here does not prove that it does not exist."
        }
        ToolName::Watchlists => {
            "The account's watch lists: companies, directors and GST registrations whose changes are collected from \
             the moment they are added. list returns the lists; create makes one (name); members returns the \
             members of one (id); add and remove change them (id and members). Ask the user before you change a \
             list. The changes are read with watch_events."
        }
        ToolName::WatchEvents => {
            "What changed about the members of the account's watch lists, in order, with the values before and after. \
             Continue with after set to next_after of the last response. An event tells what an import found: as_of is \
             the date of the source, recorded_at the time of the import."
        }
        ToolName::Account => {
            "The account of the key: balance, free calls of today, limits of the key, and prices."
        }
    }
}

/// What a call costs, in sentences.
fn price(tool: ToolName, config: &Config) -> String {
    let price = |operation: Operation| config.prices.of(operation);
    let free_calls = config.free_quota.calls_per_day;
    let costs = match tool {
        ToolName::FindCompany => format!(
            "Costs {}; nothing when no company is found, or within the {free_calls} free calls a day.",
            in_credits(price(Operation::SearchCompanies))
        ),
        ToolName::MatchCompanies => format!(
            "Costs {} for each item that is match or review, nothing for none.",
            in_credits(price(Operation::MatchCompanies))
        ),
        ToolName::CompanyProfile => {
            let sections = SECTIONS.map(|(name, operation)| format!("{name} {}", price(operation)));
            format!(
                "Costs in credits: {}. company costs nothing within the {free_calls} free calls a day; \
                 the sections after it cost nothing when nothing is known.",
                sections.join(", ")
            )
        }
        ToolName::CompanyFinancials => format!(
            "Costs {}; nothing when no year is known.",
            in_credits(price(Operation::GetCompanyFinancials))
        ),
        ToolName::CompanyNetwork => format!(
            "Costs {}; with path_to {}, nothing when there is no path.",
            in_credits(price(Operation::GetCompanyNetwork)),
            in_credits(price(Operation::FindPaths))
        ),
        ToolName::CompanyFindings => {
            format!("Costs {}.", in_credits(price(Operation::GetCompanyFindings)))
        }
        ToolName::Director => format!(
            "Costs {}; with companies {}, nothing when no company is known.",
            in_credits(price(Operation::GetDirector)),
            in_credits(price(Operation::ListDirectorCompanies))
        ),
        ToolName::Verify => format!(
            "Costs in credits, whatever the verdict: cin {}, din {}, gstin {}, pan {}.",
            price(Operation::VerifyCin),
            price(Operation::VerifyDin),
            price(Operation::VerifyGstin),
            price(Operation::VerifyPan)
        ),
        ToolName::WatchEvents => format!(
            "Costs {} for each event that the account has not paid for yet, however it was read.",
            in_credits(price(Operation::ListEvents))
        ),
        ToolName::Account | ToolName::Watchlists => return "Free.".to_owned(),
    };
    format!("{costs} An error costs nothing.")
}

fn input(tool: ToolName, schemas: &ApiSchemas) -> Map<String, Value> {
    let mut used = Map::new();
    let mut properties = Map::new();
    for name in tool.subject_arguments().iter().chain(tool.price_arguments()) {
        properties.insert((*name).to_owned(), argument(tool, name, schemas, &mut used));
    }
    let required: &[&str] = match tool {
        ToolName::FindCompany => &["q"],
        ToolName::MatchCompanies => &["items"],
        ToolName::CompanyProfile
        | ToolName::CompanyFinancials
        | ToolName::CompanyNetwork
        | ToolName::CompanyFindings => &["cin"],
        ToolName::Director => &["din"],
        ToolName::Verify => &["value"],
        ToolName::Watchlists | ToolName::WatchEvents | ToolName::Account => &[],
    };
    let mut schema = object(properties.into(), required, used);
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

fn argument(
    tool: ToolName,
    name: &str,
    schemas: &ApiSchemas,
    used: &mut Map<String, Value>,
) -> Value {
    match (tool, name) {
        (_, MAX_CREDITS) => json!({
            "type": "integer",
            "minimum": 0,
            "description": "The most this call may cost, in credits; a more expensive call is refused and \
                            costs nothing.",
        }),
        (_, IDEMPOTENCY_KEY) => json!({
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "description": "For retries: for 24 hours a repeat with the same key and arguments gets the \
                            first response again, without a second charge.",
        }),
        (ToolName::MatchCompanies, _) => schemas.body_field(Operation::MatchCompanies, name, used),
        (ToolName::CompanyProfile, "section") => json!({
            "type": "string",
            "enum": SECTIONS.map(|(name, _)| name),
            "default": DEFAULT_SECTION,
            "description": "What to return.",
        }),
        (ToolName::CompanyProfile, "page" | "year") => {
            let mut schema = schemas.parameter(Operation::ListCompanyDocuments, name);
            let description = schema["description"].as_str().unwrap_or_default();
            schema["description"] =
                format!("Only with the section documents. {description}").into();
            schema
        }
        (ToolName::CompanyNetwork, "path_to") => json!({
            "type": "string",
            "description": "A CIN, LLPIN, FCRN or DIN: the shortest paths from the company to it are returned \
                            instead of the network. Not together with depth.",
        }),
        (ToolName::Director, "companies") => json!({
            "type": "boolean",
            "default": false,
            "description": "true for the list of the person's companies instead of the person.",
        }),
        (ToolName::Verify, "value") => json!({
            "type": "string",
            "description": "The CIN (or LLPIN or FCRN), DIN, GSTIN or PAN to verify.",
        }),
        (ToolName::Verify, "type") => json!({
            "type": "string",
            "enum": IdentifierType::ALL.map(IdentifierType::as_str),
            "description": "What the value is meant to be. May be left out if its shape tells.",
        }),
        (ToolName::Watchlists, _) => watchlist_argument(name, schemas, used),
        (ToolName::WatchEvents, "limit") => {
            let mut schema = schemas.parameter(Operation::ListEvents, name);
            schema["default"] = DEFAULT_EVENTS.into();
            schema["description"] = "The most events in the response.".into();
            schema
        }
        _ => schemas.parameter(tool.operations()[0], name),
    }
}

fn watchlist_argument(name: &str, schemas: &ApiSchemas, used: &mut Map<String, Value>) -> Value {
    let only_with = |actions: &str, mut schema: Value| {
        let description = schema["description"].as_str().unwrap_or_default();
        schema["description"] = format!("Only with {actions}. {description}").into();
        schema
    };
    match name {
        "action" => json!({
            "type": "string",
            "enum": ACTIONS.map(|(name, _)| name),
            "default": DEFAULT_ACTION,
            "description": "What to do.",
        }),
        "id" => only_with(
            "members, add and remove",
            schemas.parameter(Operation::ListWatchMembers, name),
        ),
        "name" => only_with("create", schemas.body_field(Operation::CreateWatchlist, name, used)),
        "members" => {
            only_with("add and remove", schemas.body_field(Operation::AddWatchMembers, name, used))
        }
        _ => only_with("members", schemas.parameter(Operation::ListWatchMembers, name)),
    }
}
