//! The companies of results filings: found by a CIN, by the list of symbols, or by what other filings tell
//! of the same symbols. A filing names its company in several ways, and each teaches the others.

use std::collections::BTreeMap;

use panji_store::register::ListedSymbol;

use crate::sources::source::ListedYear;
use crate::sources::symbols::{Symbols, telling_name};

/// Figures that may wait for a later filing to tell their company.
const MAX_WAITING: usize = 10_000;

/// Figures whose company is not known yet.
pub struct Waiting {
    pub file: String,
    pub line: u64,
    pub listed: Box<ListedYear>,
}

/// What is known of the symbols of listed companies.
pub struct ListedCompanies {
    learnt: Symbols,
    /// What this import learnt, by symbol.
    new: BTreeMap<String, ListedSymbol>,
    waiting: Vec<Waiting>,
}

impl ListedCompanies {
    pub fn new(known: Vec<ListedSymbol>) -> ListedCompanies {
        let mut learnt = Symbols::default();
        for ListedSymbol { symbol, cin, .. } in known {
            learnt.learn(symbol, cin);
        }
        ListedCompanies { learnt, new: BTreeMap::new(), waiting: Vec::new() }
    }

    /// The CIN of a filing's company. What the filing states counts first, then the list that was
    /// given, then what was learnt. All names of the filing are then names of this company.
    pub fn find(&mut self, listed: &ListedYear, given: &Symbols) -> Option<String> {
        let names: Vec<String> =
            listed.names.iter().filter_map(|name| telling_name(name)).collect();
        let by = |symbols: &Symbols| {
            names.iter().find_map(|name| symbols.cin_of(name).map(str::to_owned))
        };
        let cin = listed.stated_cin.clone().or_else(|| by(given)).or_else(|| by(&self.learnt))?;
        let as_of = listed.year.as_of.clone();
        for symbol in names {
            let newest = self.new.get(&symbol).and_then(|one| one.as_of.clone());
            if self.learnt.cin_of(&symbol) == Some(&cin) || newest > as_of {
                continue;
            }
            self.learnt.learn(symbol.clone(), cin.clone());
            let (cin, as_of) = (cin.clone(), as_of.clone());
            self.new.insert(symbol.clone(), ListedSymbol { symbol, cin, as_of });
        }
        Some(cin)
    }

    /// Keeps figures until the end of the import; gives them back where too many wait.
    pub fn wait(&mut self, waiting: Waiting) -> Option<Waiting> {
        if self.waiting.len() >= MAX_WAITING {
            return Some(waiting);
        }
        self.waiting.push(waiting);
        None
    }

    /// Those whose company is known by now, with its CIN; the others stay.
    pub fn take_found(&mut self, given: &Symbols) -> Vec<(Waiting, String)> {
        let mut found = Vec::new();
        let mut waiting = std::mem::take(&mut self.waiting);
        loop {
            let before = found.len();
            for one in std::mem::take(&mut waiting) {
                match self.find(&one.listed, given) {
                    Some(cin) => found.push((one, cin)),
                    None => waiting.push(one),
                }
            }
            // One that was found may tell the names of others.
            if found.len() == before {
                self.waiting = waiting;
                return found;
            }
        }
    }

    pub fn take_waiting(&mut self) -> Vec<Waiting> {
        std::mem::take(&mut self.waiting)
    }

    /// What this import learnt.
    pub fn learnt(&self) -> Vec<ListedSymbol> {
        self.new.values().cloned().collect()
    }
}

/// Why figures cannot be used.
pub fn unknown_company(listed: &ListedYear) -> String {
    // The symbol is the best known of the names.
    let names: Vec<String> = listed.names.iter().filter_map(|name| telling_name(name)).collect();
    let is_symbol =
        |name: &&String| name.len() < 12 && !name.bytes().all(|byte| byte.is_ascii_digit());
    match names.iter().find(is_symbol).or(names.first()) {
        None => "it names its company by no symbol, code or CIN".to_owned(),
        Some(name) => format!(
            "no CIN is known for the symbol {name:?}: \
             give a CSV with the columns symbol and cin as --symbols"
        ),
    }
}
