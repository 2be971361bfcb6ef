//! The places of India: PIN codes with their districts, and cities with their other names.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::LazyLock;

use panji_ids::cin_state_codes;

const PINCODES: &str = include_str!("pincodes.txt");
const CITIES: &str = include_str!("cities.txt");

/// The most words of a city's name.
pub const MAX_NAME_WORDS: usize = 4;
/// The most letters of a name, including the state code.
const MAX_NAME_LETTERS: usize = 40;

/// New states, and the former state under which their companies may still be registered.
const FORMED_OUT_OF: [(&str, &str); 6] =
    [("TS", "AP"), ("UT", "UP"), ("JH", "BR"), ("CG", "MP"), ("LA", "JK"), ("DN", "DD")];

/// Other names of states in addresses.
const OTHER_STATE_NAMES: [&str; 12] = [
    "Uttaranchal",
    "Uttranchal",
    "Uttrakhand",
    "Uttranchwal",
    "Uttarakand",
    "Tamilnad",
    "Magaland",
    "Orissa",
    "Chattisgarh",
    "Telengana",
    "Karnatka",
    "Maharastra",
];

/// The index of a district in the table.
pub type DistrictId = u16;

pub struct District {
    /// The state's code.
    pub state: &'static str,
    pub name: &'static str,
    /// The districts that it was formed out of.
    former: Vec<DistrictId>,
}

/// A city in one of its districts.
#[derive(Debug)]
pub struct City {
    pub name: &'static str,
    pub district: DistrictId,
    /// Its old names and other spellings.
    pub other_names: Vec<&'static str>,
    /// The prefixes of the city's PIN codes in this district; empty if there is no restriction.
    prefixes: Vec<&'static str>,
}

impl City {
    /// Whether its PIN codes are listed one by one.
    pub fn has_few_pincodes(&self) -> bool {
        !self.prefixes.is_empty() && self.prefixes.iter().all(|prefix| prefix.len() == 6)
    }
}

/// The table of places, built from its two files at first use.
pub struct Places {
    districts: Vec<District>,
    district_ids: KeyMap<DistrictId>,
    /// PIN codes with their districts, sorted.
    pincodes: Vec<(u32, DistrictId)>,
    cities: Vec<City>,
    /// Cities and regions by name.
    names: KeyMap<Named>,
    states: HashSet<Key, BuildHasherDefault<KeyHasher>>,
    /// Ranges of PIN codes that belong to one city: first, last, index of the city.
    ranges: Vec<(u32, u32, u32)>,
    /// For each district, the city that contains all of it.
    cities_of_districts: Vec<Option<u32>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    District,
    PartOfDistrict,
}

/// The cities and the region of a name in one state.
#[derive(Default)]
pub struct Named {
    /// Indices of cities.
    pub cities: Vec<u32>,
    /// A part of the state that is not a city: a district, or a part of one.
    pub region: Option<Region>,
}

/// A name within a state: the state's code, then the letters and digits of the name in capitals.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    bytes: [u8; MAX_NAME_LETTERS],
    length: u8,
}

impl Key {
    /// None if the name is too long for any place.
    fn new<'a>(state: &str, words: impl IntoIterator<Item = &'a str>) -> Option<Key> {
        let mut key = Key { bytes: [0; MAX_NAME_LETTERS], length: 0 };
        let letters = words.into_iter().flat_map(str::bytes).filter(u8::is_ascii_alphanumeric);
        for byte in state.bytes().chain(letters) {
            *key.bytes.get_mut(usize::from(key.length))? = byte.to_ascii_uppercase();
            key.length += 1;
        }
        (usize::from(key.length) > state.len()).then_some(key)
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write(&self.bytes[..usize::from(self.length)]);
    }
}

type KeyMap<T> = HashMap<Key, T, BuildHasherDefault<KeyHasher>>;

/// FNV-1a, because each address looks up dozens of names. The table is fixed, so an attacker cannot
/// choose keys that collide.
struct KeyHasher(u64);

