//! Converts the scripts of India to Devanagari, letter by letter: their Unicode blocks have the
//! same order.
//!
//! Exceptions are letters that only one script has, and Tamil, which has one letter for voiced and
//! voiceless sounds.

/// The script of a text, as far as it matters for the comparison of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Script {
    /// Latin letters, or an unknown script.
    #[default]
    Latin,
    /// A script that distinguishes all sounds.
    Indic,
    /// Tamil: `k` may be `g`, `t` may be `d`, `p` may be `b` or `f`, `ch` may be `s` or `j`.
    Tamil,
}

/// The range of the Unicode blocks with the order of Devanagari.
const FIRST: u32 = 0x900;
const LAST: u32 = 0xD7F;
const BLOCK: u32 = 0x80;
const BENGALI: u32 = 0x980;
const ORIYA: u32 = 0xB00;
const TAMIL: u32 = 0xB80;

/// The script of a text: that of its first Indian letter, if any.
pub fn script_of(text: &str) -> Script {
    let code = text.chars().map(u32::from).find(|code| (FIRST..=LAST).contains(code));
    match code {
        None => Script::Latin,
        Some(code) if code / BLOCK * BLOCK == TAMIL => Script::Tamil,
        Some(_) => Script::Indic,
    }
}

/// Converts the letters of all these scripts to Devanagari, and their digits to ASCII.
pub fn to_devanagari(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let code = u32::from(letter);
        if !(FIRST..=LAST).contains(&code) {
            written.push(letter);
            continue;
        }
        let block = code / BLOCK * BLOCK;
        let dotted = letters.peek().is_some_and(|next| u32::from(*next) % BLOCK == 0x3C);
        match (letter, block) {
            // This letter of Bengali and Odia sounds like j, and with a dot like y.
            ('য' | 'ଯ', _) if !dotted && !written.ends_with('्') => written.push('ज'),
            ('ୟ', _) => written.push('य'),
            ('ୱ' | 'ৱ', _) => written.push('व'),
            ('ৰ', _) => written.push('र'),
            ('ৎ', _) => written.push_str("त्"),
            ('ੰ', _) => written.push('ं'),
            // It doubles the next sound, which is ignored in the keys of sound.
            ('ੱ', _) => {}
            ('ൺ' | 'ൻ', _) => written.push_str("न्"),
            ('ർ', _) => written.push_str("र्"),
            ('ൽ' | 'ൾ', _) => written.push_str("ल्"),
            ('ൿ', _) => written.push_str("क्"),
            // Before p it makes f.
            ('ஃ', TAMIL) if letters.peek() == Some(&'ப') => {
                letters.next();
                written.push('फ');
            }
            ('ஃ', TAMIL) => {}
            (_, BENGALI | ORIYA) if code - block == 0x35 => written.push('व'),
            _ => written.extend(devanagari_letter(code - block)),
        }
    }
    written
}

/// The letter at a position of the Devanagari block; digits in ASCII.
fn devanagari_letter(position: u32) -> Option<char> {
    match position {
        0x66..=0x6F => char::from_digit(position - 0x66, 10),
        // Length marks of vowels.
        0x55..=0x57 => None,
        0x64 | 0x65 => Some(' '),
        _ => char::from_u32(FIRST + position),
    }
}

/// The possible keys of sound of a Tamil word: each ambiguous letter is replaced by all its sounds,
/// up to a bound.
pub fn tamil_keys(key: &str) -> Vec<String> {
    let mut keys = vec![String::new()];
    for letter in key.chars() {
        let sounds: &[char] = match letter {
            'k' => &['k', 'g'],
            't' => &['t', 'd'],
            'p' => &['p', 'b', 'f'],
            'c' | 's' => &['s', 'c', 'j'],
            _ => &[],
        };
        let several = sounds.len() > 1 && keys.len() * sounds.len() <= MAX_KEYS;
        if !several {
            keys.iter_mut().for_each(|key| key.push(letter));
            continue;
        }
        let with = |key: &String, sound: &char| format!("{key}{sound}");
        keys =
            keys.iter().flat_map(|key| sounds.iter().map(move |sound| with(key, sound))).collect();
    }
    keys
}

/// The most keys of sound for one word.
const MAX_KEYS: usize = 96;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devanagari::transliterate;

    #[test]
    fn each_script_is_transliterated_like_devanagari() {
        let cases = [
            ("લક્ષ્મી મિલ્સ", "lakshmi mils"),
            ("ਲਕਸ਼ਮੀ ਮਿਲਜ਼", "lakashami milaz"),
            ("লক্ষ্মী মিলস", "lakshmi milas"),
            ("ଲକ୍ଷ୍ମୀ", "lakshmi"),
            ("లక్ష్మీ మిల్స్", "lakshmi mils"),
            ("ಲಕ್ಷ್ಮೀ ಮಿಲ್ಸ್", "lakshmi mils"),
            ("ലക്ഷ്മി മിൽസ്", "lakshmi mils"),
            ("லக்ஷ்மி மில்ஸ்", "lakshmi mils"),
            ("યાદવ ૪૨", "yadav 42"),
            ("যাদব", "jadab"),
        ];
        for (text, latin) in cases {
            use unicode_normalization::UnicodeNormalization;
            let text: String = text.nfc().collect();
            assert_eq!(transliterate(&to_devanagari(&text)), latin, "{text}");
        }
    }

    #[test]
    fn the_script_is_detected() {
        assert_eq!(script_of("Kalpanik 42"), Script::Latin);
        assert_eq!(script_of("x भारत"), Script::Indic);
        assert_eq!(script_of("தமிழ்"), Script::Tamil);
    }

    #[test]
    fn a_tamil_letter_may_be_each_of_its_sounds() {
        let keys = tamil_keys("kntn");
        for key in ["kntn", "gntn", "kndn", "gndn"] {
            assert!(keys.iter().any(|found| found == key), "{key}");
        }
        assert!(tamil_keys(&"k".repeat(40)).len() <= MAX_KEYS);
    }
}
