//! From the arguments of a tool to a call of the API.

use axum::http::{HeaderMap, HeaderValue};
use serde_json::{Map, Value, json};

use super::tools::{
    ACTIONS, DEFAULT_ACTION, DEFAULT_EVENTS, DEFAULT_SECTION, IDEMPOTENCY_KEY, MAX_CREDITS,
    SECTIONS, ToolName,
};
use crate::api::bulk_request::{kind_of, operation_of};
use crate::api::wire::IdentifierType;
use crate::config::Prices;
use crate::config::operation::Operation;
use crate::http::encoding::encoded;

/// How many characters of an argument's name an error repeats.
const MAX_ECHOED: usize = 100;

type Arguments = Map<String, Value>;

/// A call of the API that a tool makes.
#[derive(Debug)]
pub struct ApiCall {
    pub operation: Operation,
    /// With the query.
    pub address: String,
    /// JSON; none for a GET.
    pub body: Option<String>,
    /// `Panji-Max-Credits` and `Idempotency-Key`, if they are given.
    pub headers: HeaderMap,
    /// The most that the call can cost, in credits.
    pub highest_price: i64,
    /// The most that the client wants to pay.
    pub max_credits: Option<u64>,
}

/// An argument that is missing, unknown or of the wrong type. The values are checked by the API.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ArgumentError {
    pub param: String,
    pub message: String,
}

impl ArgumentError {
    fn new(param: &str, message: impl Into<String>) -> ArgumentError {
        ArgumentError { param: param.to_owned(), message: message.into() }
    }
}

impl ApiCall {
    /// The call that a tool makes with these arguments.
    pub fn plan(
        tool: ToolName,
        arguments: &Arguments,
        prices: &Prices,
    ) -> Result<ApiCall, ArgumentError> {
        check_names(tool, arguments)?;
        let mut call = match tool {
            ToolName::FindCompany => search(arguments)?,
            ToolName::MatchCompanies => matching(arguments)?,
            ToolName::CompanyProfile => section(arguments)?,
            ToolName::CompanyFinancials => {
                look_up(Operation::GetCompanyFinancials, "cin", &required(arguments, "cin")?)?
            }
            ToolName::CompanyNetwork => network(arguments)?,
            ToolName::CompanyFindings => {
                look_up(Operation::GetCompanyFindings, "cin", &required(arguments, "cin")?)?
            }
            ToolName::Director => {
                look_up(director_operation(arguments)?, "din", &required(arguments, "din")?)?
            }
            ToolName::Verify => verification(arguments)?,
            ToolName::Watchlists => watchlists(arguments)?,
            ToolName::WatchEvents => watch_events(arguments)?,
            ToolName::Account => ApiCall::get(Operation::GetAccount, "/v1/account".to_owned()),
        };
        // A call with items costs at most its price for each.
        call.highest_price *= prices.of(call.operation);
        call.add_headers(arguments)?;
        Ok(call)
    }

    pub fn get(operation: Operation, address: String) -> ApiCall {
        ApiCall {
            operation,
            address,
            body: None,
            headers: HeaderMap::new(),
            highest_price: 1,
            max_credits: None,
        }
    }

    fn add_headers(&mut self, arguments: &Arguments) -> Result<(), ArgumentError> {
        if let Some(most) = given(arguments, MAX_CREDITS) {
            let most = most.as_u64().ok_or_else(|| {
                let message = "max_credits must be a whole number of credits, 0 or more.";
                ArgumentError::new(MAX_CREDITS, message)
            })?;
            self.max_credits = Some(most);
            self.headers.insert("panji-max-credits", most.into());
        }
        if let Some(key) = given(arguments, IDEMPOTENCY_KEY) {
            let key = key.as_str().and_then(|key| HeaderValue::from_str(key).ok());
            let key = key.filter(|key| !key.is_empty()).ok_or_else(|| {
                let message = "idempotency_key must be 1 to 255 printable ASCII characters.";
                ArgumentError::new(IDEMPOTENCY_KEY, message)
            })?;
            self.headers.insert("idempotency-key", key);
        }
        Ok(())
    }

