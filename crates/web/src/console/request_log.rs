//! The request log: its filters, and requests as pages and files display them.

use std::collections::HashMap;

use panji_api::http::envelope::ERROR_DOCS_PATH;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Key, Mode, Request, RequestFilter};
use serde::de::Deserializer;
use serde::{Deserialize, Serialize};

use super::language::{dates, key, t, t_with};
use super::page_error::PageError;
use super::periods::{Period, PeriodError};
use super::session::SignedIn;

/// The key id in the log of calls made in the console.
pub const CONSOLE_KEY: &str = panji_api::http::context::CONSOLE_KEY_ID;
/// Of a text that is searched for, in characters.
const MAX_TEXT: usize = 100;

/// The period and the filters of the log.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct LogQuery {
    pub from: String,
    pub to: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub operation: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// `good`, `failed` or an HTTP status.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    #[serde(deserialize_with = "trimmed", skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub credits: String,
    /// In milliseconds.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub slower: String,
    #[serde(deserialize_with = "trimmed", skip_serializing_if = "String::is_empty")]
    pub request: String,
    #[serde(skip_serializing)]
    pub before: String,
    #[serde(skip_serializing)]
    pub after: String,
}

impl LogQuery {
    pub fn filter(&self, mode: Mode, period: Period) -> RequestFilter {
        let (min_status, max_status) = statuses(&self.status);
        let number = |text: &str| text.trim().parse::<u32>().map_or(0, i64::from);
        RequestFilter {
            from_ms: period.start_ms(),
            to_ms: period.end_ms(),
            operation: self.operation.clone(),
            key_id: self.key.clone(),
            min_status,
            max_status,
            error_code: self.code.clone(),
            text: self.text.chars().take(MAX_TEXT).collect(),
            min_credits: number(&self.credits),
            min_duration_us: number(&self.slower) * 1_000,
            before_id: self.before.clone(),
            after_id: self.after.clone(),
            ..RequestFilter::all(mode)
        }
    }

    /// The requested period, or what is wrong with its first day.
    pub fn period(&self) -> Result<Period, PeriodError> {
        Period::read(&self.from, &self.to, now_ms())
    }

    /// The query string of the same filters over a period, without the place in the list.
    pub fn in_period(&self, period: Period) -> String {
        let (from, to) = (period.first.to_string(), period.last.to_string());
        serde_html_form::to_string(LogQuery { from, to, ..self.clone() }).unwrap_or_default()
    }

    /// Whether one of the filters that are folded away is used.
    pub fn has_more(&self) -> bool {
        [&self.code, &self.text, &self.credits, &self.slower].iter().any(|text| !text.is_empty())
    }
}

/// The lowest and the highest status of a choice.
pub fn statuses(choice: &str) -> (i64, i64) {
    match choice {
        "good" => (200, 299),
        "failed" => (400, 599),
        status => status.parse::<u16>().map_or((0, 999), |status| (status.into(), status.into())),
    }
}

/// The names of keys and members, by their ids.
pub struct Names {
    keys: HashMap<String, String>,
    people: HashMap<String, String>,
    /// The keys of the mode, and the console: id and name.
    pub key_choices: Vec<(String, String)>,
    /// Id and name.
    pub member_choices: Vec<(String, String)>,
    translate: fn(&'static str) -> &'static str,
}

impl Names {
    /// In the language of the page.
    pub async fn read(signed_in: &SignedIn) -> Result<Names, PageError> {
        Names::translated(signed_in, t).await
    }

    /// For files, which are the same in every language.
    pub async fn in_english(signed_in: &SignedIn) -> Result<Names, PageError> {
        Names::translated(signed_in, key).await
    }

