//! Names as written by a person who heard them on the telephone.

use super::perturb::core;
use super::random::Random;

/// Letters, and others that sound like them.
const HEARD: &[(&str, &str)] = &[
    ("KSH", "X"),
    ("SH", "S"),
    ("CH", "CHH"),
    ("TH", "T"),
    ("DH", "D"),
    ("BH", "B"),
    ("KH", "K"),
    ("GH", "G"),
    ("PH", "F"),
    ("CK", "K"),
    ("EE", "I"),
    ("OO", "U"),
    ("AA", "A"),
    ("AI", "AY"),
    ("AU", "OU"),
    ("EA", "EE"),
    ("OU", "OW"),
    ("QU", "KW"),
    ("LL", "L"),
    ("TT", "T"),
    ("NN", "N"),
    ("PP", "P"),
    ("SS", "S"),
    ("MM", "M"),
    ("CA", "KA"),
    ("CO", "KO"),
    ("CU", "KU"),
    ("CE", "SE"),
    ("CI", "SI"),
    ("TR", "TER"),
    ("S", "SH"),
    ("T", "TH"),
    ("D", "DH"),
    ("F", "PH"),
    ("V", "W"),
    ("W", "V"),
    ("V", "B"),
    ("X", "KS"),
    ("Z", "J"),
    ("J", "Z"),
    ("I", "EE"),
    ("U", "OO"),
    ("K", "C"),
    ("Y", "I"),
    ("L", "LL"),
    ("N", "NN"),
    ("E", "I"),
    ("O", "U"),
    ("A", "E"),
    ("M", "N"),
    ("B", "P"),
    ("D", "T"),
];

/// The fewest letters of a word that is misheard.
const LONG: usize = 5;

/// The name with two sounds of its longer words in another spelling.
pub fn misheard(name: &str, random: &mut Random) -> Option<String> {
    let core = core(name);
    let mut words: Vec<String> = core.split_whitespace().map(str::to_owned).collect();
    let long: Vec<usize> = (0..words.len())
        .filter(|at| words[*at].len() >= LONG && words[*at].bytes().all(|b| b.is_ascii_uppercase()))
        .collect();
    if long.is_empty() {
        return None;
    }
    for _ in 0..2 {
        let at = *random.pick(&long);
        let word = words[at].clone();
        let fitting: Vec<(usize, &(&str, &str))> = HEARD
            .iter()
            .flat_map(|pair| word.match_indices(pair.0).map(move |(from, _)| (from, pair)))
            // The first sound of a word is usually heard correctly.
            .filter(|(from, _)| *from > 0)
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let (from, (written, heard)) = random.pick(&fitting);
        words[at] = format!("{}{heard}{}", &word[..*from], &word[from + written.len()..]);
    }
    let text = words.join(" ");
    (text != core).then_some(text)
}
