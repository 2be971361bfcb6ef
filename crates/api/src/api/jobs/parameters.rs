//! The parameters of a new job: from the query, or from a JSON body.

use serde::Deserialize;

use super::json_items::JsonItem;
use super::list::{Mapping, echo};
use super::verify::kind_named;
use super::work::Work;
use super::{EnrichWork, MatchWork, VerifyWork};
use crate::api::enrich::Selection;
use crate::api::query::Query;
use crate::config::operation::Operation;
use crate::http::error::ApiError;

/// The longest name of a job, in characters.
const MAX_NAME: usize = 100;
/// More than any job can cost.
const MAX_CREDITS: i64 = 1_000_000_000_000;

/// A JSON body: the parameters and the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobBody {
    operation: Option<String>,
    fields: Option<Vec<String>>,
    #[serde(rename = "type")]
    kind: Option<String>,
    column: Option<String>,
    type_column: Option<String>,
    auto_approve: Option<bool>,
    max_credits: Option<i64>,
    name: Option<String>,
    pub items: Vec<JsonItem>,
}

/// What to do with a list.
#[derive(Debug)]
pub struct JobParameters {
    pub work: Work,
    pub mapping: Mapping,
    pub name: String,
    pub auto_approve: bool,
    pub max_credits: Option<i64>,
}

/// The parameters as they were given.
#[derive(Debug, Default)]
struct RawParameters {
    operation: Option<String>,
    fields: Option<Vec<String>>,
    kind: Option<String>,
    column: Option<String>,
    type_column: Option<String>,
    auto_approve: Option<bool>,
    max_credits: Option<i64>,
    name: Option<String>,
}

impl JobParameters {
    pub fn from_query(query: &Query) -> Result<JobParameters, ApiError> {
        let text = |name: &str| query.get(name).map(str::to_owned);
        let fields = query.get("fields").map(|fields| {
            fields.split(',').map(|field| field.trim().to_owned()).collect::<Vec<_>>()
        });
        RawParameters {
            operation: text("operation"),
            fields,
            kind: text("type"),
            column: text("column"),
            type_column: text("type_column"),
            auto_approve: query.flag("auto_approve")?,
            max_credits: query.number("max_credits", 0..=MAX_CREDITS)?,
            name: text("name"),
        }
        .check()
    }

    /// The parameters and the items of a JSON body. It has all parameters, so the query has none.
    pub fn from_body(
        query: &Query,
        bytes: &[u8],
    ) -> Result<(JobParameters, Vec<JsonItem>), ApiError> {
        if let Some(name) = query.first_name() {
            let message = format!("With a JSON body, send {name} in the body, not in the query.");
            return Err(ApiError::parameter(name, message));
        }
        let body: JobBody =
            serde_json::from_slice(bytes).map_err(|error| invalid_body(bytes, &error))?;
        let given = RawParameters {
            operation: body.operation,
            fields: body.fields,
            kind: body.kind,
            column: body.column,
            type_column: body.type_column,
            auto_approve: body.auto_approve,
            max_credits: body.max_credits,
            name: body.name,
        };
        Ok((given.check()?, body.items))
    }
}

fn invalid_body(bytes: &[u8], error: &serde_json::Error) -> ApiError {
    // Read a second time for the path, so that a valid body does not pay for tracking it.
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let read: Result<JobBody, _> = serde_path_to_error::deserialize(&mut deserializer);
    let path = read.err().map(|error| error.path().to_string()).filter(|path| path != ".");
    let reason: String =
        error.to_string().chars().filter(|character| !character.is_control()).collect();
    let param = path.map_or("body".to_owned(), |path| echo(&path));
    ApiError::body(param, format!("The body is not valid: {reason}."))
}

impl RawParameters {
    fn check(self) -> Result<JobParameters, ApiError> {
        let work = self.work()?;
        let auto_approve = self.auto_approve.unwrap_or(false);
        if self.max_credits.is_some_and(|credits| !(0..=MAX_CREDITS).contains(&credits)) {
            let message = format!("max_credits must be a whole number from 0 to {MAX_CREDITS}.");
            return Err(ApiError::parameter("max_credits", message));
        }
        if auto_approve && self.max_credits.is_none() {
            return Err(ApiError::parameter(
                "max_credits",
                "auto_approve needs max_credits: the most that the job may cost.",
            ));
        }
        let name = self.name.unwrap_or_else(|| "list sent to the API".to_owned());
        let printable = !name.chars().any(char::is_control);
        if !printable || name.trim().is_empty() || name.chars().count() > MAX_NAME {
            let message = format!("name must have 1 to {MAX_NAME} printable characters.");
            return Err(ApiError::parameter("name", message));
        }
        let mapping = Mapping {
            column: self.column.unwrap_or_default(),
            type_column: self.type_column.unwrap_or_default(),
            fields: Vec::new(),
        };
        Ok(JobParameters { work, mapping, name, auto_approve, max_credits: self.max_credits })
    }

    fn work(&self) -> Result<Work, ApiError> {
        let [others @ .., last] = &Operation::IN_JOBS.map(Operation::id);
        let names = format!("{} or {last}", others.join(", "));
        let operation = self.operation.as_deref();
        match operation.and_then(Operation::from_id) {
            Some(Operation::BulkVerify) => {
                self.refuse("fields", self.fields.is_some(), Operation::BulkEnrich)?;
                let kind = self.kind.as_deref().map(|name| {
                    let message = "type must be cin, din, gstin or pan.";
                    kind_named(name).ok_or_else(|| ApiError::parameter("type", message))
                });
                Ok(Work::Verify(VerifyWork { kind: kind.transpose()?, type_column: None }))
            }
            Some(Operation::BulkEnrich) => {
                self.refuse("type", self.kind.is_some(), Operation::BulkVerify)?;
                self.refuse("type_column", self.type_column.is_some(), Operation::BulkVerify)?;
                let Some(fields) = self.fields.clone() else {
                    let message = "fields is missing: name the sections to fetch, as \
                                   fields=company,pan.";
                    return Err(ApiError::parameter("fields", message));
                };
                Selection::parse(&fields)
                    .map_err(|error| ApiError::parameter("fields", error.message))?;
                Ok(Work::Enrich(EnrichWork::of_fields(fields)))
            }
            Some(Operation::MatchCompanies) => {
                self.refuse("fields", self.fields.is_some(), Operation::BulkEnrich)?;
                self.refuse("type", self.kind.is_some(), Operation::BulkVerify)?;
                self.refuse("type_column", self.type_column.is_some(), Operation::BulkVerify)?;
                Ok(Work::Match(MatchWork::default()))
            }
            _ => {
                let message = match operation {
                    None => format!("operation is missing: {names}."),
                    Some(_) => format!("operation must be {names}."),
                };
                Err(ApiError::parameter("operation", message))
            }
        }
    }

    fn refuse(&self, name: &str, given: bool, other: Operation) -> Result<(), ApiError> {
        if !given {
            return Ok(());
        }
        let message = format!("{name} is a parameter of {} only: leave it out.", other.id());
        Err(ApiError::parameter(name, message))
    }
}
