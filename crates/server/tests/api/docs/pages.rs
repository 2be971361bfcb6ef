//! Tests of the guides and of the pages of operations.

use std::collections::{BTreeMap, BTreeSet};

use panji_api::api::examples::Example;
use panji_api::api::openapi::can_fail_with;
use panji_api::config::operation::Operation;
use panji_api::http::error::ErrorCode;

use super::{all_pages, attributes, page, text_of};
use crate::ask::get;
use crate::described::{document, operations};
use crate::server::serve_embedded;

/// The most bytes that a browser fetches for a page that it sees first: page, styles, scripts, icon.
const MAX_FIRST_LOAD: usize = 100_000;

#[test]
fn the_start_page_lists_every_operation_and_every_guide() {
    serve_embedded(&[], async |server| {
        let start = page(server, "/docs").await;
        for operation in Operation::ALL {
            let link = format!("href=\"/docs/reference/{}\"", operation.id());
            assert!(start.contains(&link), "{}", operation.id());
        }
        for guide in [
            "quick-start",
            "authentication",
            "credits",
            "idempotency",
            "bulk",
            "jobs",
            "match",
            "search",
            "identifiers",
            "sandbox",
            "versioning",
        ] {
            assert!(start.contains(&format!("href=\"/docs/guides/{guide}\"")), "{guide}");
        }
        assert!(start.contains("href=\"/docs/errors\""));
        assert_eq!(page(server, "/docs/").await, start);
    });
}

#[test]
fn the_page_of_an_operation_has_its_call_parameters_fields_errors_and_response() {
    serve_embedded(&[], async |server| {
        for operation in Operation::ALL {
            let id = operation.id();
            let html = page(server, &format!("/docs/reference/{id}")).await;
            let text = text_of(&html);
            assert!(text.contains(operation.path()) && text.contains(operation.method().as_str()));
            let (.., entry) = operations().find(|(.., entry)| entry["operationId"] == id).unwrap();
            for parameter in entry["parameters"].as_array().into_iter().flatten() {
                let name = parameter["name"].as_str().unwrap();
                assert!(html.contains(&format!("<code>{name}</code>")), "{id}: {name}");
            }
            for code in ErrorCode::ALL {
                let link = format!("href=\"/docs/errors#{}\"", code.as_str());
                assert_eq!(html.contains(&link), can_fail_with(*operation, *code), "{id} {code:?}");
            }
            let example = Example::of(*operation);
            let response = match operation.file_type() {
                Some(media_type) => format!("A file: {media_type}"),
                None => serde_json::to_string_pretty(&example.response).unwrap(),
            };
            assert!(text.contains(&response), "{id} has no response");
            let data = example.response["data"].as_object().into_iter().flatten();
            for (field, _) in data {
                assert!(html.contains(&format!("<code>{field}</code>")), "{id}: {field}");
            }
            for language in ["curl", "python", "javascript", "go"] {
                assert!(html.contains(&format!("id=\"sample-{language}\"")), "{id}: {language}");
            }
        }
    });
}

#[test]
fn every_component_of_a_response_has_a_table_of_its_fields() {
    serve_embedded(&[], async |server| {
        let html = page(server, "/docs/reference/getCompanyFinancials").await;
        for component in ["Financials", "FinancialYear", "Ratios", "Growth", "Flag"] {
            assert!(html.contains(&format!("<h3 id=\"{component}\">")), "{component}");
            let properties = &document()["components"]["schemas"][component]["properties"];
            for field in properties.as_object().unwrap().keys() {
                assert!(html.contains(&format!("<code>{field}</code>")), "{component}.{field}");
            }
        }
        // The words of an enumeration.
        assert!(html.contains("<code>standalone</code>"));
    });
}

#[test]
fn prices_are_those_of_the_running_service() {
    let settings = [("prices.getDirector", "7"), ("free_quota.calls_per_day", "12")];
    serve_embedded(&settings, async |server| {
        let director = text_of(&page(server, "/docs/reference/getDirector").await);
        assert!(director.contains("7 credits"), "{director}");
        let company = text_of(&page(server, "/docs/reference/getCompany").await);
        assert!(
            company.contains("1 credit") && company.contains("The first 12 calls"),
            "{company}"
        );
        let account = text_of(&page(server, "/docs/reference/getAccount").await);
        assert!(account.contains("Free"), "{account}");
    });
}

