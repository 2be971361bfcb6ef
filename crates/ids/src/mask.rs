//! Masks the digits of PANs in any text.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::clean::is_separator;

/// Replaces the digits of every PAN in a text by `X`, at any position: alone, in a path, or inside
/// a GSTIN. The TAN or the serial that some GSTINs contain instead of a PAN is masked, too.
///
/// A PAN is five letters, four digits and a letter in any case; the fourth letter need not be a
/// holder's type, because a mistyped PAN discloses as much. For the same reason a word of letters
/// and digits that differs from a PAN by one missing, added or wrong character is masked as well.
/// The text is only copied if there is something to mask.
///
/// ```
/// use panji_ids::mask_pans;
///
/// assert_eq!(mask_pans("/v1/verify/pan/aappv1231k?x=1"), "/v1/verify/pan/aappvXXXXk?x=1");
/// assert_eq!(mask_pans("/v1/verify/pan/AAPPV12311K"), "/v1/verify/pan/AAPPVXXXXXK");
/// assert_eq!(mask_pans("27AAPFU0939F1ZV"), "27AAPFUXXXXF1ZV");
/// assert_eq!(mask_pans("27AAPFU09399F1ZV"), "27AAPFUXXXXXF1ZV");
/// assert_eq!(mask_pans("27AAPFU093F1ZV"), "27AAPFUXXXF1ZV");
/// assert_eq!(mask_pans("U12345KA2015PTC000123"), "U12345KA2015PTC000123");
/// ```
pub fn mask_pans(text: &str) -> Cow<'_, str> {
    match mask_exact(text) {
        Cow::Borrowed(text) => mask_mistyped(text),
        Cow::Owned(masked) => {
            let again = match mask_mistyped(&masked) {
                Cow::Owned(again) => Some(again),
                Cow::Borrowed(_) => None,
            };
            Cow::Owned(again.unwrap_or(masked))
        }
    }
}

