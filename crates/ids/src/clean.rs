//! Normalizes a text to upper-case characters, and reports which character is wrong.

use alloc::format;
use alloc::string::{String, ToString};

use crate::error::{IdError, IdErrorKind};
use crate::shape::resembles;

/// The name and the length of one kind of identifier.
pub(crate) struct Format {
    /// With its article: "a CIN".
    pub noun: &'static str,
    /// The end of the sentence "a CIN has ...".
    pub size: &'static str,
    /// The lowest number of characters.
    pub shortest: usize,
    /// The highest number of characters.
    pub longest: usize,
    /// Whether single spaces, dots and hyphens between characters are ignored.
    pub separators: bool,
    /// The position of the hyphen, counted from 1.
    pub hyphen: Option<usize>,
}

/// Represents a character outside ASCII in the buffer: no pattern accepts it.
const FOREIGN: u8 = 0xFF;

/// A text of valid length in upper case, with the original positions of its characters.
pub(crate) struct Parser<'a, const N: usize> {
    trimmed: &'a str,
    format: &'static Format,
    /// The characters in upper case; zeros after `count`.
    pub bytes: [u8; N],
    /// The number of characters, at most `N`.
    pub count: usize,
}

impl<'a, const N: usize> Parser<'a, N> {
    /// Trims and upper-cases `text`; an error if its length is wrong.
    pub fn new(text: &'a str, format: &'static Format) -> Result<Self, IdError> {
        let trimmed = text.trim();
        let mut bytes = [0; N];
        let mut count = 0;
        let given = trimmed.as_bytes();
        if given.len() <= N && given.iter().all(u8::is_ascii_alphanumeric) {
            // The usual case: every byte is a character of the identifier.
            bytes[..given.len()].copy_from_slice(given);
            bytes.make_ascii_uppercase();
            count = given.len();
        } else {
            for (_, character) in significant(trimmed, format.separators) {
                if let Some(slot) = bytes.get_mut(count) {
                    *slot = upper(character);
                }
                count += 1;
            }
        }
        if count < format.shortest || count > format.longest {
            return Err(wrong_length(trimmed, format, count));
        }
        Ok(Self { trimmed, format, bytes, count })
    }

    /// Checks the characters from `start` on against a pattern: `9` a digit, `A` a letter, `s` a
    /// letter or 1 to 9, `*` a letter or a digit.
    pub fn expect_pattern(&self, start: usize, pattern: &str) -> Result<(), IdError> {
        for (offset, slot) in pattern.bytes().enumerate() {
            let index = start + offset;
            if !fits(slot, self.bytes[index]) {
                return Err(self.character_error(index, slot_name(slot), |byte| fits(slot, byte)));
            }
        }
        Ok(())
    }

    /// Checks that one character is among `allowed`, which `wanted` describes in words.
    pub fn expect_one_of(&self, index: usize, allowed: &[u8], wanted: &str) -> Result<(), IdError> {
        if allowed.contains(&self.bytes[index]) {
            return Ok(());
        }
        Err(self.character_error(index, wanted, |byte| allowed.contains(&byte)))
    }

    /// The position in the trimmed text, counted from 1, of the character at `index`.
    pub fn position(&self, index: usize) -> usize {
        significant(self.trimmed, self.format.separators)
            .nth(index)
            .map_or(index + 1, |(position, _)| position)
    }

    /// An error about the character at `index`, with the caller's message.
    pub fn error_at(&self, kind: IdErrorKind, index: usize, message: String) -> IdError {
        IdError::new(kind, Some(self.position(index)), message)
    }

    fn character_error(&self, index: usize, wanted: &str, accepts: impl Fn(u8) -> bool) -> IdError {
        let position = self.position(index);
        let found = match self.bytes[index] {
            byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
            _ => describe(
                self.trimmed.chars().nth(position - 1).unwrap_or(char::REPLACEMENT_CHARACTER),
            ),
        };
        let hint = look_alikes(self.bytes[index])
            .iter()
            .find(|(byte, _)| accepts(*byte))
            .map_or(String::new(), |(_, name)| format!(": {name} was probably meant"));
        let fault = format!("character {position} must be {wanted}, found {found}{hint}");
        match resembles(self.trimmed) {
            Some(other) if other != self.format.noun => IdError::new(
                IdErrorKind::OtherIdentifier,
                Some(position),
                format!("{fault}; this looks like {other}, not {}", self.format.noun),
            ),
            _ => IdError::new(IdErrorKind::Character, Some(position), fault),
        }
    }
}

