//! Numbers that are written as words.

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
        "thirteen" => "13",
        "fourteen" => "14",
        "fifteen" => "15",
        "sixteen" => "16",
        "seventeen" => "17",
        "eighteen" => "18",
        "nineteen" => "19",
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

/// Joins tens with what follows them: `20 1` of "twenty one" is `21`.
pub fn join_tens(words: &mut Vec<String>) {
    let mut position = 0;
    while position + 1 < words.len() {
        let (tens, ones) = (&words[position], &words[position + 1]);
        let joins = tens.len() == 2
            && tens.ends_with('0')
            && tens.as_bytes()[0] > b'1'
            && tens.bytes().all(|byte| byte.is_ascii_digit())
            && ones.len() == 1
            && matches!(ones.as_bytes()[0], b'1'..=b'9');
        if joins {
            let joined = format!("{}{}", &tens[..1], ones);
            words[position] = joined;
            words.remove(position + 1);
        }
        position += 1;
    }
}
