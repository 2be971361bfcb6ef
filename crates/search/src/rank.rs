//! Ranks candidates by a pure function of the query and a name.

use std::io;

use crate::analyze::Name;
use crate::prepared_query::PreparedQuery;
use crate::rarity::Rarity;
use crate::similarity::{Fit, OTHER_WORD, fit};

/// How a company matches the query, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The query is the company's number, or its beginning.
    Cin,
    /// The names are equal in their normal form, and so is the legal form, if one was typed.
    Exact,
    /// The name begins with the query.
    Prefix,
    /// Every word of the query is a word of the name, the beginning of one, or an abbreviation.
    Words,
    /// Words are similar but not equal.
    Fuzzy,
}

impl Match {
    pub const ALL: [Match; 5] =
        [Match::Cin, Match::Exact, Match::Prefix, Match::Words, Match::Fuzzy];

    /// The word in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Match::Cin => "cin",
            Match::Exact => "exact",
            Match::Prefix => "prefix",
            Match::Words => "words",
            Match::Fuzzy => "fuzzy",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    pub kind: Match,
    /// From 0 to 1; at least 0.8 means the same name.
    pub score: f64,
    /// Whether a high score ends the search.
    pub is_conclusive: bool,
}

/// What decides between candidates whose names match equally well.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attributes {
    pub active: bool,
    pub listed: bool,
    /// Whether the name is a former name.
    pub former_name: bool,
    /// The share of the words after the name that are in the company's city, state or PIN code.
    pub place: f64,
}

/// The closeness of equal names; tie-breakers fill the rest up to 1.
const SAME_NAME_SCORE: f64 = 0.96;
/// Of the same words in the plural, or abbreviated.
const SAME_NORMAL: f64 = 0.95;
/// Of the same words in another order, or with an abbreviation of several meanings.
const SAME_WORDS: f64 = 0.93;
/// Of the same name with another legal form than the typed one.
const OTHER_FORM: f64 = 0.915;
/// The highest closeness of a beginning.
const BEGINNING: f64 = 0.90;
/// The highest closeness of a name after which a legal form may be incomplete: lower than of a name
/// that continues with such a word.
const STARTED_FORM: f64 = 0.78;
/// The highest closeness of a name that is followed by a city or an address.
const WITH_PLACE: f64 = 0.88;
/// The factor on the closeness if other words follow the legal form.
const WITH_TAIL: f64 = 0.985;
/// The factor on the similarity of words in another order.
const OTHER_ORDER: f64 = 0.97;
/// Below this similarity two names do not match.
const UNLIKE: f64 = 0.6;
/// From this matched share of a query on, the rest of it is unimportant.
const SUFFICIENT_MATCHED_SHARE: f64 = 0.9;
/// The factor on the closeness of a different name: with all tie-breakers it stays below 0.8, so
/// the score shows whether it is the typed name.
const DIFFERENT_NAME_FACTOR: f64 = 0.84;

/// Compares a name with the query. The score orders candidates of all kinds of match; none if the
/// name does not match.
pub fn rank(
    query: &PreparedQuery,
    candidate: &Name,
    attributes: Attributes,
    rarity: &Rarity<'_>,
) -> io::Result<Option<Ranked>> {
    let mut matches: Vec<NameMatch> = Vec::new();
    matches.extend(compare(query, candidate, rarity)?);
    // An incomplete legal form is not a word of the name.
    if let Some(core) = &query.core {
        let most = if core.name.suffix.is_some() { OTHER_FORM } else { STARTED_FORM };
        let found = compare(core, candidate, rarity)?;
        matches.extend(found.map(|found| found.limited(Match::Prefix, most)));
    }
    if let Some(head) = &query.head {
        // The name ends there: a longer name does not match.
        let ends = |found: &NameMatch| found.kind != Match::Prefix || found.closeness >= OTHER_FORM;
        let found = compare(&head.query, candidate, rarity)?.filter(ends);
        matches.extend(found.map(|found| match head.certain {
            true => NameMatch { closeness: found.closeness * WITH_TAIL, ..found },
            false => found.limited(Match::Words, WITH_PLACE),
        }));
    }
    let better = |one: &NameMatch, other: &NameMatch| one.closeness.total_cmp(&other.closeness);
    let Some(best) = matches.into_iter().max_by(better) else { return Ok(None) };
    let typed = match (&query.core, &query.head) {
        (Some(core), _) => core.name.suffix,
        (None, Some(head)) if head.certain => head.query.name.suffix,
        _ => query.name.suffix,
    };
    let suffix_fits = typed.is_some() && typed == candidate.suffix;
    let suffix = f64::from(u8::from(suffix_fits));
    // The place also decides between names with the typed legal form.
    let tie_breakers = 0.02 * suffix.max(attributes.place)
        + 0.01 * suffix.min(attributes.place)
        + 0.01 * f64::from(u8::from(attributes.active))
        + 0.006 * f64::from(u8::from(!attributes.former_name))
        + 0.004 * f64::from(u8::from(attributes.listed));
    let share = if best.closeness >= OTHER_FORM * WITH_TAIL { 1.0 } else { DIFFERENT_NAME_FACTOR };
    let score = ((best.closeness + tie_breakers) * share).min(1.0);
    Ok(Some(Ranked { kind: best.kind, score, is_conclusive: best.is_conclusive }))
}

