//! The numbers of companies: each is computed from the index alone.
//!
//! The register repeats a round of slots. A slot belongs to one registrar and is for a company, an
//! LLP or a foreign company, so the rank of an index within its kind is known without counting, and
//! with it a unique number.

use std::collections::HashMap;

use crate::places::REGISTRARS;
use crate::random::{Purpose, Random, Weighted};

/// Slots per round.
pub(crate) const ROUND: u64 = 2_000;
const LLP_SLOTS: u64 = 210;
const FOREIGN_SLOTS: u64 = 3;

/// Registration numbers of a registrar before it starts again; coprime to `STRIDE`.
const NUMBERS: u64 = 999_983;
const LLP_NUMBERS: u64 = 9_999_991;
const FOREIGN_NUMBERS: u64 = 39_989;
/// Near the golden ratio of each, so that the first ranks are spread over all numbers.
const STRIDE: u64 = 618_029;
const LLP_STRIDE: u64 = 6_180_331;
const FOREIGN_STRIDE: u64 = 24_713;

const FIRST_YEAR: i16 = 1950;
/// The date of the register.
pub const AS_OF: &str = "2026-06-30";

/// The kind of entity at an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Company,
    Llp,
    Foreign,
}

#[derive(Clone, Copy)]
struct Slot {
    registrar: usize,
    kind: Kind,
    /// Its rank within the round among companies of its registrar, or among its kind.
    rank: u64,
    /// Whether it is every second one of its state.
    alternate: bool,
}

/// The round of slots.
pub(crate) struct Layout {
    seed: u64,
    slots: Vec<Slot>,
    /// The number of companies per registrar and round.
    companies: Vec<u64>,
    years: Weighted<i16>,
    llp_years: Weighted<i16>,
}

/// Number and date of one index.
pub(crate) struct Placement {
    pub registrar: usize,
    pub kind: Kind,
    /// Unique within the registrar and year, or within the kind.
    pub number: u64,
    pub year: i16,
    /// Position within the year, in millionths.
    pub into_year: u64,
}

impl Layout {
    pub fn new(seed: u64) -> Layout {
        let mut kinds: Vec<(usize, Kind)> = Vec::with_capacity(ROUND as usize);
        let company_slots = ROUND - LLP_SLOTS - FOREIGN_SLOTS;
        kinds.extend(apportioned(company_slots).map(|registrar| (registrar, Kind::Company)));
        kinds.extend(apportioned(LLP_SLOTS).map(|registrar| (registrar, Kind::Llp)));
        kinds.extend((0..FOREIGN_SLOTS).map(|registrar| (registrar as usize * 2, Kind::Foreign)));
        let mut random = Random::of(seed, Purpose::Layout, 0);
        for last in (1..kinds.len()).rev() {
            kinds.swap(last, random.index(last + 1));
        }
        let mut companies = vec![0; REGISTRARS.len()];
        let (mut llps, mut foreign) = (0, 0);
        let mut slots: Vec<Slot> = kinds
            .into_iter()
            .map(|(registrar, kind)| {
                let count = match kind {
                    Kind::Company => &mut companies[registrar],
                    Kind::Llp => &mut llps,
                    Kind::Foreign => &mut foreign,
                };
                let rank = *count;
                *count += 1;
                Slot { registrar, kind, rank, alternate: false }
            })
            .collect();
        mark_alternates(&mut slots);
        Layout { seed, slots, companies, years: years(), llp_years: llp_years() }
    }

    /// The entity at an index.
    pub fn placement(&self, index: u64) -> Placement {
        let round = index / ROUND;
        let Slot { registrar, kind, rank, .. } = self.slots[(index % ROUND) as usize];
        let (per_round, stride, numbers, years) = match kind {
            Kind::Company => (self.companies[registrar], STRIDE, NUMBERS, &self.years),
            Kind::Llp => (LLP_SLOTS, LLP_STRIDE, LLP_NUMBERS, &self.llp_years),
            Kind::Foreign => (FOREIGN_SLOTS, FOREIGN_STRIDE, FOREIGN_NUMBERS, &self.years),
        };
        let rank = round * per_round + rank;
        let series = match kind {
            Kind::Company => 10 + registrar as u64,
            Kind::Llp => 1,
            Kind::Foreign => 2,
        };
        let offset = Random::of(self.seed, Purpose::Layout, series).below(numbers);
        let number = (rank % numbers * stride + offset) % numbers;
        let (year, into_year) = years.at(number, numbers);
        // A registrar that has used all its numbers starts again, in other years.
        let again = (rank / numbers) as i16;
        let year = if again == 0 { *year } else { self.later(*year, again) };
        Placement { registrar, kind, number, year, into_year }
    }

