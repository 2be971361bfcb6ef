//! Amounts in words for Indian invoices, in lakh and crore.

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] =
    ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const UNITS: [(u64, &str); 4] =
    [(10_000_000, "crore"), (100_000, "lakh"), (1_000, "thousand"), (100, "hundred")];

/// For example "Rupees five hundred and ninety only".
pub fn in_words(paise: i64) -> String {
    let paise = paise.unsigned_abs();
    let rupees = number(paise / 100);
    match paise % 100 {
        0 => format!("Rupees {rupees} only"),
        part => format!("Rupees {rupees} and {} paise only", number(part)),
    }
}

fn number(value: u64) -> String {
    for (size, name) in UNITS {
        if value >= size {
            let (head, tail) = (number(value / size), value % size);
            return match tail {
                0 => format!("{head} {name}"),
                1..100 => format!("{head} {name} and {}", number(tail)),
                _ => format!("{head} {name} {}", number(tail)),
            };
        }
    }
    match (value as usize / 10, value as usize % 10) {
        (0 | 1, _) => SMALL[value as usize].to_owned(),
        (tens, 0) => TENS[tens].to_owned(),
        (tens, ones) => format!("{}-{}", TENS[tens], SMALL[ones]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_in_lakh_and_crore() {
        assert_eq!(in_words(59_000), "Rupees five hundred and ninety only");
        assert_eq!(in_words(11_918), "Rupees one hundred and nineteen and eighteen paise only");
        assert_eq!(in_words(1_180_000), "Rupees eleven thousand eight hundred only");
        assert_eq!(in_words(59_000_000_100), "Rupees fifty-nine crore and one only");
        assert_eq!(
            in_words(12_345_600),
            "Rupees one lakh twenty-three thousand four hundred and fifty-six only"
        );
        assert_eq!(in_words(0), "Rupees zero only");
    }
}