    fn with_query(mut self, arguments: &Arguments) -> Result<ApiCall, ArgumentError> {
        let mut separator = '?';
        for name in self.operation.query_parameters() {
            if let Some(text) = optional(arguments, name)? {
                self.address.push(separator);
                self.address.push_str(&format!("{name}={}", encoded(&text)));
                separator = '&';
            }
        }
        Ok(self)
    }
}

/// Refuses unknown arguments: a misspelled filter would widen a result that is paid for.
fn check_names(tool: ToolName, arguments: &Arguments) -> Result<(), ArgumentError> {
    let known: Vec<&str> =
        tool.subject_arguments().iter().chain(tool.price_arguments()).copied().collect();
    let unknown = arguments.keys().find(|name| !known.contains(&name.as_str()));
    let Some(unknown) = unknown else { return Ok(()) };
    let echoed: String =
        unknown.chars().filter(|character| !character.is_control()).take(MAX_ECHOED).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    let message = format!("{} has no argument {echoed:?}: it takes {known}.", tool.as_str());
    Err(ArgumentError::new(&echoed, message))
}

fn search(arguments: &Arguments) -> Result<ApiCall, ArgumentError> {
    required(arguments, "q")?;
    ApiCall::get(Operation::SearchCompanies, Operation::SearchCompanies.path().to_owned())
        .with_query(arguments)
}

fn matching(arguments: &Arguments) -> Result<ApiCall, ArgumentError> {
    let Some(Value::Array(items)) = given(arguments, "items") else {
        return Err(ArgumentError::new("items", "items must be a list of what to match."));
    };
    let operation = Operation::MatchCompanies;
    // Always in the same order, so that a repeat has the same body.
    let mut body = json!({ "items": items });
    if let Some(limit) = given(arguments, "limit") {
        body["limit"] = limit.clone();
    }
    Ok(ApiCall {
        body: Some(body.to_string()),
        highest_price: i64::try_from(items.len()).unwrap_or(i64::MAX),
        ..ApiCall::get(operation, operation.path().to_owned())
    })
}

fn section(arguments: &Arguments) -> Result<ApiCall, ArgumentError> {
    let operation = chosen(arguments, "section", DEFAULT_SECTION, &SECTIONS)?;
    for name in ["page", "year"] {
        if given(arguments, name).is_some() && !operation.query_parameters().contains(&name) {
            let message = format!("{name} is only for the section documents.");
            return Err(ArgumentError::new(name, message));
        }
    }
    look_up(operation, "cin", &required(arguments, "cin")?)?.with_query(arguments)
}

/// The network of a company, or the paths from it to another company or person.
fn network(arguments: &Arguments) -> Result<ApiCall, ArgumentError> {
    let cin = required(arguments, "cin")?;
    let Some(to) = optional(arguments, "path_to")? else {
        return look_up(Operation::GetCompanyNetwork, "cin", &cin)?.with_query(arguments);
    };
    if given(arguments, "depth").is_some() {
        let message = "depth is only for a network: leave out path_to or depth.";
        return Err(ArgumentError::new("depth", message));
    }
    let operation = Operation::FindPaths;
    let address = format!("{}?from={}&to={}", operation.path(), encoded(&cin), encoded(&to));
    Ok(ApiCall::get(operation, address))
}

fn director_operation(arguments: &Arguments) -> Result<Operation, ArgumentError> {
    match given(arguments, "companies") {
        None | Some(Value::Bool(false)) => Ok(Operation::GetDirector),
        Some(Value::Bool(true)) => Ok(Operation::ListDirectorCompanies),
        Some(_) => Err(ArgumentError::new("companies", "companies must be true or false.")),
    }
}

fn verification(arguments: &Arguments) -> Result<ApiCall, ArgumentError> {
    let value = required(arguments, "value")?;
    let words = IdentifierType::ALL.map(IdentifierType::as_str).join(", ");
    let given = match optional(arguments, "type")? {
        None => None,
        Some(word) => {
            let known = IdentifierType::ALL.into_iter().find(|kind| kind.as_str() == word);
            Some(known.ok_or_else(|| {
                ArgumentError::new("type", format!("type must be one of {words}."))
            })?)
        }
    };
    let kind = kind_of(given, &value).ok_or_else(|| {
        let message = format!(
            "The value does not look like an identifier: give its type, \
                               {words}."
        );
        ArgumentError::new("type", message)
    })?;
    look_up(operation_of(kind), kind.as_str(), &value)
}

