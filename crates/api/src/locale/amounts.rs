//! Formats numbers in the Indian way, grouped in lakh and crore.

/// A whole number in Indian grouping: 12,34,567.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let (head, tail) = digits.split_at(digits.len().saturating_sub(3));
    let mut text = String::new();
    for (index, digit) in head.chars().enumerate() {
        if index > 0 && (head.len() - index).is_multiple_of(2) {
            text.push(',');
        }
        text.push(digit);
    }
    if !text.is_empty() {
        text.push(',');
    }
    let sign = if number < 0 { "−" } else { "" };
    format!("{sign}{text}{tail}")
}

/// An amount of whole rupees: ₹1,00,000.
pub fn rupees(amount: i64) -> String {
    let sign = if amount < 0 { "−" } else { "" };
    format!("{sign}₹{}", grouped(amount.saturating_abs()))
}

/// An amount in paise: ₹1,180.00.
pub fn rupees_and_paise(paise: i64) -> String {
    let sign = if paise < 0 { "−" } else { "" };
    let paise = paise.unsigned_abs();
    let whole = i64::try_from(paise / 100).unwrap_or(i64::MAX);
    format!("{sign}₹{}.{:02}", grouped(whole), paise % 100)
}

/// A large amount of rupees, abbreviated: ₹12.35 crore, ₹4.20 lakh.
pub fn short_rupees(amount: f64) -> String {
    const LAKH: f64 = 100_000.0;
    const CRORE: f64 = 10_000_000.0;
    let sign = if amount < 0.0 { "−" } else { "" };
    let size = amount.abs();
    let in_crore = size / CRORE;
    if in_crore >= 1_000.0 {
        format!("{sign}₹{} crore", grouped(in_crore.round() as i64))
    } else if in_crore >= 1.0 {
        format!("{sign}₹{} crore", short(in_crore))
    } else if size >= LAKH {
        format!("{sign}₹{} lakh", short(size / LAKH))
    } else {
        format!("{sign}₹{}", grouped(size.round() as i64))
    }
}

/// Two decimals, or none if they are zeros.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    text.strip_suffix(".00").map(str::to_owned).unwrap_or(text)
}

/// A share as a percentage, to one decimal.
pub fn percent(part: i64, whole: i64) -> String {
    if whole == 0 || part == 0 {
        return "0%".to_owned();
    }
    format!("{:.1}%", part as f64 * 100.0 / whole as f64)
}

/// A count with its noun: 1 call, 2 calls.
pub fn counted(number: i64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_in_lakh_and_crore() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_480, "12,480"),
            (100_000, "1,00,000"),
            (1_234_567, "12,34,567"),
            (12_345_678, "1,23,45,678"),
            (-100_000, "−1,00,000"),
            (i64::MIN, "−92,23,37,20,36,85,47,75,808"),
        ];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(rupees(-1_500), "−₹1,500");
        assert_eq!(rupees_and_paise(118_050), "₹1,180.50");
    }

    #[test]
    fn large_amounts_are_in_crore_and_lakh() {
        assert_eq!(short_rupees(123_456_789.0), "₹12.35 crore");
        assert_eq!(short_rupees(-420_000.0), "−₹4.20 lakh");
        assert_eq!(short_rupees(5_000_000_000.0), "₹500 crore");
        assert_eq!(short_rupees(12_345.4), "₹12,345");
        assert_eq!(short_rupees(123_456_789_012.0), "₹12,346 crore");
    }

    #[test]
    fn shares_and_counts_have_a_unit() {
        assert_eq!(percent(1, 250), "0.4%");
        assert_eq!(percent(0, 0), "0%");
        assert_eq!(counted(1, "call", "calls"), "1 call");
        assert_eq!(counted(1_204, "call", "calls"), "1,204 calls");
    }
}
