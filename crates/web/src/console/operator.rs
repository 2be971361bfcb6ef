//! The operator's pages: service health, all accounts, and one account.

use askama::Template;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::audit_log::{self, truncate_input};
use panji_api::app::DerivedState;
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Account, CreditOutcome, Entry, EntryKind, Member, Mode, Role};
use serde::Deserialize;
use serde_json::{Value, json};

use super::account::CompletedAction;
use super::forms::AuthenticatedForm;
use super::labels;
use super::language::{amounts, dates, filters, key, t, t_with};
use super::layout::{Layout, Tab, respond, respond_with_errors};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;

const ACCOUNTS_PER_PAGE: usize = 50;
/// Transactions on an account's page.
const MAX_ENTRIES: i64 = 20;
/// In characters.
const MAX_REFERENCE: usize = 200;

#[derive(Template)]
#[template(path = "operator.html")]
struct OperatorPage {
    layout: Layout,
    health: Vec<Health>,
    email: String,
    accounts: Vec<(Account, i64)>,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "operator_account.html")]
struct AccountPage {
    layout: Layout,
    account: Account,
    live: i64,
    owed: i64,
    test: i64,
    members: Vec<Member>,
    entries: Vec<Entry>,
    reference: String,
    amount_error: Option<String>,
    reference_error: Option<String>,
}

struct Health {
    component: &'static str,
    healthy: bool,
    details: String,
}

#[derive(Deserialize)]
pub struct AccountsQuery {
    #[serde(default)]
    email: String,
    #[serde(default)]
    after: String,
}

#[derive(Deserialize)]
pub struct Grant {
    amount: String,
    reference: String,
}

#[derive(Deserialize)]
pub struct Suspension {
    /// False resumes the account.
    suspend: bool,
}

/// Other users get "not found", so that the pages are not revealed.
pub fn require_operator(signed_in: &SignedIn) -> Result<(), PageError> {
    let session = &signed_in.session;
    match session.account.operator_since.is_some() && session.role == Role::Owner {
        true => Ok(()),
        false => Err(PageError::not_found(t("This page does not exist."))),
    }
}

pub async fn show(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<AccountsQuery>,
) -> Result<Response, PageError> {
    require_operator(&signed_in)?;
    let ledger = &signed_in.app.ledger;
    let found = match query.email.trim() {
        "" => ledger.list_accounts(&query.after).await?,
        email => ledger.find_account(email).await?.into_iter().collect(),
    };
    let more = found.len() > ACCOUNTS_PER_PAGE;
    let mut accounts = Vec::new();
    for account in found.into_iter().take(ACCOUNTS_PER_PAGE) {
        let balance = balance(&signed_in, &account.id, Mode::Live).await?;
        accounts.push((account, balance));
    }
    let next = more.then(|| accounts.last().map(|(account, _)| account.id.clone())).flatten();
    Ok(respond(&OperatorPage {
        layout: signed_in.layout(Tab::Operator, t("Operator")),
        health: health(&signed_in).await,
        email: query.email,
        accounts,
        next,
    }))
}

async fn balance(signed_in: &SignedIn, account_id: &str, mode: Mode) -> Result<i64, PageError> {
    let snapshot = signed_in.app.ledger.find_balance(account_id, mode, now_ms()).await?;
    Ok(snapshot.map_or(0, |snapshot| snapshot.balance))
}

async fn health(signed_in: &SignedIn) -> Vec<Health> {
    let app = &signed_in.app;
    let writes = app.charge_writer.can_write().await;
    let newest = app.live.register.newest_change().await;
    let register = match &newest {
        Ok(newest) => t_with("available; latest change number {0}", &[&amounts::grouped(*newest)]),
        Err(_) => t("not responding").to_owned(),
    };
    let replica = app.live.register.replica().map(|replica| {
        let fault = replica.last_check().and_then(|check| check.fault);
        let details = match fault {
            None => t("serves register lookups").to_owned(),
            Some(fault) => t_with("not used, the primary serves lookups: {0}", &[&fault]),
        };
        Health { component: key("Replica"), healthy: replica.is_used(), details }
    });
    let ledger = if writes { t("accepts charges") } else { t("write failed: see the log") };
    let mut health = vec![
        Health { component: key("Ledger"), healthy: writes, details: ledger.to_owned() },
        Health { component: key("Register"), healthy: newest.is_ok(), details: register },
    ];
    let derived = app.live.derived().into_iter().zip(DERIVED);
    health.extend(derived.map(|(state, component)| derived_health(component, &state, &newest)));
    health.extend(replica);
    health
}

/// The names of the derived data of a node, in its order.
const DERIVED: [&str; 3] = [
    key("Search index of this node"),
    key("Director index of this node"),
    key("Graph of this node"),
];

