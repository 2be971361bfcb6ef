//! The faults of real files, put into these at a set rate.

use crate::Synthetic;
use crate::chance::{Chance, Purpose};

/// The highest rate: so many rows of a million.
pub const MAX_TRAPS_PER_MILLION: u64 = 100_000;

macro_rules! traps {
    ($( $(#[$doc:meta])* $trap:ident = $word:literal, )*) => {
        /// A fault.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Trap {
            $( $(#[$doc])* $trap, )*
        }

        impl Trap {
            pub const ALL: &[Trap] = &[$( Trap::$trap ),*];

            /// Its name in `EXPECTED.json`.
            pub fn word(self) -> &'static str {
                match self {
                    $( Trap::$trap => $word, )*
                }
            }
        }
    };
}

traps! {
    /// The letter O for a zero in a CIN: the row cannot be used.
    LetterInCin = "letter_o_in_cin",
    /// A quote that is opened and not closed: the row cannot be used.
    BrokenQuote = "broken_quote",
    /// An address whose commas are not in quotes: the row cannot be used.
    BareCommas = "commas_without_quotes",
    /// A line of binary garbage behind the row: one more line that cannot be used.
    Garbage = "binary_garbage",
    /// A row of commas behind the row.
    EmptyRow = "empty_row",
    /// The industry's code without its leading zeros, or with decimals.
    LostZeros = "lost_leading_zeros",
    /// `NA` for what is not known.
    NotAvailable = "na",
    /// A large capital as `2.73E+11`.
    Exponent = "scientific_notation",
    /// A dash of which only the bytes are left, in letters.
    LostCharacter = "lost_character",
    /// A byte of another encoding.
    OtherEncoding = "other_encoding",
    /// More paid up than authorised.
    PaidUpOverAuthorised = "paid_up_over_authorised",
    /// A year of registration that is not the CIN's.
    OtherYear = "year_is_not_the_cins",
    /// A GSTIN whose check character is wrong: the taxpayer cannot be used.
    WrongCheckCharacter = "gstin_wrong_check_character",
    /// A JSON line that breaks off: it cannot be used.
    CutLine = "json_line_cut",
    /// The nature of a place as a list, elsewhere a text.
    NatureAsList = "ntr_as_list",
    /// A place in one flat line, as the portal has it.
    FlatAddress = "flat_address",
    /// `NA` for an empty field of a taxpayer.
    TaxpayerNotAvailable = "gst_na",
    /// A return that is in the list twice: one entry that cannot be used.
    ReturnTwice = "return_twice",
    /// A return without its mark `valid`.
    NoValidMark = "return_without_valid",
    /// A seat with a day as `31/03/2020`: the line cannot be used.
    ForeignDate = "own_format_wrong_date",
}

impl Trap {
    /// Whether it is a fault of the company master.
    pub fn is_of_master(self) -> bool {
        (self as u8) < Trap::WrongCheckCharacter as u8
    }

    /// Whether it is a fault of the GST network's answers.
    pub fn is_of_gst(self) -> bool {
        !self.is_of_master() && self != Trap::ForeignDate
    }

    /// Whether it is a fault of a list of returns.
    pub fn is_of_returns(self) -> bool {
        matches!(self, Trap::ReturnTwice | Trap::NoValidMark)
    }

    /// Whether the taxpayer is lost with it.
    pub fn costs_registration(self) -> bool {
        matches!(self, Trap::WrongCheckCharacter | Trap::CutLine)
    }

    /// Whether the row of the company master is lost with it.
    pub fn costs_company(self) -> bool {
        matches!(self, Trap::LetterInCin | Trap::BrokenQuote | Trap::BareCommas)
    }
}

impl Synthetic {
    /// The fault in a company's row, lines or registrations. Two rows with one never follow each
    /// other, so that what a broken row costs is known.
    pub(crate) fn trap(&self, index: u64) -> Option<Trap> {
        if !self.layout.is_alternate(index) {
            return None;
        }
        let mut chance = Chance::of(self.seed, Purpose::Traps, index);
        chance.per_million(self.traps_per_million * 2).then(|| chance.one_of(Trap::ALL))
    }
}
