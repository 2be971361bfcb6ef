//! Compares a name as it was read with a name of the register, word by word.

use std::io;

use rapidfuzz::distance::osa;

use crate::analyze::Name;
use crate::legal::Suffix;
use crate::places;
use crate::prepared_query::PreparedQuery;
use crate::rarity::Rarity;
use crate::similarity::word_matches;

/// The share of mistakes from which two texts are simply different.
pub const MAX_MISTAKE_SHARE: f64 = 0.3;
/// The fewest letters of a text that is divided into words by comparison with a name.
const MIN_DIVIDED: usize = 5;
/// The similarity of a word that was typed only in part, without its missing part.
const BEGINNING: f64 = 0.5;
/// From this length on, two letters of a word may be mistaken.
const LONG_WORD: usize = 6;
/// Digits of a number that belongs to an address or an account.
const LONG_NUMBER: usize = 6;

/// How the numbers in two names agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// Both have the same ones, or none.
    #[default]
    Same,
    /// Only one of them has a number.
    OnOneSide,
    Differ,
}

/// How the legal forms of two names agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forms {
    #[default]
    Unknown,
    Agree,
    /// One is private, the other is not: lists often omit "private".
    PrivateDiffers,
    Differ,
}

/// How two names agree. Weights are those of rarity, from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NameFit {
    /// Equal in their normal form, apart from spaces and the legal form.
    pub equal: bool,
    /// The matched share of the text, and of the name.
    pub of_query: f64,
    pub of_name: f64,
    /// The heaviest word of the text that the name does not have, and the reverse.
    pub query_missing: Option<(f64, String)>,
    pub name_missing: Option<(f64, String)>,
    /// The heaviest difference in spelling, with both words.
    pub misspelled: Option<(f64, String, String)>,
    pub out_of_order: bool,
    /// Mistakes per letter of the whole texts.
    pub mistakes: f64,
    pub numbers: Numbers,
    pub forms: Forms,
    /// The text was truncated, and the name continues it.
    pub continued: bool,
    /// The sum of the weights of the matched words.
    pub mass: f64,
}

impl NameFit {
    /// Orders the ways to read one name; the highest is the best.
    pub fn closeness(&self) -> f64 {
        let missing =
            |part: &Option<(f64, String)>| part.as_ref().map_or(0.0, |(weight, _)| *weight);
        let misspelled = self.misspelled.as_ref().map_or(0.0, |(weight, ..)| *weight);
        let numbers = if self.numbers == Numbers::Same { 0.0 } else { 0.5 };
        let forms = if self.forms == Forms::Differ { 0.1 } else { 0.0 };
        f64::from(u8::from(self.equal)) + self.of_query + self.of_name
            - missing(&self.query_missing)
            - missing(&self.name_missing)
            - misspelled
            - numbers
            - forms
    }

    /// Whether the names agree nearly completely.
    pub fn is_nearly_equal(&self) -> bool {
        self.equal || self.of_query > 0.97 && self.of_name > 0.97
    }
}

/// Compares a reading of an item with one name of a company. `own_places` are the words of the
/// company's city, state and PIN code.
pub fn compare_names(
    query: &PreparedQuery,
    truncated: bool,
    candidate: &Name,
    own_places: &[String],
    rarity: &Rarity<'_>,
) -> io::Result<NameFit> {
    let mut fit = fit_words(query, truncated, candidate, own_places, rarity)?;
    let complete = fit.query_missing.is_none() && fit.name_missing.is_none();
    if !fit.equal
        && (!complete || fit.misspelled.is_some())
        && let Some(divided) = divide(query, candidate)
    {
        let other = fit_words(
            &PreparedQuery::of(divided, rarity)?,
            truncated,
            candidate,
            own_places,
            rarity,
        )?;
        if other.closeness() > fit.closeness() {
            fit = other;
        }
    }
    fit.forms = compare_forms(query.name.suffix, candidate.suffix);
    Ok(fit)
}

