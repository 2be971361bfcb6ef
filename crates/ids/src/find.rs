//! Finds identifiers of companies anywhere in a text: with spaces, hyphens and look-alikes, in any
//! case.

use alloc::string::String;
use alloc::vec::Vec;

use crate::cin::Cin;
use crate::clean::look_alikes;
use crate::company_id::CompanyId;
use crate::fcrn::Fcrn;
use crate::llpin::Llpin;
use crate::states::cin_state;

/// The most identifiers in one text; further ones are ignored.
const MAX_FOUND: usize = 8;
/// The rest of a longer text is ignored.
const MAX_CHARACTERS: usize = 1_000;
/// The most letters for digits, or digits for letters, in one CIN.
const MAX_LOOK_ALIKES: usize = 6;
/// The most consecutive separators between two characters of a CIN.
const MAX_GAP: usize = 3;

/// `9` is a digit, `A` a letter.
const CIN: &[u8; 21] = b"A99999AA9999AAA999999";
const LLPIN: &[u8; 7] = b"AAA9999";

/// Words before an identifier that are not part of a name.
const LABELS: [&str; 9] = ["CIN", "LLPIN", "FCRN", "LLP", "NO", "NUMBER", "COMPANY", "OF", "THE"];

/// The CINs, LLPINs and FCRNs in a text, in order. Spaces, dots and hyphens within a CIN are
/// ignored, and a letter that looks like a digit, or the reverse, is corrected. An LLPIN or FCRN is
/// short, so within a name it must be written without separators.
///
/// ```
/// use panji_ids::find_company_ids;
///
/// let found = find_company_ids("CIN: u 12345 mh 2001 ptc OO0123, of Mumbai");
/// assert_eq!(found[0].as_str(), "U12345MH2001PTC000123");
/// assert!(find_company_ids("Kalpanik Mills Private Limited").is_empty());
/// ```
pub fn find_company_ids(text: &str) -> Vec<CompanyId> {
    let text = Text::read(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.letters.len() && found.len() < MAX_FOUND {
        match text.cin(at).or_else(|| text.short(at)) {
            Some((id, length)) => {
                found.push(id);
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// The letters and digits of a text.
struct Text {
    letters: Vec<u8>,
    /// The number of separators before each; larger than `MAX_GAP` after any other character.
    gaps: Vec<usize>,
    /// The indexes of those that directly follow a single hyphen.
    hyphens: Vec<usize>,
    /// Whether the text is only an identifier and its label.
    bare: bool,
}

impl Text {
    fn read(text: &str) -> Text {
        let mut read =
            Text { letters: Vec::new(), gaps: Vec::new(), hyphens: Vec::new(), bare: true };
        let mut gap = MAX_GAP + 1;
        let mut before = ' ';
        for character in text.chars().take(MAX_CHARACTERS) {
            match u8::try_from(character).ok().filter(u8::is_ascii_alphanumeric) {
                Some(byte) => {
                    if before == '-' && gap == 1 {
                        read.hyphens.push(read.letters.len());
                    }
                    read.letters.push(byte.to_ascii_uppercase());
                    read.gaps.push(core::mem::take(&mut gap));
                }
                None if matches!(character, ' ' | '.' | '-' | '/' | '_' | '\u{a0}') => gap += 1,
                None => gap = MAX_GAP + 1,
            }
            before = character;
        }
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        let label = |word: &str| LABELS.iter().any(|label| label.eq_ignore_ascii_case(word));
        read.bare = words.filter(|word| !label(word)).map(str::len).sum::<usize>() <= LLPIN.len();
        read
    }

    fn starts(&self, at: usize) -> bool {
        self.gaps[at] > 0
    }

    fn ends(&self, at: usize) -> bool {
        self.gaps.get(at).is_none_or(|gap| *gap > 0)
    }

    /// A CIN that begins here. The label may precede it without a space.
    fn cin(&self, at: usize) -> Option<(CompanyId, usize)> {
        let characters = self.letters.get(at..at + CIN.len())?;
        let has_label = at >= 3 && &self.letters[at - 3..at] == b"CIN";
        let is_connected = self.gaps[at + 1..at + CIN.len()].iter().all(|gap| *gap <= MAX_GAP);
        if !is_connected || !(self.starts(at) || has_label) || !self.ends(at + CIN.len()) {
            return None;
        }
        let (text, corrected) = correct_look_alikes(characters, CIN)?;
        let cin = Cin::parse(&text).ok()?;
        (corrected <= MAX_LOOK_ALIKES && cin_state(cin.state_code()).is_some())
            .then_some((CompanyId::Cin(cin), CIN.len()))
    }

    /// An LLPIN or FCRN that begins here.
    fn short(&self, at: usize) -> Option<(CompanyId, usize)> {
        if !self.starts(at) {
            return None;
        }
        let end = (at + 1..self.letters.len())
            .find(|next| self.gaps[*next] > 0 && !self.continues(at, *next))
            .unwrap_or(self.letters.len());
        let characters = &self.letters[at..end];
        if characters.iter().filter(|byte| byte.is_ascii_digit()).count() < 3 {
            return None;
        }
        let id = match correct_look_alikes(characters, LLPIN) {
            Some((text, _)) if characters[..3].iter().all(u8::is_ascii_uppercase) => {
                Llpin::parse(&text).ok().map(CompanyId::Llpin)
            }
            _ => core::str::from_utf8(characters)
                .ok()
                .and_then(|text| Fcrn::parse(text).ok())
                .map(CompanyId::Fcrn),
        };
        Some((id?, characters.len()))
    }

    /// Whether the gap before `at` is within an LLPIN or FCRN that began at `from`.
    fn continues(&self, from: usize, at: usize) -> bool {
        let head = at - from;
        let within = head == 3 || (head == 1 && self.letters[from] == b'F');
        within && (self.bare || self.hyphens.contains(&at))
    }
}

/// Corrects look-alikes, and returns their number; none if the characters do not match the pattern.
fn correct_look_alikes(characters: &[u8], pattern: &[u8]) -> Option<(String, usize)> {
    if characters.len() != pattern.len() {
        return None;
    }
    let mut corrected = 0;
    let mut text = String::with_capacity(characters.len());
    for (byte, slot) in characters.iter().zip(pattern) {
        let fits = |byte: u8| {
            if *slot == b'9' { byte.is_ascii_digit() } else { byte.is_ascii_uppercase() }
        };
        let right = if fits(*byte) {
            *byte
        } else {
            corrected += 1;
            look_alikes(*byte).iter().map(|(other, _)| *other).find(|other| fits(*other))?
        };
        text.push(char::from(right));
    }
    Some((text, corrected))
}