    async fn translated(
        signed_in: &SignedIn,
        translate: fn(&'static str) -> &'static str,
    ) -> Result<Names, PageError> {
        let (ledger, account_id) = (&signed_in.app.ledger, signed_in.account_id());
        let keys = ledger.list_keys(account_id).await?;
        let members = ledger.list_members(account_id).await?;
        let named = |key: &Key| (key.id.clone(), display_name(key));
        let of_mode = keys.iter().filter(|key| key.mode == signed_in.mode()).map(named);
        let console = (CONSOLE_KEY.to_owned(), translate(key("Console")).to_owned());
        let member_choices: Vec<(String, String)> =
            members.into_iter().map(|member| (member.person_id, member.name)).collect();
        Ok(Names {
            key_choices: of_mode.chain([console.clone()]).collect(),
            keys: keys.iter().map(named).chain([console]).collect(),
            people: member_choices.iter().cloned().collect(),
            member_choices,
            translate,
        })
    }

    pub fn key(&self, key_id: &str) -> String {
        self.keys.get(key_id).map_or_else(|| key_id.to_owned(), String::clone)
    }

    /// Who made a call in the console.
    pub fn member(&self, person_id: Option<&str>) -> String {
        let text = |text| (self.translate)(text).to_owned();
        let Some(person_id) = person_id else { return text(key("Not recorded")) };
        self.people.get(person_id).map_or_else(|| text(key("Former member")), String::clone)
    }
}

fn display_name(key: &Key) -> String {
    if key.name.is_empty() { key.hint.clone() } else { key.name.clone() }
}

/// A row of the request log.
pub struct RequestRow {
    pub time: String,
    pub operation: String,
    /// What was asked for, redacted.
    pub subject: Option<String>,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    pub key: String,
    /// Who made it in the console.
    pub member: Option<String>,
    pub status: i64,
    pub failed: bool,
    pub credits: i64,
    /// Whether the free quota covered it.
    pub free: bool,
    /// As "12 ms"; none if it is not known.
    pub duration: Option<String>,
    pub request_id: String,
    pub target: Option<String>,
}

impl RequestRow {
    pub fn new(request: Request, names: &Names) -> RequestRow {
        RequestRow {
            time: dates::second(request.at_ms),
            key: names.key(&request.key_id),
            member: request.person_id.map(|id| names.member(Some(&id))),
            failed: request.status >= 400,
            status: request.status,
            credits: request.credits,
            free: request.free,
            operation: request.operation,
            subject: request.subject,
            error_code: request.error_code,
            error_message: request.error_message,
            duration: request.duration_us.map(duration),
            request_id: request.request_id,
            target: request.target,
        }
    }

    /// Where the error is explained.
    pub fn error_docs(&self) -> Option<String> {
        self.error_code.as_ref().map(|code| format!("{ERROR_DOCS_PATH}#{code}"))
    }
}

pub fn request_rows(requests: Vec<Request>, names: &Names) -> Vec<RequestRow> {
    requests.into_iter().map(|request| RequestRow::new(request, names)).collect()
}

fn duration(microseconds: i64) -> String {
    match microseconds {
        ..10_000 => t_with("{0} ms", &[&format!("{:.1}", microseconds as f64 / 1_000.0)]),
        10_000..1_000_000 => t_with("{0} ms", &[&(microseconds / 1_000)]),
        _ => t_with("{0} s", &[&format!("{:.1}", microseconds as f64 / 1_000_000.0)]),
    }
}

/// The command that repeats a request, without its key. None if it was not called over HTTP.
pub fn curl(public_url: &str, target: &str) -> Option<String> {
    let (method, path) = target.split_once(' ')?;
    let url = format!("{public_url}{path}").replace('\'', "%27").replace(' ', "%20");
    let mut lines = vec![match method {
        "GET" => format!("curl '{url}'"),
        method => format!("curl -X {method} '{url}'"),
    }];
    lines.push("  -H \"Authorization: Bearer $API_KEY\"".to_owned());
    if sends_body(target) {
        lines.push("  -H 'Content-Type: application/json'".to_owned());
        lines.push("  -d @request.json".to_owned());
    }
    Some(lines.join(" \\\n"))
}

/// Whether the request has a body, which is not stored.
pub fn sends_body(target: &str) -> bool {
    !target.starts_with("GET ") && !target.starts_with("DELETE ")
}

fn trimmed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(String::deserialize(deserializer)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_written_as_a_command_that_a_shell_reads_in_one_way() {
        let command = |target| curl("https://panji.example", target).expect("a command");
        assert_eq!(
            command("GET /v1/companies?q=a&limit=5"),
            "curl 'https://panji.example/v1/companies?q=a&limit=5' \\\n  \
             -H \"Authorization: Bearer $API_KEY\""
        );
        assert!(command("GET /v1/companies/a'b c").contains("/a%27b%20c'"));
        assert!(command("POST /v1/bulk/verify").ends_with("-d @request.json"));
        assert!(!command("DELETE /v1/watchlists/wl_1").contains("-d"));
    }

    #[test]
    fn durations_and_statuses_are_read_and_written_in_short() {
        assert_eq!(duration(812), "0.8 ms");
        assert_eq!(duration(45_678), "45 ms");
        assert_eq!(duration(1_250_000), "1.2 s");
        assert_eq!(statuses("404"), (404, 404));
        assert_eq!(statuses("failed"), (400, 599));
        assert_eq!(statuses("all of them"), (0, 999));
    }
}
