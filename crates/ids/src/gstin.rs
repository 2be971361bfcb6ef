//! The goods and services tax identification number: `27AAPFU0939F1ZV`.

use alloc::format;
use alloc::string::String;
use core::fmt;

use crate::clean::{Format, Parser, ascii, matches_pattern};
use crate::error::{IdError, IdErrorKind};
use crate::pan::{Pan, Tan, expect_pan, expect_tan, mask_digits};
use crate::states::gst_state;

const FORMAT: Format = Format {
    noun: "a GSTIN",
    size: "15 characters",
    shortest: 15,
    longest: 15,
    separators: true,
    hyphen: None,
};

const ALPHABET: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The allowed fourteenth characters of a normal registration. `D` and `C` belong to other
/// families.
const NORMAL_FOURTEENTH: &[u8] = b"Z123456789ABEFGHIJ";

/// A goods and services tax identification number: state code, usually a PAN, a serial, a family
/// character and a check character. `Debug` prints the masked form.
///
/// ```
/// use panji_ids::{Gstin, GstinFamily, IdErrorKind};
///
/// let gstin: Gstin = "27-aapfu-0939f-1zv".parse()?;
/// assert_eq!(gstin.as_str(), "27AAPFU0939F1ZV");
/// assert_eq!((gstin.state_code(), gstin.state()), ("27", "Maharashtra"));
/// assert_eq!(gstin.family(), GstinFamily::Normal);
/// assert_eq!(gstin.pan().expect("normal registrations carry a PAN").as_str(), "AAPFU0939F");
/// assert_eq!(gstin.masked(), "27AAPFUXXXXF1ZV");
///
/// let wrong = Gstin::parse_format("27AAPFU0939F1ZO")?;
/// assert!(!wrong.check_digit_valid());
/// assert_eq!(wrong.expected_check_digit(), 'V');
/// assert_eq!(Gstin::parse("27AAPFU0939F1ZO").map_err(|error| error.kind), Err(IdErrorKind::CheckDigit));
/// # Ok::<(), panji_ids::IdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gstin {
    bytes: [u8; 15],
}

