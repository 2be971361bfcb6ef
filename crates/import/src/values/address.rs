//! An address in one line: its PIN code, and its city and district if they are unambiguous.

use panji_ids::state_code_by_name;

use super::text::is_blank;

/// The parts of an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    pub pincode: Option<String>,
    pub city: Option<String>,
    pub district: Option<String>,
}

/// The first digits of the PIN codes in use in a state, by its code.
fn pincode_zone(state_code: &str) -> &'static str {
    match state_code {
        "DL" | "HR" | "PB" | "CH" | "HP" | "JK" | "LA" | "LH" => "1",
        "UP" | "UT" | "UK" | "UR" => "2",
        "RJ" | "GJ" | "DD" | "DN" => "3",
        "MH" | "PN" | "GA" | "MP" | "CG" | "CT" => "4",
        "AP" | "TS" | "TG" | "KA" => "5",
        // One district of Puducherry lies in Andhra Pradesh.
        "PY" => "56",
        "TN" | "TZ" | "KL" | "LD" => "6",
        "WB" | "OD" | "OR" | "SK" | "AN" | "AS" | "AR" | "ML" | "MN" | "MZ" | "NL" | "TR" => "7",
        "BR" | "JH" => "8",
        _ => "12345678",
    }
}

/// Splits an address as either release of the company master writes it.
pub fn split(address: &str, state: Option<&str>, state_code: Option<&str>) -> Parts {
    let zone = pincode_zone(state_code.unwrap_or_default());
    let pincode = find_pincode(address, zone);
    let (city, district) = match address.rsplit_once(" Unclassified ") {
        Some((front, _)) => split_unmarked(front, state),
        None => split_at_commas(address, state),
    };
    Parts { pincode, city, district }
}

/// The last group of six digits (`403001` or `403 001`) that is in the zone.
fn find_pincode(address: &str, zone: &str) -> Option<String> {
    let digit_groups: Vec<(usize, &str)> = groups_of_digits(address);
    let in_zone = |pin: &str| pin.len() == 6 && pin.starts_with(|first| zone.contains(first));
    (0..digit_groups.len()).rev().find_map(|index| {
        let (at, group) = digit_groups[index];
        if in_zone(group) {
            return Some(group.to_owned());
        }
        let (next_at, next) = digit_groups.get(index + 1)?;
        let halves = group.len() == 3 && next.len() == 3 && *next_at == at + 4;
        let pin = format!("{group}{next}");
        (halves && &address[at + 3..*next_at] == " " && in_zone(&pin)).then_some(pin)
    })
}

fn groups_of_digits(text: &str) -> Vec<(usize, &str)> {
    let mut groups = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|character: char| character.is_ascii_digit()) {
        let start = at + start;
        let rest = &text[start..];
        let length = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        groups.push((start, &rest[..length]));
        at = start + length;
    }
    groups
}

/// `…,CITY,District,State,403001-India`. The district may be missing, so the part in its
/// position is used only if the city repeats it or it is named after a point of the compass.
fn split_at_commas(address: &str, state: Option<&str>) -> (Option<String>, Option<String>) {
    let parts: Vec<&str> = address.split(',').map(str::trim).collect();
    let Some((&city, &district)) =
        parts.len().checked_sub(4).and_then(|at| parts.get(at).zip(parts.get(at + 1)))
    else {
        return (None, None);
    };
    let is_state = parts[parts.len() - 2];
    if !state.is_some_and(|state| state.eq_ignore_ascii_case(is_state)) {
        return (None, None);
    }
    // Districts are chosen from a list, which is not all in capitals.
    let from_list = district.contains(|character: char| character.is_lowercase());
    let repeated = from_list && city.eq_ignore_ascii_case(district);
    if !(repeated || is_compass_district(district)) {
        return (None, None);
    }
    (place_name(city, state), Some(district.to_owned()))
}

