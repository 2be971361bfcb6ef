//! Finds company numbers in a query.

use panji_ids::find_company_ids;
use rapidfuzz::distance::osa;

use crate::rank::Match;
use crate::schema::{REGISTRATION, cin_term, registration};
use crate::stored_company::StoredCompany;

/// The fewest characters of a number's beginning.
const MIN_BEGINNING: usize = 3;
/// The fewest characters of a beginning with spaces: shorter ones look like names.
const MIN_SPACED: usize = 6;
/// The pattern of a CIN: `9` is a digit, `A` a letter.
const CIN: &[u8; 21] = b"A99999AA9999AAA999999";
/// The fewest digits of a CIN with a mistake.
const MIN_DIGITS: usize = 10;

/// The score of a company whose number differs from the query in one character.
const MISTAKEN_NUMBER: f64 = 0.75;
/// The score of a company by its registration number, which companies in other states may have too.
const BY_REGISTRATION: f64 = 0.6;

/// The numbers in a query, without hyphens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompanyNumber {
    /// Complete numbers, anywhere in the text.
    pub whole: Vec<String>,
    /// The possible beginning of a number.
    pub beginning: Option<String>,
    /// A possible CIN with a mistake.
    pub possible_misspelled_cin: Option<String>,
    /// A possible registration number.
    pub registration: Option<String>,
}

impl CompanyNumber {
    pub fn new(text: &str) -> CompanyNumber {
        let whole: Vec<String> =
            find_company_ids(text).iter().map(|id| cin_term(id.as_str())).collect();
        let upper = text.trim().to_ascii_uppercase();
        let compact: String =
            upper.chars().filter(|c| !matches!(c, ' ' | '.' | '-' | ':')).collect();
        let bare = without_label(&compact);
        CompanyNumber {
            beginning: beginning(&upper, bare),
            possible_misspelled_cin: whole
                .first()
                .filter(|id| id.len() == CIN.len())
                .cloned()
                .or_else(|| possible_misspelled_cin(bare)),
            registration: registration_digits(bare),
            whole,
        }
    }

    /// Compares a company's numbers with those of the query.
    pub fn compare(&self, stored: &StoredCompany) -> Option<(Match, f64)> {
        let cin = cin_term(&stored.cin);
        let former = || stored.former_cins.iter().map(|former| cin_term(former));
        if self.whole.iter().any(|whole| *whole == cin || former().any(|former| former == *whole)) {
            return Some((Match::Cin, 1.0));
        }
        if let Some(beginning) = self.beginning.as_ref().filter(|start| cin.starts_with(*start)) {
            // A complete number is certain; a beginning is more certain the longer it is.
            return Some((Match::Cin, 0.9 + 0.1 * beginning.len() as f64 / cin.len() as f64));
        }
        let near = |typed: &String| osa::distance(typed.bytes(), cin.bytes()) == 1;
        if self.possible_misspelled_cin.as_ref().is_some_and(near) {
            return Some((Match::Fuzzy, MISTAKEN_NUMBER));
        }
        let digits = self.registration.as_deref();
        let fits = digits.is_some() && registration(&stored.cin) == digits;
        fits.then_some((Match::Fuzzy, BY_REGISTRATION))
    }
}

fn without_label(compact: &str) -> &str {
    const LABELS: [&str; 7] =
        ["REGISTRATIONNUMBER", "REGISTRATIONNO", "REGNO", "CINNO", "CIN", "LLPIN", "FCRN"];
    LABELS.iter().find_map(|label| compact.strip_prefix(label)).unwrap_or(compact)
}

/// A text without spaces, or a longer text with spaces that has the form of a CIN's beginning.
fn beginning(upper: &str, bare: &str) -> Option<String> {
    let form = |byte: u8, slot: u8| match slot {
        b'9' => byte.is_ascii_digit(),
        _ => byte.is_ascii_uppercase(),
    };
    let has_form = (MIN_SPACED..=CIN.len()).contains(&bare.len())
        && bare.starts_with(['L', 'U'])
        && bare.bytes().zip(CIN).all(|(byte, slot)| form(byte, *slot));
    if has_form {
        return Some(bare.to_owned());
    }
    let compact = cin_term(upper);
    let possible = (MIN_BEGINNING..=CIN.len()).contains(&compact.len())
        && compact.bytes().any(|byte| byte.is_ascii_digit())
        && compact.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && compact.starts_with(|c: char| c.is_ascii_alphabetic());
    possible.then_some(compact)
}

fn possible_misspelled_cin(bare: &str) -> Option<String> {
    let digits = bare.bytes().filter(u8::is_ascii_digit).count();
    let near = (CIN.len() - 1..=CIN.len() + 1).contains(&bare.len())
        && digits >= MIN_DIGITS
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric());
    near.then(|| bare.to_owned())
}

fn registration_digits(bare: &str) -> Option<String> {
    let digits = (REGISTRATION - 1..=REGISTRATION).contains(&bare.len())
        && bare.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| format!("{bare:0>REGISTRATION$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_query_are_recognized() {
        let cin = "U12345MH2001PTC000123";
        let number = CompanyNumber::new("cin: u 12345 mh 2001 ptc 000123");
        assert_eq!(
            (number.whole.as_slice(), number.possible_misspelled_cin.as_deref()),
            (&[cin.to_owned()][..], Some(cin))
        );
        let beginnings = [
            ("U12345MH", Some("U12345MH")),
            ("u12345 mh 2001", Some("U12345MH2001")),
            ("CIN U12345-MH", Some("U12345MH")),
            ("AAB-1", Some("AAB1")),
            ("kalpanik", None),
            ("kalpanik 21", None),
            ("21st", None),
        ];
        for (text, beginning) in beginnings {
            assert_eq!(CompanyNumber::new(text).beginning.as_deref(), beginning, "{text}");
        }
        assert_eq!(
            CompanyNumber::new("U12345MH2001PTC00123").possible_misspelled_cin.as_deref(),
            Some("U12345MH2001PTC00123")
        );
        assert_eq!(CompanyNumber::new("reg. no. 12345").registration.as_deref(), Some("012345"));
        assert_eq!(CompanyNumber::new("Kalpanik Mills"), CompanyNumber::default());
    }

    #[test]
    fn the_registration_number_is_read_from_a_cin() {
        assert_eq!(registration("U12345MH2001PTC000123"), Some("000123"));
        assert_eq!(registration("AAB-1234"), None);
        assert_eq!(registration("U12345MH2001PTCOO0123"), None);
    }
}
