//! The companies that changed after the base was built. Each replaces what the base says about it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::Base;
use crate::builder::CompanyLinks;
use crate::node::CompanyNumber;

/// What a changed company is linked with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Whether the register has no such company any more: another one has its records.
    pub is_removed: bool,
    /// Sorted.
    pub dins: Vec<u32>,
    pub links: CompanyLinks,
}

/// Changed companies by index, and the same by what they are linked with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    entries: FxHashMap<u32, Entry>,
    /// The numbers of companies that are not in the base; their indexes follow it.
    added: Vec<CompanyNumber>,
    added_at: FxHashMap<CompanyNumber, u32>,
    by_din: FxHashMap<u32, Vec<u32>>,
    by_office: FxHashMap<u64, Vec<u32>>,
    by_domain: FxHashMap<u64, Vec<u32>>,
    by_former: FxHashMap<CompanyNumber, Vec<u32>>,
}

impl Overlay {
    /// The number of changed companies.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn get(&self, company: u32) -> Option<&Entry> {
        self.entries.get(&company)
    }

    pub fn is_replaced(&self, company: u32) -> bool {
        !self.entries.is_empty() && self.entries.contains_key(&company)
    }

    pub fn is_removed(&self, company: u32) -> bool {
        self.get(company).is_some_and(|entry| entry.is_removed)
    }

    pub fn find(&self, number: CompanyNumber) -> Option<u32> {
        self.added_at.get(&number).copied()
    }

    /// The number of an added company, by its position after the base.
    pub fn number(&self, position: usize) -> Option<CompanyNumber> {
        self.added.get(position).copied()
    }

    pub fn companies_of(&self, din: u32) -> &[u32] {
        self.by_din.get(&din).map_or(&[], Vec::as_slice)
    }

    pub fn at_office(&self, key: u64) -> &[u32] {
        self.by_office.get(&key).map_or(&[], Vec::as_slice)
    }

    pub fn in_domain(&self, key: u64) -> &[u32] {
        self.by_domain.get(&key).map_or(&[], Vec::as_slice)
    }

    pub fn with_former(&self, number: CompanyNumber) -> &[u32] {
        self.by_former.get(&number).map_or(&[], Vec::as_slice)
    }

    /// Sets what a company is linked with now.
    pub fn set(&mut self, base: &Base, number: CompanyNumber, mut entry: Entry) {
        entry.dins.sort_unstable();
        entry.dins.dedup();
        let company = self.index_of(base, number);
        if let Some(old) = self.entries.remove(&company) {
            self.unlink(company, &old);
        }
        let unique: FxHashSet<CompanyNumber> = entry.links.former.iter().copied().collect();
        for former in unique {
            insert(self.by_former.entry(former).or_default(), company);
        }
        for din in &entry.dins {
            insert(self.by_din.entry(*din).or_default(), company);
        }
        if entry.links.office != 0 {
            insert(self.by_office.entry(entry.links.office).or_default(), company);
        }
        if entry.links.domain != 0 {
            insert(self.by_domain.entry(entry.links.domain).or_default(), company);
        }
        self.entries.insert(company, entry);
    }

    fn index_of(&mut self, base: &Base, number: CompanyNumber) -> u32 {
        if let Some(known) = base.find(number).or_else(|| self.find(number)) {
            return known;
        }
        let next = base.numbers.len() + self.added.len();
        let index = u32::try_from(next).expect("an overlay is small, and a base has a limit");
        self.added.push(number);
        self.added_at.insert(number, index);
        index
    }

    fn unlink(&mut self, company: u32, old: &Entry) {
        for din in &old.dins {
            remove(&mut self.by_din, din, company);
        }
        remove(&mut self.by_office, &old.links.office, company);
        remove(&mut self.by_domain, &old.links.domain, company);
        for former in &old.links.former {
            remove(&mut self.by_former, former, company);
        }
    }
}

fn insert(list: &mut Vec<u32>, company: u32) {
    if let Err(position) = list.binary_search(&company) {
        list.insert(position, company);
    }
}

fn remove<K: Eq + std::hash::Hash>(lists: &mut FxHashMap<K, Vec<u32>>, key: &K, company: u32) {
    if let Some(list) = lists.get_mut(key) {
        list.retain(|other| *other != company);
        if list.is_empty() {
            lists.remove(key);
        }
    }
}
