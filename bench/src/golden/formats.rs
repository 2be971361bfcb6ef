//! Names and numbers with text around them, as copied from letters and invoices.

use super::perturb::core;
use super::random::Random;
use super::spellings::ABBREVIATIONS;
use crate::companies::Company;

/// The name followed by its city, a branch or its address; none if the city is unknown.
pub fn place(company: &Company, random: &mut Random) -> Option<String> {
    let name = company.name.trim();
    let core = core(name);
    let city = company.city.as_deref().filter(|city| city.len() > 2)?;
    let pincode = company.pincode.as_deref().unwrap_or_default();
    let mut parts = company.address.split(',').map(str::trim);
    let street = parts.find(|part| part.len() > 5).unwrap_or(city);
    Some(match random.below(8) {
        0..=1 => format!("{core} {city}"),
        2 => format!("{name}, {city}"),
        3 => format!("{name} {city}"),
        4 => format!("{core} {city} BRANCH"),
        5 => format!("{core}, {city} - {pincode}").trim_end_matches([' ', '-']).to_owned(),
        6 => format!("{name}, {street}, {city}"),
        _ => format!("{core} {} {city}", company.state),
    })
}

/// The name with an abbreviation written in full; none if it has no abbreviation.
pub fn expansion(name: &str, random: &mut Random) -> Option<String> {
    let core = core(name);
    let mut words: Vec<String> = core.split_whitespace().map(str::to_owned).collect();
    if words.len() < 2 {
        return None;
    }
    // The first word is skipped: it may be a proper name, not an abbreviation.
    for at in 1..words.len() {
        let short = words[at].trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned();
        let full: Vec<&str> = ABBREVIATIONS
            .iter()
            .filter(|(_, ways)| ways.iter().any(|way| way.trim_matches('.') == short))
            .map(|(full, _)| *full)
            .collect();
        if !full.is_empty() {
            words[at] = (*random.pick(&full)).to_owned();
            return Some(words.join(" "));
        }
    }
    None
}

/// A company's number in another format: with spaces, with hyphens, in lower case, with words
/// around it, with the letter O for a zero, or a former number.
pub fn number(company: &Company, random: &mut Random) -> Option<String> {
    let cin = match (&company.former_cin, random.below(3)) {
        (Some(former), 0) => former,
        _ => &company.cin,
    };
    let parts: Vec<&str> = match cin.len() {
        21 => vec![
            cin.get(..1)?,
            cin.get(1..6)?,
            cin.get(6..8)?,
            cin.get(8..12)?,
            cin.get(12..15)?,
            cin.get(15..)?,
        ],
        _ => vec![cin.as_str()],
    };
    let joined = parts.concat();
    let formatted = match random.below(5) {
        0 => parts.join(" "),
        1 => parts.join("-"),
        2 => joined.to_lowercase(),
        // The registration number and the year have zeros.
        3 if joined.len() == 21 => {
            format!("{}{}", &joined[..8], joined[8..].replacen('0', "O", 1 + random.below(2)))
        }
        _ => joined,
    };
    Some(match random.below(6) {
        0 => format!("CIN: {formatted}"),
        1 => format!("{} (CIN {formatted})", company.name),
        2 => format!("CIN No. {formatted} of {}", company.name),
        3 => format!("company {formatted} status"),
        _ => formatted,
    })
}
