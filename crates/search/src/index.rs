//! The index: companies by the words of their names, on disk or in memory.

use std::path::Path;

use panji_store::register::IndexedCompany;
use tantivy::collector::{Count, TopDocs};
use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term};

use crate::analyze::Name;
use crate::query;
use crate::rank::{Match, Traits, rank};

/// Candidates that are ranked for one query.
const MAX_CANDIDATES: usize = 300;
/// Matches that are counted; the answer's `total` ends here.
const MAX_TOTAL: usize = 1_000;
/// Memory of the index writer.
const WRITER_BYTES: usize = 64 << 20;

/// Why a search or an index write failed.
#[derive(Debug, thiserror::Error)]
#[error("search index: {0}")]
pub struct SearchError(String);

impl From<tantivy::TantivyError> for SearchError {
    fn from(error: tantivy::TantivyError) -> Self {
        SearchError(error.to_string())
    }
}

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

/// The fields of the index.
#[derive(Clone, Copy)]
pub struct Fields {
    /// The whole number, in one term.
    pub cin: Field,
    /// The words of the present and former names.
    pub words: Field,
    /// The names without spaces.
    pub compact: Field,
    /// The status word.
    pub status: Field,
    /// The state's name.
    pub state: Field,
    /// `true` or `false`.
    pub listed: Field,
    /// What is shown, as JSON text.
    pub shown: Field,
}

/// A searchable index.
pub struct Search {
    index: Index,
    reader: IndexReader,
    fields: Fields,
}

impl Search {
    /// An index in memory over these companies.
    pub fn in_memory(companies: &[IndexedCompany]) -> Result<Search, SearchError> {
        let search = Search::over(Index::create_in_ram(schema().0))?;
        let mut writer = search.writer()?;
        for company in companies {
            search.put(&mut writer, company)?;
        }
        search.commit(&mut writer, 0)?;
        Ok(search)
    }

    /// Opens the index in a directory, making an empty one where there is none that can be used:
    /// the follower then fills it from the register.
    pub fn open(directory: &Path) -> Result<Search, SearchError> {
        if let Ok(index) = Index::open_in_dir(directory)
            && index.schema() == schema().0
        {
            return Search::over(index);
        }
        let io = |error: std::io::Error| SearchError(format!("{}: {error}", directory.display()));
        if directory.exists() {
            std::fs::remove_dir_all(directory).map_err(io)?;
        }
        std::fs::create_dir_all(directory).map_err(io)?;
        Search::over(Index::create_in_dir(directory, schema().0)?)
    }

    fn over(index: Index) -> Result<Search, SearchError> {
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Search { index, reader, fields: schema().1 })
    }

    pub(crate) fn writer(&self) -> Result<IndexWriter, SearchError> {
        Ok(self.index.writer_with_num_threads(1, WRITER_BYTES)?)
    }

    /// Puts a company into the index in place of what was there.
    pub(crate) fn put(
        &self,
        writer: &mut IndexWriter,
        company: &IndexedCompany,
    ) -> Result<(), SearchError> {
        let fields = &self.fields;
        writer.delete_term(Term::from_field_text(fields.cin, &company.cin));
        let mut document = TantivyDocument::new();
        document.add_text(fields.cin, &company.cin);
        for name in std::iter::once(company.name.clone()).chain(former_names(company)) {
            let name = Name::new(&name);
            document.add_text(fields.words, name.joined());
            document.add_text(fields.compact, name.compact());
        }
        document.add_text(fields.status, &company.status);
        if let Some(state) = state_of(company) {
            document.add_text(fields.state, state);
        }
        if let Some(listed) = company.listed {
            document.add_text(fields.listed, listed.to_string());
        }
        document.add_text(fields.shown, shown(company));
        writer.add_document(document)?;
        Ok(())
    }

    /// Makes what was put visible, and notes up to which change of the register it reaches.
    pub(crate) fn commit(&self, writer: &mut IndexWriter, seq: i64) -> Result<(), SearchError> {
        let mut prepared = writer.prepare_commit()?;
        prepared.set_payload(&seq.to_string());
        prepared.commit()?;
        self.reader.reload()?;
        Ok(())
    }

    /// The change of the register that the index reaches up to; none while it was never filled.
    pub fn reaches_up_to(&self) -> Option<i64> {
        self.index.load_metas().ok()?.payload?.parse().ok()
    }

    /// Finds companies.
    pub fn find(&self, request: &SearchRequest<'_>) -> Result<Hits, SearchError> {
        let searcher = self.reader.searcher();
        let name = Name::new(request.text);
        let Some(query) = query::build(&self.fields, &name, request) else {
            return Ok(Hits::default());
        };
        let top = TopDocs::with_limit(MAX_CANDIDATES).order_by_score();
        let (count, candidates) = searcher.search(&query, &(Count, top))?;
        let mut companies = Vec::with_capacity(candidates.len());
        for (_, address) in candidates {
            let document: TantivyDocument = searcher.doc(address)?;
            let text = document.get_first(self.fields.shown).and_then(|value| value.as_str());
            companies.extend(text.and_then(|text| judge(&name, request, text)));
        }
        companies.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.cin.cmp(&b.cin)));
        // Candidates that ranking found too unlike do not count, as far as they were looked at.
        let total = if count <= MAX_CANDIDATES { companies.len() } else { count.min(MAX_TOTAL) };
        companies.truncate(request.limit);
        Ok(Hits { total, companies })
    }
}