/// Masks texts with the exact form of a PAN, and what some GSTINs contain instead.
fn mask_exact(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut masked = String::new();
    let mut copied = 0;
    let mut index = 0;
    let mut digits_before = 0;
    // Masked characters count as letters from then on, so that masking again changes nothing.
    let mut letters_before = 0;
    while index < bytes.len() {
        let letters_end = run_end(bytes, index, u8::is_ascii_alphabetic);
        let digits_end = run_end(bytes, letters_end, u8::is_ascii_digit);
        if digits_end == index {
            index += 1;
            digits_before = 0;
            letters_before = 0;
            continue;
        }
        let run = Run {
            digits_before,
            letters_before,
            letters: letters_end - index,
            digits: digits_end - letters_end,
            after: &bytes[digits_end..],
        };
        if run.must_be_masked() {
            masked.push_str(&text[copied..letters_end]);
            masked.extend(core::iter::repeat_n('X', run.digits));
            copied = digits_end;
            letters_before += run.letters + run.digits;
        } else {
            letters_before = 0;
        }
        digits_before = run.digits;
        index = digits_end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(&text[copied..]);
    Cow::Owned(masked)
}

/// Masks the digits of words that differ from a PAN by one character.
fn mask_mistyped(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut masked = String::new();
    let mut copied = 0;
    let mut index = 0;
    while index < bytes.len() {
        let end = run_end(bytes, index, u8::is_ascii_alphanumeric);
        if let Some((from, to)) = mistyped_pan(&bytes[index..end]) {
            let (from, to) = (index + from, index + to);
            masked.push_str(&text[copied..from]);
            let hidden = |letter: char| if letter.is_ascii_digit() { 'X' } else { letter };
            masked.extend(text[from..to].chars().map(hidden));
            copied = to;
        }
        index = end.max(index + 1);
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(&text[copied..]);
    Cow::Owned(masked)
}

/// The position of a mistyped PAN in a word: the whole word, or within a GSTIN, between two digits
/// and three characters.
fn mistyped_pan(word: &[u8]) -> Option<(usize, usize)> {
    if is_nearly_a_pan(word) {
        return Some((0, word.len()));
    }
    let gstin = (14..=16).contains(&word.len()) && word[..2].iter().all(u8::is_ascii_digit);
    let end = word.len().saturating_sub(3);
    (gstin && is_nearly_a_pan(&word[2..end])).then_some((2, end))
}

/// Whether a word is one typing mistake away from a PAN: one character is missing, one is too many,
/// or one is a letter for a digit or a digit for a letter. Two forms with another meaning are not
/// masked: a TAN, and a word followed by a year.
fn is_nearly_a_pan(word: &[u8]) -> bool {
    const SHAPE: &[u8; 10] = b"LLLLLDDDDL";
    if !(9..=11).contains(&word.len()) || !word.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let fits = |(byte, class): &(&u8, &u8)| match class {
        b'L' => byte.is_ascii_alphabetic(),
        _ => byte.is_ascii_digit(),
    };
    let from_start = word.iter().zip(SHAPE).take_while(fits).count();
    let from_end = word.iter().rev().zip(SHAPE.iter().rev()).take_while(fits).count();
    // The part that matches from the start and the part that matches from the end meet at the one
    // mistake.
    let needed = if word.len() == 11 { 10 } else { 9 };
    from_start + from_end >= needed && !is_tan(word) && !ends_in_a_year(word)
}

fn is_tan(word: &[u8]) -> bool {
    word.len() == 10
        && word[..4].iter().all(u8::is_ascii_alphabetic)
        && word[4..9].iter().all(u8::is_ascii_digit)
        && word[9].is_ascii_alphabetic()
}

fn ends_in_a_year(word: &[u8]) -> bool {
    word.len() == 9
        && word[5..].iter().all(u8::is_ascii_digit)
        && matches!(&word[5..7], b"19" | b"20")
}

/// Like [`mask_pans`], for a value sent as an identifier: here a PAN may contain spaces, dots and
/// hyphens between its characters, which the parsers ignore. In prose that would also mask years
/// and sums.
///
/// ```
/// use panji_ids::mask_spaced_pans;
///
/// assert_eq!(mask_spaced_pans("/v1/verify/pan/AAPPV-1231 K"), "/v1/verify/pan/AAPPV-XXXX K");
/// assert_eq!(mask_spaced_pans("/v1/gst/27.AAPFU.09.39F1ZV"), "/v1/gst/27.AAPFU.XX.XXF1ZV");
/// assert_eq!(mask_spaced_pans("/v1/verify/pan/AAPPV1231K"), "/v1/verify/pan/AAPPVXXXXK");
/// ```
pub fn mask_spaced_pans(text: &str) -> Cow<'_, str> {
    let counts = |character: &char| !is_separator(*character);
    let together: String = text.chars().filter(counts).collect();
    let Cow::Owned(masked) = mask_pans(&together) else { return Cow::Borrowed(text) };
    // Masking replaces characters one by one, so the separators keep their positions.
    let mut masked = masked.chars();
    let spaced = text.chars().map(|character| match counts(&character) {
        true => masked.next().unwrap_or('X'),
        false => character,
    });
    Cow::Owned(spaced.collect())
}

/// Letters and the digits directly after them, with the surrounding text.
struct Run<'a> {
    digits_before: usize,
    letters_before: usize,
    letters: usize,
    digits: usize,
    after: &'a [u8],
}

impl Run<'_> {
    fn must_be_masked(&self) -> bool {
        if !self.after.first().is_some_and(u8::is_ascii_alphabetic) {
            return false;
        }
        match (self.letters, self.digits) {
            // A PAN. There may be letters before its five.
            (letters, 4) if self.letters_before + letters >= 5 => true,
            // A TAN, which is masked only inside a GSTIN: two digits before it, three characters
            // after it.
            (4, 5) => self.digits_before >= 2 && self.followed_by(4),
            // A GSTIN without PAN or TAN: year and country, then a serial and the family character.
            (3, 5) => self.digits_before >= 4 && self.followed_by(3) && self.is_family_character(),
            _ => false,
        }
    }

    fn followed_by(&self, count: usize) -> bool {
        self.after.get(..count).is_some_and(|after| after.iter().all(u8::is_ascii_alphanumeric))
    }

    fn is_family_character(&self) -> bool {
        [b"NR", b"OS", b"UN", b"ON"].iter().any(|mark| self.after[..2].eq_ignore_ascii_case(*mark))
    }
}

/// The end of the run of bytes from `start` on for which `within` is true.
fn run_end(bytes: &[u8], start: usize, within: impl Fn(&u8) -> bool) -> usize {
    bytes[start..]
        .iter()
        .position(|byte| !within(byte))
        .map_or(bytes.len(), |length| start + length)
}
