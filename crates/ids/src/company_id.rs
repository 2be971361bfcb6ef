//! The identifier of a company: a CIN, an LLPIN or an FCRN.

use alloc::format;
use core::fmt;

use crate::cin::Cin;
use crate::clean::upper;
use crate::error::{IdError, IdErrorKind};
use crate::fcrn::Fcrn;
use crate::llpin::Llpin;
use crate::shape::{digit_like, resembles};

/// The identifier of a company, of an LLP or of a foreign company. Ordered by kind, then by text.
///
/// The form of the text decides which of the three it is, so that an error refers to the right one.
///
/// ```
/// use panji_ids::{CompanyId, CompanyKind};
///
/// let foreign = CompanyId::parse("F00001")?;
/// assert_eq!(foreign.kind(), CompanyKind::ForeignCompany);
/// assert_eq!(foreign.cin(), None);
///
/// let error = CompanyId::parse("AAA-00O1").expect_err("a letter among the digits");
/// assert_eq!(error.to_string(), "character 7 must be a digit, found O: a zero was probably meant");
/// # Ok::<(), panji_ids::IdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompanyId {
    /// A company under the Companies Act.
    Cin(Cin),
    /// A limited liability partnership.
    Llpin(Llpin),
    /// A foreign company with a place of business in India.
    Fcrn(Fcrn),
}

impl CompanyId {
    /// Parses any of the three. The year of a CIN may be any from 1850 on.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        Self::parse_with(text, Cin::parse)
    }

    /// Parses any of the three; an error if the year of a CIN is later than the year after
    /// `this_year`.
    pub fn parse_in_year(text: &str, this_year: u16) -> Result<Self, IdError> {
        Self::parse_with(text, |text| Cin::parse_in_year(text, this_year))
    }

    fn parse_with(
        text: &str,
        parse_cin: impl Fn(&str) -> Result<Cin, IdError>,
    ) -> Result<Self, IdError> {
        match intended(text.trim()) {
            Intended::Cin => parse_cin(text).map(Self::Cin),
            Intended::Llpin => Llpin::parse(text).map(Self::Llpin),
            Intended::Fcrn => Fcrn::parse(text).map(Self::Fcrn),
            Intended::Unclear(count) => Err(IdError::new(
                IdErrorKind::Length,
                None,
                format!(
                    "a company is named by a CIN (21 characters), an LLPIN (like AAA-0000) or an FCRN \
                     (F and 5 or 6 digits), this has {count}"
                ),
            )),
        }
    }

    /// The identifier in its canonical form.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Cin(cin) => cin.as_str(),
            Self::Llpin(llpin) => llpin.as_str(),
            Self::Fcrn(fcrn) => fcrn.as_str(),
        }
    }

    /// The kind: a company, an LLP or a foreign company.
    pub const fn kind(&self) -> CompanyKind {
        match self {
            Self::Cin(_) => CompanyKind::Company,
            Self::Llpin(_) => CompanyKind::Llp,
            Self::Fcrn(_) => CompanyKind::ForeignCompany,
        }
    }

    /// The CIN, if it is one.
    pub const fn cin(&self) -> Option<&Cin> {
        match self {
            Self::Cin(cin) => Some(cin),
            _ => None,
        }
    }
}

impl From<Cin> for CompanyId {
    fn from(cin: Cin) -> Self {
        Self::Cin(cin)
    }
}

impl From<Llpin> for CompanyId {
    fn from(llpin: Llpin) -> Self {
        Self::Llpin(llpin)
    }
}

impl From<Fcrn> for CompanyId {
    fn from(fcrn: Fcrn) -> Self {
        Self::Fcrn(fcrn)
    }
}

crate::text_traits::text_traits!(CompanyId, debug = derived);

enum Intended {
    Cin,
    Llpin,
    Fcrn,
    /// None of the three, with this number of characters.
    Unclear(usize),
}

/// Distinguishes the three by their first letters and length, and tolerates typing errors in them.
fn intended(trimmed: &str) -> Intended {
    // The usual case first.
    if trimmed.len() == 21 {
        return Intended::Cin;
    }
    let mut first = [0; 3];
    let mut count = 0;
    for character in trimmed.chars() {
        if let Some(slot) = first.get_mut(count) {
            *slot = upper(character);
        }
        count += 1;
    }
    match resembles(trimmed) {
        Some("an LLPIN") => return Intended::Llpin,
        Some("an FCRN") => return Intended::Fcrn,
        // The CIN's parser reports that this looks like another identifier.
        Some(_) => return Intended::Cin,
        None => {}
    }
    match count {
        0 | 16.. => Intended::Cin,
        4..=9 if first[0] == b'F' && digit_like(first[1]) => Intended::Fcrn,
        6..=9 if first[0].is_ascii_uppercase() && !first[1].is_ascii_digit() => Intended::Llpin,
        _ => Intended::Unclear(count),
    }
}

/// The kind of entity that a [`CompanyId`] identifies.
///
/// ```
/// use panji_ids::CompanyKind;
///
/// assert_eq!(CompanyKind::Llp.name(), "llp");
/// assert_eq!(CompanyKind::ForeignCompany.to_string(), "foreign_company");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompanyKind {
    /// A company, identified by a CIN.
    Company,
    /// A limited liability partnership, identified by an LLPIN.
    Llp,
    /// A foreign company, identified by an FCRN.
    ForeignCompany,
}

impl CompanyKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Company, Self::Llp, Self::ForeignCompany];

    /// A `snake_case` word for the kind.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Company => "company",
            Self::Llp => "llp",
            Self::ForeignCompany => "foreign_company",
        }
    }
}

impl fmt::Display for CompanyKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
