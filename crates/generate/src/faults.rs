//! The faults of real files, added to the generated files at a given rate.

use crate::Synthetic;
use crate::random::{Purpose, Random};

/// The highest rate, in rows of a million.
pub const MAX_FAULTS_PER_MILLION: u64 = 100_000;

macro_rules! faults {
    ($( $(#[$doc:meta])* $fault:ident = $word:literal, )*) => {
        /// A fault.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault {
            $( $(#[$doc])* $fault, )*
        }

        impl Fault {
            pub const ALL: &[Fault] = &[$( Fault::$fault ),*];

            /// Its name in `EXPECTED.json`.
            pub fn word(self) -> &'static str {
                match self {
                    $( Fault::$fault => $word, )*
                }
            }
        }
    };
}

faults! {
    /// The letter O for a zero in a CIN: the row is rejected.
    LetterInCin = "letter_o_in_cin",
    /// A quote that is not closed: the row is rejected.
    BrokenQuote = "broken_quote",
    /// An address whose commas are not in quotes: the row is rejected.
    BareCommas = "commas_without_quotes",
    /// A line of binary garbage after the row: this line is rejected.
    Garbage = "binary_garbage",
    /// A row of commas after the row.
    EmptyRow = "empty_row",
    /// The industry code without its leading zeros, or with decimals.
    LostZeros = "lost_leading_zeros",
    /// `NA` for a missing value.
    NotAvailable = "na",
    /// A large capital as `2.73E+11`.
    Exponent = "scientific_notation",
    /// A wrongly decoded dash: its bytes as letters.
    LostCharacter = "lost_character",
    /// A byte of another encoding.
    OtherEncoding = "other_encoding",
    /// Paid-up capital above the authorised capital.
    PaidUpOverAuthorised = "paid_up_over_authorised",
    /// A year of registration that differs from the CIN.
    OtherYear = "year_is_not_the_cins",
    /// A GSTIN with a wrong check character: the taxpayer is rejected.
    WrongCheckCharacter = "gstin_wrong_check_character",
    /// A truncated JSON line: it is rejected.
    CutLine = "json_line_cut",
    /// The nature of a place as a list instead of a text.
    NatureAsList = "ntr_as_list",
    /// A place in one flat line, as in the portal.
    FlatAddress = "flat_address",
    /// `NA` for an empty field of a taxpayer.
    TaxpayerNotAvailable = "gst_na",
    /// A return that is in the list twice: one entry is rejected.
    ReturnTwice = "return_twice",
    /// A return without its field `valid`.
    NoValidMark = "return_without_valid",
    /// An appointment with a day as `31/03/2020`: the line is rejected.
    ForeignDate = "own_format_wrong_date",
}

impl Fault {
    /// Whether it is a fault of the company master.
    pub fn is_of_master(self) -> bool {
        (self as u8) < Fault::WrongCheckCharacter as u8
    }

    /// Whether it is a fault of the GST network's data.
    pub fn is_of_gst(self) -> bool {
        !self.is_of_master() && self != Fault::ForeignDate
    }

    /// Whether it is a fault of a list of returns.
    pub fn is_of_returns(self) -> bool {
        matches!(self, Fault::ReturnTwice | Fault::NoValidMark)
    }

    /// Whether the taxpayer is rejected.
    pub fn rejects_registration(self) -> bool {
        matches!(self, Fault::WrongCheckCharacter | Fault::CutLine)
    }

    /// Whether the row of the company master is rejected.
    pub fn rejects_company(self) -> bool {
        matches!(self, Fault::LetterInCin | Fault::BrokenQuote | Fault::BareCommas)
    }
}

impl Synthetic {
    /// The fault in a company's row, lines or registrations. Two consecutive rows never both have a
    /// fault, so that the effect of a broken row is known.
    pub(crate) fn fault(&self, index: u64) -> Option<Fault> {
        if !self.layout.is_alternate(index) {
            return None;
        }
        let mut random = Random::of(self.seed, Purpose::Faults, index);
        random.per_million(self.faults_per_million * 2).then(|| random.one_of(Fault::ALL))
    }
}
