//! How alike two names are, word by word.

use std::io;

use rapidfuzz::distance::osa;

use crate::analyze::Name;
use crate::prepared_query::{PreparedQuery, PreparedWord};
use crate::rarity::Rarity;
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
    /// The query begins with the whole name.
    pub leads: bool,
    /// How much of the name, or of the query where that is less, was met word for word, by rarity.
    pub of_equal: f64,
    /// Letters of the query in words that were not.
    pub other_letters: usize,
    /// Each of these is a word of some name itself.
    pub others_known: bool,
    /// How much of the query was met, by the rarity of its words and their likeness.
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
/// Of words that sound the same where one was spelt out from another script.
const SOUND_OF_SCRIPT: f64 = 0.86;
/// Of such words that differ in one sound.
const NEARLY_SOUND_OF_SCRIPT: f64 = 0.68;
/// Of a word and what may be short for it, by its letters.
const SHORTENED: f64 = 0.85;
/// Of a word that is still being typed.
const BEGINNING: f64 = 0.92;
/// Words less alike than this do not meet.
const UNLIKE: f64 = 0.55;
/// What remains of a likeness where the typed word is a word of some name itself: it was likely meant.
pub const OTHER_WORD: f64 = 0.88;
/// The same where both sound alike: they may be two spellings of one name.
const OTHER_SPELLING: f64 = 0.94;
/// The shortest word that letters may be left out of.
const MIN_SHORTENED: usize = 4;
/// The shortest key of sounds that may differ in one.
const MIN_SOUNDS: usize = 4;

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

/// Compares the words of a query with those of a name. Each word of the candidate is matched once, and
/// equal words before those that are alike.
pub fn fit(query: &PreparedQuery, candidate: &Name, rarity: &Rarity<'_>) -> io::Result<Fit> {
    let weights: Vec<f64> =
        candidate.words.iter().map(|word| rarity.weight(word)).collect::<io::Result<_>>()?;
    let meetings = meetings(query, candidate);
    let mut fit = Fit {
        every_word: true,
        every_held_word: true,
        in_order: true,
        others_known: true,
        ..Fit::default()
    };
    let mut met = vec![0.0_f64; weights.len()];
    let (mut asked, mut before, mut led) = (0.0, None, 0);
    let mut position = 0;
    while position < query.words.len() {
        let Some(meeting) = &meetings[position] else {
            fit.every_word = false;
            asked += query.words[position].weight;
            fit.add_other(&query.words[position]);
            position += 1;
            continue;
        };
        let weight: f64 = weights[meeting.from..=meeting.to].iter().sum();
        fit.every_word &= meeting.is_word;
        fit.every_held_word &= meeting.in_full;
        fit.in_order &= before.is_none_or(|before| before < meeting.from);
        led += usize::from(led == meeting.from && led == position && meeting.likeness >= SPACE);
        before = Some(meeting.to);
        match meeting.likeness == 1.0 {
            true => fit.of_equal += weight,
            false => {
                let words = &query.words[position..position + meeting.used];
                words.iter().for_each(|word| fit.add_other(word));
            }
        }
        asked += weight;
        fit.of_asked += meeting.likeness * weight;
        met[meeting.from..=meeting.to].fill(meeting.likeness * meeting.typed);
        position += meeting.used;
    }
    let held: f64 = weights.iter().sum();
    let held_met: f64 = weights.iter().zip(&met).map(|(weight, met)| weight * met).sum();
    fit.every_held_word &= met.iter().all(|met| *met > 0.0);
    fit.leads = led == weights.len();
    fit.of_asked /= asked.max(f64::MIN_POSITIVE);
    fit.of_equal /= held.max(asked).max(f64::MIN_POSITIVE);
    fit.of_held = held_met / held.max(f64::MIN_POSITIVE);
    Ok(fit)
}

impl Fit {
    fn add_other(&mut self, word: &PreparedWord) {
        self.other_letters += word.plain.len();
        self.others_known &= word.known;
    }
}

