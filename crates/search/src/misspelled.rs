//! Finds names with typing mistakes in one segment. These stages are the most expensive and run
//! last.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::rc::Rc;

use tantivy::DocId;
use tantivy::postings::TermInfo;

use crate::automaton::Mistaken;
use crate::doc_sets::Group;
use crate::prepared_query::{PreparedQuery, PreparedWord};
use crate::schema::backward;
use crate::snapshot::Terms;
use crate::stages::{MAX_EXPANSIONS, MAX_QUERY_WORDS, Stages};
use crate::typos;

/// A word with more companies is common; other words select candidates.
const MAX_COMPANIES_OF_RARE_WORD: usize = 5_000;
/// The most candidates by score.
const MAX_CANDIDATES: usize = 64;
/// The score of a word of weight 1.
const WORD_SCORE: f64 = 1_000.0;
/// The fewest letters of a word with one mistake, and with two.
const ONE_MISTAKE_FROM: usize = 4;
const TWO_MISTAKES_FROM: usize = 5;
/// The fewest letters of a whole name with two mistakes.
const TWO_MISTAKES_IN_A_NAME_FROM: usize = 8;

/// The terms similar to a text, which several searches for one item need.
#[derive(Default)]
pub struct SimilarTermCache(RefCell<HashMap<(usize, SimilarTo, String), SimilarTerms>>);

type SimilarTerms = Rc<Vec<(String, TermInfo)>>;

/// What is similar to a text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum SimilarTo {
    /// Whole names with this many mistakes.
    Name(usize),
    /// Words with this many mistakes.
    Word(usize),
    /// The same, or longer words.
    LastWord(usize),
}

