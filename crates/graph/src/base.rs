//! A compact graph that is never changed: sorted tables of numbers, and lists as one array with the offset
//! where each begins.

use crate::node::{CompanyNumber, MAX_DIN};

/// How many DINs each entry of `din_positions` covers, as a power of two.
const DIN_STEP: u32 = 10;

/// The companies that share something up to which they are found by a walk: a hub has thousands, each in
/// another part of the memory.
const MAX_WALK: usize = 32;

/// Lists of numbers, one per row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    /// The offset of each row, and the end.
    pub offsets: Vec<u32>,
    pub values: Vec<u32>,
}

impl Lists {
    pub fn row(&self, row: usize) -> &[u32] {
        match (self.offsets.get(row), self.offsets.get(row + 1)) {
            (Some(start), Some(end)) => &self.values[*start as usize..*end as usize],
            _ => &[],
        }
    }

    /// Whether every row lies within the values.
    fn is_consistent(&self, rows: usize) -> bool {
        self.offsets.len() == rows + 1
            && self.offsets.is_sorted()
            && self.offsets.first() == Some(&0)
            && self.offsets.last().map(|end| *end as usize) == Some(self.values.len())
    }
}

/// Companies with the same office or domain, by its hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shared {
    /// The hash by company; 0 for none.
    pub keys: Vec<u64>,
    /// The companies with one, ordered by hash.
    pub members: Vec<u32>,
    /// The position of each company in `members`. Not stored.
    positions: Vec<u32>,
}

impl Shared {
    pub fn new(keys: Vec<u64>) -> Shared {
        let count = u32::try_from(keys.len()).unwrap_or(u32::MAX);
        let mut members: Vec<u32> = (0..count).filter(|at| keys[*at as usize] != 0).collect();
        members.sort_unstable_by_key(|company| (keys[*company as usize], *company));
        Shared::from_stored(keys, members)
    }

    pub fn from_stored(keys: Vec<u64>, members: Vec<u32>) -> Shared {
        let mut positions = vec![0; keys.len()];
        for (position, company) in (0u32..).zip(&members) {
            if let Some(entry) = positions.get_mut(*company as usize) {
                *entry = position;
            }
        }
        Shared { keys, members, positions }
    }

    pub fn key(&self, company: u32) -> u64 {
        self.keys.get(company as usize).copied().unwrap_or(0)
    }

    /// The companies with this key in their order. `near` has it, if it is in the base.
    pub fn with_key(&self, key: u64, near: Option<u32>) -> &[u32] {
        let of = |company: &u32| self.keys[*company as usize];
        let near = near.filter(|company| self.key(*company) == key);
        if let Some(company) = near {
            // Most have few companies: a walk from the position reads less than a search.
            let (before, after) = self.members.split_at(self.positions[company as usize] as usize);
            let walk = |count: usize| (count < MAX_WALK).then_some(count);
            let has_key = |company: &&u32| of(company) == key;
            let earlier = walk(before.iter().rev().take(MAX_WALK).take_while(has_key).count());
            let later = walk(after.iter().take(MAX_WALK).take_while(has_key).count());
            if let (Some(earlier), Some(later)) = (earlier, later) {
                return &self.members[before.len() - earlier..before.len() + later];
            }
        }
        let start = self.members.partition_point(|company| of(company) < key);
        let end = start + self.members[start..].partition_point(|company| of(company) == key);
        &self.members[start..end]
    }

    fn is_consistent(&self, companies: usize) -> bool {
        self.keys.len() == companies
            && self.members.len() <= companies
            && self.members.iter().all(|company| (*company as usize) < companies)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Base {
    /// The last change of the register in it.
    pub seq: i64,
    /// The numbers of the companies, sorted; the index of a company is its position.
    pub numbers: Vec<u128>,
    /// The DINs of each company, sorted.
    pub directors: Lists,
    /// All DINs, sorted.
    pub dins: Vec<u32>,
    /// The companies of each person, sorted.
    pub companies: Lists,
    pub offices: Shared,
    pub domains: Shared,
    /// A company and the company with a former number of it, sorted.
    pub former: Vec<(u32, u32)>,
    /// The same pairs reversed, sorted. Not stored.
    pub successors: Vec<(u32, u32)>,
    /// The position in `dins` of the first that is at least a multiple of the step. Not stored.
    pub(super) din_positions: Vec<u32>,
}

impl Base {
    pub fn find(&self, number: CompanyNumber) -> Option<u32> {
        let position = self.numbers.binary_search(&number.0).ok()?;
        u32::try_from(position).ok()
    }

    pub fn number(&self, company: u32) -> Option<CompanyNumber> {
        self.numbers.get(company as usize).copied().map(CompanyNumber)
    }

    pub fn directors_of(&self, company: u32) -> &[u32] {
        self.directors.row(company as usize)
    }

    pub fn companies_of(&self, din: u32) -> &[u32] {
        match self.din_position(din) {
            Some(position) => self.companies.row(position),
            None => &[],
        }
    }

    pub fn din_position(&self, din: u32) -> Option<usize> {
        let step = (din >> DIN_STEP) as usize;
        let (start, end) = (*self.din_positions.get(step)?, *self.din_positions.get(step + 1)?);
        let found = self.dins[start as usize..end as usize].binary_search(&din).ok()?;
        Some(start as usize + found)
    }

    /// Fills the tables that are not stored.
    pub fn with_lookup_tables(mut self) -> Base {
        self.successors = self.former.iter().map(|(current, former)| (*former, *current)).collect();
        self.successors.sort_unstable();
        let mut position = 0;
        self.din_positions = (0..=(MAX_DIN >> DIN_STEP) + 1)
            .map(|step| {
                let first = step << DIN_STEP;
                while self.dins.get(position).is_some_and(|din| *din < first) {
                    position += 1;
                }
                u32::try_from(position).unwrap_or(u32::MAX)
            })
            .collect();
        self
    }

    /// Whether all numbers refer to what exists, so that reading cannot go beyond an array.
    pub fn is_consistent(&self) -> bool {
        let count = self.numbers.len();
        let is_company = |company: &u32| (*company as usize) < count;
        self.directors.is_consistent(count)
            && self.companies.is_consistent(self.dins.len())
            && self.companies.values.iter().all(is_company)
            && self.offices.is_consistent(count)
            && self.domains.is_consistent(count)
            && self.former.iter().all(|(one, other)| is_company(one) && is_company(other))
            && self.numbers.is_sorted()
            && self.dins.is_sorted()
            && self.dins.last().is_none_or(|din| *din <= MAX_DIN)
    }

    /// The bytes of its arrays in memory.
    pub fn bytes(&self) -> usize {
        let lists = |lists: &Lists| (lists.offsets.len() + lists.values.len()) * 4;
        let shared = |shared: &Shared| {
            shared.keys.len() * 8 + (shared.members.len() + shared.positions.len()) * 4
        };
        self.numbers.len() * 16
            + lists(&self.directors)
            + self.dins.len() * 4
            + lists(&self.companies)
            + shared(&self.offices)
            + shared(&self.domains)
            + (self.former.len() + self.successors.len()) * 8
            + self.din_positions.len() * 4
    }
}
