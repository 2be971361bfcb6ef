//! The session of a request, from its cookie, and its permissions.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::Response;
use cookie::{Cookie, SameSite};
use panji_api::accounts::audit_log::{self, Actor};
use panji_api::accounts::roles::{Permission, may};
use panji_api::app::App;
use panji_api::http::context::RequestContext;
use panji_store::calendar::now_ms;
use panji_store::ledger::{LogInMethod, Mode, NewSession, Session};
use serde_json::Value;

use super::language::t_with;
use super::layout::{Layout, Tab};
use super::log_in_policy;
use super::page_error::PageError;

/// The names of the session cookie: over plain HTTP, which is for this machine only, and over
/// HTTPS, where no other host can set a cookie with this prefix.
const COOKIES: [&str; 2] = ["panji_session", "__Host-panji_session"];
/// Contains the theme that the user selected.
const THEME_COOKIE: &str = "panji_theme";
/// The time of last use is updated at most this often.
const SEEN_INTERVAL_MS: i64 = 10 * 60_000;
const HOUR_MS: i64 = 3600 * 1000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Of a stored user agent, in characters.
const MAX_AGENT: usize = 200;

/// A signed-in user with a valid session.
pub struct SignedIn {
    pub app: Arc<App>,
    pub context: Arc<RequestContext>,
    pub session: Session,
    /// The value of the session cookie.
    pub token: String,
    theme: Option<&'static str>,
    path: String,
}

impl FromRequestParts<Arc<App>> for SignedIn {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<SignedIn, PageError> {
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let next = if parts.method == Method::GET { path.clone() } else { String::new() };
        let must_log_in = || PageError::LogIn { next: next.clone() };
        let token =
            read_cookie(&parts.headers, cookie_name(app, COOKIES)).ok_or_else(must_log_in)?;
        let now_ms = now_ms();
        let session = app.ledger.find_session(&token, now_ms).await?;
        let session =
            session.filter(|session| log_in_policy::is_still_open(&app.config.sso, session));
        let session = session.ok_or_else(must_log_in)?;
        if now_ms - session.seen_at > SEEN_INTERVAL_MS {
            app.ledger.touch_session(&token, now_ms).await?;
        }
        let context = request_context(parts)?;
        let theme = chosen_theme(&parts.headers);
        Ok(SignedIn { app: app.clone(), context, session, token, theme, path })
    }
}

impl SignedIn {
    /// An error if the user's role lacks the permission.
    pub fn require(&self, permission: Permission) -> Result<(), PageError> {
        if self.may(permission) {
            return Ok(());
        }
        Err(PageError::not_allowed(self.session.role.as_str()))
    }

    pub fn may(&self, permission: Permission) -> bool {
        may(self.session.role, permission)
    }

    /// An error in a session through the identity provider: it must not change how the person logs in to
    /// other accounts.
    pub fn require_own_log_in(&self) -> Result<(), PageError> {
        match self.session.method {
            Some(LogInMethod::Sso) => Err(PageError::switched_off(&t_with(
                "You logged in with {0}, which manages your password and how you log in.",
                &[&self.app.config.sso.name],
            ))),
            _ => Ok(()),
        }
    }

    pub fn account_id(&self) -> &str {
        &self.session.account.id
    }

    pub fn mode(&self) -> Mode {
        self.session.mode
    }

    /// The free calls left today.
    pub async fn free_calls_left(&self) -> Result<i64, PageError> {
        let now_ms = self.context.at_ms;
        let snapshot = self.app.ledger.find_balance(self.account_id(), self.mode(), now_ms).await?;
        Ok(self.app.free_calls_left(snapshot.map_or(0, |snapshot| snapshot.quota_used)))
    }

    /// The CSRF token of this session.
    pub fn form_token(&self) -> String {
        self.app.ledger.form_token(&self.token)
    }

    pub fn is_form_token(&self, token: &str) -> bool {
        self.app.ledger.is_form_token(&self.token, token)
    }

    pub fn actor(&self) -> Actor<'_> {
        Actor::Person(&self.session.person.id, self.context.address)
    }

    /// Logs an audit event in the current account.
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

    pub fn layout(&self, tab: Tab, title: &str) -> Layout {
        Layout::with_menu(&self.session, self.form_token(), tab, title, self.theme, &self.path)
    }
}