/// What is done with watch lists. An argument of another action is refused: it would have no effect.
fn watchlists(arguments: &Arguments) -> Result<ApiCall, ArgumentError> {
    let operation = chosen(arguments, "action", DEFAULT_ACTION, &ACTIONS)?;
    let taken: &[&str] = match operation {
        Operation::CreateWatchlist => &["name"],
        Operation::ListWatchMembers => &["id", "after", "limit"],
        Operation::AddWatchMembers | Operation::RemoveWatchMembers => &["id", "members"],
        _ => &[],
    };
    let known = |name: &&String| *name == "action" || taken.contains(&name.as_str());
    if let Some((name, _)) = arguments.iter().find(|(name, value)| !known(name) && !value.is_null())
    {
        return Err(ArgumentError::new(name, format!("{name} is not for this action.")));
    }
    let path = operation.path().to_owned();
    let call = match taken.first() {
        Some(&"id") => look_up(operation, "id", &required(arguments, "id")?)?,
        _ => ApiCall::get(operation, path),
    };
    let body = match operation {
        Operation::CreateWatchlist => Some(json!({ "name": required(arguments, "name")? })),
        Operation::AddWatchMembers | Operation::RemoveWatchMembers => {
            let Some(Value::Array(members)) = given(arguments, "members") else {
                let message = "members must be a list of CINs, LLPINs, FCRNs, DINs and GSTINs.";
                return Err(ArgumentError::new("members", message));
            };
            Some(json!({ "members": members }))
        }
        _ => None,
    };
    ApiCall { body: body.map(|body| body.to_string()), ..call }.with_query(arguments)
}

fn watch_events(arguments: &Arguments) -> Result<ApiCall, ArgumentError> {
    let operation = Operation::ListEvents;
    let mut arguments = arguments.clone();
    let limit = arguments.entry("limit").or_insert(DEFAULT_EVENTS.into());
    if limit.is_null() {
        *limit = DEFAULT_EVENTS.into();
    }
    // The API refuses a limit that is no number.
    let highest_price = limit.as_i64().unwrap_or(DEFAULT_EVENTS).max(0);
    let call = ApiCall::get(operation, operation.path().to_owned());
    ApiCall { highest_price, ..call }.with_query(&arguments)
}

/// The operation that a word selects.
fn chosen(
    arguments: &Arguments,
    name: &str,
    default: &str,
    words: &[(&str, Operation)],
) -> Result<Operation, ArgumentError> {
    let asked = optional(arguments, name)?;
    let asked = asked.as_deref().unwrap_or(default);
    let known = words.iter().find(|(word, _)| *word == asked);
    known.map(|(_, operation)| *operation).ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        ArgumentError::new(name, format!("{name} must be one of {}.", words.join(", ")))
    })
}

/// The call for one record. `value` becomes one part of the path.
pub fn look_up(operation: Operation, name: &str, value: &str) -> Result<ApiCall, ArgumentError> {
    let path = operation.path().replace(&format!("{{{name}}}"), &encoded(value));
    // A word that is itself a path, such as `search`, would call another operation.
    if Operation::of(&operation.method(), &path) != Some(operation) {
        return Err(ArgumentError::new(name, format!("{name} is not an identifier.")));
    }
    Ok(ApiCall::get(operation, path))
}

/// An argument that is not null.
fn given<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a Value> {
    arguments.get(name).filter(|value| !value.is_null())
}

/// A text, also written as a number or a truth value.
fn optional(arguments: &Arguments, name: &str) -> Result<Option<String>, ArgumentError> {
    match given(arguments, name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(number @ Value::Number(_)) => Ok(Some(number.to_string())),
        Some(Value::Bool(truth)) => Ok(Some(truth.to_string())),
        Some(_) => Err(ArgumentError::new(name, format!("{name} must be a string."))),
    }
}

fn required(arguments: &Arguments, name: &str) -> Result<String, ArgumentError> {
    let text = optional(arguments, name)?.filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| ArgumentError::new(name, format!("{name} is missing.")))
}
