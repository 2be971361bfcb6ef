//! The form that creates a key with its limits.

use std::collections::BTreeSet;

use askama::Template;
use axum::response::Response;
use jiff::civil::Date;
use panji_api::accounts::new_keys::{RECONCILE_CAP, creation_event, reconcile_settings};
use panji_api::accounts::roles::Permission;
use panji_api::config::ip_networks::parse_network;
use panji_api::config::operation::Operation;
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{KeyKind, Mode, NewKey};
use serde::Deserialize;

use super::forms::AuthenticatedForm;
use super::labels;
use super::language::{amounts, dates, filters, t, t_with};
use super::layout::{Layout, Tab, respond, respond_with_errors};
use super::new_key_page::Ticket;
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::scopes::{Scope, scopes};
use super::session::SignedIn;
use super::sign_up::clean_name;

/// Allowed addresses or networks per key.
const MAX_ADDRESSES: usize = 50;
/// The value of the form for a reconciliation token.
const RECONCILE: &str = "reconcile";

#[derive(Template)]
#[template(path = "key_new.html")]
struct NewKeyPage {
    layout: Layout,
    welcome: bool,
    live: bool,
    reconciles: bool,
    reconcile_cap: String,
    form: KeyForm,
    scopes: &'static [Scope],
    mode_error: Option<String>,
    expiry_error: Option<String>,
    addresses_error: Option<String>,
    cap_error: Option<String>,
    operations_error: Option<String>,
}

impl NewKeyPage {
    fn has_operation(&self, id: &str) -> bool {
        self.form.operations.iter().any(|chosen| chosen == id)
    }

    fn has_group(&self, name: &str) -> bool {
        self.form.groups.iter().any(|chosen| chosen == name)
    }

    /// Whether an operation of a group is selected, so that the group is open.
    fn is_used(&self, scope: &Scope) -> bool {
        self.has_group(&scope.name)
            || scope.operations.iter().any(|operation| self.has_operation(operation.id))
    }

    /// Whether the section with the limits, which is collapsed by default, has an error.
    fn limits_have_errors(&self) -> bool {
        [&self.expiry_error, &self.addresses_error, &self.cap_error, &self.operations_error]
            .iter()
            .any(|error| error.is_some())
    }
}

#[derive(Deserialize)]
pub struct NewKeyQuery {
    #[serde(default)]
    welcome: String,
    /// The mode that is selected at first; that of the console by default.
    #[serde(default)]
    mode: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct KeyForm {
    name: String,
    /// `reconcile` for a reconciliation token.
    kind: String,
    mode: String,
    expires: String,
    addresses: String,
    operations: Vec<String>,
    /// Groups of which all operations are allowed.
    groups: Vec<String>,
    monthly_cap: String,
}

pub async fn show(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<NewKeyQuery>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageKeys)?;
    let mode = Mode::from_name(&query.mode).unwrap_or(signed_in.mode());
    let form = KeyForm { mode: mode.as_str().to_owned(), ..KeyForm::default() };
    Ok(respond(&NewKeyPage { welcome: query.welcome == "yes", ..page(&signed_in, form) }))
}

fn page(signed_in: &SignedIn, form: KeyForm) -> NewKeyPage {
    NewKeyPage {
        layout: signed_in.layout(Tab::Keys, t("Create a key")),
        welcome: false,
        live: form.mode == Mode::Live.as_str(),
        reconciles: form.kind == RECONCILE,
        reconcile_cap: amounts::counted(RECONCILE_CAP, "credit", "credits"),
        scopes: scopes(),
        mode_error: None,
        expiry_error: None,
        addresses_error: None,
        cap_error: None,
        operations_error: None,
        form,
    }
}

/// Creates the key, and redirects to the page that displays it.
pub async fn create(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<KeyForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageKeys)?;
    let now_ms = now_ms();
    let mode = Mode::from_name(&form.mode);
    let (expires_at, expiry_error) = split(read_expiry(&form.expires, now_ms));
    let (addresses, addresses_error) = split(read_addresses(&form.addresses));
    let (monthly_cap, cap_error) = split(read_cap(&form.monthly_cap));
    let (operations, operations_error) = split(read_operations(&form.operations, &form.groups));
    let errors = NewKeyPage {
        mode_error: mode.is_none().then(|| t("Choose test or live.").to_owned()),
        expiry_error,
        addresses_error,
        cap_error,
        operations_error,
        ..page(&signed_in, form.clone())
    };
    let Some(mode) = mode.filter(|_| !errors.limits_have_errors()) else {
        return Ok(respond_with_errors(&errors));
    };
    let new = NewKey {
        name: clean_name(&form.name).unwrap_or_default(),
        expires_at,
        allowed_addresses: addresses,
        allowed_operations: operations.into_iter().collect(),
        monthly_cap,
    };
    let (kind, new) = match form.kind == RECONCILE {
        true => (KeyKind::Reconcile, reconcile_settings(new)),
        false => (KeyKind::Api, new),
    };
    let (ticket, text) = Ticket::issue(&signed_in, (kind, mode), now_ms)?;
    match signed_in.app.ledger.create_key(signed_in.account_id(), &text, new, now_ms).await {
        Ok(key) => {
            signed_in.log("key.create", &key.id, creation_event(&key)).await;
            Ok(ticket.redirect(&signed_in, &key, None))
        }
        Err(StoreError::Conflict(reason)) => Err(PageError::bad_form(reason)),
        Err(error) => Err(error.into()),
    }
}

