//! A query, prepared once for the comparison with many names.

use std::io;

use rapidfuzz::distance::osa;

use crate::analyze::{Name, split};
use crate::rarity::Rarity;
use crate::scripts::{Script, script_of, tamil_keys};
use crate::{legal, places, plural, short_forms, sound};

/// The factor on the weight of a word that belongs to an address.
const OF_PLACE: f64 = 0.15;

pub struct PreparedWord {
    /// As typed.
    pub plain: String,
    pub normal: String,
    /// Keys of its possible sounds.
    pub sounds: Vec<String>,
    /// Words that it may abbreviate, and its abbreviations, in their normal form.
    pub relatives: Vec<String>,
    /// Its weight, by rarity.
    pub weight: f64,
    /// Whether some name has it.
    pub known: bool,
    /// Whether it was joined from single letters.
    pub initials: bool,
    /// Whether it was transliterated from another script, so its sound counts more than its
    /// letters.
    pub by_sound: bool,
    comparator: osa::BatchComparator<u8>,
}

impl PreparedWord {
    fn new(name: &Name, position: usize, rarity: &Rarity<'_>) -> io::Result<PreparedWord> {
        let (plain, normal) = (&name.plain[position], &name.words[position]);
        let mut relatives: Vec<String> = Vec::new();
        for relative in short_forms::relatives(plain, normal) {
            let relative = plural::singular(relative);
            if relative != *normal && !relatives.contains(&relative) {
                relatives.push(relative);
            }
        }
        let known = rarity.knows(normal)?;
        let sounds = match name.script {
            Script::Tamil if !known => tamil_keys(&sound::key(normal)),
            _ => sound::keys(normal),
        };
        let of_place = places::is_address_word(plain) || rarity.is_place(plain)?;
        let share = if of_place && position > 0 { OF_PLACE } else { 1.0 };
        Ok(PreparedWord {
            plain: plain.clone(),
            normal: normal.clone(),
            sounds,
            relatives,
            weight: rarity.weight(normal)? * share,
            known,
            initials: name.initials.get(position) == Some(&true),
            by_sound: name.script != Script::Latin && !known,
            comparator: osa::BatchComparator::new(plain.bytes()),
        })
    }

    /// The number of letters added, dropped, replaced or swapped; none above `at_most`.
    pub fn mistakes(&self, candidate: &str, at_most: usize) -> Option<usize> {
        if self.plain.len().abs_diff(candidate.len()) > at_most {
            return None;
        }
        let arguments = osa::Args::default().score_cutoff(at_most);
        self.comparator.distance_with_args(candidate.bytes(), &arguments)
    }

    /// The similarity of the spellings, from 0 to 1.
    pub fn spelling(&self, candidate: &str) -> f64 {
        let longer = self.plain.len().max(candidate.len()).max(1);
        1.0 - self.comparator.distance(candidate.bytes()) as f64 / longer as f64
    }
}

/// The name at the beginning of a query that ends with other words.
pub struct Head {
    pub query: PreparedQuery,
    /// The words after the name.
    pub tail: Vec<String>,
    /// Whether a legal form ends the name, so the tail is certainly not part of it.
    pub certain: bool,
}

pub struct PreparedQuery {
    pub name: Name,
    pub words: Vec<PreparedWord>,
    /// As typed, without spaces.
    pub compact: String,
    /// In the normal form, without spaces.
    pub normal: String,
    /// The query without an incomplete legal form at its end.
    pub core: Option<Box<PreparedQuery>>,
    /// The query without a city or an address at its end.
    pub head: Option<Box<Head>>,
    comparator: osa::BatchComparator<u8>,
}

impl PreparedQuery {
    pub fn new(text: &str, rarity: &Rarity<'_>) -> io::Result<PreparedQuery> {
        let mut query = PreparedQuery::of(Name::new(text), rarity)?;
        let started = query.name.plain.len() > 1
            && query.name.suffix.is_none()
            && query.name.plain.last().is_some_and(|word| legal::is_started(word));
        if started {
            let without_last = text.trim_end_matches(|c: char| !c.is_alphanumeric());
            let without_last = without_last.trim_end_matches(char::is_alphanumeric);
            let core = Name::new(without_last);
            // One letter is not enough, unless it follows "Private".
            let is_enough = query.name.plain.last().is_some_and(|word| word.len() > 1);
            if !core.plain.is_empty() && (is_enough || core.suffix.is_some()) {
                query.core = Some(Box::new(PreparedQuery::of(core, rarity)?));
            }
        }
        query.head = head(text, rarity)?.map(Box::new);
        Ok(query)
    }

    /// A name without further readings.
    pub fn of(name: Name, rarity: &Rarity<'_>) -> io::Result<PreparedQuery> {
        let compact = name.compact();
        let words =
            (0..name.plain.len()).map(|position| PreparedWord::new(&name, position, rarity));
        Ok(PreparedQuery {
            words: words.collect::<io::Result<_>>()?,
            normal: name.normal_compact(),
            comparator: osa::BatchComparator::new(compact.bytes()),
            core: None,
            head: None,
            compact,
            name,
        })
    }

    /// The mistakes between the two whole names, without spaces; none if there are too many.
    pub fn mistakes(&self, candidate_compact: &str) -> Option<usize> {
        let at_most = self.compact.len().max(candidate_compact.len()) / 4;
        if self.compact.len().abs_diff(candidate_compact.len()) > at_most {
            return None;
        }
        let arguments = osa::Args::default().score_cutoff(at_most);
        self.comparator.distance_with_args(candidate_compact.bytes(), &arguments)
    }

    /// Its first words without spaces, which may be a whole name; the longest first.
    pub fn beginnings(&self) -> impl Iterator<Item = String> {
        let plain = &self.name.plain;
        (1..plain.len()).rev().map(|words| plain[..words].concat())
    }
}

/// The name in a text that ends with a city or an address.
fn head(text: &str, rarity: &Rarity<'_>) -> io::Result<Option<Head>> {
    let words = split(text);
    let of_place = |word: &String| -> io::Result<bool> {
        Ok(places::is_address_word(word) || rarity.is_place(word)?)
    };
    let (end_of_name, certain) = match legal::end_of_form(&words) {
        Some(end) if end < words.len() => (end, true),
        Some(_) => return Ok(None),
        None => {
            let mut place_start = words.len();
            while place_start > 1 && of_place(&words[place_start - 1])? {
                place_start -= 1;
            }
            // A comma ends the name if an address follows.
            let comma = text.find(',').map(|comma| split(&text[..comma]).len());
            match comma.filter(|comma| (1..place_start).contains(comma)) {
                Some(comma) if place_start < words.len() => (comma, false),
                _ => (place_start, false),
            }
        }
    };
    if end_of_name == 0 || end_of_name >= words.len() {
        return Ok(None);
    }
    let name = Name::of_words(words[..end_of_name].to_vec(), script_of(text));
    let tail = words[end_of_name..].to_vec();
    Ok(Some(Head { query: PreparedQuery::of(name, rarity)?, tail, certain }))
}
