//! When two registered offices are the same: the PIN code and the words and numbers that tell one office
//! from another must agree. Notation, abbreviations, landmarks, and the names of city and state do not count.

use panji_places::places;
use sha2::{Digest, Sha256};

/// The longest address that is read, in bytes; longer ones are no addresses.
const MAX_BYTES: usize = 1_000;
/// An address without a number needs this many words to be told from its neighbours.
const MIN_WORDS_WITHOUT_NUMBER: usize = 3;
const MIN_TOKENS: usize = 2;
/// Units of a floor are counted from the hundreds of its number: 305 is on the third.
const UNITS_OF_FLOOR: u32 = 100;

/// Abbreviations and other spellings.
const SPELLINGS: &[(&str, &str)] = &[
    ("RD", "ROAD"), ("STR", "STREET"), ("ST", "STREET"), ("NGR", "NAGAR"), ("NAGR", "NAGAR"), ("MRG", "MARG"), ("LN", "LANE"),
    ("BLDG", "BUILDING"), ("BLDNG", "BUILDING"), ("BUILDINGS", "BUILDING"), ("APT", "APARTMENT"), ("APTS", "APARTMENT"),
    ("APPT", "APARTMENT"), ("APARTMENTS", "APARTMENT"), ("APPARTMENT", "APARTMENT"), ("SOC", "SOCIETY"), ("CHSL", "SOCIETY"),
    ("CHS", "SOCIETY"), ("IND", "INDUSTRIAL"), ("INDL", "INDUSTRIAL"), ("INDS", "INDUSTRIAL"), ("EST", "ESTATE"),
    ("EXTN", "EXTENSION"), ("EXT", "EXTENSION"), ("COL", "COLONY"), ("CLY", "COLONY"), ("MKT", "MARKET"), ("SEC", "SECTOR"),
    ("SECT", "SECTOR"), ("PH", "PHASE"), ("BLK", "BLOCK"), ("CPLX", "COMPLEX"), ("COMPLX", "COMPLEX"), ("CTR", "CENTRE"),
    ("CENTER", "CENTRE"), ("HSE", "HOUSE"), ("GRD", "GROUND"), ("GR", "GROUND"), ("GRND", "GROUND"), ("FLR", "FLOOR"),
    ("FLOORS", "FLOOR"), ("HWY", "HIGHWAY"), ("JN", "JUNCTION"), ("SQ", "SQUARE"), ("TWR", "TOWER"), ("TOWERS", "TOWER"),
    ("CHAMBER", "CHAMBERS"), ("VILL", "VILLAGE"), ("VPO", "VILLAGE"), ("BHAVAN", "BHAWAN"), ("BHVN", "BHAWAN"), ("CHOWKI", "CHOWK"),
    ("ENCL", "ENCLAVE"), ("GDN", "GARDEN"), ("GARDENS", "GARDEN"), ("HTS", "HEIGHTS"), ("MAIDEN", "MAIDAN"),
];
/// Words for a unit, which one office is written with and without.
const UNIT_WORDS: &[&str] = &[
    "SHOP", "FLAT", "UNIT", "OFFICE", "OFF", "ROOM", "DOOR", "D", "PLOT", "SUITE", "CABIN", "PREMISES", "PREMISE", "NO", "NOS",
    "NUM", "NUMBER", "HNO", "HN", "DNO", "PNO", "SNO", "GALA", "GODOWN", "BEARING", "MUNICIPAL", "MCD", "NEW", "OLD",
];
/// Words that say nothing about which office it is.
const GENERIC: &[&str] = &[
    "ROAD", "STREET", "MARG", "LANE", "BUILDING", "HOUSE", "COMPLEX", "THE", "OF", "AND", "AT", "IN", "POST", "PO", "PS", "DIST",
    "DISTRICT", "TALUKA", "TALUK", "TAL", "TEHSIL", "TEH", "VILLAGE", "CITY", "TOWN", "STATE", "PIN", "PINCODE", "CODE", "INDIA",
    "FLOOR", "LEVEL", "REGD", "REGISTERED", "CO", "C", "O", "CARE", "SO", "WO",
];
/// A part of an address that begins with one of these describes a landmark.
const LANDMARKS: &[&str] = &[
    "NEAR", "NR", "OPP", "OPPOSITE", "BEHIND", "BESIDE", "BESIDES", "ADJ", "ADJACENT", "NEXT", "ABOVE", "BELOW", "OFF", "FACING",
    "BACKSIDE",
];
/// Words that belong to the number after them.
const NUMBERED: &[&str] = &[
    "SECTOR", "PHASE", "BLOCK", "WING", "TOWER", "CROSS", "MAIN", "STAGE", "WARD", "SURVEY", "KHASRA", "GATE", "GUT", "SCO", "SCF",
    "GAT", "GALI", "POCKET",
];
/// Names of cities that stand in an address beside or in place of the present one.
const CITIES: &[&str] = &[
    "MUMBAI", "BOMBAY", "KOLKATA", "CALCUTTA", "CHENNAI", "MADRAS", "BENGALURU", "BANGALORE", "PUNE", "POONA", "DELHI",
    "NEW DELHI", "NAVI MUMBAI", "HYDERABAD", "SECUNDERABAD", "AHMEDABAD", "AHMADABAD", "GURGAON", "GURUGRAM", "NOIDA", "VADODARA",
    "BARODA", "SURAT", "JAIPUR", "KOCHI", "COCHIN", "ERNAKULAM", "INDORE", "THANE", "LUCKNOW", "MYSORE", "MYSURU", "COIMBATORE",
];
const FLOORS: &[(&str, u32)] = &[
    ("GROUND", 0), ("FIRST", 1), ("SECOND", 2), ("THIRD", 3), ("FOURTH", 4), ("FIFTH", 5), ("SIXTH", 6), ("SEVENTH", 7),
    ("EIGHTH", 8), ("NINTH", 9), ("TENTH", 10), ("I", 1), ("II", 2), ("III", 3), ("IV", 4), ("V", 5), ("IST", 1), ("IIND", 2),
    ("IIIRD", 3), ("IVTH", 4), ("VTH", 5),
];

