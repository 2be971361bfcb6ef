//! Groups of companies that share a key, such as their name. Every company is read twice: first only a
//! hash of its key is stored, then the companies whose hash occurred more than once. So the memory that
//! this takes depends on the number of duplicates, not on the length of the names.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The most groups of each kind that are listed.
const MAX_GROUPS: usize = 100_000;

/// What the companies of a group have in common.
pub(super) type SharedKey<'a> = (Cow<'a, str>, Cow<'a, str>);

/// The hashes of the keys of all companies.
pub(super) struct KeyHashes {
    hash: fn(&SharedKey<'_>) -> u64,
    hashes: Vec<u64>,
}

/// The companies whose hash occurred more than once.
pub(super) struct Groups {
    hash: fn(&SharedKey<'_>) -> u64,
    repeated: HashSet<u64>,
    by_key: BTreeMap<(String, String), Vec<String>>,
    max_groups: usize,
    is_full: bool,
}

impl KeyHashes {
    pub(super) fn new() -> KeyHashes {
        KeyHashes { hash: default_hash, hashes: Vec::new() }
    }

    pub(super) fn add(&mut self, key: &SharedKey<'_>) {
        self.hashes.push((self.hash)(key));
    }

    /// Empty groups for the second time that the companies are read.
    pub(super) fn into_groups(mut self) -> Groups {
        self.hashes.sort_unstable();
        let pairs = self.hashes.windows(2).filter(|pair| pair[0] == pair[1]);
        Groups {
            hash: self.hash,
            repeated: pairs.map(|pair| pair[0]).collect(),
            by_key: BTreeMap::new(),
            max_groups: MAX_GROUPS,
            is_full: false,
        }
    }
}

impl Groups {
    /// Whether no two companies can have the same key.
    pub(super) fn is_empty(&self) -> bool {
        self.repeated.is_empty()
    }

    pub(super) fn add(&mut self, key: SharedKey<'_>, cin: &str) {
        if !self.repeated.contains(&(self.hash)(&key)) {
            return;
        }
        let key = (key.0.into_owned(), key.1.into_owned());
        if let Some(cins) = self.by_key.get_mut(&key) {
            cins.push(cin.to_owned());
        } else if self.by_key.len() < self.max_groups {
            self.by_key.insert(key, vec![cin.to_owned()]);
        } else if !self.is_full {
            self.is_full = true;
            let limit = self.max_groups;
            tracing::warn!(limit, "there are more groups of possible duplicates than are listed");
        }
    }

    /// The groups of several companies, ordered by key, each ordered by CIN. Equal hashes may be of
    /// different keys, so there are groups of one company, too.
    pub(super) fn into_cins(self) -> impl Iterator<Item = Vec<String>> {
        let groups = self.by_key.into_values().filter(|cins| cins.len() > 1);
        groups.map(|mut cins| {
            cins.sort();
            cins
        })
    }
}

fn default_hash(key: &SharedKey<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPANIES: [(&str, &str); 6] = [
        ("NAMUNA", "U5"),
        ("ALONE", "U4"),
        ("OTHER", "U3"),
        ("NAMUNA", "U2"),
        ("OTHER", "U1"),
        ("NAMUNA", "U0"),
    ];

    fn group(mut hashes: KeyHashes, max_groups: usize) -> (Vec<Vec<String>>, bool) {
        let key = |name: &'static str| ("2001-01-01".into(), name.into());
        COMPANIES.iter().for_each(|(name, _)| hashes.add(&key(name)));
        let mut groups = Groups { max_groups, ..hashes.into_groups() };
        COMPANIES.iter().for_each(|(name, cin)| groups.add(key(name), cin));
        let is_full = groups.is_full;
        (groups.into_cins().collect(), is_full)
    }

    #[test]
    fn companies_with_the_same_key_are_a_group_ordered_by_key_and_number() {
        let (groups, is_full) = group(KeyHashes::new(), MAX_GROUPS);
        assert_eq!(groups, [vec!["U0", "U2", "U5"], vec!["U1", "U3"]]);
        assert!(!is_full);
    }

    #[test]
    fn different_keys_with_the_same_hash_are_not_a_group() {
        let hashes = KeyHashes { hash: |_| 7, hashes: Vec::new() };
        assert_eq!(group(hashes, MAX_GROUPS).0, [vec!["U0", "U2", "U5"], vec!["U1", "U3"]]);
    }

    #[test]
    fn a_full_list_of_groups_gets_no_new_group_but_all_companies_of_its_groups() {
        let (groups, is_full) = group(KeyHashes::new(), 1);
        assert_eq!(groups, [vec!["U0", "U2", "U5"]]);
        assert!(is_full);
    }

    #[test]
    fn nothing_is_grouped_without_two_equal_hashes() {
        let mut hashes = KeyHashes::new();
        hashes.add(&("a".into(), "b".into()));
        hashes.add(&("b".into(), "a".into()));
        assert!(hashes.into_groups().is_empty());
    }
}
