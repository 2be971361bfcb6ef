//! Bounded unions and intersections of companies in one segment.

use std::io;

use tantivy::postings::{SegmentPostings, TermInfo};
use tantivy::{DocId, DocSet, TERMINATED};

use crate::snapshot::Terms;

/// Companies that have at least one of several terms.
#[derive(Default)]
pub struct Group {
    postings: Vec<SegmentPostings>,
    frequency: u64,
}

impl Group {
    /// Adds the companies of a term, if the field has it.
    pub fn add(&mut self, terms: &Terms, term: &str) -> io::Result<()> {
        match terms.find(term)? {
            Some(info) => self.add_info(terms, &info),
            None => Ok(()),
        }
    }

    pub fn add_info(&mut self, terms: &Terms, info: &TermInfo) -> io::Result<()> {
        self.postings.push(terms.postings(info)?);
        self.frequency += u64::from(info.doc_freq);
        Ok(())
    }

    /// An upper bound of the number of companies.
    pub fn frequency(&self) -> u64 {
        self.frequency
    }

    /// The first companies, sorted.
    pub fn collect(mut self, at_most: usize) -> Vec<DocId> {
        let mut docs = Vec::with_capacity(at_most.min(self.frequency as usize));
        for postings in &mut self.postings {
            let mut doc = postings.doc();
            let end = docs.len() + at_most;
            while doc != TERMINATED && docs.len() < end {
                docs.push(doc);
                doc = postings.advance();
            }
        }
        if self.postings.len() > 1 {
            docs.sort_unstable();
            docs.dedup();
            docs.truncate(at_most);
        }
        docs
    }

    /// For each of these sorted companies, whether it is in the group.
    pub fn marks(&mut self, docs: &[DocId]) -> Vec<bool> {
        let mut marks = vec![false; docs.len()];
        for postings in &mut self.postings {
            mark(postings, docs, &mut marks);
        }
        marks
    }

    /// Removes the companies that are not in the group.
    pub fn retain(mut self, docs: &mut Vec<DocId>) {
        let marks = self.marks(docs);
        let mut marks = marks.into_iter();
        docs.retain(|_| marks.next().unwrap_or(false));
    }
}

fn mark(postings: &mut SegmentPostings, docs: &[DocId], marks: &mut [bool]) {
    let few = (postings.doc_freq() as usize) < docs.len() / 4;
    if few {
        let mut doc = postings.doc();
        while doc != TERMINATED {
            if let Ok(position) = docs.binary_search(&doc) {
                marks[position] = true;
            }
            doc = postings.advance();
        }
        return;
    }
    for (position, doc) in docs.iter().enumerate() {
        let at = postings.doc();
        let at = if at < *doc { postings.seek(*doc) } else { at };
        if at == TERMINATED {
            return;
        }
        marks[position] |= at == *doc;
    }
}

/// Companies that are in all groups, among the first `at_most` of the rarest group.
pub fn all_of(mut groups: Vec<Group>, at_most: usize) -> Vec<DocId> {
    groups.sort_by_key(Group::frequency);
    let mut groups = groups.into_iter();
    let Some(rarest) = groups.next() else { return Vec::new() };
    let mut docs = rarest.collect(at_most);
    for group in groups {
        if docs.is_empty() {
            break;
        }
        group.retain(&mut docs);
    }
    docs
}
