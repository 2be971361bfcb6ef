//! The page that displays a new key, once. The form redirects to it, so that a reload does not
//! create another key.
//!
//! The key is not stored between the two requests. The browser stores a ticket in a cookie for a
//! few minutes, and the key is derived from the ticket, the session and the ledger's secret: any
//! node can derive it, and none of the three alone reveals it. The page removes the cookie, so a
//! reload has no ticket.

use askama::Template;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::mcp;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Key, KeyKind, KeyText, Mode};
use serde::Deserialize;

use super::first_call::FirstCall;
use super::keys::{self, KeySummary};
use super::language::{amounts, dates, filters, t, t_with};
use super::layout::{Layout, Tab, respond};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::{
    SignedIn, append_cookie, cookie_for_this_site, cookie_name, random_token, read_cookie,
};

/// How long a new key can be displayed.
const TICKET_MS: i64 = 10 * 60_000;
/// The names of the ticket's cookie, over plain HTTP and over HTTPS.
const COOKIES: [&str; 2] = ["panji_new_key", "__Host-panji_new_key"];

/// The input from which a new key is derived, with the session and the ledger's secret. It contains
/// its expiry time; with another time, another key would be derived.
pub struct Ticket(String);

#[derive(Template)]
#[template(path = "key_made.html")]
struct NewKeyPage {
    layout: Layout,
    key: String,
    live: bool,
    curl: String,
    /// Adds the service to an assistant.
    mcp_command: String,
    first_call: FirstCall,
    register_is_empty: bool,
    balance: Option<String>,
    needs_credits: bool,
    may_buy: bool,
    note: Option<String>,
    /// The address for OpenRefine, if the key is a reconciliation token.
    service_url: Option<String>,
}

#[derive(Template)]
#[template(path = "key_shown.html")]
struct AlreadyDisplayedPage {
    layout: Layout,
    key: KeySummary,
}

/// The key that the new one replaces.
#[derive(Deserialize)]
pub struct ReplacedKey {
    #[serde(default)]
    old: String,
}

impl Ticket {
    /// A new ticket, and the key derived from it.
    pub fn issue(
        signed_in: &SignedIn,
        (kind, mode): (KeyKind, Mode),
        now_ms: i64,
    ) -> Result<(Ticket, KeyText), PageError> {
        let ticket = Ticket(format!("{}.{}", now_ms + TICKET_MS, random_token()?));
        let text = ticket.key(signed_in, (kind, mode));
        Ok((ticket, text))
    }

    fn key(&self, signed_in: &SignedIn, kind_and_mode: (KeyKind, Mode)) -> KeyText {
        signed_in.app.ledger.derive_key(kind_and_mode, &signed_in.token, &self.0)
    }

    fn read(signed_in: &SignedIn, headers: &HeaderMap, now_ms: i64) -> Option<Ticket> {
        let text = read_cookie(headers, cookie_name(&signed_in.app, COOKIES))?;
        let expires_at: i64 = text.split_once('.')?.0.parse().ok()?;
        (expires_at > now_ms).then_some(Ticket(text))
    }

    /// Redirects to the page of a new key and sets the cookie with the ticket.
    pub fn redirect(self, signed_in: &SignedIn, new: &Key, old: Option<&Key>) -> Response {
        let query = old.map(|old| format!("?old={}", old.id)).unwrap_or_default();
        let mut response =
            Redirect::to(&format!("/console/keys/{}/new{query}", new.id)).into_response();
        let mut cookie = cookie_for_this_site(&signed_in.app, COOKIES, &self.0);
        cookie.set_max_age(cookie::time::Duration::milliseconds(TICKET_MS));
        append_cookie(&mut response, &cookie);
        response
    }
}

pub async fn show(
    signed_in: SignedIn,
    Path(key_id): Path<String>,
    RepeatedQuery(query): RepeatedQuery<ReplacedKey>,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let key = keys::find(&signed_in, &key_id).await?;
    let now_ms = now_ms();
    let ticket = Ticket::read(&signed_in, &headers, now_ms);
    let text = ticket.map(|ticket| ticket.key(&signed_in, (key.kind(), key.mode)));
    let mut displayed = None;
    if let Some(text) = text {
        // The ticket may belong to another key, created in another tab.
        let known = signed_in.app.ledger.find_key(&signed_in.app.ledger.hash_key(&text)).await?;
        displayed = known.filter(|known| known.key.id == key.id).map(|_| text);
    }
    let Some(text) = displayed else {
        let layout = signed_in.layout(Tab::Keys, t("Key already shown"));
        return Ok(respond(&AlreadyDisplayedPage { layout, key: keys::summary(&key, now_ms) }));
    };
    let note = match query.old.as_str() {
        "" => None,
        old => Some(old_key_note(&keys::find(&signed_in, old).await?)),
    };
    let mut response = page(&signed_in, &text, note).await;
    let mut cookie = cookie_for_this_site(&signed_in.app, COOKIES, "");
    cookie.make_removal();
    append_cookie(&mut response, &cookie);
    Ok(response)
}

fn old_key_note(old: &Key) -> String {
    match old.expires_at {
        Some(at) => t_with("The old key, {0}, expires on {1}.", &[&old.hint, &dates::minute(at)]),
        None => t_with("The old key, {0}, expires when it is revoked.", &[&old.hint]),
    }
}

async fn page(signed_in: &SignedIn, text: &KeyText, note: Option<String>) -> Response {
    let key = text.as_str().to_owned();
    let first_call = FirstCall::find(&signed_in.app, text.mode()).await;
    let snapshot = signed_in.app.ledger.find_balance(signed_in.account_id(), text.mode(), now_ms());
    // The key is displayed only once, so the page is rendered even if the ledger does not respond.
    let balance =
        snapshot.await.ok().map(|snapshot| snapshot.map_or(0, |snapshot| snapshot.balance));
    respond(&NewKeyPage {
        layout: signed_in.layout(Tab::Keys, t("Your new key")),
        curl: first_call.curl(&signed_in.app.public_url, &key),
        mcp_command: mcp::command(&signed_in.app.public_url, &key),
        register_is_empty: first_call.register_is_empty,
        first_call,
        needs_credits: text.mode() == Mode::Live && balance == Some(0),
        balance: balance.map(amounts::rupees),
        may_buy: signed_in.may(Permission::Buy),
        live: text.mode() == Mode::Live,
        service_url: (text.kind() == KeyKind::Reconcile)
            .then(|| format!("{}/reconcile/{key}", signed_in.app.public_url)),
        key,
        note,
    })
}
