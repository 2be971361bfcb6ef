//! When two registered offices are the same: the PIN code and the words and numbers that distinguish one office
//! from another must agree. Notation, abbreviations, landmarks, and the names of city and state do not count.

use panji_places::places;
use sha2::{Digest, Sha256};

use crate::address_words::{floor_named, is_city, is_landmark, is_noise, is_numbered, spelled};

/// The longest address that is read, in bytes; longer texts are not addresses.
const MAX_BYTES: usize = 1_000;
/// An address without a number needs this many words to be distinguished from others.
const MIN_WORDS_WITHOUT_NUMBER: usize = 3;
const MIN_TOKENS: usize = 2;
/// Units of a floor are counted from the hundreds of its number: 305 is on the third.
const UNITS_OF_FLOOR: u32 = 100;

/// A hash of what distinguishes a registered office from others; none if the address is unknown or too vague.
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
            if let Some(spelled) = spelled(word) {
                spelled.clone_into(word);
            }
        }
        let name = words.join(" ");
        if name.is_empty() || Some(name.as_str()) == city || is_city(&name) {
            return;
        }
        if places().is_state(words.iter().map(String::as_str)) {
            return;
        }
        // A landmark ends the part, but the number before it counts: "12, Near Temple", "12 Opp Temple".
        if let Some(at) = words.iter().position(|word| is_landmark(word))
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
            if is_letter(word) && next == Some("NO") {
                // "D. No. 27" and "H. No. 27" are a door and a house.
            } else if let Some(part) = next.filter(|next| is_letter(word) && is_part(next)) {
                self.tokens.push(format!("{part}{word}"));
                at += 1;
            } else if word == "FLOOR" || word == "LEVEL" {
                if let Some(floor) = next.and_then(floor_of) {
                    self.floor = Some(floor);
                    at += 1;
                }
            } else if let Some(number) =
                next.filter(|next| is_numbered(word) && (has_digit(next) || next.len() == 1))
            {
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

fn is_letter(word: &str) -> bool {
    word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Whether a letter before the word names a part of a building: "A Wing" is "Wing A".
fn is_part(word: &str) -> bool {
    matches!(word, "WING" | "BLOCK" | "TOWER")
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
    if let Some(floor) = floor_named(word) {
        return Some(floor);
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
