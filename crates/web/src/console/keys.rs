//! The pages to list, roll and revoke keys.

use askama::Template;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::mcp;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Key, KeyKind, Mode};
use serde::Deserialize;
use serde_json::json;

use super::forms::AuthenticatedForm;
use super::language::{amounts, dates, filters, key, t, t_with};
use super::layout::{Layout, Tab, respond, respond_with_errors};
use super::new_key_page::Ticket;
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;

/// When an old key expires after it is rolled: hours, and the label of the choice.
const OVERLAPS: [(i64, &str); 4] =
    [(0, key("now")), (1, key("in 1 hour")), (24, key("in 24 hours")), (168, key("in 7 days"))];

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysPage {
    layout: Layout,
    may_manage: bool,
    /// Where assistants connect.
    mcp_address: String,
    keys: Vec<KeySummary>,
    inactive: Vec<KeySummary>,
}

#[derive(Template)]
#[template(path = "key_revoke.html")]
struct RevokePage {
    layout: Layout,
    key: KeySummary,
    error: Option<String>,
}

#[derive(Template)]
#[template(path = "key_roll.html")]
struct RollPage {
    layout: Layout,
    key: KeySummary,
    overlaps: [(i64, &'static str); 4],
    error: Option<String>,
}

/// The fields of a key that pages display.
pub struct KeySummary {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) hint: String,
    live: bool,
    created: String,
    last_used: String,
    /// The operation and the address of the last use, if they are known.
    last_used_for: Option<String>,
    last_used_from: Option<String>,
    limits: Vec<String>,
    state: KeyState,
}

#[derive(PartialEq, Eq)]
enum KeyState {
    Active,
    ExpiresAt(String),
    Expired(String),
    Revoked(String),
}

#[derive(Deserialize)]
pub struct KeysQuery {
    #[serde(default)]
    done: String,
    #[serde(default)]
    welcome: String,
}

/// The name of the key, typed to confirm; required only for live keys.
#[derive(Deserialize)]
pub struct Revocation {
    #[serde(default)]
    confirmation: String,
}

#[derive(Deserialize)]
pub struct Roll {
    #[serde(default)]
    overlap_hours: String,
}

pub async fn show(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<KeysQuery>,
) -> Result<Response, PageError> {
    let keys = signed_in.app.ledger.list_keys(signed_in.account_id()).await?;
    if keys.is_empty() && query.welcome == "yes" {
        return Ok(Redirect::to("/console/keys/new?welcome=yes").into_response());
    }
    let now_ms = now_ms();
    let summaries = keys.iter().rev().map(|key| summary(key, now_ms));
    let (keys, inactive) =
        summaries.partition(|key| matches!(key.state, KeyState::Active | KeyState::ExpiresAt(_)));
    let notice = (query.done == "revoked")
        .then_some(t("The key was revoked. It stops working within 5 seconds."));
    Ok(respond(&KeysPage {
        layout: signed_in.layout(Tab::Keys, t("Keys")).with_notice(notice),
        may_manage: signed_in.may(Permission::ManageKeys),
        mcp_address: mcp::address(&signed_in.app.public_url),
        keys,
        inactive,
    }))
}

pub fn summary(key: &Key, now_ms: i64) -> KeySummary {
    let state = match (key.revoked_at, key.expires_at) {
        (Some(at), _) => KeyState::Revoked(dates::day_of(at)),
        (None, Some(at)) if at <= now_ms => KeyState::Expired(dates::minute(at)),
        (None, Some(at)) => KeyState::ExpiresAt(dates::minute(at)),
        (None, None) => KeyState::Active,
    };
    let mut limits = Vec::new();
    let reconciles = key.kind() == KeyKind::Reconcile;
    if reconciles {
        limits.push(t("for OpenRefine: may only match and extend").to_owned());
    }
    if let Some(cap) = key.monthly_cap {
        let cap = amounts::counted(cap, "credit", "credits");
        limits.push(t_with("{0} per month", &[&cap]));
    }
    if !key.allowed_addresses.is_empty() {
        limits.push(t_with("from {0}", &[&key.allowed_addresses.join(", ")]));
    }
    if !key.allowed_operations.is_empty() && !reconciles {
        limits.push(t_with("only {0}", &[&key.allowed_operations.join(", ")]));
    }
    KeySummary {
        id: key.id.clone(),
        name: if key.name.is_empty() { t("Unnamed key").to_owned() } else { key.name.clone() },
        hint: key.hint.clone(),
        live: key.mode == Mode::Live,
        created: dates::day_of(key.created_at),
        last_used: key.last_used_at.map_or(t("never").to_owned(), |at| dates::ago(at, now_ms)),
        last_used_for: key.last_used_operation.clone(),
        last_used_from: key.last_used_address.clone(),
        limits,
        state,
    }
}

/// The key of a path, if it belongs to this account and is not revoked.
pub async fn find(signed_in: &SignedIn, key_id: &str) -> Result<Key, PageError> {
    signed_in.require(Permission::ManageKeys)?;
    let found = signed_in.app.ledger.find_key_by_id(key_id).await?;
    found
        .filter(|key| key.account_id == signed_in.account_id() && key.revoked_at.is_none())
        .ok_or_else(|| PageError::not_found(t("This key does not exist or is revoked.")))
}

pub async fn show_revoke(
    signed_in: SignedIn,
    Path(key_id): Path<String>,
) -> Result<Response, PageError> {
    let key = find(&signed_in, &key_id).await?;
    Ok(respond(&revoke_page(&signed_in, &key, None)))
}

fn revoke_page(signed_in: &SignedIn, key: &Key, error: Option<String>) -> RevokePage {
    let layout = signed_in.layout(Tab::Keys, t("Revoke a key"));
    RevokePage { layout, key: summary(key, now_ms()), error }
}

pub async fn revoke(
    Path(key_id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Revocation>,
) -> Result<Response, PageError> {
    let key = find(&signed_in, &key_id).await?;
    let name = summary(&key, now_ms()).name;
    if key.mode == Mode::Live && form.confirmation.trim() != name {
        let error = t_with("Type “{0}” to confirm.", &[&name]);
        return Ok(respond_with_errors(&revoke_page(&signed_in, &key, Some(error))));
    }
    if signed_in.app.ledger.revoke_key(&key.id, now_ms()).await? {
        signed_in.log("key.revoke", &key.id, json!({})).await;
    }
    Ok(Redirect::to("/console/keys?done=revoked").into_response())
}

pub async fn show_roll(
    signed_in: SignedIn,
    Path(key_id): Path<String>,
) -> Result<Response, PageError> {
    let key = find(&signed_in, &key_id).await?;
    Ok(respond(&roll_page(&signed_in, &key, None)))
}

fn roll_page(signed_in: &SignedIn, key: &Key, error: Option<String>) -> RollPage {
    let layout = signed_in.layout(Tab::Keys, t("Roll a key"));
    RollPage { layout, key: summary(key, now_ms()), overlaps: OVERLAPS, error }
}

/// Creates a key with the limits of an old one, which expires after the overlap.
pub async fn roll(
    Path(key_id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Roll>,
) -> Result<Response, PageError> {
    let old = find(&signed_in, &key_id).await?;
    let chosen = form.overlap_hours.parse::<i64>().ok();
    let Some((hours, _)) = OVERLAPS.iter().find(|(hours, _)| Some(*hours) == chosen) else {
        let error = t("Choose when the old key expires.").to_owned();
        return Ok(respond_with_errors(&roll_page(&signed_in, &old, Some(error))));
    };
    let now_ms = now_ms();
    let (ticket, text) = Ticket::issue(&signed_in, (old.kind(), old.mode), now_ms)?;
    let ends_at = now_ms + hours * 3_600_000;
    let new = signed_in.app.ledger.roll_key(&old, &text, ends_at, now_ms).await?;
    let details = json!({"in_place_of": old.id, "overlap_minutes": hours * 60});
    signed_in.log("key.roll", &new.id, details).await;
    Ok(ticket.redirect(&signed_in, &new, Some(&old)))
}