/// One possible match of a name.
struct NameMatch {
    kind: Match,
    closeness: f64,
    is_conclusive: bool,
}

impl NameMatch {
    fn of(kind: Match, closeness: f64) -> NameMatch {
        NameMatch { kind, closeness, is_conclusive: true }
    }

    /// Limits the kind and the closeness.
    fn limited(self, kind: Match, most: f64) -> NameMatch {
        NameMatch { kind: self.kind.max(kind), closeness: self.closeness.min(most), ..self }
    }
}

fn compare(
    query: &PreparedQuery,
    candidate: &Name,
    rarity: &Rarity<'_>,
) -> io::Result<Option<NameMatch>> {
    if query.compact.is_empty() {
        return Ok(None);
    }
    let candidate_compact = candidate.compact();
    let form_fits = query.name.suffix.is_none() || query.name.suffix == candidate.suffix;
    let same = |closeness| {
        let other = || NameMatch::of(Match::Prefix, OTHER_FORM);
        Some(if form_fits { NameMatch::of(Match::Exact, closeness) } else { other() })
    };
    if query.compact == candidate_compact {
        return Ok(same(SAME_NAME_SCORE));
    }
    if query.normal == candidate.normal_compact() {
        return Ok(same(SAME_NORMAL));
    }
    let covered = (query.compact.len() as f64 / candidate_compact.len().max(1) as f64).min(1.0);
    let begins = candidate_compact.starts_with(&query.compact);
    let fit = fit(query, candidate, rarity)?;
    if fit.every_word && fit.every_name_word {
        let kind = if begins { Match::Prefix } else { Match::Words };
        return Ok(Some(NameMatch::of(kind, SAME_WORDS)));
    }
    if begins {
        // The number of further words counts, and their length hardly: of two names with one
        // further word each, a listed company should be first.
        let of_words = query.words.len() as f64 / candidate.plain.len() as f64;
        let at_a_word = if begins_with_words(&query.name, candidate) { 0.10 } else { 0.0 };
        let closeness = 0.66 + 0.19 * of_words.min(1.0) + 0.01 * covered + at_a_word;
        let closeness = closeness.min(BEGINNING);
        return Ok(Some(NameMatch::of(Match::Prefix, closeness)));
    }
    let whole = query.mistakes(&candidate_compact).map(|mistakes| whole_similarity(&fit, mistakes));
    let mut fuzzy = fuzzy_closeness(&fit, whole.unwrap_or(0.0));
    // A whole name with more words after it (an address, a branch), or a longer name with a
    // mistake, unless the further words are unimportant.
    let is_conclusive = !fit.leads || fit.of_query >= SUFFICIENT_MATCHED_SHARE;
    if fit.leads {
        fuzzy = Some(fuzzy.unwrap_or(0.0).max(0.48 + 0.40 * fit.of_query));
    }
    if fit.every_word {
        let in_order = if fit.in_order { 0.02 } else { 0.0 };
        let words = 0.45 + 0.38 * fit.of_name + in_order;
        return Ok(Some(NameMatch::of(Match::Words, words.max(fuzzy.unwrap_or(0.0)))));
    }
    Ok(fuzzy.map(|closeness| NameMatch { is_conclusive, ..NameMatch::of(Match::Fuzzy, closeness) }))
}

