//! The guides: Markdown files of the repository, which GitHub shows too.

use panji_api::http::envelope::ERROR_DOCS_PATH;

use super::markdown::{Rendered, render};

/// A Markdown file that is a page.
pub struct Guide {
    /// The last part of its address.
    pub slug: &'static str,
    /// Its path in the repository.
    pub file: &'static str,
    pub text: &'static str,
}

/// Guides under one heading of the menu.
pub struct Group {
    pub title: &'static str,
    pub guides: &'static [Guide],
}

macro_rules! guide {
    ($slug:literal) => {
        Guide {
            slug: $slug,
            file: concat!("docs/", $slug, ".md"),
            text: include_str!(concat!("../../../../docs/", $slug, ".md")),
        }
    };
}

/// In the order of the menu.
pub const GROUPS: &[Group] = &[
    Group {
        title: "Start",
        guides: &[
            guide!("quick-start"),
            guide!("authentication"),
            guide!("sandbox"),
            Guide {
                slug: "sandbox-data",
                file: "crates/api/sandbox/README.md",
                text: include_str!("../../../api/sandbox/README.md"),
            },
        ],
    },
    Group {
        title: "Basics",
        guides: &[
            guide!("api"),
            guide!("errors"),
            guide!("credits"),
            guide!("idempotency"),
            guide!("identifiers"),
            guide!("versioning"),
        ],
    },
    Group {
        title: "Tasks",
        guides: &[
            guide!("history"),
            guide!("search"),
            guide!("match"),
            guide!("reconcile"),
            guide!("bulk"),
            guide!("jobs"),
            guide!("watch"),
            guide!("webhooks"),
            guide!("financials"),
            guide!("network"),
            guide!("findings"),
            guide!("report"),
            guide!("mcp"),
            guide!("sdk"),
            guide!("clients"),
        ],
    },
];

/// The address of a service in the examples.
const EXAMPLE_URL: &str = "http://127.0.0.1:8080";
/// The guide whose table of error codes the program links to.
const ERRORS: &str = "errors";

pub fn all() -> impl Iterator<Item = &'static Guide> {
    GROUPS.iter().flat_map(|group| group.guides)
}

impl Guide {
    /// The address of the page.
    pub fn path(&self) -> String {
        match self.slug {
            ERRORS => ERROR_DOCS_PATH.to_owned(),
            slug => format!("/docs/guides/{slug}"),
        }
    }

    /// The page, with the address of this service in place of the one in the examples.
    pub fn rendered(&self, public_url: &str) -> Rendered {
        let text = self.text.replace(EXAMPLE_URL, public_url);
        render(&text, |target| self.link(target), self.slug == ERRORS)
    }

    /// The address for a link of this file; none if it leads to a file that is no page.
    fn link(&self, target: &str) -> Option<String> {
        if target.contains("://") || target.starts_with('#') {
            return Some(target.to_owned());
        }
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let file = self.resolve(file);
        if file == "openapi.json" {
            return Some("/v1/openapi.json".to_owned());
        }
        let guide = all().find(|guide| guide.file == file)?;
        let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
        Some(format!("{}{anchor}", guide.path()))
    }

    /// A path relative to this file, as a path in the repository.
    fn resolve(&self, relative: &str) -> String {
        let mut parts: Vec<&str> = self.file.split('/').collect();
        parts.pop();
        for part in relative.split('/') {
            match part {
                ".." => drop(parts.pop()),
                "." | "" => {}
                part => parts.push(part),
            }
        }
        parts.join("/")
    }
}

/// What to do about an error, as Markdown: the last cell of its row in the guide.
pub fn remedy(code: &str) -> Option<&'static str> {
    let errors = all().find(|guide| guide.slug == ERRORS)?;
    let about = format!("| `{code}` |");
    let row = errors.text.lines().find(|line| line.contains(&about))?;
    row.trim_end().strip_suffix('|')?.rsplit(" | ").next().map(str::trim)
}

/// A short text of the guide of errors, as HTML.
pub fn inline_of_errors(text: &str) -> String {
    let rendered = all()
        .find(|guide| guide.slug == ERRORS)
        .map(|guide| render(&format!("# -\n\n{text}"), |target| guide.link(target), false).html);
    let html = rendered.unwrap_or_default();
    html.trim().trim_start_matches("<p>").trim_end_matches("</p>").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use panji_api::http::error::ErrorCode;

    #[test]
    fn every_code_has_a_remedy_in_the_guide() {
        for code in ErrorCode::ALL {
            let remedy = remedy(code.as_str()).unwrap_or_else(|| panic!("{}", code.as_str()));
            assert!(remedy.len() > 5 && !remedy.contains('|'), "{remedy}");
        }
    }

    #[test]
    fn links_between_files_are_links_between_pages() {
        let credits = all().find(|guide| guide.slug == "credits").expect("a guide");
        assert_eq!(credits.link("errors.md#errors").as_deref(), Some("/docs/errors#errors"));
        assert_eq!(credits.link("jobs.md").as_deref(), Some("/docs/guides/jobs"));
        assert_eq!(
            credits.link("../crates/api/sandbox/README.md#the-cast").as_deref(),
            Some("/docs/guides/sandbox-data#the-cast")
        );
        assert_eq!(credits.link("configure.md"), None);
        assert_eq!(credits.link("#x").as_deref(), Some("#x"));
    }
}
