//! Finds the identifiers of companies anywhere in a text: spaced, hyphened, in any case, with look-alikes.

use alloc::string::String;
use alloc::vec::Vec;

use crate::cin::Cin;
use crate::clean::look_alikes;
use crate::company_id::CompanyId;
use crate::fcrn::Fcrn;
use crate::llpin::Llpin;
use crate::states::cin_state;

/// Identifiers that are found in one text; what follows is passed over.
const MAX_FOUND: usize = 8;
/// Characters of a text that are looked at.
const MAX_CHARACTERS: usize = 1_000;
/// A digit in the place of a letter, or the reverse, that a CIN may have.
const MAX_LOOK_ALIKES: usize = 6;
/// Separators in a row between two characters of a CIN.
const MAX_GAP: usize = 3;

/// `9` a digit, `A` a letter.
const CIN: &[u8; 21] = b"A99999AA9999AAA999999";
const LLPIN: &[u8; 7] = b"AAA9999";

/// Words that stand before an identifier without making a name of the text.
const LABELS: [&str; 9] = ["CIN", "LLPIN", "FCRN", "LLP", "NO", "NUMBER", "COMPANY", "OF", "THE"];

/// The CINs, LLPINs and FCRNs in a text, in their order. Spaces, dots and hyphens within a CIN are passed
/// over, and a letter that looks like a digit, or the reverse, is taken for what belongs there. An LLPIN or
/// FCRN is short, so that in a name it must be written in one piece.
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
    /// How many other characters stand before each; at a foreign letter, more than a gap may have.
    gaps: Vec<usize>,
    /// Which of them have a hyphen before them, and nothing else.
    hyphens: Vec<usize>,
    /// Nothing but an identifier and its label.
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

    /// A CIN that begins here. A label may be glued to it.
    fn cin(&self, at: usize) -> Option<(CompanyId, usize)> {
        let given = self.letters.get(at..at + CIN.len())?;
        let glued = at >= 3 && &self.letters[at - 3..at] == b"CIN";
        let in_one = self.gaps[at + 1..at + CIN.len()].iter().all(|gap| *gap <= MAX_GAP);
        if !in_one || !(self.starts(at) || glued) || !self.ends(at + CIN.len()) {
            return None;
        }
        let (text, mended) = mend(given, CIN)?;
        let cin = Cin::parse(&text).ok()?;
        (mended <= MAX_LOOK_ALIKES && cin_state(cin.state_code()).is_some())
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
        let given = &self.letters[at..end];
        if given.iter().filter(|byte| byte.is_ascii_digit()).count() < 3 {
            return None;
        }
        let id = match mend(given, LLPIN) {
            Some((text, _)) if given[..3].iter().all(u8::is_ascii_uppercase) => {
                Llpin::parse(&text).ok().map(CompanyId::Llpin)
            }
            _ => core::str::from_utf8(given)
                .ok()
                .and_then(|text| Fcrn::parse(text).ok())
                .map(CompanyId::Fcrn),
        };
        Some((id?, given.len()))
    }

    /// Whether the gap before a character is within an LLPIN or FCRN that began at `from`.
    fn continues(&self, from: usize, at: usize) -> bool {
        let head = at - from;
        let within = head == 3 || (head == 1 && self.letters[from] == b'F');
        within && (self.bare || self.hyphens.contains(&at))
    }
}

/// The characters with look-alikes put right, and how many there were; none where they do not fit.
fn mend(given: &[u8], pattern: &[u8]) -> Option<(String, usize)> {
    if given.len() != pattern.len() {
        return None;
    }
    let mut mended = 0;
    let mut text = String::with_capacity(given.len());
    for (byte, slot) in given.iter().zip(pattern) {
        let fits = |byte: u8| {
            if *slot == b'9' { byte.is_ascii_digit() } else { byte.is_ascii_uppercase() }
        };
        let right = if fits(*byte) {
            *byte
        } else {
            mended += 1;
            look_alikes(*byte).iter().map(|(other, _)| *other).find(|other| fits(*other))?
        };
        text.push(char::from(right));
    }
    Some((text, mended))
}