fn is_compass_district(district: &str) -> bool {
    let first = district.split(' ').next().unwrap_or_default();
    let compass = ["North", "South", "East", "West", "Central"].contains(&first);
    compass && district.split(' ').count() <= 3 && district.contains(' ')
}

/// `… Road CITY , District Unclassified GA 403001`: the district has its comma, the city has none.
/// The last word is the city only if a comma is before it, or it repeats the word before it or the
/// district.
fn split_unmarked(front: &str, state: Option<&str>) -> (Option<String>, Option<String>) {
    let Some((lines, district)) = front.rsplit_once(',') else { return (None, None) };
    let district = Some(district.trim()).filter(|district| !is_blank(district));
    let lines = lines.trim_end();
    let (before, last) = lines.rsplit_once([' ', ',']).unwrap_or(("", lines));
    let after_comma =
        before.trim_end().ends_with(',') || lines[..lines.len() - last.len()].ends_with(',');
    let word_before = before.trim_end().rsplit([' ', ',']).next().unwrap_or_default();
    let repeated = last.eq_ignore_ascii_case(word_before)
        || district.is_some_and(|district| last.eq_ignore_ascii_case(district));
    let city = if after_comma || repeated { place_name(last, state) } else { None };
    (city, district.map(str::to_owned))
}

/// A text that can be the name of a city: few words, letters only, and not a state.
fn place_name(text: &str, state: Option<&str>) -> Option<String> {
    const NOT_CITIES: [&str; 8] =
        ["road", "street", "nagar", "india", "district", "post", "floor", "colony"];
    let name = text.trim_matches(|character: char| matches!(character, '.' | '-' | ' '));
    let lower = name.to_lowercase();
    let letters_only =
        name.chars().all(|character| character.is_alphabetic() || " -".contains(character));
    let is_plausible = letters_only
        && name.chars().count() >= 4
        && name.split(' ').count() <= 3
        && state_code_by_name(name).is_none()
        && !state.is_some_and(|state| lower.ends_with(&state.to_lowercase()))
        && !NOT_CITIES.iter().any(|word| lower.ends_with(word));
    is_plausible.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, state: &str, code: &str, expected: [Option<&str>; 3]) {
        let parts = split(address, Some(state), Some(code));
        let found = [parts.pincode, parts.city, parts.district];
        assert_eq!(found, expected.map(|part| part.map(str::to_owned)), "{address}");
    }

    #[test]
    fn the_newer_release_puts_commas_between() {
        let both = [Some("403001"), Some("PANAJI"), Some("North Goa")];
        check("9 NADI MARG,PANAJI,North Goa,Goa,403001-India", "Goa", "GA", both);
        let chennai = [Some("600041"), Some("CHENNAI"), Some("Chennai")];
        check(
            "16/4, TAT MARG 600 041,CHENNAI,Chennai,Tamil Nadu,000000-India",
            "Tamil Nadu",
            "TN",
            chennai,
        );
        check("AQUEM,Margao,Goa,403601-India", "Goa", "GA", [Some("403601"), None, None]);
        check(
            "9 NADI MARG,GOA,North Goa,Goa,NA-India",
            "Goa",
            "GA",
            [None, None, Some("North Goa")],
        );
        check("NA,Goa,600001-India", "Goa", "GA", [None, None, None]);
    }

    #[test]
    fn the_older_release_ends_in_unclassified() {
        let imphal = [Some("795001"), Some("IMPHAL"), Some("West Imphal")];
        check(
            "TAT MARG IMPHAL IMPHAL , West Imphal Unclassified MN 795001",
            "Manipur",
            "MN",
            imphal,
        );
        let gangtok = [Some("737102"), Some("Gangtok"), Some("East Sikkim")];
        check("Tat Marg, Gangtok , East Sikkim Unclassified SK 737102", "Sikkim", "SK", gangtok);
        check("TAT MARG MANIPUR , Unclassified MN", "Manipur", "MN", [None, None, None]);
        check(", Unclassified MN 000000", "Manipur", "MN", [None, None, None]);
    }
}
