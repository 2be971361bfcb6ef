//! Words of an address that the source broke with a comma where its line ended, such as `Ring Roa,d`.

use super::super::text::is_blank;
use panji_places::places;

/// Words of addresses that are recognized when they are broken.
const WORDS: [&str; 62] = [
    "APARTMENT",
    "APARTMENTS",
    "AREA",
    "AVENUE",
    "BANK",
    "BAZAAR",
    "BAZAR",
    "BHAVAN",
    "BHAWAN",
    "BLOCK",
    "BRIDGE",
    "BUILDING",
    "CENTER",
    "CENTRE",
    "CHAMBERS",
    "CHOWK",
    "CHURCH",
    "CIRCLE",
    "CLUB",
    "COLLEGE",
    "COLONY",
    "COMPLEX",
    "CROSS",
    "DEPOT",
    "DISTRICT",
    "EAST",
    "ESTATE",
    "EXTENSION",
    "FLOOR",
    "GARDEN",
    "GARDENS",
    "HEIGHTS",
    "HOSPITAL",
    "HOUSE",
    "INDUSTRIAL",
    "JUNCTION",
    "LAYOUT",
    "MAIN",
    "MARG",
    "MARKET",
    "NAGAR",
    "NORTH",
    "OFFICE",
    "OPPOSITE",
    "PHASE",
    "PLAZA",
    "POST",
    "ROAD",
    "SCHOOL",
    "SECTOR",
    "SOUTH",
    "STAND",
    "STATION",
    "STREET",
    "TALUK",
    "TALUKA",
    "TEMPLE",
    "TOWER",
    "TOWERS",
    "VILLAGE",
    "WARD",
    "WEST",
];
/// The fewest letters of a place that is recognized when it is broken.
const MIN_PLACE_LETTERS: usize = 5;
/// The most letters of the shorter part of a broken place; longer parts may be words.
const MAX_PART_LETTERS: usize = 3;

/// The address with its broken words joined; none if there are no such words.
pub fn without_breaks(address: &str, state_code: Option<&str>) -> Option<String> {
    let mut joined = String::with_capacity(address.len());
    let mut parts = address.split(',');
    joined.push_str(parts.next()?);
    let mut is_changed = false;
    for part in parts {
        let left = last_letters(&joined);
        let right = first_letters(part);
        if is_broken(left, right, state_code) {
            is_changed = true;
        } else {
            joined.push(',');
        }
        joined.push_str(part);
    }
    is_changed.then_some(joined)
}

fn first_letters(text: &str) -> &str {
    let end = text.find(|character: char| !character.is_ascii_alphabetic());
    &text[..end.unwrap_or(text.len())]
}

fn last_letters(text: &str) -> &str {
    let start = text.rfind(|character: char| !character.is_ascii_alphabetic());
    let start = start.and_then(|at| Some(at + text[at..].chars().next()?.len_utf8()));
    &text[start.unwrap_or(0)..]
}

fn is_broken(left: &str, right: &str, state_code: Option<&str>) -> bool {
    let (Some(last), Some(first)) = (left.chars().next_back(), right.chars().next()) else {
        return false;
    };
    // A capital after a small letter, or before one, begins a new word.
    let has_small_letters = right.chars().any(char::is_lowercase);
    if last.is_lowercase() != first.is_lowercase() || last.is_uppercase() && has_small_letters {
        return false;
    }
    let word = format!("{left}{right}").to_ascii_uppercase();
    if WORDS.contains(&word.as_str()) {
        return true;
    }
    let is_short = left.len().min(right.len()) <= MAX_PART_LETTERS;
    is_short
        && word.len() >= MIN_PLACE_LETTERS
        && is_place(&word, state_code)
        && ![left, right].into_iter().any(|part| is_whole(part, state_code))
}

/// Whether a part is a word, a place or a blank of its own, and not a part of another word.
fn is_whole(part: &str, state_code: Option<&str>) -> bool {
    let part = part.to_ascii_uppercase();
    is_blank(&part)
        || WORDS.contains(&part.as_str())
        || places().is_state([part.as_str()].into_iter())
        || is_place(&part, state_code)
}

fn is_place(word: &str, state_code: Option<&str>) -> bool {
    let named = |state| places().named(state, [word].into_iter());
    state_code.and_then(named).is_some_and(|named| !named.cities.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_addresses_and_places_are_joined() {
        for (broken, whole) in [
            ("9 Ring Roa,d,Panaji", "9 Ring Road,Panaji"),
            ("9 TARA NAG,AR,MARGAO", "9 TARA NAGAR,MARGAO"),
            ("9 Namuna,Mapu,sa,North Goa", "9 Namuna,Mapusa,North Goa"),
        ] {
            assert_eq!(without_breaks(broken, Some("GA")).as_deref(), Some(whole));
        }
    }

    #[test]
    fn other_commas_stay() {
        for address in [
            "9 Tara House,Road 4,Panaji",
            "PANAJI,NA,Goa",
            "PANAJI,NA,GOA,403001",
            "9 MARG,ST INEZ",
            "Santa,Cruz,Goa",
            "9/4,B Wing",
            "",
            "घर,मार्ग",
        ] {
            assert_eq!(without_breaks(address, Some("GA")), None, "{address}");
        }
        assert_eq!(without_breaks("Mapu,sa", None), None, "the state is not known");
    }
}
