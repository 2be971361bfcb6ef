//! The legal entity identifier (ISO 17442), which GLEIF publishes.

use alloc::format;
use alloc::string::String;

use crate::clean::{Format, Parser, ascii, is_separator};
use crate::error::{IdError, IdErrorKind};

const FORMAT: Format = Format {
    noun: "an LEI",
    size: "20 characters",
    shortest: LENGTH,
    longest: LENGTH,
    separators: true,
    hyphen: None,
};

const LENGTH: usize = 20;
/// The characters before the check digits.
const BODY: usize = 18;
/// The modulus of ISO 7064 MOD 97-10.
const MODULUS: u32 = 97;
/// Characters of a text in which an LEI is looked for.
const MAX_CHARACTERS: usize = 1_000;

/// A legal entity identifier: 18 letters and digits, and two check digits by ISO 7064 MOD 97-10.
/// Single spaces, dots and hyphens between the characters are ignored.
///
/// ```
/// use panji_ids::{IdErrorKind, Lei};
///
/// let lei = Lei::parse("5067 00ge 1g29 325q x363")?;
/// assert_eq!(lei.as_str(), "506700GE1G29325QX363");
///
/// let wrong = Lei::parse("506700GE1G29325QX364").expect_err("a wrong check digit");
/// assert_eq!(wrong.kind, IdErrorKind::CheckDigit);
/// assert_eq!(wrong.to_string(), "the check digits must be 63, found 64");
/// # Ok::<(), panji_ids::IdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lei {
    bytes: [u8; LENGTH],
}

impl Lei {
    /// Parses an LEI and checks its check digits.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let parser = Parser::<LENGTH>::new(text, &FORMAT)?;
        parser.expect_pattern(0, "******************99")?;
        let bytes = parser.bytes;
        if remainder(&bytes) == 1 {
            return Ok(Self { bytes });
        }
        let (body, found) = bytes.split_at(BODY);
        let message =
            format!("the check digits must be {}, found {}", check_digits(body), ascii(found));
        Err(parser.error_at(IdErrorKind::CheckDigit, BODY, message))
    }

    /// The check digits of the first 18 characters; none if these are not letters and digits.
    ///
    /// ```
    /// use panji_ids::Lei;
    ///
    /// assert_eq!(Lei::check_digits_for("506700GE1G29325QX3").as_deref(), Some("63"));
    /// assert_eq!(Lei::check_digits_for("506700GE"), None);
    /// ```
    pub fn check_digits_for(body: &str) -> Option<String> {
        let upper = body.to_ascii_uppercase();
        let is_body = upper.len() == BODY && upper.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_body.then(|| check_digits(upper.as_bytes()))
    }

    /// Whether a text has the form of an LEI, whatever its check digits, and not that of a CIN
    /// without one of its characters.
    ///
    /// ```
    /// use panji_ids::Lei;
    ///
    /// assert!(Lei::resembles("506700GE1G29325QX364"));
    /// assert!(!Lei::resembles("U12345KA2015PTC00012"));
    /// ```
    pub fn resembles(text: &str) -> bool {
        let mut compact = [0; LENGTH];
        let mut length = 0;
        for character in kept_characters(text) {
            match (compact.get_mut(length), u8::try_from(character)) {
                (Some(place), Ok(byte)) if byte.is_ascii_alphanumeric() => {
                    *place = byte.to_ascii_uppercase();
                }
                _ => return false,
            }
            length += 1;
        }
        let digits = |range: core::ops::Range<usize>| compact[range].iter().all(u8::is_ascii_digit);
        length == LENGTH
            && digits(BODY..LENGTH)
            && !(matches!(compact[0], b'L' | b'U') && digits(1..6))
    }

    /// The LEI that a text names: alone, spaced, after the word `LEI`, or as one word among others.
    ///
    /// ```
    /// use panji_ids::Lei;
    ///
    /// let lei = Lei::parse("506700GE1G29325QX363")?;
    /// for text in ["LEI: 5067-00GE-1G29-325Q-X363", "GLEIF (506700ge1g29325qx363)"] {
    ///     assert_eq!(Lei::find(text), Some(lei));
    /// }
    /// assert_eq!(Lei::find("Kalpanik Industries"), None);
    /// # Ok::<(), panji_ids::IdError>(())
    /// ```
    pub fn find(text: &str) -> Option<Self> {
        let upper: String =
            text.chars().take(MAX_CHARACTERS).map(|c| c.to_ascii_uppercase()).collect();
        let whole = compact(&upper).replace(':', "");
        let labeled = whole.strip_prefix("LEI").and_then(|rest| Self::parse(rest).ok());
        let mut words = upper.split(|character: char| !character.is_ascii_alphanumeric());
        Self::parse(&whole)
            .ok()
            .or(labeled)
            .or_else(|| words.find_map(|word| Self::parse(word).ok()))
    }

    /// The whole identifier, in upper case.
    pub fn as_str(&self) -> &str {
        ascii(&self.bytes)
    }
}

crate::text_traits::text_traits!(Lei);

fn compact(text: &str) -> String {
    kept_characters(text).map(|c| c.to_ascii_uppercase()).collect()
}

/// The characters that are not separators.
fn kept_characters(text: &str) -> impl Iterator<Item = char> {
    text.trim().chars().take(MAX_CHARACTERS).filter(|c| !is_separator(*c))
}

fn check_digits(body: &[u8]) -> String {
    let with_zeros = remainder(body) * 100 % MODULUS;
    format!("{:02}", MODULUS + 1 - with_zeros)
}

/// The remainder of the number that the characters are encoded as, a letter as two digits: A is 10, Z is 35.
fn remainder(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |remainder, byte| match byte {
        b'0'..=b'9' => (remainder * 10 + u32::from(byte - b'0')) % MODULUS,
        letter => (remainder * 100 + u32::from(letter - b'A') + 10) % MODULUS,
    })
}