impl Gstin {
    /// Parses a GSTIN and checks everything: its form, its state code and its check character.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let (gstin, parser) = Self::read(text)?;
        if gstin.check_digit_valid() {
            return Ok(gstin);
        }
        let message = format!(
            "the check character is wrong: character {} must be {} to fit the others, found {}",
            parser.position(14),
            gstin.expected_check_digit(),
            char::from(gstin.bytes[14]),
        );
        Err(parser.error_at(IdErrorKind::CheckDigit, 14, message))
    }

    /// Parses a GSTIN and checks everything except the value of its check character.
    pub fn parse_format(text: &str) -> Result<Self, IdError> {
        Self::read(text).map(|(gstin, _)| gstin)
    }

    fn read(text: &str) -> Result<(Self, Parser<'_, 15>), IdError> {
        let parser = Parser::<15>::new(text, &FORMAT)?;
        parser.expect_pattern(0, "99")?;
        let state = ascii(&parser.bytes[..2]);
        if gst_state(state).is_none() {
            let message = format!("{state}, the first two characters, is not a GST state code");
            return Err(parser.error_at(IdErrorKind::State, 0, message));
        }
        match family_of(&parser.bytes) {
            GstinFamily::NonResident | GstinFamily::UnBodyOrEmbassy => {
                parser.expect_pattern(2, "99AAA99999AA*")?
            }
            GstinFamily::OnlineServices => {
                parser.expect_pattern(2, "99AAA99999AA*")?;
                if state != "99" {
                    let message = format!(
                        "a GSTIN for online services from abroad begins with 99, found {state}"
                    );
                    return Err(parser.error_at(IdErrorKind::State, 0, message));
                }
            }
            GstinFamily::TaxDeductor => {
                if contains_tan(&parser.bytes) {
                    expect_tan(&parser, 2)?;
                } else {
                    expect_pan(&parser, 2)?;
                }
                parser.expect_pattern(12, "s**")?;
            }
            GstinFamily::TaxCollector => {
                expect_pan(&parser, 2)?;
                parser.expect_pattern(12, "s**")?;
            }
            // This family is recognized by its whole form.
            GstinFamily::GovernmentDepartment => {}
            GstinFamily::Normal => {
                expect_pan(&parser, 2)?;
                parser.expect_pattern(12, "s")?;
                parser.expect_one_of(
                    13,
                    NORMAL_FOURTEENTH,
                    "Z or another mark of a registration type",
                )?;
                parser.expect_pattern(14, "*")?;
            }
        }
        let gstin = Self { bytes: parser.bytes };
        Ok((gstin, parser))
    }

    /// The check character of the first fourteen characters, in any case; `None` if they are not
    /// fourteen letters and digits. Nothing else about them is checked.
    ///
    /// ```
    /// use panji_ids::Gstin;
    ///
    /// assert_eq!(Gstin::check_digit_for("27AAPFU0939F1Z"), Some('V'));
    /// assert_eq!(Gstin::check_digit_for("27AAPFU0939F1"), None);
    /// ```
    pub fn check_digit_for(first_fourteen: &str) -> Option<char> {
        <&[u8; 14]>::try_from(first_fourteen.as_bytes()).ok().and_then(check_digit)
    }

    /// The whole number in upper case.
    pub fn as_str(&self) -> &str {
        ascii(&self.bytes)
    }

    /// Whether the check character is correct. Always true for a value from [`Gstin::parse`].
    pub fn check_digit_valid(&self) -> bool {
        self.expected_check_digit() == char::from(self.bytes[14])
    }

    /// The correct check character.
    pub fn expected_check_digit(&self) -> char {
        self.bytes
            .first_chunk::<14>()
            .and_then(check_digit)
            .expect("the first fourteen characters were checked when this was parsed")
    }

    /// The two digits of the state.
    pub fn state_code(&self) -> &str {
        ascii(&self.bytes[..2])
    }

    /// The state's name.
    pub fn state(&self) -> &'static str {
        gst_state(self.state_code()).expect("the state code was checked when this was parsed")
    }

    /// The family the registration belongs to.
    pub fn family(&self) -> GstinFamily {
        family_of(&self.bytes)
    }

    /// The PAN in the number; normal registrations, tax collectors and most tax deductors have one.
    pub fn pan(&self) -> Option<Pan> {
        let has_pan = match self.family() {
            GstinFamily::Normal | GstinFamily::TaxCollector => true,
            GstinFamily::TaxDeductor => !contains_tan(&self.bytes),
            _ => false,
        };
        has_pan.then(|| Pan::from_checked(self.middle()))
    }

    /// The TAN in the number; some tax deductors have one. The number of a government department
    /// has the same form there.
    ///
    /// ```
    /// use panji_ids::Gstin;
    ///
    /// let deductor = Gstin::parse("27MUMA12345B1D5")?;
    /// assert_eq!(deductor.tan().expect("it contains a TAN").as_str(), "MUMA12345B");
    /// assert_eq!(deductor.pan(), None);
    /// # Ok::<(), panji_ids::IdError>(())
    /// ```
    pub fn tan(&self) -> Option<Tan> {
        let has_tan = match self.family() {
            GstinFamily::TaxDeductor => contains_tan(&self.bytes),
            GstinFamily::GovernmentDepartment => true,
            _ => false,
        };
        has_tan.then(|| Tan::from_checked(self.middle()))
    }

    /// The number of this registration among those of the same holder in the same state: `1` to
    /// `9`, then `A` to `Z`. Families without a PAN or TAN have none.
    pub fn entity_number(&self) -> Option<char> {
        match self.family() {
            GstinFamily::NonResident
            | GstinFamily::OnlineServices
            | GstinFamily::UnBodyOrEmbassy => None,
            _ => Some(char::from(self.bytes[12])),
        }
    }

    /// The number with the digits of its PAN, TAN or serial replaced by `X`, like
    /// [`mask_pans`](crate::mask_pans) in a text.
    pub fn masked(&self) -> String {
        let mut masked = String::with_capacity(self.bytes.len());
        masked.push_str(ascii(&self.bytes[..4]));
        masked.push_str(&mask_digits(&self.bytes[4..12]));
        masked.push_str(ascii(&self.bytes[12..]));
        masked
    }

    /// Characters 3 to 12.
    fn middle(&self) -> [u8; 10] {
        let mut middle = [0; 10];
        middle.copy_from_slice(&self.bytes[2..12]);
        middle
    }
}