/// An anonymous user, before the log-in, with or without a session.
pub struct Anonymous {
    pub app: Arc<App>,
    pub context: Arc<RequestContext>,
    /// The user agent.
    pub agent: String,
    theme: Option<&'static str>,
}

impl FromRequestParts<Arc<App>> for Anonymous {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Anonymous, PageError> {
        let agent = parts.headers.get("user-agent").and_then(|value| value.to_str().ok());
        let agent = agent.unwrap_or_default().chars().take(MAX_AGENT).collect();
        let context = request_context(parts)?;
        Ok(Anonymous { app: app.clone(), context, agent, theme: chosen_theme(&parts.headers) })
    }
}

impl Anonymous {
    pub fn layout(&self, title: &str) -> Layout {
        Layout { theme: self.theme, ..Layout::without_menu(title) }
    }

    /// Counts an attempt to log in; an error if there were too many.
    pub fn count_attempt(&self, email: &str) -> Result<(), PageError> {
        let seconds = self.app.limits.count_log_in(self.context.address, email);
        seconds.map_or(Ok(()), |seconds| Err(PageError::too_many(seconds)))
    }

    /// Counts a step of a log-in in which the person is not known yet; an error if there were too many.
    pub fn count_step(&self) -> Result<(), PageError> {
        let seconds = self.app.limits.count_log_in_step(self.context.address);
        seconds.map_or(Ok(()), |seconds| Err(PageError::too_many(seconds)))
    }

    /// Logs an audit event of a person who proved their identity with a password or an emailed link.
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

    /// Starts a session of a person in one of their accounts, and sets its cookie.
    pub async fn start_session(
        &self,
        (person_id, account_id): (&str, &str),
        method: LogInMethod,
        mut response: Response,
    ) -> Result<Response, PageError> {
        let token = random_token()?;
        let now_ms = now_ms();
        let config = &self.app.config;
        let duration_ms = match method {
            LogInMethod::Sso => i64::from(config.sso.session_hours.get()) * HOUR_MS,
            _ => i64::from(config.console.session_days.get()) * DAY_MS,
        };
        let new = NewSession {
            person_id,
            account_id,
            address: &self.context.address.to_string(),
            agent: &self.agent,
            method,
            now_ms,
            expires_at: now_ms + duration_ms,
        };
        self.app.ledger.create_session(&token, new).await?;
        let mut cookie = cookie_for_this_site(&self.app, COOKIES, &token);
        cookie.set_max_age(cookie::time::Duration::milliseconds(duration_ms));
        append_cookie(&mut response, &cookie);
        Ok(response)
    }
}

/// Removes the session cookie from the browser.
pub fn remove_cookie(app: &App, response: &mut Response) {
    let mut cookie = cookie_for_this_site(app, COOKIES, "");
    cookie.make_removal();
    append_cookie(response, &cookie);
}

/// 256 random bits in hexadecimal, for cookies and links.
pub fn random_token() -> Result<String, PageError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| PageError::internal(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A cookie that scripts cannot read and that browsers do not send with cross-site forms.
pub fn cookie_for_this_site<'a>(app: &App, names: [&'static str; 2], value: &'a str) -> Cookie<'a> {
    Cookie::build((cookie_name(app, names), value))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(app.config.reached_by_https())
        .build()
}

pub fn append_cookie(response: &mut Response, cookie: &Cookie<'_>) {
    if let Ok(value) = HeaderValue::from_str(&cookie.to_string()) {
        response.headers_mut().append(SET_COOKIE, value);
    }
}

/// Selects a cookie's name for plain HTTP or for HTTPS.
pub fn cookie_name(app: &App, [plain, secure]: [&'static str; 2]) -> &'static str {
    if app.config.reached_by_https() { secure } else { plain }
}

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

/// The theme that the user selected; none to follow the system.
pub fn chosen_theme(headers: &HeaderMap) -> Option<&'static str> {
    match read_cookie(headers, THEME_COOKIE)?.as_str() {
        "light" => Some("light"),
        "dark" => Some("dark"),
        _ => None,
    }
}

fn request_context(parts: &Parts) -> Result<Arc<RequestContext>, PageError> {
    let context = parts.extensions.get::<Arc<RequestContext>>().cloned();
    context.ok_or_else(|| PageError::internal("a page was served without the middleware"))
}
