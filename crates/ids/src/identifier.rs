//! Tells from the shape of a value which identifier it is.

use core::fmt;

use crate::clean::{look_alikes, matches_pattern, significant, upper};
use crate::company_id::CompanyId;
use crate::din::Din;
use crate::error::{IdError, IdErrorKind};
use crate::gstin::Gstin;
use crate::pan::Pan;

/// The kinds of identifier that a value's shape can tell.
///
/// ```
/// use panji_ids::IdentifierKind;
///
/// assert_eq!(IdentifierKind::from_name("gstin"), Some(IdentifierKind::Gstin));
/// assert_eq!(IdentifierKind::Gstin.name(), "gstin");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdentifierKind {
    /// What names a company: a CIN, an LLPIN or an FCRN.
    Cin,
    /// What names a director.
    Din,
    /// What names a goods and services tax registration.
    Gstin,
    /// What names a taxpayer.
    Pan,
}

impl IdentifierKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Cin, Self::Din, Self::Gstin, Self::Pan];

    /// The kind of that lower-case word.
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
/// // What a value means to be is told even when it has a typing error ...
/// assert_eq!(Identifier::classify("AAPPV123OK"), Some(IdentifierKind::Pan));
/// assert_eq!(Identifier::classify("hello"), None);
///
/// // ... and parsing then says what the error is.
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
    /// The kind that a value most likely is, by its length and the classes of its characters. A letter that looks like a
    /// digit, or the reverse, does not hide the kind.
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

    /// Reads a value of whichever kind its shape tells.
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
                "this has the shape of no CIN, LLPIN, FCRN, DIN, GSTIN or PAN",
            )),
        }
    }

    /// Reads a value that is said to be of one kind.
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

/// The longest identifier is a CIN.
const LONGEST: usize = 21;

/// The characters of a value of any length, as far as its shape needs them.
struct Classified {
    bytes: [u8; LONGEST],
    count: usize,
}

impl Classified {
    fn read(trimmed: &str, separators: bool) -> Self {
        let mut bytes = [0; LONGEST];
        let mut count = 0;
        // One more than the longest already tells that it is none of them.
        for (_, character) in significant(trimmed, separators).take(LONGEST + 1) {
            if let Some(slot) = bytes.get_mut(count) {
                *slot = upper(character);
            }
            count += 1;
        }
        Self { bytes, count }
    }

    fn given(&self) -> &[u8] {
        &self.bytes[..self.count.min(LONGEST)]
    }

    fn all_digits(&self) -> bool {
        self.count > 0 && self.given().iter().all(u8::is_ascii_digit)
    }

    fn is_nearly_a_company(&self) -> bool {
        let given = self.given();
        match self.count {
            6 | 7 if given[0] == b'F' && given[1..].iter().all(|&byte| digit_like(byte)) => true,
            7 => {
                let (letters, digits) = given.split_at(3);
                letters.iter().all(|&byte| letter_like(byte))
                    && letters.iter().any(u8::is_ascii_uppercase)
                    && digits.iter().all(|&byte| digit_like(byte))
                    && digits.iter().any(u8::is_ascii_digit)
            }
            _ => false,
        }
    }

    /// Ten letters are a word, not a PAN.
    fn has_a_digit(&self) -> bool {
        self.bytes[..self.count].iter().any(u8::is_ascii_digit)
    }

    fn begins_with_letters(&self) -> bool {
        let first = &self.bytes[..3];
        let letters = first.iter().filter(|byte| byte.is_ascii_uppercase()).count();
        letters >= 2
            && first.iter().all(|&byte| letter_like(byte))
            && self.given().iter().all(u8::is_ascii_alphanumeric)
    }

    fn is_nearly_a_din(&self) -> bool {
        let digits = self.given().iter().filter(|byte| byte.is_ascii_digit()).count();
        self.count == 8 && digits > 4 && self.given().iter().all(|&byte| digit_like(byte))
    }
}

/// The identifier, with its article, whose shape a text has exactly; separators are passed over.
pub(crate) fn resembles(trimmed: &str) -> Option<&'static str> {
    const SHAPES: [(&str, &str); 10] = [
        ("A99999AA9999AAA999999", "a CIN"),
        ("99AAAAA9999As**", "a GSTIN"),
        ("99AAAA99999As**", "a GSTIN"),
        ("9999AAA99999AA*", "a GSTIN"),
        ("AAAAA9999A", "a PAN"),
        ("AAAA99999A", "a TAN"),
        ("99999999", "a DIN"),
        ("AAA9999", "an LLPIN"),
        ("A999999", "an FCRN"),
        ("A99999", "an FCRN"),
    ];
    let value = Classified::read(trimmed, true);
    if value.count > LONGEST {
        return None;
    }
    let given = value.given();
    let (_, noun) = SHAPES.iter().find(|(shape, _)| matches_pattern(given, shape))?;
    match (*noun, given[0]) {
        ("an FCRN", first) if first != b'F' => None,
        ("a CIN", first) if first != b'L' && first != b'U' => None,
        _ => Some(noun),
    }
}

/// A digit, or a letter easily mistaken for one.
pub(crate) fn digit_like(byte: u8) -> bool {
    byte.is_ascii_digit() || look_alikes(byte).iter().any(|(other, _)| other.is_ascii_digit())
}

fn letter_like(byte: u8) -> bool {
    byte.is_ascii_uppercase()
        || look_alikes(byte).iter().any(|(other, _)| other.is_ascii_uppercase())
}

/// Gives an identifier the traits of a text: `Display`, `FromStr`, `TryFrom<&str>`, `AsRef<str>` and `Debug`.
macro_rules! text_traits {
    ($type:ident) => {
        crate::identifier::text_traits!($type, debug = as_str);
    };
    ($type:ident, debug = derived) => {
        impl core::fmt::Display for $type {
            fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl core::str::FromStr for $type {
            type Err = crate::error::IdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }

        impl TryFrom<&str> for $type {
            type Error = crate::error::IdError;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                Self::parse(text)
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }
    };
    ($type:ident, debug = $shown:ident) => {
        crate::identifier::text_traits!($type, debug = derived);

        impl core::fmt::Debug for $type {
            fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                formatter.debug_tuple(stringify!($type)).field(&self.$shown()).finish()
            }
        }
    };
}
pub(crate) use text_traits;
