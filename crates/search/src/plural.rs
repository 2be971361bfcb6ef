//! Converts English plurals to the singular.

/// A word of at most this length is unchanged: an `s` at its end is probably not a plural.
const SHORT: usize = 4;

/// The singular, if the word looks like an English plural; otherwise the word.
pub fn singular(word: &str) -> String {
    let is_unchanged = word.len() <= SHORT || !word.is_ascii();
    if is_unchanged || ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
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
    fn plurals_become_singulars() {
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
