//! The text of an API key: prefix, random part, and a checksum that detects a mistyped key.

use std::fmt;

use ring::digest::{SHA256, digest};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// The sandbox and test credits.
    Test,
    /// The live register and purchased credits.
    Live,
}

impl Mode {
    pub const ALL: [Mode; 2] = [Mode::Test, Mode::Live];

    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Test => "test",
            Mode::Live => "live",
        }
    }

    pub fn from_name(word: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.as_str() == word)
    }
}

/// What a key is for. The prefix of its text tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// A key of the API, sent as a bearer token.
    Api,
    /// A token of the reconciliation service, part of the address that a client such as OpenRefine calls.
    Reconcile,
}

impl KeyKind {
    pub const ALL: [KeyKind; 2] = [KeyKind::Api, KeyKind::Reconcile];

    pub fn as_str(self) -> &'static str {
        match self {
            KeyKind::Api => "api",
            KeyKind::Reconcile => "reconcile",
        }
    }

    fn prefix(self, mode: Mode) -> &'static str {
        match (self, mode) {
            (KeyKind::Api, Mode::Test) => "pk_test_",
            (KeyKind::Api, Mode::Live) => "pk_live_",
            (KeyKind::Reconcile, Mode::Test) => "rk_test_",
            (KeyKind::Reconcile, Mode::Live) => "rk_live_",
        }
    }

    /// The kind and the mode of a key or of its hint.
    pub(super) fn of_prefix(text: &str) -> Option<(KeyKind, Mode)> {
        let all = KeyKind::ALL.into_iter().flat_map(|kind| Mode::ALL.map(|mode| (kind, mode)));
        all.into_iter().find(|(kind, mode)| text.starts_with(kind.prefix(*mode)))
    }
}

/// A key with a valid format and checksum; only the ledger knows whether it exists.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyText {
    bytes: [u8; LENGTH],
    kind: KeyKind,
    mode: Mode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyTextError {
    /// It starts with no prefix of a key.
    #[error(
        "a key starts with pk_test_ or pk_live_, a reconciliation token with rk_test_ or rk_live_"
    )]
    Prefix,
    /// It has the wrong length or an invalid character.
    #[error("a key has 32 letters and digits after its prefix")]
    Shape,
    #[error("the key is mistyped or truncated: its checksum does not match")]
    Checksum,
}

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX_LENGTH: usize = 8;
const RANDOM_LENGTH: usize = 26;
const CHECKSUM_LENGTH: usize = 6;
/// The characters before the checksum.
const BODY_LENGTH: usize = PREFIX_LENGTH + RANDOM_LENGTH;
const LENGTH: usize = BODY_LENGTH + CHECKSUM_LENGTH;

impl KeyText {
    /// Generates a key from random bytes. Bytes that would make some characters more likely are
    /// skipped, so more bytes are requested than the key has characters.
    pub fn generate(kind: KeyKind, mode: Mode, mut random: impl FnMut(&mut [u8])) -> KeyText {
        let mut bytes = [0; LENGTH];
        bytes[..PREFIX_LENGTH].copy_from_slice(kind.prefix(mode).as_bytes());
        let mut length = PREFIX_LENGTH;
        while length < BODY_LENGTH {
            let mut source = [0; 64];
            random(&mut source);
            let unbiased = source.iter().filter(|byte| **byte < 248);
            for (place, byte) in bytes[length..BODY_LENGTH].iter_mut().zip(unbiased) {
                *place = ALPHABET[usize::from(byte % 62)];
                length += 1;
            }
        }
        let (body, rest) = bytes.split_at_mut(BODY_LENGTH);
        rest.copy_from_slice(&checksum(body));
        KeyText { bytes, kind, mode }
    }

