//! One search: candidates in stages, ranked, the best first.

use tantivy::DocId;

use crate::analyze::Name;
use crate::prepared_query::PreparedQuery;
use crate::rank::{Match, Traits, rank};
use crate::stages::{Filter, Stages};
use crate::stored_company::StoredCompany;
use crate::view::{SegmentView, View};

/// Candidates that one stage hands over to ranking, per segment.
const MAX_RANKED: usize = 64;
/// How many of them are chosen by their static rank, and not by the length of their names.
const BY_MERIT: usize = 16;
/// Matches that are counted; the answer's `total` ends here.
const MAX_TOTAL: usize = 1_000;
/// A score from which on nothing better is to be expected.
const CERTAIN: f64 = 0.92;
/// A score from which on mistakes in the query are not looked for.
const GOOD: f64 = 0.8;
/// The same for a name that begins as the query does.
const GOOD_BEGINNING: f64 = 0.66;
/// A score from which on a name with mistakes is what was meant.
const LIKELY: f64 = 0.7;
/// A score from which on it may be.
const PLAUSIBLE: f64 = 0.55;
/// What a former name must be ahead by, where it fits in the same way as the present one.
const CLEARLY_BETTER: f64 = 0.1;
/// The shortest beginning of a number that is looked for.
const MIN_CIN_PREFIX: usize = 3;
/// The longest number.
const MAX_CIN: usize = 21;

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest<'a> {
    /// A name, or a company's number, or the beginning of either.
    pub text: &'a str,
    /// How many companies to give.
    pub limit: usize,
    /// Keeps companies of this state, by its name.
    pub state: Option<&'a str>,
    /// Keeps companies with this status word.
    pub status: Option<&'a str>,
    /// Keeps listed or unlisted companies.
    pub listed: Option<bool>,
}

/// A company that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The company.
    pub cin: String,
    /// Its present name.
    pub name: String,
    /// `company`, `llp` or `foreign_company`.
    pub kind: String,
    /// The status word.
    pub status: String,
    /// The state's name.
    pub state: Option<String>,
    /// The date of incorporation.
    pub incorporated_on: Option<String>,
    /// Whether it is listed.
    pub listed: Option<bool>,
    /// The former name that matched, where it was not the present one.
    pub matched_name: Option<String>,
    /// How it matched.
    pub kind_of_match: Match,
    /// How well, from 0 to 1.
    pub score: f64,
}

/// The companies of one search, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// How many match, counted up to a bound.
    pub total: usize,
    /// The best of them.
    pub companies: Vec<Found>,
}

/// Finds companies.
pub fn find(view: &View, request: &SearchRequest<'_>) -> tantivy::Result<Hits> {
    let filter = Filter { state: request.state, status: request.status, listed: request.listed };
    let query = PreparedQuery::new(request.text);
    let mut finder = Finder {
        cin: as_cin(request.text),
        segments: view.segments.iter().map(|segment| Searched::new(segment, filter)).collect(),
        found: Vec::new(),
        total: 0,
        query,
    };
    finder.run()?;
    Ok(finder.finish(request.limit))
}

/// The text as a company's number without its hyphen, where it could be one or begin one.
fn as_cin(text: &str) -> Option<String> {
    let compact: String =
        text.trim().chars().filter(|c| *c != '-').map(|c| c.to_ascii_uppercase()).collect();
    let digits = compact.bytes().filter(u8::is_ascii_digit).count();
    let possible = (MIN_CIN_PREFIX..=MAX_CIN).contains(&compact.len())
        && digits > 0
        && compact.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && compact.starts_with(|c: char| c.is_ascii_alphabetic());
    possible.then_some(compact)
}

/// A segment, and which of its companies were ranked already.
struct Searched<'a> {
    stages: Stages<'a>,
    ranked: Vec<DocId>,
}

impl<'a> Searched<'a> {
    fn new(segment: &'a SegmentView, filter: Filter<'a>) -> Searched<'a> {
        Searched { stages: Stages { segment, filter }, ranked: Vec::new() }
    }

    /// Notes companies as ranked, and gives those that were not.
    fn fresh(&mut self, mut docs: Vec<DocId>) -> Vec<DocId> {
        docs.retain(|doc| self.stages.segment.is_alive(*doc) && !self.ranked.contains(doc));
        self.ranked.extend(&docs);
        docs
    }
}

struct Finder<'a> {
    query: PreparedQuery,
    cin: Option<String>,
    segments: Vec<Searched<'a>>,
    found: Vec<Found>,
    total: usize,
}

