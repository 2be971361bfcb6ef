//! The words of a register, with the companies that have them.

use std::collections::{HashMap, HashSet};

use super::key::NormalizedName;
use super::perturb::core;
use super::random::Random;
use crate::companies::Company;

/// Common words that people confuse with one another.
const COMMON: &[&str] = &[
    "SERVICES",
    "SOLUTIONS",
    "TECHNOLOGIES",
    "ENTERPRISES",
    "INDUSTRIES",
    "VENTURES",
    "TRADING",
    "SYSTEMS",
    "CONSULTANCY",
    "CONSULTANTS",
    "MARKETING",
    "DEVELOPERS",
    "BUILDERS",
    "CONSTRUCTIONS",
    "INFRASTRUCTURE",
    "PROPERTIES",
    "INVESTMENTS",
    "HOLDINGS",
    "FOODS",
    "PRODUCTS",
    "EXPORTS",
    "TRADERS",
    "LOGISTICS",
    "HOSPITALITY",
    "RESORTS",
    "HOTELS",
    "ENGINEERING",
    "PROJECTS",
    "MANAGEMENT",
    "INTERNATIONAL",
    "MEDIA",
    "ENTERTAINMENT",
    "HEALTHCARE",
    "FINANCE",
    "TEXTILES",
    "CHEMICALS",
    "ESTATES",
    "FARMS",
    "REALTY",
    "GLOBAL",
];

/// The words of a register.
pub struct Known {
    companies_of: HashMap<String, Vec<u32>>,
}

impl Known {
    pub fn new(companies: &[Company]) -> Known {
        let mut companies_of: HashMap<String, Vec<u32>> = HashMap::new();
        for (index, company) in companies.iter().enumerate() {
            for name in std::iter::once(&company.name).chain(&company.former_names) {
                for word in NormalizedName::new(name).words {
                    let list = companies_of.entry(word).or_default();
                    if list.last() != Some(&(index as u32)) {
                        list.push(index as u32);
                    }
                }
            }
        }
        Known { companies_of }
    }

    /// The number of companies that have all these words.
    fn with_all(&self, words: &[&str]) -> usize {
        let mut lists: Vec<&Vec<u32>> = Vec::new();
        for word in words {
            match self.companies_of.get(*word) {
                Some(list) => lists.push(list),
                None => return 0,
            }
        }
        lists.sort_by_key(|list| list.len());
        let Some((rarest, rest)) = lists.split_first() else { return 0 };
        let in_all = |index: &&u32| rest.iter().all(|list| list.binary_search(index).is_ok());
        rarest.iter().filter(in_all).collect::<HashSet<_>>().len()
    }

    /// A name with one of its common words replaced by another, if only one company has all the
    /// others.
    pub fn wrong_word(&self, name: &str, random: &mut Random) -> Option<String> {
        let core = core(name);
        let mut words: Vec<&str> = core.split_whitespace().collect();
        let common: Vec<usize> =
            (0..words.len()).filter(|at| COMMON.contains(&words[*at])).collect();
        if common.is_empty() || words.len() < 2 {
            return None;
        }
        let at = *random.pick(&common);
        let judged = NormalizedName::new(&core).words;
        let others: Vec<&str> =
            judged.iter().map(String::as_str).filter(|word| *word != words[at]).collect();
        let other = *random.pick(COMMON);
        if other == words[at] || others.is_empty() || self.with_all(&others) != 1 {
            return None;
        }
        words[at] = other;
        Some(words.join(" "))
    }
}