fn derived_health(
    component: &'static str,
    state: &DerivedState,
    newest: &Result<i64, StoreError>,
) -> Health {
    let healthy = newest.as_ref().ok().is_some_and(|newest| state.indexed_change == Some(*newest));
    let mut details = match state.indexed_change {
        Some(change) => t_with("up to date with change {0}", &[&amounts::grouped(change)]),
        None => t("build in progress").to_owned(),
    };
    if let Some(generation) = &state.generation {
        let built = dates::minute(generation.built_at_ms);
        let size = labels::file_size(generation.bytes.cast_signed());
        details = t_with("{0}; {1}, built {2}, {3}", &[&details, &generation.name, &built, &size]);
    }
    Health { component, healthy, details }
}

pub async fn show_account(
    signed_in: SignedIn,
    Path(account_id): Path<String>,
    RepeatedQuery(query): RepeatedQuery<CompletedAction>,
) -> Result<Response, PageError> {
    let notice = match query.done.as_str() {
        "granted" => Some(t("The credits were granted.")),
        "suspended" => {
            Some(t("The account was suspended. Its keys stop working within 5 seconds."))
        }
        "resumed" => Some(t("The account was resumed.")),
        _ => None,
    };
    let mut page = account_page(&signed_in, &account_id).await?;
    page.layout = page.layout.with_notice(notice);
    Ok(respond(&page))
}

async fn account_page(signed_in: &SignedIn, account_id: &str) -> Result<AccountPage, PageError> {
    require_operator(signed_in)?;
    let ledger = &signed_in.app.ledger;
    let found = ledger.find_account_by_id(account_id).await?;
    let account = found.ok_or_else(|| PageError::not_found(t("This account does not exist.")))?;
    let live = ledger.find_balance(account_id, Mode::Live, now_ms()).await?;
    Ok(AccountPage {
        layout: signed_in.layout(Tab::Operator, &account.name),
        live: live.map_or(0, |snapshot| snapshot.balance),
        owed: ledger.find_owed(account_id).await?,
        test: balance(signed_in, account_id, Mode::Test).await?,
        members: ledger.list_members(account_id).await?,
        entries: ledger.list_entries(account_id, Mode::Live, MAX_ENTRIES).await?,
        reference: String::new(),
        amount_error: None,
        reference_error: None,
        account,
    })
}

/// Grants credits. Each reference can be used once.
pub async fn grant(
    Path(account_id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Grant>,
) -> Result<Response, PageError> {
    let mut page = account_page(&signed_in, &account_id).await?;
    let digits: String = form.amount.chars().filter(|c| !matches!(c, ',' | ' ')).collect();
    let amount = digits.parse::<i64>().ok().filter(|amount| *amount > 0);
    let reference = form.reference.trim();
    let is_valid =
        !reference.chars().any(char::is_control) && reference.chars().count() <= MAX_REFERENCE;
    if amount.is_none() {
        page.amount_error = Some(t("Enter a whole number of credits, 1 or more.").to_owned());
    }
    if reference.is_empty() || !is_valid {
        page.reference_error =
            Some(t_with("Enter a reference of at most {0} characters.", &[&MAX_REFERENCE]));
    }
    if page.entries.iter().any(|entry| *entry.reference == *reference) {
        page.reference_error =
            Some(t("Credits were already granted for this reference.").to_owned());
    }
    let Some(amount) = amount.filter(|_| page.reference_error.is_none()) else {
        page.reference = form.reference;
        return Ok(respond_with_errors(&page));
    };
    let ledger = &signed_in.app.ledger;
    let (kind, now_ms) = (EntryKind::Grant, now_ms());
    let granted =
        ledger.add_entry(&account_id, Mode::Live, kind, amount, Some(reference), now_ms).await;
    let outcome = match granted {
        Err(StoreError::Conflict(sentence)) => {
            page.amount_error = Some(format!("{sentence}."));
            return Ok(respond_with_errors(&page));
        }
        other => other?,
    };
    // If the reference was already used, nothing was granted.
    if let CreditOutcome::Added(_) = outcome {
        let details = json!({"amount": amount, "reference": truncate_input(reference)});
        log_action_on(&signed_in, "credits.grant", &account_id, details).await;
    }
    Ok(Redirect::to(&format!("/console/operator/accounts/{account_id}?done=granted"))
        .into_response())
}

/// Logs an action on an account that is usually not the operator's own.
async fn log_action_on(
    signed_in: &SignedIn,
    action: &'static str,
    account_id: &str,
    details: Value,
) {
    let (ledger, actor) = (&signed_in.app.ledger, signed_in.actor());
    audit_log::log_served(ledger, &actor, action, Some(account_id), account_id, &details).await;
}

pub async fn suspend(
    Path(account_id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Suspension>,
) -> Result<Response, PageError> {
    let page = account_page(&signed_in, &account_id).await?;
    let at = form.suspend.then(now_ms);
    signed_in.app.ledger.set_suspended(&page.account.id, at).await?;
    let (action, done) = match form.suspend {
        true => ("account.suspend", "suspended"),
        false => ("account.resume", "resumed"),
    };
    log_action_on(&signed_in, action, &account_id, json!({})).await;
    Ok(Redirect::to(&format!("/console/operator/accounts/{account_id}?done={done}"))
        .into_response())
}
