//! Passkeys: added and removed on the account page, used on the log-in page. The authenticator verifies the person, so a
//! passkey replaces the password and the second factor.

use std::sync::Arc;

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::passkeys::{
    ALGORITHMS, Assertion, PasskeyError, Registration, RelyingParty, verify_assertion,
    verify_registration,
};
use panji_api::app::App;
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{DailyLimit, LogInMethod, MAX_PASSKEYS, Passkey, Person};
use serde::Deserialize;
use serde_json::json;

use super::forms::{AnonymousForm, AuthenticatedForm, Empty, PasswordProof};
use super::language::{dates, sentence, t, t_with};
use super::log_in::{self, log_failure};
use super::page_error::PageError;
use super::session::{
    Anonymous, SignedIn, append_cookie, cookie_for_this_site, cookie_name, random_token,
    read_cookie,
};
use super::sign_up::clean_name;
use super::{assets, confirmation};

/// How long a challenge is valid, and how long the browser waits for the authenticator.
const CHALLENGE_MS: i64 = 5 * 60_000;
/// The names of the cookie with the challenge, over HTTP and HTTPS.
const COOKIES: [&str; 2] = ["panji_challenge", "__Host-panji_challenge"];
/// What a challenge is for, if it is not for a new passkey of a person.
const FOR_LOG_IN: &str = "log-in";
const DEFAULT_NAME: &str = "Passkey";

/// The section of the account page.
pub struct Section {
    pub rows: Vec<Row>,
    /// False if browsers allow no passkeys at the address of this service.
    pub possible: bool,
    pub script: String,
}

pub struct Row {
    pub id: String,
    pub name: String,
    pub added: String,
    pub last_used: Option<String>,
}

impl Section {
    pub async fn of(signed_in: &SignedIn, now_ms: i64) -> Result<Section, StoreError> {
        let passkeys = signed_in.app.ledger.list_passkeys(&signed_in.session.person.id).await?;
        let row = |passkey: Passkey| Row {
            id: passkey.id,
            name: passkey.name,
            added: dates::day_of(passkey.created_at),
            last_used: passkey.last_used_at.map(|at_ms| dates::ago(at_ms, now_ms)),
        };
        Ok(Section {
            rows: passkeys.into_iter().map(row).collect(),
            possible: party(&signed_in.app).is_some(),
            script: assets::asset_urls().passkeys.clone(),
        })
    }
}

/// The script of the log-in page; none if passkeys are not possible.
pub fn script(app: &App) -> Option<String> {
    party(app).map(|_| assets::asset_urls().passkeys.clone())
}

fn party(app: &App) -> Option<RelyingParty> {
    RelyingParty::of(&app.public_url)
}

fn required_party(app: &App) -> Result<RelyingParty, PageError> {
    let none = || {
        PageError::switched_off(t(
            "Browsers allow passkeys only at an address with a host name, over HTTPS or on localhost.",
        ))
    };
    party(app).ok_or_else(none)
}

/// A challenge in the browser's cookie, signed for its purpose.
pub struct Challenge {
    bytes: String,
    purpose: String,
    until_ms: i64,
}

impl FromRequestParts<Arc<App>> for Challenge {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Challenge, PageError> {
        let cookie = read_cookie(&parts.headers, cookie_name(app, COOKIES));
        cookie.and_then(|text| Challenge::read(app, &text)).ok_or_else(expired)
    }
}

impl Challenge {
    fn new(purpose: &str) -> Result<Challenge, PageError> {
        let until_ms = now_ms() + CHALLENGE_MS;
        Ok(Challenge { bytes: random_token()?, purpose: purpose.to_owned(), until_ms })
    }

    fn text(&self) -> String {
        format!("{}.{}.{}", self.until_ms, self.purpose, self.bytes)
    }

