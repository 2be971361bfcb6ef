//! The identification number of a director: `00000123`.

use crate::clean::{Format, Parser, ascii};
use crate::error::{IdError, IdErrorKind};

const FORMAT: Format = Format {
    noun: "a DIN",
    size: "at most 8 digits",
    shortest: 1,
    longest: 8,
    separators: false,
    hyphen: None,
};

/// A director identification number: eight digits, assigned to a person for life.
///
/// Spreadsheets drop leading zeros, so fewer digits are accepted and padded on the left.
///
/// ```
/// use panji_ids::Din;
///
/// let din = Din::parse("123")?;
/// assert_eq!(din.as_str(), "00000123");
/// assert_eq!(din.number(), 123);
/// assert!(Din::parse("00000000").is_err());
/// # Ok::<(), panji_ids::IdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Din {
    bytes: [u8; 8],
}

impl Din {
    /// Parses a DIN of one to eight digits.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let parser = Parser::<8>::new(text, &FORMAT)?;
        let count = parser.count;
        parser.expect_pattern(0, &"99999999"[..count])?;
        let mut bytes = [b'0'; 8];
        bytes[8 - count..].copy_from_slice(&parser.bytes[..count]);
        if bytes == [b'0'; 8] {
            return Err(IdError::new(
                IdErrorKind::Reserved,
                None,
                "a DIN of only zeros is never issued",
            ));
        }
        Ok(Self { bytes })
    }

    /// The eight digits.
    pub fn as_str(&self) -> &str {
        ascii(&self.bytes)
    }

    /// The number without its leading zeros.
    pub fn number(&self) -> u32 {
        self.bytes.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
    }
}

crate::text_traits::text_traits!(Din);
