//! Tests that the search reaches the required success rates on golden queries; times are not
//! tested.

use std::collections::HashMap;
use std::path::PathBuf;

use panji_search::{Generations, IndexKind, Match, Search, SearchRequest, build_from};

use crate::companies::{Company, real, synthetic};
use crate::golden::{self, Slice, score};

/// Companies of the synthetic register, and queries of each slice.
const COMPANIES: u64 = 12_000;
const PER_SLICE: usize = 100;

struct Indexed {
    companies: Vec<Company>,
    search: Search,
    _directory: tempfile::TempDir,
}

impl Indexed {
    fn new(companies: Vec<Company>) -> Indexed {
        let directory = tempfile::tempdir().unwrap();
        let generations = Generations::open(directory.path()).unwrap();
        build_from(&generations, companies.iter().map(Company::indexed)).unwrap();
        let search = Search::open(IndexKind::Companies, directory.path()).unwrap();
        Indexed { companies, search, _directory: directory }
    }

    fn names(&self, text: &str) -> Vec<(String, Match)> {
        let request = SearchRequest { text, limit: 10, ..SearchRequest::default() };
        let found = self.search.find(&request).unwrap().companies;
        found.into_iter().map(|found| (found.name, found.kind_of_match)).collect()
    }

    fn check_golden_set(&self) {
        let positions: HashMap<&str, u32> =
            self.companies.iter().map(|company| company.cin.as_str()).zip(0..).collect();
        let queries = golden::make(&self.companies, PER_SLICE, 11);
        assert!(queries.len() >= 1_000, "{} queries", queries.len());
        let results: Vec<Vec<u32>> = queries
            .iter()
            .map(|query| {
                let request =
                    SearchRequest { text: &query.text, limit: 10, ..SearchRequest::default() };
                let found = self.search.find(&request).unwrap().companies;
                found.iter().map(|found| positions[found.cin.as_str()]).collect()
            })
            .collect();
        for (slice, name, wanted) in Slice::ALL {
            let score = score::score(slice, queries.iter().zip(&results));
            assert_eq!(score.queries, PER_SLICE, "{name}");
            assert!(score.success_at_1 >= wanted, "{name}: {score:?}");
        }
    }
}

/// The directory of the real files, if the environment names it.
#[allow(clippy::disallowed_methods, reason = "names the real files, if there are any")]
fn real_files() -> Option<PathBuf> {
    std::env::var_os("PANJI_REAL_DATA").map(PathBuf::from)
}

#[test]
fn the_golden_set_of_synthetic_names_passes() {
    Indexed::new(synthetic(COMPANIES).collect()).check_golden_set();
}

#[test]
fn unknown_names_never_match_exactly() {
    let indexed = Indexed::new(synthetic(COMPANIES).collect());
    // Names from a larger register: similar to the indexed ones, but mostly not among them.
    let indexed_names: std::collections::HashSet<String> = indexed
        .companies
        .iter()
        .flat_map(|company| std::iter::once(&company.name).chain(&company.former_names))
        .map(|name| golden::key::NormalizedName::new(name).key())
        .collect();
    let others = synthetic(COMPANIES + 400).skip(COMPANIES as usize);
    let others = others.filter(|company| {
        !indexed_names.contains(&golden::key::NormalizedName::new(&company.name).key())
    });
    let mut unknown = 0;
    for other in others {
        unknown += 1;
        for (name, kind) in indexed.names(&other.name) {
            // Only plurals and abbreviations make two names equal.
            let same = panji_search::is_same_name(&name, &other.name);
            assert!(kind != Match::Exact || same, "{} got {name}", other.name);
        }
    }
    assert!(unknown > 200, "{unknown} unknown names");
}

#[test]
fn the_golden_set_of_the_real_files_passes() {
    let Some(data) = real_files() else { return };
    Indexed::new(real(&data).unwrap()).check_golden_set();
}

#[test]
fn well_known_companies_are_first_despite_typing_mistakes() {
    let Some(data) = real_files() else { return };
    let indexed = Indexed::new(real(&data).unwrap());
    let cases = [
        ("automobil corporaton of goa", "AUTOMOBILE CORPORATION OF GOA LIMITED"),
        ("goa carbn", "GOA CARBON LIMITED"),
        ("dlink india", "D-LINK (INDIA) LIMITED."),
        ("zuari agro chemcials", "ZUARI AGRO CHEMICALS LIMITED"),
        ("choughule steamship", "CHOWGULE STEAMSHIPS LIMITED"),
        ("sandhu pharma", "SANDU PHARMACEUTICALS LIMITED"),
        ("centurian bank panjab", "CENTURION BANK OF PUNJAB LIMITED"),
        ("smart link holding", "SMARTLINK HOLDINGS LIMITED"),
        ("gkb opthalmics", "GKB OPHTHALMICS LIMITED"),
        ("I.G. petrochem", "I G PETROCHEMICALS LIMITED"),
        ("bluecost hotels", "BLUE COAST HOTELS LIMITED"),
        ("denora india", "DE NORA INDIA LIMITED"),
        ("naturls beauty saloon india", "NATURALS BEAUTY SALON INDIA PRIVATE LIMITED"),
        ("purasai sarvana chitfund", "PURASAI SARAVANA CHIT FUND PRIVATE LIMITED"),
        ("healers naturals india", "HEALERS (INDIA) NATURALS PRIVATE LIMITED"),
        ("sara store pvt ltd", "SARA STORES PRIVATE LIMITED"),
    ];
    for (text, name) in cases {
        let found = indexed.names(text);
        assert_eq!(found.first().map(|(found, _)| found.as_str()), Some(name), "{text}: {found:?}");
    }
}
