//! Computes the similarity of two names, word by word.

use std::io;

use rapidfuzz::distance::osa;

use crate::analyze::Name;
use crate::prepared_query::{PreparedQuery, PreparedWord};
use crate::rarity::Rarity;
use crate::sound;

/// How the words of a query match the words of a name.
#[derive(Debug, Default, PartialEq)]
pub struct Fit {
    /// Every word of the query is a word of the name, an abbreviation, or (the last) a beginning of
    /// one.
    pub every_word: bool,
    /// Every word of the name was matched completely.
    pub every_name_word: bool,
    /// The words were matched in order.
    pub in_order: bool,
    /// The query begins with the whole name.
    pub leads: bool,
    /// The share of equal words, weighted by rarity; the smaller of the shares of name and query.
    pub of_equal: f64,
    /// Letters of the query in words that are not equal.
    pub other_letters: usize,
    /// Each of these words is in some name.
    pub others_known: bool,
    /// The matched share of the query, weighted by rarity and similarity.
    pub of_query: f64,
    /// The matched share of the name.
    pub of_name: f64,
}

/// The similarity of an abbreviation and its word.
const SHORT_FORM: f64 = 0.97;
/// Of words that differ only in a space.
const SPACE: f64 = 0.98;
/// Of words that sound the same, without and with the same spelling.
const SOUND: f64 = 0.60;
const SOUND_AND_SPELLING: f64 = 0.96;
/// Of words that sound the same, if one was transliterated from another script.
const SOUND_OF_SCRIPT: f64 = 0.86;
/// Of such words that differ in one sound.
const NEARLY_SOUND_OF_SCRIPT: f64 = 0.68;
/// Of a word and a possible abbreviation of it.
const SHORTENED: f64 = 0.85;
/// Of a word that is still being typed.
const BEGINNING: f64 = 0.92;
/// Words with a lower similarity do not match.
const UNLIKE: f64 = 0.55;
/// The factor on the similarity if the typed word is in some name: it is probably not a mistake.
pub const OTHER_WORD: f64 = 0.88;
/// The same factor if both sound alike: they may be two spellings of one name.
const OTHER_SPELLING: f64 = 0.94;
/// The fewest letters of an abbreviation.
const MIN_SHORTENED: usize = 4;
/// The fewest sounds of a key that may differ in one sound.
const MIN_SOUNDS: usize = 4;

/// The match of a word of the query with words of the candidate.
pub struct WordMatch {
    pub similarity: f64,
    /// First and last word of the candidate.
    pub from: usize,
    pub to: usize,
    /// Words of the query that were used: two if the query has an additional space.
    pub used: usize,
    /// The same word or an abbreviation, not only a similar word.
    is_word: bool,
    /// The whole word of the candidate was typed.
    pub in_full: bool,
    /// The share of the candidate's letters that were typed.
    pub typed: f64,
}