impl Finder<'_> {
    fn run(&mut self) -> tantivy::Result<()> {
        self.by_cin()?;
        if self.query.compact.is_empty() {
            return Ok(());
        }
        self.straight()?;
        if self.best() >= CERTAIN {
            return Ok(());
        }
        self.stage(|stages, query| Ok(promising(stages.segment, stages.by_sound(query)?, query)))?;
        let beginning = self
            .found
            .iter()
            .any(|found| found.kind_of_match <= Match::Prefix && found.score >= GOOD_BEGINNING);
        if beginning || self.best() >= GOOD {
            return Ok(());
        }
        self.stage(|stages, query| stages.by_mistaken_name(query))?;
        if self.best() >= LIKELY {
            return Ok(());
        }
        self.stage(|stages, query| stages.by_mistaken_words(query, 1))?;
        if self.best() >= PLAUSIBLE {
            return Ok(());
        }
        self.stage(|stages, query| stages.by_mistaken_words(query, 2))
    }

    fn best(&self) -> f64 {
        self.found.iter().map(|found| found.score).fold(0.0, f64::max)
    }

    fn by_cin(&mut self) -> tantivy::Result<()> {
        let Some(cin) = self.cin.clone() else { return Ok(()) };
        for position in 0..self.segments.len() {
            let searched = &mut self.segments[position];
            let mut docs = searched.stages.by_cin(&cin, MAX_TOTAL)?;
            docs.retain(|doc| searched.stages.segment.is_alive(*doc));
            self.total += docs.len();
            docs.truncate(MAX_RANKED);
            let docs = searched.fresh(docs);
            self.rank(position, &docs)?;
        }
        Ok(())
    }

    /// The cheap ways: the whole name, its beginning, its words.
    fn straight(&mut self) -> tantivy::Result<()> {
        for position in 0..self.segments.len() {
            let searched = &mut self.segments[position];
            let exact = searched.stages.by_key(&self.query)?;
            let started = searched.stages.by_beginning(&self.query)?;
            let words = searched.stages.by_words(&self.query)?;
            let mut matched = [exact.as_slice(), &started, &words].concat();
            matched.sort_unstable();
            matched.dedup();
            matched.retain(|doc| searched.stages.segment.is_alive(*doc));
            self.total += matched.len();
            let started = promising(searched.stages.segment, started, &self.query);
            let words = promising(searched.stages.segment, words, &self.query);
            let mut docs = [exact, started, words].concat();
            docs.sort_unstable();
            docs.dedup();
            let docs = searched.fresh(docs);
            self.rank(position, &docs)?;
        }
        Ok(())
    }

    /// A dearer way. Only what ranking finds alike is a match.
    fn stage(
        &mut self,
        find: impl Fn(&Stages<'_>, &PreparedQuery) -> std::io::Result<Vec<DocId>>,
    ) -> tantivy::Result<()> {
        for position in 0..self.segments.len() {
            let searched = &mut self.segments[position];
            let docs = find(&searched.stages, &self.query)?;
            let docs = searched.fresh(docs);
            let before = self.found.len();
            self.rank(position, &docs)?;
            self.total += self.found.len() - before;
        }
        Ok(())
    }

    fn rank(&mut self, position: usize, docs: &[DocId]) -> tantivy::Result<()> {
        for doc in docs {
            let stored = self.segments[position].stages.segment.stored(*doc)?;
            self.found.extend(judge(&self.query, self.cin.as_deref(), stored));
        }
        Ok(())
    }

    fn finish(mut self, limit: usize) -> Hits {
        self.found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.cin.cmp(&b.cin)));
        let total = self.total.max(self.found.len()).min(MAX_TOTAL);
        self.found.truncate(limit);
        Hits { total, companies: self.found }
    }
}

/// The candidates with the highest static rank, which come first, and those whose names are about as long as the
/// query: where the words are the same, these are the most alike.
fn promising(segment: &SegmentView, mut docs: Vec<DocId>, query: &PreparedQuery) -> Vec<DocId> {
    if docs.len() > MAX_RANKED {
        let letters = query.compact.len() as u64;
        let rest = &mut docs[BY_MERIT..];
        rest.select_nth_unstable_by_key(MAX_RANKED - BY_MERIT, |doc| {
            segment.distance_in_length(*doc, letters)
        });
        docs.truncate(MAX_RANKED);
    }
    docs
}

/// Ranks a candidate by the best of its names.
fn judge(query: &PreparedQuery, cin: Option<&str>, stored: StoredCompany) -> Option<Found> {
    let traits = Traits {
        active: stored.status == "active",
        listed: stored.listed == Some(true),
        former_name: false,
    };
    let mut best: Option<(Match, f64, Option<&String>)> = None;
    if let Some(cin) = cin {
        let number = stored.cin.replace('-', "");
        if number.starts_with(cin) {
            // A whole number is certain; a beginning as certain as it is long.
            let covered = cin.len() as f64 / number.len() as f64;
            best = Some((Match::Cin, 0.9 + 0.1 * covered, None));
        }
    }
    let present = std::iter::once((&stored.name, traits, None));
    let former = stored
        .former_names
        .iter()
        .map(|former| (former, Traits { former_name: true, ..traits }, Some(former)));
    for (text, traits, former) in present.chain(former) {
        let Some((kind, score)) = rank(query, &Name::new(text), traits) else { continue };
        // A former name is told only where it fits clearly better: the present one was likely meant.
        let better = best.as_ref().is_none_or(|(best_kind, best, _)| {
            let clearly = former.is_none() || kind < *best_kind || score > *best + CLEARLY_BETTER;
            score > *best && clearly
        });
        if better {
            best = Some((kind, score, former));
        }
    }
    let (kind_of_match, score, former) = best?;
    let matched_name = former.cloned();
    Some(Found {
        cin: stored.cin,
        name: stored.name,
        kind: stored.kind,
        status: stored.status,
        state: stored.state,
        incorporated_on: stored.incorporated_on,
        listed: stored.listed,
        matched_name,
        kind_of_match,
        score: (score * 10_000.0).round() / 10_000.0,
    })
}
