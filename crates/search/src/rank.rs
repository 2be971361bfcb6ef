//! Ordering candidates: a pure function of the query and a name.

use crate::analyze::Name;
use crate::likeness::{Fit, fit};
use crate::prepared_query::PreparedQuery;

/// How a company's name fits the query, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The query is the company's number, or the beginning of it.
    Cin,
    /// The names are the same in their normal form, and so is the legal form, where one was typed.
    Exact,
    /// The name begins with the query.
    Prefix,
    /// Every word of the query is a word of the name, the beginning of one, or short for one.
    Words,
    /// Words are alike but not the same.
    Fuzzy,
}

impl Match {
    /// Every way, best first.
    pub const ALL: [Match; 5] =
        [Match::Cin, Match::Exact, Match::Prefix, Match::Words, Match::Fuzzy];

    /// The word in the answer.
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

/// What is known of a candidate besides its name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traits {
    /// The company is active.
    pub active: bool,
    /// It is listed.
    pub listed: bool,
    /// The name is one it had before.
    pub former_name: bool,
}

/// The best that a name can have without tie-breakers; these fill the rest up to 1.
const SAME: f64 = 0.96;
/// The same words in another number, or written short.
const SAME_NORMAL: f64 = 0.95;
/// The same words in another order, or with a short form of several meanings.
const SAME_WORDS: f64 = 0.93;
/// The same name with another legal form than the one that was typed.
const OTHER_FORM: f64 = 0.915;
/// The best that a beginning can have.
const BEGINNING: f64 = 0.90;
/// What other words than the typed ones, in another order besides, keep of their likeness.
const OTHER_ORDER: f64 = 0.97;
/// Below this likeness two names have nothing to do with each other.
const UNLIKE: f64 = 0.6;

/// How well a name fits the query: the kind of match, and a score between 0 and 1 that orders
/// candidates of every kind.
pub fn rank(query: &PreparedQuery, candidate: &Name, traits: Traits) -> Option<(Match, f64)> {
    let whole = compare(query, candidate);
    // A legal form that is still being typed is no word of the name.
    let started = query.core.as_ref().and_then(|core| {
        let (kind, closeness) = compare(core, candidate)?;
        Some((kind.max(Match::Prefix), closeness.min(OTHER_FORM)))
    });
    let better = |one: &(Match, f64), other: &(Match, f64)| one.1.total_cmp(&other.1);
    let (kind, closeness) = whole.into_iter().chain(started).max_by(better)?;
    let typed = query.core.as_ref().map_or(query.name.suffix, |core| core.name.suffix);
    let suffix_fits = typed.is_some() && typed == candidate.suffix;
    let tie_breakers = 0.02 * f64::from(u8::from(suffix_fits))
        + 0.01 * f64::from(u8::from(traits.active))
        + 0.006 * f64::from(u8::from(!traits.former_name))
        + 0.004 * f64::from(u8::from(traits.listed));
    Some((kind, closeness + tie_breakers))
}

