//! Markdown to HTML: headings with the anchors that GitHub makes, tables that fit a phone, code that can
//! be copied, and the text of each section for the search.

use std::collections::BTreeSet;

use panji_api::http::error::ErrorCode;
use panji_api::locale::html::escape_html;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A rendered document.
#[derive(Default)]
pub struct Rendered {
    /// The first heading.
    pub title: String,
    /// The text of the first paragraph.
    pub summary: String,
    /// Everything after the first heading.
    pub html: String,
    /// One for each heading; the first is the title.
    pub sections: Vec<Section>,
}

/// The text under one heading.
#[derive(Default)]
pub struct Section {
    pub title: String,
    /// The anchor; empty for the title.
    pub id: String,
    pub level: u8,
    pub text: String,
}

/// Renders a document. `link` gives the address for a link of the document; without one, the text of
/// the link stays. With `codes`, a table row about an error code has the code as its anchor.
pub fn render(text: &str, link: impl Fn(&str) -> Option<String>, codes: bool) -> Rendered {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let renderer = Renderer {
        events,
        at: 0,
        link,
        codes,
        out: Vec::new(),
        rendered: Rendered::default(),
        anchors: BTreeSet::new(),
        blocks: 0,
        columns: Vec::new(),
    };
    renderer.run()
}

struct Renderer<'a, F> {
    events: Vec<Event<'a>>,
    at: usize,
    link: F,
    codes: bool,
    out: Vec<Event<'a>>,
    rendered: Rendered,
    anchors: BTreeSet<String>,
    /// The code blocks so far.
    blocks: usize,
    /// The headings of the current table.
    columns: Vec<String>,
}

impl<'a, F: Fn(&str) -> Option<String>> Renderer<'a, F> {
    fn run(mut self) -> Rendered {
        while let Some(event) = self.events.get(self.at).cloned() {
            self.at += 1;
            self.take(event);
        }
        pulldown_cmark::html::push_html(&mut self.rendered.html, self.out.into_iter());
        self.rendered
    }

    fn take(&mut self, event: Event<'a>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => self.heading(level),
            Event::Start(Tag::CodeBlock(kind)) => self.code_block(&kind),
            Event::Start(Tag::Table(_)) => self.begin_table(),
            Event::End(TagEnd::Table) => self.html("</tbody></table></div>"),
            Event::Start(Tag::TableRow) => self.row(),
            Event::Start(Tag::Link { dest_url, .. }) => self.begin_link(&dest_url),
            // The end of a link with an address; `begin_link` consumes the others.
            Event::End(TagEnd::Link) => self.html("</a>"),
            Event::Start(Tag::Image { .. }) => drop(self.text_until(TagEnd::Image)),
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::Text(ref text) | Event::Code(ref text) => {
                let text = text.clone();
                self.note(&text);
                self.out.push(event);
            }
            Event::SoftBreak | Event::HardBreak => {
                self.note(" ");
                self.out.push(event);
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableRow) => {
                self.note(" ");
                self.out.push(event);
            }
            other => self.out.push(other),
        }
    }

    /// Adds to the text of the section, for the search.
    fn note(&mut self, text: &str) {
        if let Some(section) = self.rendered.sections.last_mut() {
            section.text.push_str(text);
        }
        // The first paragraph is the one before any other block.
        let first = self.rendered.sections.len() == 1 && self.out_is_first_paragraph();
        if first {
            self.rendered.summary.push_str(text);
        }
    }

    fn out_is_first_paragraph(&self) -> bool {
        let ended = |event: &Event<'_>| matches!(event, Event::End(TagEnd::Paragraph));
        matches!(self.out.first(), Some(Event::Start(Tag::Paragraph)))
            && !self.out.iter().any(ended)
    }

    fn html(&mut self, text: impl Into<String>) {
        self.out.push(Event::Html(CowStr::from(text.into())));
    }

    /// The text up to the end of the current element, which is skipped.
    fn text_until(&mut self, end: TagEnd) -> String {
        let mut text = String::new();
        while let Some(event) = self.events.get(self.at) {
            self.at += 1;
            match event {
                Event::Text(part) | Event::Code(part) => text.push_str(part),
                Event::SoftBreak => text.push(' '),
                Event::End(ended) if *ended == end => break,
                _ => {}
            }
        }
        text
    }

    fn heading(&mut self, level: HeadingLevel) {
        let title = self.text_until(TagEnd::Heading(level));
        let is_title = self.rendered.sections.is_empty();
        let id = if is_title { String::new() } else { self.new_anchor(&title) };
        if is_title {
            self.rendered.title.clone_from(&title);
        } else {
            let shown = escape_html(&title);
            self.html(format!("<{level} id=\"{id}\">{shown}</{level}>\n"));
        }
        let section = Section { title, id, level: level as u8, text: String::new() };
        self.rendered.sections.push(section);
    }

    fn new_anchor(&mut self, title: &str) -> String {
        let anchor = anchor(title);
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let mut names = std::iter::once(anchor.clone()).chain(numbered);
        let free = names.find(|name| !self.anchors.contains(name)).unwrap_or(anchor);
        self.anchors.insert(free.clone());
        free
    }

    fn code_block(&mut self, kind: &CodeBlockKind<'_>) {
        let language = match kind {
            CodeBlockKind::Fenced(language) => language.to_string(),
            CodeBlockKind::Indented => String::new(),
        };
        let code = self.text_until(TagEnd::CodeBlock);
        self.note(&code);
        self.blocks += 1;
        let id = format!("code-{}", self.blocks);
        self.html(format!(
            "<div class=\"copy-box\"><pre id=\"{id}\" class=\"language-{}\" tabindex=\"0\">{}</pre>\
             <button type=\"button\" data-copy=\"{id}\">Copy</button></div>\n",
            escape_html(&language),
            escape_html(code.trim_end()),
        ));
    }

    /// Begins a table and writes its head.
    fn begin_table(&mut self) {
        self.columns.clear();
        self.at += 1;
        while !matches!(self.events.get(self.at - 1), Some(Event::End(TagEnd::TableHead)) | None) {
            if matches!(self.events.get(self.at), Some(Event::Start(Tag::TableCell))) {
                self.at += 1;
                let name = self.text_until(TagEnd::TableCell);
                self.columns.push(name);
            } else {
                self.at += 1;
            }
        }
        let named = self.columns.iter().any(|name| !name.is_empty());
        let heads: String = self.columns.iter().map(|name| head_cell(name)).collect();
        let cards = if self.columns.len() > 2 { " class=\"cards\"" } else { "" };
        self.html("<div class=\"table-box\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">");
        self.html(format!("<table{cards}>"));
        if named {
            self.html(format!("<thead><tr>{heads}</tr></thead>"));
        }
        self.html("<tbody>");
    }

    fn row(&mut self) {
        let id = self.row_code().map_or(String::new(), |code| format!(" id=\"{code}\""));
        self.html(format!("<tr{id}>"));
        let mut column = 0;
        while let Some(event) = self.events.get(self.at).cloned() {
            self.at += 1;
            match event {
                Event::Start(Tag::TableCell) => {
                    let label =
                        self.columns.get(column).map_or(String::new(), |name| escape_html(name));
                    self.html(format!("<td data-label=\"{label}\"><div>"));
                    column += 1;
                }
                Event::End(TagEnd::TableCell) => {
                    self.note(" ");
                    self.html("</div></td>");
                }
                Event::End(TagEnd::TableRow) => break,
                other => self.take(other),
            }
        }
        self.html("</tr>\n");
    }

    /// The error code that the row is about.
    fn row_code(&mut self) -> Option<&'static str> {
        if !self.codes {
            return None;
        }
        let row = self.events[self.at..].iter();
        let mut row = row.take_while(|event| !matches!(event, Event::End(TagEnd::TableRow)));
        let code = row.find_map(|event| match event {
            Event::Code(text) => {
                ErrorCode::ALL.iter().map(|code| code.as_str()).find(|code| **code == **text)
            }
            _ => None,
        })?;
        self.anchors.insert(code.to_owned()).then_some(code)
    }

    fn begin_link(&mut self, target: &str) {
        match (self.link)(target) {
            Some(address) => self.html(format!("<a href=\"{}\">", escape_html(&address))),
            // Only the text stays.
            None => {
                let text = self.text_until(TagEnd::Link);
                self.note(&text);
                self.html(escape_html(&text));
            }
        }
    }
}

