//! Lines of an address that the source broke within a word, or joined without a space.

use super::super::places::City;
use super::words::{Gap, Token};
use super::{Pincode, Split};

/// Last words of a line that the next line, with the city, may follow without a space.
const ENDS_OF_LINES: [&str; 28] = [
    "ROAD", "STREET", "COLONY", "BAZAR", "BAZAAR", "ESTATE", "MARKET", "TOWN", "HOUSE", "WADDO",
    "VADDO", "BUILDING", "FLOOR", "POST", "VILLAGE", "AREA", "BHAVAN", "BHAWAN", "CHOWK", "MAHAL",
    "COMPLEX", "CHAMBERS", "TOWER", "TOWERS", "PLAZA", "WARD", "MARG", "LANE",
];
/// Letters of the shortest name for which a word is mended.
const MIN_LETTERS_MENDED: usize = 5;
/// Letters of the shortest first piece of a word that is split.
const MIN_LETTERS_BEFORE: usize = 4;

impl Split<'_> {
    /// The tokens with a word in one piece that the source broke with a comma, and in two pieces where
    /// it joined the end of a line and a city, or a city and its state; none if there is nothing to mend.
    pub fn mended<'b>(
        &self,
        tokens: &[Token<'b>],
        pincode: Option<&Pincode>,
    ) -> Option<Vec<Token<'b>>> {
        let cities = |name: &str| match self.places.named(self.state, [name].into_iter()) {
            Some(named) if name.len() >= MIN_LETTERS_MENDED => named.cities.as_slice(),
            _ => &[],
        };
        // A city with a PIN code that few places share needs no other sign of where it begins.
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
        let mut mended: Vec<Token<'b>> = Vec::with_capacity(tokens.len() + 2);
        let mut is_changed = false;
        for token in tokens {
            let joined = mended.last().and_then(|last| last.joined_with(token));
            if let Some(joined) = joined.filter(|joined| !cities(joined).is_empty()) {
                is_changed = true;
                mended.pop();
                mended.push(Token { text: joined, ..*token });
                continue;
            }
            let last = token.text.len().saturating_sub(2);
            let mut splits = (MIN_LETTERS_BEFORE.min(last)..last).map(|at| token.text.split_at(at));
            match splits.find(is_split).filter(|_| !token.is_number) {
                Some((left, right)) => {
                    is_changed = true;
                    mended.push(Token { text: left, gap: Gap::End, ..*token });
                    mended.push(Token { text: right, ..*token });
                }
                None => mended.push(*token),
            }
        }
        is_changed.then_some(mended)
    }
}

/// Whether a part of a word is the end of a line.
fn ends_line(part: &str) -> bool {
    ENDS_OF_LINES.iter().any(|end| {
        let start = part.len().checked_sub(end.len());
        start.is_some_and(|start| part[start..].eq_ignore_ascii_case(end))
    })
}
