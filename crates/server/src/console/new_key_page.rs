//! The page that shows a new key, once. It is a page of its own, behind a redirect, so that reloading it
//! does not make another key.
//!
//! The key is stored nowhere between the two requests. The browser keeps a ticket in a cookie for a few
//! minutes, and the key is derived from the ticket, the session and the ledger's secret: any node makes
//! it again, and none of the three alone says anything about it. The page takes the cookie away, so a
//! reload has no ticket any more.

use askama::Template;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::calendar::now_ms;
use panji_store::ledger::{Key, KeyText, Mode};
use serde::Deserialize;

use super::first_call::FirstCall;
use super::frame::{Frame, Tab, respond};
use super::keys::{self, ShownKey};
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::session::{
    SignedIn, append_cookie, cookie_for_this_site, cookie_name, random_token, read_cookie,
};
use crate::accounts::roles::Permission;
use crate::locale::amounts;
use crate::locale::dates;

/// How long a new key can be shown.
const TICKET_MS: i64 = 10 * 60_000;
/// The names of the ticket's cookie, over plain HTTP and over HTTPS.
const COOKIES: [&str; 2] = ["panji_new_key", "__Host-panji_new_key"];

/// What a new key is derived from, besides the session and the ledger's secret. It says until when it
/// is good; with another time it would stand for another key.
pub struct Ticket(String);

#[derive(Template)]
#[template(path = "key_made.html")]
struct NewKeyPage {
    frame: Frame,
    key: String,
    live: bool,
    curl: String,
    first_call: FirstCall,
    register_is_empty: bool,
    balance: Option<String>,
    needs_credits: bool,
    may_buy: bool,
    note: Option<String>,
}

#[derive(Template)]
#[template(path = "key_shown.html")]
struct AlreadyShownPage {
    frame: Frame,
    key: ShownKey,
}

/// The key that the new one replaces.
#[derive(Deserialize)]
pub struct Replaced {
    #[serde(default)]
    old: String,
}

impl Ticket {
    /// A new ticket, and the key that it stands for in this session.
    pub fn issue(
        signed_in: &SignedIn,
        mode: Mode,
        now_ms: i64,
    ) -> Result<(Ticket, KeyText), Problem> {
        let ticket = Ticket(format!("{}.{}", now_ms + TICKET_MS, random_token()?));
        let text = ticket.key(signed_in, mode);
        Ok((ticket, text))
    }

    fn key(&self, signed_in: &SignedIn, mode: Mode) -> KeyText {
        signed_in.app.ledger.derive_key(mode, &signed_in.token, &self.0)
    }

    fn read(signed_in: &SignedIn, headers: &HeaderMap, now_ms: i64) -> Option<Ticket> {
        let text = read_cookie(headers, cookie_name(&signed_in.app, COOKIES))?;
        let until: i64 = text.split_once('.')?.0.parse().ok()?;
        (until > now_ms).then_some(Ticket(text))
    }

    /// Leads to the page of a key that was just made, and gives the browser the ticket for it.
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

/// Shows a key that was just made, or says that it was shown.
pub async fn show(
    signed_in: SignedIn,
    Path(key_id): Path<String>,
    RepeatedQuery(query): RepeatedQuery<Replaced>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let key = keys::find(&signed_in, &key_id).await?;
    let now_ms = now_ms();
    let ticket = Ticket::read(&signed_in, &headers, now_ms);
    let text = ticket.map(|ticket| ticket.key(&signed_in, key.mode));
    let mut shown = None;
    if let Some(text) = text {
        // A ticket may be that of another key, made in another tab.
        let known = signed_in.app.ledger.find_key(&signed_in.app.ledger.hash_key(&text)).await?;
        shown = known.filter(|known| known.key.id == key.id).map(|_| text);
    }
    let Some(text) = shown else {
        let frame = signed_in.frame(Tab::Keys, "Key already shown");
        return Ok(respond(&AlreadyShownPage { frame, key: keys::shown(&key, now_ms) }));
    };
    let note = match query.old.as_str() {
        "" => None,
        old => Some(note_on_old(&keys::find(&signed_in, old).await?)),
    };
    let mut response = page(&signed_in, &text, note).await;
    let mut cookie = cookie_for_this_site(&signed_in.app, COOKIES, "");
    cookie.make_removal();
    append_cookie(&mut response, &cookie);
    Ok(response)
}

fn note_on_old(old: &Key) -> String {
    let until = old
        .expires_at
        .map_or("when it is revoked".to_owned(), |at| format!("on {}", dates::minute(at)));
    format!("The old key, {}, expires {until}.", old.hint)
}

async fn page(signed_in: &SignedIn, text: &KeyText, note: Option<String>) -> Response {
    let key = text.as_str().to_owned();
    let first_call = FirstCall::find(&signed_in.app, text.mode()).await;
    let snapshot = signed_in.app.ledger.find_balance(signed_in.account_id(), text.mode(), now_ms());
    // A ledger that does not answer is no reason not to show the key, which is shown only once.
    let balance = snapshot.await.ok().map(|snapshot| snapshot.map_or(0, |held| held.balance));
    respond(&NewKeyPage {
        frame: signed_in.frame(Tab::Keys, "Your new key"),
        curl: first_call.curl(&signed_in.app.public_url, &key),
        register_is_empty: first_call.register_is_empty,
        first_call,
        needs_credits: text.mode() == Mode::Live && balance == Some(0),
        balance: balance.map(amounts::rupees),
        may_buy: signed_in.may(Permission::Buy),
        live: text.mode() == Mode::Live,
        key,
        note,
    })
}