/// What is wrong with a field of the form.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum FieldError {
    #[error("{}", t("Enter a valid date."))]
    Date,
    #[error("{}", t("This date is in the past. Choose a later date."))]
    PastDate,
    #[error("{}", t_with("{0} is not an IP address or a network such as 203.0.113.0/24.", &[&quoted(.0)]))]
    Address(String),
    #[error("{}", t_with("Enter at most {0} addresses. Use networks instead.", &[&MAX_ADDRESSES]))]
    TooManyAddresses,
    #[error("{}", t_with("The operation {0} does not exist.", &[&quoted(.0)]))]
    Operation(String),
    #[error("{}", t_with("The group {0} does not exist.", &[&quoted(.0)]))]
    Group(String),
    #[error("{}", t("Enter a whole number of credits, for example 5000."))]
    Cap,
}

/// What the user entered, with its special characters visible.
fn quoted(input: &str) -> String {
    format!("{input:?}")
}

/// Splits a result into the value, or its default, and the error.
fn split<T: Default>(read: Result<T, FieldError>) -> (T, Option<String>) {
    match read {
        Ok(value) => (value, None),
        Err(error) => (T::default(), Some(error.to_string())),
    }
}

fn read_expiry(text: &str, now_ms: i64) -> Result<Option<i64>, FieldError> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let date: Date = text.trim().parse().map_err(|_| FieldError::Date)?;
    let at = dates::end_ms(date);
    if at <= now_ms {
        return Err(FieldError::PastDate);
    }
    Ok(Some(at))
}

fn read_addresses(text: &str) -> Result<Vec<String>, FieldError> {
    let parts = text.split([',', ' ', '\n', '\r', '\t']).filter(|part| !part.is_empty());
    let networks = parts.map(|part| {
        let network = parse_network(part).ok_or_else(|| FieldError::Address(part.to_owned()))?;
        Ok(network.to_string())
    });
    let networks = networks.collect::<Result<Vec<String>, _>>()?;
    match networks.len() > MAX_ADDRESSES {
        true => Err(FieldError::TooManyAddresses),
        false => Ok(networks),
    }
}

/// An unknown operation is an error: if it were ignored, the list could become empty, which allows
/// everything.
fn read_operations(ids: &[String], groups: &[String]) -> Result<BTreeSet<String>, FieldError> {
    let unknown = ids.iter().find(|id| Operation::from_id(id).is_none());
    if let Some(id) = unknown {
        return Err(FieldError::Operation(id.clone()));
    }
    let mut allowed: BTreeSet<String> = ids.iter().cloned().collect();
    for name in groups {
        let scope = scopes().iter().find(|scope| scope.name == *name);
        let scope = scope.ok_or_else(|| FieldError::Group(name.clone()))?;
        allowed.extend(scope.operations.iter().map(|operation| operation.id.to_owned()));
    }
    Ok(allowed)
}

fn read_cap(text: &str) -> Result<Option<i64>, FieldError> {
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | ' ')).collect();
    if digits.is_empty() {
        return Ok(None);
    }
    let cap = digits.parse::<u32>().map(i64::from);
    cap.map(Some).map_err(|_| FieldError::Cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_common_formats() {
        assert_eq!(read_cap("1,00,000"), Ok(Some(100_000)));
        assert_eq!(read_cap(""), Ok(None));
        assert!(read_cap("-5").is_err() && read_cap("many").is_err());
        let networks = read_addresses("203.0.113.7, 10.0.0.0/8\n").expect("two");
        assert_eq!(networks, ["203.0.113.7/32", "10.0.0.0/8"]);
        assert!(read_addresses("here").is_err());
        let groups = |name: &str| read_operations(&["getGst".to_owned()], &[name.to_owned()]);
        let allowed = groups("Directors").expect("a group");
        assert!(allowed.contains("getGst") && allowed.contains("getDirector"));
        assert!(!allowed.contains("getCompany"));
        assert!(groups("No such group").is_err());
        let now = 1_768_458_600_000;
        assert!(read_expiry("2026-01-14", now).is_err(), "yesterday");
        assert!(read_expiry("2026-01-15", now).expect("today").is_some());
        assert_eq!(read_expiry(" ", now), Ok(None));
    }
}
