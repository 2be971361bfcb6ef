//! The page of the account's webhooks, and the form for a new one.

use askama::Template;
use axum::response::Response;
use panji_store::StoreError;
use panji_store::ledger::{DisabledReason, NewWebhook, Watchlist, Webhook};
use serde::Deserialize;
use serde_json::json;

use super::forms::AuthenticatedForm;
use super::frame::{Frame, Tab, respond};
use super::problem::Problem;
use super::session::SignedIn;
use super::webhook_page;
use crate::accounts::roles::Permission;
use crate::locale::dates;

/// Webhooks on the page.
const MAX_LISTED: i64 = 1_000;
/// Characters of a description.
const MAX_DESCRIPTION: usize = 200;

#[derive(Template)]
#[template(path = "webhooks.html")]
struct WebhooksPage {
    frame: Frame,
    may_manage: bool,
    webhooks: Vec<Row>,
    watchlists: Vec<Watchlist>,
    form: NewForm,
    url_error: Option<String>,
}

/// A webhook as the page displays it.
struct Row {
    id: String,
    url: String,
    description: String,
    state: String,
    enabled: bool,
    created: String,
}

#[derive(Debug, Default, Deserialize)]
pub struct NewForm {
    #[serde(default)]
    url: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    watchlist: String,
}

pub async fn show(signed_in: SignedIn) -> Result<Response, Problem> {
    page(&signed_in, NewForm::default(), None).await
}

async fn page(
    signed_in: &SignedIn,
    form: NewForm,
    url_error: Option<String>,
) -> Result<Response, Problem> {
    let owner = (signed_in.account_id(), signed_in.mode());
    let ledger = &signed_in.app.ledger;
    let webhooks = ledger.list_webhooks(owner, MAX_LISTED).await?;
    Ok(respond(&WebhooksPage {
        frame: signed_in.frame(Tab::Watch, "Webhooks"),
        may_manage: signed_in.may(Permission::ManageKeys),
        webhooks: webhooks.into_iter().map(row_of).collect(),
        watchlists: ledger.list_watchlists(owner).await?,
        form,
        url_error,
    }))
}

fn row_of(webhook: Webhook) -> Row {
    Row {
        state: state_of(&webhook),
        enabled: webhook.disabled.is_none(),
        created: dates::minute(webhook.created_at),
        id: webhook.id,
        url: webhook.url,
        description: webhook.description,
    }
}

/// Whether messages are sent, in words.
pub fn state_of(webhook: &Webhook) -> String {
    let Some((at, reason)) = webhook.disabled else { return "enabled".to_owned() };
    let why = match reason {
        DisabledReason::ByUser => "by a member",
        DisabledReason::Failing => "because all attempts to deliver an event failed",
        DisabledReason::Gone => "because your server answered 410",
    };
    format!("disabled on {} {why}", dates::minute(at))
}

pub async fn create(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<NewForm>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::ManageKeys)?;
    let app = &signed_in.app;
    let url = form.url.trim().to_owned();
    if let Err(error) = app.webhooks.parse_url(&url) {
        return page(&signed_in, form, Some(format!("The URL {error}."))).await;
    }
    let owner = (signed_in.account_id(), signed_in.mode());
    let watchlist = Some(form.watchlist.as_str()).filter(|id| !id.is_empty());
    if let Some(id) = watchlist
        && app.ledger.find_watchlist(owner, id).await?.is_none()
    {
        return Err(Problem::bad_form("The watch list does not exist any more."));
    }
    let is_plain = |character: &char| !character.is_control();
    let description: String =
        form.description.trim().chars().filter(is_plain).take(MAX_DESCRIPTION).collect();
    let new = NewWebhook {
        account_id: owner.0,
        mode: owner.1,
        url: &url,
        description: &description,
        watchlist_id: watchlist,
        types: &[],
        nonce: &ulid::Ulid::generate().to_string(),
        most: app.config.webhooks.per_account.get().into(),
    };
    let created = match app.ledger.create_webhook(&new, signed_in.context.at_ms).await {
        Err(StoreError::Conflict(sentence)) => return Err(Problem::conflict(sentence)),
        created => created?,
    };
    let details = json!({ "mode": owner.1.as_str() });
    signed_in.log("webhook.create", &created.id, details).await;
    webhook_page::page(&signed_in, &created, webhook_page::Shown::secret()).await
}