/// What each word of the query meets.
fn meetings(query: &PreparedQuery, candidate: &Name) -> Vec<Option<Meeting>> {
    let mut free = vec![true; candidate.words.len()];
    let mut meetings: Vec<Option<Meeting>> = Vec::with_capacity(query.words.len());
    let mut next = 0;
    for word in &query.words {
        let equal = |at: &usize| {
            free[*at] && (word.plain == candidate.plain[*at] || word.normal == candidate.words[*at])
        };
        // The next one in order first, where a name has a word twice.
        let at = (next..free.len()).find(equal).or_else(|| (0..next).find(equal));
        if let Some(at) = at {
            free[at] = false;
            next = at + 1;
        }
        meetings.push(at.map(|at| Meeting::of_one(1.0, at)));
    }
    let mut sounds: Vec<Option<Vec<String>>> = vec![None; candidate.words.len()];
    let mut position = 0;
    while position < query.words.len() {
        if meetings[position].is_none() {
            let next_is_free = meetings.get(position + 1).is_some_and(Option::is_none);
            let meeting =
                best_meeting(query, position, next_is_free, candidate, &free, &mut sounds);
            if let Some(meeting) = &meeting {
                free[meeting.from..=meeting.to].fill(false);
            }
            let used = meeting.as_ref().map_or(1, |meeting| meeting.used);
            meetings[position] = meeting;
            position += used;
        } else {
            position += 1;
        }
    }
    meetings
}

impl Meeting {
    fn of_one(likeness: f64, at: usize) -> Meeting {
        Meeting { likeness, from: at, to: at, used: 1, is_word: true, in_full: true, typed: 1.0 }
    }
}

fn best_meeting(
    query: &PreparedQuery,
    position: usize,
    next_is_free: bool,
    candidate: &Name,
    free: &[bool],
    sounds: &mut [Option<Vec<String>>],
) -> Option<Meeting> {
    let word = &query.words[position];
    let last = position + 1 == query.words.len();
    let is_free = |at: usize| free.get(at) == Some(&true);
    let mut best: Option<Meeting> = None;
    let mut offer = |meeting: Meeting| {
        if best.as_ref().is_none_or(|best| meeting.likeness > best.likeness) {
            best = Some(meeting);
        }
    };
    for at in (0..candidate.words.len()).filter(|at| is_free(*at)) {
        let (plain, normal) = (&candidate.plain[at], &candidate.words[at]);
        if word.relatives.contains(normal) {
            offer(Meeting::of_one(SHORT_FORM, at));
        } else if last && plain.starts_with(&word.plain) {
            let typed = word.plain.len() as f64 / plain.len() as f64;
            offer(Meeting { in_full: false, typed, ..Meeting::of_one(BEGINNING, at) });
        }
        if is_free(at + 1) && is_joined(&word.plain, plain, &candidate.plain[at + 1]) {
            offer(Meeting { to: at + 1, ..Meeting::of_one(SPACE, at) });
        }
        if let Some(next) = query.words.get(position + 1)
            && next_is_free
            && is_joined(plain, &word.plain, &next.plain)
        {
            offer(Meeting { used: 2, ..Meeting::of_one(SPACE, at) });
        }
        // Initials are short for nothing that could be told.
        if word.initials || candidate.initials.get(at) == Some(&true) {
            continue;
        }
        let heard = sounds[at].get_or_insert_with(|| sound::keys(normal));
        let alike = likeness(word, plain, heard);
        if alike >= UNLIKE {
            offer(Meeting { is_word: false, ..Meeting::of_one(alike, at) });
        }
    }
    best
}

/// How alike two words are by their letters and sounds.
fn likeness(word: &PreparedWord, plain: &str, heard: &[String]) -> f64 {
    let mut alike = spelling_likeness(word, plain);
    let sounds_alike = word.sounds.iter().any(|sound| heard.contains(sound));
    if word.by_sound && sounds_alike {
        let spelling = word.spelling(plain);
        alike = alike.max(SOUND_OF_SCRIPT + (SOUND_AND_SPELLING - SOUND_OF_SCRIPT) * spelling);
    } else if sounds_alike {
        alike = alike.max(SOUND + (SOUND_AND_SPELLING - SOUND) * word.spelling(plain));
    } else if word.by_sound && word.sounds.iter().any(|sound| is_nearly(sound, heard)) {
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

/// Whether one sound makes the difference.
fn is_nearly(sound: &str, heard: &[String]) -> bool {
    let arguments = osa::Args::default().score_cutoff(1);
    let near = |other: &String| {
        sound.len().abs_diff(other.len()) <= 1
            && osa::distance_with_args(sound.bytes(), other.bytes(), &arguments).is_some()
    };
    sound.len() >= MIN_SOUNDS && heard.iter().any(near)
}

fn is_joined(whole: &str, first: &str, second: &str) -> bool {
    whole.len() == first.len() + second.len() && whole.starts_with(first) && whole.ends_with(second)
}

/// Whether a word looks like a short form of another: the same first letter, and its letters in their
/// order. "Commns" is, for "Communications".
fn is_shortened(short: &str, full: &str) -> bool {
    let (short, full) = (short.as_bytes(), full.as_bytes());
    let possible = short.len() >= MIN_SHORTENED
        && short.len() + 2 <= full.len()
        && short.first() == full.first();
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
