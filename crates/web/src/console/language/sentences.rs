//! Sentences that lower layers write in English, such as messages of the API: recognized by their
//! pattern in the catalog.

use std::sync::OnceLock;

use super::catalog::entries;
use super::dates::with_month;
use super::{filled, in_hindi, translation};

struct Pattern {
    /// The text before, between and after the places.
    literals: Vec<&'static str>,
    /// The numbers of the places, in the order of the English text.
    places: Vec<usize>,
    hindi: &'static str,
}

/// The translation of a sentence that is only known at run time; without a pattern it stays
/// English.
pub fn sentence(text: &str) -> String {
    if !in_hindi() {
        return text.to_owned();
    }
    if let Some(translated) = translation(text) {
        return translated.to_owned();
    }
    let found = patterns().iter().find_map(|pattern| pattern.read(text));
    found.unwrap_or_else(|| text.to_owned())
}

/// Those with the most text of their own first.
fn patterns() -> &'static [Pattern] {
    static PATTERNS: OnceLock<Vec<Pattern>> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        let mut patterns: Vec<Pattern> = entries(include_str!("../hindi/sentences.txt"))
            .filter_map(|(english, hindi)| Pattern::new(english, hindi))
            .collect();
        patterns.sort_by_key(|pattern| {
            std::cmp::Reverse(pattern.literals.iter().map(|literal| literal.len()).sum::<usize>())
        });
        patterns
    })
}

impl Pattern {
    /// None for a text without places.
    fn new(english: &'static str, hindi: &'static str) -> Option<Pattern> {
        let mut pieces = english.split('{');
        let mut pattern = Pattern { literals: vec![pieces.next()?], places: Vec::new(), hindi };
        for piece in pieces {
            let (place, literal) = piece.split_once('}')?;
            pattern.places.push(place.parse().ok()?);
            pattern.literals.push(literal);
        }
        (!pattern.places.is_empty()).then_some(pattern)
    }

    /// The Hindi text with the values of a sentence of this pattern.
    fn read(&self, text: &str) -> Option<String> {
        let (first, others) = self.literals.split_first()?;
        let (last, middle) = others.split_last()?;
        let mut rest = text.strip_prefix(first)?.strip_suffix(last)?;
        let mut values = vec![String::new(); self.places.iter().max()? + 1];
        let mut places = self.places.iter();
        for literal in middle {
            let (value, after) = rest.split_once(literal)?;
            values[*places.next()?] = value_of(value)?;
            rest = after;
        }
        values[*places.next()?] = value_of(rest)?;
        Some(filled(self.hindi, &values))
    }
}

/// A value, which can be a word of the catalog itself.
fn value_of(text: &str) -> Option<String> {
    (!text.is_empty())
        .then(|| translation(text).map_or_else(|| with_month(text.to_owned()), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_recognized_by_its_pattern() {
        let pattern = Pattern::new("{0} filed {1}", "{0} ने {1} दाख़िल किया").expect("a pattern");
        let hindi = "Namuna Limited ने AOC-4 दाख़िल किया";
        assert_eq!(pattern.read("Namuna Limited filed AOC-4").as_deref(), Some(hindi));
        assert_eq!(pattern.read("Namuna Limited filed "), None);
        assert_eq!(pattern.read("Namuna Limited"), None);
        assert!(Pattern::new("no places", "x").is_none());
    }
}
