//! Converts number words to digits.

/// The digits of a number word, or of an ordinal; none for any other word.
pub fn digits(word: &str) -> Option<&'static str> {
    Some(match word {
        "zero" => "0",
        "one" | "first" => "1",
        "two" | "second" => "2",
        "three" | "third" => "3",
        "four" | "fourth" => "4",
        "five" | "fifth" => "5",
        "six" | "sixth" => "6",
        "seven" | "seventh" => "7",
        "eight" | "eighth" => "8",
        "nine" | "ninth" => "9",
        "ten" | "tenth" => "10",
        "eleven" | "eleventh" => "11",
        "twelve" | "twelfth" => "12",
        "thirteen" | "thirteenth" => "13",
        "fourteen" | "fourteenth" => "14",
        "fifteen" | "fifteenth" => "15",
        "sixteen" | "sixteenth" => "16",
        "seventeen" | "seventeenth" => "17",
        "eighteen" | "eighteenth" => "18",
        "nineteen" | "nineteenth" => "19",
        "twenty" | "twentieth" => "20",
        "thirty" => "30",
        "forty" => "40",
        "fifty" => "50",
        "sixty" => "60",
        "seventy" => "70",
        "eighty" => "80",
        "ninety" => "90",
        "hundred" => "100",
        "thousand" => "1000",
        _ => return None,
    })
}

/// Joins tens with the next digit, `20 1` of "twenty one" is `21`, and a digit with the next hundred,
/// `2 100` of "two hundred" is `200`.
pub fn join(words: &mut Vec<String>) {
    let mut position = 0;
    while position + 1 < words.len() {
        match joined(&words[position], &words[position + 1]) {
            Some(joined) => {
                words[position] = joined;
                words.remove(position + 1);
            }
            None => position += 1,
        }
    }
}

fn joined(first: &str, second: &str) -> Option<String> {
    let digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let one_to_nine = |word: &str| matches!(word.as_bytes(), [b'1'..=b'9']);
    let tens = first.len() == 2 && digits(first) && first.ends_with('0') && !first.starts_with('1');
    if tens && one_to_nine(second) {
        return Some(format!("{}{second}", &first[..1]));
    }
    let hundreds = matches!(second, "100" | "1000");
    (hundreds && one_to_nine(first)).then(|| format!("{first}{}", &second[1..]))
}
