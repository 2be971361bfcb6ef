//! The identification number of a limited liability partnership: `AAA-0001`.

use alloc::format;

use crate::clean::{Format, Parser, ascii};
use crate::error::{IdError, IdErrorKind};

const FORMAT: Format = Format {
    noun: "an LLPIN",
    size: "8 characters (7 without its hyphen)",
    shortest: 7,
    longest: 8,
    separators: false,
    hyphen: Some(4),
};

const HYPHEN: usize = 3;

/// An LLP identification number: three letters, a hyphen and four digits. The hyphen may be
/// omitted.
///
/// ```
/// use panji_ids::Llpin;
///
/// assert_eq!(Llpin::parse("aaa0001")?.as_str(), "AAA-0001");
/// assert_eq!(Llpin::parse("AAA-0001")?, "AAA0001".parse()?);
/// # Ok::<(), panji_ids::IdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Llpin {
    bytes: [u8; 8],
}

impl Llpin {
    /// Parses an LLPIN, with or without its hyphen.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let parser = Parser::<8>::new(text, &FORMAT)?;
        parser.expect_pattern(0, "AAA")?;
        let mut bytes = parser.bytes;
        if parser.count == 8 {
            parser.expect_one_of(HYPHEN, b"-", "a hyphen")?;
            parser.expect_pattern(4, "9999")?;
        } else if bytes[HYPHEN] == b'-' {
            let message =
                format!("an LLPIN has 4 digits after its hyphen, this has {}", parser.count - 4);
            return Err(IdError::new(IdErrorKind::Length, None, message));
        } else {
            parser.expect_pattern(3, "9999")?;
            bytes.copy_within(3..7, 4);
            bytes[HYPHEN] = b'-';
        }
        Ok(Self { bytes })
    }

    /// The whole number, in upper case and with its hyphen.
    pub fn as_str(&self) -> &str {
        ascii(&self.bytes)
    }
}

crate::text_traits::text_traits!(Llpin);
