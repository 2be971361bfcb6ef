//! Go to: pages, keys and companies by a few letters. The script opens it over any page with Ctrl K,
//! and adds what the documentation has.

use askama::Template;
use axum::Extension;
use axum::response::Response;
use panji_api::accounts::roles::Permission;
use panji_api::config::operation::Operation;
use panji_api::http::encoding::encoded;
use panji_ids::CompanyId;
use panji_store::ledger::Mode;
use serde::Deserialize;

use super::api_call::ApiCalls;
use super::language::{filters, key, t, t_with};
use super::layout::{Layout, Tab, respond};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;

/// Of the text, in characters.
const MAX_TEXT: usize = 100;
/// Places of each kind.
const MAX_OF_KIND: usize = 6;
/// A company is searched for from this length on.
const MIN_SEARCH: usize = 3;

/// The pages: label, path, and other words for them.
const PAGES: [(&str, &str, &str); 20] = [
    (key("Overview"), "/console", "home balance quick start"),
    (key("Search"), "/console/search", "find companies directors"),
    (key("Keys"), "/console/keys", "api token secret"),
    (key("Create a key"), "/console/keys/new", "new api token"),
    (key("Credits"), "/console/credits", "buy pay balance transactions invoices low-balance alert"),
    (key("Usage"), "/console/usage", "calls charts forecast report"),
    (key("Requests"), "/console/requests", "log errors live tail curl"),
    (key("Bulk"), "/console/bulk", "jobs lists upload csv match verify enrich"),
    (key("Saved decisions"), "/console/bulk/decisions", "matching review"),
    (key("Watch"), "/console/watch", "lists monitor changes"),
    (key("Events"), "/console/watch/events", "watch feed changes"),
    (key("Webhooks"), "/console/webhooks", "events deliveries"),
    (key("Paths between companies"), "/console/paths", "network graph connected"),
    (key("Account"), "/console/account", "password sessions name profile data"),
    (key("Two-factor authentication"), "/console/account/second-factor", "2fa totp recovery codes"),
    (key("Members"), "/console/members", "team invite roles people"),
    (key("Documentation"), "/docs", "guides reference api"),
    (key("Error codes"), "/docs/errors", "docs"),
    (key("Prices"), "/docs/guides/credits", "credits cost docs"),
    (key("Status"), "/status", "health uptime freshness"),
];

#[derive(Deserialize)]
pub struct GoQuery {
    #[serde(default)]
    q: String,
    /// `yes` for the list alone.
    #[serde(default)]
    list: String,
}

/// A page to go to.
struct Destination {
    kind: &'static str,
    label: String,
    path: String,
    note: String,
}

#[derive(Deserialize)]
struct Companies {
    companies: Vec<Company>,
}

#[derive(Deserialize)]
struct Company {
    cin: String,
    name: String,
}

#[derive(Template)]
#[template(path = "go.html")]
struct GoPage {
    layout: Layout,
    text: String,
    destinations: Vec<Destination>,
}

#[derive(Template)]
#[template(path = "go_list.html")]
struct GoList {
    text: String,
    destinations: Vec<Destination>,
}

pub async fn show(
    signed_in: SignedIn,
    Extension(calls): Extension<ApiCalls>,
    RepeatedQuery(query): RepeatedQuery<GoQuery>,
) -> Result<Response, PageError> {
    let text: String = query.q.trim().chars().take(MAX_TEXT).collect();
    let mut destinations = pages(&text);
    destinations.extend(keys(&signed_in, &text).await?);
    destinations.extend(companies(&signed_in, &calls, &text).await?);
    if query.list == "yes" {
        return Ok(respond(&GoList { text, destinations }));
    }
    Ok(respond(&GoPage { layout: signed_in.layout(Tab::None, t("Go to")), text, destinations }))
}

