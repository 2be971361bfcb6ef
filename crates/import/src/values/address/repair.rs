//! Repairs lines of an address that the source broke within a word, or joined without a space.

use super::tokens::{Gap, Token};
use super::{Pincode, Split};
use panji_places::City;

/// Words at the end of a line; the next line, with the city, may follow without a space.
const ENDS_OF_LINES: [&str; 28] = [
    "ROAD", "STREET", "COLONY", "BAZAR", "BAZAAR", "ESTATE", "MARKET", "TOWN", "HOUSE", "WADDO",
    "VADDO", "BUILDING", "FLOOR", "POST", "VILLAGE", "AREA", "BHAVAN", "BHAWAN", "CHOWK", "MAHAL",
    "COMPLEX", "CHAMBERS", "TOWER", "TOWERS", "PLAZA", "WARD", "MARG", "LANE",
];
/// The fewest letters of a city name for which a word is repaired.
const MIN_LETTERS_REPAIRED: usize = 5;
/// The fewest letters of the first part of a word that is split.
const MIN_LETTERS_BEFORE: usize = 4;

impl Split<'_> {
    /// Joins words that the source broke with a comma. Splits words in which it joined the end of a
    /// line and a city, or a city and its state. None if there is nothing to repair.
    pub fn repaired<'b>(
        &self,
        tokens: &[Token<'b>],
        pincode: Option<&Pincode>,
    ) -> Option<Vec<Token<'b>>> {
        let cities = |name: &str| match self.places.named(self.state, [name].into_iter()) {
            Some(named) if name.len() >= MIN_LETTERS_REPAIRED => named.cities.as_slice(),
            _ => &[],
        };
        // The name of a city with few PIN codes may begin after any word, if the PIN code agrees.
        let is_at_pincode = |city: &City| {
            let agrees =
                |pincode: &Pincode| self.places.agrees(city, &pincode.text, &pincode.districts);
            city.has_few_pincodes() && pincode.is_some_and(agrees)
        };
        let is_split = |(left, right): &(&str, &str)| {
            let city_at_end = || {
                let found = cities(right);
                !found.is_empty()
                    && (ends_line(left)
                        || found.iter().any(|index| is_at_pincode(self.places.city(*index))))
            };
            let state_at_end = || self.places.is_state([*right].into_iter());
            city_at_end() || (!cities(left).is_empty() && state_at_end())
        };
        let mut repaired: Vec<Token<'b>> = Vec::with_capacity(tokens.len() + 2);
        let mut is_changed = false;
        for token in tokens {
            let joined = repaired.last().and_then(|last| last.joined_with(token));
            if let Some(joined) = joined.filter(|joined| !cities(joined).is_empty()) {
                is_changed = true;
                repaired.pop();
                repaired.push(Token { text: joined, ..*token });
                continue;
            }
            let last = token.text.len().saturating_sub(2);
            let mut splits = (MIN_LETTERS_BEFORE.min(last)..last).map(|at| token.text.split_at(at));
            match splits.find(is_split).filter(|_| !token.is_number) {
                Some((left, right)) => {
                    is_changed = true;
                    repaired.push(Token { text: left, gap: Gap::End, ..*token });
                    repaired.push(Token { text: right, ..*token });
                }
                None => repaired.push(*token),
            }
        }
        is_changed.then_some(repaired)
    }
}

/// Whether a part of a word ends with a word from `ENDS_OF_LINES`.
fn ends_line(part: &str) -> bool {
    ENDS_OF_LINES.iter().any(|end| {
        let start = part.len().checked_sub(end.len());
        start.is_some_and(|start| part[start..].eq_ignore_ascii_case(end))
    })
}
