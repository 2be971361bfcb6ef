//! Finds many candidates in one segment; ranking selects among them. The cheap stages run first.

use std::io;

use tantivy::DocId;
use tantivy::postings::TermInfo;

use crate::doc_sets::{Group, all_of};
use crate::filter::Filter;
use crate::misspelled::SimilarTermCache;
use crate::prepared_query::{PreparedQuery, PreparedWord};
use crate::schema::{HEADS, STARTS};
use crate::snapshot::{OpenSegment, Terms};
use crate::typos;

/// The most words of a query that are searched; further words count only in ranking.
pub(crate) const MAX_QUERY_WORDS: usize = 8;
/// The most companies that one stage reads for the rarest word.
const MAX_SCANNED: usize = 10_000;
/// The same where a filter selects among them: these companies are only filtered, not ranked.
const MAX_SCANNED_IN_FILTER: usize = 1_000_000;
/// The most names for one beginning.
const MAX_KEYS: usize = 64;
/// The most words for one beginning, or for one mistaken word.
pub(crate) const MAX_EXPANSIONS: usize = 96;

/// A search in one segment.
pub struct Stages<'a> {
    pub segment: &'a OpenSegment,
    /// The place of the segment among all.
    pub position: usize,
    pub filter: &'a Filter,
    pub similar_term_cache: &'a SimilarTermCache,
}

impl Stages<'_> {
    /// Companies with this current or former number.
    pub fn by_whole_cin(&self, cin: &str) -> io::Result<Vec<DocId>> {
        let mut docs = self.of_terms(&self.segment.cin, &self.segment.cin.find(cin)?)?;
        docs.extend(self.of_terms(&self.segment.former_cin, &self.segment.former_cin.find(cin)?)?);
        sort_unique(&mut docs);
        Ok(docs)
    }

    /// Companies whose number differs in one character.
    pub fn by_misspelled_cin(&self, cin: &str) -> io::Result<Vec<DocId>> {
        let found = self.segment.cin.one_mistake_from(cin, typos::OF_NUMBERS)?;
        self.of_terms(&self.segment.cin, found.iter().map(|(_, info)| info))
    }

    /// Companies with this registration number.
    pub fn by_registration(&self, digits: &str) -> io::Result<Vec<DocId>> {
        let found = self.segment.registration.find(digits)?;
        self.of_terms(&self.segment.registration, &found)
    }

    /// Companies whose number begins with this text.
    pub fn by_cin(&self, cin: &str, at_most: usize) -> io::Result<Vec<DocId>> {
        // A filter selects among more numbers.
        let at_most = if self.filter.is_empty() { at_most } else { MAX_SCANNED };
        let infos = self.segment.cin.beginning_with(cin, at_most)?;
        self.of_terms(&self.segment.cin, &infos)
    }

    /// Companies with exactly this current or former name.
    pub fn by_key(&self, query: &PreparedQuery) -> io::Result<Vec<DocId>> {
        let mut infos = Vec::new();
        for query in with_core(query) {
            infos.extend(self.segment.key.find(&query.compact)?);
        }
        self.of_terms(&self.segment.key, &infos)
    }

    /// Companies whose name equals the first words of the query.
    pub fn by_first_words(&self, query: &PreparedQuery) -> io::Result<Vec<DocId>> {
        let mut infos = Vec::new();
        for beginning in query.beginnings() {
            infos.extend(self.segment.key.find(&beginning)?);
        }
        self.of_terms(&self.segment.key, &infos)
    }

    /// Companies with a name that begins with the query, for a short beginning by static rank.
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
        self.in_all(vec![head()?])
    }

    /// Companies that have all words; the last word may be incomplete.
    pub fn by_words(&self, query: &PreparedQuery) -> io::Result<Vec<DocId>> {
        let mut docs = Vec::new();
        for query in with_core(query) {
            docs.extend(self.all_words(query, false)?);
        }
        sort_unique(&mut docs);
        Ok(docs)
    }

    /// Companies with words that sound like those of the query.
    pub fn by_sound(&self, query: &PreparedQuery) -> io::Result<Vec<DocId>> {
        let mut docs = Vec::new();
        for query in with_core(query) {
            docs.extend(self.all_words(query, true)?);
            docs.extend(self.other_spaces(query)?);
        }
        sort_unique(&mut docs);
        Ok(docs)
    }

    pub(crate) fn of_terms<'t>(
        &self,
        terms: &Terms,
        infos: impl IntoIterator<Item = &'t TermInfo>,
    ) -> io::Result<Vec<DocId>> {
        let mut group = Group::default();
        for info in infos {
            group.add_info(terms, info)?;
        }
        let mut docs = group.collect(self.max_scanned());
        self.filter.apply(self.segment, &mut docs)?;
        docs.truncate(MAX_SCANNED);
        Ok(docs)
    }

    /// Companies that are in all groups and match the filter, by static rank.
    pub(crate) fn in_all(&self, mut groups: Vec<Group>) -> io::Result<Vec<DocId>> {
        groups.extend(self.filter.groups(self.segment)?);
        let mut docs = all_of(groups, self.max_scanned());
        self.filter.apply_dates(self.segment, &mut docs);
        docs.truncate(MAX_SCANNED);
        Ok(docs)
    }

    /// With a filter more companies are read, so that those that match it are not missed.
    fn max_scanned(&self) -> usize {
        if self.filter.is_empty() { MAX_SCANNED } else { MAX_SCANNED_IN_FILTER }
    }

    fn all_words(&self, query: &PreparedQuery, by_sound: bool) -> io::Result<Vec<DocId>> {
        let words = &query.words[..query.words.len().min(MAX_QUERY_WORDS)];
        let mut groups = Vec::with_capacity(words.len());
        for (position, word) in words.iter().enumerate() {
            let last = position + 1 == words.len();
            // A single letter at the end matches too many words; only ranking uses it.
            if last && position > 0 && word.plain.len() == 1 && !by_sound {
                continue;
            }
            groups.push(self.word(word, last, by_sound)?);
        }
        self.in_all(groups)
    }

    pub(crate) fn word(
        &self,
        word: &PreparedWord,
        last: bool,
        by_sound: bool,
    ) -> io::Result<Group> {
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
            for sound in &word.sounds {
                group.add(&self.segment.sound, sound)?;
            }
        }
        Ok(group)
    }

    /// Companies that have all words if two words are joined, or one is split.
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
            for (split_at, _) in word.char_indices().skip(2) {
                let (first, second) = word.split_at(split_at);
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
        let others = words[..position].iter().chain(&words[position + replaced..]);
        let mut groups = Vec::new();
        for word in others.chain(by) {
            let mut group = Group::default();
            group.add(&self.segment.word, word)?;
            groups.push(group);
        }
        self.in_all(groups)
    }
}

/// The query, and the query without an incomplete legal form.
fn with_core(query: &PreparedQuery) -> impl Iterator<Item = &PreparedQuery> {
    std::iter::once(query).chain(query.core.as_deref())
}

fn sort_unique(docs: &mut Vec<DocId>) {
    docs.sort_unstable();
    docs.dedup();
}