fn head_cell(name: &str) -> String {
    match name {
        "" => "<td></td>".to_owned(),
        name => format!("<th scope=\"col\">{}</th>", escape_html(name)),
    }
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(title: &str) -> String {
    let lower = title.to_lowercase();
    let kept = lower.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Rendered {
        render(text, |target| target.strip_suffix(".md").map(|name| format!("/docs/{name}")), true)
    }

    #[test]
    fn a_document_has_a_title_a_summary_and_sections_with_anchors() {
        let page = shown("# The `title`\n\nWhat it is.\n\nMore.\n\n## Rate limits\n\nText `x`.\n");
        assert_eq!((&*page.title, &*page.summary), ("The title", "What it is. "));
        assert!(!page.html.contains("The title"), "{}", page.html);
        assert!(page.html.contains("<h2 id=\"rate-limits\">Rate limits</h2>"), "{}", page.html);
        assert_eq!(page.sections[1].text, "Text x. ");
    }

    #[test]
    fn links_lead_to_pages_or_are_plain_text() {
        let page = shown("# T\n\n[one](a.md) and [two `x`](../b.toml)\n");
        assert_eq!(page.html, "<p><a href=\"/docs/a\">one</a> and two x</p>\n");
    }

    #[test]
    fn tables_have_labeled_cells_and_rows_of_codes_have_anchors() {
        let page = shown(
            "# T\n\n| HTTP | code | meaning |\n|---|---|---|\n| 402 | `insufficient_credits` | a <b> |\n",
        );
        assert!(page.html.contains("<tr id=\"insufficient_credits\">"), "{}", page.html);
        assert!(page.html.contains("<td data-label=\"HTTP\"><div>402</div></td>"), "{}", page.html);
        assert!(!page.html.contains("<b>"), "{}", page.html);
    }

    #[test]
    fn code_is_escaped_and_can_be_copied() {
        let page = shown("# T\n\n```sh\ncurl \"<a>\" & b\n```\n");
        assert!(page.html.contains("curl &quot;&lt;a&gt;&quot; &amp; b</pre>"), "{}", page.html);
        assert!(page.html.contains("data-copy=\"code-1\""), "{}", page.html);
    }
}
