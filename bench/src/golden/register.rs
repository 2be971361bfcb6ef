//! Which companies of a register are right answers to a query.
//!
//! Always those that have the name that is meant. Beside them:
//! exact and suffix variants: nobody else, and the legal form must be the same;
//! typing mistakes: those whose name is as near to what was typed, letter by letter, or nearer;
//! word order: those with the same words; beginnings: those whose name begins so;
//! all others: those whose name is exactly what was typed.

use rapidfuzz::distance::osa;

use super::key::Judged;
use super::{Golden, Slice};
use crate::companies::Company;

/// A name of a register.
struct Held {
    key: Box<str>,
    legal: u8,
    company: u32,
}

/// The judge over one register.
pub struct Judge {
    /// In the order of keys.
    names: Vec<Held>,
}

impl Judge {
    /// A judge over these companies.
    pub fn new(companies: &[Company]) -> Judge {
        let mut names = Vec::new();
        for (place, company) in companies.iter().enumerate() {
            for name in std::iter::once(&company.name).chain(&company.former_names) {
                let judged = Judged::new(name);
                let key = judged.key().into_boxed_str();
                names.push(Held { key, legal: judged.legal, company: place as u32 });
            }
        }
        names.sort_by(|a, b| a.key.cmp(&b.key));
        Judge { names }
    }

    /// Fills in the right answers of queries.
    pub fn fill(&self, queries: &mut [Golden]) {
        let halves = queries.len().div_ceil(2);
        let judge = self;
        std::thread::scope(|scope| {
            for half in queries.chunks_mut(halves.max(1)) {
                scope.spawn(move || half.iter_mut().for_each(|query| judge.judge(query)));
            }
        });
    }

    fn judge(&self, query: &mut Golden) {
        let meant = Judged::new(&query.meant);
        let asked = Judged::new(&query.text).key();
        let with_form = matches!(query.slice, Slice::Exact | Slice::Suffix);
        let same = self.beginning(&meant.key(), true);
        query.acceptable.extend(
            same.iter()
                .filter(|held| !with_form || held.legal == meant.legal)
                .map(|held| held.company),
        );
        let others = match query.slice {
            Slice::Exact | Slice::Suffix => Vec::new(),
            Slice::OneTypo | Slice::TwoTypos => self.as_near(&asked, &meant.key()),
            Slice::WordOrder => self.same_words(&meant),
            Slice::Prefix => {
                self.beginning(&asked, false).iter().map(|held| held.company).collect()
            }
            _ => self.beginning(&asked, true).iter().map(|held| held.company).collect(),
        };
        query.acceptable.extend(others);
    }

    /// Names that begin with a key, or are it.
    fn beginning(&self, key: &str, whole: bool) -> &[Held] {
        let start = self.names.partition_point(|held| *held.key < *key);
        let fits = |held: &Held| if whole { *held.key == *key } else { held.key.starts_with(key) };
        let length = self.names[start..].partition_point(fits);
        &self.names[start..start + length]
    }

    fn as_near(&self, asked: &str, meant: &str) -> Vec<u32> {
        let comparator = osa::BatchComparator::new(asked.bytes());
        let distance = comparator.distance(meant.bytes());
        let arguments = osa::Args::default().score_cutoff(distance);
        let near = |held: &&Held| {
            held.key.len().abs_diff(asked.len()) <= distance
                && comparator.distance_with_args(held.key.bytes(), &arguments).is_some()
        };
        self.names.iter().filter(near).map(|held| held.company).collect()
    }

    fn same_words(&self, meant: &Judged) -> Vec<u32> {
        let orders = permutations(&meant.words);
        let keys = orders.iter().map(|order| order.concat());
        keys.flat_map(|key| {
            self.beginning(&key, true).iter().map(|held| held.company).collect::<Vec<_>>()
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
