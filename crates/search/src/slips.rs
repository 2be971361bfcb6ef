//! All texts that are one typing mistake away from a word.
//!
//! For one mistake, looking each of them up is much quicker than a walk over the dictionary: most
//! are no words, which shows after a few letters.

/// Calls `visit` with every text that differs from an ASCII word by one letter added, dropped,
/// replaced or swapped with its neighbour. Words in other scripts have none.
pub fn each<E>(word: &str, mut visit: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    if !word.is_ascii() {
        return Ok(());
    }
    let letters = word.as_bytes();
    let mut slip: Vec<u8> = Vec::with_capacity(letters.len() + 1);
    let mut offer = |slip: &[u8]| std::str::from_utf8(slip).map_or(Ok(()), &mut visit);
    for at in 0..=letters.len() {
        let (before, after) = letters.split_at(at);
        if let Some((first, rest)) = after.split_first() {
            slip.clear();
            slip.extend([before, rest].concat());
            offer(&slip)?;
            if let Some((second, rest)) = rest.split_first()
                && first != second
            {
                slip.clear();
                slip.extend([before, &[*second, *first], rest].concat());
                offer(&slip)?;
            }
        }
        slip.clear();
        slip.extend([before, b"a", after].concat());
        for letter in b'a'..=b'z' {
            slip[at] = letter;
            offer(&slip)?;
        }
        let Some((first, rest)) = after.split_first() else { continue };
        slip.clear();
        slip.extend([before, b"a", rest].concat());
        for letter in (b'a'..=b'z').filter(|letter| letter != first) {
            slip[at] = letter;
            offer(&slip)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::convert::Infallible;

    use rapidfuzz::distance::osa;

    fn slips(word: &str) -> HashSet<String> {
        let mut slips = HashSet::new();
        let done = super::each(word, |slip| {
            slips.insert(slip.to_owned());
            Ok::<(), Infallible>(())
        });
        assert_eq!(done, Ok(()));
        slips
    }

    #[test]
    fn each_is_one_mistake_away_and_none_is_missing() {
        let slips = slips("abca");
        assert!(slips.iter().all(|slip| osa::distance("abca".bytes(), slip.bytes()) == 1));
        for slip in ["abc", "bca", "baca", "abac", "zabca", "abcaz", "abxca", "xbca", "abcx"] {
            assert!(slips.contains(slip), "{slip}");
        }
        // Four dropped, three swapped, 25 × 4 replaced, 26 × 5 − 4 added.
        assert_eq!(slips.len(), 4 + 3 + 100 + 126);
    }

    #[test]
    fn words_in_other_scripts_have_none() {
        assert_eq!(slips("தமிழ்").len(), 0);
        assert_eq!(slips("").len(), 26);
    }
}
