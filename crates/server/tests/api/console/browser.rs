//! A simulated browser: it keeps cookies, follows redirects and sends the form of its page.

use std::collections::BTreeMap;

use axum::http::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::ask::{Ask, Response, ask};
use crate::server::Server;

/// A strong password.
pub const PASSWORD: &str = "monsoon ledger nine";

pub struct Browser<'a> {
    server: &'a Server,
    pub cookies: BTreeMap<String, String>,
    /// The attributes of each cookie.
    pub attributes: BTreeMap<String, String>,
    pub form_token: String,
}

/// A page, after all redirects.
#[derive(Debug)]
pub struct Page {
    pub path: String,
    pub status: u16,
    pub text: String,
    pub response: Response,
}

impl<'a> Browser<'a> {
    pub fn new(server: &'a Server) -> Browser<'a> {
        Browser {
            server,
            cookies: BTreeMap::new(),
            attributes: BTreeMap::new(),
            form_token: String::new(),
        }
    }

    /// A browser of a user who has just signed up.
    pub async fn signed_up(server: &'a Server, email: &str) -> Browser<'a> {
        let mut browser = Browser::new(server);
        let form = [("email", email), ("password", PASSWORD), ("name", "Namuna Traders")];
        let page = browser.send("/console/sign-up", &form).await;
        assert_eq!(page.status, 200, "{}", page.text);
        if !browser.cookies.is_empty() {
            return browser;
        }
        // If the service is public, the account is created in the background.
        while server.app.ledger.find_person(email).await.unwrap().is_none() {
            panji_testkit::pause().await;
        }
        Browser::logged_in(server, email, PASSWORD).await.0
    }

    /// A browser of a user who logs in, and the page this leads to.
    pub async fn logged_in(server: &'a Server, email: &str, password: &str) -> (Browser<'a>, Page) {
        let mut browser = Browser::new(server);
        let form = [("email", email), ("password", password)];
        let page = browser.send("/console/log-in", &form).await;
        (browser, page)
    }

    pub async fn open(&mut self, path: &str) -> Page {
        self.follow(ask(Method::GET, path)).await
    }

    /// Sends a form with the token of the open page.
    pub async fn send(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let token = self.form_token.clone();
        let fields = [fields, &[("form_token", token.as_str())]].concat();
        self.send_bare(path, &fields).await
    }

    /// Sends a form with a file, as multipart.
    pub async fn send_file(&mut self, path: &str, fields: &[(&str, &str)], file: &[u8]) -> Page {
        const BOUNDARY: &str = "a-line-that-no-field-has";
        let token = self.form_token.clone();
        let mut body = Vec::new();
        for (name, value) in [&[("form_token", token.as_str())], fields].concat() {
            let part = format!("form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            body.extend(format!("--{BOUNDARY}\r\nContent-Disposition: {part}").bytes());
        }
        let part = "form-data; name=\"file\"; filename=\"list.csv\"\r\nContent-Type: text/csv";
        body.extend(format!("--{BOUNDARY}\r\nContent-Disposition: {part}\r\n\r\n").bytes());
        body.extend(file);
        body.extend(format!("\r\n--{BOUNDARY}--\r\n").bytes());
        let ask = ask(Method::POST, path)
            .header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"))
            .header("sec-fetch-site", "same-origin")
            .body(body);
        self.follow(ask).await
    }

    /// Sends only these fields, without a token.
    pub async fn send_bare(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.follow(form(path, fields)).await
    }

    /// Sends a request without following a redirect.
    pub async fn ask(&mut self, ask: Ask) -> Response {
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let ask = if cookies.is_empty() { ask } else { ask.header("cookie", cookies.join("; ")) };
        let response = self.server.send_unchecked(ask).await;
        for header in response.headers.get_all("set-cookie") {
            let text = header.to_str().unwrap();
            let (pair, attributes) = text.split_once("; ").unwrap_or((text, ""));
            let (name, value) = pair.split_once('=').unwrap();
            self.attributes.insert(name.to_owned(), attributes.to_owned());
            match value {
                "" => self.cookies.remove(name),
                value => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        response
    }

    async fn follow(&mut self, first: Ask) -> Page {
        let mut next = first;
        for _ in 0..5 {
            let path = next.path.clone();
            let response = self.ask(next).await;
            if let Some(location) = response.header("location") {
                next = ask(Method::GET, location);
                continue;
            }
            let text = String::from_utf8_lossy(&response.bytes).into_owned();
            if let Some(token) = between(&text, "name=\"form_token\" value=\"", "\"") {
                self.form_token = token.to_owned();
            }
            return Page { path, status: response.status, text, response };
        }
        panic!("redirected in a ring");
    }
}

impl Page {
    /// The text between two others; panics if they are missing.
    pub fn between(&self, before: &str, after: &str) -> &str {
        between(&self.text, before, after)
            .unwrap_or_else(|| panic!("no {before:?} in {}: {}", self.path, self.text))
    }

    /// The page without the parts that differ between two users.
    pub fn without(&self, text: &str) -> String {
        self.text.replace(text, "")
    }

    #[track_caller]
    pub fn expect(&self, text: &str) -> &Page {
        assert!(self.text.contains(text), "no {text:?} in {}: {}", self.path, self.text);
        self
    }
}

/// A form from a page of the same site.
pub fn form(path: &str, fields: &[(&str, &str)]) -> Ask {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let body: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    ask(Method::POST, path)
        .header("content-type", "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "same-origin")
        .body(body.join("&"))
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let start = text.find(before)? + before.len();
    let length = text[start..].find(after)?;
    Some(&text[start..start + length])
}
