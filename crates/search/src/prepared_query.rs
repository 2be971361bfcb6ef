//! A query, prepared once to be compared with many names.

use std::io;

use rapidfuzz::distance::osa;

use crate::analyze::{Name, split};
use crate::rarity::Rarity;
use crate::scripts::{Script, script_of, tamil_keys};
use crate::{legal, places, plural, short_forms, sound};

/// What remains of the weight of a word that belongs to an address.
const OF_PLACE: f64 = 0.15;

/// A word of a query.
pub struct PreparedWord {
    /// As it was typed.
    pub plain: String,
    /// In its normal form.
    pub normal: String,
    /// How it may sound.
    pub sounds: Vec<String>,
    /// Words that it may be short for, and short forms of it, in their normal form.
    pub relatives: Vec<String>,
    /// How much it tells, where it is not met.
    pub weight: f64,
    /// Some name has it.
    pub known: bool,
    /// It was made of single letters.
    pub initials: bool,
    /// It was spelt out from another script, so that its letters say less than its sound.
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
        let of_place = places::is_of_addresses(plain) || rarity.is_place(plain)?;
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

    /// Letters added, dropped, replaced or swapped with their neighbour; none above a bound.
    pub fn mistakes(&self, candidate: &str, at_most: usize) -> Option<usize> {
        if self.plain.len().abs_diff(candidate.len()) > at_most {
            return None;
        }
        let arguments = osa::Args::default().score_cutoff(at_most);
        self.comparator.distance_with_args(candidate.bytes(), &arguments)
    }

    /// How alike the spellings are, from 0 to 1.
    pub fn spelling(&self, candidate: &str) -> f64 {
        let longer = self.plain.len().max(candidate.len()).max(1);
        1.0 - self.comparator.distance(candidate.bytes()) as f64 / longer as f64
    }
}

/// A name with something behind it that is no part of it.
pub struct Head {
    /// The name.
    pub query: PreparedQuery,
    /// The words behind it.
    pub tail: Vec<String>,
    /// A legal form ends the name, so that what follows is surely not part of it.
    pub sure: bool,
}

/// A prepared query.
pub struct PreparedQuery {
    /// Its normal form.
    pub name: Name,
    /// Its words.
    pub words: Vec<PreparedWord>,
    /// As typed, without spaces.
    pub compact: String,
    /// In the normal form, without spaces.
    pub normal: String,
    /// Without a legal form at its end that is still being typed.
    pub core: Option<Box<PreparedQuery>>,
    /// Without a city or an address behind it.
    pub head: Option<Box<Head>>,
    comparator: osa::BatchComparator<u8>,
}

impl PreparedQuery {
    /// Prepares a text.
    pub fn new(text: &str, rarity: &Rarity<'_>) -> io::Result<PreparedQuery> {
        let mut query = PreparedQuery::of(Name::new(text), rarity)?;
        let started = query.name.plain.len() > 1
            && query.name.suffix.is_none()
            && query.name.plain.last().is_some_and(|word| legal::is_started(word));
        if started {
            let cut = text.trim_end_matches(|c: char| !c.is_alphanumeric());
            let cut = cut.trim_end_matches(char::is_alphanumeric);
            let core = Name::new(cut);
            // One letter says little, unless it follows "Private".
            let telling = query.name.plain.last().is_some_and(|word| word.len() > 1);
            if !core.plain.is_empty() && (telling || core.suffix.is_some()) {
                query.core = Some(Box::new(PreparedQuery::of(core, rarity)?));
            }
        }
        query.head = head(text, rarity)?.map(Box::new);
        Ok(query)
    }

    fn of(name: Name, rarity: &Rarity<'_>) -> io::Result<PreparedQuery> {
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

    /// Mistakes that lead from one whole name to the other, spaces aside; none where there are many.
    pub fn mistakes(&self, candidate_compact: &str) -> Option<usize> {
        let at_most = self.compact.len().max(candidate_compact.len()) / 4;
        if self.compact.len().abs_diff(candidate_compact.len()) > at_most {
            return None;
        }
        let arguments = osa::Args::default().score_cutoff(at_most);
        self.comparator.distance_with_args(candidate_compact.bytes(), &arguments)
    }

    /// Its first words without spaces, where these may be a whole name: longest first.
    pub fn beginnings(&self) -> impl Iterator<Item = String> {
        let plain = &self.name.plain;
        (1..plain.len()).rev().map(|words| plain[..words].concat())
    }
}

/// The name of a text that has a city or an address behind it.
fn head(text: &str, rarity: &Rarity<'_>) -> io::Result<Option<Head>> {
    let words = split(text);
    let of_place = |word: &String| -> io::Result<bool> {
        Ok(places::is_of_addresses(word) || rarity.is_place(word)?)
    };
    let (cut, sure) = match legal::end_of_form(&words) {
        Some(end) if end < words.len() => (end, true),
        Some(_) => return Ok(None),
        None => {
            let mut behind = words.len();
            while behind > 1 && of_place(&words[behind - 1])? {
                behind -= 1;
            }
            // A comma ends a name where an address follows.
            let comma = text.find(',').map(|comma| split(&text[..comma]).len());
            match comma.filter(|comma| (1..behind).contains(comma)) {
                Some(comma) if behind < words.len() => (comma, false),
                _ => (behind, false),
            }
        }
    };
    if cut == 0 || cut >= words.len() {
        return Ok(None);
    }
    let name = Name::of_words(words[..cut].to_vec(), script_of(text));
    let tail = words[cut..].to_vec();
    Ok(Some(Head { query: PreparedQuery::of(name, rarity)?, tail, sure }))
}
