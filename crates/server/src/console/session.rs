//! Who is looking: the session behind the cookie, and what it may do.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::Response;
use cookie::{Cookie, SameSite};
use panji_store::calendar::now_ms;
use panji_store::ledger::{Mode, NewSession, Session};
use serde_json::Value;

use super::frame::{Frame, Tab};
use super::problem::Problem;
use crate::accounts::audit_log::{self, Actor};
use crate::accounts::roles::{Permission, may};
use crate::app::App;
use crate::http::context::RequestContext;

/// The cookie's names: over plain HTTP, which is for this machine only, and over HTTPS, where with this
/// prefix no other host can have set it.
const COOKIES: [&str; 2] = ["panji_session", "__Host-panji_session"];
/// The cookie in which the browser keeps the chosen colours.
const THEME_COOKIE: &str = "panji_theme";
/// How old "last seen" may be before a page notes it anew.
const SEEN_STEP_MS: i64 = 10 * 60_000;
const DAY_MS: i64 = 24 * 3600 * 1000;
/// What is kept of the browser's name for itself.
const MAX_AGENT: usize = 200;

/// A person who has logged in. If it exists, the session is good.
pub struct SignedIn {
    /// The program's state.
    pub app: Arc<App>,
    /// The request's own facts.
    pub context: Arc<RequestContext>,
    /// Who and where.
    pub session: Session,
    /// The cookie's text.
    pub token: String,
    theme: Option<&'static str>,
    path: String,
}

impl FromRequestParts<Arc<App>> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<SignedIn, Problem> {
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let next = if parts.method == Method::GET { path.clone() } else { String::new() };
        let must_log_in = || Problem::LogIn { next: next.clone() };
        let token =
            read_cookie(&parts.headers, cookie_name(app, COOKIES)).ok_or_else(must_log_in)?;
        let now_ms = now_ms();
        let session = app.ledger.find_session(&token, now_ms).await?.ok_or_else(must_log_in)?;
        if now_ms - session.seen_at > SEEN_STEP_MS {
            app.ledger.touch_session(&token, now_ms).await?;
        }
        let context = request_context(parts)?;
        let theme = chosen_theme(&parts.headers);
        Ok(SignedIn { app: app.clone(), context, session, token, theme, path })
    }
}

impl SignedIn {
    /// Goes on only if the person's role allows this.
    pub fn require(&self, permission: Permission) -> Result<(), Problem> {
        if self.may(permission) {
            return Ok(());
        }
        Err(Problem::not_allowed(self.session.role.as_str()))
    }

    /// Whether the person's role allows this.
    pub fn may(&self, permission: Permission) -> bool {
        may(self.session.role, permission)
    }

    /// The account they work in.
    pub fn account_id(&self) -> &str {
        &self.session.account.id
    }

    /// The mode that the console shows.
    pub fn mode(&self) -> Mode {
        self.session.mode
    }

    /// How many calls are free today still.
    pub async fn free_calls_left(&self) -> Result<i64, Problem> {
        let now_ms = self.context.at_ms;
        let snapshot = self.app.ledger.find_balance(self.account_id(), self.mode(), now_ms).await?;
        Ok(self.app.free_calls_left(snapshot.map_or(0, |snapshot| snapshot.quota_used)))
    }

    /// The text that every form of this session carries.
    pub fn form_token(&self) -> String {
        self.app.ledger.form_token(&self.token)
    }

    /// Whether a text is that token.
    pub fn is_form_token(&self, given: &str) -> bool {
        self.app.ledger.is_form_token(&self.token, given)
    }

    /// Who this is to the audit log.
    pub fn actor(&self) -> Actor<'_> {
        Actor::Person(&self.session.person.id, self.context.address)
    }

    /// Writes into the audit log what this person did in the account they work in.
    pub async fn log(&self, action: &'static str, subject: &str, details: Value) {
        let account_id = Some(self.account_id());
        audit_log::log_served(
            &self.app.ledger,
            &self.actor(),
            action,
            account_id,
            subject,
            &details,
        )
        .await;
    }

    /// The frame of a page for this person.
    pub fn frame(&self, tab: Tab, title: &str) -> Frame {
        Frame::inside(&self.session, self.form_token(), tab, title, self.theme, &self.path)
    }
}

/// Somebody who may or may not have logged in, as pages before the log in see them.
pub struct Anonymous {
    /// The program's state.
    pub app: Arc<App>,
    /// The request's own facts.
    pub context: Arc<RequestContext>,
    /// What the browser calls itself.
    pub agent: String,
    theme: Option<&'static str>,
}

