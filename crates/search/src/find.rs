//! One search: finds candidates in stages and ranks them.

use std::cmp::Reverse;

use tantivy::DocId;

use crate::analyze::Name;
use crate::candidates::{Candidates, MAX_RANKED, promising};
use crate::company_number::CompanyNumber;
use crate::filter::Filter;
use crate::legal::is_legal;
use crate::misspelled::SimilarTermCache;
use crate::places;
use crate::prepared_query::PreparedQuery;
use crate::rank::{Attributes, Match, Ranked, rank};
use crate::rarity::Rarity;
use crate::request::{Found, Hits, Order, SearchRequest};
use crate::snapshot::IndexSnapshot;
use crate::stages::Stages;
use crate::stored_company::StoredCompany;

/// The largest `total` of a result.
const MAX_TOTAL: usize = 1_000;
/// From this score on, no better match is expected.
const CERTAIN: f64 = 0.9;
/// From this score on, mistakes in the query are not searched.
const GOOD: f64 = 0.68;
/// The same as `GOOD`, for a name that begins with the query.
const GOOD_BEGINNING: f64 = 0.55;
/// From this score on, a name with mistakes is likely the right one.
const LIKELY: f64 = 0.6;
/// From this score on, it is possibly the right one.
const PLAUSIBLE: f64 = 0.5;
/// The lead in score that a former name needs over the current name, for the same kind of match.
const CLEARLY_BETTER: f64 = 0.1;
/// The most words in `Hits::not_understood`.
const MAX_NOT_UNDERSTOOD: usize = 8;

pub fn find(snapshot: &IndexSnapshot, request: &SearchRequest<'_>) -> tantivy::Result<Hits> {
    let rarity = Rarity::of(snapshot);
    let reading = PreparedQuery::new(request.text, &rarity)?;
    let (readings, depth) = ([reading], Depth::TwoMistakes);
    let mut hits =
        find_readings(snapshot, request, &readings, depth, &rarity, &SimilarTermCache::default())?;
    if hits.total == 0 && !request.best_only {
        let words = Name::new(request.text).plain;
        hits.only_legal_form = !words.is_empty() && words.iter().all(|word| is_legal(word));
        hits.not_understood = not_understood(snapshot, request.text)?;
    }
    Ok(hits)
}

/// How far a search goes if nothing good was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Words with the same sound.
    Sound,
    /// Words with one mistake, and whole names with two.
    OneMistake,
    /// Words with two mistakes.
    TwoMistakes,
}

/// Searches for several readings of one text: a stage for all of them before the next, more
/// expensive one.
pub fn find_readings(
    snapshot: &IndexSnapshot,
    request: &SearchRequest<'_>,
    readings: &[PreparedQuery],
    depth: Depth,
    rarity: &Rarity<'_>,
    similar_term_cache: &SimilarTermCache,
) -> tantivy::Result<Hits> {
    let filter = Filter::new(request);
    let segments = snapshot.segments.iter().enumerate();
    let mut finder = Finder {
        number: &CompanyNumber::new(request.text),
        readings,
        rarity,
        segments: segments
            .map(|(position, segment)| {
                Candidates::new(Stages { segment, position, filter: &filter, similar_term_cache })
            })
            .collect(),
        found: Vec::new(),
        best: 0.0,
        total: 0,
    };
    finder.run(depth)?;
    finder.finish(request)
}

/// The words that are in no name, sound like no word of a name and belong to no legal form.
fn not_understood(snapshot: &IndexSnapshot, text: &str) -> tantivy::Result<Vec<String>> {
    let mut unknown = Vec::new();
    for typed in text.split_whitespace() {
        let name = Name::new(typed);
        let mut known = name.plain.iter().all(|word| is_legal(word));
        for word in name.plain.iter().chain(&name.words) {
            known |= snapshot.frequency(word)? > 0 || snapshot.sounds(word)?;
        }
        if !known && unknown.len() < MAX_NOT_UNDERSTOOD && !unknown.iter().any(|word| word == typed)
        {
            unknown.push(typed.to_owned());
        }
    }
    Ok(unknown)
}

/// A reading of the text, and the parts of it that are searched for mistakes.
struct Searching<'a> {
    reading: &'a PreparedQuery,
    parts: Vec<&'a PreparedQuery>,
}

struct Finder<'a> {
    /// The likeliest first.
    readings: &'a [PreparedQuery],
    number: &'a CompanyNumber,
    rarity: &'a Rarity<'a>,
    segments: Vec<Candidates<'a>>,
    found: Vec<Found>,
    /// The best conclusive score.
    best: f64,
    total: usize,
}

