//! The open segments of an index.

use std::io;
use std::sync::Arc;

use rapidfuzz::distance::osa;
use tantivy::columnar::Column;
use tantivy::fastfield::AliveBitSet;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::{SegmentPostings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption, OwnedValue};
use tantivy::store::StoreReader;
use tantivy::{DocId, Searcher, SegmentReader, TantivyDocument};

use crate::automaton::Mistaken;
use crate::schema::{self, Fields};
use crate::stored_company::StoredCompany;
use crate::{sound, typos};

/// Up to this many terms are read one by one.
const FEW_TERMS: usize = 32;
/// Cached stored blocks per segment.
const CACHED_BLOCKS: usize = 256;

/// A snapshot of the segments of an index.
pub struct IndexSnapshot {
    pub segments: Vec<OpenSegment>,
    pub companies: u64,
}

impl IndexSnapshot {
    pub fn open(searcher: &Searcher, fields: &Fields) -> tantivy::Result<IndexSnapshot> {
        let segments = searcher.segment_readers().iter();
        Ok(IndexSnapshot {
            segments: segments
                .map(|reader| OpenSegment::open(reader, fields))
                .collect::<tantivy::Result<_>>()?,
            companies: searcher.num_docs(),
        })
    }

    /// The number of companies with a word.
    pub fn frequency(&self, word: &str) -> io::Result<u64> {
        let mut frequency = 0;
        for segment in &self.segments {
            frequency += segment.word.find(word)?.map_or(0, |info| u64::from(info.doc_freq));
        }
        Ok(frequency)
    }

