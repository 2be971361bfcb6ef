//! Names of people: titles, and the forms in which words are shortened to initials.

/// Titles before a name, in lower case without dots.
const TITLES: [&str; 14] = [
    "mr", "mrs", "ms", "miss", "dr", "prof", "shri", "sri", "smt", "kum", "kumari", "adv", "ca",
    "er",
];
/// A name with more words than this has no forms with initials: it is hardly one person's name.
const MAX_WORDS: usize = 6;

/// A name without titles in front. A title alone stays: it may be a name.
pub fn without_titles(name: &str) -> &str {
    let mut rest = name.trim();
    while let Some((first, after)) =
        rest.split_once(|character: char| character.is_whitespace() || character == '.')
    {
        let word = first.to_lowercase();
        let after = after
            .trim_start_matches(|character: char| character == '.' || character.is_whitespace());
        if !TITLES.contains(&word.as_str()) || after.is_empty() {
            break;
        }
        rest = after;
    }
    rest
}

/// The forms of a name in which words are initials: "Rakesh Kumar Sharma" is also written "R K Sharma", "Rakesh K
/// Sharma" and "R Sharma"; in the south "Ramanathan Subramaniam" is "S Ramanathan". The order of words does not matter.
pub fn initial_forms(name: &str) -> Vec<String> {
    let words: Vec<&str> = without_titles(name)
        .split(|character: char| character.is_whitespace() || character == '.')
        .filter(|word| !word.is_empty())
        .collect();
    let is_whole = |word: &&str| word.chars().count() > 1;
    if !(2..=MAX_WORDS).contains(&words.len())
        || words.iter().filter(|word| is_whole(word)).count() < 2
    {
        return Vec::new();
    }
    let initial = |word: &str| word.chars().take(1).collect::<String>();
    let initials =
        |words: &[&str]| words.iter().map(|word| initial(word)).collect::<Vec<_>>().join(" ");
    let (first, last) = (words[0], words[words.len() - 1]);
    let (front, middle) = (&words[..words.len() - 1], &words[1..words.len() - 1]);
    let mut forms =
        vec![format!("{} {last}", initials(front)), format!("{} {first}", initials(&words[1..]))];
    if !middle.is_empty() {
        forms.push(format!("{first} {} {last}", initials(middle)));
        forms.push(format!("{} {last}", initial(first)));
    }
    forms.sort();
    forms.dedup();
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_removed() {
        assert_eq!(without_titles("Shri Udaharan Namuna"), "Udaharan Namuna");
        assert_eq!(without_titles("Dr.Udaharan"), "Udaharan");
        assert_eq!(without_titles("Mr. Dr. Udaharan Namuna"), "Udaharan Namuna");
        assert_eq!(without_titles("Sri"), "Sri");
        assert_eq!(without_titles("Kumari"), "Kumari");
        assert_eq!(without_titles("Drishti Namuna"), "Drishti Namuna");
    }

    #[test]
    fn a_name_has_forms_with_initials() {
        let forms = initial_forms("Rakesh Kumar Sharma");
        assert_eq!(forms, ["K S Rakesh", "R K Sharma", "R Sharma", "Rakesh K Sharma"]);
        assert_eq!(initial_forms("Ramanathan Subramaniam"), ["R Subramaniam", "S Ramanathan"]);
        assert_eq!(initial_forms("Namuna"), [""; 0]);
        assert_eq!(initial_forms("R. Namuna"), [""; 0], "it has initials already");
        assert_eq!(initial_forms("उदाहरण नमूना").len(), 2);
    }
}
