//! The layout around every page: menu, mode, title, theme, and the security headers.

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use panji_store::ledger::{Mode, Role, Session};

use super::assets::{AssetUrls, asset_urls};
use super::language::{self, Language, key};

/// No inline scripts or styles, nothing from other sites, and no framing.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// The hosts of Razorpay's checkout.
const CHECKOUT_HOSTS: &str = "https://*.razorpay.com";

/// The current item of the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    Overview,
    Search,
    Keys,
    Credits,
    Usage,
    Bulk,
    Watch,
    /// Password, second factor, members.
    Account,
    Operator,
    /// An error page.
    None,
}

impl Tab {
    /// The menu from top to bottom: tab, label and path.
    const MENU: [(Tab, &'static str, &'static str); 7] = [
        (Tab::Overview, key("Overview"), "/console"),
        (Tab::Search, key("Search"), "/console/search"),
        (Tab::Keys, key("Keys"), "/console/keys"),
        (Tab::Credits, key("Credits"), "/console/credits"),
        (Tab::Usage, key("Usage"), "/console/usage"),
        (Tab::Bulk, key("Bulk"), "/console/bulk"),
        (Tab::Watch, key("Watch"), "/console/watch"),
    ];
}

/// The data that every page needs in addition to its content.
pub struct Layout {
    pub title: String,
    /// `light` or `dark`; none to follow the system's setting.
    pub theme: Option<&'static str>,
    pub assets: &'static AssetUrls,
    /// None on pages before the log-in.
    pub member: Option<Member>,
    /// A sentence about the completed action.
    pub notice: Option<String>,
    /// How the completed action is undone.
    pub undo: Option<Undo>,
    /// A sentence about why the action failed.
    pub failure: Option<String>,
}

/// The form that sets something back.
pub struct Undo {
    pub action: &'static str,
    pub fields: Vec<(&'static str, String)>,
}

/// The signed-in user, as the layout displays them.
pub struct Member {
    pub name: String,
    pub account_name: String,
    /// Whether the account is suspended.
    pub suspended: bool,
    /// Whether the session is in live mode.
    pub live: bool,
    /// The CSRF token of forms.
    pub form_token: String,
    /// The path of this page, to return to after the mode is switched.
    pub path: String,
    /// Whether the menu links to the operator's pages.
    pub operator: bool,
    tab: Tab,
}

pub struct MenuItem {
    pub label: &'static str,
    pub path: &'static str,
    /// Whether it is the current page.
    pub current: bool,
}

impl Member {
    pub fn menu(&self) -> Vec<MenuItem> {
        let item = |(tab, label, path)| MenuItem { label, path, current: tab == self.tab };
        Tab::MENU.into_iter().map(item).collect()
    }

    pub fn at_account(&self) -> bool {
        self.tab == Tab::Account
    }

    pub fn at_operator(&self) -> bool {
        self.tab == Tab::Operator
    }
}

impl Layout {
    pub fn without_menu(title: &str) -> Layout {
        Layout {
            title: title.to_owned(),
            theme: None,
            assets: asset_urls(),
            member: None,
            notice: None,
            undo: None,
            failure: None,
        }
    }

    /// The layout of a page for a signed-in user.
    pub fn with_menu(
        session: &Session,
        form_token: String,
        tab: Tab,
        title: &str,
        theme: Option<&'static str>,
        path: &str,
    ) -> Layout {
        let member = Member {
            name: session.person.name.clone(),
            account_name: session.account.name.clone(),
            suspended: session.account.suspended_at.is_some(),
            live: session.mode == Mode::Live,
            form_token,
            path: path.to_owned(),
            operator: session.account.operator_since.is_some() && session.role == Role::Owner,
            tab,
        };
        Layout { theme, member: Some(member), ..Layout::without_menu(title) }
    }

    pub fn with_notice(mut self, notice: Option<&str>) -> Layout {
        self.notice = notice.map(str::to_owned);
        self
    }

    pub fn with_undo(mut self, undo: Option<Undo>) -> Layout {
        self.undo = undo;
        self
    }

    pub fn with_failure(mut self, failure: Option<&str>) -> Layout {
        self.failure = failure.map(str::to_owned);
        self
    }

    /// The fields of a form that have an error, for the summary at the top of the page.
    pub fn failures<'a>(&self, fields: &[(&'a str, Option<&'a str>)]) -> Vec<(&'a str, &'a str)> {
        fields.iter().filter_map(|(field, error)| Some((*field, (*error)?))).collect()
    }

    /// The value of the attribute `lang`.
    pub fn language(&self) -> &'static str {
        language::language().code()
    }

    pub fn in_hindi(&self) -> bool {
        language::in_hindi()
    }

    /// The other language: its code, and its name in that language.
    pub fn other_language(&self) -> (&'static str, &'static str) {
        match language::language() {
            Language::English => (Language::Hindi.code(), "हिन्दी"),
            Language::Hindi => (Language::English.code(), "English"),
        }
    }

    /// The address of this page.
    pub fn path(&self) -> String {
        language::path()
    }

    /// The CSRF token of forms; empty without a session.
    pub fn form_token(&self) -> &str {
        self.member.as_ref().map_or("", |member| &member.form_token)
    }

    /// Whether the session is in live mode.
    pub fn live(&self) -> bool {
        self.member.as_ref().is_some_and(|member| member.live)
    }
}

/// Renders a page, with the headers of every page.
pub fn respond(page: &impl Template) -> Response {
    respond_with_policy(HeaderValue::from_static(POLICY), page)
}

/// Renders a page that opens Razorpay's checkout. The policy allows Razorpay's script and hosts,
/// and inline styles, which the script sets on its layout.
pub fn respond_with_checkout(page: &impl Template, script_url: &str) -> Response {
    let policy = format!(
        "default-src 'none'; script-src 'self' {script_url}; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: {CHECKOUT_HOSTS}; connect-src 'self' {CHECKOUT_HOSTS}; \
         font-src 'self'; frame-src {CHECKOUT_HOSTS}; form-action 'self' {CHECKOUT_HOSTS}; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    match HeaderValue::from_str(&policy) {
        Ok(policy) if !script_url.is_empty() => respond_with_policy(policy, page),
        _ => respond(page),
    }
}

/// A rendered page, with the headers of every page.
pub fn respond_with_html(html: String) -> Response {
    html_response(HeaderValue::from_static(POLICY), html)
}

fn respond_with_policy(policy: HeaderValue, page: &impl Template) -> Response {
    match page.render() {
        Ok(html) => html_response(policy, html),
        Err(error) => {
            tracing::error!(%error, "a page could not be rendered");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

fn html_response(policy: HeaderValue, html: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
        (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    ];
    (headers, html).into_response()
}

/// Renders a form with its errors.
pub fn respond_with_errors(page: &impl Template) -> Response {
    let mut response = respond(page);
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    response
}
