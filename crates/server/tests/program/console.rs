//! A user of the console of a running program: one cookie, one form token.

use std::net::SocketAddr;

use serde_json::Value;

use crate::http::{Client, Reply};

pub const EMAIL: &str = "asha@firm.example";
pub const PASSWORD: &str = "monsoon ledger nine";
const BOUNDARY: &str = "a-line-that-no-field-has";

pub struct Person {
    pub cookie: String,
    pub form_token: String,
}

impl Person {
    pub fn sign_up(address: SocketAddr) -> Person {
        let password = PASSWORD.replace(' ', "+");
        let form = format!("email={EMAIL}&password={password}&name=Namuna");
        let kind = [("Content-Type", "application/x-www-form-urlencoded")];
        let mut client = Client::new(address, None);
        let reply = client.send("POST", "/console/sign-up", &kind, form.as_bytes()).unwrap();
        let cookie = reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let mut person = Person { cookie, form_token: String::new() };
        let page = person.get(address, "/console/bulk").text();
        let (_, rest) = page.split_once("name=\"form_token\" value=\"").unwrap();
        person.form_token = rest.split('"').next().unwrap().to_owned();
        person
    }

    pub fn get(&self, address: SocketAddr, path: &str) -> Reply {
        Client::new(address, None).send("GET", path, &[("Cookie", &self.cookie)], b"").unwrap()
    }

    pub fn json(&self, address: SocketAddr, path: &str) -> Value {
        self.get(address, path).json()
    }

    /// Sends a form; returns the location of the redirect.
    pub fn post(&self, address: SocketAddr, path: &str, fields: &[(&str, &str)]) -> String {
        let form = self.form(fields);
        self.send(address, path, "application/x-www-form-urlencoded", form.as_bytes())
    }

    /// Sends a form and returns the page: that of the redirect, if there is one, with the cookie that
    /// it sets.
    pub fn get_posted(&self, address: SocketAddr, path: &str, fields: &[(&str, &str)]) -> String {
        let form = self.form(fields);
        let kind = "application/x-www-form-urlencoded";
        let headers = [("Cookie", self.cookie.as_str()), ("Content-Type", kind)];
        let mut client = Client::new(address, None);
        let reply = client.send("POST", path, &headers, form.as_bytes()).unwrap();
        let Some(location) = reply.header("location") else { return reply.text() };
        let mut cookies = self.cookie.clone();
        if let Some(set) = reply.header("set-cookie") {
            cookies = format!("{cookies}; {}", set.split(';').next().unwrap());
        }
        Client::new(address, None)
            .send("GET", location, &[("Cookie", &cookies)], b"")
            .unwrap()
            .text()
    }

    fn form(&self, fields: &[(&str, &str)]) -> String {
        let token = [("form_token", self.form_token.as_str())];
        let pairs = token.iter().chain(fields).map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("&")
    }

    /// Uploads a list to verify; returns the path of the job.
    pub fn upload(&self, address: SocketAddr, list: &str) -> String {
        let mut body = String::new();
        for (name, value) in
            [("form_token", self.form_token.as_str()), ("work", "verify"), ("text", list)]
        {
            body.push_str(&format!(
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            ));
        }
        body.push_str(&format!("--{BOUNDARY}--\r\n"));
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        self.send(address, "/console/bulk", &kind, body.as_bytes())
    }

    fn send(&self, address: SocketAddr, path: &str, kind: &str, body: &[u8]) -> String {
        let headers = [("Cookie", self.cookie.as_str()), ("Content-Type", kind)];
        let reply = Client::new(address, None).send("POST", path, &headers, body).unwrap();
        let location = reply.header("location");
        location.unwrap_or_else(|| panic!("{}: {}", reply.status, reply.text())).to_owned()
    }
}
