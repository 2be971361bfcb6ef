//! Finding candidates in one segment, generously: cheap ways first, because ranking decides.

use std::io;

use tantivy::DocId;
use tantivy::postings::TermInfo;

use crate::automaton::Mistaken;
use crate::docs::{Group, all_of};
use crate::prepared_query::{PreparedQuery, PreparedWord};
use crate::schema::{HEADS, STARTS, listed_term, state_term, status_term};
use crate::view::{SegmentView, Terms};

/// Words of a query that are looked for; the rest only ranks.
const MAX_QUERY_WORDS: usize = 8;
/// Companies that one stage reads from the rarest word.
const MAX_SCANNED: usize = 10_000;
/// Companies of one rare word that vote when words are mistaken.
const MAX_VOTERS: usize = 5_000;
/// Names that one beginning is followed to.
const MAX_KEYS: usize = 64;
/// Words that one beginning, or one mistaken word, is followed to.
const MAX_EXPANSIONS: usize = 96;
/// Companies that voting leaves.
const MAX_ELECTED: usize = 64;
/// The shortest word that may have a mistake in it, and the shortest that may have two.
const ONE_MISTAKE_FROM: usize = 4;
const TWO_MISTAKES_FROM: usize = 7;
/// The shortest whole name, likewise.
const TWO_MISTAKES_IN_A_NAME_FROM: usize = 8;

/// What answers are narrowed by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter<'a> {
    /// Keeps companies of this state, by its name.
    pub state: Option<&'a str>,
    /// Keeps companies with this status word.
    pub status: Option<&'a str>,
    /// Keeps listed or unlisted companies.
    pub listed: Option<bool>,
}

impl Filter<'_> {
    fn groups(&self, segment: &SegmentView) -> io::Result<Vec<Group>> {
        let terms = [
            self.state.map(state_term),
            self.status.map(status_term),
            self.listed.map(listed_term),
        ];
        let mut groups = Vec::new();
        for term in terms.into_iter().flatten() {
            let mut group = Group::default();
            group.add(&segment.filter, &term)?;
            groups.push(group);
        }
        Ok(groups)
    }

    fn keep(&self, segment: &SegmentView, docs: &mut Vec<DocId>) -> io::Result<()> {
        for group in self.groups(segment)? {
            group.retain(docs);
        }
        Ok(())
    }
}

/// A search in one segment.
pub struct Stages<'a> {
    pub segment: &'a SegmentView,
    pub filter: Filter<'a>,
}