impl<'a> Finder<'a> {
    fn run(&mut self, depth: Depth) -> tantivy::Result<()> {
        let number = self.number;
        for whole in &number.whole {
            self.find_by_number(|stages| stages.by_whole_cin(whole))?;
        }
        if !self.found.is_empty() {
            return Ok(());
        }
        if let Some(beginning) = &number.beginning {
            self.find_by_number(|stages| stages.by_cin(beginning, MAX_TOTAL))?;
        }
        if self.found.is_empty()
            && let Some(misspelled) = &number.possible_misspelled_cin
        {
            self.find_by_number(|stages| stages.by_misspelled_cin(misspelled))?;
        }
        if let Some(digits) = &number.registration {
            self.find_by_number(|stages| stages.by_registration(digits))?;
        }
        self.find_by_name(depth)
    }

    fn find_by_name(&mut self, depth: Depth) -> tantivy::Result<()> {
        let mut searching: Vec<Searching<'a>> = Vec::new();
        for reading in self.readings.iter().filter(|reading| !reading.compact.is_empty()) {
            // Text after a legal form is not part of the name, and is not searched for mistakes.
            let head = reading.head.as_deref();
            let whole = Some(reading).filter(|_| !head.is_some_and(|head| head.certain));
            for part in std::iter::once(reading).chain(head.map(|head| &head.query)) {
                self.find_directly(reading, part)?;
                if self.best >= CERTAIN {
                    return Ok(());
                }
            }
            let parts = whole.into_iter().chain(head.map(|head| &head.query)).collect();
            searching.push(Searching { reading, parts });
        }
        self.stage(&searching, CERTAIN, |stages, query| {
            let mut docs = promising(stages.segment, stages.by_sound(query)?, query);
            docs.extend(stages.by_first_words(query)?);
            docs.sort_unstable();
            docs.dedup();
            Ok(docs)
        })?;
        let beginning = self
            .found
            .iter()
            .any(|found| found.kind_of_match <= Match::Prefix && found.score >= GOOD_BEGINNING);
        if beginning || self.best >= GOOD || depth < Depth::OneMistake {
            return Ok(());
        }
        self.stage(&searching, LIKELY, |stages, query| stages.by_misspelled_name(query, 1))?;
        self.stage(&searching, LIKELY, |stages, query| stages.by_misspelled_words(query, 1))?;
        self.stage(&searching, LIKELY, |stages, query| stages.by_misspelled_name(query, 2))?;
        if depth < Depth::TwoMistakes {
            return Ok(());
        }
        self.stage(&searching, PLAUSIBLE, |stages, query| stages.by_misspelled_words(query, 2))
    }

