//! The permanent account number of a taxpayer, and the number of a tax deductor.

use alloc::format;
use alloc::string::String;
use core::fmt;

use crate::clean::{Format, Parser, ascii};
use crate::error::{IdError, IdErrorKind};

const PAN_FORMAT: Format = Format {
    noun: "a PAN",
    size: "10 characters",
    shortest: 10,
    longest: 10,
    separators: true,
    hyphen: None,
};

const TAN_FORMAT: Format = Format { noun: "a TAN", ..PAN_FORMAT };

const HOLDER_LETTERS: &[u8] = b"ABCFGHJKLPT";

/// A permanent account number: five letters, the fourth of them the kind of holder, four digits and
/// a letter.
///
/// The last letter is a check letter whose rule is not public, so a valid form does not prove that
/// a PAN exists. `Debug` prints the masked form.
///
/// ```
/// use panji_ids::{HolderType, Pan};
///
/// let pan: Pan = "aappv 1231 k".parse()?;
/// assert_eq!(pan.as_str(), "AAPPV1231K");
/// assert_eq!(pan.holder_type(), HolderType::Individual);
/// assert!(pan.is_personal());
/// assert_eq!(pan.masked(), "AAPPVXXXXK");
/// # Ok::<(), panji_ids::IdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pan {
    bytes: [u8; 10],
}

impl Pan {
    /// Parses a PAN. Single spaces, dots and hyphens between its characters are ignored.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let parser = Parser::<10>::new(text, &PAN_FORMAT)?;
        expect_pan(&parser, 0)?;
        Ok(Self { bytes: parser.bytes })
    }

    /// Takes characters checked by [`expect_pan`].
    pub(crate) fn from_checked(bytes: [u8; 10]) -> Self {
        Self { bytes }
    }

    /// The whole number in upper case.
    pub fn as_str(&self) -> &str {
        ascii(&self.bytes)
    }

    /// The kind of holder, from the fourth letter.
    pub fn holder_type(&self) -> HolderType {
        HolderType::from_letter(char::from(self.bytes[3]))
            .expect("the fourth letter was checked when this was parsed")
    }

    /// Whether the holder is a person or a family, so that the number is personal data.
    pub fn is_personal(&self) -> bool {
        matches!(self.holder_type(), HolderType::Individual | HolderType::HinduUndividedFamily)
    }

    /// The number with its digits replaced by `X`.
    pub fn masked(&self) -> String {
        mask_digits(&self.bytes)
    }
}

crate::text_traits::text_traits!(Pan, debug = masked);

/// A tax deduction account number: four letters, five digits and a letter.
///
/// ```
/// use panji_ids::Tan;
///
/// let tan: Tan = "aaaa00001a".parse()?;
/// assert_eq!(tan.as_str(), "AAAA00001A");
/// assert_eq!(tan.masked(), "AAAAXXXXXA");
/// # Ok::<(), panji_ids::IdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tan {
    bytes: [u8; 10],
}

impl Tan {
    /// Parses a TAN. Single spaces, dots and hyphens between its characters are ignored.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let parser = Parser::<10>::new(text, &TAN_FORMAT)?;
        expect_tan(&parser, 0)?;
        Ok(Self { bytes: parser.bytes })
    }

    /// Takes characters checked by [`expect_tan`].
    pub(crate) fn from_checked(bytes: [u8; 10]) -> Self {
        Self { bytes }
    }

    /// The whole number in upper case.
    pub fn as_str(&self) -> &str {
        ascii(&self.bytes)
    }

    /// The number with its digits replaced by `X`.
    pub fn masked(&self) -> String {
        mask_digits(&self.bytes)
    }
}

crate::text_traits::text_traits!(Tan, debug = masked);

