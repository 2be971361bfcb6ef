//! The page of the decisions about names that are saved for the account.

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_store::ledger::{Member, SavedDecision};
use serde::Deserialize;
use serde_json::json;

use super::forms::AuthenticatedForm;
use super::language::{amounts, dates, filters, t};
use super::layout::{Layout, Tab, respond};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;

/// The most decisions that an account saves in each mode.
pub const MAX_SAVED_DECISIONS: i64 = 100_000;
/// Decisions on one page.
const PAGE: i64 = 50;
const PATH: &str = "/console/bulk/decisions";

#[derive(Template)]
#[template(path = "saved_decisions.html")]
struct SavedDecisionsPage {
    layout: Layout,
    may_call: bool,
    saved: Vec<DisplayedDecision>,
    total: i64,
    page: i64,
    has_more: bool,
}

/// A decision as the page displays it.
struct DisplayedDecision {
    hash: String,
    item: String,
    cin: Option<String>,
    person: String,
    decided: String,
}

#[derive(Debug, Default, Deserialize)]
pub struct SavedDecisionsQuery {
    #[serde(default)]
    page: i64,
}

pub async fn show(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<SavedDecisionsQuery>,
) -> Result<Response, PageError> {
    let ledger = &signed_in.app.ledger;
    let owner = (signed_in.account_id(), signed_in.mode());
    let page = query.page.clamp(1, MAX_SAVED_DECISIONS / PAGE);
    let mut saved = ledger.list_match_decisions(owner, (page - 1) * PAGE, PAGE + 1).await?;
    let has_more = saved.len() as i64 > PAGE;
    saved.truncate(PAGE as usize);
    let members = ledger.list_members(signed_in.account_id()).await?;
    Ok(respond(&SavedDecisionsPage {
        layout: signed_in.layout(Tab::Bulk, t("Saved decisions")),
        may_call: signed_in.may(Permission::MakeCalls),
        saved: saved.into_iter().map(|decision| displayed(decision, &members)).collect(),
        total: ledger.count_match_decisions(owner).await?,
        page,
        has_more,
    }))
}

fn displayed(decision: SavedDecision, members: &[Member]) -> DisplayedDecision {
    DisplayedDecision {
        person: person_name(&decision.person_id, members),
        decided: dates::minute(decision.decided_at),
        hash: decision.item_hash,
        item: decision.item,
        cin: decision.cin,
    }
}

/// The name of the person who decided.
pub fn person_name(person_id: &str, members: &[Member]) -> String {
    let member = members.iter().find(|member| member.person_id == person_id);
    match member {
        Some(member) if member.name.is_empty() => member.email.clone(),
        Some(member) => member.name.clone(),
        None => t("a former member").to_owned(),
    }
}

/// One decision, or all.
#[derive(Debug, Deserialize)]
pub struct Deletion {
    #[serde(default)]
    item: String,
    #[serde(default)]
    all: String,
}

pub async fn delete(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Deletion>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let ledger = &signed_in.app.ledger;
    let owner = (signed_in.account_id(), signed_in.mode());
    let deleted = match form.all.as_str() {
        "yes" => ledger.delete_match_decisions(owner).await?,
        _ => u64::from(ledger.delete_match_decision(owner, &form.item).await?),
    };
    if deleted > 0 {
        let details = json!({"mode": owner.1.as_str(), "decisions": deleted});
        signed_in.log("match.delete", signed_in.account_id(), details).await;
    }
    Ok(Redirect::to(PATH).into_response())
}
