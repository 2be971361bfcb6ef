//! The corporate identification number of a company: `L12345MH1973PLC000001`.

use alloc::format;
use core::fmt;

use crate::clean::{Format, Parser, ascii};
use crate::error::{IdError, IdErrorKind};
use crate::states::cin_state;

const FORMAT: Format = Format {
    noun: "a CIN",
    size: "21 characters",
    shortest: 21,
    longest: 21,
    separators: false,
    hyphen: None,
};

/// The value that the Reserve Bank allows an LLP to write in forms that require a CIN. All LLPs
/// share it.
const RESERVE_BANK_DUMMY: &[u8; 21] = b"A99999AA9999LLP999999";

const EARLIEST_YEAR: u16 = 1850;
const LATEST_YEAR: u16 = 9999;

/// A corporate identification number: listing letter, industry, state, year, class and registration
/// number.
///
/// A CIN changes when one of its parts changes, so it is not a permanent identity of a company. It
/// has no check digit.
///
/// ```
/// use panji_ids::{Cin, CinClass};
///
/// let cin: Cin = "u12345pn2015ptc000123".parse()?;
/// assert_eq!(cin.as_str(), "U12345PN2015PTC000123");
/// assert!(!cin.listed());
/// assert_eq!(cin.nic_code(), "12345");
/// assert_eq!((cin.state_code(), cin.state()), ("PN", Some("Maharashtra")));
/// assert_eq!(cin.year(), 2015);
/// assert_eq!(cin.class(), Some(CinClass::Private));
/// assert_eq!(cin.registration_number(), "000123");
/// # Ok::<(), panji_ids::IdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cin {
    bytes: [u8; 21],
}

impl Cin {
    /// Parses a CIN of any year from 1850 on.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        Self::parse_up_to(text, LATEST_YEAR)
    }

    /// Parses a CIN whose year is at most the year after `this_year`.
    ///
    /// ```
    /// use panji_ids::Cin;
    ///
    /// assert!(Cin::parse_in_year("U12345KA2026PTC000123", 2025).is_ok());
    /// assert!(Cin::parse_in_year("U12345KA2027PTC000123", 2025).is_err());
    /// ```
    pub fn parse_in_year(text: &str, this_year: u16) -> Result<Self, IdError> {
        Self::parse_up_to(text, this_year.saturating_add(1))
    }

    fn parse_up_to(text: &str, latest_year: u16) -> Result<Self, IdError> {
        let parser = Parser::<21>::new(text, &FORMAT)?;
        if parser.bytes == *RESERVE_BANK_DUMMY {
            return Err(IdError::new(
                IdErrorKind::Reserved,
                None,
                "this is the RBI's dummy CIN that any LLP may write in its forms, it names no company",
            ));
        }
        parser.expect_one_of(0, b"LU", "L or U")?;
        parser.expect_pattern(1, "99999AA9999AAA999999")?;
        let cin = Self { bytes: parser.bytes };
        let year = cin.year();
        let fault = if year < EARLIEST_YEAR {
            format!("it cannot be earlier than {EARLIEST_YEAR}")
        } else if year > latest_year {
            format!("it cannot be later than {latest_year}")
        } else {
            return Ok(cin);
        };
        let message = format!("characters 9 to 12 give the year as {year:04}, {fault}");
        Err(parser.error_at(IdErrorKind::Year, 8, message))
    }

    /// The whole number in upper case.
    pub fn as_str(&self) -> &str {
        ascii(&self.bytes)
    }

    /// Whether the company was listed (`L`) when the number was issued. Its current listing may
    /// differ.
    pub fn listed(&self) -> bool {
        self.bytes[0] == b'L'
    }

    /// The five digits of the industry when the number was issued: NIC-2004 or NIC-2008; the number
    /// does not show which.
    pub fn nic_code(&self) -> &str {
        ascii(&self.bytes[1..6])
    }

    /// The two letters of the state, or of the registrar's city (`PN`, `TZ`).
    pub fn state_code(&self) -> &str {
        ascii(&self.bytes[6..8])
    }

    /// The state's name; `None` if the letters are unknown.
    pub fn state(&self) -> Option<&'static str> {
        cin_state(self.state_code())
    }

    /// The year of registration in the number.
    pub fn year(&self) -> u16 {
        self.bytes[8..12].iter().fold(0, |year, digit| year * 10 + u16::from(digit - b'0'))
    }

    /// The three letters of the class.
    pub fn class_code(&self) -> &str {
        ascii(&self.bytes[12..15])
    }

    /// The class; `None` if the letters are unknown.
    pub fn class(&self) -> Option<CinClass> {
        CinClass::from_code(self.class_code())
    }

    /// The six digits assigned by the registrar.
    pub fn registration_number(&self) -> &str {
        ascii(&self.bytes[15..])
    }
}

