//! Random numbers that are the same on every machine: one stream for each generated object.

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

/// The purpose of a stream, so that two objects with the same index get different numbers.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Company = 1,
    Name = 2,
    FormerName = 3,
    Director = 4,
    Appointments = 5,
    Gst = 6,
    GstDetails = 7,
    Money = 8,
    Papers = 9,
    Faults = 10,
    Group = 11,
    Office = 12,
    Layout = 13,
}

/// A stream of random numbers. It uses only whole numbers and exact fractions: functions such as
/// the power and the logarithm may differ in their last digit between machines.
pub(crate) struct Random(Pcg64Mcg);

impl Random {
    /// The stream of one object.
    pub fn of(seed: u64, purpose: Purpose, index: u64) -> Random {
        let high = mix(seed ^ mix(purpose as u64));
        let low = mix(high ^ mix(index));
        Random(Pcg64Mcg::new((u128::from(high ^ index.rotate_left(32)) << 64) | u128::from(low)))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// An index into a list of `length`.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// An index into a list, the first ones much more often: the square of an even distribution.
    pub fn early_index(&mut self, length: usize) -> usize {
        let draw = self.below(1 << 32);
        (((u128::from(draw * draw)) * length as u128) >> 64) as usize
    }

    /// A number from `first` to `last`.
    pub fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    /// True with a probability of `times` in a thousand.
    pub fn per_mille(&mut self, times: u64) -> bool {
        self.below(1_000) < times
    }

    /// True with a probability of `times` in a million.
    pub fn per_million(&mut self, times: u64) -> bool {
        self.below(1_000_000) < times
    }

    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.index(list.len())]
    }
}

/// The final step of SplitMix64: similar numbers become different ones.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// A list of items with weights.
pub(crate) struct Weighted<T> {
    items: Vec<T>,
    /// The sums of the weights up to and including each item.
    sums: Vec<u64>,
}

impl<T> Weighted<T> {
    pub fn new(weighted: impl IntoIterator<Item = (T, u64)>) -> Weighted<T> {
        let mut total = 0;
        let (items, sums) = weighted
            .into_iter()
            .map(|(item, weight)| {
                total += weight;
                (item, total)
            })
            .unzip();
        Weighted { items, sums }
    }

    pub fn items(&self) -> &[T] {
        &self.items
    }

    pub fn pick(&self, random: &mut Random) -> &T {
        let total = self.sums.last().copied().unwrap_or_default();
        let draw = random.below(total);
        &self.items[self.sums.partition_point(|sum| *sum <= draw)]
    }

    /// The item at the fraction `part` / `whole` of the total weight, and the position within the
    /// item, in millionths.
    pub fn at(&self, part: u64, whole: u64) -> (&T, u64) {
        let total = self.sums.last().copied().unwrap_or_default();
        let scaled = u128::from(part) * u128::from(total) * 1_000_000 / u128::from(whole);
        let draw = (scaled / 1_000_000) as u64;
        let index = self.sums.partition_point(|sum| *sum <= draw);
        let before = if index == 0 { 0 } else { self.sums[index - 1] };
        let weight = self.sums[index] - before;
        let into = (scaled - u128::from(before) * 1_000_000) / u128::from(weight);
        (&self.items[index], into as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_the_same_in_every_build() {
        let mut random = Random::of(7, Purpose::Company, 42);
        let draws = [random.below(1_000_000), random.below(1_000_000), random.below(1_000_000)];
        assert_eq!(draws, [867_596, 921_145, 639_538]);
    }

    #[test]
    fn items_are_drawn_by_weight() {
        let weighted = Weighted::new([("often", 9), ("seldom", 1)]);
        let mut random = Random::of(1, Purpose::Name, 1);
        let often = (0..10_000).filter(|_| *weighted.pick(&mut random) == "often").count();
        assert!((8_800..9_200).contains(&often), "{often}");
        assert_eq!(weighted.at(0, 10), (&"often", 0));
        assert_eq!(weighted.at(9, 10), (&"seldom", 0));
    }
}
