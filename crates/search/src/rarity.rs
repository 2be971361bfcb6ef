//! Weights of words: the rarer a word is in the register, the higher its weight.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;

use crate::snapshot::IndexSnapshot;

/// The weight of a word that every company has.
const MIN_WEIGHT: f64 = 0.04;
/// The weight of a word that no company has, such as a mistake.
const UNKNOWN: f64 = 0.6;
/// Added to the number of companies: frequencies in a small register are not significant.
const PRIOR: f64 = 1_000.0;

/// The weights of words in one register.
pub struct Rarity<'a> {
    snapshot: Option<&'a IndexSnapshot>,
    known: RefCell<HashMap<String, f64>>,
}

impl<'a> Rarity<'a> {
    pub fn of(snapshot: &'a IndexSnapshot) -> Rarity<'a> {
        Rarity { snapshot: Some(snapshot), known: RefCell::default() }
    }

    /// The same weight for all words.
    #[cfg(test)]
    pub fn even() -> Rarity<'a> {
        Rarity { snapshot: None, known: RefCell::default() }
    }

    /// The weight of a word in its normal form, up to 1.
    pub fn weight(&self, word: &str) -> io::Result<f64> {
        let Some(snapshot) = self.snapshot else { return Ok(UNKNOWN) };
        if let Some(weight) = self.known.borrow().get(word) {
            return Ok(*weight);
        }
        let weight = weight(snapshot.frequency(word)?, snapshot.companies);
        self.known.borrow_mut().insert(word.to_owned(), weight);
        Ok(weight)
    }

    pub fn knows(&self, word: &str) -> io::Result<bool> {
        match self.snapshot {
            Some(snapshot) => Ok(snapshot.frequency(word)? > 0),
            None => Ok(false),
        }
    }

    /// Whether some company is at a place with this word.
    pub fn is_place(&self, word: &str) -> io::Result<bool> {
        self.snapshot.map_or(Ok(false), |snapshot| snapshot.is_place(word))
    }
}

fn weight(frequency: u64, companies: u64) -> f64 {
    if frequency == 0 {
        return UNKNOWN;
    }
    let companies = companies as f64 + PRIOR;
    let share = (companies / (frequency as f64 + 0.5)).ln() / companies.ln();
    MIN_WEIGHT + (1.0 - MIN_WEIGHT) * share.clamp(0.0, 1.0).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more() {
        let companies = 3_000_000;
        assert!(weight(1, companies) > 0.9);
        assert!(weight(100_000, companies) < 0.12);
        let weights: Vec<f64> = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
            .into_iter()
            .map(|frequency| weight(frequency, companies))
            .collect();
        assert!(weights.windows(2).all(|pair| pair[0] > pair[1]), "{weights:?}");
        assert!(weight(3, 12) > 0.5, "frequencies in a small register are not significant");
        assert!(weight(u64::MAX, companies) >= MIN_WEIGHT);
    }
}