/// Checks the ten characters of a PAN from `start` on, alone or inside a GSTIN.
pub(crate) fn expect_pan<const N: usize>(
    parser: &Parser<'_, N>,
    start: usize,
) -> Result<(), IdError> {
    parser.expect_pattern(start, "AAA")?;
    parser.expect_one_of(
        start + 3,
        HOLDER_LETTERS,
        "the letter of a holder type (A, B, C, F, G, H, J, K, L, P or T)",
    )?;
    parser.expect_pattern(start + 4, "A9999A")?;
    if parser.bytes[start + 5..start + 9] == *b"0000" {
        let first = parser.position(start + 5);
        let message =
            format!("the four digits from character {first} on cannot all be zero in a PAN");
        return Err(parser.error_at(IdErrorKind::Reserved, start + 5, message));
    }
    Ok(())
}

/// Checks the ten characters of a TAN from `start` on.
pub(crate) fn expect_tan<const N: usize>(
    parser: &Parser<'_, N>,
    start: usize,
) -> Result<(), IdError> {
    parser.expect_pattern(start, "AAAA99999A")
}

/// Replaces every digit by `X`.
pub(crate) fn mask_digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| if byte.is_ascii_digit() { 'X' } else { char::from(*byte) }).collect()
}

/// The kind of holder, from the fourth letter of a PAN.
///
/// ```
/// use panji_ids::HolderType;
///
/// let holder = HolderType::from_letter('F').expect("firms and LLPs");
/// assert_eq!(holder, HolderType::Firm);
/// assert_eq!((holder.letter(), holder.name()), ('F', "firm"));
/// assert_eq!(holder.text(), "Firm or limited liability partnership");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HolderType {
    /// `C`
    Company,
    /// `P`
    Individual,
    /// `H`
    HinduUndividedFamily,
    /// `F`, limited liability partnerships included.
    Firm,
    /// `A`
    AssociationOfPersons,
    /// `T`
    Trust,
    /// `B`
    BodyOfIndividuals,
    /// `L`
    LocalAuthority,
    /// `J`
    ArtificialJuridicalPerson,
    /// `G`
    Government,
    /// `K`
    KrishTrust,
}

impl HolderType {
    /// Every type.
    pub const ALL: [Self; 11] = [
        Self::Company,
        Self::Individual,
        Self::HinduUndividedFamily,
        Self::Firm,
        Self::AssociationOfPersons,
        Self::Trust,
        Self::BodyOfIndividuals,
        Self::LocalAuthority,
        Self::ArtificialJuridicalPerson,
        Self::Government,
        Self::KrishTrust,
    ];

    /// The type with this letter, in either case.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|holder| holder.letter() == letter.to_ascii_uppercase())
    }

    /// The letter in a PAN.
    pub const fn letter(self) -> char {
        match self {
            Self::Company => 'C',
            Self::Individual => 'P',
            Self::HinduUndividedFamily => 'H',
            Self::Firm => 'F',
            Self::AssociationOfPersons => 'A',
            Self::Trust => 'T',
            Self::BodyOfIndividuals => 'B',
            Self::LocalAuthority => 'L',
            Self::ArtificialJuridicalPerson => 'J',
            Self::Government => 'G',
            Self::KrishTrust => 'K',
        }
    }

    /// A `snake_case` word for the type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Company => "company",
            Self::Individual => "individual",
            Self::HinduUndividedFamily => "hindu_undivided_family",
            Self::Firm => "firm",
            Self::AssociationOfPersons => "association_of_persons",
            Self::Trust => "trust",
            Self::BodyOfIndividuals => "body_of_individuals",
            Self::LocalAuthority => "local_authority",
            Self::ArtificialJuridicalPerson => "artificial_juridical_person",
            Self::Government => "government",
            Self::KrishTrust => "krish_trust",
        }
    }

    /// A description of the type.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Company => "Company",
            Self::Individual => "Individual",
            Self::HinduUndividedFamily => "Hindu undivided family",
            Self::Firm => "Firm or limited liability partnership",
            Self::AssociationOfPersons => "Association of persons",
            Self::Trust => "Trust",
            Self::BodyOfIndividuals => "Body of individuals",
            Self::LocalAuthority => "Local authority",
            Self::ArtificialJuridicalPerson => "Artificial juridical person",
            Self::Government => "Government",
            Self::KrishTrust => "Krish (trust)",
        }
    }
}

impl fmt::Display for HolderType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
