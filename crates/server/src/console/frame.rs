//! The frame around every page: menu, mode, title, colours and the headers that keep it safe.

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use panji_store::ledger::{Mode, Role, Session};

use super::assets::{Addresses, addresses};

/// Nothing inline, nothing from elsewhere, nobody may frame us.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// Where Razorpay's checkout lives.
const CHECKOUT_HOSTS: &str = "https://*.razorpay.com";

/// A place in the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// Where one arrives.
    Overview,
    /// Trying calls.
    Search,
    /// API keys.
    Keys,
    /// Balance and purchases.
    Credits,
    /// Where credits went.
    Usage,
    /// Many at once.
    Bulk,
    /// Password, second factor, members.
    Account,
    /// The operator's pages.
    Operator,
    /// None of these: the page says what went wrong.
    Elsewhere,
}

impl Tab {
    /// The menu from top to bottom: tab, word and address.
    const MENU: [(Tab, &'static str, &'static str); 6] = [
        (Tab::Overview, "Overview", "/console"),
        (Tab::Search, "Search", "/console/search"),
        (Tab::Keys, "Keys", "/console/keys"),
        (Tab::Credits, "Credits", "/console/credits"),
        (Tab::Usage, "Usage", "/console/usage"),
        (Tab::Bulk, "Bulk", "/console/bulk"),
    ];
}

/// What every page needs besides its own content.
pub struct Frame {
    /// The page's title.
    pub title: String,
    /// The colours that the person has chosen over those of their system.
    pub theme: Option<&'static str>,
    /// Where stylesheet and script are.
    pub assets: &'static Addresses,
    /// The person; none on pages before the log in.
    pub member: Option<Member>,
    /// A sentence about what was just done.
    pub notice: Option<String>,
    /// A sentence about why what was just asked for was not done.
    pub failure: Option<String>,
}

/// What the frame shows of a person and where they are.
pub struct Member {
    /// What they are called.
    pub name: String,
    /// The account they work in.
    pub account_name: String,
    /// Whether that account is suspended.
    pub suspended: bool,
    /// Whether live data and live credits are shown.
    pub live: bool,
    /// The text that forms carry.
    pub form_token: String,
    /// The path of this page, to come back to.
    pub path: String,
    /// Whether the operator's pages are shown.
    pub operator: bool,
    tab: Tab,
}

/// One line of the menu.
pub struct MenuItem {
    /// The word.
    pub word: &'static str,
    /// Where it leads.
    pub address: &'static str,
    /// Whether this page is there.
    pub current: bool,
}

impl Member {
    /// The menu.
    pub fn menu(&self) -> Vec<MenuItem> {
        let item = |(tab, word, address)| MenuItem { word, address, current: tab == self.tab };
        Tab::MENU.into_iter().map(item).collect()
    }

    /// Whether this page is about the account itself.
    pub fn at_account(&self) -> bool {
        self.tab == Tab::Account
    }

    /// Whether this page is the operator's.
    pub fn at_operator(&self) -> bool {
        self.tab == Tab::Operator
    }
}

impl Frame {
    /// The frame of a page without a menu.
    pub fn outside(title: &str) -> Frame {
        Frame {
            title: title.to_owned(),
            theme: None,
            assets: addresses(),
            member: None,
            notice: None,
            failure: None,
        }
    }

    /// The frame of a page for a person who has logged in.
    pub fn inside(
        session: &Session,
        form_token: String,
        tab: Tab,
        title: &str,
        theme: Option<&'static str>,
        path: &str,
    ) -> Frame {
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
        Frame { theme, member: Some(member), ..Frame::outside(title) }
    }

    /// Adds a sentence about what was just done.
    pub fn with_notice(mut self, notice: Option<&str>) -> Frame {
        self.notice = notice.map(str::to_owned);
        self
    }

    /// Adds a sentence about why what was just asked for was not done.
    pub fn with_failure(mut self, failure: Option<&str>) -> Frame {
        self.failure = failure.map(str::to_owned);
        self
    }

    /// The fields of a form that have an error, for the summary at the top of the page.
    pub fn failures<'a>(&self, fields: &[(&'a str, Option<&'a str>)]) -> Vec<(&'a str, &'a str)> {
        fields.iter().filter_map(|(field, error)| Some((*field, (*error)?))).collect()
    }

    /// The text that forms of this page carry.
    pub fn form_token(&self) -> &str {
        self.member.as_ref().map_or("", |member| &member.form_token)
    }

    /// Whether live data and live credits are shown.
    pub fn live(&self) -> bool {
        self.member.as_ref().is_some_and(|member| member.live)
    }
}

/// A page as a response, with the headers that every page has.
pub fn respond(page: &impl Template) -> Response {
    respond_under(HeaderValue::from_static(POLICY), page)
}

/// A page that opens Razorpay's checkout: on this one its script, and what the script opens, come
/// from there. The script sets styles on its own frame.
pub fn respond_with_checkout(page: &impl Template, script_address: &str) -> Response {
    let policy = format!(
        "default-src 'none'; script-src 'self' {script_address}; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: {CHECKOUT_HOSTS}; connect-src 'self' {CHECKOUT_HOSTS}; \
         frame-src {CHECKOUT_HOSTS}; form-action 'self' {CHECKOUT_HOSTS}; base-uri 'none'; \
         frame-ancestors 'none'"
    );
    match HeaderValue::from_str(&policy) {
        Ok(policy) if !script_address.is_empty() => respond_under(policy, page),
        _ => respond(page),
    }
}

fn respond_under(policy: HeaderValue, page: &impl Template) -> Response {
    let html = match page.render() {
        Ok(html) => html,
        Err(error) => {
            tracing::error!(%error, "a page could not be written");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
        (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    ];
    (headers, html).into_response()
}

/// A page that tells what is wrong with a form.
pub fn respond_unaccepted(page: &impl Template) -> Response {
    let mut response = respond(page);
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    response
}
