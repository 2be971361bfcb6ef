//! The page of the account's webhooks, and the form for a new one.

use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use panji_api::accounts::roles::Permission;
use panji_api::api::wire::event_types;
use panji_store::StoreError;
use panji_store::ledger::{DisabledReason, NewWebhook, Watchlist, Webhook, WebhookChange};
use serde::Deserialize;
use serde_json::json;

use super::forms::AuthenticatedForm;
use super::language::{dates, filters, key, sentence, t, t_with};
use super::layout::{Layout, Tab, respond};
use super::page_error::PageError;
use super::session::SignedIn;
use super::watched_lists::owner;
use super::webhook_page;

/// Webhooks on the page.
const MAX_WEBHOOKS: i64 = 1_000;
/// Characters of a description.
const MAX_DESCRIPTION: usize = 200;

#[derive(Template)]
#[template(path = "webhooks.html")]
struct WebhooksPage {
    layout: Layout,
    may_manage: bool,
    webhooks: Vec<Row>,
    watchlists: Vec<Watchlist>,
    form: WebhookForm,
    types: Vec<(&'static str, bool)>,
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

/// What a member chooses about a webhook.
#[derive(Debug, Default, Deserialize)]
pub struct WebhookForm {
    #[serde(default)]
    pub url: String,
    #[serde(default)]
    pub description: String,
    /// Empty for all lists.
    #[serde(default)]
    pub watchlist: String,
    /// Empty for all types.
    #[serde(default)]
    pub types: Vec<String>,
}

impl WebhookForm {
    pub fn of(webhook: &Webhook) -> WebhookForm {
        WebhookForm {
            url: webhook.url.clone(),
            description: webhook.description.clone(),
            watchlist: webhook.watchlist_id.clone().unwrap_or_default(),
            types: webhook.types.clone(),
        }
    }

    /// The types of events, and whether each is chosen.
    pub fn type_choices(&self) -> Vec<(&'static str, bool)> {
        let is_chosen = |word: &str| self.types.iter().any(|chosen| chosen == word);
        event_types().into_iter().map(|word| (word, is_chosen(word))).collect()
    }

    /// Why the URL cannot be used, as a sentence.
    fn url_error(&self, signed_in: &SignedIn) -> Option<String> {
        let parsed = signed_in.app.webhooks.parse_url(self.url.trim());
        parsed.err().map(|error| t_with("The URL {0}.", &[&sentence(&error.to_string())]))
    }

    /// What is stored. The URL has been checked.
    async fn change(self, signed_in: &SignedIn, enabled: bool) -> Result<WebhookChange, PageError> {
        let watchlist_id = Some(self.watchlist).filter(|id| !id.is_empty());
        if let Some(id) = &watchlist_id
            && signed_in.app.ledger.find_watchlist(owner(signed_in), id).await?.is_none()
        {
            return Err(PageError::bad_form(t("The watch list no longer exists.")));
        }
        let is_plain = |character: &char| !character.is_control();
        let known = event_types();
        let is_known = |word: &String| known.contains(&word.as_str());
        Ok(WebhookChange {
            url: self.url.trim().to_owned(),
            description: self
                .description
                .trim()
                .chars()
                .filter(is_plain)
                .take(MAX_DESCRIPTION)
                .collect(),
            watchlist_id,
            types: self.types.into_iter().filter(is_known).collect(),
            enabled,
        })
    }
}

pub async fn show(signed_in: SignedIn) -> Result<Response, PageError> {
    page(&signed_in, WebhookForm::default(), None).await
}

async fn page(
    signed_in: &SignedIn,
    form: WebhookForm,
    url_error: Option<String>,
) -> Result<Response, PageError> {
    let ledger = &signed_in.app.ledger;
    let webhooks = ledger.list_webhooks(owner(signed_in), MAX_WEBHOOKS).await?;
    Ok(respond(&WebhooksPage {
        layout: signed_in.layout(Tab::Watch, t("Webhooks")),
        may_manage: signed_in.may(Permission::ManageKeys),
        webhooks: webhooks.into_iter().map(row_of).collect(),
        watchlists: ledger.list_watchlists(owner(signed_in)).await?,
        types: form.type_choices(),
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
    let Some((at, reason)) = webhook.disabled else { return t("enabled").to_owned() };
    let sentence = match reason {
        DisabledReason::ByUser => key("disabled on {0} by a member"),
        DisabledReason::Failing => {
            key("disabled on {0} because all attempts to deliver an event failed")
        }
        DisabledReason::Gone => key("disabled on {0} because your server returned 410"),
    };
    t_with(sentence, &[&dates::minute(at)])
}

pub async fn create(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<WebhookForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageKeys)?;
    if let Some(error) = form.url_error(&signed_in) {
        return page(&signed_in, form, Some(error)).await;
    }
    let chosen = form.change(&signed_in, true).await?;
    let app = &signed_in.app;
    let (account_id, mode) = owner(&signed_in);
    let new = NewWebhook {
        account_id,
        mode,
        url: &chosen.url,
        description: &chosen.description,
        watchlist_id: chosen.watchlist_id.as_deref(),
        types: &chosen.types,
        nonce: &ulid::Ulid::generate().to_string(),
        most: app.config.webhooks.per_account.get().into(),
    };
    let created = match app.ledger.create_webhook(&new, signed_in.context.at_ms).await {
        Err(StoreError::Conflict(sentence)) => return Err(PageError::conflict(sentence)),
        created => created?,
    };
    let details = json!({ "mode": mode.as_str() });
    signed_in.log("webhook.create", &created.id, details).await;
    webhook_page::page(&signed_in, &created, webhook_page::WebhookPageNotices::secret()).await
}

/// Changes the URL, the description and the filters.
pub async fn change(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<WebhookForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageKeys)?;
    let webhook = webhook_page::find(&signed_in, &id).await?;
    if let Some(error) = form.url_error(&signed_in) {
        return webhook_page::page(
            &signed_in,
            &webhook,
            webhook_page::WebhookPageNotices::refused(form, error),
        )
        .await;
    }
    let change = form.change(&signed_in, webhook.disabled.is_none()).await?;
    signed_in.app.ledger.update_webhook(&webhook, &change, signed_in.context.at_ms).await?;
    signed_in.app.webhooks_wake.notify_one();
    signed_in.log("webhook.change", &id, json!({})).await;
    let webhook = webhook_page::find(&signed_in, &id).await?;
    let shown = webhook_page::WebhookPageNotices::notice(t("The webhook was changed."));
    webhook_page::page(&signed_in, &webhook, shown).await
}
