//! Golden queries: what people would type for companies of a register, and the right answers.

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
    /// The registered name.
    Exact,
    /// The legal form in another spelling.
    Suffix,
    /// One typing mistake.
    OneTypo,
    /// Two typing mistakes.
    TwoTypos,
    /// An abbreviated word.
    Abbreviation,
    /// A word in another spelling.
    Transliteration,
    /// The words in another order.
    WordOrder,
    /// Initials with or without dots and spaces.
    Initials,
    /// A former name.
    FormerName,
    /// The beginning of the name.
    Prefix,
}

impl Slice {
    /// All slices, each with its name and the required success rate.
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
    pub slice: Slice,
    /// The typed text.
    pub text: String,
    /// The intended name.
    pub intended: String,
    /// The indexes of the companies that are right answers.
    pub acceptable: HashSet<u32>,
}

/// The most companies that are tried for a slice.
const TRIES: usize = 400_000;

/// Creates this many queries of each slice, always the same ones.
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
            if let Some((text, intended)) = query(*slice, company, &mut chance)
                && used.insert(text.clone())
            {
                queries.push(Golden { slice: *slice, text, intended, acceptable: HashSet::new() });
            }
        }
    }
    Judge::new(companies).fill(&mut queries);
    queries
}

/// A query for a company, and the intended name.
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
