//! Panji's own search.

use std::collections::HashMap;
use std::path::Path;

use panji_bench::companies::Company;
use panji_bench::golden::score::Results;
use panji_search::{Generations, IndexKind, Search, SearchRequest, build_from};

use super::search_system::{Caller, Cost, SearchSystem, megabytes};

pub struct Panji {
    pub search: Search,
    indexes: HashMap<String, u32>,
    cost: Cost,
}

impl Panji {
    pub fn build(companies: &[Company], directory: &Path) -> anyhow::Result<Panji> {
        let generations = Generations::open(directory)?;
        let built = build_from(&generations, companies.iter().map(Company::indexed))?;
        let numbers = companies.iter().map(|company| company.cin.clone());
        Ok(Panji {
            search: Search::open(IndexKind::Companies, directory)?,
            indexes: numbers.zip(0..).collect(),
            cost: Cost { seconds: built.seconds, megabytes: megabytes(directory) },
        })
    }
}

impl SearchSystem for Panji {
    fn name(&self) -> &'static str {
        "Panji"
    }

    fn cost(&self) -> Cost {
        self.cost
    }

    fn caller(&self) -> anyhow::Result<Box<dyn Caller + '_>> {
        Ok(Box::new(self))
    }
}

impl Caller for &Panji {
    fn ask(&mut self, text: &str) -> anyhow::Result<Results> {
        let request = SearchRequest { text, limit: 10, ..SearchRequest::default() };
        let hits = self.search.find(&request)?;
        let found = hits.companies.iter().filter_map(|found| self.indexes.get(&found.cin));
        Ok(found.copied().collect())
    }
}
