//! Splits an address into PIN code, city and district, with the table of places. Parts that are not
//! in the table, or that contradict it, are left out; the full address is stored too.

mod breaks;
mod city;
mod repair;
#[cfg(test)]
mod tests;
mod tokens;

use panji_ids::state_code_by_name;

use super::text::is_blank;
pub use breaks::without_breaks;
use panji_places::{City, DistrictId, Places, is_in, places};
use tokens::{Gap, Token, tokens};

/// The parts of an address, with their names in the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    pub pincode: Option<String>,
    pub city: Option<String>,
    pub district: Option<String>,
}

/// The most numbers within the lines that are tried as the PIN code.
const MAX_PINCODES_WITHIN: usize = 4;

/// Splits an address in the format of either release of the company master.
pub fn split(address: &str, state_code: Option<&str>) -> Parts {
    let Some(state) = state_code else { return Parts::default() };
    let layout = Layout::new(address, state);
    let in_state = |pincode: u32| {
        let places = places();
        !places.is_pincode(pincode) || !places.districts_of(pincode, state).is_empty()
    };
    if layout.is_elsewhere || !layout.pincode.is_none_or(in_state) {
        return Parts::default();
    }
    let split = Split { places: places(), state, district: layout.district, lines: layout.lines };
    split.parts(layout.pincode)
}

/// The sections of an address.
struct Layout<'a> {
    /// The lines, which end with the city.
    lines: &'a str,
    district: Option<DistrictId>,
    /// The PIN code at the end.
    pincode: Option<u32>,
    /// Whether it names another state than the state of the company.
    is_elsewhere: bool,
}

impl<'a> Layout<'a> {
    fn new(address: &'a str, state: &str) -> Layout<'a> {
        match address.rsplit_once(" Unclassified ") {
            Some((front, end)) => Layout::of_2021(front, end, state),
            None => Layout::since_2023(address, state),
        }
    }

    /// `… Road CITY , District Unclassified GA 403001`.
    fn of_2021(front: &'a str, end: &str, state: &str) -> Layout<'a> {
        let pincode = end.rsplit(' ').next().and_then(six_digits);
        let (lines, district) = front.rsplit_once(',').unwrap_or((front, ""));
        let (district, is_elsewhere) = (places().district(state, district), false);
        let lines = if district.is_some() { lines } else { front };
        Layout { lines, district, pincode, is_elsewhere }
    }

    /// `…,CITY,District,State,403001-India`. The district may be missing.
    fn since_2023(address: &'a str, state: &str) -> Layout<'a> {
        let mut layout =
            Layout { lines: address, district: None, pincode: None, is_elsewhere: false };
        let last = |lines: &'a str| lines.rsplit_once(',').unwrap_or(("", lines));
        let (front, end) = last(layout.lines);
        if let Some(pincode) = end.trim().strip_suffix("-India") {
            layout.pincode = six_digits(pincode);
            layout.lines = front;
            let (front, named) = last(layout.lines);
            let code = state_code_by_name(named);
            layout.is_elsewhere = code.is_some_and(|code| !is_in(code, state));
            if code.is_some() || is_blank(named) {
                layout.lines = front;
            }
        }
        let (front, district) = last(layout.lines);
        // Districts are chosen from a list and have lower-case letters; cities are typed.
        if district.contains(|character: char| character.is_lowercase()) {
            // Some are followed by the letters of their state: `Raigad(MH)`.
            let name = district.split('(').next().unwrap_or_default();
            layout.district = places().district(state, name);
        }
        if layout.district.is_some() || is_blank(district) {
            layout.lines = front;
        }
        layout
    }
}

fn six_digits(text: &str) -> Option<u32> {
    let text = text.trim();
    let is_pincode = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_pincode)
}

/// The state of splitting an address.
struct Split<'a> {
    places: &'static Places,
    state: &'a str,
    district: Option<DistrictId>,
    lines: &'a str,
}

/// A PIN code with its districts.
struct Pincode {
    number: u32,
    text: String,
    districts: Vec<DistrictId>,
}

/// The result of searching the lines for the city.
enum Found {
    City(&'static City),
    /// The city at the end is in another district than the PIN code.
    Contradiction,
    Nothing,
}

impl Split<'_> {
    fn parts(&self, at_end: Option<u32>) -> Parts {
        let tokens = tokens(self.lines);
        let Some(pincode) = at_end.and_then(|number| self.pincode(number)) else {
            return self.parts_without_end(&tokens);
        };
        match self.city_with_repair(&tokens, Some(&pincode)) {
            Found::City(city) => self.make_parts(Some(city), Some(pincode)),
            Found::Nothing => {
                let city = self.city_of_pincode(&pincode);
                let city = city.or_else(|| self.city_of_district(&pincode));
                self.make_parts(city, Some(pincode))
            }
            Found::Contradiction => self.parts_on_conflict(&tokens, pincode),
        }
    }

