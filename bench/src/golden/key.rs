//! When two names are equal for the golden set: by letters and digits only.
//!
//! Deliberately simpler than the analysis of the search, and independent of it, because it judges
//! the search.

/// Words of legal forms, each with its class.
const LEGAL: [(&str, u8); 8] = [
    ("LIMITED", 1),
    ("LTD", 1),
    ("PRIVATE", 2),
    ("PVT", 2),
    ("P", 2),
    ("OPC", 2),
    ("LLP", 3),
    ("UNLIMITED", 4),
];

/// A normalized name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalizedName {
    /// The words before the legal form, without "and".
    pub words: Vec<String>,
    /// 0 for none, else the class of the legal form.
    pub legal: u8,
}

impl NormalizedName {
    pub fn new(name: &str) -> NormalizedName {
        let upper = name.to_uppercase().replace(['\'', '’'], "").replace('&', " ");
        let spaced: String = upper
            .chars()
            .map(|letter| if letter.is_alphanumeric() { letter } else { ' ' })
            .collect();
        let spaced = spaced.replace("LIMITED LIABILITY PARTNERSHIP", "LLP");
        let mut words: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
        let mut legal = 0;
        while words.len() > 1 {
            let Some((_, class)) =
                LEGAL.iter().find(|(word, _)| words.last().is_some_and(|last| last == word))
            else {
                break;
            };
            if words.last().is_some_and(|last| last == "P") && legal != 1 {
                break;
            }
            legal = legal.max(*class);
            words.pop();
        }
        if words.len() > 1 && words[0] == "THE" {
            words.remove(0);
        }
        if words.iter().any(|word| word != "AND") {
            words.retain(|word| word != "AND");
        }
        NormalizedName { words, legal }
    }

    /// The words without spaces.
    pub fn key(&self) -> String {
        self.words.concat()
    }
}