fn fit_words(
    query: &PreparedQuery,
    truncated: bool,
    candidate: &Name,
    own_places: &[String],
    rarity: &Rarity<'_>,
) -> io::Result<NameFit> {
    let weights: Vec<f64> =
        candidate.words.iter().map(|word| rarity.weight(word)).collect::<io::Result<_>>()?;
    let compact = candidate.compact();
    let name_weight: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let mut fit = NameFit {
        equal: query.compact == compact || query.normal == candidate.normal_compact(),
        mistakes: mistakes(query, &compact),
        numbers: compare_numbers(&query.name, candidate, own_places, truncated),
        ..NameFit::default()
    };
    if fit.equal {
        (fit.of_query, fit.of_name, fit.mass) = (1.0, 1.0, name_weight);
        return Ok(fit);
    }
    let mut matched = vec![0.0_f64; weights.len()];
    let (mut query_weight, mut of_query, mut before) = (0.0, 0.0, None);
    let matches = word_matches(query, candidate);
    let mut position = 0;
    while position < query.words.len() {
        let word = &query.words[position];
        let Some(found) = &matches[position] else {
            let of_place = places::is_address_word(&word.plain) || own_places.contains(&word.plain);
            if !of_place {
                query_weight += word.weight;
                keep_heaviest(&mut fit.query_missing, word.weight, &word.plain);
            }
            position += 1;
            continue;
        };
        let weight: f64 = weights[found.from..=found.to].iter().sum();
        let last = position + found.used == query.words.len();
        let begins = last && candidate.plain[found.to].starts_with(&word.plain);
        let in_full = found.in_full && !(truncated && begins && found.similarity < 1.0);
        let similarity = match (in_full, truncated) {
            (true, _) => found.similarity,
            (false, true) => {
                fit.continued = true;
                1.0
            }
            (false, false) => found.similarity * (BEGINNING + (1.0 - BEGINNING) * found.typed),
        };
        let difference = weight * (1.0 - similarity);
        if similarity < 1.0 && fit.misspelled.as_ref().is_none_or(|(most, ..)| difference > *most) {
            let name = candidate.plain[found.from..=found.to].join(" ");
            fit.misspelled = Some((difference, word.plain.clone(), name));
        }
        fit.out_of_order |= before.is_some_and(|before| before >= found.from);
        before = Some(found.to);
        query_weight += weight;
        of_query += similarity * weight;
        matched[found.from..=found.to].fill(similarity);
        position += found.used;
    }
    // The words after the last matched one are missing because the text was truncated.
    let explained = match (truncated, before) {
        (true, Some(last)) if !fit.out_of_order => last + 1,
        _ => candidate.words.len(),
    };
    fit.continued |= explained < candidate.words.len();
    add_missing(&mut fit, &mut matched, &weights, candidate, explained);
    let sum =
        |share: &[f64]| weights.iter().zip(share).map(|(weight, of)| weight * of).sum::<f64>();
    fit.of_query = of_query / query_weight.max(f64::MIN_POSITIVE);
    fit.of_name = sum(&matched) / name_weight;
    fit.mass = sum(&matched[..explained]);
    Ok(fit)
}

/// Names the heaviest unmatched word of the name; those after `explained` count as matched.
fn add_missing(
    fit: &mut NameFit,
    matched: &mut [f64],
    weights: &[f64],
    candidate: &Name,
    explained: usize,
) {
    for (at, weight) in weights.iter().enumerate() {
        match matched[at] == 0.0 {
            true if at < explained => {
                keep_heaviest(&mut fit.name_missing, *weight, &candidate.plain[at]);
            }
            true => matched[at] = 1.0,
            false => {}
        }
    }
}

fn keep_heaviest(kept: &mut Option<(f64, String)>, weight: f64, word: &str) {
    if kept.as_ref().is_none_or(|(most, _)| weight > *most) {
        *kept = Some((weight, word.to_owned()));
    }
}

/// The mistakes per letter between the whole texts without spaces, up to `MAX_MISTAKE_SHARE`.
fn mistakes(query: &PreparedQuery, compact: &str) -> f64 {
    let letters = query.compact.len().max(compact.len()).max(1) as f64;
    let most = (letters * MAX_MISTAKE_SHARE) as usize;
    if query.compact.len().abs_diff(compact.len()) > most {
        return MAX_MISTAKE_SHARE;
    }
    let arguments = osa::Args::default().score_cutoff(most);
    let found = osa::distance_with_args(query.compact.bytes(), compact.bytes(), &arguments);
    found.map_or(MAX_MISTAKE_SHARE, |mistakes| mistakes as f64 / letters)
}

