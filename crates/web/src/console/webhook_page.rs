//! The page of a webhook: its state, what was sent to it, and its actions.

use askama::Template;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::deliveries::message::keys_of;
use panji_api::deliveries::test_message::send_test;
use panji_store::ledger::{Attempt, AttemptPage, Watchlist, Webhook, WebhookChange};
use serde::Deserialize;
use serde_json::json;

use super::forms::{AuthenticatedForm, Empty};
use super::language::{dates, filters, sentence, t, t_with};
use super::layout::{Layout, Tab, respond};
use super::page_error::PageError;
use super::session::SignedIn;
use super::watched_lists::owner;
use super::webhooks::{WebhookForm, state_of};

/// Attempts on the page.
const MAX_SHOWN: i64 = 50;

#[derive(Template)]
#[template(path = "webhook.html")]
struct WebhookPage {
    layout: Layout,
    may_manage: bool,
    id: String,
    url: String,
    description: String,
    watchlist: String,
    types: String,
    state: String,
    enabled: bool,
    /// Only right after it was made.
    secret: Option<String>,
    public_key: String,
    rotation_ends: Option<String>,
    attempts: Vec<Row>,
    watchlists: Vec<Watchlist>,
    form: WebhookForm,
    type_choices: Vec<(&'static str, bool)>,
    url_error: Option<String>,
}

/// An attempt as the page displays it.
struct Row {
    at: String,
    event_id: String,
    event_type: String,
    subject: String,
    number: i64,
    result: String,
    delivered: bool,
    duration_ms: i64,
    can_replay: bool,
}

/// What the page shows in addition to the webhook.
#[derive(Default)]
pub struct WebhookPageNotices {
    secret: bool,
    notice: Option<String>,
    failure: Option<String>,
    /// What was sent and not accepted, and what is wrong with its URL.
    refused: Option<(WebhookForm, String)>,
}

impl WebhookPageNotices {
    pub fn secret() -> WebhookPageNotices {
        WebhookPageNotices { secret: true, ..WebhookPageNotices::default() }
    }

    pub fn refused(form: WebhookForm, url_error: String) -> WebhookPageNotices {
        WebhookPageNotices { refused: Some((form, url_error)), ..WebhookPageNotices::default() }
    }

    pub fn notice(sentence: impl Into<String>) -> WebhookPageNotices {
        WebhookPageNotices { notice: Some(sentence.into()), ..WebhookPageNotices::default() }
    }