    fn later(&self, year: i16, by: i16) -> i16 {
        let years = self.years.items().len() as i16;
        FIRST_YEAR + (year - FIRST_YEAR + by) % years
    }

    /// Whether the slot is marked; its neighbors in the state file are not.
    pub fn is_alternate(&self, index: u64) -> bool {
        self.slots[(index % ROUND) as usize].alternate
    }

    /// The indices below `end` whose offices are in a state, in order.
    pub fn in_state(&self, state: &str, end: u64) -> impl Iterator<Item = u64> {
        let indices: Vec<u64> = self
            .slots
            .iter()
            .zip(0..)
            .filter(|(slot, _)| REGISTRARS[slot.registrar].state == state)
            .map(|(_, index)| index)
            .collect();
        let rounds = end.div_ceil(ROUND);
        (0..rounds)
            .flat_map(move |round| {
                indices.clone().into_iter().map(move |index| round * ROUND + index)
            })
            .take_while(move |index| *index < end)
    }
}

/// Marks every second slot of each state. The first slot of a round is not marked, so no two marked
/// slots follow each other.
fn mark_alternates(slots: &mut [Slot]) {
    let mut seen: HashMap<&str, bool> = HashMap::new();
    for slot in slots {
        let alternate = seen.entry(REGISTRARS[slot.registrar].state).or_default();
        slot.alternate = *alternate;
        *alternate = !*alternate;
    }
}

/// Distributes slots over the registrars by their weights; each gets at least one.
fn apportioned(slots: u64) -> impl Iterator<Item = usize> {
    let total: u64 = REGISTRARS.iter().map(|registrar| registrar.weight).sum();
    let mut counts: Vec<u64> = REGISTRARS
        .iter()
        .map(|registrar| (registrar.weight * slots / total).max(u64::from(slots > ROUND / 2)))
        .collect();
    let given: u64 = counts.iter().sum();
    // The largest registrar takes the rounding difference.
    counts[0] = counts[0] + slots - given;
    counts.into_iter().enumerate().flat_map(|(registrar, count)| (0..count).map(move |_| registrar))
}

/// Years with the number of registrations: few before 1980, a peak in the nineties, most since
/// 2018.
fn years() -> Weighted<i16> {
    let weight = |year: i16| match year {
        ..1960 => 4,
        1960..1970 => 9,
        1970..1980 => 20,
        1980..1985 => 45,
        1985..1990 => 75,
        1990..1993 => 110,
        1993..1998 => 200,
        1998..2004 => 120,
        2004..2006 => 230,
        2006..2012 => 330,
        2012..2017 => 300,
        2017..2020 => 440,
        2020..2022 => 560,
        2022..2026 => 680,
        _ => 360,
    };
    Weighted::new((FIRST_YEAR..=2026).map(|year| (year, weight(year))))
}

fn llp_years() -> Weighted<i16> {
    Weighted::new(
        (2009..=2026).map(|year| (year, (year as u64 - 2008) * if year == 2026 { 5 } else { 10 })),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_indices_have_the_same_number() {
        let layout = Layout::new(3);
        let mut seen = HashSet::new();
        for index in (0..200_000).chain(8_000_000..8_200_000) {
            let placement = layout.placement(index);
            let registrar =
                (placement.kind == Kind::Company).then_some((placement.registrar, placement.year));
            let key = (registrar, placement.kind as u8, placement.number);
            assert!(seen.insert(key), "{index}");
        }
    }

    #[test]
    fn every_state_has_its_companies_and_all_states_have_all() {
        let layout = Layout::new(1);
        let states: HashSet<&str> = REGISTRARS.iter().map(|registrar| registrar.state).collect();
        let counts = states.iter().map(|state| layout.in_state(state, 5_000).count());
        let counts: Vec<usize> = counts.collect();
        assert_eq!(counts.iter().sum::<usize>(), 5_000);
        assert!(counts.iter().all(|count| *count > 0));
    }
}
