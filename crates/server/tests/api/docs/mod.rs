//! Tests of the documentation at `/docs`.

mod pages;
mod search;
mod trial;

use std::collections::BTreeSet;

use crate::ask::get;
use crate::server::Server;

/// A page as text.
pub async fn page(server: &Server, path: &str) -> String {
    let response = server.send_unchecked(get(path)).await;
    let text = String::from_utf8(response.bytes.to_vec()).unwrap();
    assert_eq!(response.status, 200, "{path}: {text}");
    text
}

/// The values of an attribute in a page.
pub fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let before = format!(" {name}=\"");
    page.split(&*before).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// The text of a page without its tags.
pub fn text_of(page: &str) -> String {
    let mut parts = page.split('<');
    let first = parts.next().unwrap_or_default().to_owned();
    let text =
        parts.fold(first, |text, part| text + part.split_once('>').map_or("", |(_, after)| after));
    unescaped(&text)
}

fn unescaped(text: &str) -> String {
    let pairs = [("&#34;", "\""), ("&quot;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&lt;", "<")];
    let text = pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    text.replace("&#62;", ">").replace("&gt;", ">").replace("&#38;", "&").replace("&amp;", "&")
}

/// All pages that links lead to from the start page.
pub async fn all_pages(server: &Server) -> Vec<(String, String)> {
    let mut waiting = vec!["/docs".to_owned()];
    let mut known: BTreeSet<String> = waiting.iter().cloned().collect();
    let mut pages = Vec::new();
    while let Some(path) = waiting.pop() {
        let text = page(server, &path).await;
        for link in attributes(&text, "href") {
            let target = link.split('#').next().unwrap().to_owned();
            let is_page = target.starts_with("/docs") && !target.starts_with("/docs/assets/");
            if is_page && known.insert(target.clone()) {
                waiting.push(target);
            }
        }
        pages.push((path, text));
    }
    pages
}
