//! Random numbers from a fixed seed, so that golden queries are always the same.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// A seeded random number generator.
pub struct Random(Pcg64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(Pcg64::seed_from_u64(seed))
    }

    /// A random number below the bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound.max(1) as u64) as usize
    }

    /// A random element.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