fn begins_with_words(query: &Name, candidate: &Name) -> bool {
    candidate.plain.starts_with(&query.plain)
}

/// The similarity of names by letters. Equal words count by their rarity: the letters of a long
/// common word would count too much.
fn whole_similarity(fit: &Fit, mistakes: usize) -> f64 {
    let others = 1.0 - mistakes as f64 / fit.other_letters.max(mistakes).max(1) as f64;
    let share = if fit.others_known { OTHER_WORD } else { 1.0 };
    fit.of_equal + (1.0 - fit.of_equal) * others * share
}

/// The higher of the similarities by letters and by words.
fn fuzzy_closeness(fit: &Fit, whole: f64) -> Option<f64> {
    let by_words = 0.65 * fit.of_query + 0.35 * fit.of_name;
    let by_words = if fit.in_order { by_words } else { by_words * OTHER_ORDER };
    let similarity = by_words.max(whole);
    (similarity >= UNLIKE).then_some(0.88 * similarity * similarity)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(query: &str, name: &str, attributes: Attributes) -> Option<(Match, f64)> {
        let rarity = Rarity::even();
        let query = PreparedQuery::new(query, &rarity).expect("no index is read");
        let ranked =
            rank(&query, &Name::new(name), attributes, &rarity).expect("no index is read")?;
        Some((ranked.kind, ranked.score))
    }

    fn order<'a>(query: &str, names: &[&'a str]) -> Vec<(&'a str, Match)> {
        let mut ranked: Vec<(&str, Match, f64)> = names
            .iter()
            .filter_map(|name| {
                let (kind, score) = ranked(query, name, Attributes::default())?;
                Some((*name, kind, score))
            })
            .collect();
        ranked.sort_by(|a, b| b.2.total_cmp(&a.2));
        ranked.into_iter().map(|(name, kind, _)| (name, kind)).collect()
    }

    fn first<'a>(query: &str, names: &[&'a str]) -> (&'a str, Match) {
        order(query, names)[0]
    }

    #[test]
    fn exact_matches_rank_before_prefix_before_words_before_fuzzy() {
        let found = order(
            "kalpanik agro",
            &[
                "Kalpanic Agra",
                "New Agro Kalpanik Limited",
                "Kalpanik Agro Foods",
                "Kalpanik Agro Ltd",
            ],
        );
        let kinds: Vec<Match> = found.iter().map(|(_, kind)| *kind).collect();
        assert_eq!(kinds, [Match::Exact, Match::Prefix, Match::Words, Match::Fuzzy]);
    }

    #[test]
    fn a_typed_legal_form_counts() {
        let found = order("chaya llp", &["Chaya Limited", "Chaya LLP", "Chaya Private Limited"]);
        assert_eq!(found[0], ("Chaya LLP", Match::Exact));
        assert!(found[1..].iter().all(|(_, kind)| *kind == Match::Prefix), "{found:?}");
    }

    #[test]
    fn a_legal_form_may_be_incomplete() {
        for query in ["namuna mills pri", "namuna mills private li", "namuna mills pvt l"] {
            let names = ["Namuna Mills Private Limited"];
            assert_eq!(first(query, &names), (names[0], Match::Prefix), "{query}");
        }
        let names = ["Namuna Mills Printers Ltd", "Namuna Mills Private Limited"];
        assert_eq!(first("namuna mills pri", &names).0, names[0], "a word before a legal form");
    }

    #[test]
    fn a_city_or_an_address_may_follow_a_name() {
        let names = ["Kalpanik Mills Private Limited", "Kalpanik Foods Private Limited"];
        for query in [
            "kalpanik mills pvt ltd mumbai",
            "Kalpanik Mills Private Limited, 4 Carter Road, Bandra",
            "kalpanik mills, main road branch",
            "kalpanik mills 400001",
        ] {
            assert_eq!(first(query, &names).0, names[0], "{query}");
        }
    }

    #[test]
    fn initials_are_not_abbreviations() {
        let found = order("K D Films", &["Kharodia Films Ltd", "K.D. Films Ltd"]);
        assert_eq!(found[0], ("K.D. Films Ltd", Match::Exact));
        let score =
            |name| ranked("K D Films", name, Attributes::default()).map_or(0.0, |(_, score)| score);
        assert!(score("Kharodia Films Ltd") < 0.5);
    }

    #[test]
    fn only_the_same_name_scores_high() {
        let attributes = Attributes { active: true, listed: true, former_name: false, place: 1.0 };
        let score = |query, name| ranked(query, name, attributes).map_or(0.0, |(_, score)| score);
        for (query, name) in [
            ("namuna mills", "Namuna Mills Ltd"),
            ("mills namuna", "Namuna Mills Ltd"),
            ("namuna mill llp", "Namuna Mills Ltd"),
            ("namuna mills ltd pune", "Namuna Mills Ltd"),
        ] {
            assert!(score(query, name) >= 0.8, "{query} {name}");
        }
        for (query, name) in [
            ("namuna", "Namuna Mills Ltd"),
            ("namuna mils", "Namuna Mills Ltd"),
            ("namuna mills services", "Namuna Mills Ltd"),
            ("namuna mills", "Namuna Spinning Mills Ltd"),
        ] {
            assert!(score(query, name) < 0.8, "{query} {name}");
        }
    }

    #[test]
    fn different_names_do_not_match() {
        assert_eq!(order("zzz qqq", &["Kalpanik Mills"]), []);
        assert_eq!(order("", &["Kalpanik Mills"]), []);
    }

    #[test]
    fn the_expected_name_is_first() {
        use Match::{Exact, Fuzzy, Prefix, Words};
        let cases: &[(&str, &[&str], Match)] = &[
            ("laxmi traders", &["Lakshmi Traders Ltd", "Lakhani Traders Ltd"], Fuzzy),
            ("traders ganesh", &["Ganesh Traders Ltd", "Ganesh Traders And Sons Ltd"], Words),
            ("bharat gas", &["Bharatgas Ltd", "Bharat Gas Agency Ltd"], Exact),
            ("bharatgas", &["Bharat Gas Ltd", "Bharatgas Agency Ltd"], Exact),
            ("namuna intl", &["Namuna International Ltd", "Namuna Intel Ltd"], Exact),
            ("namuna tech", &["Namuna Technologies Ltd", "Namuna Tea Ltd"], Prefix),
            ("ind namuna", &["Indian Namuna Ltd", "Indigo Namuna Ltd"], Words),
            ("kalpnaik industries", &["Kalpanik Industries Ltd", "Kalpanik Indus Ltd"], Fuzzy),
            ("21st namuna", &["Twenty First Namuna Ltd", "21st Namak Ltd"], Exact),
            ("b k namuna", &["B.K. Namuna Ltd", "B.K.N. Namuna Ltd"], Exact),
            ("namun", &["Namuna Ltd", "Namunesh Industries Ltd"], Prefix),
            ("namuna", &["Namuna Steel Ltd", "Namunabad Ltd", "Namuna Steel Works Ltd"], Prefix),
            (
                "namuna st",
                &["Namuna Steel Ltd", "Namuna Steel Works Ltd", "Steel Namuna Ltd"],
                Prefix,
            ),
        ];
        for (query, names, kind) in cases {
            assert_eq!(first(query, names), (names[0], *kind), "{query}");
        }
    }

    #[test]
    fn attributes_decide_between_equal_names() {
        let score = |active, listed, former_name| {
            let attributes = Attributes { active, listed, former_name, place: 0.0 };
            ranked("namuna", "Namuna Limited", attributes).expect("it fits").1
        };
        assert!(score(true, false, false) > score(false, true, false), "active first");
        assert!(score(true, false, false) > score(true, true, true), "current before former");
        assert!(score(true, true, false) > score(true, false, false), "listed before unlisted");
    }

    #[test]
    fn scores_stay_between_0_and_1() {
        let attributes = Attributes { active: true, listed: true, former_name: false, place: 1.0 };
        for text in ["Kalpanik Limited", "a", "1", "The"] {
            let (_, score) = ranked(text, text, attributes).expect("a name fits itself");
            assert!((0.9..=1.0).contains(&score), "{score}");
        }
    }
}
