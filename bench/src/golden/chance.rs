//! Chance from a fixed seed, so that golden queries are the same every time.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// A source of chance.
pub struct Chance(Pcg64);

impl Chance {
    /// Chance from a seed.
    pub fn new(seed: u64) -> Chance {
        Chance(Pcg64::seed_from_u64(seed))
    }

    /// A number below another.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound.max(1) as u64) as usize
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