    /// Whether some company has a word that sounds like this one.
    pub fn sounds(&self, word: &str) -> io::Result<bool> {
        for key in sound::keys(word) {
            for segment in &self.segments {
                if segment.sound.find(&key)?.is_some() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether some company is at a place with this word.
    pub fn is_place(&self, word: &str) -> io::Result<bool> {
        for segment in &self.segments {
            if segment.place.find(word)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

pub struct OpenSegment {
    pub cin: Terms,
    pub former_cin: Terms,
    pub registration: Terms,
    pub key: Terms,
    pub head: Terms,
    pub word: Terms,
    pub backward: Terms,
    pub start: Terms,
    pub sound: Terms,
    pub place: Terms,
    pub filter: Terms,
    incorporated: Column<u64>,
    static_rank: Column<u64>,
    store: StoreReader,
    alive: Option<AliveBitSet>,
}

impl OpenSegment {
    pub fn open(reader: &SegmentReader, fields: &Fields) -> tantivy::Result<OpenSegment> {
        let terms =
            |field: Field| -> tantivy::Result<Terms> { Ok(Terms(reader.inverted_index(field)?)) };
        Ok(OpenSegment {
            cin: terms(fields.cin)?,
            former_cin: terms(fields.former_cin)?,
            registration: terms(fields.registration)?,
            key: terms(fields.key)?,
            head: terms(fields.head)?,
            word: terms(fields.word)?,
            backward: terms(fields.backward)?,
            start: terms(fields.start)?,
            sound: terms(fields.sound)?,
            place: terms(fields.place)?,
            filter: terms(fields.filter)?,
            incorporated: reader.fast_fields().u64("incorporated")?,
            static_rank: reader.fast_fields().u64("static_rank")?,
            store: reader.get_store_reader(CACHED_BLOCKS)?,
            alive: reader.alive_bitset().cloned(),
        })
    }

    /// Whether a company was not deleted.
    pub fn is_alive(&self, doc: DocId) -> bool {
        self.alive.as_ref().is_none_or(|alive| alive.is_alive(doc))
    }

    /// The date of incorporation as a number; 0 if it is unknown.
    pub fn incorporated(&self, doc: DocId) -> u64 {
        self.incorporated.first(doc).unwrap_or(0)
    }

    pub fn static_rank(&self, doc: DocId) -> u64 {
        self.static_rank.first(doc).unwrap_or(0)
    }

    /// The distance of a name's length from a number of letters; active companies before others.
    pub fn distance_in_length(&self, doc: DocId, letters: u64) -> u64 {
        let (active, length) = schema::static_rank_parts(self.static_rank(doc));
        length.abs_diff(letters) << 1 | u64::from(!active)
    }

    pub fn stored(&self, doc: DocId) -> tantivy::Result<StoredCompany> {
        let document: TantivyDocument = self.store.get(doc)?;
        let bytes = document.field_values().find_map(|(_, value)| match OwnedValue::from(value) {
            OwnedValue::Bytes(bytes) => Some(bytes),
            _ => None,
        });
        bytes.and_then(|bytes| StoredCompany::decode(&bytes)).ok_or_else(|| {
            tantivy::error::DataCorruption::comment_only("a stored company cannot be read").into()
        })
    }
}

/// The terms of one field of a segment.
pub struct Terms(Arc<InvertedIndexReader>);

impl Terms {
    pub fn find(&self, term: &str) -> io::Result<Option<TermInfo>> {
        self.0.terms().get(term)
    }

    /// The first terms with this beginning, in order.
    pub fn beginning_with(&self, start: &str, at_most: usize) -> io::Result<Vec<TermInfo>> {
        let mut found = Vec::new();
        self.each_beginning_with(start, at_most, |_, info| found.push(info.clone()))?;
        Ok(found)
    }

    fn each_beginning_with(
        &self,
        start: &str,
        at_most: usize,
        mut visit: impl FnMut(&[u8], &TermInfo),
    ) -> io::Result<()> {
        let mut range = self.0.terms().range().ge(start);
        if let Some(end) = after_all(start) {
            range = range.lt(end);
        }
        let mut stream = range.into_stream()?;
        for _ in 0..at_most {
            if !stream.advance() {
                break;
            }
            visit(stream.key(), stream.value());
        }
        Ok(())
    }

    /// The first terms that an automaton accepts.
    pub fn terms_accepted_by(
        &self,
        automaton: Mistaken,
        at_most: usize,
    ) -> io::Result<Vec<(String, TermInfo)>> {
        let mut stream = self.0.terms().search(automaton).into_stream()?;
        let mut found = Vec::new();
        while found.len() < at_most && stream.advance() {
            let term = String::from_utf8_lossy(stream.key()).into_owned();
            found.push((term, stream.value().clone()));
        }
        Ok(found)
    }

    /// The terms that are one typing mistake away from a text. Those with a mistake after a beginning
    /// that few terms have are among these terms; only for the others all mistakes are looked up.
    pub fn one_mistake_from(
        &self,
        text: &str,
        alphabet: &[u8],
    ) -> io::Result<Vec<(String, TermInfo)>> {
        if !text.is_ascii() {
            return Ok(Vec::new());
        }
        let (mut many, mut few) = (0, text.len());
        while many < few {
            let middle = (many + few) / 2;
            match self.beginning_with(&text[..middle], FEW_TERMS + 1)?.len() <= FEW_TERMS {
                true => few = middle,
                false => many = middle + 1,
            }
        }
        let mut found = Vec::new();
        let one = osa::Args::default().score_cutoff(1);
        self.each_beginning_with(&text[..few], FEW_TERMS, |term, info| {
            let near = osa::distance_with_args(text.bytes(), term.iter().copied(), &one);
            if near == Some(1) {
                found.push((String::from_utf8_lossy(term).into_owned(), info.clone()));
            }
        })?;
        // With the next letter, which may have been swapped with the last one of the beginning.
        let (start, rest) = text.split_at((few + 1).min(text.len()));
        let mut whole = String::with_capacity(text.len() + 1);
        typos::each(start, alphabet, |typo| {
            whole.clear();
            whole.push_str(typo);
            whole.push_str(rest);
            found.extend(self.find(&whole)?.map(|info| (whole.clone(), info)));
            Ok::<(), io::Error>(())
        })?;
        found.sort_by(|(term, _), (other, _)| term.cmp(other));
        found.dedup_by(|(term, _), (other, _)| term == other);
        Ok(found)
    }

    pub fn postings(&self, term: &TermInfo) -> io::Result<SegmentPostings> {
        self.0.read_postings_from_terminfo(term, IndexRecordOption::Basic)
    }
}

/// The first text after all texts with this beginning.
fn after_all(start: &str) -> Option<Vec<u8>> {
    let mut end = start.as_bytes().to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return Some(end);
        }
    }
    None
}
