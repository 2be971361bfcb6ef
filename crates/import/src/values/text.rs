//! Text of the sources: encodings, lost characters, blank cells.

/// Forms may contain a few control characters; content with more is not text.
const MAX_CONTROLS: usize = 3;

/// Windows-1252 from 0x80 to 0x9F; undefined bytes give U+FFFD.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{FFFD}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{FFFD}', 'Ž',
    '\u{FFFD}', '\u{FFFD}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{FFFD}',
    'ž', 'Ÿ',
];

/// Decodes a line as UTF-8, or else as Windows-1252, which includes ISO-8859-1. Control characters
/// become spaces; the flag is true if there are too many of them for a text.
pub fn decode(bytes: &[u8]) -> (String, bool) {
    let text = match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| windows_1252(*byte)).collect(),
    };
    if !text.bytes().any(|byte| is_control(char::from(byte))) {
        return (text, false);
    }
    let controls = text.chars().filter(|character| is_control(*character)).count();
    let garbled = text.contains('\0') || controls > MAX_CONTROLS;
    (text.replace(is_control, " "), garbled)
}

fn is_control(character: char) -> bool {
    matches!(character, '\0'..='\u{1F}' | '\u{7F}') && !matches!(character, '\t' | '\r' | '\n')
}

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9F => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// A cell's text with single spaces and its lost punctuation repaired; none if it is blank.
pub fn cell_text(cell: &str) -> Option<String> {
    if is_blank(cell) {
        return None;
    }
    let mut text = String::with_capacity(cell.len());
    for word in cell.split_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    Some(if text.is_ascii() { text } else { repair_lost_characters(&text) })
}

/// Whether a cell is empty or has a placeholder such as `NA` or `-`.
pub fn is_blank(cell: &str) -> bool {
    let text = cell.trim();
    if text.len() > 4 && text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return false;
    }
    text.chars().all(|character| matches!(character, '-' | '.' | ','))
        || ["NA", "N/A", "NULL", "NIL", "NONE"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Some exports write only the first byte of a three-byte character, or lose it, and spell the two
/// others in letters: `\u{FFFD}x80x93` was a dash. Unknown characters become U+FFFD.
fn repair_lost_characters(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{FFFD}', 'â']) {
        let lead = rest[at..].chars().next().map_or(0, char::len_utf8);
        repaired.push_str(&rest[..at]);
        let after = &rest[at + lead..];
        match spelled_bytes(after) {
            Some((bytes, length)) => {
                // All general punctuation begins with the byte E2.
                let whole = [0xE2, bytes[0], bytes[1]];
                let found = str::from_utf8(&whole).ok().filter(|_| bytes[0] == 0x80);
                repaired.push_str(found.unwrap_or("\u{FFFD}"));
                rest = &after[length..];
            }
            None => {
                repaired.push_str(&rest[at..at + lead]);
                rest = after;
            }
        }
    }
    repaired.push_str(rest);
    repaired
}

/// Two bytes spelled as `x80x93` or `\x80\x93`, and the length of the spelling.
fn spelled_bytes(text: &str) -> Option<([u8; 2], usize)> {
    let mut bytes = [0; 2];
    let mut rest = text;
    for byte in &mut bytes {
        let digits = rest.strip_prefix('\\').unwrap_or(rest).strip_prefix('x')?;
        *byte = u8::from_str_radix(digits.get(..2)?, 16).ok()?;
        rest = &digits[2..];
    }
    Some((bytes, text.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_are_read() {
        assert_eq!(decode("Café – Goa".as_bytes()), ("Café – Goa".to_owned(), false));
        assert_eq!(decode(b"Caf\xE9 \x96 Goa"), ("Café – Goa".to_owned(), false));
        assert_eq!(decode(b"a\x0Bb"), ("a b".to_owned(), false));
        assert!(decode(b"a\0b").1);
        assert!(decode(b"\x01\x02\x03\x04").1);
    }

    #[test]
    fn lost_punctuation_is_repaired() {
        let check = |cell: &str, expected: &str| {
            assert_eq!(cell_text(cell).as_deref(), Some(expected), "{cell}");
        };
        check("Block  \u{FFFD}x80x93II", "Block –II");
        check("Tara\u{FFFD}x80x99s \u{FFFD}x80x98B\u{FFFD}x80x99", "Tara’s ‘B’");
        check("Village â\\x1a\\x1a Madhya", "Village \u{FFFD} Madhya");
        check("Crâme \u{FFFD} rest", "Crâme \u{FFFD} rest");
        check("50 x80x93", "50 x80x93");
    }

    #[test]
    fn blank_cells_have_no_text() {
        for cell in ["", "  ", "NA", "na", "N/A", "-", "--", ".", "NULL", "nil"] {
            assert_eq!(cell_text(cell), None, "{cell:?}");
        }
        assert_eq!(cell_text(" Nala  Sopara ").as_deref(), Some("Nala Sopara"));
    }
}