/// The characters of the identifier, each with its position from 1. With `separators`, a single
/// separator between two other characters is skipped; a doubled, leading or trailing one is
/// included, and then reported as wrong.
pub(crate) fn significant(trimmed: &str, separators: bool) -> impl Iterator<Item = (usize, char)> {
    let mut rest = trimmed.chars();
    let mut position = 0;
    let mut follows_a_character = false;
    core::iter::from_fn(move || {
        loop {
            let character = rest.next()?;
            position += 1;
            if !is_separator(character) {
                follows_a_character = true;
                return Some((position, character));
            }
            let precedes_a_character = rest.clone().next().is_some_and(|next| !is_separator(next));
            let skipped = separators && follows_a_character && precedes_a_character;
            follows_a_character = false;
            if !skipped {
                return Some((position, character));
            }
        }
    })
}

/// The text of a valid identifier.
pub(crate) fn ascii(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).expect("an identifier has only ASCII characters")
}

/// Whether a whole value matches a pattern in the notation of [`Parser::expect_pattern`].
pub(crate) fn matches_pattern(bytes: &[u8], pattern: &str) -> bool {
    bytes.len() == pattern.len() && pattern.bytes().zip(bytes).all(|(slot, &byte)| fits(slot, byte))
}

/// A character as stored in the buffer.
pub(crate) fn upper(character: char) -> u8 {
    u8::try_from(character)
        .ok()
        .filter(u8::is_ascii)
        .map_or(FOREIGN, |byte| byte.to_ascii_uppercase())
}

/// The characters that are easily confused with `byte`, by eye or by optical character recognition,
/// each with its name.
pub(crate) fn look_alikes(byte: u8) -> &'static [(u8, &'static str)] {
    match byte {
        b'O' => &[(b'0', "a zero")],
        b'I' | b'L' => &[(b'1', "a one")],
        b'Z' => &[(b'2', "a two")],
        b'S' => &[(b'5', "a five")],
        b'B' => &[(b'8', "an eight")],
        b'0' => &[(b'O', "the letter O")],
        b'1' => &[(b'I', "the letter I"), (b'L', "the letter L")],
        b'2' => &[(b'Z', "the letter Z")],
        b'5' => &[(b'S', "the letter S")],
        b'8' => &[(b'B', "the letter B")],
        _ => &[],
    }
}

/// The separators between groups of characters of an identifier.
pub(crate) fn is_separator(character: char) -> bool {
    matches!(character, ' ' | '.' | '-')
}

fn fits(slot: u8, byte: u8) -> bool {
    match slot {
        b'9' => byte.is_ascii_digit(),
        b'A' => byte.is_ascii_uppercase(),
        b's' => byte.is_ascii_uppercase() || matches!(byte, b'1'..=b'9'),
        b'*' => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        _ => unreachable!("a pattern has only the four slot letters"),
    }
}

fn slot_name(slot: u8) -> &'static str {
    match slot {
        b'9' => "a digit",
        b'A' => "a letter",
        b's' => "a letter or a digit from 1 to 9",
        _ => "a letter or a digit",
    }
}

/// A character in words that can be read in a log: an invisible character is given by its code
/// point.
fn describe(character: char) -> String {
    match character {
        ' ' => "a space".to_string(),
        _ if character.is_ascii_alphanumeric() => character.to_string(),
        _ if character.is_ascii_graphic() => format!("'{character}'"),
        _ => format!("U+{:04X}", u32::from(character)),
    }
}

/// The most helpful message about a text of the wrong length.
#[cold]
fn wrong_length(trimmed: &str, format: &Format, count: usize) -> IdError {
    let Format { noun, size, .. } = format;
    if count == 0 {
        return IdError::new(
            IdErrorKind::Empty,
            None,
            format!("{noun} is needed here, nothing was given"),
        );
    }
    let stray = |position: usize, character: char| {
        let found = describe(character);
        let message = format!("character {position} is {found}, which {noun} cannot contain");
        IdError::new(IdErrorKind::Character, Some(position), message)
    };
    // An invisible character, or one of another script, comes first: a reader could not guess it
    // from a count.
    if let Some((index, character)) = trimmed
        .chars()
        .enumerate()
        .find(|(_, character)| !character.is_ascii() || character.is_ascii_control())
    {
        return stray(index + 1, character);
    }
    if let Some(other) = resembles(trimmed).filter(|other| other != noun) {
        return IdError::new(
            IdErrorKind::OtherIdentifier,
            None,
            format!("looks like {other}, not {noun}"),
        );
    }
    // With the right number of letters and digits, the separators between them are wrong.
    let alphanumeric = trimmed.bytes().filter(u8::is_ascii_alphanumeric).count();
    if (format.shortest..=format.longest).contains(&alphanumeric)
        && let Some((position, character)) =
            significant(trimmed, format.separators).find(|&(position, character)| {
                let belongs = character == '-' && format.hyphen == Some(position);
                !belongs && !character.is_ascii_alphanumeric()
            })
    {
        return stray(position, character);
    }
    IdError::new(IdErrorKind::Length, None, format!("{noun} has {size}, this has {count}"))
}