    fn find_by_number(
        &mut self,
        find: impl Fn(&Stages<'_>) -> std::io::Result<Vec<DocId>>,
    ) -> tantivy::Result<()> {
        for position in 0..self.segments.len() {
            let searched = &mut self.segments[position];
            let mut docs = find(&searched.stages)?;
            docs.retain(|doc| searched.stages.segment.is_alive(*doc));
            self.total += docs.len();
            if docs.len() > MAX_RANKED {
                searched.matched.push(docs.clone());
            }
            docs.truncate(MAX_RANKED);
            let docs = searched.take_unranked(docs);
            self.rank(position, &self.readings[0], &docs)?;
        }
        Ok(())
    }

    /// The cheap stages: the whole name, its beginning, its words.
    fn find_directly(
        &mut self,
        reading: &PreparedQuery,
        query: &PreparedQuery,
    ) -> tantivy::Result<()> {
        for position in 0..self.segments.len() {
            let searched = &mut self.segments[position];
            let exact = searched.stages.by_key(query)?;
            let started = searched.stages.by_beginning(query)?;
            let words = searched.stages.by_words(query)?;
            let mut matched = [exact.as_slice(), &started, &words].concat();
            matched.sort_unstable();
            matched.dedup();
            matched.retain(|doc| searched.stages.segment.is_alive(*doc));
            self.total += matched.len();
            let started = promising(searched.stages.segment, started, query);
            let words = promising(searched.stages.segment, words, query);
            let mut docs = [exact, started, words].concat();
            docs.sort_unstable();
            docs.dedup();
            let docs = searched.take_unranked(docs);
            searched.matched.push(matched);
            self.rank(position, reading, &docs)?;
        }
        Ok(())
    }

    /// An expensive stage, for one reading after the other until a score is high enough. A candidate
    /// counts as a match only if ranking accepts it.
    fn stage(
        &mut self,
        searching: &[Searching<'_>],
        enough: f64,
        find: impl Fn(&Stages<'_>, &PreparedQuery) -> std::io::Result<Vec<DocId>>,
    ) -> tantivy::Result<()> {
        for Searching { reading, parts } in searching {
            if self.best >= enough {
                break;
            }
            for position in 0..self.segments.len() {
                for part in parts {
                    let searched = &mut self.segments[position];
                    let docs = find(&searched.stages, part)?;
                    let docs = searched.take_unranked(docs);
                    let before = self.found.len();
                    self.rank(position, reading, &docs)?;
                    self.total += self.found.len() - before;
                }
            }
        }
        Ok(())
    }

    fn rank(
        &mut self,
        position: usize,
        reading: &PreparedQuery,
        docs: &[DocId],
    ) -> tantivy::Result<()> {
        for doc in docs {
            let stored = self.segments[position].stages.segment.stored(*doc)?;
            let found = self.rank_company(reading, stored)?;
            self.found.extend(found);
        }
        Ok(())
    }

    /// The page of the result. The order does not depend on the page, so that over all pages no company is
    /// missing or repeated: first those that the search ranked, then, only if a page reaches them, the other
    /// matches.
    fn finish(mut self, request: &SearchRequest<'_>) -> tantivy::Result<Hits> {
        let (offset, limit) = (request.offset, request.limit);
        sort(&mut self.found);
        let total = self.total.max(self.found.len()).min(MAX_TOTAL);
        let end = offset.saturating_add(limit);
        let needed = if request.order == Order::Relevance { end } else { MAX_TOTAL };
        if self.found.len() <= needed && !request.best_only {
            self.rank_others(needed)?;
        }
        request.order.sort(&mut self.found);
        let has_more = self.found.len() > end;
        let companies = self.found.into_iter().skip(offset).take(limit).collect();
        Ok(Hits { total, companies, has_more, not_understood: Vec::new(), only_legal_form: false })
    }

    /// Appends the matches that were not ranked, the highest static rank first, until more than `end`
    /// companies are found. They are ranked and sorted in steps, so that the first ones do not depend on `end`.
    fn rank_others(&mut self, end: usize) -> tantivy::Result<()> {
        let mut others: Vec<(u64, usize, DocId)> = Vec::new();
        for (position, searched) in self.segments.iter().enumerate() {
            let segment = searched.stages.segment;
            let docs = searched.unranked().into_iter();
            others.extend(docs.map(|doc| (segment.static_rank(doc), position, doc)));
        }
        others.sort_by_key(|(static_rank, position, doc)| (Reverse(*static_rank), *position, *doc));
        let mut found = std::mem::take(&mut self.found);
        for step in others.chunks(MAX_RANKED) {
            if found.len() > end || found.len() >= MAX_TOTAL {
                break;
            }
            for (_, position, doc) in step {
                self.rank(*position, &self.readings[0], &[*doc])?;
            }
            // Where ranking accepts none, the matches are of a part of the query only.
            if self.found.is_empty() {
                break;
            }
            sort(&mut self.found);
            found.append(&mut self.found);
        }
        found.truncate(MAX_TOTAL);
        self.found = found;
        Ok(())
    }

    /// Ranks a candidate by its number, or by the best of its names.
    fn rank_company(
        &mut self,
        reading: &PreparedQuery,
        stored: StoredCompany,
    ) -> tantivy::Result<Option<Found>> {
        let tail = reading.head.as_deref().map_or(&[][..], |head| &head.tail);
        let attributes = Attributes {
            active: stored.status == "active",
            listed: stored.listed == Some(true),
            former_name: false,
            place: places::agreement(tail, &stored),
        };
        let mut best: Option<(Match, f64, Option<&String>)> =
            self.number.compare(&stored).map(|(kind, score)| (kind, score, None));
        let by_cin = best.filter(|(kind, ..)| *kind == Match::Cin);
        let mut certainty = by_cin.map_or(0.0, |(_, score, _)| score);
        let current = std::iter::once((&stored.name, attributes, None));
        let former = stored
            .former_names
            .iter()
            .map(|former| (former, Attributes { former_name: true, ..attributes }, Some(former)));
        for (text, attributes, former) in current.chain(former) {
            let ranked = rank(reading, &Name::new(text), attributes, self.rarity)?;
            let Some(Ranked { kind, score, is_conclusive }) = ranked else { continue };
            // A former name counts only if it is clearly better: usually the current name is meant.
            let better = best.as_ref().is_none_or(|(best_kind, best, _)| {
                let clearly =
                    former.is_none() || kind < *best_kind || score > *best + CLEARLY_BETTER;
                score > *best && clearly
            });
            if better {
                best = Some((kind, score, former));
            }
            certainty = certainty.max(if is_conclusive { score } else { 0.0 });
        }
        self.best = self.best.max(certainty);
        let Some((kind_of_match, score, former)) = best else { return Ok(None) };
        let matched_name = former.cloned();
        Ok(Some(Found {
            cin: stored.cin,
            name: stored.name,
            kind: stored.kind,
            status: stored.status,
            state: stored.state,
            incorporated_on: stored.incorporated_on,
            listed: stored.listed,
            city: stored.city,
            pincode: stored.pincode,
            matched_name,
            kind_of_match,
            score: (score * 10_000.0).round() / 10_000.0,
        }))
    }
}

/// Sorts by score, equal ones by number.
fn sort(found: &mut [Found]) {
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.cin.cmp(&b.cin)));
}