/// Compares the words of a query with those of a name. Each word of the candidate is matched once;
/// equal words are matched before similar ones.
pub fn fit(query: &PreparedQuery, candidate: &Name, rarity: &Rarity<'_>) -> io::Result<Fit> {
    let weights: Vec<f64> =
        candidate.words.iter().map(|word| rarity.weight(word)).collect::<io::Result<_>>()?;
    let word_matches = word_matches(query, candidate);
    let mut fit = Fit {
        every_word: true,
        every_name_word: true,
        in_order: true,
        others_known: true,
        ..Fit::default()
    };
    let mut matched = vec![0.0_f64; weights.len()];
    let (mut query_weight, mut before, mut leading) = (0.0, None, 0);
    let mut position = 0;
    while position < query.words.len() {
        let Some(word_match) = &word_matches[position] else {
            fit.every_word = false;
            query_weight += query.words[position].weight;
            fit.add_other(&query.words[position]);
            position += 1;
            continue;
        };
        let weight: f64 = weights[word_match.from..=word_match.to].iter().sum();
        fit.every_word &= word_match.is_word;
        fit.every_name_word &= word_match.in_full;
        fit.in_order &= before.is_none_or(|before| before < word_match.from);
        leading += usize::from(
            leading == word_match.from && leading == position && word_match.similarity >= SPACE,
        );
        before = Some(word_match.to);
        match word_match.similarity == 1.0 {
            true => fit.of_equal += weight,
            false => {
                let words = &query.words[position..position + word_match.used];
                words.iter().for_each(|word| fit.add_other(word));
            }
        }
        query_weight += weight;
        fit.of_query += word_match.similarity * weight;
        matched[word_match.from..=word_match.to].fill(word_match.similarity * word_match.typed);
        position += word_match.used;
    }
    let name_weight: f64 = weights.iter().sum();
    let matched_weight: f64 =
        weights.iter().zip(&matched).map(|(weight, matched)| weight * matched).sum();
    fit.every_name_word &= matched.iter().all(|matched| *matched > 0.0);
    fit.leads = leading == weights.len();
    fit.of_query /= query_weight.max(f64::MIN_POSITIVE);
    fit.of_equal /= name_weight.max(query_weight).max(f64::MIN_POSITIVE);
    fit.of_name = matched_weight / name_weight.max(f64::MIN_POSITIVE);
    Ok(fit)
}

impl Fit {
    fn add_other(&mut self, word: &PreparedWord) {
        self.other_letters += word.plain.len();
        self.others_known &= word.known;
    }
}

/// The match of each word of the query.
pub fn word_matches(query: &PreparedQuery, candidate: &Name) -> Vec<Option<WordMatch>> {
    let mut free = vec![true; candidate.words.len()];
    let mut word_matches: Vec<Option<WordMatch>> = Vec::with_capacity(query.words.len());
    let mut next = 0;
    for word in &query.words {
        let equal = |at: &usize| {
            free[*at] && (word.plain == candidate.plain[*at] || word.normal == candidate.words[*at])
        };
        // If a name has a word twice, the next one in order first.
        let at = (next..free.len()).find(equal).or_else(|| (0..next).find(equal));
        if let Some(at) = at {
            free[at] = false;
            next = at + 1;
        }
        word_matches.push(at.map(|at| WordMatch::of_one(1.0, at)));
    }
    let mut sounds: Vec<Option<Vec<String>>> = vec![None; candidate.words.len()];
    let mut position = 0;
    while position < query.words.len() {
        if word_matches[position].is_none() {
            let next_is_free = word_matches.get(position + 1).is_some_and(Option::is_none);
            let word_match =
                best_match(query, position, next_is_free, candidate, &free, &mut sounds);
            if let Some(word_match) = &word_match {
                free[word_match.from..=word_match.to].fill(false);
            }
            let used = word_match.as_ref().map_or(1, |word_match| word_match.used);
            word_matches[position] = word_match;
            position += used;
        } else {
            position += 1;
        }
    }
    word_matches
}

impl WordMatch {
    fn of_one(similarity: f64, at: usize) -> WordMatch {
        WordMatch {
            similarity,
            from: at,
            to: at,
            used: 1,
            is_word: true,
            in_full: true,
            typed: 1.0,
        }
    }
}