/// Pages whose label or other words contain all words; those whose label begins with the text first.
fn pages(text: &str) -> Vec<Destination> {
    let text = text.to_lowercase();
    let found = |(english, path, more): &(&'static str, &str, &str)| {
        let label = t(english);
        // English words are found in both languages.
        let all = format!("{label} {english} {more}").to_lowercase();
        let label_begins = label.to_lowercase().starts_with(&text);
        text.split_whitespace().all(|word| all.contains(word)).then(|| {
            let destination = Destination {
                kind: t("Page"),
                label: label.to_owned(),
                path: (*path).to_owned(),
                note: String::new(),
            };
            (!label_begins, destination)
        })
    };
    let mut destinations: Vec<(bool, Destination)> = PAGES.iter().filter_map(found).collect();
    destinations.sort_by_key(|(later, _)| *later);
    let most = if text.is_empty() { PAGES.len() } else { MAX_OF_KIND };
    destinations.into_iter().take(most).map(|(_, destination)| destination).collect()
}

/// The requests of keys whose name or last characters are given.
async fn keys(signed_in: &SignedIn, text: &str) -> Result<Vec<Destination>, PageError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let text = text.to_lowercase();
    let keys = signed_in.app.ledger.list_keys(signed_in.account_id()).await?;
    let of_mode = keys.into_iter().filter(|key| key.mode == signed_in.mode());
    let named = of_mode.filter(|key| {
        key.name.to_lowercase().contains(&text) || key.hint.to_lowercase().ends_with(&text)
    });
    let destination = |key: panji_store::ledger::Key| Destination {
        kind: t("Key"),
        label: if key.name.is_empty() { key.hint.clone() } else { key.name },
        path: format!("/console/requests?key={}", key.id),
        note: t_with("{0} · its requests", &[&key.hint]),
    };
    Ok(named.take(MAX_OF_KIND).map(destination).collect())
}

/// A company by its number, or by its name: in test mode found at once, in live mode by the search
/// page, which says the price first.
async fn companies(
    signed_in: &SignedIn,
    calls: &ApiCalls,
    text: &str,
) -> Result<Vec<Destination>, PageError> {
    if !signed_in.may(Permission::MakeCalls) || text.chars().count() < MIN_SEARCH {
        return Ok(Vec::new());
    }
    let destination = |label: String, path: String, note: &str| Destination {
        kind: t("Company"),
        label,
        path,
        note: note.to_owned(),
    };
    if let Ok(number) = CompanyId::parse(text) {
        let path = format!("/console/companies/{}", number.as_str());
        return Ok(vec![destination(number.as_str().to_owned(), path, "")]);
    }
    let found = match signed_in.mode() {
        Mode::Test => search(signed_in, calls, text).await?,
        Mode::Live => Vec::new(),
    };
    let shown = found.into_iter().map(|company| {
        let path = format!("/console/companies/{}", company.cin);
        destination(company.name, path, &company.cin)
    });
    let query = serde_html_form::to_string([("q", text)]).unwrap_or_default();
    let note = if signed_in.mode() == Mode::Live { t("the price is shown first") } else { "" };
    let all =
        destination(t_with("Search for “{0}”", &[&text]), format!("/console/search?{query}"), note);
    Ok(shown.chain([all]).collect())
}

async fn search(
    signed_in: &SignedIn,
    calls: &ApiCalls,
    text: &str,
) -> Result<Vec<Company>, PageError> {
    let path = format!("/v1/companies/search?q={}&limit={MAX_OF_KIND}", encoded(text));
    let response = calls.get(signed_in, Operation::SearchCompanies, path).await?;
    let found: Option<Companies> = response.data()?;
    Ok(found.map_or_else(Vec::new, |found| found.companies))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_found_by_their_label_and_by_other_words() {
        let labels = |text| -> Vec<String> {
            pages(text).into_iter().map(|destination| destination.label).collect()
        };
        assert_eq!(labels("us")[0], "Usage");
        assert_eq!(labels("invite"), ["Members"]);
        assert_eq!(labels("key new"), ["Create a key"]);
        assert_eq!(labels("").len(), PAGES.len());
        assert!(labels("no such thing").is_empty());
        assert!(labels("a").len() <= MAX_OF_KIND);
    }
}