impl Default for KeyHasher {
    fn default() -> KeyHasher {
        KeyHasher(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The places of India.
pub fn places() -> &'static Places {
    static PLACES: LazyLock<Places> = LazyLock::new(Places::read);
    &PLACES
}

impl Places {
    /// Reads both files. Invalid lines are left out; a test checks that there are none.
    fn read() -> Places {
        let mut places = Places {
            districts: Vec::new(),
            district_ids: KeyMap::default(),
            pincodes: Vec::new(),
            cities: Vec::new(),
            names: KeyMap::default(),
            states: HashSet::default(),
            ranges: Vec::new(),
            cities_of_districts: Vec::new(),
        };
        let states = cin_state_codes().map(|(_, name)| name).chain(OTHER_STATE_NAMES);
        places.states = states.filter_map(|name| Key::new("", [name])).collect();
        let lines: Vec<[&'static str; 3]> = lines_of(CITIES).collect();
        for [state, names, _] in &lines {
            places.add_district(state, names.split('<').next().unwrap_or_default());
        }
        for (id, [state, names, cities]) in lines.iter().enumerate() {
            let former = names.split_once('<').map_or("", |(_, former)| former);
            places.districts[id].former =
                former.split(',').filter_map(|name| places.district(state, name)).collect();
            for city in cities.split(';') {
                places.add_city(state, id as DistrictId, city);
            }
        }
        for [state, name, pincodes] in lines_of(PINCODES) {
            if let Some(district) = places.district(state, name) {
                places.add_pincodes(district, pincodes);
            }
        }
        places.pincodes.sort_unstable();
        places.ranges.sort_unstable();
        places
    }

    fn add_district(&mut self, state: &'static str, names: &'static str) {
        let id = self.districts.len() as DistrictId;
        let name = names.split('=').next().unwrap_or_default().trim();
        self.districts.push(District { state, name, former: Vec::new() });
        self.cities_of_districts.push(None);
        for key in names.split('=').filter_map(|name| Key::new(state, [name])) {
            self.district_ids.insert(key, id);
            self.names.entry(key).or_default().region = Some(Region::District);
        }
    }

    fn add_city(&mut self, state: &str, district: DistrictId, text: &'static str) {
        let (text, own) = text.split_once('#').unwrap_or((text, ""));
        let (names, prefixes) = text.split_once('@').unwrap_or((text, ""));
        let keys = names.split('=').filter_map(|name| Key::new(state, [name]));
        if names.trim_start().starts_with('~') {
            let part = Some(Region::PartOfDistrict);
            keys.for_each(|key| self.names.entry(key).or_default().region = part);
            return;
        }
        let index = self.cities.len() as u32;
        let mut all_names = names.split('=').map(str::trim);
        let name = all_names.next().unwrap_or_default();
        if name.is_empty() {
            return;
        }
        let (other_names, prefixes) = (all_names.collect(), prefixes.split_whitespace().collect());
        self.cities.push(City { name, district, other_names, prefixes });
        for key in keys {
            self.names.entry(key).or_default().cities.push(index);
        }
        for range in own.split_whitespace() {
            if range == "*" {
                self.cities_of_districts[usize::from(district)] = Some(index);
            } else if let Some((first, last)) = range_of(range) {
                self.ranges.push((first, last, index));
            }
        }
    }

    fn add_pincodes(&mut self, district: DistrictId, text: &str) {
        let mut words = text.split(' ');
        while let (Some(first_half), Some(second_halves)) = (words.next(), words.next()) {
            let thousand = first_half.parse::<u32>().unwrap_or_default() * 1_000;
            for (first, last) in second_halves.split(',').filter_map(range_of) {
                self.pincodes.extend((first..=last).map(|half| (thousand + half, district)));
            }
        }
    }

    pub fn name_of(&self, district: DistrictId) -> &'static str {
        self.districts[usize::from(district)].name
    }

    /// Finds a district by any of its names, in the state or in one formed out of it.
    pub fn district(&self, state: &str, name: &str) -> Option<DistrictId> {
        let of_state = |state| self.district_ids.get(&Key::new(state, [name])?);
        with_later_states(state).find_map(of_state).copied()
    }

    /// Whether the PIN code is in use anywhere.
    pub fn is_pincode(&self, pincode: u32) -> bool {
        self.pincodes.binary_search_by_key(&pincode, |(known, _)| *known).is_ok()
    }

    /// The districts of a PIN code that are in the state or in one formed out of it.
    pub fn districts_of(&self, pincode: u32, state: &str) -> Vec<DistrictId> {
        let start = self.pincodes.partition_point(|(known, _)| *known < pincode);
        let same = self.pincodes[start..].iter().take_while(|(known, _)| *known == pincode);
        same.map(|(_, district)| *district)
            .filter(|district| is_in(self.districts[usize::from(*district)].state, state))
            .collect()
    }

    /// Finds a name in the state, or in one formed out of it. Spaces between the words are ignored.
    pub fn named<'a>(
        &self,
        state: &str,
        words: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<&Named> {
        with_later_states(state).find_map(|state| self.names.get(&Key::new(state, words.clone())?))
    }

    /// The cities with this name in any of the states, or in a state formed out of one; if there are
    /// none, in all of India.
    pub fn cities_named(&self, states: &[&str], name: &str) -> Vec<&City> {
        let within = |states: &[&str]| -> Vec<&City> {
            let named = states.iter().filter_map(|state| self.named(state, [name].into_iter()));
            named.flat_map(|named| named.cities.iter().map(|index| self.city(*index))).collect()
        };
        let found = within(states);
        if !found.is_empty() {
            return found;
        }
        within(&cin_state_codes().map(|(code, _)| code).collect::<Vec<_>>())
    }

    pub fn is_state<'a>(&self, words: impl Iterator<Item = &'a str>) -> bool {
        Key::new("", words).is_some_and(|key| self.states.contains(&key))
    }

    pub fn city(&self, index: u32) -> &City {
        &self.cities[index as usize]
    }

    /// Whether `district` equals `former` or was formed out of it.
    pub fn was_in(&self, district: DistrictId, former: DistrictId) -> bool {
        district == former || self.districts[usize::from(district)].former.contains(&former)
    }

    /// Whether a PIN code, which is in `districts`, can belong to the city.
    pub fn agrees(&self, city: &City, pincode: &str, districts: &[DistrictId]) -> bool {
        let begins = city.prefixes.is_empty()
            || city.prefixes.iter().any(|prefix| pincode.starts_with(prefix));
        begins && districts.contains(&city.district)
    }

    /// Whether the city is larger than a town in the middle of its region.
    pub fn is_metropolis(&self, city: &City) -> bool {
        let is_whole = self.city_of_district(city.district).is_some();
        is_whole || !city.prefixes.is_empty()
    }

    /// The city that the PIN code alone identifies.
    pub fn city_of_pincode(&self, pincode: u32, districts: &[DistrictId]) -> Option<&City> {
        let after = self.ranges.partition_point(|(first, _, _)| *first <= pincode);
        let range = after.checked_sub(1).map(|index| self.ranges[index]);
        if let Some((_, _, city)) = range.filter(|(_, last, _)| *last >= pincode) {
            let city = self.city(city);
            return Some(city).filter(|city| districts.contains(&city.district));
        }
        let (first, rest) = districts.split_first()?;
        let city = self.city_of_district(*first)?;
        let same = |district: &DistrictId| {
            self.city_of_district(*district).is_some_and(|other| other.name == city.name)
        };
        rest.iter().all(same).then_some(city)
    }

    /// The city that contains the whole district.
    pub fn city_of_district(&self, district: DistrictId) -> Option<&City> {
        self.cities_of_districts[usize::from(district)].map(|city| self.city(city))
    }
}

/// Whether a company registered in the second state may have its office in the first.
pub fn is_in(state: &str, registered: &str) -> bool {
    state == registered || FORMED_OUT_OF.contains(&(state, registered))
}

/// The state, and the states formed out of it.
fn with_later_states(state: &str) -> impl Iterator<Item = &str> {
    let later = FORMED_OUT_OF.iter().filter(move |(_, former)| *former == state);
    std::iter::once(state).chain(later.map(|(later, _)| *later))
}

fn lines_of(text: &'static str) -> impl Iterator<Item = [&'static str; 3]> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut fields = line.split('|');
        Some([fields.next()?, fields.next()?, fields.next()?])
    })
}

/// `001` or `001-006`.
fn range_of(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((first.parse().ok()?, last.parse().ok()?))
}
