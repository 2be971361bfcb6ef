//! What is wrong with a text that should have been an identifier.

use alloc::string::String;
use core::fmt;

/// The kind of fault found in a text.
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
    /// Nothing but white space was given.
    Empty,
    /// Too few or too many characters.
    Length,
    /// A character that cannot stand where it stands.
    Character,
    /// A year that no company can carry.
    Year,
    /// A state code that is not in the table.
    State,
    /// The check character does not fit the others.
    CheckDigit,
    /// Well-formed, but set aside and never given to anyone.
    Reserved,
    /// The text has the shape of another identifier.
    OtherIdentifier,
    /// The text has the shape of no identifier at all.
    Unrecognised,
}

impl IdErrorKind {
    /// A `snake_case` word for the kind, for use in machine-readable answers.
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

/// Why a text was refused, as one sentence a person can act on.
///
/// The sentence never repeats the text given, only single characters of it: it stays short however long the text was,
/// and may be logged although the text may be a PAN.
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
    /// The kind of fault.
    pub kind: IdErrorKind,
    /// The character at fault, counted from 1 in the text as given without the white space around it.
    pub position: Option<usize>,
    /// The sentence that `Display` shows.
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
