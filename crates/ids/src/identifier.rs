//! Recognizes the kind of an identifier by its form.

use core::fmt;

use crate::company_id::CompanyId;
use crate::din::Din;
use crate::error::{IdError, IdErrorKind};
use crate::gstin::Gstin;
use crate::pan::Pan;
use crate::shape::{Classified, digit_like, resembles};
use crate::text_traits::text_traits;

/// The kinds of identifier that can be recognized by their form.
///
/// ```
/// use panji_ids::IdentifierKind;
///
/// assert_eq!(IdentifierKind::from_name("gstin"), Some(IdentifierKind::Gstin));
/// assert_eq!(IdentifierKind::Gstin.name(), "gstin");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdentifierKind {
    /// A company: a CIN, an LLPIN or an FCRN.
    Cin,
    /// A director.
    Din,
    /// A goods and services tax registration.
    Gstin,
    /// A taxpayer.
    Pan,
}

impl IdentifierKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Cin, Self::Din, Self::Gstin, Self::Pan];

    /// The kind with this lower-case word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// A lower-case word for the kind.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cin => "cin",
            Self::Din => "din",
            Self::Gstin => "gstin",
            Self::Pan => "pan",
        }
    }
}

impl fmt::Display for IdentifierKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// An identifier of any kind.
///
/// ```
/// use panji_ids::{Identifier, IdentifierKind};
///
/// // The kind is recognized even if the value has a typing error ...
/// assert_eq!(Identifier::classify("AAPPV123OK"), Some(IdentifierKind::Pan));
/// assert_eq!(Identifier::classify("hello"), None);
///
/// // ... and parsing reports the error.
/// let error = Identifier::parse("AAPPV123OK").expect_err("a letter among the digits");
/// assert_eq!(error.position, Some(9));
///
/// assert_eq!(Identifier::parse("aaa0001")?.as_str(), "AAA-0001");
/// # Ok::<(), panji_ids::IdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identifier {
    /// A CIN, an LLPIN or an FCRN.
    Cin(CompanyId),
    /// A director's number.
    Din(Din),
    /// A goods and services tax registration.
    Gstin(Gstin),
    /// A taxpayer's number.
    Pan(Pan),
}

impl Identifier {
    /// The most likely kind of a value, by its length and the classes of its characters. A letter
    /// that looks like a digit, or the reverse, does not change the result.
    pub fn classify(text: &str) -> Option<IdentifierKind> {
        let trimmed = text.trim();
        let plain = Classified::read(trimmed, false);
        let joined = Classified::read(trimmed, true);
        match resembles(trimmed) {
            Some("a CIN" | "an LLPIN" | "an FCRN") => return Some(IdentifierKind::Cin),
            _ if plain.all_digits() && plain.count <= 8 => return Some(IdentifierKind::Din),
            _ => {}
        }
        let first_two_hint_at_digits = joined.bytes[..2].iter().any(|&byte| digit_like(byte));
        if plain.count == 21 && plain.bytes[0].is_ascii_uppercase() || joined.is_nearly_a_company()
        {
            Some(IdentifierKind::Cin)
        } else if (plain.count == 15 || joined.count == 15) && first_two_hint_at_digits {
            Some(IdentifierKind::Gstin)
        } else if joined.count == 10 && joined.begins_with_letters() && joined.has_a_digit() {
            Some(IdentifierKind::Pan)
        } else if plain.is_nearly_a_din() {
            Some(IdentifierKind::Din)
        } else {
            None
        }
    }

    /// Parses a value of any kind, recognized by its form.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        match Self::classify(text) {
            Some(kind) => Self::parse_as(kind, text),
            None if text.trim().is_empty() => Err(IdError::new(
                IdErrorKind::Empty,
                None,
                "an identifier is needed here, nothing was given",
            )),
            None => Err(IdError::new(
                IdErrorKind::Unrecognised,
                None,
                "this does not have the form of a CIN, LLPIN, FCRN, DIN, GSTIN or PAN",
            )),
        }
    }

    /// Parses a value of a given kind.
    pub fn parse_as(kind: IdentifierKind, text: &str) -> Result<Self, IdError> {
        match kind {
            IdentifierKind::Cin => CompanyId::parse(text).map(Self::Cin),
            IdentifierKind::Din => Din::parse(text).map(Self::Din),
            IdentifierKind::Gstin => Gstin::parse(text).map(Self::Gstin),
            IdentifierKind::Pan => Pan::parse(text).map(Self::Pan),
        }
    }

    /// The kind.
    pub const fn kind(&self) -> IdentifierKind {
        match self {
            Self::Cin(_) => IdentifierKind::Cin,
            Self::Din(_) => IdentifierKind::Din,
            Self::Gstin(_) => IdentifierKind::Gstin,
            Self::Pan(_) => IdentifierKind::Pan,
        }
    }

    /// The identifier in its canonical form.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Cin(id) => id.as_str(),
            Self::Din(din) => din.as_str(),
            Self::Gstin(gstin) => gstin.as_str(),
            Self::Pan(pan) => pan.as_str(),
        }
    }
}

text_traits!(Identifier, debug = derived);