impl FromRequestParts<Arc<App>> for Anonymous {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Anonymous, Problem> {
        let agent = parts.headers.get("user-agent").and_then(|value| value.to_str().ok());
        let agent = agent.unwrap_or_default().chars().take(MAX_AGENT).collect();
        let context = request_context(parts)?;
        Ok(Anonymous { app: app.clone(), context, agent, theme: chosen_theme(&parts.headers) })
    }
}

impl Anonymous {
    /// The frame of a page without a menu.
    pub fn frame(&self, title: &str) -> Frame {
        Frame { theme: self.theme, ..Frame::outside(title) }
    }

    /// Slows down attempts to guess; an error once there were too many.
    pub fn count_attempt(&self, email: &str) -> Result<(), Problem> {
        let seconds = self.app.limits.count_log_in(self.context.address, email);
        seconds.map_or(Ok(()), |seconds| Err(Problem::too_many(seconds)))
    }

    /// Writes into the audit log what somebody did who has proven, by a password or by a mailed link,
    /// to be this person.
    pub async fn log(
        &self,
        person_id: &str,
        action: &'static str,
        account_id: Option<&str>,
        details: Value,
    ) {
        let actor = Actor::Person(person_id, self.context.address);
        let ledger = &self.app.ledger;
        audit_log::log_served(ledger, &actor, action, account_id, person_id, &details).await;
    }

    /// Begins a session of a person in one of their accounts, and adds its cookie to a response.
    pub async fn begin_session(
        &self,
        person_id: &str,
        account_id: &str,
        mut response: Response,
    ) -> Result<Response, Problem> {
        let token = random_token()?;
        let now_ms = now_ms();
        let new = NewSession {
            person_id,
            account_id,
            address: &self.context.address.to_string(),
            agent: &self.agent,
            now_ms,
            expires_at: now_ms + i64::from(self.app.config.console.session_days.get()) * DAY_MS,
        };
        self.app.ledger.create_session(&token, new).await?;
        set_cookie(&self.app, &token, &mut response);
        Ok(response)
    }
}

/// Takes the session's cookie away from the browser.
pub fn forget_cookie(app: &App, response: &mut Response) {
    let mut cookie = cookie_for_this_site(app, COOKIES, "");
    cookie.make_removal();
    append_cookie(response, &cookie);
}

/// A text that nobody can guess, for cookies and links.
pub fn random_token() -> Result<String, Problem> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| Problem::internal(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn set_cookie(app: &App, token: &str, response: &mut Response) {
    let mut cookie = cookie_for_this_site(app, COOKIES, token);
    let days = i64::from(app.config.console.session_days.get());
    cookie.set_max_age(cookie::time::Duration::days(days));
    append_cookie(response, &cookie);
}

/// A cookie that scripts cannot read and other sites do not make a browser send.
pub fn cookie_for_this_site<'a>(app: &App, names: [&'static str; 2], value: &'a str) -> Cookie<'a> {
    Cookie::build((cookie_name(app, names), value))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(app.config.reached_by_https())
        .build()
}

/// Adds a cookie to a response.
pub fn append_cookie(response: &mut Response, cookie: &Cookie<'_>) {
    if let Ok(value) = HeaderValue::from_str(&cookie.to_string()) {
        response.headers_mut().append(SET_COOKIE, value);
    }
}

/// Which of a cookie's names is in use: that over plain HTTP, or that over HTTPS.
pub fn cookie_name(app: &App, [plain, secure]: [&'static str; 2]) -> &'static str {
    if app.config.reached_by_https() { secure } else { plain }
}

/// The value of a cookie that the browser sent.
pub fn read_cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(Cookie::split_parse)
        .filter_map(Result::ok)
        .find(|cookie| cookie.name() == name)
        .map(|cookie| cookie.value().to_owned())
}

fn chosen_theme(headers: &HeaderMap) -> Option<&'static str> {
    match read_cookie(headers, THEME_COOKIE)?.as_str() {
        "light" => Some("light"),
        "dark" => Some("dark"),
        _ => None,
    }
}

fn request_context(parts: &Parts) -> Result<Arc<RequestContext>, Problem> {
    let context = parts.extensions.get::<Arc<RequestContext>>().cloned();
    context.ok_or_else(|| Problem::internal("a page was requested past the middleware"))
}
