//! The right results of a query among the companies of a register.
//!
//! Always the companies with the intended name. In addition:
//! exact and suffix variants: no others, and the legal form must be the same;
//! typing mistakes: names that are at least as close to the typed text, letter by letter;
//! word order: names with the same words; beginnings: names that begin with the text;
//! all others: names that are exactly the typed text.

use rapidfuzz::distance::osa;

use super::key::NormalizedName;
use super::{Golden, Slice};
use crate::companies::Company;

/// A name of a register.
struct RegisteredName {
    key: Box<str>,
    legal: u8,
    company: u32,
}

/// Finds the right results in one register.
pub struct Judge {
    /// Sorted by key.
    names: Vec<RegisteredName>,
}

impl Judge {
    pub fn new(companies: &[Company]) -> Judge {
        let mut names = Vec::new();
        for (index, company) in companies.iter().enumerate() {
            for name in std::iter::once(&company.name).chain(&company.former_names) {
                let judged = NormalizedName::new(name);
                let key = judged.key().into_boxed_str();
                names.push(RegisteredName { key, legal: judged.legal, company: index as u32 });
            }
        }
        names.sort_by(|a, b| a.key.cmp(&b.key));
        Judge { names }
    }

    /// Fills in the right results of queries.
    pub fn fill(&self, queries: &mut [Golden]) {
        let halves = queries.len().div_ceil(2);
        let judge = self;
        std::thread::scope(|scope| {
            for half in queries.chunks_mut(halves.max(1)) {
                scope.spawn(move || half.iter_mut().for_each(|query| judge.judge(query)));
            }
        });
    }

    /// Whether a company has or had this name.
    pub fn has_name(&self, name: &str) -> bool {
        !self.beginning(&NormalizedName::new(name).key(), true).is_empty()
    }

    fn judge(&self, query: &mut Golden) {
        if query.slice == Slice::Number {
            return;
        }
        let intended = NormalizedName::new(&query.intended);
        let typed = NormalizedName::new(&query.text).key();
        let with_form = matches!(query.slice, Slice::Exact | Slice::Suffix);
        let same = self.beginning(&intended.key(), true);
        query.acceptable.extend(
            same.iter()
                .filter(|name| !with_form || name.legal == intended.legal)
                .map(|name| name.company),
        );
        let others = match query.slice {
            Slice::Exact | Slice::Suffix => Vec::new(),
            Slice::OneTypo | Slice::TwoTypos | Slice::TwoInWord => {
                self.as_near(&typed, &intended.key())
            }
            Slice::WordOrder => self.same_words(&intended),
            Slice::Prefix => {
                self.beginning(&typed, false).iter().map(|name| name.company).collect()
            }
            _ => self.beginning(&typed, true).iter().map(|name| name.company).collect(),
        };
        query.acceptable.extend(others);
    }

    /// The names that begin with a key, or equal it if `whole`.
    fn beginning(&self, key: &str, whole: bool) -> &[RegisteredName] {
        let start = self.names.partition_point(|name| *name.key < *key);
        let fits = |name: &RegisteredName| {
            if whole { *name.key == *key } else { name.key.starts_with(key) }
        };
        let length = self.names[start..].partition_point(fits);
        &self.names[start..start + length]
    }

    fn as_near(&self, typed: &str, intended: &str) -> Vec<u32> {
        let comparator = osa::BatchComparator::new(typed.bytes());
        let distance = comparator.distance(intended.bytes());
        let arguments = osa::Args::default().score_cutoff(distance);
        let near = |name: &&RegisteredName| {
            name.key.len().abs_diff(typed.len()) <= distance
                && comparator.distance_with_args(name.key.bytes(), &arguments).is_some()
        };
        self.names.iter().filter(near).map(|name| name.company).collect()
    }

    fn same_words(&self, intended: &NormalizedName) -> Vec<u32> {
        let orders = permutations(&intended.words);
        let keys = orders.iter().map(|order| order.concat());
        keys.flat_map(|key| {
            self.beginning(&key, true).iter().map(|name| name.company).collect::<Vec<_>>()
        })
        .collect()
    }
}

/// All orders of a few words.
fn permutations(words: &[String]) -> Vec<Vec<String>> {
    if words.len() <= 1 {
        return vec![words.to_vec()];
    }
    let mut all = Vec::new();
    for at in 0..words.len() {
        let mut rest = words.to_vec();
        let first = rest.remove(at);
        for mut order in permutations(&rest) {
            order.insert(0, first.clone());
            all.push(order);
        }
    }
    all
}