    /// The parts of an address with no PIN code at its end, or with an unknown one.
    fn parts_without_end(&self, tokens: &[Token<'_>]) -> Parts {
        for pincode in self.pincodes_within(tokens) {
            if let Found::City(city) = self.city_with_repair(tokens, Some(&pincode)) {
                return self.make_parts(Some(city), Some(pincode));
            }
        }
        match self.city_with_repair(tokens, None) {
            Found::City(city) => self.make_parts(Some(city), None),
            Found::Nothing => self.make_parts(None, None),
            Found::Contradiction => Parts::default(),
        }
    }

    /// The city at the end contradicts the PIN code: returns the parts that the district confirms.
    fn parts_on_conflict(&self, tokens: &[Token<'_>], pincode: Pincode) -> Parts {
        let Some(named) = self.district else { return Parts::default() };
        if pincode.districts.iter().any(|district| self.places.was_in(*district, named)) {
            return self.make_parts(None, Some(pincode));
        }
        match self.city(tokens, None) {
            Found::City(city) => self.make_parts(Some(city), None),
            _ => Parts::default(),
        }
    }

    /// The city of the PIN code, if the district does not contradict it.
    fn city_of_pincode(&self, pincode: &Pincode) -> Option<&'static City> {
        let lies_in = |named: DistrictId| {
            pincode.districts.iter().any(|district| self.places.was_in(*district, named))
        };
        let agrees = self.district.is_none_or(lies_in);
        self.places.city_of_pincode(pincode.number, &pincode.districts).filter(|_| agrees)
    }

    /// The city that contains the whole district, if the PIN code can belong to it.
    fn city_of_district(&self, pincode: &Pincode) -> Option<&'static City> {
        let city = self.district.and_then(|district| self.places.city_of_district(district))?;
        let named = self.places.named(self.state, [city.name].into_iter())?;
        self.choose(&named.cities, Some(pincode), true)
    }

    fn make_parts(&self, city: Option<&City>, pincode: Option<Pincode>) -> Parts {
        let district = self.resolve_district(pincode.as_ref());
        Parts {
            pincode: pincode.map(|pincode| pincode.text),
            city: city.map(|city| city.name.to_owned()),
            district: district.map(|district| self.places.name_of(district).to_owned()),
        }
    }

    /// The named district, unless the PIN code is in another one. That one, if it was formed out of
    /// the named district, or if no district is named.
    fn resolve_district(&self, pincode: Option<&Pincode>) -> Option<DistrictId> {
        let Some(pincode) = pincode else { return self.district };
        match (self.district, pincode.districts.as_slice()) {
            (Some(named), districts) if districts.contains(&named) => Some(named),
            (Some(named), [only]) if self.places.was_in(*only, named) => Some(*only),
            (None, [only]) => Some(*only),
            _ => None,
        }
    }

    /// None if the table has no such PIN code in the state.
    fn pincode(&self, number: u32) -> Option<Pincode> {
        let districts = self.places.districts_of(number, self.state);
        (!districts.is_empty()).then(|| Pincode { number, text: number.to_string(), districts })
    }

    /// The PIN codes (`403001` or `403 001`) within the lines, the last one first, without house
    /// numbers.
    fn pincodes_within(&self, tokens: &[Token<'_>]) -> Vec<Pincode> {
        let number_at = |index: usize| {
            let token = &tokens[index];
            // A number after a slash, or after another number, is a house number.
            let before = index.checked_sub(1).and_then(|before| tokens.get(before));
            if before.is_some_and(|before| before.is_number || before.gap == Gap::Slash) {
                return None;
            }
            match token.text.len() {
                6 => six_digits(token.text),
                3 => {
                    let next = tokens.get(index + 1)?;
                    let is_whole = token.gap == Gap::Space && next.gap.is_end();
                    let halves = is_whole && token.is_number && next.text.len() == 3;
                    six_digits(&format!("{}{}", token.text, next.text)).filter(|_| halves)
                }
                _ => None,
            }
        };
        let numbers = (0..tokens.len()).rev().filter_map(number_at);
        numbers.filter_map(|number| self.pincode(number)).take(MAX_PINCODES_WITHIN).collect()
    }

    /// The city, also if the source broke a line within a word or joined two lines.
    fn city_with_repair(&self, tokens: &[Token<'_>], pincode: Option<&Pincode>) -> Found {
        match self.city(tokens, pincode) {
            Found::City(city) => Found::City(city),
            other => {
                match self.repaired(tokens, pincode).map(|repaired| self.city(&repaired, pincode)) {
                    Some(Found::City(city)) => Found::City(city),
                    _ => other,
                }
            }
        }
    }
}