fn compare(query: &PreparedQuery, candidate: &Name) -> Option<(Match, f64)> {
    if query.compact.is_empty() {
        return None;
    }
    let candidate_compact = candidate.compact();
    let form_fits = query.name.suffix.is_none() || query.name.suffix == candidate.suffix;
    let same = |closeness| {
        Some(if form_fits { (Match::Exact, closeness) } else { (Match::Prefix, OTHER_FORM) })
    };
    if query.compact == candidate_compact {
        return same(SAME);
    }
    if query.normal == candidate.normal_compact() {
        return same(SAME_NORMAL);
    }
    let covered = (query.compact.len() as f64 / candidate_compact.len().max(1) as f64).min(1.0);
    let begins = candidate_compact.starts_with(&query.compact);
    let fit = fit(query, candidate);
    if fit.every_word && fit.every_held_word {
        let kind = if begins { Match::Prefix } else { Match::Words };
        return Some((kind, SAME_WORDS));
    }
    if begins {
        // What counts is how many more words there are, and hardly how long these are: of two names
        // that go on with one word each, a listed company shall come first.
        let of_words = query.words.len() as f64 / candidate.plain.len() as f64;
        let at_a_word = if begins_with_words(&query.name, candidate) { 0.10 } else { 0.0 };
        let closeness = 0.66 + 0.19 * of_words.min(1.0) + 0.01 * covered + at_a_word;
        let closeness = closeness.min(BEGINNING);
        return Some((Match::Prefix, closeness));
    }
    let whole = query.whole_likeness(&candidate_compact);
    let fuzzy = fuzzy_closeness(&fit, whole);
    if fit.every_word {
        let in_order = if fit.in_order { 0.02 } else { 0.0 };
        let words = 0.45 + 0.38 * fit.of_held + in_order;
        return Some((Match::Words, words.max(fuzzy.unwrap_or(0.0))));
    }
    fuzzy.map(|closeness| (Match::Fuzzy, closeness))
}

fn begins_with_words(query: &Name, candidate: &Name) -> bool {
    candidate.plain.starts_with(&query.plain)
}

/// Names may be alike letter by letter, or word by word: the better one counts.
fn fuzzy_closeness(fit: &Fit, whole: f64) -> Option<f64> {
    let by_words = 0.65 * fit.of_asked + 0.35 * fit.of_held;
    let by_words = if fit.in_order { by_words } else { by_words * OTHER_ORDER };
    let likeness = by_words.max(whole);
    (likeness >= UNLIKE).then_some(0.88 * likeness * likeness)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order<'a>(query: &str, names: &[&'a str]) -> Vec<(&'a str, Match)> {
        let query = PreparedQuery::new(query);
        let mut ranked: Vec<(&str, Match, f64)> = names
            .iter()
            .filter_map(|name| {
                let (kind, score) = rank(&query, &Name::new(name), Traits::default())?;
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
    fn exact_names_before_prefix_before_words_before_fuzzy() {
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
    fn a_suffix_that_was_typed_counts() {
        let found = order("chaya llp", &["Chaya Limited", "Chaya LLP", "Chaya Private Limited"]);
        assert_eq!(found[0], ("Chaya LLP", Match::Exact));
        assert!(found[1..].iter().all(|(_, kind)| *kind == Match::Prefix), "{found:?}");
    }

    #[test]
    fn a_legal_form_may_be_half_typed() {
        for query in ["namuna mills pri", "namuna mills private li", "namuna mills pvt l"] {
            let names = ["Namuna Mills Printers Ltd", "Namuna Mills Private Limited"];
            let (_, kind) = first(query, &names[1..]);
            assert_eq!(kind, Match::Prefix, "{query}");
        }
    }

    #[test]
    fn nothing_alike_is_not_a_match() {
        assert_eq!(order("zzz qqq", &["Kalpanik Mills"]), []);
        assert_eq!(order("", &["Kalpanik Mills"]), []);
    }

    #[test]
    fn the_name_that_people_mean_goes_first() {
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
    fn where_names_tie_traits_decide() {
        let query = PreparedQuery::new("namuna");
        let name = Name::new("Namuna Limited");
        let score = |active, listed, former_name| {
            rank(&query, &name, Traits { active, listed, former_name }).expect("it fits").1
        };
        assert!(score(true, false, false) > score(false, true, false), "active first");
        assert!(score(true, false, false) > score(true, true, true), "present before former");
        assert!(score(true, true, false) > score(true, false, false), "listed before unlisted");
    }

    #[test]
    fn scores_stay_between_0_and_1() {
        let traits = Traits { active: true, listed: true, former_name: false };
        for text in ["Kalpanik Limited", "a", "1", "The"] {
            let (_, score) = rank(&PreparedQuery::new(text), &Name::new(text), traits)
                .expect("a name fits itself");
            assert!((0.9..=1.0).contains(&score), "{score}");
        }
    }
}