/// A hash of what tells a registered office from others; none if the address is unknown or too vague.
/// Equal for two notations of one office.
pub fn address_key(address: &str, city: Option<&str>, pincode: Option<&str>) -> Option<u64> {
    let tokens = address_tokens(address, city, pincode)?;
    let digest = Sha256::digest(tokens.join(" ").as_bytes());
    let bytes: [u8; 8] = digest[..8].try_into().ok()?;
    // Zero means that there is no key.
    Some(u64::from_le_bytes(bytes).max(1))
}

/// The PIN code, then the distinctive words and numbers in alphabetical order.
pub fn address_tokens(
    address: &str,
    city: Option<&str>,
    pincode: Option<&str>,
) -> Option<Vec<String>> {
    if address.len() > MAX_BYTES {
        return None;
    }
    let (text, in_text) = without_pincode(&address.to_uppercase());
    let pincode = pincode.map(digits).filter(|pin| pin.len() == 6).or(in_text)?;
    let city = city.map(|city| words(&city.to_uppercase()).join(" "));
    let mut office = Office::default();
    for segment in text.split([',', ';', '\n', '\r']) {
        office.read(segment, city.as_deref());
    }
    let tokens = office.tokens();
    let numbers = tokens.iter().filter(|token| token.bytes().any(|b| b.is_ascii_digit())).count();
    let distinct = tokens.len() >= MIN_TOKENS
        && tokens.len() > numbers
        && (numbers > 0 || tokens.len() >= MIN_WORDS_WITHOUT_NUMBER);
    distinct.then(|| [vec![pincode], tokens].concat())
}

/// What is read of an address.
#[derive(Default)]
struct Office {
    tokens: Vec<String>,
    floor: Option<u32>,
    /// The first number: the unit, the plot or the house.
    unit: Option<String>,
}

impl Office {
    /// Reads a part between commas.
    fn read(&mut self, segment: &str, city: Option<&str>) {
        let mut words = words(segment);
        for word in &mut words {
            if let Some((_, spelled)) = SPELLINGS.iter().find(|(short, _)| short == word) {
                (*spelled).clone_into(word);
            }
        }
        let name = words.join(" ");
        if name.is_empty() || Some(name.as_str()) == city || CITIES.contains(&name.as_str()) {
            return;
        }
        if places().is_state(words.iter().map(String::as_str)) {
            return;
        }
        // A landmark ends the part, but the number before it counts: "12, Near Temple", "12 Opp Temple".
        let is_landmark = |word: &String| LANDMARKS.contains(&word.as_str());
        if let Some(at) = words.iter().position(is_landmark)
            && (at > 0 || words[0] != "OFF" || !words.iter().any(|word| has_digit(word)))
        {
            words.truncate(at);
        }
        self.read_words(&joined(words));
    }