impl Stages<'_> {
    /// The terms similar to a text, found once.
    fn similar_terms(
        &self,
        similar_to: SimilarTo,
        text: &str,
        find: impl FnOnce() -> io::Result<Vec<(String, TermInfo)>>,
    ) -> io::Result<SimilarTerms> {
        let key = (self.position, similar_to, text.to_owned());
        if let Some(known) = self.similar_term_cache.0.borrow().get(&key) {
            return Ok(known.clone());
        }
        let found = Rc::new(find()?);
        self.similar_term_cache.0.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    /// Companies whose whole name differs by this many mistakes; by two only if none does by one.
    pub fn by_misspelled_name(
        &self,
        query: &PreparedQuery,
        mistakes: usize,
    ) -> io::Result<Vec<DocId>> {
        let (text, keys) = (&query.compact, &self.segment.key);
        let one = || keys.one_mistake_from(text, typos::LETTERS);
        let mut found = self.similar_terms(SimilarTo::Name(1), text, one)?;
        if mistakes == 2 {
            if !found.is_empty() || text.len() < TWO_MISTAKES_IN_A_NAME_FROM {
                return Ok(Vec::new());
            }
            found = self.similar_terms(SimilarTo::Name(2), text, || {
                terms_accepted_by(keys, Mistaken::new(text, 2))
            })?;
        }
        self.of_terms(keys, found.iter().map(|(_, info)| info))
    }

    /// Companies that have most of the words, with mistakes. Rare words select the candidates;
    /// common words only add to their score.
    pub fn by_misspelled_words(
        &self,
        query: &PreparedQuery,
        mistakes: usize,
    ) -> io::Result<Vec<DocId>> {
        let words = &query.words[..query.words.len().min(MAX_QUERY_WORDS)];
        // Words that are in no name are the mistaken ones; if there are none, any word may be.
        let all_known = words.iter().all(|word| word.known);
        let mut common: Vec<(usize, Group)> = Vec::new();
        let mut scores: Vec<(DocId, usize)> = Vec::new();
        for (position, word) in words.iter().enumerate() {
            let mut group = self.word(word, false, true)?;
            // A common word only adds to scores; other spellings of it would add little.
            let is_rare = group.frequency() <= MAX_COMPANIES_OF_RARE_WORD as u64;
            if !word.known || all_known && is_rare {
                let last = position + 1 == query.words.len();
                self.add_misspelled(&mut group, word, mistakes, last)?;
            }
            let weight = (word.weight * WORD_SCORE) as usize;
            if group.frequency() > MAX_COMPANIES_OF_RARE_WORD as u64 {
                common.push((weight, group));
            } else {
                scores.extend(
                    group.collect(MAX_COMPANIES_OF_RARE_WORD).into_iter().map(|doc| (doc, weight)),
                );
            }
        }
        if scores.is_empty() {
            return self.all_but_one(query);
        }
        let mut candidates = count(scores);
        let mut docs: Vec<DocId> = candidates.iter().map(|(doc, _)| *doc).collect();
        if !self.filter.is_empty() {
            self.filter.apply(self.segment, &mut docs)?;
            candidates.retain(|(doc, _)| docs.binary_search(doc).is_ok());
        }
        for (weight, mut group) in common {
            for ((_, scores), mark) in candidates.iter_mut().zip(group.marks(&docs)) {
                *scores += if mark { weight } else { 0 };
            }
        }
        let letters = query.compact.len() as u64;
        let by_score = |(doc, scores): &(DocId, usize)| {
            (std::cmp::Reverse(*scores), self.segment.distance_in_length(*doc, letters))
        };
        if candidates.len() > MAX_CANDIDATES {
            candidates.select_nth_unstable_by_key(MAX_CANDIDATES, by_score);
            candidates.truncate(MAX_CANDIDATES);
        }
        Ok(candidates.into_iter().map(|(doc, _)| doc).collect())
    }

    /// Companies that have all words but one; used if all words are common.
    fn all_but_one(&self, query: &PreparedQuery) -> io::Result<Vec<DocId>> {
        let words = &query.words[..query.words.len().min(MAX_QUERY_WORDS)];
        let letters = query.compact.len() as u64;
        let mut docs = Vec::new();
        for left_out in (0..words.len()).filter(|_| words.len() > 1) {
            let mut groups = Vec::new();
            for (_, word) in words.iter().enumerate().filter(|(at, _)| *at != left_out) {
                groups.push(self.word(word, false, true)?);
            }
            let mut found = self.in_all(groups)?;
            if found.len() > MAX_CANDIDATES {
                let distance = |doc: &DocId| self.segment.distance_in_length(*doc, letters);
                found.select_nth_unstable_by_key(MAX_CANDIDATES, distance);
                found.truncate(MAX_CANDIDATES);
            }
            docs.extend(found);
        }
        docs.sort_unstable();
        docs.dedup();
        Ok(docs)
    }

    /// Adds companies with a similar word or, for the last word, with a similar beginning.
    fn add_misspelled(
        &self,
        group: &mut Group,
        word: &PreparedWord,
        at_most: usize,
        last: bool,
    ) -> io::Result<()> {
        if word.by_sound {
            return self.add_misspelled_sounds(group, word);
        }
        let mistakes = match word.plain.len() {
            0..ONE_MISTAKE_FROM => return Ok(()),
            ONE_MISTAKE_FROM..TWO_MISTAKES_FROM => 1,
            _ => at_most,
        };
        for (_, info) in self.similar_words(word, mistakes, last)?.iter() {
            group.add_info(&self.segment.word, info)?;
        }
        Ok(())
    }

    /// The words that differ from a word by mistakes, those with the fewest first.
    fn similar_words(
        &self,
        word: &PreparedWord,
        mistakes: usize,
        last: bool,
    ) -> io::Result<SimilarTerms> {
        let similar_to =
            if last { SimilarTo::LastWord(mistakes) } else { SimilarTo::Word(mistakes) };
        self.similar_terms(similar_to, &word.plain, || {
            let terms = &self.segment.word;
            let mut found;
            if mistakes == 1 {
                found = terms.one_mistake_from(&word.plain, typos::LETTERS)?;
                if found.is_empty() && last {
                    let started = Mistaken::new(&word.plain, 1).map(Mistaken::or_longer);
                    found = terms_accepted_by(terms, started)?;
                }
            } else {
                found = self.similar_words(word, 1, last)?.to_vec();
                found.extend(terms_accepted_by(terms, Mistaken::new(&word.plain, mistakes))?);
                // Two mistakes near the beginning are near the end of the reversed word.
                let reversed = Mistaken::new(&backward(&word.plain), mistakes);
                let reversed = reversed.map(Mistaken::with_exact_half);
                for (term, _) in terms_accepted_by(&self.segment.backward, reversed)? {
                    let term = backward(&term);
                    found.extend(terms.find(&term)?.map(|info| (term, info)));
                }
            }
            found.retain(|(term, _)| *term != word.plain && *term != word.normal);
            found.sort_by(|(one, _), (other, _)| one.cmp(other));
            found.dedup_by(|(one, _), (other, _)| one == other);
            found.sort_by_cached_key(|(term, _)| {
                word.mistakes(term, mistakes).unwrap_or(usize::MAX)
            });
            found.truncate(MAX_EXPANSIONS);
            Ok(found)
        })
    }

    /// Adds companies with a word that differs in one sound.
    fn add_misspelled_sounds(&self, group: &mut Group, word: &PreparedWord) -> io::Result<()> {
        let Some(sound) = word.sounds.first().filter(|sound| sound.len() >= ONE_MISTAKE_FROM)
        else {
            return Ok(());
        };
        let found = self.segment.sound.one_mistake_from(sound, typos::LETTERS)?;
        for (_, info) in found.iter().take(MAX_EXPANSIONS) {
            group.add_info(&self.segment.sound, info)?;
        }
        Ok(())
    }
}

fn terms_accepted_by(
    terms: &Terms,
    automaton: Option<Mistaken>,
) -> io::Result<Vec<(String, TermInfo)>> {
    automaton
        .map_or(Ok(Vec::new()), |automaton| terms.terms_accepted_by(automaton, MAX_EXPANSIONS * 4))
}

/// Sums the scores of each company, in the order of companies.
fn count(mut scores: Vec<(DocId, usize)>) -> Vec<(DocId, usize)> {
    scores.sort_unstable();
    let mut counted: Vec<(DocId, usize)> = Vec::with_capacity(scores.len());
    for (doc, weight) in scores {
        match counted.last_mut() {
            Some((last, scores)) if *last == doc => *scores += weight,
            _ => counted.push((doc, weight)),
        }
    }
    counted
}
