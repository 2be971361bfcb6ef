//! Singular and plural of a word are one.

/// A word this short is left as it is: an `s` at its end is likely its own.
const SHORT: usize = 4;

/// The singular, where the word looks like an English plural.
pub fn singular(word: &str) -> String {
    let keeps = word.len() <= SHORT || !word.is_ascii();
    if keeps || ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    for ending in ["sses", "shes", "ches", "xes", "zes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_meet_their_singulars() {
        let cases = [
            ("industries", "industry"),
            ("exports", "export"),
            ("glasses", "glass"),
            ("boxes", "box"),
            ("gas", "gas"),
            ("mills", "mill"),
            ("business", "business"),
            ("lotus", "lotus"),
            ("services", "service"),
            ("breweries", "brewery"),
        ];
        for (plural, expected) in cases {
            assert_eq!(singular(plural), expected);
        }
    }
}
