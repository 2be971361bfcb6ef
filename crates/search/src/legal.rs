//! Legal forms at the end of a name, and words before or after a name that are not part of it.

/// The legal form at the end of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suffix {
    /// Private limited, including one-person companies.
    PrivateLimited,
    /// Limited, also of producer and mutual benefit companies.
    Limited,
    Unlimited,
    Llp,
}

/// A word of a legal form.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Limited,
    Unlimited,
    Private,
    OnePerson,
    Llp,
}

fn part(word: &str) -> Option<Part> {
    Some(match word {
        "limited" | "ltd" | "ltda" | "limted" | "limitted" | "lmt" | "lmtd" | "lt" => Part::Limited,
        "unlimited" => Part::Unlimited,
        "private" | "pvt" | "pte" | "pty" | "p" | "pvtltd" | "pltd" | "praivet" | "praiwet"
        | "privet" => Part::Private,
        "opc" => Part::OnePerson,
        "llp" => Part::Llp,
        _ => return None,
    })
}

/// Whether a word is part of a legal form.
pub fn is_legal(word: &str) -> bool {
    part(word).is_some()
}

/// "LLP" as three words, or as three letters.
const LLP: [&[&str]; 2] = [&["limited", "liability", "partnership"], &["l", "l", "p"]];

/// Whether a word is the beginning of a legal word, or of "and", that the user is still typing.
pub fn is_started(word: &str) -> bool {
    const WORDS: [&str; 7] = ["private", "limited", "pvt", "ltd", "llp", "opc", "and"];
    WORDS.iter().any(|legal| legal.len() > word.len() && legal.starts_with(word))
}

/// Removes the legal form from the end of a name. A name that consists only of legal words is
/// unchanged.
pub fn strip_suffix(words: &mut Vec<String>) -> Option<Suffix> {
    let mut end = words.len();
    let mut suffix = None;
    while end > 0 {
        if LLP.iter().any(|llp| ends_with(&words[..end], llp)) {
            suffix = Some(Suffix::Llp);
            end -= 3;
            continue;
        }
        let Some(part) = part(&words[end - 1]) else { break };
        // A single "P" is a legal word only before "Limited"; otherwise it belongs to the name.
        if words[end - 1] == "p" && suffix != Some(Suffix::Limited) {
            break;
        }
        // "Private Limited" is read from its end: the word before "limited" decides.
        let found = match part {
            Part::Limited => Suffix::Limited,
            Part::Unlimited => Suffix::Unlimited,
            Part::Private | Part::OnePerson => Suffix::PrivateLimited,
            Part::Llp => Suffix::Llp,
        };
        let decides = match suffix {
            None => true,
            Some(Suffix::Limited | Suffix::Unlimited) => found == Suffix::PrivateLimited,
            Some(_) => false,
        };
        if decides {
            suffix = Some(found);
        }
        end -= 1;
    }
    if end == 0 {
        return None;
    }
    words.truncate(end);
    suffix
}

/// The position after a legal form within the words; none if there is no legal form.
pub fn end_of_form(words: &[String]) -> Option<usize> {
    let ends_a_form = |word: &str| matches!(part(word), Some(Part::Limited | Part::Llp));
    let first = (1..words.len()).find(|at| ends_a_form(&words[*at]))?;
    let liability = LLP[0].len() - 1;
    let in_full = starts_with(&words[first..], LLP[0]);
    Some(if in_full { first + liability + 1 } else { first + 1 })
}

/// Removes words before a name: the article, "Messrs".
pub fn strip_opening(words: &mut Vec<String>) {
    // "M S" may be initials; "M/s" is removed before the text is split into words.
    const PREFIXES: [&str; 4] = ["the", "messrs", "mr", "mrs"];
    if words.len() > 1 && PREFIXES.contains(&words[0].as_str()) {
        words.remove(0);
    }
}

/// Removes remarks of registries after a name: "(in liquidation)", "(formerly …)".
pub fn strip_tail(words: &mut Vec<String>) {
    const TAILS: [&[&str]; 8] = [
        &["formerly"],
        &["in", "liquidation"],
        &["under", "liquidation"],
        &["in", "liqn"],
        &["amalgamated"],
        &["under", "process", "of", "striking", "off"],
        &["struck", "off"],
        &["dissolved"],
    ];
    let tail =
        (1..words.len()).find(|from| TAILS.iter().any(|tail| starts_with(&words[*from..], tail)));
    if let Some(from) = tail {
        words.truncate(from);
    }
}

fn ends_with(words: &[String], end: &[&str]) -> bool {
    words.len() >= end.len()
        && words[words.len() - end.len()..].iter().zip(end).all(|(word, end)| word == end)
}

fn starts_with(words: &[String], start: &[&str]) -> bool {
    words.len() >= start.len() && words.iter().zip(start).all(|(word, start)| word == start)
}
