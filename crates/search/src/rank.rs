//! Ordering candidates: a pure function of the query and a name.

use crate::analyze::Name;

/// How a company's name fits the query, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The query is the company's number, or the beginning of it.
    Cin,
    /// The names are the same in their normal form.
    Exact,
    /// The name begins with the query.
    Prefix,
    /// Every word of the query is a word of the name, or the beginning of one.
    Words,
    /// Words are alike but not the same.
    Fuzzy,
}

impl Match {
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

/// How well a name fits the query: the kind of match, and a score between 0 and 1 that orders
/// candidates of every kind. Kinds have bands of their own, so a better kind always wins.
pub fn rank(query: &Name, candidate: &Name, traits: Traits) -> Option<(Match, f64)> {
    let (kind, closeness) = compare(query, candidate)?;
    let (floor, width) = match kind {
        Match::Cin | Match::Exact => (0.9, 0.06),
        Match::Prefix => (0.7, 0.15),
        Match::Words => (0.45, 0.2),
        Match::Fuzzy => (0.1, 0.3),
    };
    let suffix_fits = query.suffix.is_some() && query.suffix == candidate.suffix;
    let tie_breakers = 0.02 * f64::from(u8::from(suffix_fits))
        + 0.01 * f64::from(u8::from(traits.active))
        + 0.006 * f64::from(u8::from(!traits.former_name))
        + 0.004 * f64::from(u8::from(traits.listed));
    Some((kind, floor + width * closeness + tie_breakers))
}

fn compare(query: &Name, candidate: &Name) -> Option<(Match, f64)> {
    let (asked, held) = (query.joined(), candidate.joined());
    if asked.is_empty() {
        return None;
    }
    if asked == held || query.compact() == candidate.compact() {
        return Some((Match::Exact, 1.0));
    }
    let covered = asked.chars().count() as f64 / held.chars().count().max(1) as f64;
    if held.starts_with(&asked) || candidate.compact().starts_with(&query.compact()) {
        return Some((Match::Prefix, covered.min(1.0)));
    }
    let likeness: Vec<f64> = query
        .words
        .iter()
        .map(|word| {
            candidate.words.iter().map(|held| word_likeness(word, held)).fold(0.0, f64::max)
        })
        .collect();
    let mean = likeness.iter().sum::<f64>() / likeness.len() as f64;
    if likeness.iter().all(|likeness| *likeness >= BEGINNING) {
        return Some((Match::Words, (mean * covered.min(1.0)).clamp(0.0, 1.0)));
    }
    (mean > 0.4).then_some((Match::Fuzzy, (mean * covered.min(1.0 / covered)).clamp(0.0, 1.0)))
}

/// The likeness of a word that is the beginning of another.
const BEGINNING: f64 = 0.9;

fn word_likeness(asked: &str, held: &str) -> f64 {
    if asked == held {
        return 1.0;
    }
    if held.starts_with(asked) {
        return BEGINNING;
    }
    let longer = asked.chars().count().max(held.chars().count());
    let distance = edit_distance(asked, held);
    let likeness = 1.0 - distance as f64 / longer as f64;
    if likeness >= 0.6 { likeness * 0.85 } else { 0.0 }
}

/// Letters added, dropped, replaced or swapped with their neighbour.
fn edit_distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut current = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut cost =
                (previous[j] + usize::from(a != b)).min(previous[j + 1] + 1).min(current[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                cost = cost.min(before[j - 1] + 1);
            }
            current.push(cost);
        }
        before = std::mem::replace(&mut previous, current);
    }
    previous[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in the order in which the query finds them, each with its kind of match.
    fn order(query: &str, names: &[&str]) -> Vec<(String, Match)> {
        let asked = Name::new(query);
        let mut ranked: Vec<(f64, String, Match)> = names
            .iter()
            .filter_map(|name| {
                let (kind, score) = rank(&asked, &Name::new(name), Traits::default())?;
                Some((score, (*name).to_owned(), kind))
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.into_iter().map(|(_, name, kind)| (name, kind)).collect()
    }

    #[test]
    fn exact_comes_before_prefix_before_words_before_fuzzy() {
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
        assert_eq!(found[0].0, "Chaya LLP");
    }

    #[test]
    fn nothing_alike_is_not_a_match() {
        assert_eq!(order("zzz qqq", &["Kalpanik Mills"]), []);
        assert_eq!(order("", &["Kalpanik Mills"]), []);
    }

    #[test]
    fn swapped_letters_are_one_mistake() {
        assert_eq!(edit_distance("kalpanik", "kalpnaik"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("laxmi", "lakshmi"), 3);
    }

    #[test]
    fn scores_stay_between_0_and_1() {
        let traits = Traits { active: true, listed: true, former_name: false };
        let name = Name::new("Kalpanik Limited");
        let (_, score) = rank(&name, &name, traits).expect("a name fits itself");
        assert!(score <= 1.0, "{score}");
    }
}