    fn failure(sentence: impl Into<String>) -> WebhookPageNotices {
        WebhookPageNotices { failure: Some(sentence.into()), ..WebhookPageNotices::default() }
    }
}

pub async fn show(signed_in: SignedIn, Path(id): Path<String>) -> Result<Response, PageError> {
    let webhook = find(&signed_in, &id).await?;
    page(&signed_in, &webhook, WebhookPageNotices::default()).await
}

pub async fn page(
    signed_in: &SignedIn,
    webhook: &Webhook,
    shown: WebhookPageNotices,
) -> Result<Response, PageError> {
    let ledger = &signed_in.app.ledger;
    let listed = AttemptPage { before: None, limit: MAX_SHOWN };
    let attempts = ledger.list_webhook_attempts(webhook, listed).await?;
    let keys = keys_of(ledger, &webhook.id, &webhook.nonce);
    let watchlist = match &webhook.watchlist_id {
        None => t("all watch lists").to_owned(),
        Some(id) => match ledger.find_watchlist(owner(signed_in), id).await? {
            Some(list) => list.name,
            None => t_with("{0}, which was deleted: nothing is sent", &[&id]),
        },
    };
    let now_ms = signed_in.context.at_ms;
    let previous = webhook.previous.as_ref().filter(|(_, until)| now_ms < *until);
    let layout = signed_in.layout(Tab::Watch, t("Webhook"));
    let (form, url_error) = shown.refused.unzip();
    let form = form.unwrap_or_else(|| WebhookForm::of(webhook));
    Ok(respond(&WebhookPage {
        layout: layout.with_notice(shown.notice.as_deref()).with_failure(shown.failure.as_deref()),
        may_manage: signed_in.may(Permission::ManageKeys),
        id: webhook.id.clone(),
        url: webhook.url.clone(),
        description: webhook.description.clone(),
        watchlist,
        types: match webhook.types.is_empty() {
            true => t("all types").to_owned(),
            false => webhook.types.join(", "),
        },
        state: state_of(webhook),
        enabled: webhook.disabled.is_none(),
        secret: shown.secret.then(|| keys.secret_text()),
        public_key: keys.public_text(),
        rotation_ends: previous.map(|(_, until)| dates::minute(*until)),
        attempts: attempts.into_iter().map(row_of).collect(),
        watchlists: ledger.list_watchlists(owner(signed_in)).await?,
        type_choices: form.type_choices(),
        form,
        url_error,
    }))
}

fn row_of(Attempt { attempt, .. }: Attempt) -> Row {
    Row {
        at: dates::minute(attempt.at),
        result: match (&attempt.error, attempt.status) {
            (None, Some(status)) => t_with("accepted with {0}", &[&status]),
            (None, None) => t("accepted").to_owned(),
            (Some(error), _) => sentence(error),
        },
        delivered: attempt.error.is_none(),
        can_replay: attempt.seq.is_some(),
        event_id: attempt.event_id,
        event_type: attempt.event_type,
        subject: attempt.subject.unwrap_or_default(),
        number: attempt.number,
        duration_ms: attempt.duration_ms,
    }
}

pub async fn find(signed_in: &SignedIn, id: &str) -> Result<Webhook, PageError> {
    let found = signed_in.app.ledger.find_webhook(owner(signed_in), id).await?;
    found.ok_or_else(|| PageError::not_found(t("This webhook does not exist in this mode.")))
}

pub async fn test(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form: Empty {} }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageKeys)?;
    let webhook = find(&signed_in, &id).await?;
    // The page sets no time limit: the attempt has one.
    signed_in.context.disable_timeout();
    let sent = send_test(&signed_in.app, &webhook, signed_in.context.at_ms).await?.attempt;
    let shown = match sent.error {
        None => WebhookPageNotices::notice(t("Your server accepted the test.")),
        Some(error) => {
            WebhookPageNotices::failure(t_with("The test failed: {0}.", &[&sentence(&error)]))
        }
    };
    page(&signed_in, &webhook, shown).await
}

pub async fn rotate(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form: Empty {} }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageKeys)?;
    let webhook = find(&signed_in, &id).await?;
    let nonce = ulid::Ulid::generate().to_string();
    signed_in.app.ledger.rotate_webhook(&webhook, &nonce, signed_in.context.at_ms).await?;
    signed_in.log("webhook.rotate", &id, json!({})).await;
    let webhook = find(&signed_in, &id).await?;
    page(&signed_in, &webhook, WebhookPageNotices::secret()).await
}

/// Whether the webhook is to be enabled.
#[derive(Debug, Deserialize)]
pub struct StateForm {
    enabled: bool,
}

pub async fn set_state(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<StateForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageKeys)?;
    let webhook = find(&signed_in, &id).await?;
    let change = WebhookChange {
        url: webhook.url.clone(),
        description: webhook.description.clone(),
        watchlist_id: webhook.watchlist_id.clone(),
        types: webhook.types.clone(),
        enabled: form.enabled,
    };
    signed_in.app.ledger.update_webhook(&webhook, &change, signed_in.context.at_ms).await?;
    signed_in.app.webhooks_wake.notify_one();
    let action = if form.enabled { "webhook.enable" } else { "webhook.disable" };
    signed_in.log(action, &id, json!({})).await;
    Ok(Redirect::to(&format!("/console/webhooks/{id}")).into_response())
}

/// The event to send again.
#[derive(Debug, Deserialize)]
pub struct ReplayForm {
    event_id: String,
}

pub async fn replay(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<ReplayForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageKeys)?;
    let webhook = find(&signed_in, &id).await?;
    let ledger = &signed_in.app.ledger;
    let shown = match ledger.find_watched_event_by_id(owner(&signed_in), &form.event_id).await? {
        Some(event) => {
            ledger.replay_event(&webhook, &event).await?;
            signed_in.app.webhooks_wake.notify_one();
            WebhookPageNotices::notice(t("The event is sent again."))
        }
        None => WebhookPageNotices::failure(t("The event was deleted because of its age.")),
    };
    page(&signed_in, &webhook, shown).await
}

pub async fn delete(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form: Empty {} }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageKeys)?;
    let webhook = find(&signed_in, &id).await?;
    signed_in.app.ledger.delete_webhook(&webhook).await?;
    signed_in.log("webhook.delete", &id, json!({})).await;
    Ok(Redirect::to("/console/webhooks").into_response())
}