    fn read(app: &App, cookie: &str) -> Option<Challenge> {
        let (signature, text) = cookie.split_once('.')?;
        if !app.ledger.is_ticket_signature(&format!("passkey challenge {text}"), signature) {
            return None;
        }
        let mut parts = text.splitn(3, '.');
        let (until, purpose, bytes) = (parts.next()?, parts.next()?, parts.next()?);
        let until_ms = until.parse().ok()?;
        Some(Challenge { bytes: bytes.to_owned(), purpose: purpose.to_owned(), until_ms })
    }

    fn set_cookie(&self, app: &App, response: &mut Response) {
        let text = self.text();
        let signature = app.ledger.sign_ticket(&format!("passkey challenge {text}"));
        let value = format!("{signature}.{text}");
        let mut cookie = cookie_for_this_site(app, COOKIES, &value);
        cookie.set_max_age(cookie::time::Duration::milliseconds(CHALLENGE_MS));
        append_cookie(response, &cookie);
    }

    /// Takes the challenge for this purpose. Each works once, on all nodes.
    async fn take(&self, app: &App, purpose: &str) -> Result<&[u8], PageError> {
        if self.purpose != purpose || self.until_ms <= now_ms() {
            return Err(expired());
        }
        // Counted for the day on which it expires, so that the count is not deleted before.
        let first =
            app.ledger.count_today(DailyLimit::Challenges, &self.bytes, 1, self.until_ms).await?;
        if first { Ok(self.bytes.as_bytes()) } else { Err(expired()) }
    }
}

fn expired() -> PageError {
    PageError::refused_log_in(t(
        "The request for the passkey has expired or was already used. Go back, reload the page and try again.",
    ))
}

/// The options of a new passkey, after the password if the person has one.
pub async fn start_adding(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<PasswordProof>,
) -> Result<Response, PageError> {
    signed_in.require_own_log_in()?;
    let (app, person) = (&signed_in.app, &signed_in.session.person);
    let party = required_party(app)?;
    if person.password_hash.is_some() && !form.verify_password(&signed_in).await? {
        let error = json!({"error": t("The password is wrong.")});
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, Json(error)).into_response());
    }
    let known = app.ledger.list_passkeys(&person.id).await?;
    let challenge = Challenge::new(&person.id)?;
    let options = json!({
        "challenge": challenge.bytes,
        "party": party.id,
        "person": person.id,
        "email": person.email,
        "name": person.name,
        "algorithms": ALGORITHMS,
        "known": known.iter().map(|passkey| &passkey.id).collect::<Vec<_>>(),
        "timeout": CHALLENGE_MS,
    });
    let mut response = Json(options).into_response();
    challenge.set_cookie(app, &mut response);
    Ok(response)
}

#[derive(Deserialize)]
pub struct NewPasskey {
    #[serde(default)]
    name: String,
    #[serde(flatten)]
    registration: Registration,
}

pub async fn add(
    challenge: Challenge,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<NewPasskey>,
) -> Result<Response, PageError> {
    signed_in.require_own_log_in()?;
    let (app, person) = (&signed_in.app, &signed_in.session.person);
    let party = required_party(app)?;
    let bytes = challenge.take(app, &person.id).await?;
    let new = verify_registration(&party, bytes, &form.registration);
    let new = new.map_err(|error| not_verified(&error))?;
    let passkey = Passkey {
        id: new.id,
        public_key: new.public_key,
        sign_count: new.sign_count,
        name: clean_name(&form.name).unwrap_or_else(|| DEFAULT_NAME.to_owned()),
        created_at: now_ms(),
        last_used_at: None,
    };
    match app.ledger.add_passkey(&person.id, &passkey).await {
        Ok(true) => {}
        Ok(false) => {
            let sentence = t_with("You can have {0} passkeys. Remove one first.", &[&MAX_PASSKEYS]);
            return Err(PageError::conflict(sentence));
        }
        Err(StoreError::Conflict(_)) => {
            return Err(PageError::conflict(t("This passkey was already added.")));
        }
        Err(error) => return Err(error.into()),
    }
    signed_in.log("passkey.add", &person.id, json!({"name": passkey.name})).await;
    let text = format!(
        "A passkey with the name {} was added to your log-in for Panji.\n\nIf it was not you, remove it and \
         change your password now: {}/console/account\n",
        passkey.name, app.public_url
    );
    app.mailer.send(&person.email, "A passkey was added to your log-in for Panji", &text);
    Ok(Redirect::to("/console/account?done=passkey").into_response())
}