crate::text_traits::text_traits!(Gstin, debug = masked);

/// The check character for the first fourteen characters of a GSTIN, in any case; `None` if one of them is neither a
/// letter nor a digit.
///
/// Each character's value (0 to 35), doubled at even positions, adds the quotient and the remainder
/// of its division by 36 to a sum; the check character completes that sum to a multiple of 36.
///
/// ```
/// use panji_ids::gstin::check_digit;
///
/// assert_eq!(check_digit(b"27AAPFU0939F1Z"), Some('V'));
/// ```
pub fn check_digit(first_fourteen: &[u8; 14]) -> Option<char> {
    let mut sum = 0;
    for (index, byte) in first_fourteen.iter().enumerate() {
        let value = match byte.to_ascii_uppercase() {
            digit @ b'0'..=b'9' => usize::from(digit - b'0'),
            letter @ b'A'..=b'Z' => usize::from(letter - b'A') + 10,
            _ => return None,
        };
        let product = value * (1 + index % 2);
        sum += product / 36 + product % 36;
    }
    // The outer remainder is needed: without it a sum that is already a multiple of 36 would have
    // no character.
    Some(char::from(ALPHABET[(36 - sum % 36) % 36]))
}

/// The family, from its characteristic characters; a normal registration if there are none.
fn family_of(bytes: &[u8; 15]) -> GstinFamily {
    match (bytes[12], bytes[13]) {
        (b'N', b'R') => GstinFamily::NonResident,
        (b'O', b'S') => GstinFamily::OnlineServices,
        (b'U' | b'O', b'N') => GstinFamily::UnBodyOrEmbassy,
        (_, b'D') => GstinFamily::TaxDeductor,
        (_, b'C') => GstinFamily::TaxCollector,
        (_, b'Z') if matches_pattern(bytes, "99AAAA99999A9A9") => GstinFamily::GovernmentDepartment,
        _ => GstinFamily::Normal,
    }
}

/// The fifth character of the middle part is a letter in a PAN and a digit in a TAN.
fn contains_tan(bytes: &[u8; 15]) -> bool {
    bytes[6].is_ascii_digit()
}

/// The families of GSTIN, distinguished mostly by the thirteenth and fourteenth characters.
///
/// ```
/// use panji_ids::{Gstin, GstinFamily};
///
/// let family = Gstin::parse("27ABCFE1234F1C7")?.family();
/// assert_eq!(family, GstinFamily::TaxCollector);
/// assert_eq!(family.name(), "tax_collector");
/// # Ok::<(), panji_ids::IdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GstinFamily {
    /// An ordinary registration, with a PAN.
    Normal,
    /// A deductor of tax at source; contains a PAN or a TAN.
    TaxDeductor,
    /// A collector of tax at source, an e-commerce operator; contains a PAN.
    TaxCollector,
    /// A non-resident taxable person.
    NonResident,
    /// A provider of online services from abroad.
    OnlineServices,
    /// A body of the United Nations or an embassy.
    UnBodyOrEmbassy,
    /// A government department.
    GovernmentDepartment,
}

impl GstinFamily {
    /// Every family.
    pub const ALL: [Self; 7] = [
        Self::Normal,
        Self::TaxDeductor,
        Self::TaxCollector,
        Self::NonResident,
        Self::OnlineServices,
        Self::UnBodyOrEmbassy,
        Self::GovernmentDepartment,
    ];

    /// A `snake_case` word for the family.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::TaxDeductor => "tax_deductor",
            Self::TaxCollector => "tax_collector",
            Self::NonResident => "non_resident",
            Self::OnlineServices => "online_services",
            Self::UnBodyOrEmbassy => "un_body_or_embassy",
            Self::GovernmentDepartment => "government_department",
        }
    }
}

impl fmt::Display for GstinFamily {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
