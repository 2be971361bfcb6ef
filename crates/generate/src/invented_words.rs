//! Invented words.

use crate::random::Random;

const BEGINNINGS: &[&str] = &[
    "VI", "SA", "NA", "A", "KA", "MA", "RA", "SHI", "PRA", "DE", "KRI", "TE", "AR", "SU", "JA",
    "VE", "BHA", "NI", "RI", "AN", "TRI", "DHA", "CHA", "GO", "SHA", "IN", "E", "O", "U", "LA",
    "PA", "MI", "SI", "TA", "HA", "YA", "ZE", "GRE", "BRI", "CRE", "FI", "QUA", "XE", "ZY", "AVA",
    "EKA", "ISHA", "UDA", "OJA", "SAM", "VAR", "NAV", "DEV", "ADI", "ABH", "AKS", "AMB", "ANU",
    "ASH", "AVI", "BAL", "BIN", "CHI", "DAK", "DHR", "DIV", "GAN", "GIR", "HAR", "HEM", "IND",
    "JAG", "JIV", "KAL", "KAM", "KAR", "KED", "KUM", "LOK", "MAD", "MAH", "MAN", "MED", "MOH",
    "NAK", "NEE", "NIR", "OMK", "PAD", "PAR", "PUR", "RAJ", "RAM", "RAT", "ROH", "RUD", "SAK",
    "SAN", "SAR", "SAT", "SHR", "SID", "SOM", "SUR", "SWA", "TAN", "TAR", "TEJ", "UTT", "VAI",
    "VAN", "VED", "VIJ", "VIR", "VIS", "YAS", "YUG", "ZEN", "MAX", "PRO", "TRU", "NEX", "OPT",
    "LUM", "FLO", "GLO", "STE", "SPA", "CLA", "BLU", "PRI", "TRA",
];
const MIDDLES: &[&str] = &[
    "", "NA", "RA", "TA", "LA", "VA", "SHA", "YA", "MI", "NI", "RI", "TI", "LI", "VI", "DHI", "KA",
    "MA", "DA", "GA", "BHA", "JA", "PA", "SA", "HA", "NO", "RO", "TO", "LO", "VE", "ME", "NE",
    "RE", "DE", "LE", "SE", "TE", "KU", "MU", "NU", "RU", "SU", "TU", "ANA", "ARA", "ATA", "ALA",
    "IVA", "INA", "ITA", "ILA", "ORA", "ONA", "UDA", "UMA", "KSHA", "NDRA", "NTA", "RTHA", "STHA",
    "SHTA", "DDHI", "TTA", "LLA", "MMA", "NNA", "PPA", "RMA", "RNA", "RSHA", "TRA",
];
const ENDINGS: &[&str] = &[
    "YA", "TECH", "NA", "RA", "TA", "LA", "NI", "KA", "VA", "SH", "N", "NT", "M", "X", "S", "L",
    "R", "TEX", "CHEM", "INFRA", "SOFT", "AGRO", "FIN", "CARE", "MED", "LINE", "LINK", "NET",
    "WAYS", "CON", "COM", "BIZ", "VERSE", "NOVA", "MAX", "PLUS", "LIFE", "HUB", "ZONE", "MART",
    "KART", "PAY", "GO", "IFY", "LY", "IO", "IX", "EX", "ON", "OS", "US", "AM", "AN", "AR", "ESH",
    "ENDRA", "ANAND", "ANSH", "ANT", "ARTH", "DEEP", "DHAN", "GIRI", "JEET", "KANT", "KRIT", "LOK",
    "MANI", "MAYA", "NATH", "NIDHI", "PATI", "POOR", "PRIYA", "PUR", "RAJ", "SHREE", "SIDDHI",
    "TARA", "VARDHAN", "VEER", "VIKA", "WIN", "YAAN", "YUG", "ORA", "IKA", "ISHA", "IYA", "ETTA",
    "ELLA", "ERA", "ENA", "AVA", "AURA", "VITA", "VIA", "TRON", "TRIX", "STAR", "SPARK", "SONIC",
    "SCAPE", "RISE", "PRO", "POINT", "PEAK", "NEST", "MIND",
];

/// A made-up word, such as `NAVITARA` or `VIRATECH`.
pub(crate) fn invented_word(random: &mut Random) -> String {
    let mut word = BEGINNINGS[random.index(BEGINNINGS.len())].to_owned();
    append(&mut word, MIDDLES[random.index(MIDDLES.len())]);
    if random.per_mille(420) {
        append(&mut word, MIDDLES[1 + random.index(MIDDLES.len() - 1)]);
    }
    append(&mut word, ENDINGS[random.early_index(ENDINGS.len())]);
    // Some spellings double a vowel.
    if random.per_mille(120)
        && let Some(at) = word.find('A').filter(|at| *at > 0)
        && !word[at + 1..].starts_with('A')
    {
        word.insert(at, 'A');
    }
    word
}

/// Appends a syllable so that the word can be pronounced: a vowel is added between consonants, and
/// one of two vowels is dropped.
fn append(word: &mut String, syllable: &str) {
    let is_vowel = |letter: char| "AEIOU".contains(letter);
    let ends_with_vowel = word.chars().next_back().is_some_and(is_vowel);
    match syllable.chars().next().map(is_vowel) {
        Some(false) if !ends_with_vowel && syllable.len() < 4 => word.push('A'),
        Some(true) if ends_with_vowel && word.len() > 2 => drop(word.pop()),
        _ => {}
    }
    word.push_str(syllable);
}

/// Initials such as `SVR`, mostly consonants.
pub(crate) fn letters(random: &mut Random, fewest: u64, most: u64) -> String {
    const LETTERS: &[u8] = b"SRKVMPANGBDJTLCHEISYUFOWZXQ";
    (0..random.between(fewest, most))
        .map(|_| char::from(LETTERS[random.early_index(LETTERS.len())]))
        .collect()
}