fn best_match(
    query: &PreparedQuery,
    position: usize,
    next_is_free: bool,
    candidate: &Name,
    free: &[bool],
    sounds: &mut [Option<Vec<String>>],
) -> Option<WordMatch> {
    let word = &query.words[position];
    let last = position + 1 == query.words.len();
    let is_free = |at: usize| free.get(at) == Some(&true);
    let mut best: Option<WordMatch> = None;
    let mut offer = |word_match: WordMatch| {
        if best.as_ref().is_none_or(|best| word_match.similarity > best.similarity) {
            best = Some(word_match);
        }
    };
    for at in (0..candidate.words.len()).filter(|at| is_free(*at)) {
        let (plain, normal) = (&candidate.plain[at], &candidate.words[at]);
        if word.relatives.contains(normal) {
            offer(WordMatch::of_one(SHORT_FORM, at));
        } else if last && plain.starts_with(&word.plain) {
            let typed = word.plain.len() as f64 / plain.len() as f64;
            offer(WordMatch { in_full: false, typed, ..WordMatch::of_one(BEGINNING, at) });
        }
        if is_free(at + 1) && is_joined(&word.plain, plain, &candidate.plain[at + 1]) {
            offer(WordMatch { to: at + 1, ..WordMatch::of_one(SPACE, at) });
        }
        if let Some(next) = query.words.get(position + 1)
            && next_is_free
            && is_joined(plain, &word.plain, &next.plain)
        {
            offer(WordMatch { used: 2, ..WordMatch::of_one(SPACE, at) });
        }
        // Initials are not compared by similarity: they have too few letters.
        if word.initials || candidate.initials.get(at) == Some(&true) {
            continue;
        }
        let candidate_sounds = sounds[at].get_or_insert_with(|| sound::keys(normal));
        let alike = similarity(word, plain, candidate_sounds);
        if alike >= UNLIKE {
            offer(WordMatch { is_word: false, ..WordMatch::of_one(alike, at) });
        }
    }
    best
}

/// The similarity of two words by letters and sounds.
fn similarity(word: &PreparedWord, plain: &str, candidate_sounds: &[String]) -> f64 {
    let mut alike = spelling_similarity(word, plain);
    let sounds_alike = word.sounds.iter().any(|sound| candidate_sounds.contains(sound));
    if word.by_sound && sounds_alike {
        let spelling = word.spelling(plain);
        alike = alike.max(SOUND_OF_SCRIPT + (SOUND_AND_SPELLING - SOUND_OF_SCRIPT) * spelling);
    } else if sounds_alike {
        alike = alike.max(SOUND + (SOUND_AND_SPELLING - SOUND) * word.spelling(plain));
    } else if word.by_sound
        && word.sounds.iter().any(|sound| differs_in_one_sound(sound, candidate_sounds))
    {
        alike = alike.max(NEARLY_SOUND_OF_SCRIPT);
    }
    if word.known {
        alike *= if sounds_alike { OTHER_SPELLING } else { OTHER_WORD };
    }
    if is_shortened(&word.plain, plain) {
        alike = alike.max(SHORTENED);
    }
    alike
}

fn differs_in_one_sound(sound: &str, candidate_sounds: &[String]) -> bool {
    let arguments = osa::Args::default().score_cutoff(1);
    let near = |other: &String| {
        sound.len().abs_diff(other.len()) <= 1
            && osa::distance_with_args(sound.bytes(), other.bytes(), &arguments).is_some()
    };
    sound.len() >= MIN_SOUNDS && candidate_sounds.iter().any(near)
}

fn is_joined(whole: &str, first: &str, second: &str) -> bool {
    whole.len() == first.len() + second.len() && whole.starts_with(first) && whole.ends_with(second)
}

/// Whether a word may be an abbreviation of another: the same first letter, and its letters in the
/// same order, such as "Commns" for "Communications".
fn is_shortened(short: &str, full: &str) -> bool {
    let (short, full) = (short.as_bytes(), full.as_bytes());
    let possible = short.len() >= MIN_SHORTENED
        && short.len() + 2 <= full.len()
        && short.first() == full.first();
    let mut rest = full.iter();
    possible && short.iter().all(|letter| rest.any(|other| other == letter))
}

fn spelling_similarity(word: &PreparedWord, candidate: &str) -> f64 {
    let longer = word.plain.len().max(candidate.len());
    // A short word with one letter changed is another word: KVQ is not KVR.
    let at_most = match longer {
        0..=2 => return 0.0,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    match word.mistakes(candidate, at_most) {
        Some(mistakes) => 1.0 - mistakes as f64 / longer as f64,
        None => 0.0,
    }
}
