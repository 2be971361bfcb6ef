//! Transliterates Devanagari to Latin letters, as Indian names are spelled in English.

/// The kind of a character.
enum Sign {
    /// A consonant, followed by an inherent `a` unless another sign removes it.
    Consonant(&'static str),
    /// An independent vowel.
    Vowel(&'static str),
    /// A vowel sign, replaces the inherent `a`.
    Matra(&'static str),
    /// Removes the inherent `a`.
    Virama,
    /// A sign after the vowel.
    Tail(&'static str),
    /// Changes the consonant before it.
    Dot,
}

/// The `a` at the end of a word of several consonants is silent in the modern languages, and is
/// left out.
pub fn transliterate(text: &str) -> String {
    let mut latin = String::with_capacity(text.len());
    let mut word = Word::default();
    for character in text.chars() {
        match sign(character) {
            Some(sign) => word.push(sign),
            None => {
                word.finish(&mut latin);
                latin.push(character);
            }
        }
    }
    word.finish(&mut latin);
    latin
}

#[derive(Default)]
struct Word {
    latin: String,
    syllables: usize,
    open: bool,
}

impl Word {
    fn push(&mut self, sign: Sign) {
        match sign {
            Sign::Consonant(letters) => {
                self.close();
                self.latin.push_str(letters);
                self.open = true;
            }
            Sign::Vowel(letters) => {
                self.close();
                self.latin.push_str(letters);
                self.syllables += 1;
            }
            Sign::Matra(letters) => {
                self.open = false;
                self.latin.push_str(letters);
                self.syllables += 1;
            }
            Sign::Virama => self.open = false,
            Sign::Tail(letters) => {
                self.close();
                self.latin.push_str(letters);
            }
            Sign::Dot => self.soften(),
        }
    }

    /// The dot changes the last consonant.
    fn soften(&mut self) {
        const SOFTENED: [(&str, &str); 5] =
            [("dh", "rh"), ("ph", "f"), ("d", "r"), ("j", "z"), ("s", "sh")];
        for (hard, soft) in SOFTENED {
            if let Some(stem) = self.latin.strip_suffix(hard) {
                self.latin = format!("{stem}{soft}");
                return;
            }
        }
    }

    /// Writes the inherent vowel.
    fn close(&mut self) {
        if std::mem::take(&mut self.open) {
            self.latin.push('a');
            self.syllables += 1;
        }
    }

    fn finish(&mut self, out: &mut String) {
        if self.syllables == 0 {
            self.close();
        }
        out.push_str(&self.latin);
        *self = Word::default();
    }
}

fn sign(character: char) -> Option<Sign> {
    use Sign::{Consonant, Dot, Matra, Tail, Virama, Vowel};
    Some(match character {
        'अ' => Vowel("a"),
        'आ' => Vowel("a"),
        'इ' | 'ई' => Vowel("i"),
        'उ' | 'ऊ' => Vowel("u"),
        'ऋ' => Vowel("ri"),
        'ए' | 'ऍ' | 'ऎ' => Vowel("e"),
        'ऐ' => Vowel("ai"),
        'ओ' | 'ऑ' | 'ऒ' => Vowel("o"),
        'ॐ' => Vowel("om"),
        'औ' => Vowel("au"),
        'ा' => Matra("a"),
        'ि' | 'ी' => Matra("i"),
        'ु' | 'ू' => Matra("u"),
        'ृ' => Matra("ri"),
        'े' | 'ॅ' | 'ॆ' => Matra("e"),
        'ै' => Matra("ai"),
        'ो' | 'ॉ' | 'ॊ' => Matra("o"),
        'ौ' => Matra("au"),
        '्' => Virama,
        '़' => Dot,
        'ं' | 'ँ' => Tail("n"),
        'ः' => Tail("h"),
        'क' => Consonant("k"),
        'ख' => Consonant("kh"),
        'ग' => Consonant("g"),
        'घ' => Consonant("gh"),
        'ङ' | 'ञ' | 'ण' | 'न' | 'ऩ' => Consonant("n"),
        'च' => Consonant("ch"),
        'छ' => Consonant("chh"),
        'ज' => Consonant("j"),
        'झ' => Consonant("jh"),
        'ट' | 'त' => Consonant("t"),
        'ठ' | 'थ' => Consonant("th"),
        'ड' | 'द' => Consonant("d"),
        'ढ' | 'ध' => Consonant("dh"),
        'प' => Consonant("p"),
        'फ' => Consonant("ph"),
        'ब' => Consonant("b"),
        'भ' => Consonant("bh"),
        'म' => Consonant("m"),
        'य' => Consonant("y"),
        'र' | 'ऱ' => Consonant("r"),
        'ल' | 'ळ' | 'ऴ' => Consonant("l"),
        'व' => Consonant("v"),
        'श' | 'ष' => Consonant("sh"),
        'स' => Consonant("s"),
        'ह' => Consonant("h"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelled_as_in_english() {
        let cases = [
            ("लक्ष्मी", "lakshmi"),
            ("श्री गणेश", "shri ganesh"),
            ("भारत", "bharat"),
            ("कल्पना", "kalpana"),
            ("टाटा मोटर्स लिमिटेड", "tata motars limited"),
            ("राम 42 & Co", "ram 42 & Co"),
            ("न", "na"),
            ("कृष्णा", "krishna"),
            ("हिंद", "hind"),
            ("ज़वेरी", "zaveri"),
        ];
        for (text, latin) in cases {
            assert_eq!(transliterate(text), latin, "{text}");
        }
    }
}
