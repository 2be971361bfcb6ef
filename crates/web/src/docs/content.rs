//! The content of all pages, made once when the first page is requested.

use std::sync::{Arc, OnceLock};

use panji_api::api::openapi;
use panji_api::app::App;
use panji_api::config::operation::Operation;
use serde_json::Value;

use super::guides::{GROUPS, Guide, all};
use super::markdown::Rendered;
use super::reference::Reference;
use super::search::Index;

/// The documentation of a running service: its prices and its address are in it.
pub struct Docs {
    app: Arc<App>,
    content: OnceLock<Content>,
}

pub struct Content {
    pub guides: Vec<GuidePage>,
    /// In the order of the description's tags.
    pub groups: Vec<OperationGroup>,
    pub index: Index,
}

pub struct GuidePage {
    pub guide: &'static Guide,
    pub rendered: Rendered,
}

/// Operations under one heading.
pub struct OperationGroup {
    pub title: String,
    pub description: String,
    pub operations: Vec<Reference>,
}

impl GuidePage {
    /// The first sentence.
    pub fn summary(&self) -> &str {
        let text = self.rendered.summary.trim();
        text.find(". ").map_or(text, |end| &text[..=end])
    }
}

impl Docs {
    pub fn new(app: Arc<App>) -> Docs {
        Docs { app, content: OnceLock::new() }
    }

    pub fn content(&self) -> &Content {
        self.content.get_or_init(|| Content::new(&self.app))
    }
}

impl Content {
    fn new(app: &App) -> Content {
        let document = openapi::document();
        let guides: Vec<GuidePage> = all()
            .map(|guide| GuidePage { guide, rendered: guide.rendered(&app.public_url) })
            .collect();
        let groups = groups(app, &document);
        let index = Index::new(&guides, &groups);
        Content { guides, groups, index }
    }

    pub fn guide(&self, slug: &str) -> Option<&GuidePage> {
        self.guides.iter().find(|page| page.guide.slug == slug)
    }

    pub fn operation(&self, id: &str) -> Option<&Reference> {
        let mut operations = self.groups.iter().flat_map(|group| &group.operations);
        operations.find(|reference| reference.id == id)
    }

    /// The guides by the headings of the menu.
    pub fn guide_groups(&self) -> Vec<(&'static str, Vec<&GuidePage>)> {
        let pages = |group: &'static super::guides::Group| {
            group.guides.iter().filter_map(|guide| self.guide(guide.slug)).collect()
        };
        GROUPS.iter().map(|group| (group.title, pages(group))).collect()
    }
}

fn groups(app: &App, document: &Value) -> Vec<OperationGroup> {
    let mut references: Vec<Reference> =
        Operation::ALL.iter().map(|operation| Reference::new(app, document, *operation)).collect();
    let tags = document["tags"].as_array().into_iter().flatten();
    tags.map(|tag| {
        let title = tag["name"].as_str().unwrap_or_default().to_owned();
        let (of_tag, others) = references.drain(..).partition(|known| known.tag == title);
        references = others;
        let description = tag["description"].as_str().unwrap_or_default().to_owned();
        OperationGroup { title, description, operations: of_tag }
    })
    .collect()
}
