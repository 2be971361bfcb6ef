//! SQLite's full-text search on trigrams: any trigram of the query, ordered by its own BM25.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use panji_bench::companies::Company;
use panji_bench::golden::score::Results;
use rusqlite::Connection;

use super::search_system::{Caller, Cost, SearchSystem, megabytes};

pub struct Fts5 {
    file: PathBuf,
    cost: Cost,
}

impl Fts5 {
    pub fn build(companies: &[Company], directory: &Path) -> anyhow::Result<Fts5> {
        std::fs::create_dir_all(directory)?;
        let file = directory.join("names.db");
        let started = Instant::now();
        let mut database = Connection::open(&file)?;
        database
            .execute_batch(
                "pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -200000;
                 create virtual table names using fts5(name, place unindexed, tokenize = 'trigram');",
            )?;
        let transaction = database.transaction()?;
        {
            let mut insert =
                transaction.prepare("insert into names (name, place) values (?1, ?2)")?;
            for (position, company) in companies.iter().enumerate() {
                for name in std::iter::once(&company.name).chain(&company.former_names) {
                    insert.execute((name, position as i64))?;
                }
            }
        }
        transaction.execute("insert into names (names) values ('optimize')", ())?;
        transaction.commit()?;
        drop(database);
        let cost =
            Cost { seconds: started.elapsed().as_secs_f64(), megabytes: megabytes(directory) };
        Ok(Fts5 { file, cost })
    }
}

impl SearchSystem for Fts5 {
    fn name(&self) -> &'static str {
        "SQLite FTS5"
    }

    fn cost(&self) -> Cost {
        self.cost
    }

    fn caller(&self) -> anyhow::Result<Box<dyn Caller + '_>> {
        let database = Connection::open(&self.file)?;
        database.execute_batch("pragma mmap_size = 4000000000")?;
        Ok(Box::new(Reader(database)))
    }
}

struct Reader(Connection);

impl Caller for Reader {
    fn ask(&mut self, text: &str) -> anyhow::Result<Results> {
        let letters: Vec<char> = text.to_lowercase().replace('"', " ").chars().collect();
        let trigrams: BTreeSet<String> = letters
            .windows(3)
            .map(|three| format!("\"{}\"", three.iter().collect::<String>()))
            .collect();
        if trigrams.is_empty() {
            return Ok(Vec::new());
        }
        let query = trigrams.into_iter().collect::<Vec<_>>().join(" OR ");
        let mut find = self.0.prepare_cached(
            "select place from names where names match ?1 order by rank limit 10",
        )?;
        let rows = find.query_map([query], |row| row.get::<_, u32>(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
