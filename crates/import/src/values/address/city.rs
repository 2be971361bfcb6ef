//! Finds the city in the lines of an address.

use super::tokens::Token;
use super::{Found, Pincode, Split};
use panji_places::{City, MAX_NAME_WORDS, Named, Region};

/// Words that may follow the name of a city.
const AFTER_CITY: [&str; 14] = [
    "PIN", "PINCODE", "CODE", "INDIA", "PO", "PS", "STATE", "NA", "UP", "TN", "UK", "TOWN", "CITY",
    "CANTT",
];
/// Words for a part of a state: the name next to them is not a city.
const DIVISIONS: [&str; 12] = [
    "DIST", "DISTT", "DISTRICT", "DT", "TALUK", "TALUKA", "TAL", "TEHSIL", "TEH", "TQ", "TK",
    "BLOCK",
];
/// A name after one of these words is a landmark near the office, or another place.
const NOT_AFTER: [&str; 17] = [
    "NEAR", "NR", "OPP", "OPPOSITE", "BEHIND", "OFF", "TO", "TOWARDS", "FROM", "VIA", "BEYOND",
    "NEW", "OLD", "NAVI", "GREATER", "HOTEL", "BANK",
];
/// The fewest letters of a city name in the middle of an address.
const MIN_LETTERS_WITHIN: usize = 4;
/// The most words of a state's name.
const MAX_STATE_WORDS: usize = 3;

/// The kind of the words before a position in an address.
enum Unit {
    /// Cities of one name, and the region of the same name around them.
    Cities(&'static [u32], Option<Region>),
    Region,
    /// A word like "district".
    Division,
    /// A number, a state or another word that may follow a city.
    Other,
    Word,
}

/// The kind of the words after a position in an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Right {
    /// A word of a name that continues there.
    Word,
    Region,
    Division,
    Other,
}

fn letters(tokens: &[Token<'_>]) -> usize {
    tokens.iter().map(|token| token.text.len()).sum()
}

impl Split<'_> {
    /// The last city in the address, at a position where a name can end, that agrees with the PIN
    /// code.
    pub fn city(&self, tokens: &[Token<'_>], pincode: Option<&Pincode>) -> Found {
        let mut at_end = true;
        let mut is_contradicted = false;
        let mut right = Right::Other;
        let mut end = tokens.len();
        while end > 0 {
            let can_end = right != Right::Word || tokens[end - 1].gap.is_end();
            let (length, unit) = self.unit_before(tokens, end, can_end, right);
            let (start, letters) = (end - length, letters(&tokens[end - length..end]));
            end = start;
            right = match unit {
                Unit::Cities(found, region) => {
                    let is_enough = at_end || letters >= MIN_LETTERS_WITHIN;
                    match self.choose(found, pincode, at_end).filter(|_| is_enough) {
                        Some(city) => {
                            let is_around = match region {
                                Some(Region::PartOfDistrict) => true,
                                Some(Region::District) => !self.places.is_metropolis(city),
                                None => false,
                            };
                            let town = pincode
                                .filter(|_| is_around)
                                .and_then(|pincode| self.town_before(tokens, end, city, pincode));
                            return Found::City(town.unwrap_or(city));
                        }
                        None if region == Some(Region::PartOfDistrict) => Right::Region,
                        // The name of a larger place may follow the name of the town.
                        None if at_end && self.is_around(found, pincode) => {
                            is_contradicted = true;
                            Right::Region
                        }
                        None if at_end => return Found::Contradiction,
                        None => Right::Other,
                    }
                }
                Unit::Region => Right::Region,
                Unit::Division if right == Right::Region && !tokens[start].gap.is_end() => {
                    Right::Other
                }
                Unit::Division => Right::Division,
                Unit::Other => Right::Other,
                Unit::Word => {
                    at_end = false;
                    Right::Word
                }
            };
        }
        if is_contradicted { Found::Contradiction } else { Found::Nothing }
    }

    /// Whether one of the cities is in a current or former district of the PIN code.
    fn is_around(&self, found: &[u32], pincode: Option<&Pincode>) -> bool {
        let districts = pincode.map_or(&[][..], |pincode| &pincode.districts);
        found.iter().map(|index| self.places.city(*index)).any(|city| {
            districts.iter().any(|district| self.places.was_in(*district, city.district))
        })
    }

    /// The town directly before the name of its region, unless the PIN code belongs to the region's
    /// city.
    fn town_before(
        &self,
        tokens: &[Token<'_>],
        end: usize,
        city: &City,
        pincode: &Pincode,
    ) -> Option<&'static City> {
        let own = self.places.city_of_pincode(pincode.number, &pincode.districts);
        if end == 0 || own.is_some_and(|own| own.name == city.name) {
            return None;
        }
        match self.unit_before(tokens, end, true, Right::Other) {
            (_, Unit::Cities(found, None)) => self.choose(found, Some(pincode), true),
            _ => None,
        }
    }

    /// The unit that ends at `end`, and its number of words.
    fn unit_before(
        &self,
        tokens: &[Token<'_>],
        end: usize,
        can_end: bool,
        right: Right,
    ) -> (usize, Unit) {
        let last = &tokens[end - 1];
        if last.is_number {
            return (1, Unit::Other);
        }
        if !can_end {
            return (1, Unit::Word);
        }
        let mut longest = 1;
        while longest < MAX_NAME_WORDS.min(end) {
            let before = &tokens[end - longest - 1];
            if before.gap.is_end() || before.is_number {
                break;
            }
            longest += 1;
        }
        for length in (1..=longest).rev() {
            let words = tokens[end - length..end].iter().map(|token| token.text);
            let before = (length < longest).then(|| tokens[end - length - 1].text);
            let next_to_division = right == Right::Division
                || before.is_some_and(|before| is_one_of(before, &DIVISIONS));
            match self.places.named(self.state, words.clone()) {
                Some(Named { cities, region }) if !cities.is_empty() && !next_to_division => {
                    let is_other = before.is_some_and(|before| is_one_of(before, &NOT_AFTER));
                    let unit = if is_other { Unit::Word } else { Unit::Cities(cities, *region) };
                    return (length, unit);
                }
                Some(_) => return (length, Unit::Region),
                None if length <= MAX_STATE_WORDS && self.places.is_state(words) => {
                    return (length, Unit::Other);
                }
                None => {}
            }
        }
        match last.text {
            text if is_one_of(text, &DIVISIONS) => (1, Unit::Division),
            text if is_one_of(text, &AFTER_CITY) => (1, Unit::Other),
            _ => (1, Unit::Word),
        }
    }

    /// Chooses among cities of one name: the one that agrees with the PIN code or, without a PIN
    /// code, with the district; without both, the only one.
    pub fn choose(
        &self,
        found: &'static [u32],
        pincode: Option<&Pincode>,
        at_end: bool,
    ) -> Option<&'static City> {
        let mut cities = found.iter().map(|index| self.places.city(*index));
        match (pincode, self.district) {
            (Some(pincode), _) => {
                cities.find(|city| self.places.agrees(city, &pincode.text, &pincode.districts))
            }
            (None, Some(district)) => {
                cities.find(|city| self.places.was_in(city.district, district))
            }
            (None, None) => {
                let first = cities.next()?;
                let is_only = cities.all(|city| city.name == first.name);
                Some(first).filter(|_| is_only && at_end)
            }
        }
    }
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(word))
}
