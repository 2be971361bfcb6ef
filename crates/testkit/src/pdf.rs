//! Extracts the text of PDF files written by this project, as a PDF reader would copy it.

use std::collections::HashMap;
use std::io::Read;

use flate2::read::ZlibDecoder;

/// An object of a file: its dictionary, and its uncompressed stream.
struct Object {
    dictionary: String,
    stream: Vec<u8>,
}

/// A token of a page's content stream.
enum Token {
    Text(Vec<u8>),
    Word(String),
}

/// The text of each page, one line for each line of the page.
///
/// # Panics
///
/// If this project could not have written the file.
pub fn pdf_pages(file: &[u8]) -> Vec<String> {
    assert!(file.starts_with(b"%PDF-"), "this is no PDF file");
    let objects = objects(file);
    let mut pages: Vec<(&i32, &Object)> =
        objects.iter().filter(|(_, object)| object.dictionary.contains("/Type /Page\n")).collect();
    pages.sort_by_key(|(id, _)| **id);
    let page = |(_, page): (&i32, &Object)| {
        let content = &objects[&number(&page.dictionary, "/Contents").expect("a content")];
        text_of(&tokens(&content.stream), &page.dictionary, &objects)
    };
    pages.into_iter().map(page).collect()
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

fn objects(file: &[u8]) -> HashMap<i32, Object> {
    let (mut objects, mut rest) = (HashMap::new(), file);
    while let Some(start) = find(rest, b" 0 obj\n") {
        let before = String::from_utf8_lossy(&rest[..start]).into_owned();
        let id = before.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|id| id.parse().ok());
        rest = &rest[start + 7..];
        let end = find(rest, b"endobj").expect("an object ends");
        let stream_start = find(&rest[..end], b"stream\n");
        let dictionary_end = stream_start.unwrap_or(end);
        let dictionary = String::from_utf8_lossy(&rest[..dictionary_end]).into_owned();
        let mut stream = Vec::new();
        if let Some(start) = stream_start {
            let length = number(&dictionary, "/Length").expect("a stream has a length");
            let data = &rest[start + 7..start + 7 + length as usize];
            ZlibDecoder::new(data).read_to_end(&mut stream).expect("a stream is packed");
            rest = &rest[start + 7 + length as usize..];
        }
        objects.insert(id.expect("an object has a number"), Object { dictionary, stream });
    }
    objects
}

fn number(dictionary: &str, key: &str) -> Option<i32> {
    let (_, rest) = dictionary.split_once(&format!("{key} "))?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn tokens(content: &[u8]) -> Vec<Token> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < content.len() {
        match content[at] {
            b' ' | b'\n' | b'\r' => at += 1,
            b'(' => {
                let (text, end) = literal(content, at + 1);
                tokens.push(Token::Text(text));
                at = end;
            }
            b'<' if content.get(at + 1) != Some(&b'<') => {
                let end = at + find(&content[at..], b">").expect("a string ends");
                tokens.push(Token::Text(from_hex(&content[at + 1..end])));
                at = end + 1;
            }
            b'[' | b']' => at += 1,
            _ => {
                let ends = |byte: &u8| b" \n\r([".contains(byte) || *byte == b']';
                let is_end = |(index, byte): (usize, &u8)| {
                    index > 0 && (ends(byte) || *byte == b'<' && content[at] != b'<')
                };
                let rest = content[at..].iter().enumerate();
                let length = rest.clone().position(is_end).unwrap_or(rest.len());
                let word = String::from_utf8_lossy(&content[at..at + length]).into_owned();
                tokens.push(Token::Word(word));
                at += length;
            }
        }
    }
    tokens
}

/// A string in brackets after the first bracket, and its end.
fn literal(content: &[u8], mut at: usize) -> (Vec<u8>, usize) {
    let (mut text, mut depth) = (Vec::new(), 1);
    loop {
        let byte = content[at];
        at += 1;
        match byte {
            b'\\' => {
                let (escaped, length) = escaped(&content[at..]);
                text.push(escaped);
                at += length;
                continue;
            }
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (text, at);
        }
        text.push(byte);
    }
}

/// The byte of an escape sequence after a backslash, and the length of the sequence.
fn escaped(text: &[u8]) -> (u8, usize) {
    let digits = text.iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
    if digits > 0 {
        let octal = text[..digits].iter().fold(0, |sum, digit| sum * 8 + u32::from(digit - b'0'));
        return (octal as u8, digits);
    }
    let byte = match text[0] {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'f' => 12,
        other => other,
    };
    (byte, 1)
}

fn from_hex(text: &[u8]) -> Vec<u8> {
    let pairs = text.chunks(2).map(|pair| String::from_utf8_lossy(pair).into_owned());
    pairs.map(|pair| u8::from_str_radix(&pair, 16).expect("hexadecimal")).collect()
}

fn from_utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    String::from_utf16(&units.collect::<Vec<u16>>()).expect("UTF-16")
}

/// The characters of a font's glyphs.
fn characters(map: &[u8]) -> HashMap<u16, String> {
    let text = String::from_utf8_lossy(map).into_owned();
    let lines = text.lines().filter_map(|line| {
        let (glyph, code) = line.strip_prefix('<')?.strip_suffix('>')?.split_once("> <")?;
        let glyph = u16::from_str_radix(glyph, 16).ok()?;
        (!code.contains('>')).then(|| (glyph, from_utf16(&from_hex(code.as_bytes()))))
    });
    lines.collect()
}

/// The text of a page's content. The text of a marked sequence replaces the characters of its
/// glyphs.
fn text_of(tokens: &[Token], page: &str, objects: &HashMap<i32, Object>) -> String {
    let (mut text, mut strings, mut words) = (String::new(), Vec::new(), Vec::new());
    let (mut font, mut height) = (HashMap::new(), "");
    let (mut replacement, mut in_marked_sequence) = (None, false);
    for token in tokens {
        let word = match token {
            Token::Text(string) => {
                strings.push(string);
                continue;
            }
            Token::Word(word) => word.as_str(),
        };
        match word {
            "BDC" => {
                let marked = strings.last().expect("a text for the mark");
                (replacement, in_marked_sequence) = (Some(marked_text(marked)), true);
            }
            "EMC" => in_marked_sequence = false,
            "Tf" => {
                let name: &&str = words.iter().rev().nth(1).expect("a font");
                let id = number(page, name).expect("a font of the page");
                let map = number(&objects[&id].dictionary, "/ToUnicode").expect("a map");
                font = characters(&objects[&map].stream);
            }
            "Tm" => {
                let y = words.last().copied().unwrap_or_default();
                if y != height && !text.is_empty() {
                    text.push('\n');
                }
                height = y;
                text.push_str(&replacement.take().unwrap_or_default());
            }
            "TJ" | "Tj" if !in_marked_sequence => {
                for glyph in strings.iter().flat_map(|string| string.chunks_exact(2)) {
                    let glyph = u16::from_be_bytes([glyph[0], glyph[1]]);
                    text.push_str(font.get(&glyph).map_or("\u{fffd}", String::as_str));
                }
            }
            _ => {}
        }
        if word.chars().all(|c| c.is_ascii_alphabetic()) {
            strings.clear();
            words.clear();
        } else {
            words.push(word);
        }
    }
    text
}

fn marked_text(bytes: &[u8]) -> String {
    match bytes.strip_prefix(b"\xfe\xff") {
        Some(utf16) => from_utf16(utf16),
        None => String::from_utf8_lossy(bytes).into_owned(),
    }
}