/// Ranks a candidate by the best of its names.
fn judge(name: &Name, request: &SearchRequest<'_>, shown: &str) -> Option<Found> {
    let shown: Shown = parse_shown(shown)?;
    let cin_asked = query::as_cin(request.text);
    let traits = Traits {
        active: shown.status == "active",
        listed: shown.listed == Some(true),
        former_name: false,
    };
    let mut best: Option<(Match, f64, Option<String>)> = None;
    if cin_asked.is_some_and(|asked| shown.cin.replace('-', "").starts_with(&asked)) {
        best = Some((Match::Cin, 1.0, None));
    }
    let present = std::iter::once((shown.name.clone(), traits, None));
    let former = shown.former_names.iter().map(|former| {
        (former.clone(), Traits { former_name: true, ..traits }, Some(former.clone()))
    });
    for (text, traits, matched_name) in present.chain(former) {
        let Some((kind, score)) = rank(name, &Name::new(&text), traits) else { continue };
        let better = best.as_ref().is_none_or(|(best_kind, best_score, best_name)| {
            // A former name that fits no better in kind is not what was meant.
            let former_over_present = matched_name.is_some() && best_name.is_none();
            score > *best_score && (!former_over_present || kind < *best_kind)
        });
        if better {
            best = Some((kind, score, matched_name));
        }
    }
    let (kind_of_match, score, matched_name) = best?;
    Some(Found {
        cin: shown.cin,
        name: shown.name,
        kind: shown.kind,
        status: shown.status,
        state: shown.state,
        incorporated_on: shown.incorporated_on,
        listed: shown.listed,
        matched_name,
        kind_of_match,
        score: (score * 10_000.0).round() / 10_000.0,
    })
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("whitespace")
        .set_index_option(IndexRecordOption::WithFreqs);
    let words = TextOptions::default().set_indexing_options(indexing);
    let fields = Fields {
        cin: builder.add_text_field("cin", STRING),
        words: builder.add_text_field("words", words),
        compact: builder.add_text_field("compact", STRING),
        status: builder.add_text_field("status", STRING),
        state: builder.add_text_field("state", STRING),
        listed: builder.add_text_field("listed", STRING),
        shown: builder.add_text_field("shown", STORED),
    };
    (builder.build(), fields)
}

/// What the index keeps of a company to show it.
#[derive(serde::Serialize, serde::Deserialize)]
struct Shown {
    cin: String,
    name: String,
    former_names: Vec<String>,
    kind: String,
    status: String,
    state: Option<String>,
    incorporated_on: Option<String>,
    listed: Option<bool>,
}

fn shown(company: &IndexedCompany) -> String {
    let shown = Shown {
        cin: company.cin.clone(),
        name: company.name.clone(),
        former_names: former_names(company).collect(),
        kind: company.kind.clone(),
        status: company.status.clone(),
        state: state_of(company),
        incorporated_on: company.incorporated_on.clone(),
        listed: company.listed,
    };
    serde_json::to_string(&shown).expect("texts can always be written as JSON")
}

fn parse_shown(text: &str) -> Option<Shown> {
    serde_json::from_str(text).ok()
}

fn former_names(company: &IndexedCompany) -> impl Iterator<Item = String> {
    #[derive(serde::Deserialize)]
    struct Former {
        name: String,
    }
    let former: Vec<Former> = serde_json::from_str(&company.former_names).unwrap_or_default();
    former.into_iter().map(|former| former.name)
}

/// The state's name, from the registered office or else from its two letters.
fn state_of(company: &IndexedCompany) -> Option<String> {
    let by_code = company.state_code.as_deref().and_then(panji_ids::cin_state).map(str::to_owned);
    by_code.or_else(|| company.state.clone())
}
