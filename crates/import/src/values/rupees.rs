//! Amounts: rupees in a source, whole paise in the register.

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Number;

/// An amount of money in paise, read from a JSON number in rupees with at most two decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paise(pub i64);

/// The largest accepted amount: far above any balance sheet, far below an overflow.
const MAX_RUPEES: f64 = 1e15;

impl<'de> Deserialize<'de> for Paise {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Paise, D::Error> {
        let number = Number::deserialize(deserializer)?;
        from_number(&number).map_err(D::Error::custom)
    }
}

#[derive(Debug, thiserror::Error)]
enum AmountError<'a> {
    #[error("{0} is too large for an amount in rupees")]
    TooLarge(&'a Number),
    #[error("{0} has more than two decimals")]
    TooManyDecimals(&'a Number),
}

fn from_number(number: &Number) -> Result<Paise, AmountError<'_>> {
    let rupees = number.as_f64().filter(|rupees| rupees.abs() <= MAX_RUPEES);
    let rupees = rupees.ok_or(AmountError::TooLarge(number))?;
    if let Some(whole) = number.as_i64() {
        return Ok(Paise(whole * 100));
    }
    let paise = (rupees * 100.0).round();
    // Two decimals are preserved in the conversion to a binary fraction; a third makes a
    // difference.
    if (paise / 100.0 - rupees).abs() > 1e-6 * rupees.abs().max(1.0) * 1e-3 {
        return Err(AmountError::TooManyDecimals(number));
    }
    Ok(Paise(paise as i64))
}

/// Reads an amount in rupees in the formats of spreadsheets and forms, `10,00,000.50` or
/// `2.73E+11`, rounded to the paisa. Negative amounts are not accepted.
pub fn read_amount(text: &str) -> Option<Paise> {
    let plain: String =
        text.chars().filter(|character| !matches!(character, ',' | ' ' | '₹')).collect();
    let written = plain.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    // Up to the largest accepted amount, a binary fraction is exact to the paisa.
    let rupees: f64 = plain.parse().ok().filter(|_| written)?;
    (0.0..=MAX_RUPEES).contains(&rupees).then(|| Paise((rupees * 100.0).round() as i64))
}

/// The same as [`read_amount`], for an amount that may be negative.
pub fn read_signed_amount(text: &str) -> Option<Paise> {
    match text.strip_prefix('-') {
        Some(loss) => read_amount(loss).map(|Paise(paise)| Paise(-paise)),
        None => read_amount(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_in_all_spellings_of_the_sources() {
        let check = |text: &str, expected: Option<i64>| {
            assert_eq!(read_amount(text), expected.map(Paise), "{text}");
        };
        check("1000000.00", Some(100_000_000));
        check("10,00,000", Some(100_000_000));
        check("2.73E+11", Some(27_300_000_000_000));
        check("123456789012.34", Some(12_345_678_901_234));
        check("0", Some(0));
        check("-5", None);
        check("inf", None);
        check("1e300", None);
        check("lakhs", None);
        assert_eq!(read_signed_amount("-49096100000.00"), Some(Paise(-4_909_610_000_000)));
        assert_eq!(read_signed_amount("12.5"), Some(Paise(1_250)));
        assert_eq!(read_signed_amount("--5"), None);
    }

    fn check(json: &str, expected: Result<i64, &str>) {
        let read: Result<Paise, _> = serde_json::from_str(json);
        match (read, expected) {
            (Ok(Paise(paise)), Ok(expected)) => assert_eq!(paise, expected, "{json}"),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (read, expected) => panic!("{json}: {read:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn rupees_become_whole_paise() {
        check("100000", Ok(10_000_000));
        check("-12.5", Ok(-1_250));
        check("0.29", Ok(29));
        check("123456789012.34", Ok(12_345_678_901_234));
        check("999999999999999", Ok(99_999_999_999_999_900));
    }

    #[test]
    fn invalid_amounts_are_refused() {
        check("1.005", Err("two decimals"));
        check("1e300", Err("too large"));
        check("\"12\"", Err("invalid type"));
    }
}
