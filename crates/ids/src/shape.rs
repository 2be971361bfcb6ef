//! The form of a value: which of its characters are letters, digits or similar to them.

use crate::clean::{look_alikes, matches_pattern, significant, upper};

/// The longest identifier is a CIN.
const LONGEST: usize = 21;

/// The characters of a value of any length, as far as its form depends on them.
pub(crate) struct Classified {
    pub bytes: [u8; LONGEST],
    pub count: usize,
}

impl Classified {
    pub fn read(trimmed: &str, separators: bool) -> Self {
        let mut bytes = [0; LONGEST];
        let mut count = 0;
        // One character more than the longest shows that it is none of them.
        for (_, character) in significant(trimmed, separators).take(LONGEST + 1) {
            if let Some(slot) = bytes.get_mut(count) {
                *slot = upper(character);
            }
            count += 1;
        }
        Self { bytes, count }
    }

    pub fn given(&self) -> &[u8] {
        &self.bytes[..self.count.min(LONGEST)]
    }

    pub fn all_digits(&self) -> bool {
        self.count > 0 && self.given().iter().all(u8::is_ascii_digit)
    }

    pub fn is_nearly_a_company(&self) -> bool {
        let given = self.given();
        match self.count {
            6 | 7 if given[0] == b'F' && given[1..].iter().all(|&byte| digit_like(byte)) => true,
            7 => {
                let (letters, digits) = given.split_at(3);
                letters.iter().all(|&byte| letter_like(byte))
                    && letters.iter().any(u8::is_ascii_uppercase)
                    && digits.iter().all(|&byte| digit_like(byte))
                    && digits.iter().any(u8::is_ascii_digit)
            }
            _ => false,
        }
    }

    /// Ten letters are a word, not a PAN.
    pub fn has_a_digit(&self) -> bool {
        self.bytes[..self.count].iter().any(u8::is_ascii_digit)
    }

    pub fn begins_with_letters(&self) -> bool {
        let first = &self.bytes[..3];
        let letters = first.iter().filter(|byte| byte.is_ascii_uppercase()).count();
        letters >= 2
            && first.iter().all(|&byte| letter_like(byte))
            && self.given().iter().all(u8::is_ascii_alphanumeric)
    }

    pub fn is_nearly_a_din(&self) -> bool {
        let digits = self.given().iter().filter(|byte| byte.is_ascii_digit()).count();
        self.count == 8 && digits > 4 && self.given().iter().all(|&byte| digit_like(byte))
    }
}

/// The identifier, with its article, whose form a text matches exactly; separators are ignored.
pub(crate) fn resembles(trimmed: &str) -> Option<&'static str> {
    const SHAPES: [(&str, &str); 10] = [
        ("A99999AA9999AAA999999", "a CIN"),
        ("99AAAAA9999As**", "a GSTIN"),
        ("99AAAA99999As**", "a GSTIN"),
        ("9999AAA99999AA*", "a GSTIN"),
        ("AAAAA9999A", "a PAN"),
        ("AAAA99999A", "a TAN"),
        ("99999999", "a DIN"),
        ("AAA9999", "an LLPIN"),
        ("A999999", "an FCRN"),
        ("A99999", "an FCRN"),
    ];
    let value = Classified::read(trimmed, true);
    if value.count > LONGEST {
        return None;
    }
    let given = value.given();
    let (_, noun) = SHAPES.iter().find(|(shape, _)| matches_pattern(given, shape))?;
    match (*noun, given[0]) {
        ("an FCRN", first) if first != b'F' => None,
        ("a CIN", first) if first != b'L' && first != b'U' => None,
        _ => Some(noun),
    }
}

/// A digit, or a letter that is easily confused with one.
pub(crate) fn digit_like(byte: u8) -> bool {
    byte.is_ascii_digit() || look_alikes(byte).iter().any(|(other, _)| other.is_ascii_digit())
}

fn letter_like(byte: u8) -> bool {
    byte.is_ascii_uppercase()
        || look_alikes(byte).iter().any(|(other, _)| other.is_ascii_uppercase())
}
