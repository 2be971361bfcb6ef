//! How alike two names are, word by word.

use crate::analyze::Name;
use crate::prepared_query::{PreparedQuery, PreparedWord};
use crate::sound;

/// How the words of a query meet the words of a name.
#[derive(Debug, Default, PartialEq)]
pub struct Fit {
    /// Every word of the query is a word of the name, short for one, or (the last) the beginning of one.
    pub every_word: bool,
    /// Every word of the name was met in full.
    pub every_held_word: bool,
    /// The words were met in their order.
    pub in_order: bool,
    /// How much of the query was met, by letters and likeness.
    pub of_asked: f64,
    /// How much of the name.
    pub of_held: f64,
}

/// The likeness of a short form and its word.
const SHORT_FORM: f64 = 0.97;
/// Of words that differ in a space only.
const SPACE: f64 = 0.98;
/// Of words that sound the same, without and with the same spelling.
const SOUND: f64 = 0.60;
const SOUND_AND_SPELLING: f64 = 0.96;
/// Of a word and what may be short for it, by its letters.
const SHORTENED: f64 = 0.85;
/// Of a word that is still being typed.
const BEGINNING: f64 = 0.92;
/// Words less alike than this do not meet.
const UNLIKE: f64 = 0.55;

/// A word of the candidate that a word of the query matches.
struct Meeting {
    likeness: f64,
    /// First and last word of the candidate.
    from: usize,
    to: usize,
    /// Words of the query that were used: two, where a space was added.
    used: usize,
    /// The same word, or a short form: not merely alike.
    is_word: bool,
    /// All of the candidate's word was typed.
    in_full: bool,
    /// The share of the candidate's letters that were typed.
    typed: f64,
}

/// Compares the words of a query with those of a name. Each word of the candidate is matched once.
pub fn fit(query: &PreparedQuery, candidate: &Name) -> Fit {
    let mut sounds: Vec<Option<String>> = vec![None; candidate.words.len()];
    let mut met = vec![0.0_f64; candidate.words.len()];
    let mut fit = Fit { every_word: true, every_held_word: true, in_order: true, ..Fit::default() };
    let mut asked_letters = 0;
    let mut before = None;
    let mut position = 0;
    while position < query.words.len() {
        let meeting = best_meeting(query, position, candidate, &met, &mut sounds);
        let used = meeting.as_ref().map_or(1, |meeting| meeting.used);
        let letters: usize =
            query.words[position..position + used].iter().map(|word| word.plain.len()).sum();
        asked_letters += letters;
        position += used;
        let Some(meeting) = meeting else {
            fit.every_word = false;
            continue;
        };
        fit.every_word &= meeting.is_word;
        fit.every_held_word &= meeting.in_full;
        fit.in_order &= before.is_none_or(|before| before < meeting.from);
        before = Some(meeting.to);
        fit.of_asked += meeting.likeness * letters as f64;
        met[meeting.from..=meeting.to].fill(meeting.likeness * meeting.typed);
    }
    let lengths = || candidate.plain.iter().map(|word| word.len());
    let held_letters: usize = lengths().sum();
    let held_met: f64 = lengths().zip(&met).map(|(letters, met)| letters as f64 * met).sum();
    fit.every_held_word &= met.iter().all(|met| *met > 0.0);
    fit.of_asked /= asked_letters.max(1) as f64;
    fit.of_held = held_met / held_letters.max(1) as f64;
    fit
}

fn best_meeting(
    query: &PreparedQuery,
    position: usize,
    candidate: &Name,
    met: &[f64],
    sounds: &mut [Option<String>],
) -> Option<Meeting> {
    let word = &query.words[position];
    let last = position + 1 == query.words.len();
    let free = |at: usize| met.get(at) == Some(&0.0);
    let mut best: Option<Meeting> = None;
    let mut offer = |meeting: Meeting| {
        if best.as_ref().is_none_or(|best| meeting.likeness > best.likeness) {
            best = Some(meeting);
        }
    };
    for at in (0..candidate.words.len()).filter(|at| free(*at)) {
        let (plain, normal) = (&candidate.plain[at], &candidate.words[at]);
        let one = |likeness, is_word, in_full| Meeting {
            likeness,
            from: at,
            to: at,
            used: 1,
            is_word,
            in_full,
            typed: if in_full { 1.0 } else { word.plain.len() as f64 / plain.len() as f64 },
        };
        let spaced = |to, used| Meeting {
            likeness: SPACE,
            from: at,
            to,
            used,
            is_word: true,
            in_full: true,
            typed: 1.0,
        };
        if word.plain == *plain || word.normal == *normal {
            let meeting = one(1.0, true, true);
            return Some(meeting);
        }
        if word.relatives.contains(normal) {
            offer(one(SHORT_FORM, true, true));
        } else if last && plain.starts_with(&word.plain) {
            offer(one(BEGINNING, true, false));
        }
        if free(at + 1) && is_joined(&word.plain, plain, &candidate.plain[at + 1]) {
            offer(spaced(at + 1, 1));
        }
        if let Some(next) = query.words.get(position + 1)
            && is_joined(plain, &word.plain, &next.plain)
        {
            offer(spaced(at, 2));
        }
        let heard = sounds[at].get_or_insert_with(|| sound::key(normal));
        let mut alike = spelling_likeness(word, plain);
        if *heard == word.sound {
            let spelling = word.spelling(plain);
            alike = alike.max(SOUND + (SOUND_AND_SPELLING - SOUND) * spelling);
        }
        if is_shortened(&word.plain, plain) {
            alike = alike.max(SHORTENED);
        }
        if alike >= UNLIKE {
            offer(one(alike, false, true));
        }
    }
    best
}

fn is_joined(whole: &str, first: &str, second: &str) -> bool {
    whole.len() == first.len() + second.len() && whole.starts_with(first) && whole.ends_with(second)
}

/// Whether a word looks like a short form of another: the same first letter, and its letters in their
/// order. "Commns" is, for "Communications".
fn is_shortened(short: &str, full: &str) -> bool {
    let (short, full) = (short.as_bytes(), full.as_bytes());
    let possible =
        short.len() >= 2 && short.len() + 2 <= full.len() && short.first() == full.first();
    let mut rest = full.iter();
    possible && short.iter().all(|letter| rest.any(|other| other == letter))
}

fn spelling_likeness(word: &PreparedWord, candidate: &str) -> f64 {
    let longer = word.plain.len().max(candidate.len());
    // Short words are other words with one letter changed: KVQ is not KVR.
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