    /// Checks the format and the checksum of a presented key.
    pub fn parse(text: &str) -> Result<KeyText, KeyTextError> {
        let (kind, mode) = KeyKind::of_prefix(text).ok_or(KeyTextError::Prefix)?;
        let bytes: [u8; LENGTH] = text.as_bytes().try_into().map_err(|_| KeyTextError::Shape)?;
        if !bytes[PREFIX_LENGTH..].iter().all(u8::is_ascii_alphanumeric) {
            return Err(KeyTextError::Shape);
        }
        let (body, given) = bytes.split_at(BODY_LENGTH);
        // The checksum is not secret, so the comparison need not take constant time.
        if checksum(body) != given {
            return Err(KeyTextError::Checksum);
        }
        Ok(KeyText { bytes, kind, mode })
    }

    /// The whole key. It is displayed once, never stored or logged.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes).expect("a key has only ASCII characters")
    }

    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The part that may be displayed later: the prefix and the last four characters.
    pub fn hint(&self) -> String {
        format!("{}…{}", self.kind.prefix(self.mode), &self.as_str()[LENGTH - 4..])
    }
}

impl fmt::Debug for KeyText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.hint())
    }
}

/// Six characters derived from the SHA-256 of the preceding text.
fn checksum(body: &[u8]) -> [u8; CHECKSUM_LENGTH] {
    let digest = digest(&SHA256, body);
    let mut number =
        digest.as_ref()[..8].iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    let mut characters = [b'0'; CHECKSUM_LENGTH];
    for character in characters.iter_mut().rev() {
        *character = ALPHABET[(number % 62) as usize];
        number /= 62;
    }
    characters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> KeyText {
        let mut next = 7u8;
        KeyText::generate(KeyKind::Api, Mode::Test, |bytes| {
            for byte in bytes {
                next = next.wrapping_mul(31).wrapping_add(11);
                *byte = next;
            }
        })
    }

    #[test]
    fn a_generated_key_is_parsed() {
        let key = sample();
        assert_eq!(key.as_str().len(), 40);
        assert_eq!(KeyText::parse(key.as_str()), Ok(key.clone()));
        assert_eq!(key.mode(), Mode::Test);
        assert!(!format!("{key:?}").contains(&key.as_str()[8..34]));
    }

    #[test]
    fn the_prefix_of_a_key_and_of_its_hint_tells_its_kind() {
        for (kind, prefix) in [(KeyKind::Api, "pk_live_"), (KeyKind::Reconcile, "rk_live_")] {
            let key = KeyText::generate(kind, Mode::Live, |bytes| bytes.fill(9));
            assert!(key.as_str().starts_with(prefix));
            assert_eq!(KeyText::parse(key.as_str()).map(|key| key.kind()), Ok(kind));
            assert_eq!(KeyKind::of_prefix(&key.hint()), Some((kind, Mode::Live)));
        }
        assert_eq!(KeyKind::of_prefix("xk_live_"), None);
    }

    #[test]
    fn every_single_changed_character_is_detected() {
        let key = sample();
        for position in PREFIX_LENGTH..key.as_str().len() {
            let mut changed = key.as_str().as_bytes().to_vec();
            changed[position] = if changed[position] == b'x' { b'y' } else { b'x' };
            let changed = String::from_utf8(changed).expect("ASCII");
            assert_eq!(KeyText::parse(&changed), Err(KeyTextError::Checksum), "{position}");
        }
    }

    #[test]
    fn foreign_and_truncated_keys_give_different_errors() {
        assert_eq!(KeyText::parse("sk_live_123"), Err(KeyTextError::Prefix));
        assert_eq!(KeyText::parse(""), Err(KeyTextError::Prefix));
        assert_eq!(KeyText::parse(&sample().as_str()[..39]), Err(KeyTextError::Shape));
        assert_eq!(KeyText::parse("pk_test_é"), Err(KeyTextError::Shape));
        assert_eq!(KeyText::parse(&format!("{} ", sample().as_str())), Err(KeyTextError::Shape));
    }
}
