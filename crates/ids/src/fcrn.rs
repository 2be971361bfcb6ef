//! The registration number of a foreign company with a place of business in India: `F00001`.

use crate::clean::{Format, Parser, ascii};
use crate::error::IdError;

const FORMAT: Format = Format {
    noun: "an FCRN",
    size: "6 or 7 characters",
    shortest: 6,
    longest: 7,
    separators: false,
    hyphen: None,
};

/// A foreign company registration number: `F` and five digits, or six in newer data.
///
/// ```
/// use panji_ids::Fcrn;
///
/// assert_eq!(Fcrn::parse("f00001")?.as_str(), "F00001");
/// assert_eq!(Fcrn::parse("F000001")?.as_str(), "F000001");
/// # Ok::<(), panji_ids::IdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fcrn {
    /// The shorter form ends in a zero byte, so that it sorts like its text.
    bytes: [u8; 7],
}

impl Fcrn {
    /// Parses an FCRN.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let parser = Parser::<7>::new(text, &FORMAT)?;
        parser.expect_one_of(0, b"F", "F")?;
        parser.expect_pattern(1, &"999999"[..parser.count - 1])?;
        Ok(Self { bytes: parser.bytes })
    }

    /// The whole number in upper case.
    pub fn as_str(&self) -> &str {
        let length = if self.bytes[6] == 0 { 6 } else { 7 };
        ascii(&self.bytes[..length])
    }
}

crate::text_traits::text_traits!(Fcrn);
