//! The candidates that the stages of a search find, and which of them are ranked.

use std::collections::HashSet;

use tantivy::DocId;

use crate::prepared_query::PreparedQuery;
use crate::snapshot::OpenSegment;
use crate::stages::Stages;

/// The most candidates of one stage that are ranked, per segment.
pub const MAX_RANKED: usize = 64;
/// The candidates that are chosen by static rank; the others are chosen by the length of their
/// names.
const BY_STATIC_RANK: usize = 16;

/// The candidates of one segment: which of them were ranked, and which only matched.
pub struct Candidates<'a> {
    pub stages: Stages<'a>,
    ranked: Vec<DocId>,
    /// The matches of the cheap stages; most are not ranked for a first page.
    pub matched: Vec<Vec<DocId>>,
}

impl<'a> Candidates<'a> {
    pub fn new(stages: Stages<'a>) -> Candidates<'a> {
        Candidates { stages, ranked: Vec::new(), matched: Vec::new() }
    }

    /// The matches that were not ranked, sorted.
    pub fn unranked(&self) -> Vec<DocId> {
        let ranked: HashSet<DocId> = self.ranked.iter().copied().collect();
        let mut docs = self.matched.concat();
        docs.retain(|doc| !ranked.contains(doc));
        docs.sort_unstable();
        docs.dedup();
        docs
    }

    /// Returns the companies that were not ranked before, and marks them as ranked.
    pub fn take_unranked(&mut self, mut docs: Vec<DocId>) -> Vec<DocId> {
        docs.retain(|doc| self.stages.segment.is_alive(*doc) && !self.ranked.contains(doc));
        self.ranked.extend(&docs);
        docs
    }
}

/// Selects the candidates with the highest static rank, which are first in the list, and those
/// whose names are about as long as the query: with equal words, these are the most similar.
pub fn promising(segment: &OpenSegment, mut docs: Vec<DocId>, query: &PreparedQuery) -> Vec<DocId> {
    if docs.len() > MAX_RANKED {
        let letters = query.compact.len() as u64;
        let rest = &mut docs[BY_STATIC_RANK..];
        rest.select_nth_unstable_by_key(MAX_RANKED - BY_STATIC_RANK, |doc| {
            segment.distance_in_length(*doc, letters)
        });
        docs.truncate(MAX_RANKED);
    }
    docs
}
