//! Finds the words of a sorted dictionary within a few typing mistakes of a given word.
//!
//! The existing automata build a table, which costs more than one pass over a dictionary. This one
//! uses one row of bits per number of mistakes, and needs no table.

use tantivy_fst::Automaton;

/// The most mistakes.
const MAX_MISTAKES: usize = 2;
/// The most letters of a word, limited by the number of bits.
const MAX_LETTERS: usize = 62;

/// Accepts texts that differ from a word by a bounded number of letters added, dropped, replaced or
/// swapped with their neighbor. At most one of two mistakes is in the first half of the word: near
/// its root a dictionary has too many branches to follow them all.
pub struct Mistaken {
    letters: Vec<u8>,
    masks: [u64; 256],
    mistakes: usize,
    first_part: u64,
    exact_part: u64,
    matches_prefix: bool,
}

/// The matched part of the word: bit `i` of row `k` is set if `i` letters match with `k` mistakes.
#[derive(Clone, Copy)]
pub struct State {
    rows: [u64; MAX_MISTAKES + 1],
    before: [u64; MAX_MISTAKES + 1],
    last: u8,
    accepted: bool,
}

impl Mistaken {
    /// None if the word is empty or too long.
    pub fn new(word: &str, mistakes: usize) -> Option<Mistaken> {
        let letters = word.as_bytes().to_vec();
        if letters.len() > MAX_LETTERS || letters.is_empty() || mistakes > MAX_MISTAKES {
            return None;
        }
        let mut masks = [0; 256];
        for (position, letter) in letters.iter().enumerate() {
            masks[usize::from(*letter)] |= 1 << (position + 1);
        }
        let first_part = (1 << (letters.len() / 2 + 1)) - 1;
        Some(Mistaken {
            letters,
            masks,
            mistakes,
            first_part,
            exact_part: 0,
            matches_prefix: false,
        })
    }

    /// Also accepts longer texts with such a beginning.
    pub fn or_longer(mut self) -> Mistaken {
        self.matches_prefix = true;
        self
    }

    /// Accepts no mistake in the first half: if the word is reversed, these are the texts that
    /// the automaton of the word itself misses.
    pub fn with_exact_half(mut self) -> Mistaken {
        self.exact_part = (1 << (self.letters.len() - self.letters.len() / 2)) - 1;
        self
    }

    fn bound(&self, rows: &mut [u64; MAX_MISTAKES + 1]) {
        let width = (1_u64 << (self.letters.len() + 1)) - 1;
        for row in rows.iter_mut() {
            *row &= width;
        }
        rows[1] &= !self.exact_part;
        rows[2] &= !(self.exact_part | self.first_part);
    }
}

impl Automaton for Mistaken {
    type State = State;

    fn start(&self) -> State {
        let mut rows = [1, 0, 0];
        for mistakes in 1..=self.mistakes {
            rows[mistakes] = rows[mistakes - 1] | rows[mistakes - 1] << 1;
        }
        self.bound(&mut rows);
        State { rows, before: [0; MAX_MISTAKES + 1], last: 0, accepted: false }
    }

    fn is_match(&self, state: &State) -> bool {
        state.accepted
            || state.rows[..=self.mistakes].iter().any(|row| row >> self.letters.len() & 1 == 1)
    }

    fn can_match(&self, state: &State) -> bool {
        state.accepted || state.rows[..=self.mistakes].iter().any(|row| *row != 0)
    }

    fn accept(&self, state: &State, byte: u8) -> State {
        if state.accepted {
            return *state;
        }
        let mask = self.masks[usize::from(byte)];
        let swapped = mask << 1 & self.masks[usize::from(state.last)];
        let mut rows = [state.rows[0] << 1 & mask, 0, 0];
        for mistakes in 1..=self.mistakes {
            let fewer = state.rows[mistakes - 1];
            rows[mistakes] = (state.rows[mistakes] << 1 & mask)
                | fewer << 1
                | fewer
                | rows[mistakes - 1] << 1
                | (state.before[mistakes - 1] << 2 & swapped);
        }
        self.bound(&mut rows);
        let mut next = State { rows, before: state.rows, last: byte, accepted: false };
        next.accepted = self.matches_prefix && self.is_match(&next);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(automaton: &Mistaken, text: &str) -> bool {
        let mut state = automaton.start();
        for byte in text.bytes() {
            state = automaton.accept(&state, byte);
        }
        automaton.is_match(&state)
    }

    #[test]
    fn mistakes_are_counted() {
        let one = Mistaken::new("kalpanik", 1).expect("short");
        for text in
            ["kalpanik", "kalpnaik", "kalpani", "kalpanikx", "xalpanik", "klapanik", "alpanik"]
        {
            assert!(accepts(&one, text), "{text}");
        }
        for text in ["kalpa", "kaplanki", "xalpanix", ""] {
            assert!(!accepts(&one, text), "{text}");
        }
        let two = Mistaken::new("kalpanik", 2).expect("short");
        for text in ["kalpankx", "xalpanix", "klapanic", "kalpanikxy", "kalpan"] {
            assert!(accepts(&two, text), "{text}");
        }
        assert!(!accepts(&two, "xxlpanik"), "two mistakes in the first part");
        assert!(!accepts(&two, "klapaxyk"), "three mistakes");
    }

    #[test]
    fn with_an_exact_half_the_reversed_word_finds_what_the_word_itself_misses() {
        let reversed = |text: &str| text.chars().rev().collect::<String>();
        let typos = |typed: &str| {
            let mut typos = Vec::new();
            let done = crate::typos::each(typed, b"axk", |typo| {
                typos.push(typo.to_owned());
                Ok::<(), std::convert::Infallible>(())
            });
            assert_eq!(done, Ok(()));
            typos
        };
        for word in ["kalpan", "kalpani", "kalpanik"] {
            let forward = Mistaken::new(word, 2).expect("short");
            let backward = Mistaken::new(&reversed(word), 2).expect("short");
            let exact = Mistaken::new(&reversed(word), 2).expect("short").with_exact_half();
            let mut missed = 0;
            for text in typos(word).iter().flat_map(|typo| typos(typo)) {
                if !accepts(&forward, &text) {
                    let found = accepts(&exact, &reversed(&text));
                    assert_eq!(found, accepts(&backward, &reversed(&text)), "{word} {text}");
                    missed += usize::from(found);
                }
            }
            assert!(missed > 0, "{word}");
        }
    }

    #[test]
    fn a_prefix_matches_if_requested() {
        let one = Mistaken::new("kalpn", 1).expect("short").or_longer();
        assert!(accepts(&one, "kalpanik") && !accepts(&one, "karnataka"));
    }

    #[test]
    fn the_longest_word_fits_and_longer_ones_are_refused() {
        let longest = "x".repeat(MAX_LETTERS);
        assert!(accepts(&Mistaken::new(&longest, 2).expect("fits"), &longest));
        assert!(Mistaken::new(&"x".repeat(MAX_LETTERS + 1), 1).is_none());
    }

    #[test]
    fn the_automaton_agrees_with_the_edit_distance() {
        let words = [
            "abcabc", "abcacb", "bacabc", "abc", "abcabcab", "cabcab", "aabbcc", "abxabx", "acbacb",
        ];
        for word in words {
            let automaton = Mistaken::new(word, 1).expect("short");
            for text in words {
                let counted = rapidfuzz::distance::osa::distance(word.bytes(), text.bytes());
                assert_eq!(accepts(&automaton, text), counted <= 1, "{word} {text}");
            }
        }
    }
}
