//! Values: money and ratios.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use utoipa::ToSchema;

/// An amount in rupees with at most two decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToSchema)]
#[schema(value_type = f64, example = 125000.5)]
pub struct Rupees(pub i64);

impl Serialize for Rupees {
    // Whole rupees are written as integers, so that no amount gets an exponent.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % 100 == 0 {
            serializer.serialize_i64(self.0 / 100)
        } else {
            serializer.serialize_f64(self.0 as f64 / 100.0)
        }
    }
}

impl<'de> Deserialize<'de> for Rupees {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rupees, D::Error> {
        // Exact for every amount that has paise: those are below 2^53 paise.
        let rupees = serde_json::Number::deserialize(deserializer)?;
        let whole = rupees.as_i64().and_then(|rupees| rupees.checked_mul(100));
        let paise = whole.or_else(|| rupees.as_f64().map(|rupees| (rupees * 100.0).round() as i64));
        paise.map(Rupees).ok_or_else(|| serde::de::Error::custom("not an amount in rupees"))
    }
}

/// Divides two amounts, rounded to four decimals; none where the divisor is 0 or either is unknown.
pub fn ratio(dividend: Option<i64>, divisor: Option<i64>) -> Option<f64> {
    let (dividend, divisor) = (dividend?, divisor?);
    (divisor != 0).then(|| round4(dividend as f64 / divisor as f64))
}

/// Rounds to four decimals.
pub fn round4(number: f64) -> f64 {
    let rounded = (number * 10_000.0).round() / 10_000.0;
    // Minus zero would be serialized as -0.0.
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// A list stored as JSON text.
pub fn stored_list<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
    // Most are empty.
    if text == "[]" {
        return Vec::new();
    }
    serde_json::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_written_without_an_exponent() {
        let written = |paise| serde_json::to_string(&Rupees(paise)).expect("a number");
        assert_eq!(written(100), "1");
        assert_eq!(written(-1_250), "-12.5");
        assert_eq!(written(29), "0.29");
        assert_eq!(written(99_999_999_999_999_900), "999999999999999");
        assert_eq!(written(12_345_678_901_234), "123456789012.34");
        assert_eq!(written(0), "0");
        for paise in [0, 29, -1_250, 100, 99_999_999_999_999_900, 12_345_678_901_234] {
            let read: Rupees = serde_json::from_str(&written(paise)).expect("an amount");
            assert_eq!(read, Rupees(paise));
        }
    }

    #[test]
    fn ratios_are_rounded_and_never_divide_by_zero() {
        assert_eq!(ratio(Some(1), Some(3)), Some(0.3333));
        assert_eq!(ratio(Some(1), Some(0)), None);
        assert_eq!(ratio(None, Some(3)), None);
        assert_eq!(ratio(Some(0), Some(-3)).map(f64::is_sign_negative), Some(false));
    }
}
