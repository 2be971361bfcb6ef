//! What the search page searches for: the text, the filters, the page and the order. It is written in the
//! address, so that results can be shared.

use panji_api::config::operation::Operation;
use panji_api::http::encoding::encoded;
use panji_import::vocabulary::{company_classes, company_statuses};
use serde::Deserialize;

use super::labels;
use super::language::{key, translated};
use super::page_cache::Part;

/// Companies on a page.
pub const PAGE_SIZE: usize = 25;
/// Directors next to the companies.
pub const MAX_DIRECTORS: usize = 10;
/// The last page of the API.
const MAX_PAGES: i64 = 20;
/// The part of the cached page with the directors.
pub const DIRECTORS: &str = "directors";

#[derive(Clone, Default, Deserialize)]
pub struct SearchQuery {
    #[serde(default)]
    pub q: String,
    #[serde(default)]
    pub state: String,
    #[serde(default)]
    pub status: String,
    #[serde(default)]
    pub class: String,
    #[serde(default)]
    pub listed: String,
    #[serde(default)]
    pub nic: String,
    #[serde(default)]
    pub city: String,
    #[serde(default)]
    pub pincode: String,
    #[serde(default)]
    pub incorporated_from: String,
    #[serde(default)]
    pub incorporated_to: String,
    /// "yes" if directors are searched too.
    #[serde(default)]
    pub directors: String,
    /// The order of the companies; empty for the best match first.
    #[serde(default)]
    pub sort: String,
    #[serde(default)]
    page: Option<i64>,
}

/// The orders: the value in the address and the label. The first is the default.
pub const ORDERS: [(&str, &str); 4] = [
    ("", key("Best match")),
    ("name", key("Name")),
    ("newest", key("Newest")),
    ("oldest", key("Oldest")),
];

impl SearchQuery {
    pub fn of_text(text: &str) -> SearchQuery {
        SearchQuery { q: text.to_owned(), ..SearchQuery::default() }
    }

    pub fn page(&self) -> i64 {
        self.page.unwrap_or(1).clamp(1, MAX_PAGES)
    }

    pub fn wants_directors(&self) -> bool {
        self.directors == "yes"
    }

    /// The filters that are set: the parameter of the API and its value.
    fn filters(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("state", &self.state),
            ("status", &self.status),
            ("class", &self.class),
            ("listed", &self.listed),
            ("nic", &self.nic),
            ("city", &self.city),
            ("pincode", &self.pincode),
            ("incorporated_from", &self.incorporated_from),
            ("incorporated_to", &self.incorporated_to),
        ];
        all.into_iter()
            .map(|(name, value)| (name, value.trim()))
            .filter(|(_, value)| !value.is_empty())
            .collect()
    }

    pub fn filter_count(&self) -> usize {
        self.filters().len()
    }

    /// What a form has to send to get the same results, except the page and the order.
    pub fn fields(&self) -> Vec<(&'static str, &str)> {
        let mut fields = vec![("q", self.q.trim())];
        fields.extend(self.filters());
        if self.wants_directors() {
            fields.push(("directors", "yes"));
        }
        fields
    }

    /// The text and the filters as a query of an address.
    fn searched(&self) -> String {
        let mut query = format!("q={}", encoded(&self.q));
        for (name, value) in self.filters() {
            query.push_str(&format!("&{name}={}", encoded(value)));
        }
        query
    }

    /// The address of the results in another order.
    pub fn address_in_order(&self, sort: &str) -> String {
        let other = SearchQuery { sort: sort.to_owned(), ..self.clone() };
        other.address()
    }

    /// The address of the results.
    pub fn address(&self) -> String {
        let mut address = format!("/console/search?{}", self.searched());
        if self.wants_directors() {
            address.push_str("&directors=yes");
        }
        if !self.sort.is_empty() {
            address.push_str(&format!("&sort={}", encoded(&self.sort)));
        }
        if self.page() > 1 {
            address.push_str(&format!("&page={}", self.page()));
        }
        address
    }

    /// The cached page whose parts are the pages of the results, and the directors.
    pub fn subject(&self) -> String {
        format!("search/{}", self.searched())
    }

    /// The name of the part with this page of the companies in this order.
    pub fn part_name(&self) -> String {
        match self.sort.as_str() {
            "" => format!("results/{}", self.page()),
            sort => format!("results/{sort}/{}", self.page()),
        }
    }

    /// The name of the part with the first page of the companies, best match first.
    pub fn first_part_name(&self) -> String {
        SearchQuery::of_text(&self.q).part_name()
    }

    pub fn parts(&self) -> Vec<Part> {
        let companies = Part {
            name: self.part_name(),
            operation: Operation::SearchCompanies,
            path: self.companies_path(),
        };
        let directors = self.wants_directors().then(|| Part {
            name: DIRECTORS.to_owned(),
            operation: Operation::SearchDirectors,
            path: format!("/v1/directors/search?q={}&limit={MAX_DIRECTORS}", encoded(&self.q)),
        });
        std::iter::once(companies).chain(directors).collect()
    }

    /// The call of the API for this page of the companies.
    pub fn companies_path(&self) -> String {
        let page = match self.page() {
            1 => String::new(),
            page => format!("&page={page}"),
        };
        let sort = match self.sort.as_str() {
            "" => String::new(),
            sort => format!("&sort={}", encoded(sort)),
        };
        format!("/v1/companies/search?{}&limit={PAGE_SIZE}{page}{sort}", self.searched())
    }
}

/// The options of a filter: value and label.
type Options = Vec<(&'static str, String)>;

/// The states by name. A state whose letters have changed has several; the page offers the newest.
pub fn states() -> Options {
    let mut states: Options = Vec::new();
    for (code, name) in panji_ids::cin_state_codes() {
        if !states.iter().any(|(_, known)| known == name) {
            states.push((code, name.to_owned()));
        }
    }
    let mut states: Options =
        states.into_iter().map(|(code, name)| (code, translated(name))).collect();
    states.sort_by(|one, other| one.1.cmp(&other.1));
    states
}

pub fn statuses() -> Options {
    company_statuses().into_iter().map(|word| (word, labels::label(word))).collect()
}

pub fn classes() -> Options {
    company_classes().into_iter().map(|word| (word, labels::label(word))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> SearchQuery {
        serde_html_form::from_str(text).expect("a query")
    }

    #[test]
    fn the_address_has_what_is_set_and_nothing_else() {
        let address = "/console/search?q=steel%20mills&state=MH&directors=yes&sort=name&page=3";
        let read = query("q=steel+mills&state=MH&status=&city=+&directors=yes&sort=name&page=3");
        assert_eq!(read.address(), address);
        assert_eq!(query("q=steel").address(), "/console/search?q=steel");
        assert_eq!(read.address_in_order(""), address.replace("&sort=name", ""));
    }

    #[test]
    fn the_order_and_the_page_are_no_other_search() {
        let one = query("q=steel&state=MH");
        let other = query("q=steel&state=MH&sort=name&page=2");
        assert_eq!(one.subject(), other.subject());
        assert_ne!(one.part_name(), other.part_name());
        assert_ne!(other.part_name(), query("q=steel&state=MH&page=2").part_name());
        assert_eq!(one.part_name(), other.first_part_name());
        assert_ne!(one.subject(), query("q=steel").subject());
    }

    #[test]
    fn every_state_is_offered_once() {
        let mut names: Vec<String> = states().into_iter().map(|(_, name)| name).collect();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(count > 30, "{count}");
    }
}