#[derive(Deserialize)]
pub struct Removal {
    id: String,
}

pub async fn remove(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Removal>,
) -> Result<Response, PageError> {
    signed_in.require_own_log_in()?;
    let person_id = &signed_in.session.person.id;
    if signed_in.app.ledger.remove_passkey(person_id, &form.id).await? {
        signed_in.log("passkey.remove", person_id, json!({})).await;
    }
    Ok(Redirect::to("/console/account?done=passkey-removed").into_response())
}

/// The options of a log-in. The person is known only when the authenticator responds.
pub async fn start_log_in(
    AnonymousForm { anonymous, .. }: AnonymousForm<Empty>,
) -> Result<Response, PageError> {
    anonymous.count_step()?;
    let party = required_party(&anonymous.app)?;
    let challenge = Challenge::new(FOR_LOG_IN)?;
    let options = json!({
        "challenge": challenge.bytes, "party": party.id, "timeout": CHALLENGE_MS,
    });
    let mut response = Json(options).into_response();
    challenge.set_cookie(&anonymous.app, &mut response);
    Ok(response)
}

#[derive(Deserialize)]
pub struct PasskeyLogIn {
    /// The credential's id.
    id: String,
    /// The person's id, which the authenticator stores.
    person: String,
    #[serde(flatten)]
    assertion: Assertion,
    #[serde(default)]
    next: String,
}

pub async fn log_in(
    challenge: Challenge,
    AnonymousForm { anonymous, form }: AnonymousForm<PasskeyLogIn>,
) -> Result<Response, PageError> {
    let app = &anonymous.app;
    anonymous.count_attempt(&form.person)?;
    let party = required_party(app)?;
    let bytes = challenge.take(app, FOR_LOG_IN).await?;
    let person = app.ledger.find_person_by_id(&form.person).await?;
    let Some(person) = person else { return Err(unknown()) };
    let known = app.ledger.list_passkeys(&person.id).await?;
    let Some(passkey) = known.iter().find(|passkey| passkey.id == form.id) else {
        log_failure(&anonymous, Some(&person), "passkey");
        return Err(unknown());
    };
    let verified = verify_assertion(&party, bytes, &passkey.public_key, &form.assertion);
    let sign_count = match verified {
        Ok(sign_count) => sign_count,
        Err(error) => {
            log_failure(&anonymous, Some(&person), "passkey");
            return Err(not_verified(&error));
        }
    };
    if !app.ledger.use_passkey(&person.id, &passkey.id, sign_count, now_ms()).await? {
        return Err(refuse_copy(&anonymous, &person));
    }
    if !confirmation::allows_log_in(app, &person.email, Some(&person)).await? {
        log_failure(&anonymous, Some(&person), "unconfirmed");
        return Err(PageError::refused_log_in(t(
            "First follow the link in the email that we sent to you.",
        )));
    }
    log_in::open_session(&anonymous, &person, LogInMethod::Passkey, &form.next).await
}

/// An authenticator counts its signatures. One that is behind may be a copy.
fn refuse_copy(anonymous: &Anonymous, person: &Person) -> PageError {
    log_failure(anonymous, Some(person), "passkey_count");
    PageError::refused_log_in(t(
        "This passkey may have been copied: a copy of it seems to have been used elsewhere. Log \
         in with your password, remove the passkey and add it again.",
    ))
}

fn unknown() -> PageError {
    PageError::refused_log_in(t(
        "This passkey is not known to this service. It may have been removed. Log in with your \
         password.",
    ))
}

fn not_verified(error: &PasskeyError) -> PageError {
    PageError::refused_log_in(t_with(
        "The passkey could not be verified: {0}.",
        &[&sentence(&error.to_string())],
    ))
}
