//! Plain tantivy: lower-case words, any of them, ordered by BM25.

use std::path::Path;
use std::time::Instant;

use panji_bench::companies::Company;
use panji_bench::golden::score::Results;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TEXT};
use tantivy::{Index, IndexReader, TantivyDocument, Term};

use super::search_system::{Caller, Cost, SearchSystem, megabytes};

pub struct Bm25 {
    reader: IndexReader,
    name: Field,
    cost: Cost,
}

impl Bm25 {
    pub fn build(companies: &[Company], directory: &Path) -> anyhow::Result<Bm25> {
        std::fs::create_dir_all(directory)?;
        let started = Instant::now();
        let mut schema = Schema::builder();
        let name = schema.add_text_field("name", TEXT);
        let place = schema.add_u64_field("place", FAST);
        let index = Index::create_in_dir(directory, schema.build())?;
        let mut writer = index.writer_with_num_threads(2, 256 << 20)?;
        for (position, company) in companies.iter().enumerate() {
            let mut document = TantivyDocument::new();
            for text in std::iter::once(&company.name).chain(&company.former_names) {
                document.add_text(name, text);
            }
            document.add_u64(place, position as u64);
            writer.add_document(document)?;
        }
        writer.commit()?;
        writer.wait_merging_threads()?;
        let cost =
            Cost { seconds: started.elapsed().as_secs_f64(), megabytes: megabytes(directory) };
        Ok(Bm25 { reader: index.reader()?, name, cost })
    }
}

impl SearchSystem for Bm25 {
    fn name(&self) -> &'static str {
        "tantivy BM25"
    }

    fn cost(&self) -> Cost {
        self.cost
    }

    fn caller(&self) -> anyhow::Result<Box<dyn Caller + '_>> {
        Ok(Box::new(self))
    }
}

impl Caller for &Bm25 {
    fn ask(&mut self, text: &str) -> anyhow::Result<Results> {
        let lower = text.to_lowercase();
        let words = lower.split(|letter: char| !letter.is_alphanumeric());
        let clauses = words.filter(|word| !word.is_empty()).map(|word| {
            let term = Term::from_field_text(self.name, word);
            let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
            (Occur::Should, Box::new(query) as Box<dyn Query>)
        });
        let query = BooleanQuery::new(clauses.collect());
        let searcher = self.reader.searcher();
        let top = TopDocs::with_limit(10).order_by_score();
        let found = searcher.search(&query, &top)?;
        let mut results = Vec::with_capacity(10);
        for (_, address) in found {
            let segment = searcher.segment_reader(address.segment_ord);
            let places = segment.fast_fields().u64("place")?;
            results.extend(places.first(address.doc_id).map(|place| place as u32));
        }
        Ok(results)
    }
}
