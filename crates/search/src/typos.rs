//! All texts that are one typing mistake away from a word.
//!
//! For one mistake, looking up each of these texts is much faster than a pass over the dictionary:
//! most of them are not words, and the lookup fails after a few letters.

/// The letters of mistakes in words, and in company numbers.
pub const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
pub const OF_NUMBERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Calls `visit` with every text that differs from an ASCII word by one letter added, dropped,
/// replaced or swapped with its neighbor. Words in other scripts have none.
pub fn each<E>(
    word: &str,
    alphabet: &[u8],
    mut visit: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    if !word.is_ascii() {
        return Ok(());
    }
    let letters = word.as_bytes();
    let mut typo: Vec<u8> = Vec::with_capacity(letters.len() + 1);
    let mut offer = |typo: &[u8]| std::str::from_utf8(typo).map_or(Ok(()), &mut visit);
    for at in 0..=letters.len() {
        let (before, after) = letters.split_at(at);
        if let Some((first, rest)) = after.split_first() {
            typo.clear();
            typo.extend([before, rest].concat());
            offer(&typo)?;
            if let Some((second, rest)) = rest.split_first()
                && first != second
            {
                typo.clear();
                typo.extend([before, &[*second, *first], rest].concat());
                offer(&typo)?;
            }
        }
        typo.clear();
        typo.extend([before, b"a", after].concat());
        for letter in alphabet {
            typo[at] = *letter;
            offer(&typo)?;
        }
        let Some((first, rest)) = after.split_first() else { continue };
        typo.clear();
        typo.extend([before, b"a", rest].concat());
        for letter in alphabet.iter().filter(|letter| *letter != first) {
            typo[at] = *letter;
            offer(&typo)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::convert::Infallible;

    use rapidfuzz::distance::osa;

    fn typos(word: &str) -> HashSet<String> {
        let mut typos = HashSet::new();
        let done = super::each(word, super::LETTERS, |typo| {
            typos.insert(typo.to_owned());
            Ok::<(), Infallible>(())
        });
        assert_eq!(done, Ok(()));
        typos
    }

    #[test]
    fn all_texts_with_one_mistake_are_visited() {
        let typos = typos("abca");
        assert!(typos.iter().all(|typo| osa::distance("abca".bytes(), typo.bytes()) == 1));
        for typo in ["abc", "bca", "baca", "abac", "zabca", "abcaz", "abxca", "xbca", "abcx"] {
            assert!(typos.contains(typo), "{typo}");
        }
        // Four dropped, three swapped, 25 × 4 replaced, 26 × 5 − 4 added.
        assert_eq!(typos.len(), 4 + 3 + 100 + 126);
    }

    #[test]
    fn words_in_other_scripts_have_none() {
        assert_eq!(typos("தமிழ்").len(), 0);
        assert_eq!(typos("").len(), 26);
    }
}
