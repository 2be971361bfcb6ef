//! The search over all pages: sections of guides, operations, fields and error codes.

use panji_api::locale::html::escape_html;

use super::content::{GuidePage, OperationGroup};
use super::reference::Reference;

/// Of the text that is searched for, in characters.
pub const MAX_QUERY: usize = 200;
/// Words of the text that are used.
const MAX_WORDS: usize = 10;
pub const MAX_RESULTS: usize = 40;
/// The text around the first word that is found, in characters.
const EXCERPT: usize = 160;
const EXCERPT_BEFORE: usize = 40;

pub struct Index {
    entries: Vec<Entry>,
}

/// A place that can be found.
struct Entry {
    kind: &'static str,
    title: String,
    /// The page that contains it; empty if it is a page itself.
    page: String,
    path: String,
    text: String,
    /// Title and text in lower case.
    lower_title: String,
    lower_text: String,
}

/// A found place.
pub struct Found {
    pub kind: &'static str,
    pub title: String,
    pub page: String,
    pub path: String,
    /// HTML, with the words marked.
    pub excerpt: String,
}

impl Entry {
    fn new(kind: &'static str, title: &str, page: &str, path: String, text: &str) -> Entry {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Entry {
            kind,
            title: title.to_owned(),
            page: page.to_owned(),
            path,
            lower_title: title.to_lowercase(),
            lower_text: text.to_lowercase(),
            text,
        }
    }

    fn is_same_field(&self, other: &Entry) -> bool {
        self.kind == other.kind && self.title == other.title && self.text == other.text
    }

    /// How well all words fit; none if one is missing.
    fn score(&self, words: &[String]) -> Option<u32> {
        let mut score = 0;
        for word in words {
            score += match () {
                () if self.lower_title == *word => 100,
                () if self.lower_title.starts_with(word) => 40,
                () if self.lower_title.contains(word) => 20,
                () if self.lower_text.contains(word) => 5,
                () => return None,
            };
        }
        // A page comes before its parts.
        Some(score * 2 + u32::from(self.page.is_empty()))
    }
}

impl Index {
    pub fn new(guides: &[GuidePage], groups: &[OperationGroup]) -> Index {
        let mut entries = Vec::new();
        for page in guides {
            add_guide(&mut entries, page);
        }
        for reference in groups.iter().flat_map(|group| &group.operations) {
            add_operation(&mut entries, reference);
        }
        Index { entries }
    }

    /// The best results first.
    pub fn find(&self, query: &str) -> Vec<Found> {
        let query: String = query.chars().take(MAX_QUERY).collect();
        let words: Vec<String> =
            query.split_whitespace().take(MAX_WORDS).map(str::to_lowercase).collect();
        if words.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<(u32, &Entry)> = self
            .entries
            .iter()
            .filter_map(|entry| entry.score(&words).map(|score| (score, entry)))
            .collect();
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let shown = found.into_iter().take(MAX_RESULTS);
        shown
            .map(|(_, entry)| Found {
                kind: entry.kind,
                title: entry.title.clone(),
                page: entry.page.clone(),
                path: entry.path.clone(),
                excerpt: excerpt(entry, &words),
            })
            .collect()
    }
}

fn add_guide(entries: &mut Vec<Entry>, page: &GuidePage) {
    let path = page.guide.path();
    for section in &page.rendered.sections {
        let (within, path) = match section.id.as_str() {
            "" => (String::new(), path.clone()),
            id => (page.rendered.title.clone(), format!("{path}#{id}")),
        };
        entries.push(Entry::new("Guide", &section.title, &within, path, &section.text));
    }
}

fn add_operation(entries: &mut Vec<Entry>, reference: &Reference) {
    let path = reference.address();
    let mut text = format!(
        "{}. {} {} {}",
        reference.summary, reference.description_text, reference.method, reference.path
    );
    for parameter in &reference.parameters {
        text.push_str(&format!(" {}", parameter.name));
    }
    entries.push(Entry::new("Operation", reference.id, "", path.clone(), &text));
    for section in reference.body.iter().chain(&reference.response) {
        for field in &section.fields {
            let text = format!("{}. {}", section.name, plain(&field.meaning));
            let path = format!("{path}#{}", section.name);
            let entry = Entry::new("Field", &field.name, reference.id, path, &text);
            // A component of several operations is found once.
            if !entries.iter().any(|known| known.is_same_field(&entry)) {
                entries.push(entry);
            }
        }
    }
    for error in &reference.errors {
        let path = format!("/docs/errors#{}", error.code);
        if !entries.iter().any(|entry| entry.kind == "Error" && entry.title == error.code) {
            let text = format!("HTTP {}. {}", error.status, plain(&error.meaning));
            entries.push(Entry::new("Error", error.code, "", path, &text));
        }
    }
}

/// The text of short HTML.
fn plain(html: &str) -> String {
    let mut text = String::new();
    let mut parts = html.split('<');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        text.push_str(part.split_once('>').map_or("", |(_, after)| after));
    }
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The text around the first word that is found, with all words marked.
fn excerpt(entry: &Entry, words: &[String]) -> String {
    let lower: Vec<char> = entry.lower_text.chars().collect();
    let text: Vec<char> = entry.text.chars().collect();
    // A lower-case form can have another length; then nothing is marked.
    let comparable = lower.len() == text.len();
    let positions = |word: &String| {
        let word: Vec<char> = word.chars().collect();
        lower.windows(word.len()).position(|window| window == word)
    };
    let first = words.iter().filter_map(positions).min().filter(|_| comparable).unwrap_or(0);
    let start = first.saturating_sub(EXCERPT_BEFORE);
    let end = (start + EXCERPT).min(text.len());
    let mut html = String::new();
    if start > 0 {
        html.push('…');
    }
    let mut at = start;
    while at < end {
        let hit = words.iter().map(|word| word.chars().collect::<Vec<char>>()).find(|word| {
            comparable && at + word.len() <= end && lower[at..at + word.len()] == **word
        });
        match hit {
            Some(word) => {
                let marked: String = text[at..at + word.len()].iter().collect();
                html.push_str(&format!("<mark>{}</mark>", escape_html(&marked)));
                at += word.len();
            }
            None => {
                html.push_str(&escape_html(&text[at].to_string()));
                at += 1;
            }
        }
    }
    if end < text.len() {
        html.push('…');
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Index {
        let entry =
            |kind, title, page, text| Entry::new(kind, title, page, format!("/{title}"), text);
        Index {
            entries: vec![
                entry(
                    "Guide",
                    "Credits",
                    "",
                    "A call <costs> credits. The balance is checked first.",
                ),
                entry("Guide", "Free quota", "Credits", "100 calls each day."),
                entry("Operation", "getCompany", "", "Identity of a company."),
                entry("Field", "cin", "getCompany", "The current CIN of the company."),
            ],
        }
    }

    fn titles(query: &str) -> Vec<String> {
        index().find(query).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn all_words_must_be_found_and_titles_come_first() {
        assert_eq!(titles("CREDITS"), ["Credits"]);
        assert_eq!(titles("company"), ["getCompany", "cin"]);
        assert_eq!(titles("company identity"), ["getCompany"]);
        assert_eq!(titles("cin"), ["cin"]);
        assert!(titles("company nothing").is_empty());
        assert!(titles("  ").is_empty());
    }

    #[test]
    fn an_excerpt_is_escaped_and_marks_the_words() {
        let found = index().find("costs");
        assert_eq!(
            found[0].excerpt,
            "A call &lt;<mark>costs</mark>&gt; credits. The balance is checked first."
        );
    }
}