    fn read_words(&mut self, words: &[String]) {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let next = words.get(at + 1).map(String::as_str);
            if let Some(floor) = floor_of(word).filter(|_| next == Some("FLOOR")) {
                self.floor = Some(floor);
                at += 2;
                continue;
            }
            if word == "FLOOR" || word == "LEVEL" {
                if let Some(floor) = next.and_then(floor_of) {
                    self.floor = Some(floor);
                    at += 1;
                }
            } else if let Some(number) = next.filter(|next| {
                NUMBERED.contains(&word.as_str()) && (has_digit(next) || next.len() == 1)
            }) {
                self.tokens.push(format!("{word}{number}"));
                at += 1;
            } else if has_digit(word) && self.unit.is_none() {
                self.unit = Some(without_zeros(word));
            } else if has_digit(word) {
                self.tokens.push(without_zeros(word));
            } else if !is_noise(word) {
                self.tokens.push(word.clone());
            }
            at += 1;
        }
    }

    /// The tokens in order, each once. "Shop 5, Ground Floor" is unit G5, and "305, 3rd Floor" is 305.
    fn tokens(mut self) -> Vec<String> {
        let number = self.unit.as_ref().and_then(|unit| unit.parse::<u32>().ok());
        match (self.floor, self.unit.take(), number) {
            (Some(0), Some(unit), Some(_)) => self.tokens.push(format!("G{unit}")),
            (Some(floor), Some(unit), Some(number)) if number / UNITS_OF_FLOOR != floor => {
                self.tokens.extend([unit, format!("FLOOR{floor}")]);
            }
            (Some(floor), None, _) => self.tokens.push(format!("FLOOR{floor}")),
            (_, unit, _) => self.tokens.extend(unit),
        }
        self.tokens.sort_unstable();
        self.tokens.dedup();
        self.tokens
    }
}

fn is_noise(word: &str) -> bool {
    GENERIC.contains(&word) || UNIT_WORDS.contains(&word)
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// 007 is 7, and G05 is G5.
fn without_zeros(word: &str) -> String {
    let at = word.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    let (before, number) = word.split_at(at);
    let trimmed = number.trim_start_matches('0');
    let begins = trimmed.starts_with(|c: char| c.is_ascii_digit());
    if begins { format!("{before}{trimmed}") } else { word.to_owned() }
}

/// The number of a floor, in any notation.
fn floor_of(word: &str) -> Option<u32> {
    if let Some((_, floor)) = FLOORS.iter().find(|(name, _)| *name == word) {
        return Some(*floor);
    }
    let number = ["ST", "ND", "RD", "TH"].iter().find_map(|ending| word.strip_suffix(ending));
    number.unwrap_or(word).parse().ok().filter(|floor| *floor < UNITS_OF_FLOOR)
}

/// Words of letters and digits. An apostrophe and a full stop join: "M.G." is MG.
fn words(text: &str) -> Vec<String> {
    let text: String = text.chars().filter(|c| !matches!(c, '\'' | '’' | '`')).collect();
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Joins single letters with each other and with numbers beside them: M G is MG, G 5 is G5, 12 A is 12A.
fn joined(words: Vec<String>) -> Vec<String> {
    let is_letter = |word: &str| word.len() == 1 && word.bytes().all(|b| b.is_ascii_uppercase());
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    let mut last_was_letter = false;
    for word in words {
        let letter = is_letter(&word);
        match joined.last_mut() {
            Some(last) if last_was_letter && (letter || (is_letter(last) && is_number(&word))) => {
                last.push_str(&word);
            }
            Some(last) if letter && is_number(last) => last.push_str(&word),
            _ => joined.push(word),
        }
        last_was_letter = letter;
    }
    joined
}

/// The text without its last PIN code, and the PIN code. "560 001" is one, and so is "560001".
fn without_pincode(text: &str) -> (String, Option<String>) {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    for start in (0..bytes.len()).rev() {
        if !is_digit(start) || (start > 0 && is_digit(start - 1)) || bytes[start] == b'0' {
            continue;
        }
        let mut end = start;
        let mut pin = String::new();
        while is_digit(end) || (pin.len() == 3 && bytes.get(end) == Some(&b' ')) {
            if is_digit(end) {
                pin.push(char::from(bytes[end]));
            }
            end += 1;
        }
        if pin.len() == 6 {
            return (format!("{} {}", &text[..start], &text[end..]), Some(pin));
        }
    }
    (text.to_owned(), None)
}
