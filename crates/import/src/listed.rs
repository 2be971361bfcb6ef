//! Finds the company of a results filing: by its CIN, by the list of symbols, or by other filings
//! with the same symbols. A filing has several names of its company, and all of them are stored.

use std::collections::BTreeMap;

use panji_store::register::ListedSymbol;

use crate::sources::source::ExchangeFiling;
use crate::sources::symbols::{Symbols, identifying_name};

/// The most figures that may wait for a later filing that identifies their company.
const MAX_WAITING: usize = 10_000;

/// Figures whose company is not known yet.
pub struct Waiting {
    pub file: String,
    pub line: u64,
    pub filing: Box<ExchangeFiling>,
}

/// The known symbols of listed companies.
pub struct ListedCompanies {
    known: Symbols,
    /// The symbols that this import adds or changes.
    new: BTreeMap<String, ListedSymbol>,
    waiting: Vec<Waiting>,
}

impl ListedCompanies {
    pub fn new(stored: Vec<ListedSymbol>) -> ListedCompanies {
        let mut known = Symbols::default();
        for ListedSymbol { symbol, cin, .. } in stored {
            known.insert_symbol(symbol, cin);
        }
        ListedCompanies { known, new: BTreeMap::new(), waiting: Vec::new() }
    }

    /// The CIN of a filing's company: the one stated in the filing, else by the `given` list, else
    /// by the known symbols. All names of the filing are stored as names of this company.
    pub fn find(&mut self, filing: &ExchangeFiling, given: &Symbols) -> Option<String> {
        let names: Vec<String> =
            filing.names.iter().filter_map(|name| identifying_name(name)).collect();
        let by = |symbols: &Symbols| {
            names.iter().find_map(|name| symbols.cin_of(name).map(str::to_owned))
        };
        let cin = filing.stated_cin.clone().or_else(|| by(given)).or_else(|| by(&self.known))?;
        let as_of = filing.year.as_of.clone();
        for symbol in names {
            let newest = self.new.get(&symbol).and_then(|one| one.as_of.clone());
            if self.known.cin_of(&symbol) == Some(&cin) || newest > as_of {
                continue;
            }
            self.known.insert_symbol(symbol.clone(), cin.clone());
            let (cin, as_of) = (cin.clone(), as_of.clone());
            self.new.insert(symbol.clone(), ListedSymbol { symbol, cin, as_of });
        }
        Some(cin)
    }

    /// Stores figures until the end of the import; returns them if too many are waiting.
    pub fn wait(&mut self, waiting: Waiting) -> Option<Waiting> {
        if self.waiting.len() >= MAX_WAITING {
            return Some(waiting);
        }
        self.waiting.push(waiting);
        None
    }

    /// Removes and returns the figures whose company is now known, with its CIN.
    pub fn take_found(&mut self, given: &Symbols) -> Vec<(Waiting, String)> {
        let mut found = Vec::new();
        let mut waiting = std::mem::take(&mut self.waiting);
        loop {
            let before = found.len();
            for one in std::mem::take(&mut waiting) {
                match self.find(&one.filing, given) {
                    Some(cin) => found.push((one, cin)),
                    None => waiting.push(one),
                }
            }
            // A filing that was found may have names that identify others.
            if found.len() == before {
                self.waiting = waiting;
                return found;
            }
        }
    }

    pub fn take_waiting(&mut self) -> Vec<Waiting> {
        std::mem::take(&mut self.waiting)
    }

    /// The symbols that this import adds or changes.
    pub fn new_symbols(&self) -> Vec<ListedSymbol> {
        self.new.values().cloned().collect()
    }
}

/// The reason for rejecting figures of an unknown company.
pub fn unknown_company(filing: &ExchangeFiling) -> String {
    // The symbol is the name that readers know best.
    let names: Vec<String> =
        filing.names.iter().filter_map(|name| identifying_name(name)).collect();
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
