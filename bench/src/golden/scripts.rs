//! Names in the scripts of India, written as they sound.

use super::loanwords::LOANWORDS;
use super::perturb::core;
use super::random::Random;

/// Consonants in Latin letters, the longest first, and in Devanagari; some have several letters.
const CONSONANTS: &[(&str, &[&str])] = &[
    ("KSH", &["क्ष"]),
    ("CHH", &["छ"]),
    ("CH", &["च"]),
    ("SH", &["श"]),
    ("TH", &["थ"]),
    ("DH", &["ध"]),
    ("BH", &["भ"]),
    ("GH", &["घ"]),
    ("KH", &["ख"]),
    ("PH", &["फ"]),
    ("JH", &["झ"]),
    ("CK", &["क"]),
    ("B", &["ब"]),
    ("C", &["क"]),
    ("D", &["द", "ड"]),
    ("F", &["फ"]),
    ("G", &["ग"]),
    ("H", &["ह"]),
    ("J", &["ज"]),
    ("K", &["क"]),
    ("L", &["ल"]),
    ("M", &["म"]),
    ("N", &["न"]),
    ("P", &["प"]),
    ("Q", &["क"]),
    ("R", &["र"]),
    ("S", &["स"]),
    ("T", &["त", "ट"]),
    ("V", &["व"]),
    ("W", &["व"]),
    ("X", &["क्स"]),
    ("Z", &["ज", "ज़"]),
];

/// Vowels in Latin letters, the longest first: at the beginning of a word, and after a consonant.
const VOWELS: &[(&str, &str, &[&str])] = &[
    ("AA", "आ", &["ा"]),
    ("AI", "ऐ", &["ै"]),
    ("AU", "औ", &["ौ"]),
    ("EE", "ई", &["ी"]),
    ("OO", "ऊ", &["ू"]),
    ("OU", "औ", &["ौ"]),
    ("EA", "ई", &["ी"]),
    ("A", "अ", &["", "ा"]),
    ("E", "ए", &["े"]),
    ("I", "इ", &["ि"]),
    ("O", "ओ", &["ो"]),
    ("U", "उ", &["ु"]),
];

const SILENCE: &str = "्";

/// The first code points of the scripts' Unicode blocks, which have the same order.
const BLOCKS: [u32; 8] = [0x980, 0xA00, 0xA80, 0xB00, 0xB80, 0xC00, 0xC80, 0xD00];
const TAMIL: u32 = 0xB80;

/// The name in Devanagari; none if it has initials or digits, which have no fixed pronunciation.
pub fn devanagari(name: &str, random: &mut Random) -> Option<String> {
    let core = core(name).replace('&', " AND ");
    let words: Vec<&str> = core.split_whitespace().filter(|word| *word != "AND").collect();
    let readable = |word: &&str| {
        word.len() > 1
            && word.bytes().all(|byte| byte.is_ascii_uppercase())
            && (loan(word).is_some() || is_pronounceable(word))
    };
    if words.is_empty() || !words.iter().all(readable) {
        return None;
    }
    let mut written: Vec<String> = words
        .iter()
        .map(|word| loan(word).map_or_else(|| spell(word, random), str::to_owned))
        .collect();
    if name.to_uppercase().ends_with("PRIVATE LIMITED") && random.below(3) == 0 {
        written.push("प्राइवेट लिमिटेड".to_owned());
    }
    Some(written.join(" "))
}

/// The name in one of the other scripts.
pub fn other(name: &str, random: &mut Random) -> Option<String> {
    let text = devanagari(name, random)?;
    let block = *random.pick(&BLOCKS);
    Some(text.chars().map(|letter| moved(letter, block)).collect())
}

fn loan(word: &str) -> Option<&'static str> {
    LOANWORDS.iter().find(|(english, _)| *english == word).map(|(_, written)| *written)
}

/// Whether a word can be pronounced: it has vowels, and no long sequence of consonants.
fn is_pronounceable(word: &str) -> bool {
    let vowel = |letter: char| "AEIOUY".contains(letter);
    word.contains(vowel) && word.split(vowel).all(|consonants| consonants.len() < 5)
}

