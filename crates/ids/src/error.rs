//! Errors in a text that should be an identifier.

use alloc::string::String;
use core::fmt;

/// The kind of error in a text.
///
/// ```
/// use panji_ids::{Din, IdErrorKind};
///
/// let error = Din::parse("123456789").expect_err("nine digits are too many");
/// assert_eq!(error.kind, IdErrorKind::Length);
/// assert_eq!(error.kind.name(), "length");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum IdErrorKind {
    /// The text is empty or white space.
    Empty,
    /// Too few or too many characters.
    Length,
    /// A character that is not allowed at its position.
    Character,
    /// A year that is not possible for a company.
    Year,
    /// A state code that is not in the table.
    State,
    /// The check character does not match the other characters.
    CheckDigit,
    /// Well-formed, but reserved and never issued.
    Reserved,
    /// The text has the form of another identifier.
    OtherIdentifier,
    /// The text has the form of no identifier.
    Unrecognised,
}

impl IdErrorKind {
    /// A `snake_case` word for the kind, for use in machine-readable responses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Length => "length",
            Self::Character => "character",
            Self::Year => "year",
            Self::State => "state",
            Self::CheckDigit => "check_digit",
            Self::Reserved => "reserved",
            Self::OtherIdentifier => "other_identifier",
            Self::Unrecognised => "unrecognised",
        }
    }
}

impl fmt::Display for IdErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// Why a text was rejected, as one sentence that helps to correct it.
///
/// The sentence never repeats the text, only single characters of it: it stays short for a text of
/// any length, and may be logged even if the text is a PAN.
///
/// ```
/// use panji_ids::{Cin, IdErrorKind};
///
/// let error = Cin::parse("U1234.KA2015PTC000123").expect_err("a dot is not a digit");
/// assert_eq!(error.kind, IdErrorKind::Character);
/// assert_eq!(error.position, Some(6));
/// assert_eq!(error.to_string(), "character 6 must be a digit, found '.'");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdError {
    /// The kind of error.
    pub kind: IdErrorKind,
    /// The wrong character, counted from 1 in the text without the white space around it.
    pub position: Option<usize>,
    /// The sentence that `Display` prints.
    pub message: String,
}

impl IdError {
    pub(crate) fn new(
        kind: IdErrorKind,
        position: Option<usize>,
        message: impl Into<String>,
    ) -> Self {
        Self { kind, position, message: message.into() }
    }
}

impl fmt::Display for IdError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.message)
    }
}

impl core::error::Error for IdError {}
