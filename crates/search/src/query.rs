//! Finding candidates: generous on purpose, because ranking decides.

use tantivy::Term;
use tantivy::query::{BooleanQuery, BoostQuery, FuzzyTermQuery, Occur, Query, TermQuery};
use tantivy::schema::IndexRecordOption;

use crate::analyze::Name;
use crate::index::{Fields, SearchRequest};

/// Words of a query that are looked for; the rest only ranks.
const MAX_QUERY_WORDS: usize = 8;
/// From this many letters on, a word is also found with one mistake in it.
const FUZZY_FROM: usize = 4;
/// From this many letters on, with two.
const VERY_FUZZY_FROM: usize = 8;
/// The shortest beginning of a number that is looked for.
const MIN_CIN_PREFIX: usize = 3;

/// The query for a request; none where there is nothing to look for.
pub fn build(fields: &Fields, name: &Name, request: &SearchRequest<'_>) -> Option<BooleanQuery> {
    let mut alternatives: Vec<Box<dyn Query>> = Vec::new();
    if let Some(cin) = as_cin(request.text) {
        alternatives.extend(cin_queries(fields, &cin));
    }
    if !name.words.is_empty() {
        alternatives.push(Box::new(words_query(fields, name)));
        let compact = Term::from_field_text(fields.compact, &name.compact());
        let whole = FuzzyTermQuery::new_prefix(compact, 0, true);
        alternatives.push(Box::new(BoostQuery::new(Box::new(whole), 8.0)));
    }
    if alternatives.is_empty() {
        return None;
    }
    let any: Vec<_> = alternatives.into_iter().map(|query| (Occur::Should, query)).collect();
    let mut all: Vec<(Occur, Box<dyn Query>)> =
        vec![(Occur::Must, Box::new(BooleanQuery::new(any)))];
    let listed = request.listed.map(|listed| listed.to_string());
    let filters = [
        (fields.state, request.state),
        (fields.status, request.status),
        (fields.listed, listed.as_deref()),
    ];
    for (field, wanted) in filters {
        if let Some(wanted) = wanted {
            all.push((Occur::Must, term(Term::from_field_text(field, wanted))));
        }
    }
    Some(BooleanQuery::new(all))
}

/// The text as a company's number without its hyphen, where it could be one or begin one.
pub fn as_cin(text: &str) -> Option<String> {
    let compact: String =
        text.trim().chars().filter(|c| *c != '-').map(|c| c.to_ascii_uppercase()).collect();
    let digits = compact.bytes().filter(u8::is_ascii_digit).count();
    let possible = compact.len() >= MIN_CIN_PREFIX
        && compact.len() <= 21
        && digits > 0
        && compact.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && compact.starts_with(|c: char| c.is_ascii_alphabetic());
    possible.then_some(compact)
}

fn cin_queries(fields: &Fields, cin: &str) -> Vec<Box<dyn Query>> {
    let mut spellings = vec![cin.to_owned()];
    // An LLPIN is stored with its hyphen behind three letters.
    if cin.len() > 3 && cin[..3].bytes().all(|byte| byte.is_ascii_alphabetic()) {
        spellings.push(format!("{}-{}", &cin[..3], &cin[3..]));
    }
    spellings
        .iter()
        .map(|spelling| {
            let term = Term::from_field_text(fields.cin, spelling);
            let prefix = Box::new(FuzzyTermQuery::new_prefix(term, 0, true));
            Box::new(BoostQuery::new(prefix, 50.0)) as Box<dyn Query>
        })
        .collect()
}

/// Most of the words must be there, each exactly, as a beginning, or with a mistake.
fn words_query(fields: &Fields, name: &Name) -> BooleanQuery {
    let words: Vec<&String> = name.words.iter().take(MAX_QUERY_WORDS).collect();
    let clauses: Vec<(Occur, Box<dyn Query>)> = words
        .iter()
        .enumerate()
        .map(|(position, word)| {
            let last = position + 1 == words.len();
            (Occur::Should, Box::new(word_query(fields, word, last)) as Box<dyn Query>)
        })
        .collect();
    // One word of three may be wrong altogether.
    let needed = words.len() - words.len() / 3;
    BooleanQuery::with_minimum_required_clauses(clauses, needed)
}

fn word_query(fields: &Fields, word: &str, last: bool) -> BooleanQuery {
    let exact = Term::from_field_text(fields.words, word);
    let mut clauses: Vec<(Occur, Box<dyn Query>)> =
        vec![(Occur::Should, Box::new(BoostQuery::new(term(exact.clone()), 4.0)))];
    if last {
        let prefix = FuzzyTermQuery::new_prefix(exact.clone(), 0, true);
        clauses.push((Occur::Should, Box::new(BoostQuery::new(Box::new(prefix), 2.0))));
    }
    let letters = word.chars().count();
    if letters >= FUZZY_FROM {
        let mistakes = if letters >= VERY_FUZZY_FROM { 2 } else { 1 };
        clauses.push((Occur::Should, Box::new(FuzzyTermQuery::new(exact, mistakes, true))));
    }
    BooleanQuery::new(clauses)
}

fn term(term: Term) -> Box<dyn Query> {
    Box::new(TermQuery::new(term, IndexRecordOption::Basic))
}