/// Transliterates a word letter by letter.
fn spell(word: &str, random: &mut Random) -> String {
    let mut written = String::new();
    let mut rest = word;
    let mut after_consonant = false;
    while let Some(first) = rest.chars().next() {
        let before_vowel = rest[1..].starts_with(['A', 'E', 'I', 'O', 'U']);
        if first == 'Y' && before_vowel {
            if after_consonant {
                written.push_str(SILENCE);
            }
            written.push('य');
            (rest, after_consonant) = (&rest[1..], true);
            continue;
        }
        if first == 'Y' {
            written.push_str(if after_consonant { "ी" } else { "ई" });
            (rest, after_consonant) = (&rest[1..], false);
            continue;
        }
        if let Some((letters, alone, signs)) = VOWELS.iter().find(|(way, ..)| rest.starts_with(way))
        {
            let last = rest.len() == letters.len();
            let silent_e =
                *letters == "E" && last && after_consonant && written.chars().count() > 3;
            match (after_consonant, *letters, last) {
                _ if silent_e => {}
                (true, "A", true) => written.push('ा'),
                (true, "I", true) => written.push('ी'),
                (true, ..) => written.push_str(random.pick::<&str>(signs)),
                (false, ..) => written.push_str(alone),
            }
            (rest, after_consonant) = (&rest[letters.len()..], false);
            continue;
        }
        let soft = first == 'C' && rest[1..].starts_with(['E', 'I', 'Y']);
        let Some((letters, ways)) = CONSONANTS.iter().find(|(way, _)| rest.starts_with(way)) else {
            rest = &rest[first.len_utf8()..];
            continue;
        };
        let doubled = rest[letters.len()..].starts_with(letters);
        rest = &rest[letters.len()..];
        if doubled && random.below(2) == 0 {
            continue;
        }
        let nasal = *letters == "N"
            && !rest.is_empty()
            && !rest.starts_with(['A', 'E', 'I', 'O', 'U', 'Y', 'N']);
        if nasal && !after_consonant && !written.is_empty() {
            written.push('ं');
            continue;
        }
        if after_consonant {
            written.push_str(SILENCE);
        }
        written.push_str(if soft { "स" } else { random.pick::<&str>(ways) });
        after_consonant = true;
    }
    written
}

/// A letter of Devanagari in another block; the nearest letter if the script does not have it.
fn moved(letter: char, block: u32) -> char {
    let letter = match (letter, block) {
        ('ख' | 'ग' | 'घ', TAMIL) => 'क',
        ('छ', TAMIL) => 'च',
        ('झ', TAMIL) => 'ज',
        ('ठ' | 'ड' | 'ढ', TAMIL) => 'ट',
        ('थ' | 'द' | 'ध', TAMIL) => 'त',
        ('फ' | 'ब' | 'भ', TAMIL) => 'प',
        ('श', TAMIL) => 'ष',
        ('ं', TAMIL) => return 'ன',
        ('अ'..='औ' | 'ा'..='ौ', TAMIL) => match letter {
            'ॉ' => 'ा',
            'ऑ' => 'आ',
            'ृ' => 'ि',
            other => other,
        },
        ('व', 0x980) => 'ब',
        ('ष', 0xA00) => 'श',
        ('ॉ', 0x980 | 0xA00 | 0xB00 | 0xC00 | 0xC80 | 0xD00) => 'ो',
        ('ऑ', 0x980 | 0xA00 | 0xB00 | 0xC00 | 0xC80 | 0xD00) => 'ओ',
        ('ॅ', _) => 'े',
        ('ऍ', _) => 'ए',
        ('़', TAMIL | 0xC00 | 0xC80 | 0xD00) => '\u{200c}',
        (other, _) => other,
    };
    match u32::from(letter) {
        code @ 0x900..=0x97F => char::from_u32(code - 0x900 + block).unwrap_or(letter),
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_transliterated_by_pronunciation() {
        let mut random = Random::new(1);
        assert_eq!(devanagari("HIND MILLS LIMITED", &mut random).as_deref(), Some("हिंद मिल्स"));
        assert_eq!(devanagari("K V MILLS LIMITED", &mut random), None);
        let gujarati: String = "हिंद मिल्स".chars().map(|letter| moved(letter, 0xA80)).collect();
        assert_eq!(gujarati, "હિંદ મિલ્સ");
    }
}
