//! Tests of the search over the documentation.

use super::{attributes, page, text_of};
use crate::server::serve_embedded;

#[test]
fn a_search_finds_operations_fields_codes_and_sections() {
    serve_embedded(&[], async |server| {
        for (query, first) in [
            ("getcompanycharges", "/docs/reference/getCompanyCharges"),
            ("insufficient_credits", "/docs/errors#insufficient_credits"),
            ("ebitda_derived", "/docs/reference/getCompanyFinancials#FinancialYear"),
            ("secret+scanning", "/docs/guides/authentication#secret-scanning"),
            ("idempotency", "/docs/guides/idempotency"),
            ("Dry+RUN", "/docs/guides/bulk#dry-run"),
        ] {
            let html = page(server, &format!("/docs/search?q={query}")).await;
            let results = html.split("<ol class=\"found").nth(1).unwrap();
            assert_eq!(attributes(results, "href")[0], first, "{query}");
        }
        let html = page(server, "/docs/search?q=insolvency").await;
        assert!(html.contains("<mark>insolvency</mark>"), "{html}");
    });
}

#[test]
fn a_search_says_when_nothing_is_found_and_shows_what_was_typed_as_text() {
    serve_embedded(&[], async |server| {
        let html = page(server, "/docs/search?q=%3Cb%3E+qqqq").await;
        assert!(!html.contains("<b>"), "{html}");
        assert!(text_of(&html).contains("Nothing contains all words of “<b> qqqq”"), "{html}");
        let empty = text_of(&page(server, "/docs/search").await);
        assert!(empty.contains("Type a word"), "{empty}");
        let long = "x".repeat(1_000);
        let html = page(server, &format!("/docs/search?q={long}")).await;
        assert!(!html.contains(&long), "only the beginning is used");
    });
}
