//! Splits an address into words and numbers.

/// The initial capacity: most addresses have fewer words and numbers.
const USUAL_TOKENS: usize = 32;

/// A word or a number of an address.
#[derive(Clone, Copy)]
pub struct Token<'a> {
    /// The address from the start of the word.
    pub rest: &'a str,
    pub text: &'a str,
    pub is_number: bool,
    /// The separator before the next token.
    pub gap: Gap,
}

impl<'a> Token<'a> {
    /// This word and the next, if nothing but a comma is between them.
    pub fn joined_with(&self, next: &Token<'a>) -> Option<&'a str> {
        let length = self.text.len() + 1 + next.text.len();
        let is_comma = self.rest.as_bytes().get(self.text.len()) == Some(&b',');
        let is_next = self.rest.len().checked_sub(self.text.len() + 1) == Some(next.rest.len());
        let are_words = !self.is_number && !next.is_number;
        self.rest.get(..length).filter(|_| is_comma && is_next && are_words)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    Space,
    /// A hyphen or a full stop within a name, or nothing.
    Sign,
    Slash,
    /// A comma, a bracket or several spaces: a name ends here.
    End,
}

impl Gap {
    pub fn is_end(self) -> bool {
        self == Gap::End
    }

    fn of(text: &str) -> Gap {
        if text == " " {
            return Gap::Space;
        }
        let mut gap = Gap::Sign;
        let mut before = 0;
        for byte in text.bytes() {
            match byte {
                b',' | b';' | b'(' | b')' | b'\n' | b':' => return Gap::End,
                b' ' | b'-' if before == b' ' => return Gap::End,
                b'/' => gap = Gap::Slash,
                _ => {}
            }
            before = byte;
        }
        gap
    }
}

pub fn tokens(lines: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::with_capacity(USUAL_TOKENS);
    let bytes = lines.as_bytes();
    let mut end_of_last = 0;
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let start = at;
        let is_number = bytes[at].is_ascii_digit();
        let same = |byte: u8| byte.is_ascii_alphanumeric() && byte.is_ascii_digit() == is_number;
        while at < bytes.len() && same(bytes[at]) {
            at += 1;
        }
        if let Some(last) = tokens.last_mut() {
            last.gap = Gap::of(&lines[end_of_last..start]);
        }
        let (rest, text) = (&lines[start..], &lines[start..at]);
        tokens.push(Token { rest, text, is_number, gap: Gap::End });
        end_of_last = at;
    }
    tokens
}
