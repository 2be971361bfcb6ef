//! A query, prepared once to be compared with many names.

use rapidfuzz::distance::osa;

use crate::analyze::Name;
use crate::{legal, plural, short_forms, sound};

/// A word of a query.
pub struct PreparedWord {
    /// As it was typed.
    pub plain: String,
    /// In its normal form.
    pub normal: String,
    /// How it sounds.
    pub sound: String,
    /// Words that it may be short for, and short forms of it, in their normal form.
    pub relatives: Vec<String>,
    comparator: osa::BatchComparator<u8>,
}

impl PreparedWord {
    fn new(plain: &str, normal: &str) -> PreparedWord {
        let mut relatives: Vec<String> = Vec::new();
        for relative in short_forms::relatives(plain, normal) {
            let relative = plural::singular(relative);
            if relative != normal && !relatives.contains(&relative) {
                relatives.push(relative);
            }
        }
        PreparedWord {
            plain: plain.to_owned(),
            normal: normal.to_owned(),
            sound: sound::key(normal),
            relatives,
            comparator: osa::BatchComparator::new(plain.bytes()),
        }
    }

    /// Letters added, dropped, replaced or swapped with their neighbour; none above a bound.
    pub fn mistakes(&self, candidate: &str, at_most: usize) -> Option<usize> {
        if self.plain.len().abs_diff(candidate.len()) > at_most {
            return None;
        }
        let arguments = osa::Args::default().score_cutoff(at_most);
        self.comparator.distance_with_args(candidate.bytes(), &arguments)
    }

    /// How alike the spellings are, from 0 to 1.
    pub fn spelling(&self, candidate: &str) -> f64 {
        let longer = self.plain.len().max(candidate.len()).max(1);
        1.0 - self.comparator.distance(candidate.bytes()) as f64 / longer as f64
    }
}

/// A prepared query.
pub struct PreparedQuery {
    /// Its normal form.
    pub name: Name,
    /// Its words.
    pub words: Vec<PreparedWord>,
    /// As typed, without spaces.
    pub compact: String,
    /// In the normal form, without spaces.
    pub normal: String,
    /// Without a legal form at its end that is still being typed.
    pub core: Option<Box<PreparedQuery>>,
    comparator: osa::BatchComparator<u8>,
}

impl PreparedQuery {
    /// Prepares a text.
    pub fn new(text: &str) -> PreparedQuery {
        let mut query = PreparedQuery::of(Name::new(text));
        let started = query.name.plain.len() > 1
            && query.name.suffix.is_none()
            && query.name.plain.last().is_some_and(|word| legal::is_started(word));
        if started {
            let cut = text.trim_end_matches(|c: char| !c.is_alphanumeric());
            let cut = cut.trim_end_matches(char::is_alphanumeric);
            let core = Name::new(cut);
            // One letter says little, unless it follows "Private".
            let telling = query.name.plain.last().is_some_and(|word| word.len() > 1);
            if !core.plain.is_empty() && (telling || core.suffix.is_some()) {
                query.core = Some(Box::new(PreparedQuery::of(core)));
            }
        }
        query
    }

    fn of(name: Name) -> PreparedQuery {
        let words = name.plain.iter().zip(&name.words);
        let compact = name.compact();
        PreparedQuery {
            words: words.map(|(plain, normal)| PreparedWord::new(plain, normal)).collect(),
            normal: name.normal_compact(),
            comparator: osa::BatchComparator::new(compact.bytes()),
            core: None,
            compact,
            name,
        }
    }

    /// How alike whole names are, letter by letter, from 0 to 1.
    pub fn whole_likeness(&self, candidate_compact: &str) -> f64 {
        let longer = self.compact.len().max(candidate_compact.len());
        let at_most = longer / 4;
        if self.compact.len().abs_diff(candidate_compact.len()) > at_most {
            return 0.0;
        }
        let arguments = osa::Args::default().score_cutoff(at_most);
        match self.comparator.distance_with_args(candidate_compact.bytes(), &arguments) {
            Some(mistakes) => 1.0 - mistakes as f64 / longer as f64,
            None => 0.0,
        }
    }
}