crate::text_traits::text_traits!(Cin);

/// The class of company, from three letters of a CIN.
///
/// ```
/// use panji_ids::CinClass;
///
/// let class = CinClass::from_code("OPC").expect("a class in use since 2013");
/// assert_eq!(class, CinClass::OnePerson);
/// assert_eq!((class.code(), class.name()), ("OPC", "one_person"));
/// assert_eq!(CinClass::from_code("XYZ"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CinClass {
    /// `PTC`, private limited company.
    Private,
    /// `PLC`, public limited company.
    Public,
    /// `OPC`, one person company.
    OnePerson,
    /// `FTC`, private subsidiary of a foreign company.
    PrivateForeignSubsidiary,
    /// `FLC`, interpreted as the public counterpart of `FTC`; sources disagree about it.
    PublicForeignSubsidiary,
    /// `GOI`, company of the union government.
    UnionGovernment,
    /// `SGC`, company of a state government.
    StateGovernment,
    /// `GAP`, general association, public.
    GeneralAssociationPublic,
    /// `GAT`, general association, private.
    GeneralAssociationPrivate,
    /// `NPL`, not for profit (section 8).
    NotForProfit,
    /// `ULL`, public company with unlimited liability.
    PublicUnlimited,
    /// `ULT`, private company with unlimited liability.
    PrivateUnlimited,
}

impl CinClass {
    /// Every class.
    pub const ALL: [Self; 12] = [
        Self::Private,
        Self::Public,
        Self::OnePerson,
        Self::PrivateForeignSubsidiary,
        Self::PublicForeignSubsidiary,
        Self::UnionGovernment,
        Self::StateGovernment,
        Self::GeneralAssociationPublic,
        Self::GeneralAssociationPrivate,
        Self::NotForProfit,
        Self::PublicUnlimited,
        Self::PrivateUnlimited,
    ];

    /// The class with these three letters, in any case.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.code().eq_ignore_ascii_case(code))
    }

    /// The three letters.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Private => "PTC",
            Self::Public => "PLC",
            Self::OnePerson => "OPC",
            Self::PrivateForeignSubsidiary => "FTC",
            Self::PublicForeignSubsidiary => "FLC",
            Self::UnionGovernment => "GOI",
            Self::StateGovernment => "SGC",
            Self::GeneralAssociationPublic => "GAP",
            Self::GeneralAssociationPrivate => "GAT",
            Self::NotForProfit => "NPL",
            Self::PublicUnlimited => "ULL",
            Self::PrivateUnlimited => "ULT",
        }
    }

    /// A `snake_case` word for the class.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Public => "public",
            Self::OnePerson => "one_person",
            Self::PrivateForeignSubsidiary => "private_foreign_subsidiary",
            Self::PublicForeignSubsidiary => "public_foreign_subsidiary",
            Self::UnionGovernment => "union_government",
            Self::StateGovernment => "state_government",
            Self::GeneralAssociationPublic => "general_association_public",
            Self::GeneralAssociationPrivate => "general_association_private",
            Self::NotForProfit => "not_for_profit",
            Self::PublicUnlimited => "public_unlimited",
            Self::PrivateUnlimited => "private_unlimited",
        }
    }
}

impl fmt::Display for CinClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