impl Stages<'_> {
    /// Companies whose number begins so.
    pub fn by_cin(&self, cin: &str, at_most: usize) -> io::Result<Vec<DocId>> {
        let infos = self.segment.cin.beginning_with(cin, at_most)?;
        self.of_terms(&self.segment.cin, &infos)
    }

    /// Companies that have, or had, exactly this name.
    pub fn by_key(&self, query: &PreparedQuery) -> io::Result<Vec<DocId>> {
        let mut infos = Vec::new();
        for query in with_core(query) {
            infos.extend(self.segment.key.find(&query.compact)?);
        }
        self.of_terms(&self.segment.key, &infos)
    }

    /// Companies with a name that begins so: listed ones first where the beginning is short.
    pub fn by_beginning(&self, query: &PreparedQuery) -> io::Result<Vec<DocId>> {
        let letters = query.compact.chars().count();
        if !HEADS.contains(&letters) {
            let infos = self.segment.key.beginning_with(&query.compact, MAX_KEYS)?;
            return self.of_terms(&self.segment.key, &infos);
        }
        let head = || -> io::Result<Group> {
            let mut group = Group::default();
            group.add(&self.segment.head, &query.compact)?;
            Ok(group)
        };
        let mut groups = self.filter.groups(self.segment)?;
        groups.push(head()?);
        Ok(all_of(groups, MAX_SCANNED))
    }

    /// Companies that have all words, the last one perhaps not complete.
    pub fn by_words(&self, query: &PreparedQuery) -> io::Result<Vec<DocId>> {
        let mut docs = Vec::new();
        for query in with_core(query) {
            docs.extend(self.all_words(query, false)?);
        }
        tidy(&mut docs);
        Ok(docs)
    }

    /// Companies that have words which sound like those.
    pub fn by_sound(&self, query: &PreparedQuery) -> io::Result<Vec<DocId>> {
        let mut docs = Vec::new();
        for query in with_core(query) {
            docs.extend(self.all_words(query, true)?);
            docs.extend(self.other_spaces(query)?);
        }
        tidy(&mut docs);
        Ok(docs)
    }

    /// Companies whose whole name has a mistake, or, if there is none, two.
    pub fn by_mistaken_name(&self, query: &PreparedQuery) -> io::Result<Vec<DocId>> {
        let mut found = self.segment.key.one_mistake_from(&query.compact)?;
        if found.is_empty() && query.compact.len() >= TWO_MISTAKES_IN_A_NAME_FROM {
            found = self.mistaken(&self.segment.key, Mistaken::new(&query.compact, 2))?;
        }
        let infos: Vec<TermInfo> = found.into_iter().map(|(_, info)| info).collect();
        self.of_terms(&self.segment.key, &infos)
    }

    /// Companies that have most of the words, with mistakes in them. Rare words elect them; common
    /// ones only add their vote.
    pub fn by_mistaken_words(
        &self,
        query: &PreparedQuery,
        mistakes: usize,
    ) -> io::Result<Vec<DocId>> {
        let words = &query.words[..query.words.len().min(MAX_QUERY_WORDS)];
        let known = self.known(words)?;
        // Words that no name has are the mistaken ones; if there is none, it may be any.
        let all_known = known.iter().all(|known| *known);
        let mut common: Vec<(usize, Group)> = Vec::new();
        let mut votes: Vec<(DocId, usize)> = Vec::new();
        for (position, word) in words.iter().enumerate() {
            let mut group = self.word(word, false, true)?;
            if all_known || !known[position] {
                let last = position + 1 == query.words.len();
                self.add_mistaken(&mut group, word, mistakes, last)?;
            }
            let weight = word.plain.len();
            if group.frequency() > MAX_VOTERS as u64 {
                common.push((weight, group));
            } else {
                votes.extend(group.collect(MAX_VOTERS).into_iter().map(|doc| (doc, weight)));
            }
        }
        if votes.is_empty() {
            let groups = common.into_iter().map(|(_, group)| group);
            let mut all = self.filter.groups(self.segment)?;
            all.extend(groups);
            let mut docs = all_of(all, MAX_SCANNED);
            // The first have the highest static rank.
            docs.truncate(MAX_ELECTED);
            return Ok(docs);
        }
        let mut elected = count(votes);
        let mut docs: Vec<DocId> = elected.iter().map(|(doc, _)| *doc).collect();
        if !self.filter.groups(self.segment)?.is_empty() {
            self.filter.keep(self.segment, &mut docs)?;
            elected.retain(|(doc, _)| docs.binary_search(doc).is_ok());
        }
        for (weight, mut group) in common {
            for ((_, votes), mark) in elected.iter_mut().zip(group.marks(&docs)) {
                *votes += if mark { weight } else { 0 };
            }
        }
        let by_votes = |(doc, votes): &(DocId, usize)| {
            (std::cmp::Reverse(*votes), std::cmp::Reverse(self.segment.static_rank(*doc)))
        };
        if elected.len() > MAX_ELECTED {
            elected.select_nth_unstable_by_key(MAX_ELECTED, by_votes);
            elected.truncate(MAX_ELECTED);
        }
        Ok(elected.into_iter().map(|(doc, _)| doc).collect())
    }

    fn of_terms(&self, terms: &Terms, infos: &[TermInfo]) -> io::Result<Vec<DocId>> {
        let mut group = Group::default();
        for info in infos {
            group.add_info(terms, info)?;
        }
        let mut docs = group.collect(MAX_SCANNED);
        self.filter.keep(self.segment, &mut docs)?;
        Ok(docs)
    }

    fn all_words(&self, query: &PreparedQuery, by_sound: bool) -> io::Result<Vec<DocId>> {
        let words = &query.words[..query.words.len().min(MAX_QUERY_WORDS)];
        let mut groups = Vec::with_capacity(words.len());
        for (position, word) in words.iter().enumerate() {
            let last = position + 1 == words.len();
            // A single letter at the end begins half of all words, and is left to ranking.
            if last && position > 0 && word.plain.len() == 1 && !by_sound {
                continue;
            }
            groups.push(self.word(word, last, by_sound)?);
        }
        groups.extend(self.filter.groups(self.segment)?);
        Ok(all_of(groups, MAX_SCANNED))
    }

    fn word(&self, word: &PreparedWord, last: bool, by_sound: bool) -> io::Result<Group> {
        let mut group = Group::default();
        let letters = word.plain.chars().count();
        let started = last && STARTS.contains(&letters);
        if started {
            group.add(&self.segment.start, &word.plain)?;
        } else if last && letters > *STARTS.end() {
            for info in self.segment.word.beginning_with(&word.plain, MAX_EXPANSIONS)? {
                group.add_info(&self.segment.word, &info)?;
            }
        } else {
            group.add(&self.segment.word, &word.plain)?;
        }
        let others = std::iter::once(&word.normal).chain(&word.relatives);
        for other in others.filter(|other| **other != word.plain) {
            group.add(&self.segment.word, other)?;
        }
        if by_sound {
            group.add(&self.segment.sound, &word.sound)?;
        }
        Ok(group)
    }

    /// Companies that have all words when two of them are written as one, or one as two.
    fn other_spaces(&self, query: &PreparedQuery) -> io::Result<Vec<DocId>> {
        let words: Vec<&str> = query.words.iter().map(|word| word.plain.as_str()).collect();
        let mut docs = Vec::new();
        if words.len() > MAX_QUERY_WORDS {
            return Ok(docs);
        }
        for (position, word) in words.iter().enumerate() {
            if let Some(next) = words.get(position + 1) {
                let joined = format!("{word}{next}");
                if self.segment.word.find(&joined)?.is_some() {
                    docs.extend(self.with_words(&words, position, 2, &[&joined])?);
                }
            }
            for (cut, _) in word.char_indices().skip(2) {
                let (first, second) = word.split_at(cut);
                let known = second.len() > 1
                    && self.segment.word.find(first)?.is_some()
                    && self.segment.word.find(second)?.is_some();
                if known {
                    docs.extend(self.with_words(&words, position, 1, &[first, second])?);
                }
            }
        }
        Ok(docs)
    }

    fn with_words(
        &self,
        words: &[&str],
        position: usize,
        replaced: usize,
        by: &[&str],
    ) -> io::Result<Vec<DocId>> {
        let around = words[..position].iter().chain(&words[position + replaced..]);
        let mut groups = self.filter.groups(self.segment)?;
        for word in around.chain(by) {
            let mut group = Group::default();
            group.add(&self.segment.word, word)?;
            groups.push(group);
        }
        Ok(all_of(groups, MAX_SCANNED))
    }

    fn mistaken(
        &self,
        terms: &Terms,
        automaton: Option<Mistaken>,
    ) -> io::Result<Vec<(String, TermInfo)>> {
        automaton.map_or(Ok(Vec::new()), |automaton| terms.mistaken(automaton, MAX_EXPANSIONS * 4))
    }

    /// Which words some name has.
    fn known(&self, words: &[PreparedWord]) -> io::Result<Vec<bool>> {
        words.iter().map(|word| Ok(self.segment.word.find(&word.plain)?.is_some())).collect()
    }

    /// Adds companies with a word that is like this one, or (the last) begins like it.
    fn add_mistaken(
        &self,
        group: &mut Group,
        word: &PreparedWord,
        at_most: usize,
        last: bool,
    ) -> io::Result<()> {
        let mistakes = match word.plain.len() {
            0..ONE_MISTAKE_FROM => return Ok(()),
            ONE_MISTAKE_FROM..TWO_MISTAKES_FROM => 1,
            _ => at_most,
        };
        let terms = &self.segment.word;
        let mut found = terms.one_mistake_from(&word.plain)?;
        if found.is_empty() && last {
            let started = Mistaken::new(&word.plain, 1).map(Mistaken::or_longer);
            found = self.mistaken(terms, started)?;
        }
        if found.is_empty() && mistakes > 1 {
            found = self.mistaken(terms, Mistaken::new(&word.plain, mistakes))?;
        }
        found.sort_by_cached_key(|(term, _)| word.mistakes(term, mistakes).unwrap_or(usize::MAX));
        found.truncate(MAX_EXPANSIONS);
        for (term, info) in &found {
            if *term != word.plain && *term != word.normal {
                group.add_info(&self.segment.word, info)?;
            }
        }
        Ok(())
    }
}

/// The query, and the query without a legal form that is still being typed.
fn with_core(query: &PreparedQuery) -> impl Iterator<Item = &PreparedQuery> {
    std::iter::once(query).chain(query.core.as_deref())
}

fn tidy(docs: &mut Vec<DocId>) {
    docs.sort_unstable();
    docs.dedup();
}

/// Sums up the votes for each company, in the order of companies.
fn count(mut votes: Vec<(DocId, usize)>) -> Vec<(DocId, usize)> {
    votes.sort_unstable();
    let mut counted: Vec<(DocId, usize)> = Vec::with_capacity(votes.len());
    for (doc, weight) in votes {
        match counted.last_mut() {
            Some((last, votes)) if *last == doc => *votes += weight,
            _ => counted.push((doc, weight)),
        }
    }
    counted
}