/// Divides the letters of a text into words as a name has them: "namunaestates" is "namuna
/// estates". None if the letters do not fit the name.
fn divide(query: &PreparedQuery, candidate: &Name) -> Option<Name> {
    let text = query.compact.as_str();
    let ascii = text.is_ascii() && candidate.plain.iter().all(|word| word.is_ascii());
    let first_letter = candidate.plain.first()?.as_bytes().first()?;
    if !ascii || text.len() < MIN_DIVIDED || text.as_bytes().first() != Some(first_letter) {
        return None;
    }
    let mut words: Vec<String> = Vec::new();
    let mut rest = text;
    for word in &candidate.plain {
        if rest.is_empty() {
            break;
        }
        // The words of a name are without "and".
        if rest.len() > 3 && !rest.starts_with(word.as_str()) {
            rest = rest.strip_prefix("and").unwrap_or(rest);
        }
        let length = match rest.starts_with(word.as_str()) {
            true => word.len(),
            false if word.starts_with(rest) => rest.len(),
            false => similar_beginning(rest, word)?,
        };
        words.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    if !rest.is_empty() {
        words.push(rest.to_owned());
    }
    if words == query.name.plain {
        return None;
    }
    let mut name = Name::of_words(words, query.name.script);
    name.suffix = query.name.suffix;
    Some(name)
}

/// The length of the beginning of a text that is most similar to a word.
fn similar_beginning(text: &str, word: &str) -> Option<usize> {
    let most = if word.len() < LONG_WORD { 1 } else { 2 };
    let lengths = [word.len(), word.len() + 1, word.len().saturating_sub(1)];
    let arguments = osa::Args::default().score_cutoff(most);
    lengths
        .into_iter()
        .filter(|length| (2..=text.len()).contains(length))
        .filter_map(|length| {
            let beginning = text[..length].bytes();
            let found = osa::distance_with_args(beginning, word.bytes(), &arguments)?;
            Some((found, length))
        })
        .min_by_key(|(mistakes, _)| *mistakes)
        .map(|(_, length)| length)
}

fn compare_forms(typed: Option<Suffix>, registered: Option<Suffix>) -> Forms {
    match (typed, registered) {
        (Some(typed), Some(registered)) if typed == registered => Forms::Agree,
        (Some(typed), Some(registered)) if typed != Suffix::Llp && registered != Suffix::Llp => {
            Forms::PrivateDiffers
        }
        (Some(_), Some(_)) => Forms::Differ,
        _ => Forms::Unknown,
    }
}

/// Numbers separate companies: "Unit 2" is not "Unit 3", "Fund (III)" is not "Fund".
fn compare_numbers(
    query: &Name,
    candidate: &Name,
    own_places: &[String],
    truncated: bool,
) -> Numbers {
    let mut typed = numbers(query);
    typed.retain(|number| !own_places.contains(number));
    let registered = numbers(candidate);
    match (typed.is_empty(), registered.is_empty()) {
        _ if typed == registered => Numbers::Same,
        (true, false) if truncated => Numbers::Same,
        (true, _) | (_, true) => Numbers::OnOneSide,
        (false, false) => Numbers::Differ,
    }
}

/// The numbers in a name, sorted.
fn numbers(name: &Name) -> Vec<String> {
    const OF_ADDRESSES: [&str; 8] =
        ["plot", "sector", "floor", "shop", "flat", "ward", "road", "pin"];
    const ROMAN: [(&str, &str); 10] = [
        ("ii", "2"),
        ("iii", "3"),
        ("iv", "4"),
        ("vi", "6"),
        ("vii", "7"),
        ("viii", "8"),
        ("ix", "9"),
        ("xi", "11"),
        ("xii", "12"),
        ("xiii", "13"),
    ];
    let mut numbers = Vec::new();
    for (at, word) in name.plain.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| &name.plain[before]);
        let initials = name.initials.get(at) == Some(&true) && word.len() > 1;
        let roman = ROMAN.iter().find(|(roman, _)| roman == word && at > 0 && !initials);
        let last_one = word == "i" && at > 0 && at + 1 == name.plain.len();
        if let Some((_, digits)) = roman {
            numbers.push((*digits).to_owned());
        } else if last_one {
            numbers.push("1".to_owned());
        } else if word.bytes().all(|byte| byte.is_ascii_digit())
            && word.len() < LONG_NUMBER
            && !OF_ADDRESSES.contains(&before)
        {
            let digits = word.trim_start_matches('0');
            numbers.push(if digits.is_empty() { "0" } else { digits }.to_owned());
        }
    }
    numbers.sort();
    numbers
}

#[cfg(test)]
mod tests;