#[test]
fn every_link_leads_to_a_page_and_an_anchor_and_no_anchor_is_twice_on_a_page() {
    serve_embedded(&[], async |server| {
        let pages = all_pages(server).await;
        assert!(pages.len() > 40, "{} pages", pages.len());
        let mut anchors: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (path, text) in &pages {
            let ids = attributes(text, "id");
            let unique: BTreeSet<&str> = ids.iter().copied().collect();
            assert_eq!(unique.len(), ids.len(), "{path} has an anchor twice: {ids:?}");
            anchors.insert(path, unique);
        }
        for (path, text) in &pages {
            for link in attributes(text, "href") {
                let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
                let target = if target.is_empty() { path } else { target };
                if let Some(ids) = anchors.get(target) {
                    assert!(anchor.is_empty() || ids.contains(anchor), "{path}: {link}");
                } else if target.starts_with('/') {
                    let status = server.send_unchecked(get(target)).await.status;
                    assert!([200, 303].contains(&status), "{path}: {link} returns {status}");
                }
            }
        }
    });
}

#[test]
fn the_first_load_of_a_page_is_below_100_kilobytes() {
    serve_embedded(&[], async |server| {
        let transferred = async |path: &str| {
            let response = server.send_unchecked(get(path).header("accept-encoding", "gzip")).await;
            assert_eq!(response.status, 200, "{path}");
            response.bytes.len()
        };
        for (path, text) in all_pages(server).await {
            let mut bytes = transferred(&path).await;
            let fetched: BTreeSet<&str> = ["href", "src"]
                .iter()
                .flat_map(|name| attributes(&text, name))
                .filter(|address| address.contains("/assets/"))
                .collect();
            assert_eq!(fetched.len(), 5, "{path}: {fetched:?}");
            for asset in fetched {
                bytes += transferred(asset).await;
            }
            assert!(bytes < MAX_FIRST_LOAD, "{path} needs {bytes} bytes");
        }
    });
}

#[test]
fn pages_run_only_scripts_of_this_site_and_are_revalidated() {
    serve_embedded(&[], async |server| {
        for path in ["/docs", "/docs/errors", "/docs/guides/bulk", "/docs/reference/getGst"] {
            let first = server.send_unchecked(get(path)).await;
            let policy = first.header("content-security-policy").unwrap();
            assert!(
                policy.contains("default-src 'none'") && !policy.contains("unsafe"),
                "{policy}"
            );
            let html = String::from_utf8(first.bytes.to_vec()).unwrap();
            for inline in ["<style", " style=\"", "<script>", " onclick=", "javascript:"] {
                assert!(!html.contains(inline), "{path} contains {inline}");
            }
            assert!(html.contains("lang=\"en\"") && html.contains("href=\"#main\""), "{path}");
            let tag = first.header("etag").unwrap().to_owned();
            let again = server.send_unchecked(get(path).header("if-none-match", &tag)).await;
            assert_eq!((again.status, again.bytes.len()), (304, 0), "{path}");
            let dark = get(path).header("if-none-match", &tag).header("cookie", "panji_theme=dark");
            let dark = server.send_unchecked(dark).await;
            assert_eq!(dark.status, 200, "another theme is another page");
        }
    });
}

#[test]
fn a_guide_is_also_served_as_the_markdown_of_the_repository() {
    serve_embedded(&[], async |server| {
        let response = server.send_unchecked(get("/docs/guides/credits.md")).await;
        assert_eq!(response.header("content-type"), Some("text/markdown; charset=utf-8"));
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/credits.md");
        assert_eq!(response.bytes, std::fs::read(file).unwrap());
        let llms = server.send_unchecked(get("/llms.txt")).await;
        let text = String::from_utf8(llms.bytes.to_vec()).unwrap();
        assert!(text.starts_with("# Panji\n\n> "), "{text}");
        for link in text.split("](/").skip(1).filter_map(|rest| rest.split(')').next()) {
            let status = server.send_unchecked(get(format!("/{link}"))).await.status;
            assert_eq!(status, 200, "{link}");
        }
        let moved = server.send_unchecked(get("/docs/guides/errors")).await;
        assert_eq!((moved.status, moved.header("location")), (308, Some("/docs/errors")));
        for path in ["/docs/guides/nothing", "/docs/guides/nothing.md", "/docs/reference/nothing"] {
            assert_eq!(server.send_unchecked(get(path)).await.status, 404, "{path}");
        }
    });
}
