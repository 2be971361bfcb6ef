//! Golden queries: what people would type for companies of a register, and which answers are right.

pub mod chance;
pub mod key;
pub mod perturb;
mod register;
pub mod score;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed expectation is a failed test")]
mod tests;
pub mod words;

use std::collections::HashSet;

use crate::companies::Company;
use chance::Chance;
use key::Judged;
pub use register::Judge;

/// A kind of query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slice {
    /// The name as it is registered.
    Exact,
    /// The legal form written another way.
    Suffix,
    /// One typing mistake.
    OneTypo,
    /// Two of them.
    TwoTypos,
    /// A word shortened.
    Abbreviation,
    /// A word in another spelling.
    Transliteration,
    /// The words in another order.
    WordOrder,
    /// Initials with or without dots and spaces.
    Initials,
    /// A name that the company had before.
    FormerName,
    /// The beginning of the name.
    Prefix,
}

impl Slice {
    /// All of them, each with its name and the success that is asked for.
    pub const ALL: [(Slice, &'static str, f64); 10] = [
        (Slice::Exact, "exact", 0.98),
        (Slice::Suffix, "suffix variant", 0.98),
        (Slice::OneTypo, "one typo", 0.95),
        (Slice::TwoTypos, "two typos", 0.85),
        (Slice::Abbreviation, "abbreviation", 0.95),
        (Slice::Transliteration, "transliteration", 0.90),
        (Slice::WordOrder, "word order", 0.95),
        (Slice::Initials, "initials", 0.90),
        (Slice::FormerName, "former name", 0.95),
        (Slice::Prefix, "prefix", 0.90),
    ];
}

/// A golden query.
#[derive(Clone, Debug)]
pub struct Golden {
    /// Its kind.
    pub slice: Slice,
    /// What is typed.
    pub text: String,
    /// The name that is meant.
    pub meant: String,
    /// Places in the register of the companies that are right answers.
    pub acceptable: HashSet<u32>,
}

/// Companies that are tried before a slice is given up as too small.
const TRIES: usize = 400_000;

/// Makes so many queries of each slice, the same ones every time.
pub fn make(companies: &[Company], per_slice: usize, seed: u64) -> Vec<Golden> {
    let mut queries = Vec::new();
    for (number, (slice, _, _)) in Slice::ALL.iter().enumerate() {
        let mut chance = Chance::new(seed + number as u64);
        let mut used = HashSet::new();
        for _ in 0..TRIES {
            if used.len() == per_slice {
                break;
            }
            let company = &companies[chance.below(companies.len())];
            if let Some((text, meant)) = query(*slice, company, &mut chance)
                && used.insert(text.clone())
            {
                queries.push(Golden { slice: *slice, text, meant, acceptable: HashSet::new() });
            }
        }
    }
    Judge::new(companies).fill(&mut queries);
    queries
}

/// What somebody types for a company, and the name that is meant.
fn query(slice: Slice, company: &Company, chance: &mut Chance) -> Option<(String, String)> {
    let name = company.name.trim();
    let letters = Judged::new(name).key().len();
    let text = match slice {
        Slice::Exact => Some(name.to_owned()),
        Slice::Suffix => perturb::suffix(name, chance),
        Slice::OneTypo if letters >= 6 => perturb::typo(&perturb::core(name), chance),
        Slice::TwoTypos if letters >= 10 => {
            let once = perturb::typo(&perturb::core(name), chance)?;
            perturb::typo(&once, chance)
        }
        Slice::OneTypo | Slice::TwoTypos => None,
        Slice::Abbreviation => perturb::abbreviation(name, chance),
        Slice::Transliteration => perturb::spelling(name, chance),
        Slice::WordOrder => perturb::order(name, chance),
        Slice::Initials => perturb::initials(name, chance),
        Slice::FormerName => {
            let former = company.former_names.first()?;
            return Some((perturb::core(former), former.clone()));
        }
        Slice::Prefix => perturb::beginning(name, chance),
    };
    Some((text?, name.to_owned()))
}
